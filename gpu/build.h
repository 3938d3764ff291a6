/* Machine code from the text of device code, by NVRTC on threads of its own. */
#ifndef GPU_BUILD_H
#define GPU_BUILD_H

#include "gpu/emit.h"
#include "gpu/nvrtc.h"

/* What ptxas says of a kernel. Bytes, but for registers of a thread. */
struct gpu_usage {
    const char *name;
    uint32_t registers, stack, spilled /* stores and loads */, shared;
};

struct gpu_code {
    const void *bytes;
    size_t size;
    enum nvrtc_form form;
    int arch;
    const struct gpu_usage *usage; /* of machine code only */
    uint32_t num_usage;
};

struct gpu_build;

/* `quick`: code that is there soon rather than fast. `name` is for messages. `text` is read until gpu_build_end. Arena
 * and sink are used by the calling thread only. NULL with a diagnostic. */
struct gpu_build *gpu_build_begin(struct arena *a, struct diags *d, const struct nvrtc *n, const char *name,
                                  const struct gpu_text *text, int arch, enum nvrtc_form form, enum gpu_fp fp,
                                  bool quick);
/* Waits. Optimized kernels that spill registers are compiled once more with launch bounds that leave them more, and the
 * code that spills less is taken. False with a diagnostic; one for text that does not compile (a BUG) names the element
 * that the line comes from and shows the lines around it with their numbers. */
bool gpu_build_end(struct gpu_build *b, struct gpu_code *out);

/* Waits, and forgets what comes of it. Does not allocate. */
void gpu_build_drop(struct gpu_build *b);

/* NVRTC's options for a mode of floating-point arithmetic, all but the architecture. They are part of what the result
 * depends on. */
const char *const *gpu_build_options(enum gpu_fp fp, uint32_t *count);

#endif
