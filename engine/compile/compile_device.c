/* Code for GPUs: CUDA C of the kernels of the tree, what NVRTC makes of it, and the constant by which the host's code
 * knows it. NVRTC works on a thread of its own while LLVM compiles the host's code. */
#include "engine/compile/compile.h"
#include "gpu/arch.h"
#include "gpu/image.h"
#include "lower/llvm/llvm.h"

#include <string.h>

static enum gpu_fp fp_of(const struct codegen_request *r)
{
    return r->fp == SDFG_FP_STRICT ? GPU_FP_STRICT : r->fp == SDFG_FP_FAST ? GPU_FP_FAST : GPU_FP_DEFAULT;
}

bool pass_device_text(struct compile *c)
{
    c->device_text = gpu_emit(c->tree, fp_of(c->request));
    if (c->device_text && !c->device_text->num_kernels && c->request->emit >= CODEGEN_EMIT_CUDA)
        return diag_error(c->ir->diags, &c->sdfg->region.block.place, DIAG_DEVICE_NONE);
    return c->device_text;
}

/* ---- code that another compilation has made from the same text ---- */

/* In front of the code where it is kept. */
struct kept_code {
    uint32_t form, arch;
};

static const char *key_of(const struct compile *c, bool quick)
{
    struct text t = text_new(c->ir->arena);
    uint32_t count;
    const char *const *options = gpu_build_options(fp_of(c->request), &count);
    text_printf(&t, "device code 2\n%sarch %d\noptions", nvrtc_identity(c->ir->arena), c->request->arch);
    for (uint32_t i = 0; i < count; i++)
        text_printf(&t, " %s", options[i]);
    text_printf(&t, "%s\n%s", quick ? " quick" : "", c->device_text->text);
    return text_get(&t);
}

static bool take(struct compile *c, bool quick)
{
    const struct codegen_request *r = c->request;
    size_t size;
    c->device_key = key_of(c, quick);
    const char *bytes = r->device_load
                            ? r->device_load(r->device_user, c->device_key, strlen(c->device_key), c->ir->arena, &size)
                            : NULL;
    struct kept_code kept;
    if (!bytes || size <= sizeof kept)
        return false;
    memcpy(&kept, bytes, sizeof kept);
    struct gpu_code *code = NEW(c->ir->arena, struct gpu_code);
    *code = (struct gpu_code){ .bytes = bytes + sizeof kept,
                               .size = size - sizeof kept,
                               .form = (enum nvrtc_form)kept.form,
                               .arch = (int)kept.arch };
    c->device_code = code;
    return true;
}

/* Optimized code serves where quick code would do. */
static bool take_kept(struct compile *c) { return take(c, false) || (c->quick && take(c, true)); }

static void give_code(struct compile *c, const struct gpu_code *code)
{
    const struct codegen_request *r = c->request;
    struct kept_code kept = { (uint32_t)code->form, (uint32_t)code->arch };
    struct text t = text_new(c->ir->arena);
    text_addn(&t, (const char *)&kept, sizeof kept);
    text_addn(&t, code->bytes, code->size);
    if (r->device_store)
        r->device_store(r->device_user, c->device_key, strlen(c->device_key), text_get(&t), t.length);
}

/* ---- NVRTC ---- */

static bool begin(struct compile *c, int arch, enum nvrtc_form form, struct nvrtc *n)
{
    c->device_build = gpu_build_begin(c->ir->arena, c->ir->diags, n, c->tree->name, c->device_text, arch, form,
                                      fp_of(c->request), c->quick);
    return c->device_build;
}

static bool end(struct compile *c)
{
    struct gpu_code *code = NEW(c->ir->arena, struct gpu_code);
    struct gpu_build *b = c->device_build;
    c->device_build = NULL;
    c->device_code = code;
    return gpu_build_end(b, code);
}

void device_drop(struct compile *c)
{
    if (c->device_build)
        gpu_build_drop(c->device_build);
    c->device_build = NULL;
}

bool pass_device_code(struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct nvrtc *n = nvrtc_open(c->ir->arena, c->ir->diags, NULL);
    return n && begin(c, r->arch, r->emit == CODEGEN_EMIT_PTX ? NVRTC_PTX : NVRTC_CUBIN, n) && end(c);
}

bool pass_device_begin(struct compile *c)
{
    if (take_kept(c))
        return true;
    struct nvrtc *n = nvrtc_open(c->ir->arena, c->ir->diags, NULL);
    int arch = c->request->arch;
    enum nvrtc_form form = NVRTC_CUBIN;
    uint32_t count;
    const int *known = n ? nvrtc_archs(n, &count) : NULL;
    if (n && !gpu_arch_choose(known, count, arch, &arch, &form))
        arch = c->request->arch; /* which NVRTC then refuses */
    return n && begin(c, arch, form, n);
}

bool pass_device_end(struct compile *c)
{
    if (c->device_build) {
        if (!end(c))
            return false;
        give_code(c, c->device_code);
    }
    c->device_image = gpu_image(c->ir->arena, c->device_text, c->device_code);
    return true;
}

/* A module of its own: the others are compiled by now. */
bool pass_device_image(struct compile *c)
{
    if (!pass_device_end(c))
        return false;
    llvm_image(jit_module(c->jit, CODE_DEVICE, "device"), c->device_image, c->ir->arena, false);
    return jit_compile(c->jit);
}

/* PTX ends with a zero, which is no part of the text. */
const void *device_bytes(const struct compile *c, size_t *size)
{
    const struct gpu_code *code = c->device_code;
    *size = !code ? c->device_text->length : code->size - (code->form == NVRTC_PTX);
    return code ? code->bytes : c->device_text->text;
}
