#include "ir/python/parser.h"

static struct py *slice_part(struct py_parser *p, bool *good)
{
    if (py_is(p, PY_W_COLON) || py_is(p, PY_W_COMMA) || py_is(p, PY_W_RSQB))
        return NULL;
    struct py *n = py_expression(p);
    *good = n != NULL;
    return n;
}

static struct py *slice(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    bool good = true;
    struct py *lower = NULL, *upper = NULL, *step = NULL;
    if (!py_is(p, PY_W_COLON)) {
        lower = py_star_named(p);
        if (!lower)
            return NULL;
        if (!py_is(p, PY_W_COLON) || lower->kind == PY_STARRED || lower->kind == PY_NAMED_EXPR)
            return lower;
    }
    p->at++;
    upper = slice_part(p, &good);
    if (good && py_accept(p, PY_W_COLON))
        step = slice_part(p, &good);
    if (!good)
        return NULL;
    struct py *n = py_new(p, PY_SLICE, begin);
    n->slice.lower = lower;
    n->slice.upper = upper;
    n->slice.step = step;
    return n;
}

struct py *py_subscript(struct py_parser *p, uint32_t begin, struct py *base)
{
    py_nodes list = { 0 };
    bool comma = false;
    p->at++;
    uint32_t first = py_next(p)->begin;
    if (py_is(p, PY_W_RSQB))
        return py_invalid(p);
    do {
        struct py *n = slice(p);
        if (!n)
            return NULL;
        py_add(p, &list, n);
        comma = py_accept(p, PY_W_COMMA);
    } while (comma && !py_is(p, PY_W_RSQB));
    struct py *index = list.items[0];
    if (comma || list.count > 1 || index->kind == PY_STARRED) {
        index = py_new(p, PY_TUPLE, first);
        index->tuple.elts = py_list(p, &list);
    }
    if (!py_accept(p, PY_W_RSQB))
        return py_invalid(p);
    struct py *n = py_new(p, PY_SUBSCRIPT, begin);
    n->subscript.value = base;
    n->subscript.slice = index;
    return n;
}

static struct py *keyword(struct py_parser *p, uint32_t begin, const char *name)
{
    struct py *value = py_expression(p);
    if (!value)
        return NULL;
    struct py *n = py_new(p, PY_KEYWORD, begin);
    n->keyword.arg = name;
    n->keyword.value = value;
    return n;
}

struct call_state {
    py_nodes args, keywords;
    bool named, unpacked; /* a keyword, a ** came before */
    struct py *bare;      /* a generator without brackets of its own */
};

static bool argument(struct py_parser *p, struct call_state *s)
{
    const struct py_token t = *py_next(p);
    struct py *n;
    if (py_accept(p, PY_W_POWER)) {
        n = keyword(p, t.begin, NULL);
        if (n && py_is(p, PY_W_IS_SET))
            return py_fail(p, t.begin, "cannot assign to keyword argument unpacking") != NULL;
        if (n)
            py_add(p, &s->keywords, n);
        s->unpacked = true;
        return n != NULL;
    }
    if (py_accept(p, PY_W_STAR)) {
        struct py *value = py_expression(p);
        if (!value)
            return false;
        if (py_is(p, PY_W_IS_SET))
            return py_fail(p, t.begin, "cannot assign to iterable argument unpacking") != NULL;
        if (s->unpacked)
            return py_fail(p, t.begin, "iterable argument unpacking follows keyword argument unpacking") != NULL;
        n = py_new(p, PY_STARRED, t.begin);
        n->starred.value = value;
        py_add(p, &s->args, n);
        return true;
    }
    if (py_ahead(p, 1)->word == PY_W_IS_SET) {
        if (t.kind == PY_TOKEN_NAME) {
            p->at += 2;
            if (py_is(p, PY_W_COMMA) || py_is(p, PY_W_RPAR))
                return py_fail(p, t.begin, "expected argument value expression") != NULL;
            n = keyword(p, t.begin, t.name);
            if (n && (py_is(p, PY_W_FOR) || (py_is(p, PY_W_ASYNC) && py_ahead(p, 1)->word == PY_W_FOR)))
                return py_fail(p, t.begin, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?") != NULL;
            if (n)
                py_add(p, &s->keywords, n);
            s->named = true;
            return n != NULL;
        }
        if (t.word == PY_W_TRUE || t.word == PY_W_FALSE || t.word == PY_W_NONE)
            return py_fail(p, t.begin, "cannot assign to %.*s", (int)(t.end - t.begin), p->text + t.begin) != NULL;
    }
    bool raw = p->raw;
    p->raw = true; /* the message about '=' is another one here */
    n = py_named(p);
    p->raw = raw;
    if (!n)
        return false;
    if (py_is(p, PY_W_IS_SET))
        return py_fail(p, n->begin, "expression cannot contain assignment, perhaps you meant \"==\"?") != NULL;
    if (py_is(p, PY_W_FOR) || (py_is(p, PY_W_ASYNC) && py_ahead(p, 1)->word == PY_W_FOR)) {
        struct py *g = py_new(p, PY_GENERATOR_EXP, n->begin);
        g->generator.elt = n;
        if (!py_comprehension(p, &g->generator.generators))
            return false;
        n = s->bare = py_end(p, g);
    } else if (s->named || s->unpacked) {
        const struct py_token *last = &p->tokens.items[p->at - 1];
        if (py_is(p, PY_W_RPAR) || py_is(p, PY_W_COMMA))
            return py_fail(p, last->begin, "positional argument follows keyword argument%s",
                           s->unpacked ? " unpacking" : "") != NULL;
        return py_invalid(p) != NULL;
    }
    py_add(p, &s->args, n);
    return true;
}

bool py_arguments(struct py_parser *p, struct py_list *args, struct py_list *keywords)
{
    struct call_state s = { 0 };
    uint32_t open = p->tokens.items[p->at - 1].begin;
    while (!py_is(p, PY_W_RPAR)) {
        if (!argument(p, &s))
            return false;
        if (!py_is(p, PY_W_RPAR) && !py_accept(p, PY_W_COMMA))
            return py_invalid(p) != NULL;
        bool comma = p->tokens.items[p->at - 1].word == PY_W_COMMA;
        if (s.bare && (comma || s.args.count + s.keywords.count > 1))
            return py_fail(p, s.bare->begin, "Generator expression must be parenthesized") != NULL;
    }
    p->at++;
    if (s.bare) { /* CPython's place of a lone one includes the brackets of the call */
        s.bare->begin = open;
        s.bare->end = p->tokens.items[p->at - 1].end;
    }
    *args = py_list(p, &s.args);
    *keywords = py_list(p, &s.keywords);
    return true;
}

struct py *py_call(struct py_parser *p, uint32_t begin, struct py *callee)
{
    struct py_list args, keywords;
    p->at++;
    if (!py_arguments(p, &args, &keywords))
        return NULL;
    struct py *n = py_new(p, PY_CALL, begin);
    n->call.func = callee;
    n->call.args = args;
    n->call.keywords = keywords;
    return n;
}
