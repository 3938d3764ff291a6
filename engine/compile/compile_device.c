/* Code for GPUs: CUDA C of the kernels of the tree, and what NVRTC makes of it. */
#include "engine/compile/compile.h"
#include "gpu/build.h"

static enum gpu_fp fp_of(const struct codegen_request *r)
{
    return r->fp == SDFG_FP_STRICT ? GPU_FP_STRICT : r->fp == SDFG_FP_FAST ? GPU_FP_FAST : GPU_FP_DEFAULT;
}

bool pass_device_text(struct compile *c)
{
    c->device_text = gpu_emit(c->tree, fp_of(c->request));
    if (c->device_text && !c->device_text->num_kernels)
        return diag_error(c->ir->diags, &c->sdfg->region.block.place, DIAG_DEVICE_NONE);
    return c->device_text;
}

bool pass_device_code(struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct nvrtc *n = nvrtc_open(c->ir->arena, c->ir->diags, NULL);
    struct gpu_code *code = NEW(c->ir->arena, struct gpu_code);
    enum nvrtc_form form = r->emit == CODEGEN_EMIT_PTX ? NVRTC_PTX : NVRTC_CUBIN;
    struct gpu_build *b =
        n ? gpu_build_begin(c->ir->arena, c->ir->diags, n, c->tree->name, c->device_text, r->arch, form, fp_of(r))
          : NULL;
    c->device_code = code;
    return b && gpu_build_end(b, code);
}

/* PTX ends with a zero, which is no part of the text. */
const void *device_bytes(const struct compile *c, size_t *size)
{
    const struct gpu_code *code = c->device_code;
    *size = !code ? c->device_text->length : code->size - (code->form == NVRTC_PTX);
    return code ? code->bytes : c->device_text->text;
}
