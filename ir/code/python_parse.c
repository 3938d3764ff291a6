#include "ir/code/python.h"

#include <string.h>

static const struct {
    const char *text;
    enum code_op op;
} augmented[] = {
    { "+=", CODE_ADD },    { "-=", CODE_SUB },  { "*=", CODE_MUL },    { "/=", CODE_DIV },    { "//=", CODE_FLOORDIV },
    { "%=", CODE_MOD },    { "**=", CODE_POW }, { "@=", CODE_MATMUL }, { "&=", CODE_BITAND }, { "|=", CODE_BITOR },
    { "^=", CODE_BITXOR }, { "<<=", CODE_SHL }, { ">>=", CODE_SHR },
};

static const char *const refused[] = { "def",    "class",    "with",  "try",   "import", "from",  "del",
                                       "global", "nonlocal", "raise", "async", "await",  "yield", NULL };

static struct code *block(struct python *p);
static bool statement(struct python *p, python_nodes *out);

bool python_error(struct python *p, size_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(p->ir->arena, format, args);
    va_end(args);
    return diag_error_in(p->ir->diags, p->place, p->text, p->length, offset, DIAG_PYTHON_SYNTAX, message);
}

bool python_unsupported(struct python *p, size_t offset, const char *what)
{
    return diag_error_in(p->ir->diags, p->place, p->text, p->length, offset, DIAG_PYTHON_UNSUPPORTED, what);
}

bool python_is(const struct python *p, const char *text)
{
    const struct python_token *t = python_token(p);
    return (t->kind == PYTHON_OPERATOR || t->kind == PYTHON_KEYWORD) && strcmp(t->text, text) == 0;
}

bool python_accept(struct python *p, const char *text)
{
    bool is = python_is(p, text);
    p->at += is;
    return is;
}

struct code *python_unexpected(struct python *p, const char *what)
{
    const struct python_token *t = python_token(p);
    int shown = t->length < 40 ? (int)t->length : 40;
    const char *found = t->kind == PYTHON_END       ? "the end"
                        : t->kind == PYTHON_NEWLINE ? "the end of the line"
                        : t->kind == PYTHON_INDENT  ? "an indented line"
                        : t->kind == PYTHON_DEDENT  ? "the end of the block"
                                                    : arena_printf(p->ir->arena, "'%.*s'", shown, p->text + t->offset);
    python_error(p, t->offset, "expected %s, found %s", what, found);
    return NULL;
}

bool python_expect(struct python *p, const char *text)
{
    if (python_accept(p, text))
        return true;
    python_unexpected(p, arena_printf(p->ir->arena, "'%s'", text));
    return false;
}

bool python_enter(struct python *p)
{
    /* A level of the tree takes up to four calls; limit_depth counts exactly. */
    if (++p->depth <= 5 * PYTHON_MAX_DEPTH)
        return true;
    return python_unsupported(p, python_token(p)->offset, "nesting of more than 1000 levels");
}

struct code *python_node(struct python *p, const struct python_token *t, enum code_kind kind, uint32_t count)
{
    struct code *c = code_new(p->ir, kind, count);
    c->offset = t->offset;
    c->line = t->line;
    c->column = t->column;
    return c;
}

/* Module of a type name: dace.float64, dace.dtypes.float64, numpy.float64. */
static bool is_type_module(const struct code *c)
{
    if (c->kind == CODE_MEMBER)
        return strcmp(c->name, "dtypes") == 0 && is_type_module(c->items[0]);
    return c->kind == CODE_NAME &&
           (strcmp(c->name, "dace") == 0 || strcmp(c->name, "numpy") == 0 || strcmp(c->name, "np") == 0);
}

const struct type *python_type(struct python *p, const struct code *c)
{
    if (c->kind == CODE_NAME) {
        /* Written into C as they stand, so they mean C's types (semantics.md 6.5). */
        if (strcmp(c->name, "int") == 0)
            return type_basic(p->ir, TYPE_I32);
        if (strcmp(c->name, "float") == 0)
            return type_basic(p->ir, TYPE_F32);
        return type_by_name(p->ir, c->name);
    }
    if (c->kind == CODE_MEMBER && is_type_module(c->items[0]))
        return type_by_name(p->ir, c->name);
    bool vector = c->kind == CODE_CALL && c->count == 3 && c->items[0]->kind == CODE_MEMBER &&
                  strcmp(c->items[0]->name, "vector") == 0 && is_type_module(c->items[0]->items[0]);
    const struct code *lanes = vector ? c->items[2] : NULL;
    if (!vector || lanes->kind != CODE_INT || lanes->big || lanes->i < 1 || lanes->i > 1024)
        return NULL;
    const struct type *elem = c->items[1]->kind == CODE_CALL ? NULL : python_type(p, c->items[1]);
    return elem ? type_vector(p->ir, elem, (uint32_t)lanes->i, NULL) : NULL;
}

static bool check_target(struct python *p, const struct code *c)
{
    if (c->kind == CODE_TUPLE) {
        for (uint32_t i = 0; i < c->count; i++)
            if (!check_target(p, c->items[i]))
                return false;
        return c->count > 0 || python_error(p, c->offset, "cannot assign to an empty tuple");
    }
    if (c->kind == CODE_NAME || c->kind == CODE_MEMBER || c->kind == CODE_INDEX)
        return true;
    return python_error(p, c->offset, "cannot assign to this expression");
}

/* x: T, x: T = value */
static struct code *annotated(struct python *p, struct code *target)
{
    struct python_token t = *python_token(p);
    p->at++;
    struct code *annotation = python_expression(p);
    if (!annotation)
        return NULL;
    struct code *value = NULL;
    if (python_accept(p, "=") && !(value = python_expression_list(p)))
        return NULL;
    const struct type *type = python_type(p, annotation);
    if (!type || target->kind != CODE_NAME) {
        python_unsupported(p, type ? target->offset : annotation->offset, type ? "annotated element" : "annotation");
        return NULL;
    }
    struct code *c = python_node(p, &t, CODE_DECLARE, value ? 1 : 0);
    c->offset = target->offset;
    c->line = target->line;
    c->column = target->column;
    c->name = target->name;
    c->type = type;
    if (value)
        c->items[0] = value;
    return c;
}

static struct code *assignment(struct python *p, const struct python_token *t, struct code *first)
{
    python_nodes items = { 0 };
    vec_push(p->ir->arena, &items, NULL); /* the value, known last */
    vec_push(p->ir->arena, &items, first);
    struct code *value = NULL;
    while (python_accept(p, "=")) {
        if (!check_target(p, vec_last(&items)))
            return NULL;
        if (python_is(p, "yield")) {
            python_unsupported(p, python_token(p)->offset, "yield");
            return NULL;
        }
        value = python_expression_list(p);
        if (!value)
            return NULL;
        vec_push(p->ir->arena, &items, value);
    }
    items.count--;
    items.items[0] = value;
    return python_with_items(p, t, CODE_ASSIGN, &items);
}

static struct code *expression_statement(struct python *p)
{
    struct python_token t = *python_token(p);
    struct code *first = python_expression_list(p);
    if (!first)
        return NULL;
    if (python_is(p, ":"))
        return check_target(p, first) ? annotated(p, first) : NULL;
    if (python_is(p, "="))
        return assignment(p, &t, first);
    for (size_t i = 0; i < sizeof augmented / sizeof *augmented; i++) {
        if (!python_accept(p, augmented[i].text))
            continue;
        if (first->kind == CODE_TUPLE) {
            python_error(p, first->offset, "a tuple cannot be the target of '%s'", augmented[i].text);
            return NULL;
        }
        struct code *value = check_target(p, first) ? python_expression_list(p) : NULL;
        if (!value)
            return NULL;
        struct code *c = python_node(p, &t, CODE_ASSIGN, 2);
        c->op = augmented[i].op;
        c->items[0] = value;
        c->items[1] = first;
        return c;
    }
    struct code *c = python_node(p, &t, CODE_EXPR, 1);
    c->items[0] = first;
    return c;
}

static struct code *keyword_statement(struct python *p, const struct python_token *t)
{
    for (const char *const *r = refused; *r; r++)
        if (strcmp(t->text, *r) == 0) {
            python_unsupported(p, t->offset, arena_printf(p->ir->arena, "statement '%s'", *r));
            return NULL;
        }
    if (python_accept(p, "pass"))
        return python_node(p, t, CODE_PASS, 0);
    if (python_accept(p, "break"))
        return python_node(p, t, CODE_BREAK, 0);
    if (python_accept(p, "continue"))
        return python_node(p, t, CODE_CONTINUE, 0);
    bool returns = python_is(p, "return");
    if (!returns && !python_is(p, "assert"))
        return expression_statement(p);
    p->at++;
    enum python_token_kind next = python_token(p)->kind;
    if (returns && (next == PYTHON_NEWLINE || next == PYTHON_END || python_is(p, ";")))
        return python_node(p, t, CODE_RETURN, 0);
    struct code *value = returns ? python_expression_list(p) : python_expression(p);
    /* The message of an assertion is not kept. */
    if (!value || (!returns && python_accept(p, ",") && !python_expression(p)))
        return NULL;
    struct code *c = python_node(p, t, returns ? CODE_RETURN : CODE_ASSERT, 1);
    c->items[0] = value;
    return c;
}

/* Statements of one line, up to and with its end. */
static bool simple_statements(struct python *p, python_nodes *out)
{
    do {
        const struct python_token t = *python_token(p);
        struct code *c = t.kind == PYTHON_KEYWORD ? keyword_statement(p, &t) : expression_statement(p);
        if (!c)
            return false;
        vec_push(p->ir->arena, out, c);
        if (!python_accept(p, ";"))
            break;
    } while (python_token(p)->kind != PYTHON_NEWLINE);
    if (python_token(p)->kind != PYTHON_NEWLINE) {
        python_unexpected(p, "the end of the statement");
        return false;
    }
    p->at++;
    return true;
}

static struct code *make_block(struct python *p, const struct python_token *t, const python_nodes *statements)
{
    return python_with_items(p, t, CODE_BLOCK, statements);
}

/* ":" and what follows: statements in the line, or an indented block. */
static struct code *block(struct python *p)
{
    python_nodes statements = { 0 };
    if (!python_expect(p, ":"))
        return NULL;
    struct python_token t = *python_token(p);
    if (t.kind != PYTHON_NEWLINE)
        return simple_statements(p, &statements) ? make_block(p, &t, &statements) : NULL;
    p->at++;
    t = *python_token(p);
    if (t.kind != PYTHON_INDENT)
        return python_unexpected(p, "an indented block");
    p->at++;
    while (python_token(p)->kind != PYTHON_DEDENT)
        if (!statement(p, &statements))
            return NULL;
    p->at++;
    return make_block(p, &t, &statements);
}

static struct code *if_statement(struct python *p)
{
    struct python_token t = *python_token(p);
    if (!python_enter(p))
        return NULL;
    p->at++;
    struct code *condition = python_expression(p), *otherwise = NULL;
    struct code *then = condition ? block(p) : NULL;
    if (!then)
        return NULL;
    const struct python_token next = *python_token(p);
    if (python_is(p, "elif")) {
        python_nodes nested = { 0 };
        struct code *c = if_statement(p);
        if (!c)
            return NULL;
        vec_push(p->ir->arena, &nested, c);
        otherwise = make_block(p, &next, &nested);
    } else if (python_accept(p, "else") && !(otherwise = block(p))) {
        return NULL;
    }
    p->depth--;
    struct code *c = python_node(p, &t, CODE_IF, otherwise ? 3 : 2);
    c->items[0] = condition;
    c->items[1] = then;
    if (otherwise)
        c->items[2] = otherwise;
    return c;
}

static bool refuse_else(struct python *p)
{
    return !python_is(p, "else") || python_unsupported(p, python_token(p)->offset, "'else' of a loop");
}

static struct code *while_statement(struct python *p)
{
    struct python_token t = *python_token(p);
    p->at++;
    struct code *condition = python_expression(p);
    struct code *body = condition ? block(p) : NULL;
    if (!body || !refuse_else(p))
        return NULL;
    struct code *c = python_node(p, &t, CODE_WHILE, 2);
    c->items[0] = condition;
    c->items[1] = body;
    return c;
}

static struct code *integer(struct python *p, const struct python_token *t, int64_t value)
{
    struct code *c = python_node(p, t, CODE_INT, 0);
    c->i = value;
    c->u = (uint64_t)value;
    return c;
}

static struct code *for_statement(struct python *p)
{
    struct python_token t = *python_token(p);
    p->at++;
    const struct python_token name = *python_token(p);
    if (name.kind != PYTHON_NAME)
        return python_unexpected(p, "the name of the loop variable");
    p->at++;
    if (python_is(p, ",")) {
        python_unsupported(p, python_token(p)->offset, "loop over tuples");
        return NULL;
    }
    if (!python_expect(p, "in"))
        return NULL;
    const struct python_token start = *python_token(p);
    struct code *range = python_expression_list(p);
    if (!range)
        return NULL;
    bool good = range->kind == CODE_CALL && range->items[0]->kind == CODE_NAME &&
                strcmp(range->items[0]->name, "range") == 0 && range->count >= 2 && range->count <= 4;
    for (uint32_t i = 0; i < range->count && good; i++)
        good = range->items[i]->kind != CODE_KEYWORD;
    if (!good) {
        python_unsupported(p, start.offset, "loop over anything but range(...)");
        return NULL;
    }
    struct code *body = block(p);
    if (!body || !refuse_else(p))
        return NULL;
    struct code *c = python_node(p, &t, CODE_FOR_RANGE, 4);
    c->name = name.text;
    c->items[0] = range->count > 2 ? range->items[1] : integer(p, &start, 0);
    c->items[1] = range->count > 2 ? range->items[2] : range->items[1];
    c->items[2] = range->count > 3 ? range->items[3] : integer(p, &start, 1);
    c->items[3] = body;
    return c;
}

static bool statement(struct python *p, python_nodes *out)
{
    if (!python_is(p, "if") && !python_is(p, "while") && !python_is(p, "for"))
        return simple_statements(p, out);
    if (!python_enter(p))
        return false;
    struct code *c = python_is(p, "if")      ? if_statement(p)
                     : python_is(p, "while") ? while_statement(p)
                                             : for_statement(p);
    p->depth--;
    if (c)
        vec_push(p->ir->arena, out, c);
    return c != NULL;
}

/* Walks may be recursive, so no tree is deeper than the limit. Long sums are deep although no recursion read them. */
static bool limit_depth(struct python *p, struct code *root)
{
    struct level {
        struct code *c;
        uint32_t next; /* item */
    };
    VEC(struct level) stack = { 0 };
    struct level top = { root, 0 };
    vec_push(p->ir->arena, &stack, top);
    while (stack.count) {
        struct level *l = &vec_last(&stack);
        if (l->next == l->c->count) {
            stack.count--;
            continue;
        }
        struct level below = { code_item(l->c, l->next++), 0 };
        if (!below.c)
            continue;
        vec_push(p->ir->arena, &stack, below);
        if (stack.count > PYTHON_MAX_DEPTH)
            return python_unsupported(p, below.c->offset, "nesting of more than 1000 levels");
    }
    return true;
}

/* `a << X` and `X >> a` as statements are memlets of the old syntax (semantics.md 6.2). */
static bool is_old_memlet(const struct code *c)
{
    return c->kind == CODE_EXPR && c->items[0]->kind == CODE_BINARY &&
           (c->items[0]->op == CODE_SHL || c->items[0]->op == CODE_SHR);
}

struct code *python_parse(struct ir *ir, const struct place *place, const char *text)
{
    struct python p = { .ir = ir, .place = place, .text = text, .length = strlen(text) };
    if (!python_lex(&p, true))
        return NULL;
    python_nodes statements = { 0 };
    uint32_t kept = 0;
    while (python_token(&p)->kind != PYTHON_END) {
        if (python_token(&p)->kind == PYTHON_INDENT) {
            python_error(&p, python_token(&p)->offset, "unexpected indentation");
            return NULL;
        }
        if (!statement(&p, &statements))
            return NULL;
    }
    for (uint32_t i = 0; i < statements.count; i++)
        if (!is_old_memlet(statements.items[i]))
            statements.items[kept++] = statements.items[i];
    statements.count = kept;
    struct code *c = make_block(&p, &p.tokens.items[0], &statements);
    return limit_depth(&p, c) ? c : NULL;
}

struct code *python_parse_expression(struct ir *ir, const struct place *place, const char *text)
{
    struct python p = { .ir = ir, .place = place, .text = text, .length = strlen(text) };
    if (!python_lex(&p, false))
        return NULL;
    struct code *c = python_expression_list(&p);
    if (c && python_token(&p)->kind != PYTHON_END)
        return python_unexpected(&p, "the end of the expression");
    return c && limit_depth(&p, c) ? c : NULL;
}
