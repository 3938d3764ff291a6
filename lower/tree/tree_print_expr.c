#include "lower/tree/tree_print.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>

enum {
    PRECEDENCE_SELECT = 1,
    PRECEDENCE_OR,
    PRECEDENCE_AND,
    PRECEDENCE_COMPARE,
    PRECEDENCE_BITS,
    PRECEDENCE_SHIFT,
    PRECEDENCE_SUM,
    PRECEDENCE_PRODUCT,
    PRECEDENCE_UNARY,
    PRECEDENCE_POSTFIX
};

/* Operators with a sign have a precedence; the others are printed as name(arguments). */
/* clang-format off */
static const struct {
    const char *name;
    int precedence;
} op_table[EXPR_OP_COUNT] = {
    [EXPR_INT] = { "int", 0 }, [EXPR_FLOAT] = { "float", 0 }, [EXPR_NULL] = { "null", 0 },
    [EXPR_CONTEXT] = { "context", 0 }, [EXPR_VAR] = { "var", 0 }, [EXPR_LOAD] = { "load", 0 },
    [EXPR_OFFSET] = { "offset", 0 }, [EXPR_FIELD] = { "field", 0 }, [EXPR_SLOT] = { "slot", 0 },
    [EXPR_DATA] = { "data", 0 }, [EXPR_NEG] = { "-", PRECEDENCE_UNARY }, [EXPR_NOT] = { "!", PRECEDENCE_UNARY },
    [EXPR_BITNOT] = { "~", PRECEDENCE_UNARY }, [EXPR_ADD] = { "+", PRECEDENCE_SUM },
    [EXPR_SUB] = { "-", PRECEDENCE_SUM }, [EXPR_MUL] = { "*", PRECEDENCE_PRODUCT },
    [EXPR_DIV] = { "/", PRECEDENCE_PRODUCT }, [EXPR_REM] = { "%", PRECEDENCE_PRODUCT },
    [EXPR_AND] = { "&", PRECEDENCE_BITS }, [EXPR_OR] = { "|", PRECEDENCE_BITS }, [EXPR_XOR] = { "^", PRECEDENCE_BITS },
    [EXPR_SHL] = { "<<", PRECEDENCE_SHIFT }, [EXPR_SHR] = { ">>", PRECEDENCE_SHIFT }, [EXPR_MIN] = { "min", 0 },
    [EXPR_MAX] = { "max", 0 }, [EXPR_EQ] = { "==", PRECEDENCE_COMPARE }, [EXPR_NE] = { "!=", PRECEDENCE_COMPARE },
    [EXPR_LT] = { "<", PRECEDENCE_COMPARE }, [EXPR_LE] = { "<=", PRECEDENCE_COMPARE },
    [EXPR_GT] = { ">", PRECEDENCE_COMPARE }, [EXPR_GE] = { ">=", PRECEDENCE_COMPARE },
    [EXPR_LOGICAL_AND] = { "&&", PRECEDENCE_AND }, [EXPR_LOGICAL_OR] = { "||", PRECEDENCE_OR },
    [EXPR_SELECT] = { "select", PRECEDENCE_SELECT }, [EXPR_CAST] = { "cast", 0 }, [EXPR_BITS] = { "bits", 0 },
    [EXPR_MATH] = { "math", 0 }, [EXPR_CALL] = { "call", 0 }, [EXPR_COMPLEX] = { "complex", 0 },
    [EXPR_REAL] = { "real", 0 }, [EXPR_IMAG] = { "imag", 0 }, [EXPR_SPLAT] = { "splat", 0 }, [EXPR_LANE] = { "lane", 0 },
    [EXPR_INSERT] = { "insert", 0 },
};
/* clang-format on */

const char *expr_op_name(enum expr_op op) { return op_table[op].name; }

static void print_expr(const struct tree_expr *e, int outer, struct text *out);

void tree_print_name(const char *name, uint32_t id, bool again, struct text *out)
{
    text_add(out, name);
    if (again)
        text_printf(out, "#%" PRIu32, id);
}

void tree_print_var(const struct tree_var *v, struct text *out) { tree_print_name(v->name, v->id, v->again, out); }

static const char *literal_suffix(const struct type *type)
{
    switch (type->kind) {
#define TYPE(kind, name, bytes, ctype, suffix)                                                                         \
    case TYPE_##kind:                                                                                                  \
        return suffix;
#include "ir/types.def"
#undef TYPE
    default:
        return "";
    }
}

static void print_constant(const struct tree_expr *e, struct text *out)
{
    char number[NUMBER_TEXT_SIZE];
    if (e->op == EXPR_FLOAT) {
        text_add(out, number_print(e->f, number));
        if (e->type->kind == TYPE_F64)
            return;
    } else if (e->type->kind == TYPE_BOOL) {
        text_add(out, e->i ? "true" : "false");
        return;
    } else if (type_is_unsigned(e->type)) {
        text_printf(out, "%" PRIu64, (uint64_t)e->i);
    } else {
        text_printf(out, "%" PRId64, e->i);
    }
    if (e->type->kind != TYPE_I64)
        text_add(out, literal_suffix(e->type));
}

void tree_print_args(const struct tree_expr *const *args, uint32_t count, struct text *out)
{
    text_addc(out, '(');
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_add(out, ", ");
        print_expr(args[i], 0, out);
    }
    text_addc(out, ')');
}

void tree_print_element(const struct tree_expr *pointer, const struct tree_expr *index, const struct type *type,
                        struct text *out)
{
    print_expr(pointer, PRECEDENCE_POSTFIX, out);
    if (pointer->type->elem != type) {
        text_addc(out, '<');
        type_print(type, out);
        text_addc(out, '>');
    }
    text_addc(out, '[');
    print_expr(index, 0, out);
    text_addc(out, ']');
}

static void print_operator(const struct tree_expr *e, struct text *out)
{
    int precedence = op_table[e->op].precedence;
    if (e->num_args == 1) {
        text_add(out, op_table[e->op].name);
        print_expr(e->args[0], PRECEDENCE_UNARY, out);
        return;
    }
    if (e->op == EXPR_SELECT) {
        print_expr(e->args[0], PRECEDENCE_OR, out);
        text_add(out, " ? ");
        print_expr(e->args[1], PRECEDENCE_OR, out);
        text_add(out, " : ");
        print_expr(e->args[2], PRECEDENCE_SELECT, out);
        return;
    }
    print_expr(e->args[0], precedence, out);
    const struct tree_expr *b = e->args[1];
    if (e->op == EXPR_ADD && b->op == EXPR_INT && type_is_signed(b->type) && b->i < 0 && b->i > INT64_MIN) {
        text_printf(out, " - %" PRId64 "%s", -b->i, b->type->kind == TYPE_I64 ? "" : literal_suffix(b->type));
        return;
    }
    text_printf(out, " %s ", op_table[e->op].name);
    print_expr(b, precedence + 1, out);
}

static void print_function(const struct tree_expr *e, struct text *out)
{
    if (e->op == EXPR_CAST) {
        type_print(e->type, out);
    } else if (e->op == EXPR_BITS) {
        text_add(out, "bits<");
        type_print(e->type, out);
        text_addc(out, '>');
    } else if (e->op == EXPR_MATH) {
        text_add(out, tree_math_name(e->math));
    } else {
        text_add(out, e->op == EXPR_CALL ? e->name : op_table[e->op].name);
    }
    tree_print_args((const struct tree_expr *const *)e->args, e->num_args, out);
}

static void print_simple(const struct tree_expr *e, struct text *out)
{
    switch (e->op) {
    case EXPR_INT:
    case EXPR_FLOAT:
        print_constant(e, out);
        break;
    case EXPR_NULL:
        text_add(out, "null");
        break;
    case EXPR_CONTEXT:
        text_add(out, "context");
        break;
    case EXPR_VAR:
        tree_print_var(e->var, out);
        break;
    case EXPR_LOAD:
        tree_print_element(e->args[0], e->args[1], e->type, out);
        break;
    case EXPR_OFFSET:
        text_addc(out, '&');
        tree_print_element(e->args[0], e->args[1], e->type->elem, out);
        break;
    case EXPR_FIELD:
        text_addc(out, '&');
        print_expr(e->args[0], PRECEDENCE_POSTFIX, out);
        text_printf(out, "->%s", e->args[0]->type->elem->fields[e->i].name);
        break;
    case EXPR_SLOT:
        text_printf(out, "slot[%" PRId64 "]", e->i);
        break;
    case EXPR_DATA:
        text_add(out, "data<");
        type_print(e->type->elem, out);
        text_printf(out, ">[%" PRId64 " bytes]", e->i);
        break;
    default:
        print_function(e, out);
    }
}

static void print_expr(const struct tree_expr *e, int outer, struct text *out)
{
    int precedence = op_table[e->op].precedence;
    if (!precedence) {
        bool sign = e->op == EXPR_OFFSET || e->op == EXPR_FIELD ||
                    (e->op == EXPR_INT && !type_is_unsigned(e->type) && e->i < 0) ||
                    (e->op == EXPR_FLOAT && signbit(e->f));
        precedence = sign ? PRECEDENCE_UNARY : PRECEDENCE_POSTFIX;
    }
    bool parens = precedence < outer;
    if (parens)
        text_addc(out, '(');
    if (op_table[e->op].precedence)
        print_operator(e, out);
    else
        print_simple(e, out);
    if (parens)
        text_addc(out, ')');
}

void expr_print(const struct tree_expr *e, struct text *out) { print_expr(e, 0, out); }
