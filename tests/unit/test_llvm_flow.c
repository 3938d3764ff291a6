/* Statements: loops, jumps, parallel regions, calls, units. */
#include "ir/type.h"
#include "jit/jit.h"
#include "lower/llvm/llvm.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const int levels[] = { 0, -1, 2 };
enum { NUM_LEVELS = 3 };

/* A program with one int64 array "out" that starts as zeros and one input n. */
struct flow {
    struct program p;
    struct tree *t;
    struct tree_stmt *body;
    struct tree_expr *out, *n;
    int64_t memory[64], count;
};

static struct flow *flow_begin(void)
{
    static struct flow f;
    memset(&f, 0, sizeof f);
    f.p = program_begin();
    f.t = f.p.t;
    f.body = f.p.body;
    f.out = program_array(&f.p, "out", program_type(&f.p, TYPE_I64), f.memory);
    f.n = program_value(&f.p, "n", TYPE_I64, &f.count);
    return &f;
}

static struct tree_expr *op(struct flow *f, enum expr_op o, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(f->t, o, a, b);
}

static struct tree_expr *num(struct flow *f, int64_t v) { return expr_i64(f->t, v); }

static struct tree_var *variable(struct flow *f, const char *name)
{
    return tree_var(f->t, name, program_type(&f->p, TYPE_I64));
}

static struct tree_expr *var(struct flow *f, struct tree_var *v) { return expr_var(f->t, v); }

static void add_to(struct flow *f, struct tree_stmt *b, struct tree_var *v, struct tree_expr *e)
{
    stmt_assign(f->t, b, v, op(f, EXPR_ADD, var(f, v), e));
}

static void put(struct flow *f, struct tree_stmt *b, int64_t at, struct tree_expr *e)
{
    program_store(&f->p, b, f->out, num(f, at), e);
}

/* Runs with n = count at each level and gives out[0], which must be the same each time. */
static int64_t flow_run(struct flow *f, int64_t count)
{
    int64_t result = 0;
    f->count = count;
    for (int level = 0; level < NUM_LEVELS; level++) {
        memset(f->memory, 0, sizeof f->memory);
        program_run(&f->p, levels[level]);
        if (level)
            CHECK_INT(f->memory[0], result);
        result = f->memory[0];
    }
    return result;
}

static void flow_end(struct flow *f) { program_end(&f->p); }

/* ---- loops ---- */

TEST(for_counts_with_any_bounds_and_step)
{
    struct flow *f = flow_begin();
    struct tree_var *i = variable(f, "i"), *sum = variable(f, "sum"), *rounds = variable(f, "rounds");
    stmt_assign(f->t, f->body, sum, num(f, 0));
    stmt_assign(f->t, f->body, rounds, num(f, 0));
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, -3), f->n, num(f, 4));
    add_to(f, l->body, sum, var(f, i));
    add_to(f, l->body, rounds, num(f, 1));
    put(f, f->body, 0, op(f, EXPR_ADD, op(f, EXPR_MUL, var(f, rounds), num(f, 1000)), var(f, sum)));
    CHECK_INT(flow_run(f, 10), 4000 + (-3 + 1 + 5 + 9));
    CHECK_INT(flow_run(f, 9), 3000 + (-3 + 1 + 5));
    CHECK_INT(flow_run(f, -3), 0);
    CHECK_INT(flow_run(f, -100), 0);
    flow_end(f);
}

TEST(multiples_of_the_counter_are_counted_along)
{
    struct flow *f = flow_begin();
    struct tree_var *i = variable(f, "i"), *sum = variable(f, "sum");
    stmt_assign(f->t, f->body, sum, num(f, 0));
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, -3), f->n, num(f, 4));
    struct tree_stmt *odd = stmt_if(f->t, l->body, op(f, EXPR_EQ, var(f, i), num(f, 1)));
    stmt_new(f->t, odd->body, STMT_CONTINUE);
    add_to(f, l->body, sum, op(f, EXPR_MUL, var(f, i), num(f, 350)));
    add_to(f, l->body, sum, op(f, EXPR_MUL, var(f, i), num(f, 350)));
    add_to(f, l->body, sum, op(f, EXPR_MUL, var(f, i), num(f, 7)));
    put(f, f->body, 0, var(f, sum));
    CHECK_INT(flow_run(f, 10), (2 * 350 + 7) * (-3 + 5 + 9));
    CHECK_INT(flow_run(f, -3), 0);
    const char *text = program_text(&f->p, JIT_TEXT_LL, -1);
    CHECK(strstr(text, ", 700") == NULL && strstr(text, "add i64 %") != NULL);
    CHECK(strstr(text, "mul i64") == NULL); /* begins are constants: nothing is left to multiply */
    CHECK(strstr(text, ", 1400") != NULL && strstr(text, ", 28") != NULL);
    flow_end(f);
}

TEST(narrow_and_unsigned_counters)
{
    struct flow *f = flow_begin();
    struct tree_var *sum = variable(f, "sum");
    const enum type_kind kinds[] = { TYPE_I32, TYPE_U8, TYPE_U64 };
    stmt_assign(f->t, f->body, sum, num(f, 0));
    for (int k = 0; k < 3; k++) {
        const struct type *type = program_type(&f->p, kinds[k]);
        struct tree_var *i = tree_var(f->t, "i", type);
        struct tree_stmt *l =
            stmt_for(f->t, f->body, i, expr_int(f->t, type, 1), expr_cast(f->t, type, f->n), expr_int(f->t, type, 1));
        add_to(f, l->body, sum, expr_cast(f->t, program_type(&f->p, TYPE_I64), var(f, i)));
    }
    put(f, f->body, 0, var(f, sum));
    CHECK_INT(flow_run(f, 200), 3 * 199 * 200 / 2);
    flow_end(f);
}

TEST(the_bounds_are_evaluated_once)
{
    struct flow *f = flow_begin();
    struct tree_var *i = variable(f, "i"), *end = variable(f, "end");
    stmt_assign(f->t, f->body, end, f->n);
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, 0), var(f, end), num(f, 1));
    add_to(f, l->body, end, num(f, -1));
    put(f, f->body, 0, var(f, end));
    CHECK_INT(flow_run(f, 10), 0);
    flow_end(f);
}

TEST(a_counter_may_be_used_behind_its_loop)
{
    struct flow *f = flow_begin();
    struct tree_var *i = variable(f, "i");
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, 0), f->n, num(f, 1));
    struct tree_stmt *c = stmt_if(f->t, l->body, op(f, EXPR_EQ, var(f, i), num(f, 5)));
    stmt_new(f->t, c->body, STMT_BREAK);
    put(f, f->body, 0, var(f, i));
    CHECK_INT(flow_run(f, 20), 5);
    CHECK_INT(flow_run(f, 3), 3);
    flow_end(f);
}

TEST(while_and_do)
{
    struct flow *f = flow_begin();
    struct tree_var *x = variable(f, "x"), *steps = variable(f, "steps"), *again = variable(f, "again");
    stmt_assign(f->t, f->body, x, f->n);
    stmt_assign(f->t, f->body, steps, num(f, 0));
    struct tree_stmt *w = stmt_while(f->t, f->body, op(f, EXPR_NE, var(f, x), num(f, 1)));
    struct tree_stmt *c = stmt_if(f->t, w->body, op(f, EXPR_EQ, op(f, EXPR_REM, var(f, x), num(f, 2)), num(f, 0)));
    add_to(f, w->body, steps, num(f, 1));
    stmt_assign(f->t, c->body, x, op(f, EXPR_DIV, var(f, x), num(f, 2)));
    stmt_assign(f->t, c->otherwise, x, op(f, EXPR_ADD, op(f, EXPR_MUL, var(f, x), num(f, 3)), num(f, 1)));
    struct tree_stmt *d = stmt_new(f->t, f->body, STMT_DO);
    d->body = stmt_block(f->t);
    add_to(f, d->body, steps, num(f, 1000));
    stmt_assign(f->t, d->body, again, op(f, EXPR_SUB, num(f, 3000), var(f, steps)));
    d->value = op(f, EXPR_GT, var(f, again), num(f, 0));
    put(f, f->body, 0, op(f, EXPR_ADD, var(f, steps), var(f, again)));
    put(f, f->body, 1, var(f, steps));
    CHECK_INT(flow_run(f, 6), 3000); /* Collatz: 6 3 10 5 16 8 4 2 1 */
    CHECK_INT(f->memory[1], 8 + 3000);
    CHECK_INT(flow_run(f, 1), 3000);
    CHECK_INT(f->memory[1], 3000);
    flow_end(f);
}

TEST(break_and_continue_mean_the_innermost_loop)
{
    struct flow *f = flow_begin();
    struct tree_var *i = variable(f, "i"), *j = variable(f, "j"), *sum = variable(f, "sum");
    stmt_assign(f->t, f->body, sum, num(f, 0));
    struct tree_stmt *outer = stmt_for(f->t, f->body, i, num(f, 0), f->n, num(f, 1));
    struct tree_stmt *odd =
        stmt_if(f->t, outer->body, op(f, EXPR_EQ, op(f, EXPR_AND, var(f, i), num(f, 1)), num(f, 1)));
    stmt_new(f->t, odd->body, STMT_CONTINUE);
    put(f, odd->body, 1, num(f, 99)); /* not reached */
    struct tree_stmt *inner = stmt_for(f->t, outer->body, j, num(f, 0), num(f, 100), num(f, 1));
    struct tree_stmt *enough = stmt_if(f->t, inner->body, op(f, EXPR_GT, var(f, j), var(f, i)));
    stmt_new(f->t, enough->body, STMT_BREAK);
    add_to(f, inner->body, sum, num(f, 1));
    put(f, f->body, 0, var(f, sum));
    CHECK_INT(flow_run(f, 5), 1 + 3 + 5);
    CHECK_INT(f->memory[1], 0);
    flow_end(f);
}

/* ---- labels ---- */

TEST(gotos_forward_and_backward)
{
    struct flow *f = flow_begin();
    struct tree_label *again = tree_label(f->t, "again"), *done = tree_label(f->t, "done");
    struct tree_var *i = variable(f, "i"), *sum = variable(f, "sum"), *square = variable(f, "square");
    stmt_assign(f->t, f->body, i, num(f, 0));
    stmt_assign(f->t, f->body, sum, num(f, 0));
    stmt_label(f->t, f->body, again);
    struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_GE, var(f, i), f->n));
    stmt_goto(f->t, c->body, done);
    stmt_assign(f->t, f->body, square, op(f, EXPR_MUL, var(f, i), var(f, i)));
    add_to(f, f->body, sum, var(f, square));
    add_to(f, f->body, i, num(f, 1));
    stmt_goto(f->t, f->body, again);
    put(f, f->body, 1, num(f, 99)); /* not reached */
    stmt_label(f->t, f->body, done);
    put(f, f->body, 0, var(f, sum));
    CHECK_INT(flow_run(f, 5), 0 + 1 + 4 + 9 + 16);
    CHECK_INT(flow_run(f, 0), 0);
    CHECK_INT(f->memory[1], 0);
    flow_end(f);
}

TEST(a_label_may_separate_an_assignment_from_its_use)
{
    struct flow *f = flow_begin();
    struct tree_label *l = tree_label(f->t, "l"), *end = tree_label(f->t, "end");
    struct tree_var *x = variable(f, "x"), *round = variable(f, "round");
    stmt_assign(f->t, f->body, round, num(f, 0));
    stmt_assign(f->t, f->body, x, op(f, EXPR_ADD, f->n, num(f, 1)));
    stmt_label(f->t, f->body, l);
    program_store(&f->p, f->body, f->out, var(f, round), var(f, x));
    struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_EQ, var(f, round), num(f, 2)));
    stmt_goto(f->t, c->body, end);
    add_to(f, f->body, round, num(f, 1));
    stmt_goto(f->t, f->body, l);
    stmt_label(f->t, f->body, end);
    CHECK_INT(flow_run(f, 7), 8);
    CHECK_INT(f->memory[2], 8);
    flow_end(f);
}

TEST(labels_inside_of_loops_and_jumps_out_of_them)
{
    struct flow *f = flow_begin();
    struct tree_label *skip = tree_label(f->t, "skip"), *out = tree_label(f->t, "out");
    struct tree_var *i = variable(f, "i"), *j = variable(f, "j"), *sum = variable(f, "sum");
    stmt_assign(f->t, f->body, sum, num(f, 0));
    struct tree_stmt *outer = stmt_for(f->t, f->body, i, num(f, 0), f->n, num(f, 1));
    struct tree_stmt *inner = stmt_for(f->t, outer->body, j, num(f, 0), f->n, num(f, 1));
    struct tree_stmt *c = stmt_if(f->t, inner->body, op(f, EXPR_EQ, op(f, EXPR_MUL, var(f, i), var(f, j)), num(f, 12)));
    stmt_goto(f->t, c->body, out);
    c = stmt_if(f->t, inner->body, op(f, EXPR_LT, var(f, j), var(f, i)));
    stmt_goto(f->t, c->body, skip);
    add_to(f, inner->body, sum, num(f, 100));
    stmt_label(f->t, inner->body, skip);
    add_to(f, inner->body, sum, num(f, 1));
    stmt_label(f->t, f->body, out);
    put(f, f->body, 0, var(f, sum));
    int64_t expected = 0;
    for (int64_t a = 0, end = 0; a < 5 && !end; a++)
        for (int64_t b = 0; b < 5 && !(end = a * b == 12); b++)
            expected += b < a ? 1 : 101;
    CHECK_INT(flow_run(f, 5), expected);
    flow_end(f);
}

TEST(a_jump_into_a_loop)
{
    struct flow *f = flow_begin();
    struct tree_label *middle = tree_label(f->t, "middle");
    struct tree_var *i = variable(f, "i"), *sum = variable(f, "sum"), *first = variable(f, "first");
    stmt_assign(f->t, f->body, sum, num(f, 0));
    stmt_assign(f->t, f->body, first, num(f, 0));
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, 0), f->n, num(f, 1));
    add_to(f, l->body, sum, num(f, 10));
    stmt_label(f->t, l->body, middle);
    add_to(f, l->body, sum, num(f, 1));
    struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_EQ, var(f, first), num(f, 0)));
    stmt_assign(f->t, c->body, first, num(f, 1));
    stmt_assign(f->t, c->body, i, op(f, EXPR_SUB, f->n, num(f, 2)));
    stmt_goto(f->t, c->body, middle);
    put(f, f->body, 0, var(f, sum));
    CHECK_INT(flow_run(f, 3), 33 + 1 + 11);
    flow_end(f);
}

TEST(a_program_that_is_a_state_machine)
{
    struct flow *f = flow_begin();
    enum { STATES = 40 };
    struct tree_label *labels[STATES + 1];
    struct tree_var *sum = variable(f, "sum"), *round = variable(f, "round");
    for (int s = 0; s <= STATES; s++)
        labels[s] = tree_label(f->t, "state");
    stmt_assign(f->t, f->body, sum, num(f, 0));
    stmt_assign(f->t, f->body, round, num(f, 0));
    for (int s = 0; s < STATES; s++) {
        struct tree_var *i = variable(f, "i"), *local = variable(f, "local");
        stmt_label(f->t, f->body, labels[s]);
        stmt_assign(f->t, f->body, local, op(f, EXPR_MUL, var(f, round), num(f, s)));
        struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, 0), num(f, 3), num(f, 1));
        add_to(f, l->body, sum, var(f, local));
        struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_GE, var(f, round), f->n));
        stmt_goto(f->t, c->body, labels[STATES]);
        if (s == STATES - 1) {
            add_to(f, f->body, round, num(f, 1));
            stmt_goto(f->t, f->body, labels[0]);
        }
    }
    stmt_label(f->t, f->body, labels[STATES]);
    put(f, f->body, 0, var(f, sum));
    CHECK_INT(flow_run(f, 3), 3 * (0 + 1 + 2) * (STATES * (STATES - 1) / 2));
    flow_end(f);
}

TEST(return_leaves_the_function)
{
    struct flow *f = flow_begin();
    struct tree_var *i = variable(f, "i");
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, 0), f->n, num(f, 1));
    put(f, l->body, 0, var(f, i));
    struct tree_stmt *c = stmt_if(f->t, l->body, op(f, EXPR_EQ, var(f, i), num(f, 4)));
    stmt_new(f->t, c->body, STMT_RETURN);
    put(f, f->body, 0, num(f, -1));
    CHECK_INT(flow_run(f, 10), 4);
    CHECK_INT(flow_run(f, 3), -1);
    flow_end(f);
}

/* ---- expressions that must not be evaluated, or once ---- */

TEST(only_the_chosen_side_is_evaluated)
{
    struct flow *f = flow_begin();
    const struct type *pointer = type_pointer(f->p.ir, program_type(&f->p, TYPE_I64)),
                      *c128 = program_type(&f->p, TYPE_C128);
    struct tree_var *p = tree_var(f->t, "p", pointer), *z = tree_var(f->t, "z", type_pointer(f->p.ir, c128));
    struct tree_expr *positive = op(f, EXPR_GT, f->n, num(f, 0));
    stmt_assign(f->t, f->body, p, expr_select(f->t, positive, f->out, expr_null(f->t, pointer)));
    stmt_assign(f->t, f->body, z, expr_cast(f->t, z->type, var(f, p)));
    struct tree_expr *value = expr_load(f->t, pointer->elem, var(f, p), num(f, 1), 0);
    struct tree_expr *is_set = op(f, EXPR_LOGICAL_AND, positive, op(f, EXPR_EQ, value, num(f, 0)));
    struct tree_expr *is_not =
        op(f, EXPR_LOGICAL_OR, op(f, EXPR_LE, f->n, num(f, 0)), op(f, EXPR_NE, value, num(f, 0)));
    struct tree_expr *pair = expr_load(f->t, c128, var(f, z), num(f, 1), 0);
    struct tree_expr *imaginary = expr_unary(f->t, EXPR_IMAG, expr_select(f->t, positive, pair, expr_zero(f->t, c128)));
    struct tree_var *sum = variable(f, "sum");
    stmt_assign(f->t, f->body, sum, expr_cast(f->t, pointer->elem, is_set));
    add_to(f, f->body, sum, op(f, EXPR_MUL, num(f, 10), expr_cast(f->t, pointer->elem, is_not)));
    add_to(f, f->body, sum,
           op(f, EXPR_MUL, num(f, 100), expr_select(f->t, positive, op(f, EXPR_ADD, value, num(f, 2)), num(f, 3))));
    add_to(f, f->body, sum, expr_cast(f->t, pointer->elem, imaginary));
    put(f, f->body, 0, var(f, sum));
    CHECK_INT(flow_run(f, 1), 201);
    CHECK_INT(flow_run(f, 0), 310);
    flow_end(f);
}

static int64_t calls;

static int64_t count_calls(int64_t x)
{
    calls++;
    return x + 1;
}

static void *test_symbol(const char *name);

static bool run_with(struct program *p, int level);

TEST(a_shared_node_is_evaluated_once)
{
    struct flow *f = flow_begin();
    struct tree_expr *e = expr_call(f->t, program_type(&f->p, TYPE_I64), "count_calls", &f->n, 1);
    for (int i = 0; i < 10; i++) /* a thousand calls as a tree */
        e = op(f, EXPR_ADD, e, e);
    put(f, f->body, 0, e);
    calls = 0;
    f->count = 2;
    run_with(&f->p, 0);
    CHECK_INT(calls, 1);
    CHECK_INT(f->memory[0], 3 << 10);
    flow_end(f);
}

TEST(a_node_shared_with_a_branch_is_known_there_and_not_behind_it)
{
    struct flow *f = flow_begin();
    struct tree_expr *heavy = expr_load(f->t, f->n->type, f->out, num(f, 3), 1);
    struct tree_expr *positive = op(f, EXPR_GT, f->n, num(f, 0));
    struct tree_expr *chosen = expr_select(f->t, positive, op(f, EXPR_ADD, heavy, num(f, 5)), num(f, 0));
    put(f, f->body, 3, num(f, 7));
    put(f, f->body, 0, op(f, EXPR_ADD, chosen, heavy));
    CHECK_INT(flow_run(f, 1), 19);
    CHECK_INT(flow_run(f, 0), 7);
    flow_end(f);
}

/* ---- calls of C functions ---- */

static int8_t take_narrow(bool a, int8_t b, uint8_t c, int16_t d, uint16_t e) { return (int8_t)(a + b + c + d + e); }

static double _Complex take_complex(double _Complex z, int64_t n, float _Complex w) { return z * (double)n + w; }

static float _Complex give_float_complex(float _Complex w) { return w * (2 + 1 * I); }

static bool is_odd(int64_t x) { return x & 1; }

static void *test_symbol(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        { "count_calls", (void *)count_calls },
        { "take_narrow", (void *)take_narrow },
        { "take_complex", (void *)take_complex },
        { "give_float_complex", (void *)give_float_complex },
        { "is_odd", (void *)is_odd },
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return functions[i].address;
    return sdfg_rt_symbol(name);
}

static bool run_with(struct program *p, int level)
{
    p->symbol = test_symbol;
    return program_run(p, level);
}

TEST(calls_follow_the_c_conventions)
{
    struct flow *f = flow_begin();
    static double _Complex z = 1 + 2 * I, result;
    static float _Complex w = 3 - 1 * I, turned;
    static char text[40];
    struct tree *t = f->t;
    const struct type *c128 = program_type(&f->p, TYPE_C128), *c64 = program_type(&f->p, TYPE_C64), *i64 = f->n->type;
    const struct type *f64 = program_type(&f->p, TYPE_F64), *i8 = program_type(&f->p, TYPE_I8);
    struct tree_expr *a = program_array(&f->p, "z", c128, &z), *b = program_array(&f->p, "w", c64, &w);
    struct tree_expr *to = program_array(&f->p, "result", c128, &result),
                     *to2 = program_array(&f->p, "turned", c64, &turned);
    struct tree_expr *line = program_array(&f->p, "text", i8, text);
    struct tree_expr *zero = num(f, 0);
    struct tree_expr *small[] = { op(f, EXPR_GT, f->n, zero), expr_cast(t, i8, op(f, EXPR_SUB, zero, f->n)),
                                  expr_cast(t, program_type(&f->p, TYPE_U8), op(f, EXPR_ADD, f->n, num(f, 250))),
                                  expr_cast(t, program_type(&f->p, TYPE_I16), op(f, EXPR_SUB, num(f, 2), f->n)),
                                  expr_cast(t, program_type(&f->p, TYPE_U16), op(f, EXPR_SUB, num(f, 4), f->n)) };
    put(f, f->body, 0, expr_cast(t, i64, expr_call(t, i8, "take_narrow", small, 5)));
    struct tree_expr *pairs[] = { program_load(&f->p, a, zero), f->n, program_load(&f->p, b, zero) };
    program_store(&f->p, f->body, to, zero, expr_call(t, c128, "take_complex", pairs, 3));
    program_store(&f->p, f->body, to2, zero, expr_call(t, c64, "give_float_complex", pairs + 2, 1));
    struct tree_var *odd = tree_var(t, "odd", program_type(&f->p, TYPE_BOOL));
    stmt_call(t, f->body, odd, "is_odd", &f->n, 1);
    put(f, f->body, 1, expr_cast(t, i64, var(f, odd)));
    struct tree_expr *printed[] = { line, num(f, sizeof text), expr_data(t, i8, "%lld %.2f", 10), f->n,
                                    expr_float(t, f64, 2.5) };
    stmt_call(t, f->body, NULL, "snprintf", printed, 5);
    for (int level = 0; level < NUM_LEVELS; level++) {
        f->count = 5;
        run_with(&f->p, levels[level]);
        CHECK_INT(f->memory[0], take_narrow(true, -5, 255, -3, 65535));
        CHECK(result == take_complex(z, 5, w) && turned == give_float_complex(w));
        CHECK_INT(f->memory[1], 1);
        CHECK_STR(text, "5 2.50");
    }
    flow_end(f);
}

/* ---- threads ---- */

TEST(a_parallel_body_reads_variables_of_every_type)
{
    struct flow *f = flow_begin();
    struct tree *t = f->t;
    f->p.threads = 4;
    struct tree_var *v[TYPE_C128 + 1],
        *four = tree_var(t, "four", type_vector(f->p.ir, program_type(&f->p, TYPE_F32), 4, NULL));
    for (int k = TYPE_BOOL; k <= TYPE_C128; k++) {
        v[k] = tree_var(t, "v", program_type(&f->p, (enum type_kind)k));
        struct tree_expr *value =
            type_is_complex(v[k]->type)
                ? expr_complex(t, expr_float(t, program_type(&f->p, k == TYPE_C64 ? TYPE_F32 : TYPE_F64), 1),
                               expr_float(t, program_type(&f->p, k == TYPE_C64 ? TYPE_F32 : TYPE_F64), 7))
                : expr_cast(t, v[k]->type, f->n);
        stmt_assign(t, f->body, v[k], value);
    }
    stmt_assign(t, f->body, four, expr_splat(t, four->type, expr_cast(t, program_type(&f->p, TYPE_F32), f->n)));
    struct tree_stmt *parallel = tree_parallel_begin(t, f->body, num(f, 4));
    struct tree_expr *sum = expr_cast(t, f->n->type, expr_lane(t, var(f, four), num(f, 3)));
    for (int k = TYPE_BOOL; k <= TYPE_C128; k++) {
        struct tree_expr *value = var(f, v[k]);
        if (type_is_complex(v[k]->type))
            value = expr_unary(t, EXPR_IMAG, value);
        sum = op(f, EXPR_ADD, sum, expr_cast(t, f->n->type, value));
    }
    struct tree_expr *at = op(f, EXPR_ADD, num(f, 1), var(f, parallel->var));
    program_store(&f->p, parallel->body, f->out, at,
                  op(f, EXPR_ADD, sum, op(f, EXPR_MUL, num(f, 1000), var(f, parallel->var2))));
    tree_parallel_end(t, parallel);
    put(f, f->body, 0, program_load(&f->p, f->out, num(f, 1)));
    int64_t ones = TYPE_F64 - TYPE_BOOL + 1;
    CHECK_INT(flow_run(f, 1), 4000 + ones + 1 + 14);
    for (int i = 2; i <= 4; i++)
        CHECK_INT(f->memory[i], f->memory[1]);
    CHECK_INT(f->memory[5], 0);
    flow_end(f);
}

TEST(barriers_and_critical_sections)
{
    struct flow *f = flow_begin();
    f->p.threads = 4;
    struct tree_stmt *parallel = tree_parallel_begin(f->t, f->body, NULL);
    struct tree_var *i = variable(f, "i");
    struct tree_stmt *l = stmt_for(f->t, parallel->body, i, num(f, 0), f->n, num(f, 1));
    struct tree_stmt *c = stmt_new(f->t, l->body, STMT_CRITICAL);
    c->body = stmt_block(f->t);
    put(f, c->body, 0, op(f, EXPR_ADD, program_load(&f->p, f->out, num(f, 0)), num(f, 1)));
    stmt_new(f->t, parallel->body, STMT_BARRIER);
    struct tree_expr *at = op(f, EXPR_ADD, num(f, 1), var(f, parallel->var));
    program_store(&f->p, parallel->body, f->out, at, program_load(&f->p, f->out, num(f, 0)));
    tree_parallel_end(f->t, parallel);
    CHECK_INT(flow_run(f, 1000), 4000);
    for (int k = 1; k <= 4; k++)
        CHECK_INT(f->memory[k], 4000);
    flow_end(f);
}

TEST(regions_nest)
{
    struct flow *f = flow_begin();
    f->p.threads = 2;
    struct tree_var *x = variable(f, "x");
    stmt_assign(f->t, f->body, x, op(f, EXPR_MUL, f->n, num(f, 3)));
    struct tree_stmt *outer = tree_parallel_begin(f->t, f->body, NULL);
    struct tree_var *y = variable(f, "y");
    stmt_assign(f->t, outer->body, y, op(f, EXPR_ADD, var(f, x), num(f, 1)));
    struct tree_stmt *inner = tree_parallel_begin(f->t, outer->body, NULL);
    stmt_reduce(f->t, inner->body, WCR_SUM, true, f->out, num(f, 0), op(f, EXPR_ADD, var(f, x), var(f, y)), 1);
    tree_parallel_end(f->t, inner);
    tree_parallel_end(f->t, outer);
    CHECK_INT(flow_run(f, 2), 2 * (6 + 7));
    flow_end(f);
}

/* ---- units ---- */

/* Runs with everything in one unit and cut to pieces of `budget` statements: out[0..9] must not change. */
static void check_units(struct flow *f, int64_t count, uint32_t budget, uint32_t least_units)
{
    int64_t whole[10];
    f->p.options.unit_budget = 0;
    flow_run(f, count);
    CHECK_INT(f->p.units, 1);
    memcpy(whole, f->memory, sizeof whole);
    f->p.options.unit_budget = budget;
    flow_run(f, count);
    CHECK(f->p.units >= least_units);
    for (int i = 0; i < 10; i++)
        CHECK_INT(f->memory[i], whole[i]);
}

TEST(a_long_function_becomes_parts)
{
    struct flow *f = flow_begin();
    struct tree_var *x[40], *z = tree_var(f->t, "z", program_type(&f->p, TYPE_C128));
    struct tree_expr *half = expr_float(f->t, program_type(&f->p, TYPE_F64), 0.5);
    for (int i = 0; i < 40; i++) {
        x[i] = variable(f, "x");
        stmt_assign(f->t, f->body, x[i], i < 2 ? f->n : op(f, EXPR_ADD, var(f, x[i - 1]), var(f, x[i / 2])));
        if (i % 7 == 3) { /* assigned again in one branch */
            struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_GT, var(f, x[i]), num(f, i)));
            add_to(f, c->body, x[i - 1], num(f, 1));
        }
        struct tree_expr *part = expr_cast(f->t, half->type, var(f, x[i]));
        if (i == 0)
            stmt_assign(f->t, f->body, z, expr_complex(f->t, half, part));
        else if (i % 4 == 0)
            stmt_assign(f->t, f->body, z, op(f, EXPR_ADD, var(f, z), expr_complex(f->t, part, half)));
    }
    put(f, f->body, 0, var(f, x[39]));
    put(f, f->body, 1, expr_cast(f->t, f->n->type, expr_unary(f->t, EXPR_REAL, var(f, z))));
    put(f, f->body, 2, expr_cast(f->t, f->n->type, expr_unary(f->t, EXPR_IMAG, var(f, z))));
    check_units(f, 3, 8, 4);
    CHECK(f->memory[0] > 0 && f->memory[1] > 0 && f->memory[2] > 0);
    flow_end(f);
}

TEST(parts_of_loop_bodies_keep_what_the_last_round_left)
{
    struct flow *f = flow_begin();
    struct tree_var *i = variable(f, "i"), *carried = variable(f, "carried"), *m = tree_var(f->t, "m", f->out->type);
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, 0), f->n, num(f, 1));
    struct tree_stmt *first = stmt_if(f->t, l->body, op(f, EXPR_EQ, var(f, i), num(f, 0)));
    stmt_assign(f->t, first->body, carried, num(f, 1));
    for (int k = 0; k < 12; k++) {
        struct tree_var *j = variable(f, "j"), *local = variable(f, "local");
        stmt_assign(f->t, l->body, local, op(f, EXPR_ADD, var(f, carried), num(f, k)));
        struct tree_stmt *inner = stmt_for(f->t, l->body, j, num(f, 0), num(f, 3), num(f, 1));
        struct tree_stmt *c = stmt_if(f->t, inner->body, op(f, EXPR_EQ, var(f, j), num(f, k % 3)));
        stmt_new(f->t, c->body, STMT_CONTINUE);
        stmt_assign(f->t, inner->body, carried,
                    op(f, EXPR_AND, op(f, EXPR_MUL, var(f, local), num(f, 3)), num(f, 0xffff)));
        if (k % 5 == 2) {
            stmt_alloc(f->t, l->body, m, f->n->type, num(f, 4), k % 2 ? TREE_STACK : TREE_HEAP);
            stmt_store(f->t, l->body, var(f, m), num(f, 1), var(f, carried), 0);
            add_to(f, l->body, carried, expr_load(f->t, f->n->type, var(f, m), num(f, 1), 0));
            if (k % 2 == 0)
                stmt_free(f->t, l->body, m);
        }
    }
    struct tree_stmt *enough = stmt_if(f->t, l->body, op(f, EXPR_EQ, var(f, i), num(f, 6)));
    stmt_new(f->t, enough->body, STMT_BREAK);
    put(f, f->body, 0, var(f, carried));
    put(f, f->body, 1, var(f, i));
    check_units(f, 4, 10, 3);
    check_units(f, 9, 14, 3);
    CHECK_INT(f->memory[1], 6);
    flow_end(f);
}

static struct tree_var *place(struct flow *f, struct tree_expr *from, struct tree_expr *at)
{
    struct tree_var *v = tree_var(f->t, "place", f->out->type);
    stmt_assign(f->t, f->body, v, expr_offset(f->t, from, at));
    return v;
}

/* Places in memory do not travel to the parts: what they are found from does, once. One that moves does. */
TEST(parts_find_places_in_memory_again)
{
    struct flow *f = flow_begin();
    enum { PLACES = 24 };
    struct tree_var *arena = tree_var(f->t, "arena", f->out->type), *places[PLACES], *i = variable(f, "i");
    stmt_alloc(f->t, f->body, arena, f->n->type, num(f, 8 * PLACES), TREE_HEAP);
    for (int k = 0; k < PLACES; k++)
        places[k] = k % 3 == 2
                        ? place(f, var(f, places[k - 1]), op(f, EXPR_ADD, op(f, EXPR_MUL, f->n, num(f, 2)), num(f, 1)))
                        : place(f, var(f, arena), num(f, 4 * k));
    struct tree_var *moves = place(f, var(f, arena), num(f, 1));
    struct tree_stmt *l = stmt_for(f->t, f->body, i, num(f, 0), num(f, 8 * PLACES), num(f, 1));
    stmt_store(f->t, l->body, var(f, arena), var(f, i), op(f, EXPR_MUL, var(f, i), var(f, i)), 0);
    for (int k = 0; k < PLACES; k++) {
        struct tree_expr *sum = expr_load(f->t, f->n->type, var(f, places[5 * k % PLACES]), num(f, 0), 0);
        sum = op(f, EXPR_ADD, sum, expr_load(f->t, f->n->type, var(f, moves), num(f, 1), 0));
        stmt_store(f->t, f->body, var(f, places[k]), num(f, 1), sum, 0);
        if (k == PLACES / 2)
            stmt_assign(f->t, f->body, moves, expr_offset(f->t, var(f, places[3]), f->n));
    }
    for (int k = 0; k < 10; k++)
        put(f, f->body, k, expr_load(f->t, f->n->type, var(f, places[2 * k + 3]), num(f, 1), 0));
    stmt_free(f->t, f->body, arena);
    check_units(f, 3, 8, 5);
    CHECK(f->memory[0] > 0 && f->memory[9] > f->memory[0]);
    const char *text = program_text(&f->p, JIT_TEXT_LL, -1);
    CHECK(strstr(text, "main.part4") != NULL);
    CHECK(strstr(text, "{ ptr, ptr, ptr, ptr") == NULL);
    flow_end(f);
}

TEST(parts_may_end_the_whole_function)
{
    struct flow *f = flow_begin();
    for (int k = 0; k < 20; k++) {
        put(f, f->body, 0, num(f, k));
        struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_EQ, f->n, num(f, k)));
        stmt_new(f->t, c->body, STMT_RETURN);
    }
    struct tree_var *m = tree_var(f->t, "m", f->out->type);
    stmt_alloc(f->t, f->body, m, f->n->type, op(f, EXPR_MUL, f->n, num(f, INT64_MAX / 200)), TREE_HEAP);
    for (int k = 0; k < 8; k++)
        put(f, f->body, 0, num(f, -k));
    stmt_free(f->t, f->body, m);
    check_units(f, 13, 6, 3);
    CHECK_INT(f->memory[0], 13);
    check_units(f, 100, 6, 3); /* no memory */
    CHECK_INT(f->memory[0], 19);
    check_units(f, 0, 6, 3);
    flow_end(f);
}

TEST(parallel_bodies_go_to_other_units)
{
    struct flow *f = flow_begin();
    f->p.threads = 3;
    for (int k = 0; k < 10; k++) {
        struct tree_var *x = variable(f, "x");
        stmt_assign(f->t, f->body, x, op(f, EXPR_ADD, f->n, num(f, k)));
        struct tree_stmt *parallel = tree_parallel_begin(f->t, f->body, NULL);
        for (int j = 0; j < 5; j++) {
            struct tree_var *y = variable(f, "y");
            stmt_assign(f->t, parallel->body, y, op(f, EXPR_MUL, var(f, x), num(f, j)));
            stmt_reduce(f->t, parallel->body, WCR_SUM, true, f->out, num(f, k), var(f, y), 1);
        }
        tree_parallel_end(f->t, parallel);
    }
    check_units(f, 2, 6, 5);
    CHECK_INT(f->memory[4], 3 * (2 + 4) * (1 + 2 + 3 + 4));
    flow_end(f);
}

TEST(parts_between_labels)
{
    struct flow *f = flow_begin();
    struct tree_label *again = tree_label(f->t, "again"), *end = tree_label(f->t, "end");
    struct tree_var *sum = variable(f, "sum"), *last = variable(f, "last"), *round = variable(f, "round");
    stmt_assign(f->t, f->body, sum, num(f, 0));
    stmt_assign(f->t, f->body, round, num(f, 0));
    stmt_label(f->t, f->body, again);
    for (int k = 0; k < 12; k++) {
        struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_GT, var(f, round), num(f, 0)));
        add_to(f, c->body, sum, var(f, last)); /* of the round before */
        struct tree_stmt *d =
            stmt_if(f->t, f->body, op(f, EXPR_EQ, op(f, EXPR_REM, var(f, round), num(f, 2)), num(f, 0)));
        stmt_assign(f->t, d->body, last, op(f, EXPR_ADD, var(f, round), num(f, k)));
    }
    add_to(f, f->body, round, num(f, 1));
    struct tree_stmt *c = stmt_if(f->t, f->body, op(f, EXPR_GE, var(f, round), f->n));
    stmt_goto(f->t, c->body, end);
    stmt_goto(f->t, f->body, again);
    stmt_label(f->t, f->body, end);
    put(f, f->body, 0, var(f, sum));
    check_units(f, 5, 9, 3);
    CHECK(f->memory[0] > 0);
    flow_end(f);
}

CHECK_MAIN
