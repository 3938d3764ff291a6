/* Loops over the bits of numbers, before and after the pass bits, and what they compute. */
#include "lower/opt/passes.h"
#include "lower/tree/tree.h"

#include "tests/lower/llvm_program.h"

enum { LENGTH = 64 };

/* x = 1; y = 2; for i = 0 to 64: { b = in[i]; for k = 0 to trips: the loop; out[i] = x; out[64 + i] = y } */
struct sample {
    struct program p;
    struct tree *t;
    struct tree_var *b, *x, *y;
    struct tree_stmt *outer, *loop;
    struct tree_expr *k;
    uint64_t in[LENGTH], out[2 * LENGTH];
};

static struct tree_expr *number(struct sample *s, const struct tree_var *like, int64_t value)
{
    return expr_int(s->t, like->type, value);
}

static struct tree_expr *as(struct sample *s, const struct tree_var *like, struct tree_expr *e)
{
    return expr_cast(s->t, like->type, e);
}

static struct tree_expr *op(struct sample *s, enum expr_op o, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, o, a, b);
}

/* v op value */
static struct tree_expr *with(struct sample *s, enum expr_op o, struct tree_var *v, int64_t value)
{
    return op(s, o, expr_var(s->t, v), number(s, v, value));
}

static void sample_begin(struct sample *s, enum type_kind b, enum type_kind x, enum type_kind y, int64_t trips)
{
    memset(s, 0, sizeof *s);
    s->p = program_begin();
    s->t = s->p.t;
    const struct type *u64 = program_type(&s->p, TYPE_U64), *i64 = program_type(&s->p, TYPE_I64);
    struct tree_expr *in = program_array(&s->p, "in", u64, s->in), *out = program_array(&s->p, "out", u64, s->out);
    s->b = tree_var(s->t, "b", program_type(&s->p, b));
    s->x = tree_var(s->t, "x", program_type(&s->p, x));
    s->y = tree_var(s->t, "y", program_type(&s->p, y));
    stmt_assign(s->t, s->p.body, s->x, number(s, s->x, 1));
    stmt_assign(s->t, s->p.body, s->y, number(s, s->y, 2));
    s->outer = stmt_for(s->t, s->p.body, tree_var(s->t, "i", i64), expr_i64(s->t, 0), expr_i64(s->t, LENGTH),
                        expr_i64(s->t, 1));
    struct tree_expr *i = expr_var(s->t, s->outer->var);
    stmt_assign(s->t, s->outer->body, s->b, as(s, s->b, expr_load(s->t, u64, in, i, 1)));
    s->loop = stmt_for(s->t, s->outer->body, tree_var(s->t, "k", i64), expr_i64(s->t, 0), expr_i64(s->t, trips),
                       expr_i64(s->t, 1));
    s->k = expr_var(s->t, s->loop->var);
    stmt_store(s->t, s->outer->body, out, i, expr_cast(s->t, u64, expr_var(s->t, s->x)), 2);
    stmt_store(s->t, s->outer->body, out, op(s, EXPR_ADD, i, expr_i64(s->t, LENGTH)),
               expr_cast(s->t, u64, expr_var(s->t, s->y)), 2);
}

static void sample_end(struct sample *s) { program_end(&s->p); }

/* if condition { x = x >> 1 ^ polynomial } else { x = x >> 1 }; b = b >> 1 */
static void check_sum(struct sample *s, struct tree_expr *condition, int64_t polynomial)
{
    struct tree_stmt *either = stmt_if(s->t, s->loop->body, condition);
    either->otherwise = stmt_block(s->t);
    struct tree_expr *half = with(s, EXPR_SHR, s->x, 1);
    stmt_assign(s->t, either->body, s->x, op(s, EXPR_XOR, half, number(s, s->x, polynomial)));
    stmt_assign(s->t, either->otherwise, s->x, half);
    stmt_assign(s->t, s->loop->body, s->b, with(s, EXPR_SHR, s->b, 1));
}

static struct tree_expr *lowest_of_sum(struct sample *s)
{
    struct tree_expr *sum = op(s, EXPR_XOR, expr_var(s->t, s->x), as(s, s->x, expr_var(s->t, s->b)));
    return op(s, EXPR_NE, op(s, EXPR_AND, sum, number(s, s->x, 1)), number(s, s->x, 0));
}

static const char *shown(struct sample *s) { return program_statements(&s->p); }

/* Does the pass replace the loop? If not, nothing changes. */
static bool replaces(struct sample *s)
{
    const char *before = shown(s);
    opt_bit_tables(s->t, &(struct tree_options){ 0 });
    bool same = strcmp(before, shown(s)) == 0;
    CHECK(same == (strstr(shown(s), "for k") != NULL));
    return !same;
}

TEST(a_check_sum)
{
    struct sample s;
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8);
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    s.p.ir->remarks = remarks_new(s.p.ir->arena);
    CHECK(replaces(&s));
    struct text remarks = text_new(s.p.ir->arena);
    remarks_print(s.p.ir->remarks, &remarks);
    CHECK_STR(text_get(&remarks),
              "done   bits        loop k: becomes shifts and table lookups (1 tables): each result bit is a "
              "sum of input bits modulo 2\n");
    CHECK_STR(shown(&s), "x = 1u16\n"
                         "y = 2u64\n"
                         "for i = 0 to 64 step 1 {\n"
                         "    b = uint8(in[i])\n"
                         "    x = uint16(uint64(data<uint16>[512 bytes][int64(uint64(x) ^ uint64(b) & 255u64)]) ^ "
                         "(uint64(x) & 65280u64) >> 8u64)\n"
                         "    out[i] = uint64(x)\n"
                         "    out[i + 64] = y\n"
                         "}\n");
    sample_end(&s);
}

/* What the loop leaves in each variable, the values of the next run among them. */
TEST(all_that_is_needed)
{
    struct sample s;
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 4);
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    s.y = s.b;
    vec_last(&s.outer->body->items)->value = expr_cast(s.t, program_type(&s.p, TYPE_U64), expr_var(s.t, s.b));
    stmt_store(s.t, s.p.body, expr_var(s.t, s.p.main->params.items[1].var), expr_i64(s.t, 0),
               expr_cast(s.t, program_type(&s.p, TYPE_U64), expr_var(s.t, s.loop->var)), 2);
    CHECK(replaces(&s));
    CHECK_STR(shown(&s), "x = 1u16\n"
                         "y = 2u64\n"
                         "for i = 0 to 64 step 1 {\n"
                         "    b = uint8(in[i])\n"
                         "    bits = 4\n"
                         "    bits#8 = uint16(uint64(data<uint16>[32 bytes][int64(uint64(x) ^ uint64(b) & 15u64)]) ^ "
                         "(uint64(x) & 65520u64) >> 4u64)\n"
                         "    bits#9 = uint8((uint64(b) & 240u64) >> 4u64)\n"
                         "    k = bits\n"
                         "    x = bits#8\n"
                         "    b = bits#9\n"
                         "    out[i] = uint64(x)\n"
                         "    out[i + 64] = uint64(b)\n"
                         "}\n"
                         "out[0] = uint64(k)\n");
    sample_end(&s);
}

/* A loop of a check sum with something else about it stays. */
TEST(what_is_not_understood)
{
    struct sample s;
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8); /* numbers that are added carry */
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    stmt_assign(s.t, s.loop->body, s.x, op(&s, EXPR_ADD, expr_var(s.t, s.x), as(&s, s.x, expr_var(s.t, s.b))));
    CHECK(!replaces(&s));
    sample_end(&s);
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8); /* a condition about two bits */
    check_sum(&s, with(&s, EXPR_GT, s.x, 2), 0xa001);
    CHECK(!replaces(&s));
    sample_end(&s);
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8); /* a choice between numbers that differ by more than constants */
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    s.loop->body->items.items[0]->otherwise->items.items[0]->value = with(&s, EXPR_SHR, s.x, 2);
    CHECK(!replaces(&s));
    sample_end(&s);
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8); /* memory */
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    stmt_store(s.t, s.loop->body, expr_var(s.t, s.p.main->params.items[1].var), s.k, expr_var(s.t, s.y), 2);
    CHECK(!replaces(&s));
    sample_end(&s);
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8); /* an effect, though its result is not needed */
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    stmt_assign(s.t, s.loop->body, tree_var(s.t, "z", s.b->type), expr_call(s.t, s.b->type, "count", NULL, 0));
    CHECK(!replaces(&s));
    sample_end(&s);
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8); /* left early */
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    stmt_new(s.t, s.loop->body, STMT_BREAK);
    CHECK(!replaces(&s));
    sample_end(&s);
}

TEST(what_does_not_pay)
{
    struct sample s;
    sample_begin(&s, TYPE_U8, TYPE_U64, TYPE_U64, 8); /* eight bytes of x go through a table of their own each */
    stmt_assign(s.t, s.loop->body, s.x, op(&s, EXPR_XOR, with(&s, EXPR_SHR, s.x, 1), with(&s, EXPR_SHL, s.x, 3)));
    CHECK(!replaces(&s));
    sample_end(&s);
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 8); /* vectors are better */
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    s.outer->loop.independent = true;
    CHECK(!replaces(&s));
    sample_end(&s);
    sample_begin(&s, TYPE_U8, TYPE_U16, TYPE_U64, 65); /* longer than the numbers */
    check_sum(&s, lowest_of_sum(&s), 0xa001);
    CHECK(!replaces(&s));
    sample_end(&s);
}

/* ---- what they compute ---- */

static uint64_t next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

static struct tree_expr *some_bit(struct sample *s, uint64_t *random)
{
    struct tree_var *v = next(random) % 2 ? s->x : s->b;
    int64_t bit = (int64_t)(next(random) % (v->type->size * 8));
    if (type_is_signed(v->type) && next(random) % 4 == 0)
        return with(s, next(random) % 2 ? EXPR_LT : EXPR_GE, v, 0);
    struct tree_expr *alone = op(s, EXPR_AND, with(s, EXPR_SHR, v, bit), number(s, v, 1));
    return op(s, next(random) % 2 ? EXPR_EQ : EXPR_NE, alone, number(s, v, (int64_t)(next(random) % 2)));
}

static struct tree_expr *some_value(struct sample *s, struct tree_var *to, uint64_t *random)
{
    struct tree_var *v[] = { s->b, s->x, s->y }, *from = v[next(random) % 3];
    struct tree_expr *e = expr_var(s->t, to), *other = as(s, to, expr_var(s->t, from));
    int64_t constant = (int64_t)next(random), by = (int64_t)(next(random) % (to->type->size * 8));
    switch (next(random) % 9) {
    case 0:
        return op(s, EXPR_XOR, e, other);
    case 1:
        return op(s, EXPR_XOR, with(s, EXPR_SHR, to, by), number(s, to, constant));
    case 2:
        return op(s, EXPR_XOR, with(s, EXPR_SHL, to, by), other);
    case 3:
        return op(s, EXPR_OR, op(s, EXPR_AND, e, number(s, to, constant)),
                  op(s, EXPR_AND, other, number(s, to, ~constant)));
    case 4:
        return expr_unary(s->t, EXPR_BITNOT, e);
    case 5: /* rotated */
        return op(s, EXPR_ADD, with(s, EXPR_SHL, to, 1),
                  op(s, EXPR_AND, with(s, EXPR_SHR, to, to->type->size * 8 - 1), number(s, to, 1)));
    case 6: /* the polynomial, if the lowest bit is set */
        return op(s, EXPR_XOR, with(s, EXPR_SHR, to, 1),
                  op(s, EXPR_AND, expr_unary(s->t, EXPR_NEG, with(s, EXPR_AND, to, 1)), number(s, to, constant)));
    case 7: /* bit k of the other one */
        return op(s, EXPR_XOR, e,
                  as(s, to,
                     op(s, EXPR_AND, op(s, EXPR_SHR, expr_cast(s->t, s->k->type, expr_var(s->t, from)), s->k),
                        expr_i64(s->t, 1))));
    default:
        return op(s, EXPR_XOR, e, op(s, EXPR_MUL, as(s, to, some_bit(s, random)), number(s, to, constant)));
    }
}

static void some_statement(struct sample *s, struct tree_stmt *b, uint64_t *random)
{
    struct tree_var *v[] = { s->b, s->x, s->y }, *to = v[next(random) % 3];
    struct tree_expr *flipped = with(s, EXPR_XOR, to, (int64_t)next(random));
    switch (next(random) % 4) {
    case 0: {
        struct tree_stmt *either = stmt_if(s->t, b, some_bit(s, random));
        stmt_assign(s->t, either->body, to, flipped);
        if (next(random) % 2) {
            either->otherwise = stmt_block(s->t);
            stmt_assign(s->t, either->otherwise, to, with(s, EXPR_XOR, to, (int64_t)next(random)));
        }
        return;
    }
    case 1:
        stmt_assign(s->t, b, to, expr_select(s->t, some_bit(s, random), flipped, expr_var(s->t, to)));
        return;
    default:
        stmt_assign(s->t, b, to, some_value(s, to, random));
    }
}

/* Loops of all kinds of steps give the same numbers with tables. */
TEST(results_are_the_same)
{
    uint64_t random = 1, before[2 * LENGTH];
    int replaced = 0;
    for (int sample = 0; sample < 150; sample++) {
        struct sample s;
        enum type_kind kinds[3];
        for (int i = 0; i < 3; i++)
            kinds[i] = TYPE_I8 + next(&random) % 8;
        sample_begin(&s, kinds[0], kinds[1], kinds[2], 40 + (int64_t)(next(&random) % 24));
        for (int i = 0; i < LENGTH; i++)
            s.in[i] = next(&random) << 40 ^ next(&random);
        for (uint64_t i = 0, count = 2 + next(&random) % 4; i < count; i++)
            some_statement(&s, s.loop->body, &random);
        program_run(&s.p, 0);
        memcpy(before, s.out, sizeof before);
        opt_bit_tables(s.t, &(struct tree_options){ 0 });
        if (!strstr(shown(&s), "for k")) {
            replaced++;
            program_run(&s.p, 0);
            CHECK(memcmp(before, s.out, sizeof before) == 0);
        }
        sample_end(&s);
    }
    CHECK(replaced > 50);
}

CHECK_MAIN
