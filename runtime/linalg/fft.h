/* Discrete Fourier transforms for generated code: over all dimensions, with any strides. FFTW is opened at run time
 * when it is there; without it own code of the same complexity does the work. */
#ifndef RUNTIME_FFT_H
#define RUNTIME_FFT_H

#include "runtime/runtime.h"

#include <complex.h>

enum { SDFG_RT_FFT_MAX_RANK = 64 };

/* out[k] = *factor * sum over n of in[n] exp(sign 2 pi i (k1 n1 / N1 + ...)), not divided by anything. `type` is
 * SDFG_RT_C64 or SDFG_RT_C128, of in, out and factor; sizes and strides (elements) have `rank` items. `out` may be
 * `in`, or overlap it. */
void sdfg_rt_fft(struct sdfg_rt_context *context, int32_t type, int32_t sign, int64_t rank, const int64_t *sizes,
                 const void *in, const int64_t *in_strides, void *out, const int64_t *out_strides, const void *factor);
const char *sdfg_rt_fft_name(int32_t type); /* library in use for this type, or NULL: own code */

/* ---- within this folder ---- */

/* One line of n elements in place, by own code (fft_loops.c). False: out of memory. */
bool sdfg_rt_fft_line(double complex *x, int64_t n, int sign);

#endif
