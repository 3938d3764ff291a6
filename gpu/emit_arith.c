/* Arithmetic with the semantics of lower/llvm/llvm_arith.c: integers wrap, no divisor traps, small floats compute in
 * float. */
#include "gpu/emit_text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *sign;
    enum cuda_level level;
} signs[EXPR_OP_COUNT] = {
    [EXPR_ADD] = { "+", CUDA_SUM },     [EXPR_SUB] = { "-", CUDA_SUM },          [EXPR_MUL] = { "*", CUDA_PRODUCT },
    [EXPR_DIV] = { "/", CUDA_PRODUCT }, [EXPR_REM] = { "%", CUDA_PRODUCT },      [EXPR_AND] = { "&", CUDA_BIT_AND },
    [EXPR_OR] = { "|", CUDA_BIT_OR },   [EXPR_XOR] = { "^", CUDA_BIT_XOR },      [EXPR_SHL] = { "<<", CUDA_SHIFT },
    [EXPR_SHR] = { ">>", CUDA_SHIFT },  [EXPR_EQ] = { "==", CUDA_EQUAL },        [EXPR_NE] = { "!=", CUDA_EQUAL },
    [EXPR_LT] = { "<", CUDA_LESS },     [EXPR_LE] = { "<=", CUDA_LESS },         [EXPR_GT] = { ">", CUDA_LESS },
    [EXPR_GE] = { ">=", CUDA_LESS },    [EXPR_LOGICAL_AND] = { "&&", CUDA_AND }, [EXPR_LOGICAL_OR] = { "||", CUDA_OR },
};

/* a op b; operators of bits and shifts stand in parentheses within others, where people misread them. */
static struct cuda infix(struct gpu_func *f, enum expr_op op, struct cuda a, struct cuda b)
{
    enum cuda_level level = signs[op].level, least = level;
    if (level == CUDA_EQUAL || level == CUDA_LESS)
        least = CUDA_SUM;
    else if (level > CUDA_AND && level < CUDA_SUM)
        least = CUDA_UNARY;
    enum cuda_level right = least == level ? level + 1 : least;
    return gpu_print(f, level, "%s %s %s", gpu_at(f, least, a), signs[op].sign, gpu_at(f, right, b));
}

static struct cuda call2(struct gpu_func *f, const char *name, struct cuda a, struct cuda b)
{
    return gpu_print(f, CUDA_POSTFIX, "%s(%s, %s)", name, a.s, b.s);
}

/* ---- vectors ---- */

static struct cuda lanes(struct gpu_func *f, const struct type *result, const struct type *t, struct cuda a,
                         const struct cuda *b, struct cuda r)
{
    const char *scalar = gpu_type(f->module, t->elem);
    if (!b)
        return gpu_print(f, CUDA_POSTFIX, "sd_map<%s>(%s, [](%s x) { return %s; })", gpu_type(f->module, result), a.s,
                         scalar, r.s);
    return gpu_print(f, CUDA_POSTFIX, "sd_map<%s>(%s, %s, [](%s x, %s y) { return %s; })", gpu_type(f->module, result),
                     a.s, b->s, scalar, scalar, r.s);
}

static const struct cuda x = { "x", CUDA_POSTFIX }, y = { "y", CUDA_POSTFIX };

/* ---- integers ---- */

static const char *unsigned_of(const struct type *t) { return t->size <= 4 ? "u32" : "u64"; }

bool gpu_is_modular(const struct tree_expr *e)
{
    return type_is_integer(e->type) &&
           (e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_MUL || e->op == EXPR_NEG);
}

static struct cuda without_sign(struct gpu_func *f, const struct type *t, struct cuda a)
{
    if (t->kind == TYPE_U32 || t->kind == TYPE_U64)
        return a;
    return gpu_print(f, CUDA_UNARY, "(%s)%s", unsigned_of(t), gpu_at(f, CUDA_UNARY, a));
}

static struct cuda modular_operand(struct gpu_func *f, const struct tree_expr *e)
{
    const struct type *t = e->type;
    if (e->op == EXPR_INT && e->i >= 0)
        return t->size <= 4 ? gpu_print(f, CUDA_POSTFIX, "%uu", (unsigned)e->i)
                            : gpu_print(f, CUDA_POSTFIX, "%lluull", (unsigned long long)e->i);
    if (e->op == EXPR_THREAD && e->i < THREAD_LANE) /* has none in CUDA */
        return gpu_text_of(CUDA_POSTFIX, gpu_expr(f, e).s + strlen("(i32)"));
    return gpu_is_modular(e) ? gpu_modular(f, e) : without_sign(f, t, gpu_expr(f, e));
}

static bool is_named(const struct gpu_func *f, const struct tree_expr *e)
{
    for (uint32_t i = 0; i < f->constants.count; i++)
        if (f->constants.items[i].expr == e)
            return true;
    return (uintptr_t)map_get(&f->uses, e) > 1;
}

struct cuda gpu_modular(struct gpu_func *f, const struct tree_expr *e)
{
    struct cuda a =
        is_named(f, e->args[0]) ? without_sign(f, e->type, gpu_expr(f, e->args[0])) : modular_operand(f, e->args[0]);
    if (e->op == EXPR_NEG)
        return gpu_print(f, CUDA_SUM, "0u - %s", gpu_at(f, CUDA_PRODUCT, a));
    bool less = e->op == EXPR_ADD && e->args[1]->op == EXPR_INT && e->args[1]->i < 0 && e->args[1]->i != INT64_MIN;
    struct cuda b =
        less ? gpu_print(f, CUDA_POSTFIX, e->type->size <= 4 ? "%lluu" : "%lluull", (unsigned long long)-e->args[1]->i)
        : is_named(f, e->args[1]) ? without_sign(f, e->type, gpu_expr(f, e->args[1]))
                                  : modular_operand(f, e->args[1]);
    return infix(f, less ? EXPR_SUB : e->op, a, b);
}

static struct cuda int_result(struct gpu_func *f, const struct type *t, struct cuda r)
{
    if (t->kind == TYPE_U32 || t->kind == TYPE_U64)
        return r;
    return gpu_print(f, CUDA_UNARY, "(%s)%s", gpu_type(f->module, t), gpu_at(f, CUDA_UNARY, r));
}

static bool is_plain_divisor(struct cuda b)
{
    return *b.s > '0' && *b.s <= '9' && strspn(b.s, "0123456789ul") == strlen(b.s);
}

static struct cuda int_divide(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b)
{
    if (is_plain_divisor(b))
        return t->size < 4 ? int_result(f, t, infix(f, op, a, b)) : infix(f, op, a, b);
    gpu_need(f->module, PIECE_DIVIDE);
    return gpu_print(f, CUDA_POSTFIX, "sd_%s<%s>(%s, %s)", op == EXPR_DIV ? "div" : "rem", gpu_type(f->module, t), a.s,
                     b.s);
}

static struct cuda int_shift(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b)
{
    unsigned most = t->size * 8 - 1;
    if (!is_plain_divisor(b) || strlen(b.s) > 5)
        b = gpu_print(f, CUDA_BIT_AND, "%s & %u", gpu_at(f, CUDA_BIT_AND, b), most);
    else
        b = gpu_print(f, CUDA_POSTFIX, "%u", (unsigned)(strtoul(b.s, NULL, 10) & most));
    if (op == EXPR_SHL)
        a = without_sign(f, t, a);
    return int_result(f, t, infix(f, op, a, b));
}

static struct cuda extreme(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b)
{
    gpu_need(f->module, PIECE_EXTREME);
    return gpu_print(f, CUDA_POSTFIX, "sd_%s<%s>(%s, %s)", op == EXPR_MIN ? "min" : "max", gpu_type(f->module, t), a.s,
                     b.s);
}

static struct cuda int_binary(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b)
{
    switch (op) {
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
        return int_result(f, t, infix(f, op, without_sign(f, t, a), without_sign(f, t, b)));
    case EXPR_DIV:
    case EXPR_REM:
        return int_divide(f, op, t, a, b);
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_XOR:
        return t->size < 4 ? int_result(f, t, infix(f, op, a, b)) : infix(f, op, a, b);
    case EXPR_SHL:
    case EXPR_SHR:
        return int_shift(f, op, t, a, b);
    default:
        return extreme(f, op, t, a, b);
    }
}

static struct cuda bool_binary(struct gpu_func *f, enum expr_op op, struct cuda a, struct cuda b)
{
    bool both = op == EXPR_AND || op == EXPR_MUL || op == EXPR_MIN;
    bool either = op == EXPR_OR || op == EXPR_ADD || op == EXPR_MAX;
    return gpu_print(f, CUDA_UNARY, "(bool)(%s %s %s)", gpu_at(f, CUDA_UNARY, a),
                     both     ? "&"
                     : either ? "|"
                              : "^",
                     gpu_at(f, CUDA_UNARY, b));
}

/* ---- floats and complex numbers ---- */

/* Points of a grid, `first + i * step`, are to be those of other programs: the product of a number that counts is
 * rounded. */
static bool is_count(const char *s) { return !strncmp(s, "(double)", 8) || !strncmp(s, "(float)", 7); }

static struct cuda float_binary(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b)
{
    bool narrow = t->kind == TYPE_F32;
    if (op == EXPR_MIN || op == EXPR_MAX)
        return extreme(f, op, t, a, b);
    if (op == EXPR_REM)
        return call2(f, narrow ? "fmodf" : "fmod", a, b);
    if (op == EXPR_MUL && f->module->fp == GPU_FP_DEFAULT && (is_count(a.s) || is_count(b.s)))
        return call2(f, narrow ? "__fmul_rn" : "__dmul_rn", a, b);
    return infix(f, op, a, b);
}

static struct cuda complex_binary(struct gpu_func *f, enum expr_op op, struct cuda a, struct cuda b)
{
    if (op == EXPR_MIN || op == EXPR_MAX || op == EXPR_REM)
        gpu_unsupported(f->module, "this operation on complex numbers");
    return infix(f, op, a, b);
}

struct cuda gpu_binary(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b)
{
    if (t->kind == TYPE_VECTOR)
        return lanes(f, t->elem, t, a, &b, gpu_binary(f, op, t->elem, x, y));
    if (type_is_complex(t))
        return complex_binary(f, op, a, b);
    if (t->kind == TYPE_BOOL)
        return bool_binary(f, op, a, b);
    if (gpu_is_small(t)) {
        const struct type *wide = type_basic(f->module->ir, TYPE_F32);
        return gpu_narrow(f, t, float_binary(f, op, wide, gpu_wide(f, t, a), gpu_wide(f, t, b)));
    }
    return type_is_float(t) ? float_binary(f, op, t, a, b) : int_binary(f, op, t, a, b);
}

struct cuda gpu_unary(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a)
{
    if (t->kind == TYPE_VECTOR)
        return lanes(f, t->elem, t, a, NULL, gpu_unary(f, op, t->elem, x));
    if (t->kind == TYPE_BOOL)
        return op == EXPR_NEG ? a : gpu_print(f, CUDA_UNARY, "!%s", gpu_at(f, CUDA_UNARY, a));
    if (op == EXPR_BITNOT)
        return int_result(f, t, gpu_print(f, CUDA_UNARY, "~%s", gpu_at(f, CUDA_UNARY, a)));
    if (gpu_is_small(t))
        return gpu_narrow(f, t, gpu_print(f, CUDA_UNARY, "-%s", gpu_at(f, CUDA_POSTFIX, gpu_wide(f, t, a))));
    if (type_is_integer(t))
        return int_result(f, t, gpu_print(f, CUDA_SUM, "0u - %s", gpu_at(f, CUDA_UNARY, without_sign(f, t, a))));
    return gpu_print(f, CUDA_UNARY, "-%s", gpu_at(f, CUDA_POSTFIX, a));
}

/* ---- truth ---- */

/* Of vectors: -1 or 0 in integers of the lane's size. */
static struct cuda mask(struct gpu_func *f, const struct type *t, struct cuda a, const struct cuda *b, struct cuda r)
{
    static const char *const integers[] = { [1] = "i8", [2] = "i16", [4] = "i32", [8] = "i64" };
    uint32_t size = t->elem->size;
    if (t->elem->kind == TYPE_BOOL)
        return lanes(f, t->elem, t, a, b, r);
    if (size > 8) {
        gpu_unsupported(f->module, "comparison of vectors of complex numbers");
        return a;
    }
    const char *integer = integers[size];
    struct cuda lane = gpu_print(f, CUDA_CHOICE, "(%s)(%s ? -1 : 0)", integer, r.s);
    const char *scalar = gpu_type(f->module, t->elem);
    if (!b)
        return gpu_print(f, CUDA_POSTFIX, "sd_map<%s>(%s, [](%s x) { return %s; })", integer, a.s, scalar, lane.s);
    return gpu_print(f, CUDA_POSTFIX, "sd_map<%s>(%s, %s, [](%s x, %s y) { return %s; })", integer, a.s, b->s, scalar,
                     scalar, lane.s);
}

struct cuda gpu_compare(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b)
{
    if (t->kind == TYPE_VECTOR)
        return mask(f, t, a, &b, gpu_compare(f, op, t->elem, x, y));
    if (gpu_is_small(t))
        return infix(f, op, gpu_wide(f, t, a), gpu_wide(f, t, b));
    return infix(f, op, a, b);
}

struct cuda gpu_truth(struct gpu_func *f, const struct type *t, struct cuda a)
{
    if (t->kind == TYPE_BOOL)
        return a;
    if (t->kind == TYPE_VECTOR)
        return lanes(f, type_basic(f->module->ir, TYPE_BOOL), t, a, NULL, gpu_truth(f, t->elem, x));
    if (gpu_is_small(t))
        a = gpu_wide(f, t, a);
    if (type_is_complex(t))
        return gpu_print(f, CUDA_EQUAL, "%s != %s{ 0, 0 }", gpu_at(f, CUDA_LESS, a), gpu_type(f->module, t));
    return gpu_print(f, CUDA_EQUAL, "%s != 0", gpu_at(f, CUDA_SUM, a));
}
