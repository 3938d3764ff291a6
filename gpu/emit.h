/* CUDA C of the kernels of a loop tree. No compiler, driver or device is needed for it. */
#ifndef GPU_EMIT_H
#define GPU_EMIT_H

#include "lower/tree/tree.h"

enum gpu_fp { GPU_FP_DEFAULT, GPU_FP_STRICT, GPU_FP_FAST };

/* A STMT_KERNEL; kernels whose bodies are the same text share one function. */
struct gpu_kernel {
    const struct tree_stmt *stmt;
    const char *name;     /* of the function */
    uint32_t param_bytes; /* of its parameters, in the layout of kernel_params (lower/tree/tree_kernel.h) */
    bool checked;         /* it records faults (struct sdfg_rt_device_fault) */
};

/* From this line of the text on (counted from 1) code comes from `place`. */
struct gpu_line {
    uint32_t line;
    const struct place *place;
};

/* The text is C++17 that includes no headers. Everything belongs to the arena of the tree. */
struct gpu_text {
    const char *text; /* zero-terminated */
    size_t length;
    const struct gpu_kernel *kernels; /* in the order in which tree_kernels finds them */
    uint32_t num_kernels, num_functions;
    const struct sdfg_rt_access *const *accesses; /* by the numbers that checked kernels record */
    uint32_t num_accesses;
    const struct gpu_line *lines; /* rising */
    uint32_t num_lines;
};

/* NULL with an UNSUPPORTED diagnostic if a kernel has something in it that device code cannot do. The text depends on
 * the kernels and on `fp` alone. */
const struct gpu_text *gpu_emit(const struct tree *t, enum gpu_fp fp);
/* Registers that a thread of a kernel is to have. */
struct gpu_wish {
    const char *name;
    uint32_t registers;
};
/* The text with launch bounds that give kernels what is wished for them: with the highest number of blocks that leaves
 * so many registers. Kernels whose bounds name a number of blocks, and those that cannot have so many, stay as they
 * are. So do lines. NULL if nothing changes. */
const char *gpu_text_relax(struct arena *a, const char *text, const struct gpu_wish *wishes, uint32_t count);
/* The element that a line of the text comes from, or NULL. */
const struct place *gpu_text_place(const struct gpu_text *text, uint32_t line);

#endif
