/* Architectures of GPUs: compute capabilities as numbers, 90 for sm_90. */
#ifndef GPU_ARCH_H
#define GPU_ARCH_H

#include "gpu/nvrtc.h"

/* The number in "sm_90"; false for any other text. */
bool gpu_arch_of(const char *name, int *arch);
/* Does machine code for one architecture run on a device of another? It does on the same major with an equal or higher
 * minor. */
bool gpu_arch_runs(int code, int device);
/* What to compile for a device, of the architectures that a compiler knows (rising): the highest whose machine code
 * runs there, else PTX of the highest that is not beyond the device, which the driver compiles. False if there is none.
 */
bool gpu_arch_choose(const int *known, uint32_t count, int device, int *arch, enum nvrtc_form *form);

#endif
