#include "gpu/image.h"

#include "base/intern.h"

static const char *path_of(struct arena *a, const struct place *place)
{
    struct text t = text_new(a);
    if (place)
        place_print(place, &t);
    return text_get(&t);
}

const struct sdfg_rt_image *gpu_image(struct arena *a, const struct gpu_text *text, const struct gpu_code *code)
{
    enum { OTHER_SEED = 0x9e3779b9 };
    struct sdfg_rt_kernel *kernels = NEW_ARRAY(a, struct sdfg_rt_kernel, text->num_kernels + 1);
    for (uint32_t i = 0; i < text->num_kernels; i++) {
        const struct gpu_kernel *k = &text->kernels[i];
        const struct place *source = k->stmt->place ? place_source(k->stmt->place) : NULL;
        kernels[i] = (struct sdfg_rt_kernel){
            .name = k->name,
            .path = path_of(a, k->stmt->place),
            .line = source ? (int32_t)source->line : 0,
            .flags = (k->stmt->kernel->cooperative ? SDFG_RT_COOPERATIVE : 0u) | (k->checked ? SDFG_RT_CHECKED : 0u),
            .params = k->param_bytes,
        };
    }
    struct sdfg_rt_image *image = NEW(a, struct sdfg_rt_image);
    *image = (struct sdfg_rt_image){
        .abi = SDFG_RT_IMAGE_ABI,
        .arch = (uint32_t)code->arch,
        .kind = code->form == NVRTC_PTX ? SDFG_RT_PTX : SDFG_RT_CUBIN,
        .num_kernels = text->num_kernels,
        .num_accesses = text->num_accesses,
        .hash = { hash_bytes(code->bytes, code->size, 0), hash_bytes(code->bytes, code->size, OTHER_SEED) },
        .size = code->size,
        .bytes = code->bytes,
        .kernels = kernels,
        .accesses = text->accesses,
    };
    return image;
}
