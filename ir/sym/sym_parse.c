/* Grammar of symbolic text (format.md 5.3, 5.6, 5.7), by recursive descent. */
#include "ir/sym/sym_parser.h"

#include <string.h>

static const char too_deep[] = "nesting of more than 1000 levels";

static bool enter(struct sym_parser *p)
{
    if (++p->depth <= SYM_PARSE_DEPTH)
        return true;
    return sym_parse_unsupported(p, p->token.at, too_deep);
}

static const struct sym *parse_unary(struct sym_parser *p);
static const struct sym *parse_infix(struct sym_parser *p, int weakest);

static bool names_argument(const struct sym_parser *p)
{
    size_t at = p->token.end;
    while (at < p->length && p->text[at] == ' ')
        at++;
    return p->token.kind == SYM_TOKEN_NAME && at < p->length && p->text[at] == '=' && p->text[at + 1] != '=';
}

bool sym_parse_list(struct sym_parser *p, const char *close, struct sym_list *out)
{
    while (!p->failed && !sym_at(p, close)) {
        if (names_argument(p))
            return sym_parse_unsupported(p, p->token.at, "a named argument");
        const struct sym *a = sym_parse_expr(p);
        if (!a)
            return false;
        if (sym_at(p, ":"))
            return sym_parse_fail(p, p->token.at, "a range of elements where one element is needed");
        sym_list_add(out, a);
        if (!sym_at(p, close) && !sym_expect(p, ","))
            return false;
    }
    return sym_expect(p, close);
}

/* ---- atoms ---- */

static bool is_keyword(const char *name)
{
    static const char *const keywords[] = { "and", "or", "not", "if", "else", "is", "in", "for", "lambda" };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strcmp(keywords[i], name))
            return true;
    return false;
}

static const struct sym *bare_name(struct sym_parser *p, const char *name, size_t at)
{
    static const struct {
        const char *name;
        enum sym_op op;
        bool everywhere; /* elsewhere than in the new syntax such names are symbols */
    } constants[] = {
        { "None", SYM_NONE, true }, { "NoneSymbol", SYM_NONE, true }, { "oo", SYM_INFINITY, true },
        { "nan", SYM_NAN, true },   { "pi", SYM_PI, false },          { "E", SYM_E, false },
        { "I", SYM_I, false },
    };
    if (!strcmp(name, "True") || !strcmp(name, "False"))
        return sym_bool(p->ir, name[0] == 'T');
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(constants[i].name, name) && (constants[i].everywhere || p->syntax == SYM_SYNTAX_NEW))
            return sym_leaf(p->ir, constants[i].op);
    if (p->syntax == SYM_SYNTAX_PYTHON && !strcmp(name, "inf"))
        return sym_leaf(p->ir, SYM_INFINITY);
    if (p->syntax != SYM_SYNTAX_NEW)
        return sym_name(p->ir, name);
    if (!p->failed)
        diag_error_in(p->ir->diags, p->place, p->text, p->length, at, DIAG_SYM_BARE_NAME, name, name);
    p->failed = true;
    return NULL;
}

/* A name, perhaps with members, which may be called: N, f(x), dace.int64(x), s.x */
static const struct sym *parse_name(struct sym_parser *p)
{
    size_t at = p->token.at;
    const char *path = p->token.text;
    const struct sym *base = NULL;
    if (is_keyword(path))
        return sym_parse_fail(p, at, "an operand expected");
    if (!sym_next(p))
        return NULL;
    if (!sym_at(p, "."))
        return sym_at(p, "(") ? sym_parse_call(p, path, at) : bare_name(p, path, at);
    if (p->syntax != SYM_SYNTAX_NEW)
        base = bare_name(p, path, at);
    const char *first = path;
    while (sym_at(p, ".")) {
        if (!sym_next(p))
            return NULL;
        if (p->token.kind != SYM_TOKEN_NAME)
            return sym_parse_fail(p, p->token.at, "the name of a member expected");
        path = intern(p->ir->names, arena_printf(p->ir->arena, "%s.%s", path, p->token.text));
        if (base)
            base = sym_node(p->ir, SYM_ATTR, NULL, p->token.text, &base, 1);
        if (strlen(path) > 4 * SYM_PARSE_DEPTH)
            return sym_parse_unsupported(p, p->token.at, too_deep);
        if (!sym_next(p))
            return NULL;
    }
    if (sym_at(p, "("))
        return sym_parse_call(p, path, at);
    return p->syntax == SYM_SYNTAX_NEW ? bare_name(p, first, at) : base;
}

/* "(" expression ")", perhaps the constant (1.0+2.0j)c64 */
static const struct sym *parse_parenthesis(struct sym_parser *p)
{
    const struct sym *a;
    if (!sym_next(p) || !(a = sym_parse_expr(p)))
        return NULL;
    size_t close = p->token.end;
    if (sym_at(p, ","))
        return sym_parse_fail(p, p->token.at, "a tuple where one value is needed");
    if (!sym_expect(p, ")"))
        return NULL;
    bool single = sym_at(p, "c64");
    if (p->token.at == close && (single || sym_at(p, "c128")))
        return sym_next(p) ? sym_cast(p->ir, type_basic(p->ir, single ? TYPE_C64 : TYPE_C128), a) : NULL;
    return a;
}

static const struct sym *parse_atom(struct sym_parser *p)
{
    const struct sym *a = p->token.value;
    switch (p->token.kind) {
    case SYM_TOKEN_NUMBER:
        if (!a && !p->failed) {
            p->failed = true;
            diag_error_in(p->ir->diags, p->place, p->text, p->length, p->token.at, DIAG_SYM_RANGE);
        }
        break;
    case SYM_TOKEN_SYMBOL:
        a = sym_name(p->ir, p->token.text);
        break;
    case SYM_TOKEN_UNDEFINED:
        a = sym_leaf(p->ir, SYM_UNDEFINED);
        break;
    case SYM_TOKEN_STRING:
        a = sym_node(p->ir, SYM_STRING, NULL, p->token.text, NULL, 0);
        break;
    case SYM_TOKEN_NAME:
        return parse_name(p);
    case SYM_TOKEN_OPERATOR:
        return sym_at(p, "(") ? parse_parenthesis(p) : sym_parse_fail(p, p->token.at, "an operand expected");
    case SYM_TOKEN_END:
        return sym_parse_fail(p, p->token.at, "the expression ends where an operand is expected");
    }
    return a && sym_next(p) ? a : NULL;
}

static const struct sym *parse_postfix(struct sym_parser *p)
{
    const struct sym *a = parse_atom(p);
    while (a && !p->failed) {
        size_t at = p->token.at;
        if (sym_at(p, ".")) {
            if (!sym_next(p))
                return NULL;
            if (p->token.kind != SYM_TOKEN_NAME)
                return sym_parse_fail(p, p->token.at, "the name of a member expected");
            a = sym_node(p->ir, SYM_ATTR, NULL, p->token.text, &a, 1);
            if (!sym_next(p))
                return NULL;
        } else if (sym_at(p, "[")) {
            struct sym_list indices;
            sym_list_init(&indices, p->ir);
            if (!sym_next(p) || !sym_parse_list(p, "]", &indices))
                return NULL;
            if (!indices.count)
                return sym_parse_fail(p, at, "no index");
            a = sym_subscript(p, a, &indices);
        } else if (sym_at(p, "(")) {
            const char *path = a->op == SYM_ATTR ? sym_dotted(p->ir, a) : NULL;
            a = path ? sym_parse_call(p, path, at) : sym_parse_fail(p, at, "this cannot be called");
        } else {
            break;
        }
        if (a && a->depth > SYM_PARSE_DEPTH)
            return sym_parse_unsupported(p, at, too_deep);
    }
    return p->failed ? NULL : a;
}

/* ---- operators, strongest first ---- */

static const struct sym *parse_power(struct sym_parser *p)
{
    const struct sym *base = parse_postfix(p), *exponent;
    if (!base || !sym_at(p, "**"))
        return base;
    if (!enter(p) || !sym_next(p) || !(exponent = parse_unary(p)))
        return NULL;
    p->depth--;
    return sym_power(p->ir, base, exponent);
}

static const struct sym *parse_unary(struct sym_parser *p)
{
    const char *op = p->token.kind == SYM_TOKEN_OPERATOR ? p->token.text : "";
    if (strcmp(op, "+") && strcmp(op, "-") && strcmp(op, "~"))
        return parse_power(p);
    if (!enter(p) || !sym_next(p))
        return NULL;
    const struct sym *a;
    if (*op == '-' && p->token.kind == SYM_TOKEN_NUMBER && !p->token.value) {
        a = sym_int(p->ir, INT64_MIN);
        if (!sym_next(p))
            return NULL;
    } else if (!(a = parse_unary(p))) {
        return NULL;
    } else if (*op == '-') {
        a = sym_neg(p->ir, a);
    } else if (*op == '~') { /* written for logical negation as well */
        a = sym_make(p->ir, sym_is_boolean(a) ? SYM_NOT : SYM_BIT_NOT, NULL, NULL, &a, 1);
    }
    p->depth--;
    return a;
}

static const struct sym *multiply(struct sym_parser *p, const struct sym_list *l)
{
    return l->count == 1 ? l->items[0] : sym_product(p->ir, l->items, l->count);
}

static const struct sym *parse_term(struct sym_parser *p)
{
    const struct sym *a = parse_unary(p);
    if (!a || p->token.kind != SYM_TOKEN_OPERATOR)
        return a;
    struct sym_list factors; /* of the product so far, multiplied at once */
    sym_list_init(&factors, p->ir);
    sym_list_add(&factors, a);
    for (;;) {
        bool times = sym_at(p, "*"), over = sym_at(p, "/"), floored = sym_at(p, "//");
        if (!times && !over && !floored && !sym_at(p, "%"))
            return multiply(p, &factors);
        if (!sym_next(p) || !(a = parse_unary(p)))
            return NULL;
        if (over)
            a = sym_power(p->ir, a, sym_int(p->ir, -1));
        if (times || over) {
            sym_list_add(&factors, a);
            continue;
        }
        const struct sym *const args[] = { multiply(p, &factors), a };
        factors.items[0] = sym_make(p->ir, floored ? SYM_FLOOR_DIV : SYM_MOD, NULL, NULL, args, 2);
        factors.count = 1;
    }
}

static const struct sym *parse_sum(struct sym_parser *p)
{
    const struct sym *a = parse_term(p);
    if (!a || !(sym_at(p, "+") || sym_at(p, "-")))
        return a;
    struct sym_list terms;
    sym_list_init(&terms, p->ir);
    sym_list_add(&terms, a);
    for (;;) {
        bool minus = sym_at(p, "-");
        if (!minus && !sym_at(p, "+"))
            return sym_sum(p->ir, terms.items, terms.count);
        if (!sym_next(p) || !(a = parse_term(p)))
            return NULL;
        sym_list_add(&terms, minus ? sym_neg(p->ir, a) : a);
    }
}

/* ---- infix operators weaker than a sum ---- */

enum level {
    LEVEL_NONE,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_SHIFT
};

static const struct infix {
    const char *text;
    enum level level;
    enum sym_op op;
    bool swapped;
} infixes[] = {
    { "or", LEVEL_OR, SYM_OR, false },          { "and", LEVEL_AND, SYM_AND, false },
    { "<", LEVEL_COMPARE, SYM_LT, false },      { "<=", LEVEL_COMPARE, SYM_LE, false },
    { ">", LEVEL_COMPARE, SYM_LT, true },       { ">=", LEVEL_COMPARE, SYM_LE, true },
    { "==", LEVEL_COMPARE, SYM_EQ, false },     { "!=", LEVEL_COMPARE, SYM_NE, false },
    { "is", LEVEL_COMPARE, SYM_CALL, false },   { "|", LEVEL_BIT_OR, SYM_BIT_OR, false },
    { "^", LEVEL_BIT_XOR, SYM_BIT_XOR, false }, { "&", LEVEL_BIT_AND, SYM_BIT_AND, false },
    { "<<", LEVEL_SHIFT, SYM_SHL, false },      { ">>", LEVEL_SHIFT, SYM_SHR, false },
};

static const struct infix *infix_at(const struct sym_parser *p, int weakest)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if ((int)infixes[i].level >= weakest && sym_at(p, infixes[i].text))
            return &infixes[i];
    return NULL;
}

static const struct sym *combine(struct sym_parser *p, const struct infix *o, bool negated, const struct sym *a,
                                 const struct sym *b)
{
    const struct sym *const args[] = { o->swapped ? b : a, o->swapped ? a : b };
    enum sym_op op = o->op;
    if (op == SYM_CALL)
        return sym_node(p->ir, SYM_CALL, NULL, negated ? "IsNot" : "Is", args, 2);
    if ((op == SYM_BIT_AND || op == SYM_BIT_OR) && sym_is_boolean(a) && sym_is_boolean(b))
        op = op == SYM_BIT_AND ? SYM_AND : SYM_OR;
    return sym_make(p->ir, op, NULL, NULL, args, 2);
}

/* a < b < c means what it means in Python, although DaCe compiles (a < b) < c. */
static const struct sym *chain(struct sym_parser *p, const struct sym *so_far, const struct sym *next, size_t at)
{
    const struct sym *const both[] = { so_far, next };
    if (p->syntax == SYM_SYNTAX_NEW)
        return sym_parse_fail(p, at, "comparisons cannot be chained");
    diag_warning(p->ir->diags, p->place, DIAG_SYM_CHAIN, p->text);
    return sym_and_or(p->ir, SYM_AND, both, 2);
}

/* The operands of one row of `and` or `or`, the first of which is there. */
static const struct sym *parse_row(struct sym_parser *p, const struct infix *o, const struct sym *first)
{
    struct sym_list l;
    sym_list_init(&l, p->ir);
    sym_list_add(&l, first);
    while (sym_at(p, o->text)) {
        const struct sym *a;
        if (!sym_next(p) || !(a = parse_infix(p, o->level + 1)))
            return NULL;
        sym_list_add(&l, a);
    }
    return sym_and_or(p->ir, o->op, l.items, l.count);
}

static const struct sym *parse_not(struct sym_parser *p)
{
    const struct sym *a;
    if (!enter(p) || !sym_next(p) || !(a = parse_infix(p, LEVEL_NOT)))
        return NULL;
    p->depth--;
    return sym_not(p->ir, a);
}

static const struct sym *parse_infix(struct sym_parser *p, int weakest)
{
    const struct infix *o;
    const struct sym *left = weakest <= LEVEL_NOT && sym_at(p, "not") ? parse_not(p) : parse_sum(p);
    const struct sym *last = NULL; /* right side of the comparison before */
    while (left && !p->failed && (o = infix_at(p, weakest))) {
        size_t at = p->token.at;
        if (o->level <= LEVEL_AND) {
            left = parse_row(p, o, left);
            continue;
        }
        if (!sym_next(p))
            return NULL;
        bool negated = o->op == SYM_CALL && sym_at(p, "not");
        const struct sym *right;
        if ((negated && !sym_next(p)) || !(right = parse_infix(p, o->level + 1)))
            return NULL;
        bool comparison = o->level == LEVEL_COMPARE;
        const struct sym *result = combine(p, o, negated, comparison && last ? last : left, right);
        left = comparison && last ? chain(p, left, result, at) : result;
        last = comparison ? right : NULL;
    }
    return p->failed ? NULL : left;
}

const struct sym *sym_parse_expr(struct sym_parser *p)
{
    const struct sym *args[3];
    if (!enter(p) || !(args[1] = parse_infix(p, LEVEL_OR)))
        return NULL;
    if (sym_at(p, "if")) {
        if (!sym_next(p) || !(args[0] = parse_infix(p, LEVEL_OR)) || !sym_expect(p, "else") ||
            !(args[2] = sym_parse_expr(p)))
            return NULL;
        args[1] = sym_make(p->ir, SYM_SELECT, NULL, NULL, args, 3);
    }
    p->depth--;
    return args[1];
}

const struct sym *sym_parse(struct ir *ir, const struct place *place, const char *text, enum sym_syntax syntax)
{
    struct sym_parser p = { .ir = ir, .place = place, .text = text, .length = strlen(text), .syntax = syntax };
    uint32_t too_large = ir->syms->too_large;
    const struct sym *a = sym_next(&p) ? sym_parse_expr(&p) : NULL;
    if (!a || p.failed)
        return NULL;
    if (p.token.kind != SYM_TOKEN_END)
        return sym_parse_fail(&p, p.token.at, "an operator or the end of the expression expected");
    if (a->depth > SYM_PARSE_DEPTH || ir->syms->too_large != too_large)
        return sym_parse_unsupported(&p, 0, too_deep);
    return a;
}
