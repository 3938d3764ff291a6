#include "ir/code/python.h"

#include <string.h>

/* Binary operators by precedence; all but ** associate to the left, and comparisons form chains. */
enum {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_BITOR,
    LEVEL_BITXOR,
    LEVEL_BITAND,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_TERM
};

static const struct {
    const char *text;
    uint32_t level;
    enum code_op op;
} binaries[] = {
    { "or", LEVEL_OR, CODE_OR },        { "and", LEVEL_AND, CODE_AND },       { "<", LEVEL_COMPARE, CODE_LT },
    { "<=", LEVEL_COMPARE, CODE_LE },   { ">", LEVEL_COMPARE, CODE_GT },      { ">=", LEVEL_COMPARE, CODE_GE },
    { "==", LEVEL_COMPARE, CODE_EQ },   { "!=", LEVEL_COMPARE, CODE_NE },     { "is", LEVEL_COMPARE, CODE_IS },
    { "in", LEVEL_COMPARE, CODE_IN },   { "not", LEVEL_COMPARE, CODE_NOTIN }, { "|", LEVEL_BITOR, CODE_BITOR },
    { "^", LEVEL_BITXOR, CODE_BITXOR }, { "&", LEVEL_BITAND, CODE_BITAND },   { "<<", LEVEL_SHIFT, CODE_SHL },
    { ">>", LEVEL_SHIFT, CODE_SHR },    { "+", LEVEL_SUM, CODE_ADD },         { "-", LEVEL_SUM, CODE_SUB },
    { "*", LEVEL_TERM, CODE_MUL },      { "/", LEVEL_TERM, CODE_DIV },        { "//", LEVEL_TERM, CODE_FLOORDIV },
    { "%", LEVEL_TERM, CODE_MOD },      { "@", LEVEL_TERM, CODE_MATMUL },
};

static struct code *binary(struct python *p, uint32_t lowest);

struct code *python_with_items(struct python *p, const struct python_token *t, enum code_kind kind,
                               const python_nodes *items)
{
    struct code *c = python_node(p, t, kind, items->count);
    if (items->count)
        memcpy(c->items, items->items, items->count * sizeof *c->items);
    return c;
}

static struct code *node2(struct python *p, const struct python_token *t, enum code_kind kind, enum code_op op,
                          struct code *a, struct code *b)
{
    struct code *c = python_node(p, t, kind, b ? 2 : 1);
    c->op = op;
    c->items[0] = a;
    if (b)
        c->items[1] = b;
    return c;
}

static struct code *unsupported(struct python *p, const char *what)
{
    python_unsupported(p, python_token(p)->offset, what);
    return NULL;
}

/* The words that make a comprehension or generator of what was an element. */
static bool refuse_comprehension(struct python *p)
{
    if (python_is(p, "for") || python_is(p, "async"))
        return python_unsupported(p, python_token(p)->offset, "comprehension");
    if (python_is(p, ":="))
        return python_unsupported(p, python_token(p)->offset, "assignment expression");
    return true;
}

static struct code *lambda(struct python *p)
{
    struct python_token t = *python_token(p);
    python_nodes items = { 0 };
    p->at++;
    while (!python_is(p, ":")) {
        const struct python_token *name = python_token(p);
        if (python_is(p, "*") || python_is(p, "**") || python_is(p, "/"))
            return unsupported(p, "parameter list");
        if (name->kind != PYTHON_NAME)
            return python_unexpected(p, "a parameter name");
        struct code *c = python_node(p, name, CODE_NAME, 0);
        c->name = name->text;
        vec_push(p->ir->arena, &items, c);
        p->at++;
        if (python_is(p, "="))
            return unsupported(p, "default value of a parameter");
        if (!python_is(p, ":") && !python_expect(p, ","))
            return NULL;
    }
    p->at++;
    struct code *body = python_expression(p);
    if (!body)
        return NULL;
    vec_push(p->ir->arena, &items, body);
    return python_with_items(p, &t, CODE_LAMBDA, &items);
}

static struct code *slice(struct python *p)
{
    struct python_token t = *python_token(p);
    struct code *part[3] = { 0 };
    uint32_t colons = 0;
    for (;;) {
        if (python_is(p, ":")) {
            if (++colons > 2)
                return python_unexpected(p, "',' or ']'");
            p->at++;
            continue;
        }
        if (python_is(p, ",") || python_is(p, "]"))
            break;
        if (part[colons])
            return python_unexpected(p, "':', ',' or ']'");
        if (python_is(p, "..."))
            return unsupported(p, "ellipsis");
        if (python_is(p, "*"))
            return unsupported(p, "starred expression");
        part[colons] = python_expression(p);
        if (!part[colons] || !refuse_comprehension(p))
            return NULL;
    }
    if (!colons)
        return part[0] ? part[0] : python_unexpected(p, "an index");
    struct code *c = python_node(p, &t, CODE_SLICE, 3);
    memcpy(c->items, part, sizeof part);
    return c;
}

static struct code *subscript(struct python *p, struct code *base)
{
    struct python_token t = *python_token(p);
    python_nodes items = { 0 };
    vec_push(p->ir->arena, &items, base);
    bool comma = false;
    p->at++;
    do {
        struct code *index = slice(p);
        if (!index)
            return NULL;
        vec_push(p->ir->arena, &items, index);
        comma = python_accept(p, ",");
    } while (comma && !python_is(p, "]"));
    if (!python_expect(p, "]"))
        return NULL;
    if (!comma && items.count == 2 && items.items[1]->kind == CODE_TUPLE) { /* a[(i, j)] is a[i, j] */
        struct code *tuple = items.items[1];
        items.count = 1;
        for (uint32_t i = 0; i < tuple->count; i++)
            vec_push(p->ir->arena, &items, tuple->items[i]);
    }
    return python_with_items(p, &t, CODE_INDEX, &items);
}

/* dace.T(x) converts; int(x), float(x) and unknown names stay calls. */
static struct code *call_or_cast(struct python *p, const struct python_token *t, const python_nodes *items)
{
    if (items->count == 2 && items->items[0]->kind == CODE_MEMBER && items->items[1]->kind != CODE_KEYWORD) {
        const struct code *module = items->items[0];
        while (module->kind == CODE_MEMBER)
            module = module->items[0];
        const struct type *type =
            module->kind == CODE_NAME && strcmp(module->name, "dace") == 0 ? python_type(p, items->items[0]) : NULL;
        if (type) {
            struct code *c = node2(p, t, CODE_CAST, CODE_OP_NONE, items->items[1], NULL);
            c->type = type;
            return c;
        }
    }
    return python_with_items(p, t, CODE_CALL, items);
}

static struct code *argument(struct python *p, bool *keywords)
{
    struct python_token t = *python_token(p);
    if (python_is(p, "*") || python_is(p, "**"))
        return unsupported(p, "starred argument");
    const struct python_token *next = &p->tokens.items[p->at + (t.kind != PYTHON_END)];
    if (t.kind == PYTHON_NAME && next->kind == PYTHON_OPERATOR && strcmp(next->text, "=") == 0) {
        p->at += 2;
        struct code *value = python_expression(p);
        if (!value)
            return NULL;
        struct code *c = node2(p, &t, CODE_KEYWORD, CODE_OP_NONE, value, NULL);
        c->name = t.text;
        *keywords = true;
        return c;
    }
    if (*keywords) {
        python_error(p, t.offset, "positional argument after a keyword argument");
        return NULL;
    }
    struct code *c = python_expression(p);
    return c && refuse_comprehension(p) ? c : NULL;
}

static struct code *call(struct python *p, struct code *callee)
{
    struct python_token t = *python_token(p);
    python_nodes items = { 0 };
    vec_push(p->ir->arena, &items, callee);
    p->at++;
    bool keywords = false;
    while (!python_is(p, ")")) {
        struct code *c = argument(p, &keywords);
        if (!c)
            return NULL;
        vec_push(p->ir->arena, &items, c);
        if (!python_is(p, ")") && !python_expect(p, ","))
            return NULL;
    }
    p->at++;
    return call_or_cast(p, &t, &items);
}

/* Behind "(": the empty tuple, an expression, or a tuple. */
static struct code *bracketed(struct python *p)
{
    struct python_token t = *python_token(p);
    python_nodes items = { 0 };
    bool comma = false;
    p->at++;
    while (!python_is(p, ")")) {
        if (python_is(p, "*"))
            return unsupported(p, "starred expression");
        if (python_is(p, "yield"))
            return unsupported(p, "yield");
        struct code *c = python_expression(p);
        if (!c || !refuse_comprehension(p))
            return NULL;
        vec_push(p->ir->arena, &items, c);
        if (python_is(p, ")"))
            break;
        if (!python_expect(p, ","))
            return NULL;
        comma = true;
    }
    p->at++;
    return items.count == 1 && !comma ? items.items[0] : python_with_items(p, &t, CODE_TUPLE, &items);
}

static struct code *strings(struct python *p)
{
    struct python_token t = *python_token(p);
    struct text joined = text_new(p->ir->arena);
    for (; python_token(p)->kind == PYTHON_STRING; p->at++)
        text_add(&joined, python_token(p)->text);
    struct code *c = python_node(p, &t, CODE_STRING, 0);
    c->name = intern(p->ir->names, text_get(&joined));
    return c;
}

static struct code *constant(struct python *p)
{
    const struct python_token *t = python_token(p);
    if (python_accept(p, "None"))
        return python_node(p, t, CODE_NONE, 0);
    if (python_is(p, "True") || python_is(p, "False")) {
        struct code *c = python_node(p, t, CODE_BOOL, 0);
        c->i = python_is(p, "True");
        p->at++;
        return c;
    }
    return NULL;
}

static struct code *atom(struct python *p)
{
    const struct python_token *t = python_token(p);
    struct code *c;
    switch (t->kind) {
    case PYTHON_NAME:
        c = python_node(p, t, CODE_NAME, 0);
        c->name = t->text;
        p->at++;
        return c;
    case PYTHON_INT:
        c = python_node(p, t, CODE_INT, 0);
        c->u = t->u;
        c->i = (int64_t)t->u;
        c->big = t->u > INT64_MAX;
        p->at++;
        return c;
    case PYTHON_FLOAT:
    case PYTHON_IMAG:
        c = python_node(p, t, t->kind == PYTHON_FLOAT ? CODE_FLOAT : CODE_IMAG, 0);
        c->f = t->f;
        p->at++;
        return c;
    case PYTHON_STRING:
        return strings(p);
    default:
        break;
    }
    if (python_is(p, "("))
        return bracketed(p);
    if (python_is(p, "[") || python_is(p, "{"))
        return unsupported(p, python_is(p, "[") ? "list" : "dictionary or set");
    if (python_is(p, "..."))
        return unsupported(p, "ellipsis");
    if (python_is(p, "yield") || python_is(p, "await"))
        return unsupported(p, t->text);
    c = constant(p);
    return c ? c : python_unexpected(p, "an expression");
}

static struct code *postfix(struct python *p)
{
    struct code *c = atom(p);
    while (c) {
        if (python_is(p, "(")) {
            c = call(p, c);
        } else if (python_is(p, "[")) {
            c = subscript(p, c);
        } else if (python_accept(p, ".")) {
            const struct python_token *t = python_token(p);
            if (t->kind != PYTHON_NAME)
                return python_unexpected(p, "a member name");
            c = node2(p, t, CODE_MEMBER, CODE_OP_NONE, c, NULL);
            c->name = t->text;
            p->at++;
        } else {
            return c;
        }
    }
    return NULL;
}

/* -x, +x, ~x, x ** y: the power binds tighter than a sign on its left, and less tightly than one on its right. */
static struct code *unary(struct python *p)
{
    const struct python_token t = *python_token(p);
    if (!python_enter(p))
        return NULL;
    enum code_op op = python_is(p, "-")   ? CODE_NEG
                      : python_is(p, "+") ? CODE_PLUS
                      : python_is(p, "~") ? CODE_BITNOT
                                          : CODE_OP_NONE;
    struct code *c;
    if (op) {
        p->at++;
        c = unary(p);
        c = c ? node2(p, &t, CODE_UNARY, op, c, NULL) : NULL;
    } else {
        c = postfix(p);
        const struct python_token power = *python_token(p);
        if (c && python_accept(p, "**")) {
            struct code *exponent = unary(p);
            c = exponent ? node2(p, &power, CODE_BINARY, CODE_POW, c, exponent) : NULL;
        }
    }
    p->depth--;
    return c;
}

/* The row of the operator that comes next and its length in tokens; NULL if none. */
static int next_binary(const struct python *p, uint32_t *tokens, enum code_op *op)
{
    const struct python_token *t = python_token(p);
    *tokens = 1;
    if (t->kind != PYTHON_OPERATOR && t->kind != PYTHON_KEYWORD)
        return -1;
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        if (strcmp(binaries[i].text, t->text) != 0)
            continue;
        *op = binaries[i].op;
        const struct python_token *second = t + 1; /* the last token is PYTHON_END, and t is not it */
        bool keyword = second->kind == PYTHON_KEYWORD;
        if (*op == CODE_NOTIN && (!keyword || strcmp(second->text, "in") != 0))
            return -1;
        if (*op == CODE_IS && keyword && strcmp(second->text, "not") == 0)
            *op = CODE_ISNOT;
        *tokens = *op == CODE_NOTIN || *op == CODE_ISNOT ? 2 : 1;
        return (int)binaries[i].level;
    }
    return -1;
}

/* a < b < c becomes the pairs (a, b), (b, c); `b` is shared. */
static struct code *comparison(struct python *p, struct code *left)
{
    struct python_token first = *python_token(p);
    python_nodes pairs = { 0 };
    uint32_t tokens;
    enum code_op op;
    while (next_binary(p, &tokens, &op) == LEVEL_COMPARE) {
        struct python_token t = *python_token(p);
        p->at += tokens;
        struct code *right = binary(p, LEVEL_BITOR);
        if (!right)
            return NULL;
        vec_push(p->ir->arena, &pairs, node2(p, &t, CODE_BINARY, op, left, right));
        left = right;
    }
    return pairs.count == 1 ? pairs.items[0] : python_with_items(p, &first, CODE_COMPARE_CHAIN, &pairs);
}

static struct code *binary_or_not(struct python *p, uint32_t lowest)
{
    const struct python_token t = *python_token(p);
    struct code *left;
    if (lowest <= LEVEL_NOT && python_accept(p, "not")) {
        left = binary(p, LEVEL_NOT);
        left = left ? node2(p, &t, CODE_UNARY, CODE_NOT, left, NULL) : NULL;
    } else {
        left = unary(p);
    }
    while (left) {
        uint32_t tokens;
        enum code_op op;
        int level = next_binary(p, &tokens, &op);
        if (level < (int)lowest)
            return left;
        if (level == LEVEL_COMPARE) {
            left = comparison(p, left);
            continue;
        }
        const struct python_token at = *python_token(p);
        p->at += tokens;
        struct code *right = binary(p, (uint32_t)level + 1);
        left = right ? node2(p, &at, CODE_BINARY, op, left, right) : NULL;
    }
    return NULL;
}

static struct code *binary(struct python *p, uint32_t lowest)
{
    if (!python_enter(p))
        return NULL;
    struct code *c = binary_or_not(p, lowest);
    p->depth--;
    return c;
}

static struct code *conditional(struct python *p)
{
    if (python_is(p, "lambda"))
        return lambda(p);
    struct code *c = binary(p, LEVEL_OR);
    const struct python_token t = *python_token(p);
    if (!c || !python_accept(p, "if"))
        return c;
    struct code *condition = binary(p, LEVEL_OR);
    if (!condition || !python_expect(p, "else"))
        return NULL;
    struct code *otherwise = python_expression(p);
    if (!otherwise)
        return NULL;
    struct code *select = python_node(p, &t, CODE_SELECT, 3);
    select->items[0] = condition;
    select->items[1] = c;
    select->items[2] = otherwise;
    return select;
}

struct code *python_expression(struct python *p)
{
    if (!python_enter(p))
        return NULL;
    struct code *c = conditional(p);
    p->depth--;
    return c;
}

struct code *python_expression_list(struct python *p)
{
    struct python_token t = *python_token(p);
    if (python_is(p, "*"))
        return unsupported(p, "starred expression");
    struct code *c = python_expression(p);
    if (!c || !refuse_comprehension(p) || !python_is(p, ","))
        return c;
    python_nodes items = { 0 };
    vec_push(p->ir->arena, &items, c);
    while (python_accept(p, ",")) {
        const struct python_token *next = python_token(p);
        if (next->kind == PYTHON_NEWLINE || next->kind == PYTHON_END || python_is(p, "=") || python_is(p, ";"))
            break;
        if (python_is(p, "*"))
            return unsupported(p, "starred expression");
        c = python_expression(p);
        if (!c)
            return NULL;
        vec_push(p->ir->arena, &items, c);
    }
    return python_with_items(p, &t, CODE_TUPLE, &items);
}
