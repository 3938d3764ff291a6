/* Kernels of trees become machine code, if NVRTC is there. */
#include "gpu/build.h"
#include "lower/tree/tree_kernel.h"
#include "lower/tree/tree_read.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <string.h>

static struct nvrtc *any_nvrtc(struct ir *ir)
{
    struct diags *d = diags_new(ir->arena);
    struct nvrtc *n = nvrtc_open(ir->arena, d, NULL);
    if (!n)
        n = nvrtc_open(ir->arena, d, "../build/wheels/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    if (!n)
        printf("nothing was compiled: there is no NVRTC on this machine\n");
    return n;
}

static struct tree *read_tree(struct ir *ir, const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return tree_read(ir, text, n);
}

/* Every kernel of the texts that tests/gpu/text holds, in every mode, quick and optimized; nothing is spilled. */
TEST(texts)
{
    static const char *const files[] = { "gpu/text/axpy.tree", "gpu/text/control.tree", "gpu/text/types.tree" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct ir *ir = ir_new();
        struct nvrtc *n = any_nvrtc(ir);
        struct tree *t = read_tree(ir, files[i]);
        CHECK(t != NULL);
        for (int mode = 0; n && mode < 2 * (GPU_FP_FAST + 1); mode++) {
            enum gpu_fp fp = (enum gpu_fp)(mode / 2);
            const struct gpu_text *text = gpu_emit(t, fp);
            struct gpu_code code = { 0 };
            struct gpu_build *b =
                gpu_build_begin(ir->arena, ir->diags, n, t->name, text, 90, NVRTC_CUBIN, fp, mode % 2);
            CHECK(b && gpu_build_end(b, &code) && code.size > 500);
            CHECK_INT(code.num_usage, text->num_functions);
            for (uint32_t k = 0; k < code.num_usage; k++)
                CHECK(code.usage[k].registers >= 8 && code.usage[k].spilled == 0 && code.usage[k].name[0] == 'k');
        }
        CHECK_INT(diags_count(ir->diags), 0);
        ir_free(ir);
    }
}

/* Kernels with equal bodies are one function; the parameters have the layout that the host packs. */
TEST(kernels_and_parameters)
{
    struct ir *ir = ir_new();
    struct tree *t = read_tree(ir, "gpu/text/axpy.tree");
    const struct gpu_text *text = gpu_emit(t, GPU_FP_DEFAULT);
    CHECK_INT(text->num_kernels, 3);
    CHECK_INT(text->num_functions, 2);
    CHECK_STR(text->kernels[0].name, "k0_axpy");
    CHECK_STR(text->kernels[1].name, "k0_axpy");
    CHECK_INT(text->kernels[0].param_bytes, 32);
    t = read_tree(ir, "gpu/text/types.tree");
    struct kernel_params p = kernel_params(ir->arena, tree_kernels(t).kernels[0]);
    CHECK_INT(p.count, 13);
    CHECK_STR(p.vars[5]->name, "z0");
    CHECK_INT(p.offsets[5], 40);
    CHECK_INT(p.offsets[6], 56);
    CHECK_STR(p.vars[8]->name, "q");
    CHECK_INT(p.offsets[9] - p.offsets[8], 8);
    CHECK_INT(p.bytes, p.offsets[12] + 4);
    ir_free(ir);
}

TEST(what_does_not_compile)
{
    static const struct place root = { .label = "p" };
    static const struct gpu_line lines[] = { { 2, &root } };
    static const char broken[] = "// first\nextern \"C\" __global__ void k0() { undeclared = 1; }\n// third\n";
    struct gpu_text text = { .text = broken, .length = sizeof broken - 1, .lines = lines, .num_lines = 1 };
    struct ir *ir = ir_new();
    struct nvrtc *n = any_nvrtc(ir);
    if (n) {
        struct gpu_code code;
        struct gpu_build *b =
            gpu_build_begin(ir->arena, ir->diags, n, "p", &text, 90, NVRTC_PTX, GPU_FP_DEFAULT, false);
        CHECK(b && !gpu_build_end(b, &code) && !code.bytes);
        CHECK_INT(diags_count(ir->diags), 1);
        CHECK_STR(diags_get(ir->diags, 0)->path, "p");
        CHECK(strstr(diags_get(ir->diags, 0)->message, "NVRTC cannot compile the CUDA C of 'p':\n"));
        CHECK(strstr(diags_get(ir->diags, 0)->message, ">     2  extern"));
        CHECK(strstr(diags_get(ir->diags, 0)->message, "      3  // third\n"));
    }
    ir_free(ir);
}

CHECK_MAIN
