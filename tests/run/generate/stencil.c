/* stencil.Stencil. */
#include "tests/run/generate/generate.h"

#define STENCIL    "dace.libraries.stencil.stencil.Stencil"
#define CODE(text) "\"code\": {\"string_data\": \"" text "\", \"language\": \"Python\"}"

/* Element i + offset, `outside` beyond the ends. */
static double complex near(const struct gen_array *a, int64_t i, double complex outside)
{
    return i >= 0 && i < a->count ? a->in[i] : outside;
}

/* Points whose neighbours are missing keep what they held. */
static void shrink(const char *name, int64_t length)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "N", length);
    struct gen_array *a = gen_array(g, "A", "float64", "N", NULL), *b = gen_array(g, "B", "float64", "N", NULL);
    gen_node(g, STENCIL, "{" CODE("b[0] = a[-1] + 2 * a[0] + a[2]") "}", "a = A", "b = B", NULL);
    for (int64_t i = 1; i + 2 < length; i++)
        b->out[i] = a->in[i - 1] + 2 * a->in[i] + a->in[i + 2];
    gen_end(g);
}

/* Only one side of one dimension can be left. */
static void one_condition(void)
{
    struct gen *g = gen_begin("stencil_one_condition");
    struct gen_array *a = gen_array(g, "A", "float32", "5, 6", NULL), *b = gen_array(g, "B", "float32", "5, 6", NULL);
    gen_node(g, STENCIL, "{" CODE("b[0, 0] = a[0, 0] - a[1, 0]") "}", "a = A", "b = B", NULL);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            GEN_OUT(b, i, j) = GEN_IN(a, i, j) - GEN_IN(a, i + 1, j);
    gen_end(g);
}

static void boundary(const char *name, const char *rule, bool copies, int64_t length)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "N", length);
    struct gen_array *a = gen_array(g, "A", "float64", "N", NULL), *b = gen_array(g, "B", "float64", "N", NULL);
    gen_node(g, STENCIL,
             arena_printf(g->ir->arena, "{" CODE("b[0] = a[-2] + 3 * a[1]") ", \"boundary_conditions\": [{\"a\": %s}]}",
                          rule),
             "a = A", "b = B", NULL);
    for (int64_t i = 0; i < length; i++) {
        double complex outside = copies ? a->in[i] : 1.5;
        b->out[i] = near(a, i - 2, outside) + 3 * near(a, i + 1, outside);
    }
    gen_end(g);
}

/* One field has a condition, the other shrinks the domain. */
static void mixed(void)
{
    struct gen *g = gen_begin("stencil_mixed_boundaries");
    struct gen_array *a = gen_array(g, "A", "float64", "7, 8", NULL), *c = gen_array(g, "C", "float64", "7, 8", NULL);
    struct gen_array *b = gen_array(g, "B", "float64", "7, 8", NULL);
    gen_node(
        g, STENCIL,
        "{" CODE(
            "b[0, 0] = a[-1, 0] + a[1, 0] + a[0, -1] + a[0, 1] - c[0, 2] * c[1, 0]") ", \"boundary_conditions\": "
                                                                                     "[{\"a\": {\"btype\": "
                                                                                     "\"constant\", \"value\": -1}}]}",
        "a = A, c = C", "b = B", NULL);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double complex up = i > 0 ? GEN_IN(a, i - 1, j) : -1, left = j > 0 ? GEN_IN(a, i, j - 1) : -1;
            GEN_OUT(b, i, j) =
                up + GEN_IN(a, i + 1, j) + left + GEN_IN(a, i, j + 1) - GEN_IN(c, i, j + 2) * GEN_IN(c, i + 1, j);
        }
    gen_end(g);
}

/* Fields of lower rank, a value by itself, a local name, and a choice. */
static void lower_ranks(void)
{
    struct gen *g = gen_begin("stencil_lower_ranks");
    gen_symbol(g, "k", 3);
    struct gen_array *a = gen_array(g, "A", "float64", "4, 5, 6", NULL),
                     *r = gen_array(g, "R", "float64", "4, 6", NULL);
    struct gen_array *v = gen_array(g, "V", "float64", "5", NULL), *f = gen_array(g, "F", "float64", "1", NULL);
    struct gen_array *b = gen_array(g, "B", "float64", "4, 5, 6", NULL);
    gen_node(
        g, STENCIL,
        "{" CODE(
            "t = r[0, 1] * v[-1]\\nb[0, 0, 0] = t + k * a[0, 0, 0] if f > 0 else t - a[1, 0, 0]") ", "
                                                                                                  "\"iterator_"
                                                                                                  "mapping\": {\"r\": "
                                                                                                  "[true, false, "
                                                                                                  "true], \"v\": "
                                                                                                  "[false, true, "
                                                                                                  "false], \"f\": "
                                                                                                  "[false, false, "
                                                                                                  "false]}}",
        "a = A, r = R, v = V, f = F", "b = B", NULL);
    f->in[0] = f->out[0] = 1;
    for (int x = 0; x < 3; x++)
        for (int y = 1; y < 5; y++)
            for (int z = 0; z < 5; z++)
                GEN_OUT(b, x, y, z) = GEN_IN(r, x, z + 1) * v->in[y - 1] + 3 * GEN_IN(a, x, y, z);
    gen_end(g);
}

/* Offsets count from the written element; two results. */
static void shifted(void)
{
    struct gen *g = gen_begin("stencil_shifted_write");
    struct gen_array *a = gen_array(g, "A", "int32", "6, 4", NULL), *b = gen_array(g, "B", "int32", "6, 4", NULL);
    struct gen_array *c = gen_array(g, "C", "int32", "6, 4", NULL);
    gen_node(g, STENCIL, "{" CODE("b[1, 0] = a[0, 0] + a[1, 0]\\nc[1, 0] = a[1, 0] * 2") "}", "a = A", "b = B, c = C",
             NULL);
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < 4; j++) {
            GEN_OUT(b, i, j) = GEN_IN(a, i - 1, j) + GEN_IN(a, i, j);
            GEN_OUT(c, i, j) = 2 * GEN_IN(a, i, j);
        }
    gen_end(g);
}

void gen_stencil(void)
{
    shrink("stencil_shrink", 11);
    shrink("stencil_shrink_narrow", 2);
    one_condition();
    boundary("stencil_constant", "{\"btype\": \"constant\", \"value\": 1.5}", false, 9);
    boundary("stencil_constant_narrow", "{\"btype\": \"constant\", \"value\": 1.5}", false, 2);
    boundary("stencil_constant_single", "{\"btype\": \"constant\", \"value\": 1.5}", false, 1);
    boundary("stencil_copy", "{\"btype\": \"copy\"}", true, 9);
    mixed();
    lower_ranks();
    shifted();
}
