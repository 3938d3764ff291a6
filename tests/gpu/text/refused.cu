error[unsupported]: a call of 'cblas_ddot' in code for a GPU
