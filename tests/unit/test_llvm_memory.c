/* Memory: allocation, copies, slots, structures, conflict resolution; and what the optimizer is told about it. */
#include "base/smallfloat.h"
#include "ir/type.h"
#include "jit/jit.h"
#include "lower/llvm/llvm.h"
#include "runtime/runtime.h"

#include "tests/lower/llvm_program.h"
#include "tests/unit/machine.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

static const int levels[] = { 0, -1 };

/* ---- allocation ---- */

TEST(heap_and_stack_memory)
{
    for (enum tree_memory where = TREE_HEAP; where <= TREE_STACK; where++) {
        static double out[10];
        int64_t count = 10;
        struct program p = program_begin();
        struct tree *t = p.t;
        const struct type *f64 = program_type(&p, TYPE_F64);
        struct tree_expr *to = program_array(&p, "out", f64, out), *n = program_value(&p, "n", TYPE_I64, &count), *i;
        struct tree_var *m = tree_var(t, "m", to->type);
        struct tree_stmt *a = stmt_alloc(t, p.body, m, f64, where == TREE_HEAP ? n : expr_i64(t, 10), where);
        a->zero = true;
        uint32_t alias = t->num_aliases++;
        struct tree_stmt *l = program_for(&p, p.body, expr_i64(t, 5), &i);
        stmt_store(t, l->body, expr_var(t, m), i, expr_cast(t, f64, i), alias);
        stmt_copy(t, p.body, f64, to, 1, expr_offset(t, expr_var(t, m), expr_i64(t, 1)), alias, expr_i64(t, 9));
        if (where == TREE_HEAP)
            stmt_free(t, p.body, m);
        for (int level = 0; level < 2; level++) {
            memset(out, 0xff, sizeof out);
            program_run(&p, levels[level]);
            for (int k = 0; k < 9; k++)
                CHECK(out[k] == (k < 4 ? k + 1 : 0));
            CHECK(isnan(out[9]));
        }
        program_end(&p);
    }
}

TEST(memory_that_is_not_there_ends_the_function)
{
    const int64_t counts[] = { INT64_MAX / 4, -1, INT64_MAX };
    const int errors[] = { SDFG_RT_OUT_OF_MEMORY, SDFG_RT_BAD_VALUE, SDFG_RT_OUT_OF_MEMORY };
    for (int k = 0; k < 3; k++) {
        static int64_t out;
        int64_t count = counts[k];
        struct program p = program_begin();
        const struct type *f64 = program_type(&p, TYPE_F64), *i64 = program_type(&p, TYPE_I64);
        struct tree_expr *to = program_array(&p, "out", i64, &out), *n = program_value(&p, "n", TYPE_I64, &count);
        struct tree_stmt *parallel = k == 2 ? tree_parallel_begin(p.t, p.body, NULL) : NULL;
        struct tree_var *m = tree_var(p.t, "m", type_pointer(p.ir, f64));
        stmt_alloc(p.t, parallel ? parallel->body : p.body, m, f64, n, TREE_HEAP);
        if (parallel)
            tree_parallel_end(p.t, parallel);
        program_store(&p, p.body, to, expr_i64(p.t, 0), expr_i64(p.t, 1));
        out = 0;
        program_run(&p, -1);
        CHECK_INT(out, 0);
        CHECK_INT(p.context.error, errors[k]);
        program_end(&p);
    }
}

TEST(an_empty_allocation_is_no_failure_and_free_may_come_twice)
{
    static int64_t out;
    int64_t count = 0;
    struct program p = program_begin();
    const struct type *i64 = program_type(&p, TYPE_I64);
    struct tree_expr *to = program_array(&p, "out", i64, &out), *n = program_value(&p, "n", TYPE_I64, &count);
    struct tree_var *m = tree_var(p.t, "m", to->type);
    stmt_alloc(p.t, p.body, m, i64, n, TREE_HEAP);
    struct tree_stmt *c = stmt_if(p.t, p.body, expr_binary(p.t, EXPR_EQ, n, expr_i64(p.t, 0)));
    stmt_free(p.t, c->body, m);
    stmt_free(p.t, p.body, m);
    program_store(&p, p.body, to, expr_i64(p.t, 0), expr_i64(p.t, 1));
    program_run(&p, 0);
    CHECK_INT(out, 1);
    CHECK_INT(p.context.error, 0);
    program_end(&p);
}

TEST(memory_in_a_slot_lives_across_calls)
{
    static int64_t out;
    void *slots[3] = { NULL };
    struct program p = program_begin();
    struct tree *t = p.t;
    const struct type *i64 = program_type(&p, TYPE_I64);
    struct tree_expr *to = program_array(&p, "out", i64, &out), *zero = expr_i64(t, 0);
    struct tree_var *m = tree_var(t, "m", to->type);
    t->num_slots = 3;
    struct tree_stmt *a = stmt_alloc(t, p.body, m, i64, expr_i64(t, 4), TREE_STATE);
    a->slot = 2;
    a->zero = true;
    struct tree_expr *slot = expr_slot(t, 2, to->type);
    stmt_store(t, p.body, expr_var(t, m), zero,
               expr_binary(t, EXPR_ADD, expr_load(t, i64, slot, zero, 0), expr_i64(t, 5)), 0);
    program_store(&p, p.body, to, zero, expr_load(t, i64, expr_slot(t, 2, to->type), zero, 0));
    p.context.slots = slots;
    for (int k = 1; k <= 3; k++) {
        program_run(&p, -1);
        CHECK_INT(out, 5 * k);
    }
    CHECK(slots[2] && !slots[0] && !slots[1]);
    sdfg_rt_free(&p.context, slots[2]);
    program_end(&p);
}

/* ---- structures, constants, copies of any size ---- */

struct record {
    int8_t small;
    double *data;
    float _Complex z;
    int16_t tail;
};

TEST(fields_of_structures)
{
    static double numbers[3] = { 1, 2, 3 };
    static struct record records[2];
    records[1] = (struct record){ 4, numbers, 1 + 2 * I, 9 };
    struct program p = program_begin();
    struct tree *t = p.t;
    const struct type *f64 = program_type(&p, TYPE_F64), *c64 = program_type(&p, TYPE_C64),
                      *i16 = program_type(&p, TYPE_I16);
    const struct type_field fields[] = { { "small", program_type(&p, TYPE_I8), 0, NULL },
                                         { "data", type_pointer(p.ir, f64), 0, NULL },
                                         { "z", c64, 0, NULL },
                                         { "tail", i16, 0, NULL } };
    const struct type *type = type_struct(p.ir, "record", fields, 4);
    struct tree_expr *array = program_array(&p, "records", type, records), *zero = expr_i64(t, 0);
    struct tree_expr *one = expr_offset(t, array, expr_i64(t, 1));
    struct tree_expr *data = expr_load(t, fields[1].type, expr_field(t, one, 1), zero, 0);
    struct tree_expr *z = expr_load(t, c64, expr_field(t, one, 2), zero, 0);
    stmt_store(t, p.body, data, expr_i64(t, 2), expr_cast(t, f64, expr_unary(t, EXPR_IMAG, z)), 0);
    stmt_store(t, p.body, expr_field(t, one, 3), zero, expr_cast(t, i16, expr_load(t, f64, data, expr_i64(t, 1), 0)),
               0);
    program_store(&p, p.body, array, zero, expr_load(t, type, array, expr_i64(t, 1), 1)); /* as a whole */
    program_run(&p, -1);
    CHECK(numbers[2] == 2 && records[1].tail == 2 && records[1].small == 4);
    CHECK(records[0].data == numbers && records[0].z == 1 + 2 * I && records[0].tail == 2);
    program_end(&p);
}

TEST(constant_bytes_and_blocks)
{
    static const int32_t table[] = { 3, 1, 4, 1, 5 };
    static int32_t out[8];
    int64_t count = 4;
    struct program p = program_begin();
    struct tree *t = p.t;
    const struct type *i32 = program_type(&p, TYPE_I32);
    struct tree_expr *to = program_array(&p, "out", i32, out), *n = program_value(&p, "n", TYPE_I64, &count);
    stmt_zero(t, p.body, i32, to, 1, expr_i64(t, 8));
    stmt_copy(t, p.body, i32, to, 1, expr_data(t, i32, table, sizeof table), 0, n);
    stmt_store(t, p.body, to, expr_i64(t, 7), expr_load(t, i32, expr_data(t, i32, table, sizeof table), n, 0), 1);
    for (int level = 0; level < 2; level++) {
        memset(out, 0xff, sizeof out);
        count = 4;
        program_run(&p, levels[level]);
        const int32_t expected[] = { 3, 1, 4, 1, 0, 0, 0, 5 };
        CHECK(memcmp(out, expected, sizeof out) == 0);
    }
    program_end(&p);
}

TEST(a_negative_count_copies_nothing)
{
    static int32_t from[4] = { 1, 2, 3, 4 }, out[4];
    int64_t count = -2;
    struct program p = program_begin();
    const struct type *i32 = program_type(&p, TYPE_I32);
    struct tree_expr *to = program_array(&p, "out", i32, out), *a = program_array(&p, "a", i32, from);
    struct tree_expr *n = program_value(&p, "n", TYPE_I64, &count);
    stmt_copy(p.t, p.body, i32, to, 1, a, 2, n);
    stmt_zero(p.t, p.body, i32, a, 2, n);
    program_run(&p, -1);
    CHECK_INT(out[0], 0);
    CHECK_INT(from[0], 1);
    program_end(&p);
}

/* ---- conflict resolution: every kind on every type, one thread and four ---- */

enum { ROUNDS = 40, CELL = 16 };

static double combined(enum wcr_kind wcr, double a, double b)
{
    switch (wcr) {
    case WCR_SUM:
        return a + b;
    case WCR_PRODUCT:
        return a * b;
    case WCR_MIN:
        return a < b ? a : b;
    case WCR_MAX:
        return a > b ? a : b;
    case WCR_LOGICAL_AND:
        return a != 0 && b != 0;
    case WCR_LOGICAL_OR:
        return a != 0 || b != 0;
    case WCR_LOGICAL_XOR:
        return (a != 0) != (b != 0);
    case WCR_BIT_AND:
        return (double)((int64_t)a & (int64_t)b);
    case WCR_BIT_OR:
        return (double)((int64_t)a | (int64_t)b);
    case WCR_BIT_XOR:
        return (double)((int64_t)a ^ (int64_t)b);
    default:
        return b;
    }
}

static const struct {
    enum wcr_kind wcr;
    double first, value;
} reductions[] = {
    { WCR_SUM, 3, 2 },         { WCR_PRODUCT, 5, 1 },    { WCR_PRODUCT, 5, 0 },    { WCR_MIN, 9, 4 },
    { WCR_MIN, 2, 4 },         { WCR_MAX, 9, 4 },        { WCR_MAX, 2, 4 },        { WCR_LOGICAL_AND, 7, 0 },
    { WCR_LOGICAL_AND, 7, 2 }, { WCR_LOGICAL_OR, 0, 0 }, { WCR_LOGICAL_OR, 0, 3 }, { WCR_LOGICAL_XOR, 1, 3 },
    { WCR_BIT_AND, 6, 3 },     { WCR_BIT_OR, 6, 1 },     { WCR_BIT_XOR, 6, 5 },    { WCR_EXCHANGE, 6, 5 },
};
enum { NUM_REDUCTIONS = sizeof reductions / sizeof *reductions };

static void write_number(enum type_kind kind, double v, void *at)
{
    switch (kind) {
    case TYPE_BOOL:
        *(bool *)at = v != 0;
        break;
    case TYPE_I8:
    case TYPE_U8:
        *(int8_t *)at = (int8_t)v;
        break;
    case TYPE_I16:
    case TYPE_U16:
        *(int16_t *)at = (int16_t)v;
        break;
    case TYPE_I32:
    case TYPE_U32:
        *(int32_t *)at = (int32_t)v;
        break;
    case TYPE_I64:
    case TYPE_U64:
        *(int64_t *)at = (int64_t)v;
        break;
    case TYPE_F32:
        *(float *)at = (float)v;
        break;
    case TYPE_F64:
        *(double *)at = v;
        break;
    case TYPE_C64:
        *(float _Complex *)at = (float)v;
        break;
    case TYPE_C128:
        *(double _Complex *)at = v;
        break;
    case TYPE_F8E4M3:
    case TYPE_F8E5M2:
        *(uint8_t *)at = (uint8_t)smallfloat_encode((enum smallfloat)(kind - TYPE_F16), v);
        break;
    default:
        *(uint16_t *)at = (uint16_t)smallfloat_encode((enum smallfloat)(kind - TYPE_F16), v);
        break;
    }
}

static bool applies(enum wcr_kind wcr, enum type_kind kind)
{
    if (kind >= TYPE_C64)
        return wcr <= WCR_PRODUCT || wcr == WCR_EXCHANGE;
    return kind <= TYPE_U64 || wcr < WCR_BIT_AND || wcr == WCR_EXCHANGE;
}

static struct tree_expr *constant(struct program *p, enum type_kind kind, double v)
{
    const struct type *f64 = program_type(p, TYPE_F64);
    return expr_cast(p->t, program_type(p, kind), expr_float(p->t, f64, v));
}

/* `threads` threads reduce ROUNDS times each; 0: no parallel region and no atomics. */
static void check_reduction(enum type_kind kind, int which, int threads)
{
    static char cell[CELL], expected[CELL];
    struct program p = program_begin();
    const struct type *type = program_type(&p, kind);
    struct tree_expr *to = program_array(&p, "out", type, cell), *i;
    p.threads = threads;
    struct tree_stmt *parallel = threads ? tree_parallel_begin(p.t, p.body, NULL) : NULL;
    struct tree_stmt *l = program_for(&p, parallel ? parallel->body : p.body, expr_i64(p.t, ROUNDS), &i);
    stmt_reduce(p.t, l->body, reductions[which].wcr, threads > 0, to, expr_i64(p.t, 0),
                constant(&p, kind, reductions[which].value), 1);
    if (parallel)
        tree_parallel_end(p.t, parallel);
    bool truth = kind == TYPE_BOOL, byte = type->size == 1 && kind < TYPE_F16;
    double v = reductions[which].first, value = truth ? reductions[which].value != 0 : reductions[which].value;
    for (int k = 0; k < ROUNDS * (threads ? threads : 1); k++) {
        v = combined(reductions[which].wcr, truth ? v != 0 : v, value);
        v = byte ? (int8_t)v : v;
    }
    memset(expected, 0, CELL);
    memset(cell, 0, CELL);
    write_number(kind, v, expected);
    write_number(kind, reductions[which].first, cell);
    program_run(&p, 0);
    if (memcmp(cell, expected, type->size) != 0) {
        printf("reduction %d of %s with %d threads\n", which, type->name, threads);
        CHECK(!"reduction");
    }
    program_end(&p);
}

TEST(reductions)
{
    for (enum type_kind kind = TYPE_BOOL; kind <= TYPE_C128; kind++)
        for (int which = 0; which < NUM_REDUCTIONS; which++) {
            bool narrow = kind >= TYPE_F8E4M3 && kind <= TYPE_F8E5M2; /* 83 is no value of theirs */
            if (!applies(reductions[which].wcr, kind) || (narrow && reductions[which].wcr == WCR_SUM))
                continue;
            check_reduction(kind, which, 0);
            if (kind != TYPE_BF16 || reductions[which].wcr != WCR_SUM)
                check_reduction(kind, which, 4);
        }
}

TEST(elements_of_vectors_are_combined_lane_by_lane)
{
    static float sums[4] = { 1, 2, 3, 4 };
    struct program p = program_begin();
    const struct type *four = type_vector(p.ir, program_type(&p, TYPE_F32), 4, NULL);
    struct tree_expr *to = program_array(&p, "sums", four, sums), *i;
    p.threads = 4;
    struct tree_stmt *parallel = tree_parallel_begin(p.t, p.body, NULL);
    struct tree_stmt *l = program_for(&p, parallel->body, expr_i64(p.t, 100), &i);
    struct tree_expr *one = expr_splat(p.t, four, expr_float(p.t, four->elem, 1));
    stmt_reduce(p.t, l->body, WCR_SUM, true, to, expr_i64(p.t, 0), one, 1);
    tree_parallel_end(p.t, parallel);
    program_run(&p, -1);
    for (int k = 0; k < 4; k++)
        CHECK(sums[k] == 401 + (float)k);
    program_end(&p);
}

static struct tree_expr *add(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    const struct type *f32 = type_basic(t->ir, TYPE_F32);
    if (a->type->kind != TYPE_F16)
        return expr_binary(t, EXPR_ADD, a, b);
    return expr_cast(t, a->type, expr_binary(t, EXPR_ADD, expr_cast(t, f32, a), expr_cast(t, f32, b)));
}

/* old + value * 2 in a body of its own: swapped in where the type allows, else in the critical section. */
static void check_update(enum type_kind kind, bool branch)
{
    static char cell[CELL], expected[CELL];
    struct program p = program_begin();
    struct tree *t = p.t;
    const struct type *type = program_type(&p, kind);
    struct tree_expr *to = program_array(&p, "out", type, cell), *i;
    p.threads = 4;
    struct tree_stmt *parallel = tree_parallel_begin(t, p.body, NULL);
    struct tree_stmt *l = program_for(&p, parallel->body, expr_i64(t, 100), &i);
    struct tree_stmt *u = stmt_new(t, l->body, STMT_UPDATE);
    struct tree_var *old = tree_var(t, "old", type), *twice = tree_var(t, "twice", type),
                    *extra = tree_var(t, "extra", type);
    u->var = old;
    u->pointer = to;
    u->index = expr_i64(t, 0);
    u->alias = 1;
    u->atomic = true;
    u->body = stmt_block(t);
    struct tree_expr *one = constant(&p, kind, 1);
    stmt_assign(t, u->body, twice, add(t, one, one));
    stmt_assign(t, u->body, extra, constant(&p, kind, 0));
    if (branch) { /* a second assignment: not to be repeated */
        struct tree_stmt *c = stmt_if(t, u->body, expr_binary(t, EXPR_EQ, i, expr_i64(t, 7)));
        stmt_assign(t, c->body, extra, one);
    }
    u->value = add(t, expr_var(t, old), add(t, expr_var(t, twice), expr_var(t, extra)));
    tree_parallel_end(t, parallel);
    for (int level = 0; level < 2; level++) {
        memset(cell, 0, CELL);
        memset(expected, 0, CELL);
        write_number(kind, 800 + (branch ? 4 : 0), expected);
        program_run(&p, levels[level]);
        CHECK(memcmp(cell, expected, type->size) == 0);
    }
    program_end(&p);
}

TEST(custom_updates_are_one_step)
{
    const enum type_kind kinds[] = { TYPE_I16, TYPE_I32, TYPE_U64, TYPE_F32, TYPE_F64, TYPE_F16, TYPE_C64, TYPE_C128 };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        check_update(kinds[k], false);
        check_update(kinds[k], true);
    }
}

/* ---- what the optimizer learns ---- */

static bool contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* b[index[i]] = a[i] + 1, or without index; `independent` as given. */
static const char *loop_text(struct program *p, bool indirect, bool independent)
{
    static double a[8], b[8];
    static int64_t index[8];
    int64_t count = 8;
    *p = program_begin();
    const struct type *f64 = program_type(p, TYPE_F64);
    struct tree_expr *from = program_array(p, "a", f64, a), *to = program_array(p, "b", f64, b), *i;
    struct tree_expr *at = program_array(p, "index", program_type(p, TYPE_I64), index);
    struct tree_stmt *l = program_for(p, p->body, program_value(p, "n", TYPE_I64, &count), &i);
    l->loop.independent = independent;
    struct tree_expr *value = expr_binary(p->t, EXPR_ADD, program_load(p, from, i), expr_float(p->t, f64, 1));
    struct tree_expr *place = indirect ? program_load(p, at, i) : i;
    program_store(p, l->body, to, place, expr_binary(p->t, EXPR_ADD, value, program_load(p, to, place)));
    return program_text(p, JIT_TEXT_LL_OPT, -1);
}

TEST(loops_are_vectorized_without_checks)
{
    struct program p;
    const char *text = loop_text(&p, false, false);
    CHECK(contains(text, "x double>"));
    CHECK(!contains(text, "vector.memcheck"));
    program_end(&p);
    text = loop_text(&p, true, false);
    CHECK(!contains(text, "x double>"));
    program_end(&p);
    text = loop_text(&p, true, true);
    CHECK(contains(text, "masked.gather") || contains(text, "x double>"));
    program_end(&p);
}

/* for i = n to n + (60 - n & -8): b[i] = a[i] + 1, in vectors of eight lanes. */
TEST(whole_vectors_leave_nothing_behind)
{
    static double a[64], b[64];
    int64_t first = 3;
    for (int i = 0; i < 64; i++)
        a[i] = i;
    struct program p = program_begin();
    set_machine(p.t, 64, false, 0);
    const struct type *f64 = program_type(&p, TYPE_F64);
    struct tree_expr *from = program_array(&p, "a", f64, a), *to = program_array(&p, "b", f64, b);
    struct tree_expr *n = program_value(&p, "n", TYPE_I64, &first);
    struct tree_expr *rest = expr_binary(p.t, EXPR_SUB, expr_i64(p.t, 60), n);
    struct tree_expr *count = expr_binary(p.t, EXPR_AND, rest, expr_i64(p.t, -8));
    struct tree_var *i = tree_var(p.t, "i", program_type(&p, TYPE_I64));
    struct tree_stmt *l = stmt_for(p.t, p.body, i, n, expr_binary(p.t, EXPR_ADD, n, count), expr_i64(p.t, 1));
    l->loop.independent = true;
    l->loop.wide = 8;
    l->loop.vectors = TREE_VECTORS_WHOLE;
    struct tree_expr *value = program_load(&p, from, expr_var(p.t, i));
    program_store(&p, l->body, to, expr_var(p.t, i), expr_binary(p.t, EXPR_ADD, value, expr_float(p.t, f64, 1)));
    program_run(&p, -1);
    for (int k = 0; k < 64; k++)
        CHECK(b[k] == (k >= 3 && k < 59 ? k + 1 : 0));
#ifdef __x86_64__
    const char *text = program_text(&p, JIT_TEXT_LL_OPT, -1);
    CHECK(contains(text, "x double>") && !contains(text, "load double"));
#endif
    first = 61; /* none at all */
    memset(b, 0, sizeof b);
    program_run(&p, -1);
    CHECK(b[61] == 0 && b[53] == 0);
    program_end(&p);
}

TEST(loops_may_ask_to_be_unrolled)
{
    static int64_t out[4];
    struct program p = program_begin();
    struct tree_expr *to = program_array(&p, "out", program_type(&p, TYPE_I64), out), *i;
    struct tree_stmt *l = program_for(&p, p.body, expr_i64(p.t, 4), &i);
    program_store(&p, l->body, to, i, i);
    CHECK(!contains(program_text(&p, JIT_TEXT_LL, 0), "llvm.loop.unroll"));
    l->loop.unroll = true;
    CHECK(contains(program_text(&p, JIT_TEXT_LL, 0), "llvm.loop.unroll.enable"));
    program_run(&p, -1);
    CHECK_INT(out[3], 3);
    program_end(&p);
}

/* for k = 0 to 10: for i = 0 to n: out[i] += in[k * n + i]; gives the text. */
static const char *few_sums(struct program *p, int64_t n)
{
    static double out[16], in[160];
    for (int x = 0; x < 160; x++)
        in[x] = x;
    memset(out, 0, sizeof out);
    *p = program_begin();
    const struct type *f64 = program_type(p, TYPE_F64);
    struct tree_expr *to = program_array(p, "out", f64, out), *from = program_array(p, "in", f64, in), *k, *i;
    struct tree_stmt *outer = program_for(p, p->body, expr_i64(p->t, 10), &k);
    struct tree_stmt *inner = program_for(p, outer->body, expr_i64(p->t, n), &i);
    struct tree_expr *at = expr_binary(p->t, EXPR_ADD, expr_binary(p->t, EXPR_MUL, k, expr_i64(p->t, n)), i);
    stmt_reduce(p->t, inner->body, WCR_SUM, false, to, i, program_load(p, from, at), 1);
    inner->loop.independent = true;
    program_run(p, -1);
    for (int64_t x = 0; x < n; x++)
        CHECK(out[x] == (double)(45 * n + 10 * x));
    return program_text(p, JIT_TEXT_LL, 0);
}

TEST(few_sums_stay_in_registers)
{
    struct program p;
    static const int64_t masked[] = { 6, 7, 9, 15 }, others[] = { 5, 8, 12, 16 };
    for (int i = 0; i < 4; i++) {
        CHECK(contains(few_sums(&p, masked[i]), "llvm.loop.unroll.full"));
        program_end(&p);
        CHECK(!contains(few_sums(&p, others[i]), "llvm.loop.unroll.full"));
        program_end(&p);
    }
}

static const char *sum_text(struct program *p, bool accumulator, enum llvm_fp fp, enum expr_op op)
{
    static double a[8], out;
    int64_t count = 8;
    *p = program_begin();
    p->options.fp = fp;
    const struct type *f64 = program_type(p, TYPE_F64);
    struct tree_expr *from = program_array(p, "a", f64, a), *to = program_array(p, "out", f64, &out), *i;
    struct tree_var *sum = tree_var(p->t, "sum", f64);
    stmt_assign(p->t, p->body, sum, program_load(p, to, expr_i64(p->t, 0)));
    struct tree_stmt *l = program_for(p, p->body, program_value(p, "n", TYPE_I64, &count), &i);
    stmt_assign(p->t, l->body, sum, expr_binary(p->t, op, expr_var(p->t, sum), program_load(p, from, i)))->reassociate =
        accumulator;
    program_store(p, p->body, to, expr_i64(p->t, 0), expr_var(p->t, sum));
    return program_text(p, JIT_TEXT_LL_OPT, -1);
}

TEST(only_accumulators_are_reassociated)
{
    struct program p;
    CHECK(contains(sum_text(&p, true, LLVM_FP_DEFAULT, EXPR_ADD), "llvm.vector.reduce.fadd"));
    program_end(&p);
    CHECK(contains(sum_text(&p, true, LLVM_FP_DEFAULT, EXPR_MIN), "llvm.vector.reduce.f"));
    program_end(&p);
    CHECK(contains(sum_text(&p, true, LLVM_FP_DEFAULT, EXPR_MAX), "llvm.vector.reduce.f"));
    program_end(&p);
    CHECK(!contains(sum_text(&p, false, LLVM_FP_DEFAULT, EXPR_ADD), "x double>"));
    program_end(&p);
    CHECK(!contains(sum_text(&p, true, LLVM_FP_STRICT, EXPR_ADD), "x double>"));
    program_end(&p);
    CHECK(contains(sum_text(&p, false, LLVM_FP_FAST, EXPR_ADD), "llvm.vector.reduce.fadd"));
    program_end(&p);
}

/* ... wherever they were computed, but for those that went through memory, or are points of a grid. */
TEST(products_fuse_with_the_sums_they_go_into)
{
    enum { EXPRESSION, VARIABLE, NEGATED, MEMORY, COUNT };
    for (int way = EXPRESSION; way <= COUNT; way++)
        for (int reduce = 0; reduce < 2; reduce++) {
            static double a = 1, b = 2, out;
            static int64_t count = 3;
            struct program p = program_begin();
            const struct type *f64 = program_type(&p, TYPE_F64);
            struct tree_expr *x = program_value(&p, "a", TYPE_F64, &a), *y = program_value(&p, "b", TYPE_F64, &b);
            struct tree_expr *i = expr_cast(p.t, f64, program_value(&p, "i", TYPE_I64, &count));
            struct tree_expr *to = program_array(&p, "out", f64, &out);
            struct tree_expr *product = expr_binary(p.t, EXPR_MUL, way == COUNT ? i : x, y);
            if (way == VARIABLE || way == NEGATED) {
                struct tree_var *v = tree_var(p.t, "v", f64);
                stmt_assign(p.t, p.body, v, way == NEGATED ? expr_unary(p.t, EXPR_NEG, product) : product);
                product = expr_var(p.t, v);
            }
            if (way == MEMORY) {
                program_store(&p, p.body, to, expr_i64(p.t, 0), product);
                product = program_load(&p, to, expr_i64(p.t, 0));
            }
            if (reduce)
                stmt_reduce(p.t, p.body, WCR_SUM, false, to, expr_i64(p.t, 0), product, 1);
            else
                program_store(&p, p.body, to, expr_i64(p.t, 0), expr_binary(p.t, EXPR_ADD, x, product));
            const char *text = program_text(&p, JIT_TEXT_LL, 0);
            CHECK(contains(text, "fmul contract"));
            CHECK_INT(contains(text, "fadd contract") || contains(text, "fadd reassoc contract"),
                      (way != MEMORY && way != COUNT) || reduce);
            p.options.fp = LLVM_FP_STRICT;
            CHECK(!contains(program_text(&p, JIT_TEXT_LL, 0), "contract"));
            program_end(&p);
        }
}

/* for i: m[0] = a[i]; b[i] = m[0]: m is the same memory in each round, so its accesses are no part of the promise. */
TEST(stack_memory_made_in_an_independent_loop_is_shared_by_its_rounds)
{
    static int64_t a[4] = { 5, 6, 7, 8 }, b[4];
    struct program p = program_begin();
    struct tree *t = p.t;
    const struct type *i64 = program_type(&p, TYPE_I64);
    struct tree_expr *from = program_array(&p, "a", i64, a), *to = program_array(&p, "b", i64, b), *i, *j;
    struct tree_stmt *l = program_for(&p, p.body, expr_i64(t, 4), &i);
    l->loop.independent = true;
    struct tree_var *m = tree_var(t, "m", to->type), *q = tree_var(t, "q", to->type);
    stmt_alloc(t, l->body, m, i64, expr_i64(t, 8), TREE_STACK);
    stmt_assign(t, l->body, q, expr_offset(t, expr_var(t, m), expr_i64(t, 1)));
    struct tree_stmt *inner = program_for(&p, l->body, expr_i64(t, 2), &j);
    inner->loop.independent = true;
    stmt_store(t, inner->body, expr_var(t, q), j, expr_binary(t, EXPR_ADD, program_load(&p, from, i), j), 0);
    program_store(&p, l->body, to, i, expr_load(t, i64, expr_var(t, m), expr_i64(t, 2), 0));
    const char *text = program_text(&p, JIT_TEXT_LL, 0);
    const char *store = strstr(text, "store i64");
    CHECK(contains(text, "!llvm.access.group"));
    for (int k = 0; store && k < 2; k++, store = strstr(store + 1, "store i64")) {
        const char *group = strstr(store, "!llvm.access.group"), *end = strchr(store, '\n');
        CHECK(group && group < end); /* m: the inner loop's; b: the outer loop's */
    }
    program_run(&p, -1);
    for (int k = 0; k < 4; k++)
        CHECK_INT(b[k], a[k] + 1);
    program_end(&p);
}

static void *vector_math(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

static void *symbol(const char *name)
{
    void *found = sdfg_rt_symbol(name);
    return found ? found : vector_math(name);
}

TEST(vector_forms_of_functions)
{
    enum { N = 103 };
    static double a[N], b[N];
    static float x[N], y[N];
    int64_t count = N;
    if (!vector_math("_ZGVbN2v_exp")) {
        printf("vector_forms_of_functions is skipped: no libmvec here\n");
        return;
    }
    struct program p = program_begin();
    p.symbol = symbol;
    p.options.vector_symbol = vector_math;
    struct tree *t = p.t;
    struct tree_expr *from = program_array(&p, "a", program_type(&p, TYPE_F64), a),
                     *to = program_array(&p, "b", from->type->elem, b);
    struct tree_expr *from2 = program_array(&p, "x", program_type(&p, TYPE_F32), x),
                     *to2 = program_array(&p, "y", from2->type->elem, y);
    struct tree_expr *n = program_value(&p, "n", TYPE_I64, &count), *i;
    struct tree_stmt *l = program_for(&p, p.body, n, &i);
    struct tree_expr *args[2] = { program_load(&p, from, i), expr_float(t, from->type->elem, 1.5) };
    program_store(&p, l->body, to, i, expr_math(t, TREE_MATH_pow, args));
    l = program_for(&p, p.body, n, &i);
    args[0] = program_load(&p, from2, i);
    program_store(&p, l->body, to2, i, expr_math(t, TREE_MATH_exp, args));
    const char *text = program_text(&p, JIT_TEXT_LL_OPT, -1);
    CHECK(contains(text, "vv_pow(<") && contains(text, "v_expf(<"));
    for (int k = 0; k < N; k++)
        x[k] = (float)(a[k] = 0.1 * k);
    program_run(&p, -1);
    for (int k = 0; k < N; k++) {
        CHECK(fabs(b[k] - pow(a[k], 1.5)) <= 1e-15 * fabs(b[k]));
        CHECK(fabsf(y[k] - expf(x[k])) <= 5e-7f * fabsf(y[k]));
    }
    program_end(&p);
}

/* ---- what cannot be done is said ---- */

TEST(types_without_values_are_refused)
{
    struct program p = program_begin();
    static char memory[64];
    const struct type *unknown = type_vector(p.ir, program_type(&p, TYPE_F32), 0, "n");
    struct tree_expr *a = program_array(&p, "a", unknown, memory);
    program_store(&p, p.body, a, expr_i64(p.t, 0), program_load(&p, a, expr_i64(p.t, 1)));
    CHECK(!program_emit(&p, 0));
    CHECK_INT(diags_count(p.ir->diags), 1);
    CHECK_INT(diags_get(p.ir->diags, 0)->code, DIAG_LLVM_TYPE);
    jit_free(p.jit);
    program_end(&p);
}

/* ---- debug info ---- */

TEST(instructions_stand_at_source_lines)
{
    static int64_t out;
    static const struct place place = {
        .noun = "tasklet", .label = "t", .id = PLACE_NO_ID, .line = 42, .column = 7, .file = "user.py"
    };
    struct program p = program_begin();
    p.options.debug_info = true;
    struct tree_expr *to = program_array(&p, "out", program_type(&p, TYPE_I64), &out);
    program_store(&p, p.body, to, expr_i64(p.t, 0), expr_i64(p.t, 5))->place = &place;
    const char *text = program_text(&p, JIT_TEXT_LL, 0);
    CHECK(contains(text, "!DILocation(line: 42, column: 7"));
    CHECK(contains(text, "filename: \"user.py\""));
    program_run(&p, -1);
    CHECK_INT(out, 5);
    program_end(&p);
}

CHECK_MAIN
