#include "ir/python/parser.h"

#include <string.h>

static const char *const words[PY_W_COUNT] = {
#define W(NAME, text) [PY_W_##NAME] = text,
#include "ir/python/words.def"
#undef W
};

static void *record(struct py_parser *p, uint32_t offset, bool limit, const char *message)
{
    if (!p->failed)
        p->error = (struct py_error){ .offset = offset, .limit = limit, .message = message };
    p->failed = true;
    return NULL;
}

/* A bracket that nobody closed explains an error behind its line. */
static bool blame_bracket(struct py_parser *p, const struct py_token *t)
{
    if (p->unclosed < 0 || t->begin < p->unclosed)
        return false;
    if (t->kind != PY_TOKEN_END && !memchr(p->text + p->unclosed, '\n', t->begin - (size_t)p->unclosed))
        return false;
    record(p, (uint32_t)p->unclosed, false, arena_printf(p->arena, "'%c' was never closed", p->text[p->unclosed]));
    return true;
}

void *py_fail(struct py_parser *p, uint32_t offset, const char *format, ...)
{
    if (p->tokens.count && blame_bracket(p, py_next(p)))
        return NULL;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(p->arena, format, args);
    va_end(args);
    return record(p, offset, false, message);
}

void *py_limit(struct py_parser *p, uint32_t offset, const char *what) { return record(p, offset, true, what); }

void *py_invalid(struct py_parser *p)
{
    const struct py_token *t = py_next(p);
    if (p->failed || blame_bracket(p, t))
        return NULL;
    if (t->word == PY_W_NOT && p->at + 1 < p->tokens.count)
        t++; /* "not in" may have come */
    if (t->kind == PY_TOKEN_INDENT || t->kind == PY_TOKEN_DEDENT) {
        p->indent_error = true;
        bool deeper = t->kind == PY_TOKEN_INDENT;
        return py_fail(p, t->begin - deeper, deeper ? "unexpected indent" : "unexpected unindent");
    }
    if (t->kind == PY_TOKEN_END || t->kind == PY_TOKEN_NEWLINE)
        return py_fail(p, t->begin, "invalid syntax: unexpected end of the %s",
                       t->kind == PY_TOKEN_END ? "code" : "line");
    uint32_t shown = t->end - t->begin < 40 ? t->end - t->begin : 40;
    return py_fail(p, t->begin, "invalid syntax: unexpected '%.*s'", (int)shown, p->text + t->begin);
}

bool py_expect(struct py_parser *p, enum py_word word)
{
    if (py_accept(p, word))
        return true;
    const struct py_token *t = py_next(p);
    if (p->failed || blame_bracket(p, t) || t->kind == PY_TOKEN_INDENT || t->kind == PY_TOKEN_DEDENT)
        return py_invalid(p) != NULL;
    uint32_t shown = t->end - t->begin < 40 ? t->end - t->begin : 40;
    if (t->kind == PY_TOKEN_END || t->kind == PY_TOKEN_NEWLINE)
        return py_fail(p, t->begin, "expected '%s'", words[word]) != NULL;
    return py_fail(p, t->begin, "expected '%s', found '%.*s'", words[word], (int)shown, p->text + t->begin) != NULL;
}

const char *py_name(struct py_parser *p)
{
    if (py_next(p)->kind != PY_TOKEN_NAME)
        return py_invalid(p);
    return p->tokens.items[p->at++].name;
}

/* Where the last token ends that is not a line end or a change of indentation. */
static uint32_t last_end(const struct py_parser *p)
{
    uint32_t at = p->at;
    while (at && p->tokens.items[at - 1].kind >= PY_TOKEN_NEWLINE && p->tokens.items[at - 1].kind <= PY_TOKEN_DEDENT)
        at--;
    return at ? p->tokens.items[at - 1].end : 0;
}

struct py *py_new(struct py_parser *p, enum py_kind kind, uint32_t begin)
{
    struct py *n = arena_alloc(p->arena, py_info[kind].size);
    n->kind = kind;
    n->begin = begin;
    return py_end(p, n);
}

struct py *py_end(struct py_parser *p, struct py *n)
{
    n->end = last_end(p);
    if (n->end < n->begin) /* it begins with the next token, or is empty */
        n->end = n->begin;
    return n;
}

struct py_list py_list(struct py_parser *p, const py_nodes *nodes)
{
    struct py_list list = { .count = nodes->count };
    if (nodes->count)
        list.items = arena_copy(p->arena, nodes->items, nodes->count * sizeof *nodes->items);
    return list;
}

bool py_enter(struct py_parser *p)
{
    /* A level of the tree takes up to four calls; limit_depth counts exactly. */
    if (++p->depth <= 5 * PY_MAX_DEPTH)
        return true;
    return py_limit(p, py_next(p)->begin, "nesting of more than 1000 levels") != NULL;
}

/* The first node below the limit; NULL if there is none. */
static const struct py *beyond(struct arena *a, const struct py *root, bool flat_chains)
{
    struct level {
        const struct py *n;
        uint32_t field, item, depth;
    };
    VEC(struct level) stack = { 0 };
    vec_push(a, &stack, ((struct level){ root, 0, 0, 1 }));
    while (stack.count) {
        struct level *l = &vec_last(&stack);
        const struct py_info *info = &py_info[l->n->kind];
        if (l->field == info->num_fields) {
            stack.count--;
            continue;
        }
        const struct py_field *f = &info->fields[l->field];
        const void *at = (const char *)l->n + f->offset;
        struct py *below = NULL;
        if (f->type == PY_FIELD_LIST && l->item < ((const struct py_list *)at)->count) {
            below = ((const struct py_list *)at)->items[l->item++];
        } else {
            below = f->type == PY_FIELD_NODE ? *(struct py *const *)at : NULL;
            l->field++;
            l->item = 0;
        }
        if (!below)
            continue;
        bool flat = flat_chains && l->n->kind == PY_BIN_OP && below == l->n->bin_op.left && below->kind == PY_BIN_OP;
        uint32_t depth = l->depth + !flat;
        if (depth > PY_MAX_DEPTH)
            return below;
        vec_push(a, &stack, ((struct level){ below, 0, 0, depth }));
    }
    return NULL;
}

static bool limit_depth(struct py_parser *p, const struct py *root, bool flat_chains)
{
    const struct py *deep = beyond(p->arena, root, flat_chains);
    return !deep || py_limit(p, deep->begin, "nesting of more than 1000 levels") != NULL;
}

static struct py *parse_expression(struct py_parser *p)
{
    struct py *value = py_star_expressions(p);
    if (!value)
        return NULL;
    if (py_next(p)->kind != PY_TOKEN_END)
        return py_invalid(p);
    struct py *n = py_new(p, PY_EXPRESSION, 0);
    n->expression.body = value;
    return n;
}

static struct py *parse_module(struct py_parser *p)
{
    py_nodes body = { 0 };
    while (py_next(p)->kind != PY_TOKEN_END)
        if (!py_statement(p, &body))
            return NULL;
    struct py *n = py_new(p, PY_MODULE, 0);
    n->module.body = py_list(p, &body);
    return n;
}

static struct py *parse(struct arena *a, struct intern *names, const char *text, size_t length, enum py_mode mode,
                        bool flat_chains, struct py_error *error)
{
    struct py_parser p = { .arena = a, .names = names, .text = text, .length = length, .mode = mode, .unclosed = -1 };
    p.soft_match = intern(names, "match");
    p.soft_case = intern(names, "case");
    p.soft_type = intern(names, "type");
    p.soft_underscore = intern(names, "_");
    p.soft_print = intern(names, "print");
    p.soft_exec = intern(names, "exec");
    struct py_error lexical;
    bool lexed = py_lex(&p);
    if (!lexed) { /* an error before it may count more */
        lexical = p.error;
        p.failed = false;
        vec_push(a, &p.tokens, (struct py_token){ 0 });
        vec_last(&p.tokens).begin = vec_last(&p.tokens).end = lexical.offset;
    }
    struct py *n = mode == PY_MODE_EXPRESSION ? parse_expression(&p) : parse_module(&p);
    if (n && lexed && limit_depth(&p, n, flat_chains))
        return n;
    bool reached = n || p.at + 1 >= p.tokens.count;
    if (!lexed && (reached || (!p.indent_error && !p.soft_error))) {
        *error = lexical;
        return NULL;
    }
    if (!p.failed)
        py_invalid(&p);
    *error = p.error;
    return NULL;
}

struct py *py_parse(struct arena *a, struct intern *names, const char *text, size_t length, enum py_mode mode,
                    struct py_error *error)
{
    return parse(a, names, text, length, mode, false, error);
}

struct py *py_parse_flat(struct arena *a, struct intern *names, const char *text, size_t length, enum py_mode mode,
                         struct py_error *error)
{
    return parse(a, names, text, length, mode, true, error);
}
