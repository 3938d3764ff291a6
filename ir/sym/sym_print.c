/* Symbolic expressions as text. What is printed reads back as the same expression in the syntax it was printed in. */
#include "base/number.h"
#include "ir/sym/sym_internal.h"

#include <math.h>
#include <string.h>

/* How tightly the operators of the text bind; an operand that binds less than its place asks for gets parentheses. */
enum precedence {
    BIND_SELECT,
    BIND_OR,
    BIND_AND,
    BIND_NOT,
    BIND_COMPARE,
    BIND_SUM,
    BIND_TERM,
    BIND_UNARY,
    BIND_POWER,
    BIND_ATOM
};

enum { LONG_ROW = 64 };

struct printer {
    struct text *out;
    enum sym_syntax syntax;
    const char *remainder; /* the function of SYM_MOD */
};

static void print(const struct printer *p, const struct sym *a, enum precedence place);

static void print_list(const struct printer *p, const struct sym *const *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_add(p->out, ", ");
        print(p, args[i], BIND_SELECT);
    }
}

static void print_call(const struct printer *p, const char *name, const struct sym *a)
{
    text_add(p->out, name);
    text_addc(p->out, '(');
    print_list(p, a->args, a->num_args);
    text_addc(p->out, ')');
}

/* ---- constants and names ---- */

static const char *suffix_of(const struct type *type)
{
    static const char *const suffixes[TYPE_COUNT] = {
#define TYPE(kind, name, bytes, ctype, suffix) [TYPE_##kind] = suffix,
#include "ir/types.def"
#undef TYPE
    };
    return type && suffixes[type->kind] ? suffixes[type->kind] : "";
}

static void print_number(const struct printer *p, struct number n)
{
    char buffer[NUMBER_TEXT_SIZE];
    if (n.real)
        text_add(p->out, number_print(n.f, buffer));
    else if (n.den == 1)
        text_add_int(p->out, n.num);
    else
        text_printf(p->out, "%lld/%lld", (long long)n.num, (long long)n.den);
}

static void print_string(const struct printer *p, const char *s)
{
    text_addc(p->out, '\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            text_addc(p->out, '\\');
        text_addc(p->out, *s);
    }
    text_addc(p->out, '\'');
}

static void print_name(const struct printer *p, const struct sym *a)
{
    if (p->syntax != SYM_SYNTAX_NEW)
        text_add(p->out, a->name);
    else if (a->type && type_is_basic(a->type) && a->type->kind != TYPE_I32)
        text_printf(p->out, "symbol($%s, dtype=dace.%s)", a->name, a->type->name);
    else
        text_addc(p->out, '$'), text_add(p->out, a->name);
}

/* "s.x" as Attr($s, $x) */
static void print_container(const struct printer *p, const char *name, size_t length)
{
    size_t dot = length;
    while (dot > 0 && name[dot - 1] != '.')
        dot--;
    if (!dot) {
        text_printf(p->out, "$%.*s", (int)length, name);
        return;
    }
    text_add(p->out, "Attr(");
    print_container(p, name, dot - 1);
    text_printf(p->out, ", $%.*s)", (int)(length - dot), name + dot);
}

static void print_subscript(const struct printer *p, const struct sym *a)
{
    if (p->syntax == SYM_SYNTAX_NEW) {
        text_add(p->out, "Subscript(");
        print_container(p, a->name, strlen(a->name));
        text_add(p->out, ", ");
    } else {
        text_printf(p->out, "%s[", a->name);
    }
    print_list(p, a->args, a->num_args);
    text_addc(p->out, p->syntax == SYM_SYNTAX_NEW ? ')' : ']');
}

static void print_member(const struct printer *p, const struct sym *a)
{
    bool fresh = p->syntax == SYM_SYNTAX_NEW, number = sym_is_constant(a->args[0]) && !fresh; /* (1).x */
    text_add(p->out, fresh ? "Attr(" : number ? "(" : "");
    print(p, a->args[0], fresh || number ? BIND_SELECT : BIND_ATOM);
    text_printf(p->out, fresh ? ", $%s)" : number ? ").%s" : ".%s", a->name);
}

static void print_leaf(const struct printer *p, const struct sym *a)
{
    bool fresh = p->syntax == SYM_SYNTAX_NEW;
    switch (a->op) {
    case SYM_INT:
    case SYM_RATIONAL:
    case SYM_FLOAT:
        print_number(p, number_of(a));
        text_add(p->out, suffix_of(a->type));
        break;
    case SYM_BOOL:
        text_add(p->out, a->i ? "True" : "False");
        break;
    case SYM_STRING:
        print_string(p, a->name);
        break;
    case SYM_UNDEFINED:
        text_add(p->out, fresh ? "$?" : "?");
        break;
    case SYM_INFINITY:
        text_add(p->out, "oo");
        break;
    case SYM_NAN:
        text_add(p->out, "nan");
        break;
    case SYM_NONE:
        text_add(p->out, "None");
        break;
    case SYM_PI:
        text_add(p->out, "pi");
        break;
    case SYM_E:
        text_add(p->out, "E");
        break;
    case SYM_I:
        text_add(p->out, fresh ? "I" : "1j");
        break;
    default:
        print_name(p, a);
        break;
    }
}

/* ---- arithmetic ---- */

static bool is_half(const struct sym *e, int64_t sign) { return e->op == SYM_RATIONAL && e->i == sign && e->den == 2; }

static bool is_reciprocal(const struct sym *a)
{
    return a->op == SYM_POW && (sym_is_int(a->args[1], -1) || is_half(a->args[1], -1));
}

/* The base of a power, or the square root of it */
static void print_root(const struct printer *p, const struct sym *a)
{
    bool root = is_half(a->args[1], 1) || is_half(a->args[1], -1);
    text_add(p->out, root ? "sqrt(" : "");
    print(p, a->args[0], root ? BIND_SELECT : BIND_ATOM);
    text_add(p->out, root ? ")" : "");
}

static void print_power(const struct printer *p, const struct sym *a)
{
    text_add(p->out, is_reciprocal(a) ? "1/" : "");
    print_root(p, a);
    if (is_reciprocal(a) || is_half(a->args[1], 1))
        return;
    text_add(p->out, "**");
    print(p, a->args[1], BIND_ATOM);
}

static bool is_divisor(const struct sym *f)
{
    return f->op == SYM_POW && sym_is_number(f->args[1]) && number_sign(number_of(f->args[1])) < 0;
}

/* Divisors come last: M*1/N is (M*1)/N; other syntaxes than that of DaCe have M/N. */
static void print_factors(const struct printer *p, const struct sym *const *factors, uint32_t count, bool first)
{
    for (int last = 0; last <= 1; last++)
        for (uint32_t i = 0; i < count; i++) {
            if (is_divisor(factors[i]) != last)
                continue;
            bool divided = !first && p->syntax != SYM_SYNTAX_NEW && is_reciprocal(factors[i]);
            text_add(p->out, first ? "" : divided ? "/" : "*");
            if (divided)
                print_root(p, factors[i]);
            else
                print(p, factors[i], is_reciprocal(factors[i]) ? BIND_TERM : BIND_POWER);
            first = false;
        }
}

/* c * factors; with `sign` the factor -1 is but a minus sign. */
static void print_scaled(const struct printer *p, struct number c, const struct sym *const *factors, uint32_t count,
                         bool sign)
{
    bool minus_one = !c.real && c.num == -1 && c.den == 1, one = !c.real && c.num == 1 && c.den == 1, divisors = true;
    for (uint32_t i = 0; i < count; i++)
        divisors = divisors && is_divisor(factors[i]);
    sign = sign && minus_one && !divisors;
    if (sign)
        text_addc(p->out, '-');
    else if (!one)
        print_number(p, c);
    print_factors(p, factors, count, sign || one);
}

static void print_raw(const struct printer *p, const struct sym *a)
{
    for (uint32_t i = 0; i < a->num_args; i++) {
        text_add(p->out, !i ? "(" : a->op == SYM_ADD ? " + (" : "*(");
        print(p, a->args[i], BIND_SELECT);
        text_addc(p->out, ')');
    }
}

static void print_product(const struct printer *p, const struct sym *a, bool sign)
{
    bool numbered = sym_is_number(a->args[0]);
    struct number c = numbered ? number_of(a->args[0]) : number_int(1);
    print_scaled(p, c, a->args + numbered, a->num_args - numbered, sign);
}

static void print_sum(const struct printer *p, const struct sym *a)
{
    for (uint32_t i = 0; i < a->num_args; i++) {
        const struct sym *term = a->args[i];
        struct number c = sym_coefficient(NULL, term, NULL), minus;
        bool product = term->op == SYM_MUL && !term->raw;
        if (i && product && number_sign(c) < 0 && number_mul(c, number_int(-1), &minus)) {
            text_add(p->out, " - ");
            print_scaled(p, minus, term->args + 1, term->num_args - 1, true);
            continue;
        }
        text_add(p->out, i ? " + " : "");
        if (product)
            print_product(p, term, true);
        else
            print(p, term, BIND_TERM);
    }
}

static void print_infix(const struct printer *p, const struct sym *a, const char *op, enum precedence left,
                        enum precedence right)
{
    print(p, a->args[0], left);
    text_add(p->out, op);
    print(p, a->args[1], right);
}

/* ---- operations with a name in one syntax and an operator in another ---- */

static const struct style {
    const char *function, *operator;
    enum precedence binding; /* of the operator */
} styles[SYM_OP_COUNT] = {
    [SYM_MIN] = { "Min", NULL, BIND_ATOM },
    [SYM_MAX] = { "Max", NULL, BIND_ATOM },
    [SYM_AND] = { "AND", " and ", BIND_AND },
    [SYM_OR] = { "OR", " or ", BIND_OR },
    [SYM_FLOOR_DIV] = { "int_floor", " // ", BIND_TERM },
    [SYM_CEIL_DIV] = { "int_ceil", NULL, BIND_ATOM },
    [SYM_MOD] = { "Mod", " % ", BIND_TERM },
    [SYM_FLOOR] = { "floor", NULL, BIND_ATOM },
    [SYM_CEIL] = { "ceiling", NULL, BIND_ATOM },
    [SYM_ABS] = { "Abs", NULL, BIND_ATOM },
    [SYM_ROUND] = { "ROUND", NULL, BIND_ATOM },
    [SYM_NOT] = { "Not", "not ", BIND_NOT },
    [SYM_EQ] = { "Eq", " == ", BIND_COMPARE },
    [SYM_NE] = { "Ne", " != ", BIND_COMPARE },
    [SYM_BIT_AND] = { "bitwise_and", NULL, BIND_ATOM },
    [SYM_BIT_OR] = { "bitwise_or", NULL, BIND_ATOM },
    [SYM_BIT_XOR] = { "bitwise_xor", NULL, BIND_ATOM },
    [SYM_BIT_NOT] = { "bitwise_invert", NULL, BIND_ATOM },
    [SYM_SHL] = { "left_shift", NULL, BIND_ATOM },
    [SYM_SHR] = { "right_shift", NULL, BIND_ATOM },
    [SYM_SELECT] = { "IfExpr", "if", BIND_SELECT },
};

static bool uses_operator(const struct printer *p, const struct sym *a)
{
    return p->syntax == SYM_SYNTAX_PYTHON && styles[a->op].operator;
}

static enum precedence binding_of(const struct printer *p, const struct sym *a)
{
    switch (a->op) {
    case SYM_INT:
    case SYM_FLOAT:
        return number_sign(number_of(a)) < 0 ? BIND_UNARY : BIND_ATOM;
    case SYM_RATIONAL:
        return BIND_TERM;
    case SYM_ADD:
        return BIND_SUM;
    case SYM_MUL:
        return BIND_TERM;
    case SYM_POW:
        return is_reciprocal(a) ? BIND_TERM : is_half(a->args[1], 1) ? BIND_ATOM : BIND_POWER;
    case SYM_LT:
    case SYM_LE:
        return BIND_COMPARE;
    case SYM_NOT:
        if (p->syntax == SYM_SYNTAX_NEW && sym_is_boolean(a->args[0]))
            return BIND_UNARY;
        break;
    default:
        break;
    }
    return uses_operator(p, a) ? styles[a->op].binding : BIND_ATOM;
}

/* DaCe's AND and OR take two arguments; a long row would nest too deeply. */
static void print_nested(const struct printer *p, const struct sym *a)
{
    for (uint32_t i = 0; i < a->num_args; i++) {
        if (i + 1 < a->num_args)
            text_printf(p->out, "%s(", styles[a->op].function);
        print(p, a->args[i], BIND_SELECT);
        text_add(p->out, i + 1 < a->num_args ? ", " : "");
    }
    for (uint32_t i = 1; i < a->num_args; i++)
        text_addc(p->out, ')');
}

static void print_operator(const struct printer *p, const struct sym *a)
{
    enum precedence own = styles[a->op].binding;
    switch (a->op) {
    case SYM_SELECT:
        print(p, a->args[1], BIND_OR);
        text_add(p->out, " if ");
        print(p, a->args[0], BIND_OR);
        text_add(p->out, " else ");
        print(p, a->args[2], BIND_SELECT);
        break;
    case SYM_NOT:
        text_add(p->out, "not ");
        print(p, a->args[0], BIND_NOT);
        break;
    case SYM_AND:
    case SYM_OR:
        for (uint32_t i = 0; i < a->num_args; i++) {
            text_add(p->out, i ? styles[a->op].operator: "");
            print(p, a->args[i], own + 1);
        }
        break;
    case SYM_FLOOR_DIV:
    case SYM_MOD:
        print_infix(p, a, styles[a->op].operator, BIND_POWER, BIND_POWER);
        break;
    default:
        print_infix(p, a, styles[a->op].operator, own + 1, own + 1);
        break;
    }
}

static void print_bare(const struct printer *p, const struct sym *a)
{
    switch (a->op) {
    case SYM_ADD:
    case SYM_MUL:
        if (a->raw)
            print_raw(p, a);
        else if (a->op == SYM_ADD)
            print_sum(p, a);
        else /* 2.0.0a6 writes -1*$N, but -$N + $M */
            print_product(p, a, p->syntax != SYM_SYNTAX_NEW);
        return;
    case SYM_POW:
        print_power(p, a);
        return;
    case SYM_LT:
    case SYM_LE:
        print_infix(p, a, a->op == SYM_LT ? " < " : " <= ", BIND_SUM, BIND_SUM);
        return;
    case SYM_SUBSCRIPT:
        print_subscript(p, a);
        return;
    case SYM_ATTR:
        print_member(p, a);
        return;
    case SYM_CAST:
        text_add(p->out, "dace.");
        type_print(a->type, p->out);
        print_call(p, "", a);
        return;
    case SYM_CALL:
        print_call(p, a->name, a);
        return;
    default:
        break;
    }
    if (!a->num_args)
        print_leaf(p, a);
    else if (uses_operator(p, a))
        print_operator(p, a);
    else if ((a->op == SYM_AND || a->op == SYM_OR) && a->num_args <= LONG_ROW)
        print_nested(p, a);
    else if (a->op == SYM_NOT && p->syntax == SYM_SYNTAX_NEW && sym_is_boolean(a->args[0]))
        text_addc(p->out, '~'), print(p, a->args[0], BIND_ATOM);
    else
        print_call(p, a->op == SYM_MOD ? p->remainder : styles[a->op].function, a);
}

static void print(const struct printer *p, const struct sym *a, enum precedence place)
{
    bool parentheses = binding_of(p, a) < place;
    if (parentheses)
        text_addc(p->out, '(');
    print_bare(p, a);
    if (parentheses)
        text_addc(p->out, ')');
}

void sym_print(const struct sym *a, enum sym_syntax syntax, struct text *out)
{
    print(&(struct printer){ .out = out, .syntax = syntax, .remainder = "Mod" }, a, BIND_SELECT);
}

void sym_print_of(const struct ir *ir, const struct sym *a, struct text *out)
{
    print(&(struct printer){ .out = out, .syntax = SYM_SYNTAX_NEW, .remainder = ir->floored_mod ? "CMod" : "Mod" }, a,
          BIND_SELECT);
}

const char *sym_text(struct ir *ir, const struct sym *a)
{
    struct text out = text_new(ir->arena);
    sym_print(a, SYM_SYNTAX_PYTHON, &out);
    return text_get(&out);
}
