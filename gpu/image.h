/* What the host's code knows of its device code. */
#ifndef GPU_IMAGE_H
#define GPU_IMAGE_H

#include "gpu/build.h"
#include "runtime/device.h"

/* The kernels of `text`, compiled as `code`. In the arena, but for the bytes of the code. */
const struct sdfg_rt_image *gpu_image(struct arena *a, const struct gpu_text *text, const struct gpu_code *code);

#endif
