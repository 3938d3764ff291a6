/* Bits of integers by their number, as graphs from Fortran call them: btest, ibset, ibclr, ibits and ishft (Fortran
 * 2018, 16.9). Results have the type of the first argument. Numbers of bits that are not there give what shifting zeros
 * in gives. */
#include "lower/graph/code/code_gen.h"

static struct tree_expr *binary(struct code_gen *g, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(g->t, op, a, b);
}

struct bit_operand {
    const struct type *type, *word; /* of the first argument; without a sign */
    struct tree_expr *value;        /* of type `word` */
    int64_t width;
};

static bool are_integers(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!type_is_integer(args[i]->type))
            return code_invalid(g, c, "this function needs integers, not %s", code_type_text(g, args[i]->type));
    return true;
}

static bool bits_of(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count,
                    struct bit_operand *out)
{
    if (!are_integers(g, c, args, count))
        return false;
    static const enum type_kind words[] = { [1] = TYPE_U8, [2] = TYPE_U16, [4] = TYPE_U32, [8] = TYPE_U64 };
    const struct type *type = args[0]->type, *word = code_basic(g, words[type->size]);
    *out = (struct bit_operand){ type, word, code_once(g, code_to(g, c, word, args[0])), (int64_t)type->size * 8 };
    return true;
}

/* `x` shifted by `n` bits, an integer of any type that is not negative: zeros from `width` bits on. */
static struct tree_expr *shift(struct code_gen *g, const struct code *c, const struct bit_operand *b, enum expr_op op,
                               struct tree_expr *x, struct tree_expr *n)
{
    struct tree_expr *all = code_once(g, code_to(g, c, code_basic(g, TYPE_U64), n));
    struct tree_expr *there = binary(g, EXPR_LT, all, code_constant(g, all->type, b->width));
    struct tree_expr *few = expr_select(g->t, there, all, expr_zero(g->t, all->type));
    struct tree_expr *shifted = binary(g, op, x, code_to(g, c, b->word, few));
    return expr_select(g->t, there, shifted, expr_zero(g->t, b->word));
}

/* The bit of this number alone. */
static struct tree_expr *one_bit(struct code_gen *g, const struct code *c, const struct bit_operand *b,
                                 struct tree_expr *n)
{
    return shift(g, c, b, EXPR_SHL, code_constant(g, b->word, 1), n);
}

static struct tree_expr *f_test(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct bit_operand b;
    if (!bits_of(g, c, args, count, &b))
        return NULL;
    struct tree_expr *bit = binary(g, EXPR_AND, b.value, one_bit(g, c, &b, args[1]));
    return code_to(g, c, b.type, binary(g, EXPR_NE, bit, expr_zero(g->t, b.word)));
}

static struct tree_expr *f_set(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct bit_operand b;
    if (!bits_of(g, c, args, count, &b))
        return NULL;
    return code_to(g, c, b.type, binary(g, EXPR_OR, b.value, one_bit(g, c, &b, args[1])));
}

static struct tree_expr *f_clear(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct bit_operand b;
    if (!bits_of(g, c, args, count, &b))
        return NULL;
    struct tree_expr *others = expr_unary(g->t, EXPR_BITNOT, one_bit(g, c, &b, args[1]));
    return code_to(g, c, b.type, binary(g, EXPR_AND, b.value, others));
}

/* Bits from a number on, and how many. */
static struct tree_expr *f_extract(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct bit_operand b;
    if (!bits_of(g, c, args, count, &b))
        return NULL;
    struct tree_expr *low = shift(g, c, &b, EXPR_SHR, b.value, args[1]);
    struct tree_expr *mask = binary(g, EXPR_SUB, one_bit(g, c, &b, args[2]), code_constant(g, b.word, 1));
    return code_to(g, c, b.type, binary(g, EXPR_AND, low, mask));
}

/* To the left, to the right by negative numbers, zeros behind. */
static struct tree_expr *f_shift(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct bit_operand b;
    if (!bits_of(g, c, args, count, &b))
        return NULL;
    struct tree_expr *n = code_once(g, code_to(g, c, code_basic(g, TYPE_I64), args[1]));
    struct tree_expr *zero = expr_zero(g->t, n->type);
    struct tree_expr *left = shift(g, c, &b, EXPR_SHL, b.value, n);
    struct tree_expr *right = shift(g, c, &b, EXPR_SHR, b.value, binary(g, EXPR_SUB, zero, n));
    return code_to(g, c, b.type, expr_select(g->t, binary(g, EXPR_LT, n, zero), right, left));
}

const struct code_function_row code_bits_functions[] = {
    { "bitwise_test", 2, 2, f_test },       { "bitwise_set", 2, 2, f_set },     { "bitwise_clear", 2, 2, f_clear },
    { "bitwise_extract", 3, 3, f_extract }, { "bitwise_shift", 2, 2, f_shift }, { NULL, 0, 0, NULL },
};
