/* Library nodes that the embedding program implements. */
#include "engine/include/sdfg.h"
#include "ir/build/build.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

static sdfg_engine *engine_new(void)
{
    sdfg_engine *e;
    CHECK(!sdfg_engine_new(&e, NULL));
    return e;
}

/* The code of an error, which is freed. */
static const char *code_of(sdfg_error *e)
{
    static char code[64];
    snprintf(code, sizeof code, "%s", e ? sdfg_error_code(e) : "");
    sdfg_error_free(e);
    return code;
}

static sdfg_program *load(sdfg_engine *e, struct ir *ir, struct sdfg *s)
{
    struct text json = text_new(ir->arena);
    sdfg_program *p = NULL;
    CHECK(build_finish(s));
    sdfg_write(s, &json);
    CHECK_STR(code_of(sdfg_program_load(&p, e, text_get(&json), json.length, NULL)), "");
    ir_free(ir);
    return p;
}

/* B (a part of it, in steps) = node(A) with a conflict resolution or none. */
static sdfg_program *one_node(sdfg_engine *e, const char *class, const char *wcr)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "one_node");
    build_symbol(s, "N", "int64");
    build_array(s, "A", "float32", "N, 3");
    build_array(s, "B", "float32", "2, N");
    struct state *st = build_state(&s->region, "main");
    struct library *n = build_library(st, "mine", class, "_in", "_out", "{\"factor\": 3}");
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "_in", "A[0:N:2, 1]", NULL);
    build_edge(&n->node, "_out", &build_access(st, "B")->node, NULL, "B[1, 0:N]", wcr);
    return load(e, ir, s);
}

static sdfg_error *call(sdfg_program *p, float *a, float *b, int64_t n)
{
    sdfg_args *args;
    CHECK(!sdfg_args_new(&args, p));
    CHECK(!sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F32, .rank = 2, .shape = { n, 3 })));
    CHECK(!sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F32, .rank = 2, .shape = { 2, n })));
    sdfg_error *error = sdfg_call(p, args);
    sdfg_args_free(args);
    return error;
}

/* Writes `*user` everywhere and checks what it is given. */
static bool describes(void *user, const sdfg_node *n)
{
    const sdfg_operand *in = sdfg_node_operand(n, "_in", false), *out = sdfg_node_operand(n, "_out", true);
    CHECK_INT(n->struct_size, sizeof *n);
    CHECK_STR(n->class_path, "mine.nodes.Describe");
    CHECK_STR(n->label, "mine");
    CHECK(strstr(n->properties, "\"factor\"") != NULL);
    CHECK_INT(n->num_operands, 2);
    CHECK(!sdfg_node_operand(n, "_in", true) && !sdfg_node_operand(n, "_other", false));
    if (!in || !out)
        return false;
    CHECK(in->dtype == SDFG_F32 && in->lanes == 1 && !in->output && out->output);
    CHECK_INT(in->rank, 2);
    CHECK_INT(in->shape[0], 2);
    CHECK_INT(in->shape[1], 1);
    CHECK_INT(in->strides[0], 6); /* the step times the row */
    CHECK(((const float *)in->data)[0] == 2 && ((const float *)in->data)[6] == 8);
    CHECK_INT(out->rank, 2);
    CHECK_INT(out->shape[1], 4);
    for (int64_t i = 0; i < 4; i++)
        ((float *)out->data)[i * out->strides[1]] = *(const float *)user;
    return true;
}

static void run_described(const char *wcr, float expected)
{
    float a[12], b[8], value = 7;
    sdfg_engine *e = engine_new();
    CHECK(!sdfg_engine_implement(e, "mine.nodes.Describe", describes, &value));
    sdfg_program *p = one_node(e, "mine.nodes.Describe", wcr);
    for (int i = 0; i < 12; i++)
        a[i] = (float)(i + 1);
    for (int i = 0; i < 8; i++)
        b[i] = 1;
    CHECK_STR(code_of(call(p, a, b, 4)), "");
    for (int i = 0; i < 8; i++)
        CHECK(b[i] == (i < 4 ? 1 : expected));
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

TEST(operands_as_they_lie) { run_described(NULL, 7); }

TEST(conflict_resolution) { run_described("(lambda x, y: (x + y))", 8); }

static bool fails(void *user, const sdfg_node *n)
{
    (void)n;
    ++*(int *)user;
    return false;
}

TEST(failure)
{
    float a[12] = { 0 }, b[8] = { 0 };
    int calls = 0;
    sdfg_engine *e = engine_new();
    CHECK(!sdfg_engine_implement(e, "mine.nodes.Fail", fails, &calls));
    sdfg_program *p = one_node(e, "mine.nodes.Fail", NULL);
    CHECK_STR(code_of(call(p, a, b, 4)), "RUN_NODE");
    CHECK_INT(calls, 1);
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

TEST(exported_code_has_no_implementation)
{
    int calls = 0;
    char *bytes;
    sdfg_engine *e = engine_new();
    CHECK(!sdfg_engine_implement(e, "mine.nodes.One", fails, &calls));
    sdfg_program *p = one_node(e, "mine.nodes.One", NULL);
    sdfg_export x = { .struct_size = sizeof x, .form = SDFG_EXPORT_OBJECT };
    CHECK_STR(code_of(sdfg_program_export(&bytes, NULL, p, &x)), "NODE_EXPORT");
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

TEST(registration)
{
    float a[12] = { 0 }, b[8] = { 0 };
    int calls = 0;
    sdfg_engine *e = engine_new();
    CHECK(!sdfg_engine_implement(e, "mine.nodes.One", fails, &calls));
    CHECK_STR(code_of(sdfg_engine_implement(e, "mine.nodes.One", fails, &calls)), "NODE_TWICE");
    sdfg_program *p = one_node(e, "mine.nodes.Two", NULL);
    CHECK_STR(code_of(sdfg_engine_implement(e, "mine.nodes.Two", fails, &calls)), "NODE_LATE");
    CHECK_STR(code_of(call(p, a, b, 4)), "UNKNOWN_LIBRARY"); /* the whole path counts */
    CHECK_INT(calls, 0);
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

/* One call per iteration, from several threads. */
static bool counts(void *user, const sdfg_node *n)
{
    const sdfg_operand *in = sdfg_node_operand(n, "_in", false), *out = sdfg_node_operand(n, "_out", true);
    __atomic_add_fetch((int *)user, 1, __ATOMIC_RELAXED);
    *(double *)out->data = 2 * *(const double *)in->data;
    return true;
}

/* The value of a row by its name, or NULL. */
static const char *value_of(const sdfg_list_row *row, const char *name)
{
    for (size_t i = 0; i < row->num_values; i++)
        if (!strcmp(row->names[i], name))
            return row->values[i];
    return NULL;
}

TEST(lists)
{
    sdfg_list *list;
    sdfg_engine *e = engine_new(), *other = engine_new();
    int calls = 0;
    CHECK(!sdfg_engine_implement(e, "mine.nodes.One", fails, &calls));
    CHECK(!sdfg_engine_list(&list, e, SDFG_LIST_OPS));
    sdfg_engine_free(e); /* the list goes on */
    const sdfg_list_row *row = sdfg_list_get(list, 0);
    CHECK_STR(row->name, "mine.nodes.One");
    CHECK_STR(value_of(row, "library"), "mine.nodes");
    CHECK_STR(value_of(row, "class"), "One");
    CHECK(!row->unusable && row->struct_size == sizeof *row);
    CHECK_STR(sdfg_list_get(list, 1)->name, "standard.Reduce");
    size_t with_own = sdfg_list_count(list);
    CHECK(!sdfg_list_get(list, with_own));
    sdfg_list_free(list);
    CHECK(!sdfg_engine_list(&list, other, SDFG_LIST_OPS));
    CHECK(sdfg_list_count(list) == with_own - 1); /* not of another engine */
    sdfg_list_free(list);
    CHECK_STR(code_of(sdfg_engine_list(&list, other, (enum sdfg_list_kind)17)), "LIST_KIND");
    CHECK(!list && !sdfg_list_count(list) && !sdfg_list_get(list, 0));
    CHECK_STR(code_of(sdfg_engine_list(&list, NULL, SDFG_LIST_OPS)), "NULL_PARAMETER");
    CHECK_STR(code_of(sdfg_engine_list(NULL, other, SDFG_LIST_OPS)), "NULL_PARAMETER");
    sdfg_engine_free(other);
}

/* A pass finds the facts that it needs: an earlier one made them. */
TEST(passes_find_their_facts)
{
    sdfg_list *list;
    sdfg_engine *e = engine_new();
    char made[1024] = ", ", word[64];
    CHECK(!sdfg_engine_list(&list, e, SDFG_LIST_PASSES));
    CHECK(sdfg_list_count(list) > 60);
    for (size_t i = 0; i < sdfg_list_count(list); i++) {
        const sdfg_list_row *row = sdfg_list_get(list, i);
        CHECK(*row->name && *row->text);
        for (const char *at = value_of(row, "needs"); *at; at += strspn(at, ", ")) {
            snprintf(word, sizeof word, ", %.*s, ", (int)strcspn(at, ","), at);
            CHECK(strstr(made, word));
            at += strcspn(at, ",");
        }
        if (*value_of(row, "makes"))
            snprintf(made + strlen(made), sizeof made - strlen(made), "%s, ", value_of(row, "makes"));
    }
    sdfg_list_free(list);
    sdfg_engine_free(e);
}

TEST(in_a_parallel_map)
{
    enum { COUNT = 500 };
    static double a[COUNT], b[COUNT];
    int calls = 0;
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "many_nodes");
    sdfg_engine *e = engine_new();
    CHECK(!sdfg_engine_implement(e, "mine.nodes.Count", counts, &calls));
    build_array(s, "A", "float64", "500");
    build_array(s, "B", "float64", "500");
    struct state *st = build_state(&s->region, "main");
    struct access *in = build_access(st, "A"), *out = build_access(st, "B");
    struct map_entry *m = build_map(st, "each", "i = 0:500");
    struct library *n = build_library(st, "mine", "mine.nodes.Count", "_in", "_out", NULL);
    build_path("A[i]", NULL, NULL, "_in", &in->node, &m->node, &n->node, NULL);
    build_path("B[i]", NULL, "_out", NULL, &n->node, m->exit, &out->node, NULL);
    sdfg_program *p = load(e, ir, s);
    sdfg_args *args;
    CHECK(!sdfg_args_new(&args, p));
    for (int i = 0; i < COUNT; i++)
        a[i] = i;
    sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }));
    sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }));
    CHECK_STR(code_of(sdfg_call(p, args)), "");
    CHECK_INT(calls, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(b[i] == 2 * i);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

CHECK_MAIN
