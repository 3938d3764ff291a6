/* Library nodes that cannot be lowered say why. */
#include "engine/include/sdfg.h"
#include "ir/build/build.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#define BLAS     "dace.libraries.blas.nodes."
#define STANDARD "dace.libraries.standard.nodes."

struct operand {
    const char *conn, *shape;
};

/* The code of the error that compiling one node gives; containers are named as the connectors. */
static const char *refused(const char *class, const char *attributes, const struct operand *in, int num_in,
                           const struct operand *out)
{
    static char code[64];
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "refused");
    struct state *st = build_state(&s->region, "main");
    const char *inputs = "";
    for (int i = 0; i < num_in; i++)
        inputs = arena_printf(ir->arena, "%s%s%s", inputs, i ? ", " : "", in[i].conn);
    struct library *n = build_library(st, "node", class, inputs, out->conn, attributes);
    for (int i = 0; i < num_in; i++) {
        build_array(s, in[i].conn, "float64", in[i].shape);
        build_edge(&build_access(st, in[i].conn)->node, NULL, &n->node, in[i].conn, in[i].conn, NULL);
    }
    build_array(s, "result", "float64", out->shape);
    build_edge(&n->node, out->conn, &build_access(st, "result")->node, NULL, "result", NULL);
    CHECK(build_finish(s));
    struct text json = text_new(ir->arena);
    sdfg_write(s, &json);
    sdfg_engine *e;
    sdfg_program *p;
    sdfg_kernel *k = NULL;
    CHECK(!sdfg_engine_new(&e, NULL));
    CHECK(!sdfg_program_load(&p, e, text_get(&json), json.length, NULL));
    sdfg_error *error = sdfg_specialize(&k, p, NULL, 0);
    snprintf(code, sizeof code, "%s", error ? sdfg_error_code(error) : "accepted");
    sdfg_error_free(error);
    sdfg_kernel_free(k);
    sdfg_program_free(p);
    sdfg_engine_free(e);
    ir_free(ir);
    return code;
}

#define REFUSED(class, attributes, conn, shape, ...)                                                                   \
    refused(class, attributes, (const struct operand[]){ __VA_ARGS__ },                                                \
            (int)(sizeof((const struct operand[]){ __VA_ARGS__ }) / sizeof(struct operand)),                           \
            &(struct operand){ conn, shape })

TEST(products_whose_extents_differ)
{
    CHECK_STR(REFUSED(BLAS "gemm.Gemm", NULL, "_c", "3, 5", { "_a", "3, 4" }, { "_b", "4, 5" }), "accepted");
    CHECK_STR(REFUSED(BLAS "gemm.Gemm", NULL, "_c", "3, 5", { "_a", "3, 4" }, { "_b", "6, 5" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(BLAS "gemm.Gemm", NULL, "_c", "3, 7", { "_a", "3, 4" }, { "_b", "4, 5" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(BLAS "gemv.Gemv", NULL, "_y", "4", { "_A", "3, 4" }, { "_x", "4" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(BLAS "dot.Dot", NULL, "_result", "1", { "_x", "3" }, { "_y", "4" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(BLAS "dot.Dot", NULL, "_result", "2", { "_x", "3" }, { "_y", "3" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(BLAS "matmul.MatMul", NULL, "_c", "2, 3, 5", { "_a", "2, 3, 4" }, { "_b", "3, 4, 5" }),
              "LIBRARY_SHAPES");
}

TEST(properties_that_make_no_sense)
{
    const char *transpose = "dace.libraries.linalg.nodes.ttranspose.TensorTranspose";
    const char *dot = "dace.libraries.linalg.nodes.tensordot.TensorDot";
    CHECK_STR(REFUSED(transpose, "{\"axes\": [0, 0]}", "_out_tensor", "3, 4", { "_inp_tensor", "3, 4" }),
              "LIBRARY_PROPERTY");
    CHECK_STR(REFUSED(transpose, "{\"axes\": [1, 0]}", "_out_tensor", "3, 4", { "_inp_tensor", "3, 4" }),
              "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(dot, "{\"left_axes\": [1, 1], \"right_axes\": [0, 1]}", "_out_tensor", "3",
                      { "_left_tensor", "3, 4" }, { "_right_tensor", "4, 4" }),
              "LIBRARY_PROPERTY");
    CHECK_STR(REFUSED(BLAS "einsum.Einsum", "{\"einsum_str\": \"ij,jk->ik\"}", "_out", "3, 5", { "_a", "3, 4" },
                      { "_b", "6, 5" }),
              "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(BLAS "einsum.Einsum", "{\"einsum_str\": \"i->ii\"}", "_out", "3, 3", { "_a", "3" }),
              "LIBRARY_SHAPES");
}

TEST(operands_that_are_missing)
{
    CHECK_STR(REFUSED(BLAS "gemm.Gemm", NULL, "_c", "3, 5", { "_a", "3, 4" }), "LIBRARY_OPERAND");
    CHECK_STR(REFUSED("dace.libraries.lapack.nodes.getrf.Getrf", NULL, "_xout", "3, 3", { "_xin", "3, 3" }),
              "LIBRARY_OPERAND");
}

TEST(code_of_stencils)
{
    const char *class = "dace.libraries.stencil.stencil.Stencil";
#define CODE(text) "{\"code\": {\"string_data\": \"" text "\", \"language\": \"Python\"}}"
    CHECK_STR(REFUSED(class, CODE("b[0] = a[-1]"), "b", "9", { "a", "9" }), "accepted");
    CHECK_STR(REFUSED(class, CODE("b[0] = a[k]"), "b", "9", { "a", "9" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(class, CODE("b[0] = a[0, 1]"), "b", "9", { "a", "9" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(class, CODE("t = a[0]"), "b", "9", { "a", "9" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(class, CODE("b[0] = a[0]"), "b", "9", { "a", "7" }), "LIBRARY_SHAPES");
    CHECK_STR(REFUSED(class, "{}", "b", "9", { "a", "9" }), "LIBRARY_PROPERTY");
}

TEST(gears_are_for_streams)
{
    CHECK_STR(REFUSED(STANDARD "gearbox.Gearbox", "{\"size\": \"3\"}", "to", "3", { "from", "3" }), "LIBRARY_OPERAND");
}

TEST(classes_without_an_implementation)
{
    CHECK_STR(REFUSED(STANDARD "code.CodeLibraryNode", NULL, "_out", "3", { "_in", "3" }), "UNKNOWN_LIBRARY");
}

CHECK_MAIN
