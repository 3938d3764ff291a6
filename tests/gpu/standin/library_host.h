/* What the stand-ins for libraries of CUDA have in common, on the host (library_host.c). */
#ifndef STANDIN_LIBRARY_HOST_H
#define STANDIN_LIBRARY_HOST_H

#include "tests/gpu/standin/driver.h"
#include "tests/gpu/standin/library.h"

/* The status that a call shall have: `usual`, or what the variable says (K or K:STATUS), if it is call number K. */
int standin_library_enter(const char *variable, long *all, int usual);
void standin_library_counts(const char *const *names, const long *calls, int kinds);
/* The image that lies beside the library in which the address is. */
CUresult standin_library_load(CUmodule *out, const void *of_library);
CUresult standin_library_launch(CUfunction f, int64_t threads, CUstream stream, void *params, size_t bytes);
bool standin_is_on_device(const void *memory);

#endif
