/* What stored code depends on besides the program: the builds of the core and of the code generator, the processor and
 * the C library. Found out without LLVM. */
#ifndef ENGINE_HOST_H
#define ENGINE_HOST_H

#include "base/text.h"

/* One line each, appended; false with *why (static) if something has no identity. `codegen`: the code generator's file.
 */
bool host_builds(struct text *out, const char *codegen, const char **why);
/* Everything LLVM looks at when it names the processor and its features. */
void host_processor(struct text *out);
/* A line with size and time of the file that $SDFG_NVRTC names, if it names one. Any other NVRTC will do as well. */
void host_nvrtc(struct text *out);
/* Threads of parallel regions that OpenMP will decide on, which need not be running. */
int host_threads(void);

#endif
