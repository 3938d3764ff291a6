/* The CUDA target: GPUs for which kernels become CUDA C. */
#include "lower/graph/target.h"

const struct target cuda_target = {
    .size = sizeof cuda_target,
    .name = "cuda",
    .extends = &gpu_target,
    .device = true,
};
