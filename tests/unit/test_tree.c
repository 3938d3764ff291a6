#include "lower/tree/tree_shape.h"

#include "tests/unit/check.h"

#include <math.h>

static const struct type *basic(struct tree *t, enum type_kind kind) { return type_basic(t->ir, kind); }

static const char *shown(struct tree *t, const struct tree_expr *e)
{
    struct text out = text_new(t->arena);
    expr_print(e, &out);
    return text_get(&out);
}

TEST(integer_sums)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_new(ir, "p");
    struct tree_expr *x = expr_var(t, tree_var(t, "x", basic(t, TYPE_I64)));
    struct tree_expr *y = expr_var(t, tree_var(t, "y", basic(t, TYPE_I64)));
    struct tree_expr *x3 = expr_binary(t, EXPR_ADD, expr_i64(t, 3), x);
    CHECK_STR(shown(t, x3), "x + 3");
    CHECK_STR(shown(t, expr_binary(t, EXPR_ADD, x3, expr_i64(t, 2))), "x + 5");
    CHECK_STR(shown(t, expr_binary(t, EXPR_SUB, x3, expr_i64(t, 5))), "x - 2");
    CHECK(expr_binary(t, EXPR_SUB, x3, expr_i64(t, 3)) == x);
    CHECK_STR(shown(t, expr_binary(t, EXPR_ADD, x3, expr_binary(t, EXPR_SUB, y, expr_i64(t, 1)))), "x + y + 2");
    CHECK_STR(shown(t, expr_binary(t, EXPR_SUB, x3, x)), "3");
    CHECK_STR(shown(t, expr_binary(t, EXPR_SUB, expr_binary(t, EXPR_ADD, x, y), x)), "y");
    CHECK_STR(shown(t, expr_binary(t, EXPR_SUB, expr_i64(t, 1), x3)), "-2 - x");
    CHECK_STR(shown(t, expr_binary(t, EXPR_SUB, y, expr_binary(t, EXPR_SUB, x, y))), "y - (x - y)");
    CHECK_STR(shown(t, expr_binary(t, EXPR_MUL, expr_binary(t, EXPR_MUL, x3, expr_i64(t, 2)), expr_i64(t, 4))),
              "(x + 3) * 8");
    CHECK_STR(shown(t, expr_binary(t, EXPR_MUL, x, expr_i64(t, 0))), "0");
    CHECK(expr_binary(t, EXPR_MUL, expr_i64(t, 1), x) == x);
    struct tree_expr *least = expr_binary(t, EXPR_MIN, expr_binary(t, EXPR_MIN, x, expr_i64(t, 3)), expr_i64(t, 2));
    CHECK_STR(shown(t, least), "min(x, 2)");
    struct tree_expr *call = expr_call(t, basic(t, TYPE_I64), "next", NULL, 0);
    CHECK_STR(shown(t, expr_binary(t, EXPR_MUL, call, expr_i64(t, 0))), "next() * 0");
    ir_free(ir);
}

TEST(integer_constants_wrap)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_new(ir, "p");
    const struct type *i32 = basic(t, TYPE_I32), *u8 = basic(t, TYPE_U8), *i8 = basic(t, TYPE_I8),
                      *u64 = basic(t, TYPE_U64);
    CHECK_INT(expr_binary(t, EXPR_ADD, expr_int(t, i32, INT32_MAX), expr_int(t, i32, 1))->i, INT32_MIN);
    CHECK_INT(expr_binary(t, EXPR_MUL, expr_int(t, u8, 200), expr_int(t, u8, 2))->i, 144);
    CHECK_INT(expr_int(t, i8, 255)->i, -1);
    CHECK_INT(expr_binary(t, EXPR_DIV, expr_int(t, i32, -7), expr_int(t, i32, 2))->i, -3);
    CHECK_INT(expr_binary(t, EXPR_REM, expr_int(t, i32, -7), expr_int(t, i32, 2))->i, -1);
    CHECK_INT(expr_binary(t, EXPR_DIV, expr_int(t, u64, -1), expr_int(t, u64, 2))->i, INT64_MAX);
    CHECK_INT(expr_binary(t, EXPR_LT, expr_int(t, u64, -1), expr_int(t, u64, 1))->i, 0);
    CHECK_INT(expr_binary(t, EXPR_SHR, expr_int(t, i32, -8), expr_int(t, i32, 1))->i, -4);
    CHECK_INT(expr_binary(t, EXPR_DIV, expr_int(t, i32, 1), expr_int(t, i32, 0))->op, EXPR_DIV);
    CHECK_INT(expr_binary(t, EXPR_DIV, expr_int(t, i32, INT32_MIN), expr_int(t, i32, -1))->op, EXPR_DIV);
    CHECK_INT(expr_binary(t, EXPR_REM, expr_i64(t, INT64_MIN), expr_i64(t, -1))->op, EXPR_REM);
    CHECK_INT(expr_binary(t, EXPR_SHL, expr_int(t, i32, 1), expr_int(t, i32, 32))->op, EXPR_SHL);
    CHECK_INT(expr_unary(t, EXPR_NEG, expr_i64(t, INT64_MIN))->i, INT64_MIN);
    ir_free(ir);
}

TEST(float_constants)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_new(ir, "p");
    const struct type *f32 = basic(t, TYPE_F32), *f64 = basic(t, TYPE_F64);
    struct tree_expr *tenth = expr_float(t, f32, 0.1), *three = expr_float(t, f32, 3);
    CHECK(tenth->f == (double)0.1f);
    CHECK(expr_binary(t, EXPR_MUL, tenth, three)->f == (double)(0.1f * 3.0f));
    CHECK(expr_binary(t, EXPR_DIV, expr_float(t, f32, 1), three)->f == (double)(1.0f / 3.0f));
    CHECK(expr_cast(t, f32, expr_int(t, basic(t, TYPE_I64), 16777217))->f == 16777216.0);
    CHECK_INT(expr_cast(t, basic(t, TYPE_I32), expr_float(t, f64, -2.9))->i, -2);
    CHECK_INT(expr_cast(t, basic(t, TYPE_I32), expr_float(t, f64, 3e9))->op, EXPR_CAST);
    CHECK_INT(expr_cast(t, basic(t, TYPE_BOOL), expr_float(t, f64, 0.25))->i, 1);
    CHECK_INT(expr_cast(t, basic(t, TYPE_U8), expr_float(t, f64, NAN))->op, EXPR_CAST);
    struct tree_expr *x = expr_var(t, tree_var(t, "x", f64));
    CHECK(expr_binary(t, EXPR_MUL, x, expr_float(t, f64, 1)) == x);
    CHECK(expr_binary(t, EXPR_SUB, x, expr_float(t, f64, 0)) == x);
    CHECK_INT(expr_binary(t, EXPR_ADD, x, expr_float(t, f64, 0))->op, EXPR_ADD); /* -0.0 + 0.0 is 0.0 */
    CHECK_INT(expr_binary(t, EXPR_SUB, x, expr_float(t, f64, -0.0))->op, EXPR_SUB);
    CHECK_INT(expr_binary(t, EXPR_MUL, x, expr_float(t, f64, 0))->op, EXPR_MUL);
    CHECK_STR(shown(t, expr_unary(t, EXPR_NOT, expr_binary(t, EXPR_LT, x, expr_float(t, f64, 1)))), "!(x < 1.0)");
    struct tree_expr *four = expr_float(t, f64, 4);
    CHECK(expr_math(t, TREE_MATH_sqrt, &four)->f == 2);
    static const struct {
        double base, exponent, power; /* power: 0 if it stays a call */
    } powers[] = { { 2, 18, 262144 }, { -3, 3, -27 }, { 7, 0, 1 },        { 2, 53, 0x1p53 }, { 2, 54, 0 },
                   { 3, 34, 0 },      { 2, -1, 0 },   { 2.5, 2, 0 },      { 4, 0.5, 0 },     { NAN, 2, 0 },
                   { 1, 1024, 1 },    { 1, 1025, 0 }, { INFINITY, 1, 0 }, { 2, NAN, 0 } };
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        struct tree_expr *args[] = { expr_float(t, f64, powers[i].base), expr_float(t, f64, powers[i].exponent) };
        const struct tree_expr *power = expr_math(t, TREE_MATH_pow, args);
        CHECK_INT(power->op, powers[i].power != 0 ? EXPR_FLOAT : EXPR_MATH);
        CHECK(powers[i].power == 0 || power->f == powers[i].power);
    }
    ir_free(ir);
}

TEST(narrow_floats)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_new(ir, "p");
    const struct type *f16 = basic(t, TYPE_F16), *bf16 = basic(t, TYPE_BF16);
    const struct type *e4m3 = basic(t, TYPE_F8E4M3), *e5m2 = basic(t, TYPE_F8E5M2);
    CHECK_INT(expr_float_bits(expr_float(t, f16, 1)), 0x3c00);
    CHECK_INT(expr_float_bits(expr_float(t, f16, 65519)), 0x7bff);
    CHECK_INT(expr_float_bits(expr_float(t, f16, 65520)), 0x7c00);
    CHECK_INT(expr_float_bits(expr_float(t, f16, 0x1p-24)), 1);
    CHECK_INT(expr_float_bits(expr_float(t, f16, -0x1p-14)), 0x8400);
    CHECK_INT(expr_float_bits(expr_float(t, f16, 0x1.ffep-15)), 0x0400); /* rounds up to a normal number */
    CHECK_INT(expr_float_bits(expr_float(t, bf16, 1)), 0x3f80);
    CHECK_INT(expr_float_bits(expr_float(t, bf16, INFINITY)), 0x7f80);
    CHECK_INT(expr_float_bits(expr_float(t, e4m3, 448)), 0x7e);
    CHECK_INT(expr_float_bits(expr_float(t, e4m3, 464)), 0x7e); /* a tie goes to even */
    CHECK_INT(expr_float_bits(expr_float(t, e4m3, 465)), 0x7f);
    CHECK_INT(expr_float_bits(expr_float(t, e4m3, 1)), 0x38);
    CHECK_INT(expr_float_bits(expr_float(t, e5m2, 57344)), 0x7b);
    CHECK_INT(expr_float_bits(expr_float(t, e5m2, 1e9)), 0x7c);
    CHECK_INT(expr_float_bits(expr_float(t, e5m2, -1e-9)), 0x80);
    ir_free(ir);
}

TEST(casts_and_choices)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_new(ir, "p");
    const struct type *i32 = basic(t, TYPE_I32), *i64 = basic(t, TYPE_I64), *u8 = basic(t, TYPE_U8);
    struct tree_expr *x = expr_var(t, tree_var(t, "x", i32)), *c = expr_var(t, tree_var(t, "c", basic(t, TYPE_BOOL)));
    CHECK(expr_cast(t, i32, x) == x);
    CHECK(expr_cast(t, i32, expr_cast(t, i64, x)) == x);
    CHECK_STR(shown(t, expr_cast(t, u8, expr_cast(t, i64, x))), "uint8(x)");
    CHECK_STR(shown(t, expr_cast(t, i32, expr_cast(t, u8, x))), "int32(uint8(x))");
    CHECK_STR(shown(t, expr_cast(t, basic(t, TYPE_C64), expr_i64(t, 2))), "complex(2.0f32, 0.0f32)");
    CHECK(expr_select(t, expr_bool(t, false), expr_i64(t, 1), x) == x);
    CHECK(expr_select(t, c, expr_bool(t, true), expr_bool(t, false)) == c);
    CHECK(expr_select(t, c, x, x) == x);
    CHECK(expr_binary(t, EXPR_LOGICAL_AND, c, expr_bool(t, true)) == c);
    CHECK_STR(shown(t, expr_unary(t, EXPR_NOT, expr_binary(t, EXPR_LT, x, expr_int(t, i32, 4)))), "x >= 4i32");
    CHECK(expr_truth(t, c) == c);
    CHECK_STR(shown(t, expr_truth(t, x)), "x != 0i32");
    struct tree_expr *p = expr_var(t, tree_var(t, "p", type_pointer(ir, i32)));
    struct tree_expr *q = expr_offset(t, expr_offset(t, p, expr_i64(t, 4)), expr_cast(t, i64, x));
    CHECK_STR(shown(t, q), "&p[int64(x) + 4]");
    CHECK_STR(shown(t, expr_load(t, i32, q, expr_i64(t, -4), 0)), "p[int64(x)]");
    CHECK(expr_offset(t, p, expr_i64(t, 0)) == p);
    CHECK_STR(shown(t, expr_load(t, u8, p, expr_i64(t, 1), 0)), "p<uint8>[1]");
    ir_free(ir);
}

/* for i: A[i] += x, in a function of its own */
static struct tree *sample(struct ir *ir, struct tree_stmt **loop)
{
    struct tree *t = tree_new(ir, "p");
    const struct type *f64 = basic(t, TYPE_F64);
    struct tree_func *f = tree_func(t, "main");
    struct tree_var *a = tree_var(t, "A", type_pointer(ir, f64)), *n = tree_var(t, "N", basic(t, TYPE_I64));
    vec_push(t->arena, &f->params, ((struct tree_param){ .name = "A", .var = a }));
    vec_push(t->arena, &f->params, ((struct tree_param){ .name = "N", .var = n, .by_value = true }));
    struct tree_var *i = tree_var(t, "i", basic(t, TYPE_I64));
    *loop = stmt_for(t, f->body, i, expr_i64(t, 0), expr_var(t, n), expr_i64(t, 1));
    struct tree_expr *value =
        expr_load(t, f64, expr_var(t, a), expr_binary(t, EXPR_ADD, expr_var(t, i), expr_i64(t, 1)), 0);
    stmt_reduce(t, (*loop)->body, WCR_SUM, true, expr_var(t, a), expr_var(t, i), value, 0);
    return t;
}

static const char *tree_text(struct tree *t)
{
    struct text out = text_new(t->arena);
    tree_print(t, &out);
    return text_get(&out);
}

TEST(print)
{
    struct ir *ir = ir_new();
    struct tree_stmt *loop;
    struct tree *t = sample(ir, &loop);
    struct tree_var *i = tree_var(t, "i", basic(t, TYPE_I32));
    struct tree_func *f = t->functions.items[0];
    loop->loop.parallel = true;
    stmt_assign(t, f->body, i, expr_int(t, i->type, -3));
    struct tree_stmt *branch = stmt_if(t, f->body, expr_binary(t, EXPR_LT, expr_var(t, i), expr_int(t, i->type, 0)));
    struct tree_label *l = tree_label(t, "done");
    stmt_goto(t, branch->body, l);
    stmt_new(t, branch->otherwise, STMT_RETURN);
    stmt_label(t, f->body, l);
    CHECK_STR(tree_text(t), "p main(A: float64* aliased, N: int64) {\n"
                            "    for i = 0 to N step 1 parallel {\n"
                            "        atomic A[i] += A[i + 1]\n"
                            "    }\n"
                            "    i#3 = -3i32\n"
                            "    if i#3 < 0i32 {\n"
                            "        goto done\n"
                            "    } else {\n"
                            "        return\n"
                            "    }\n"
                            "    done:\n"
                            "}\n");
    CHECK(tree_verify(t, ir->diags));
    ir_free(ir);
}

static const char *complaint(struct ir *ir, const struct tree *t)
{
    if (tree_verify(t, ir->diags))
        return "none";
    return diags_get(ir->diags, diags_count(ir->diags) - 1)->message;
}

TEST(verify_types)
{
    struct ir *ir = ir_new();
    struct tree_stmt *loop;
    struct tree *t = sample(ir, &loop);
    CHECK_STR(complaint(ir, t), "none");
    struct tree_var *x = tree_var(t, "x", basic(t, TYPE_F32));
    stmt_assign(t, loop->body, x, expr_float(t, basic(t, TYPE_F64), 1));
    CHECK_STR(complaint(ir, t), "internal error: loop tree: assigns another type: x = 1.0");
    ir_free(ir);
}

TEST(verify_operands)
{
    struct ir *ir = ir_new();
    struct tree_stmt *loop;
    struct tree *t = sample(ir, &loop);
    struct tree_var *x = tree_var(t, "x", basic(t, TYPE_F32)), *y = tree_var(t, "y", basic(t, TYPE_F64));
    stmt_assign(t, loop->body, x, expr_binary(t, EXPR_ADD, expr_var(t, x), expr_var(t, y)));
    CHECK_STR(complaint(ir, t), "internal error: loop tree: operands and result differ in type: x + y in: x = x + y");
    ir_free(ir);
}

TEST(verify_structure)
{
    struct ir *ir = ir_new();
    struct tree_stmt *loop;
    struct tree *t = sample(ir, &loop);
    struct tree_func *f = t->functions.items[0];
    stmt_assign(t, loop->body, loop->var, expr_i64(t, 1));
    CHECK_STR(complaint(ir, t), "internal error: loop tree: assigns a loop variable: i = 1");
    loop->body->items.count--;
    stmt_new(t, f->body, STMT_BREAK);
    CHECK_STR(complaint(ir, t), "internal error: loop tree: no loop around: break");
    f->body->items.count--;
    stmt_goto(t, f->body, tree_label(t, "away"));
    CHECK_STR(complaint(ir, t), "internal error: loop tree: label is not placed: goto away");
    f->body->items.count--;
    struct tree_stmt *region = tree_parallel_begin(t, f->body, NULL);
    struct tree_var *mine = tree_var(t, "mine", basic(t, TYPE_I64));
    stmt_assign(t, region->body, mine, expr_var(t, region->var));
    tree_parallel_end(t, region);
    CHECK_STR(complaint(ir, t), "none");
    stmt_assign(t, f->body, f->params.items[1].var, expr_var(t, mine));
    CHECK_STR(complaint(ir, t), "internal error: loop tree: variable of another region: mine in: N = mine");
    f->body->items.count--;
    stmt_assign(t, region->body, f->params.items[1].var, expr_i64(t, 1));
    CHECK_STR(complaint(ir, t), "internal error: loop tree: assigns a variable of another region: N = 1");
    ir_free(ir);
}

/* Bounds that are as far apart as numbers can be. */
TEST(spans_of_loops)
{
    static const int64_t bounds[][3] = { { 2, 9, 7 },
                                         { 9, 2, -7 },
                                         { INT64_MIN, 10, INT64_C(1) << 56 },
                                         { 10, INT64_MIN, -(INT64_C(1) << 56) },
                                         { 0, INT64_MAX, INT64_C(1) << 56 },
                                         { INT64_MAX, INT64_MIN, -(INT64_C(1) << 56) } };
    struct ir *ir = ir_new();
    struct tree *t = tree_new(ir, "p");
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct tree_var *v = tree_var(t, "i", basic(t, TYPE_I64));
        struct tree_stmt *loop =
            stmt_for(t, stmt_block(t), v, expr_i64(t, bounds[i][0]), expr_i64(t, bounds[i][1]), expr_i64(t, 1));
        CHECK(loop_has_constant_bounds(loop));
        CHECK_INT(loop_span(loop), bounds[i][2]);
        CHECK_INT(loop_is_shorter(loop, 8), i < 2);
    }
    ir_free(ir);
}

CHECK_MAIN
