/* Products as programs: one state with one library node between its arguments A, B and C. */
#include "bench/products/products.h"

#include "ir/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 160 };

static const char *type_name(sdfg_dtype dtype)
{
    switch (dtype) {
    case SDFG_F32:
        return "float32";
    case SDFG_F64:
        return "float64";
    case SDFG_C64:
        return "complex64";
    default:
        return "complex128";
    }
}

/* A vector where one of the extents is 1. */
static void shape(char *out, int64_t batch, int64_t rows, int64_t cols, bool trans)
{
    char stack[MOST_TEXT / 2] = "";
    if (batch)
        snprintf(stack, sizeof stack, "%lld, ", (long long)batch);
    if (!batch && (rows == 1 || cols == 1))
        snprintf(out, MOST_TEXT, "%lld", (long long)(rows * cols));
    else
        snprintf(out, MOST_TEXT, "%s%lld, %lld", stack, (long long)(trans ? cols : rows),
                 (long long)(trans ? rows : cols));
}

static struct library *node(struct state *st, const struct product *p, char *attributes)
{
    bool plain = !p->trans_a && !p->trans_b && p->alpha == 1 && p->beta == 0;
    if (plain)
        return build_library(st, "product", "dace.libraries.blas.nodes.matmul.MatMul", "_a, _b", "_c", NULL);
    snprintf(attributes, MOST_TEXT, "{\"transA\": %s, \"transB\": %s, \"alpha\": %g, \"beta\": %g}",
             p->trans_a ? "true" : "false", p->trans_b ? "true" : "false", p->alpha, p->beta);
    return build_library(st, "product", "dace.libraries.blas.nodes.gemm.Gemm", p->beta != 0 ? "_a, _b, _c" : "_a, _b",
                         "_c", attributes);
}

char *product_graph(const struct product *p)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "product");
    const char *type = type_name(p->dtype);
    char a[MOST_TEXT], b[MOST_TEXT], c[MOST_TEXT], attributes[MOST_TEXT];
    shape(a, p->batch, p->m, p->k, p->trans_a);
    shape(b, p->batch, p->k, p->n, p->trans_b);
    shape(c, p->batch, p->m, p->n, false);
    build_array(s, "A", type, a);
    build_array(s, "B", type, b);
    build_array(s, "C", type, c);
    build_arguments(s, "A, B, C");
    struct state *st = build_state(&s->region, "compute");
    struct library *n = node(st, p, attributes);
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "_a", "A", NULL);
    build_edge(&build_access(st, "B")->node, NULL, &n->node, "_b", "B", NULL);
    if (p->beta != 0)
        build_edge(&build_access(st, "C")->node, NULL, &n->node, "_c", "C", NULL);
    build_edge(&n->node, "_c", &build_access(st, "C")->node, NULL, "C", NULL);
    struct text out = text_new(ir->arena);
    char *copy = NULL;
    if (build_finish(s) && sdfg_validate(s)) {
        sdfg_write(s, &out);
        copy = strdup(text_get(&out));
    } else {
        for (uint32_t i = 0; i < diags_count(ir->diags); i++)
            diag_print(diags_get(ir->diags, i), &out);
        fputs(text_get(&out), stderr);
    }
    ir_free(ir);
    return copy;
}
