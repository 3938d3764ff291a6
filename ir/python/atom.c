#include "ir/python/parser.h"

#include <string.h>

static struct py *constant(struct py_parser *p, enum py_value_kind kind)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    struct py *n = py_new(p, PY_CONSTANT, begin);
    n->constant.value.kind = kind;
    return n;
}

struct py *py_number(struct py_parser *p)
{
    const struct py_token t = *py_next(p);
    if (t.kind != PY_TOKEN_NUMBER)
        return py_invalid(p);
    p->at++;
    struct py *n = py_new(p, PY_CONSTANT, t.begin);
    return py_number_value(p, &t, &n->constant.value) ? n : NULL;
}

/* ---- strings ---- */

static struct py *string_node(struct py_parser *p, uint32_t begin, uint32_t end, const struct text *value, bool bytes,
                              bool unicode)
{
    struct py *n = py_new(p, PY_CONSTANT, begin);
    n->end = end;
    n->constant.value = (struct py_value){ .kind = bytes ? PY_BYTES : PY_STRING,
                                           .unicode = unicode,
                                           .length = (uint32_t)value->length,
                                           .text = text_get(value) };
    return n;
}

/* The parts of adjacent strings: constants that touch are one. */
struct parts {
    py_nodes values;
    struct text pending;
    uint32_t pending_begin, pending_end;
    bool has_pending, unicode;
};

static void flush(struct py_parser *p, struct parts *s)
{
    if (s->has_pending && s->pending.length)
        py_add(p, &s->values, string_node(p, s->pending_begin, s->pending_end, &s->pending, false, s->unicode));
    s->pending = text_new(p->arena);
    s->has_pending = false;
}

static struct text *pend(struct parts *s, uint32_t begin, uint32_t end)
{
    if (!s->has_pending)
        s->pending_begin = begin;
    s->has_pending = true;
    s->pending_end = end;
    return &s->pending;
}

static bool format_parts(struct py_parser *p, struct parts *s, bool raw, bool spec);

/* {expression!r:format}, behind the brace. */
static bool field(struct py_parser *p, struct parts *s, bool raw)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    uint32_t after = p->tokens.items[p->at - 1].end;
    enum py_word w = (enum py_word)py_next(p)->word;
    if (w == PY_W_RBRACE || w == PY_W_BANG || w == PY_W_COLON || w == PY_W_IS_SET)
        return py_fail(p, py_next(p)->begin, "f-string: valid expression required before '%c'",
                       p->text[py_next(p)->begin]) != NULL;
    struct py *value = py_yield_or_expressions(p), *spec = NULL;
    if (!value)
        return false;
    int conversion = -1;
    if (py_is(p, PY_W_IS_SET)) {
        p->at++;
        text_addn(pend(s, after, py_next(p)->begin), p->text + after, py_next(p)->begin - after);
        conversion = 'r';
    }
    bool debug = conversion == 'r', converted = false;
    if (py_accept(p, PY_W_BANG)) {
        const struct py_token *t = py_next(p);
        char c = t->kind == PY_TOKEN_NAME && t->end - t->begin == 1 ? p->text[t->begin] : 0;
        if (c != 's' && c != 'r' && c != 'a')
            return py_fail(p, t->begin, "f-string: invalid conversion character: expected 's', 'r', or 'a'") != NULL;
        conversion = c;
        converted = true;
        p->at++;
    }
    flush(p, s);
    if (py_is(p, PY_W_COLON)) {
        uint32_t spec_begin = py_next(p)->begin;
        p->at++;
        struct parts inner = { .pending = text_new(p->arena) };
        if (!format_parts(p, &inner, raw, true))
            return false;
        spec = py_new(p, PY_JOINED_STR, spec_begin);
        spec->joined.values = py_list(p, &inner.values);
        if (debug && !converted)
            conversion = -1;
    }
    if (!py_is(p, PY_W_RBRACE))
        return p->failed || py_fail(p, py_next(p)->begin, "f-string: expecting '}'") != NULL;
    p->at++;
    struct py *n = py_new(p, PY_FORMATTED_VALUE, begin);
    n->formatted.value = value;
    n->formatted.conversion = conversion;
    n->formatted.format_spec = spec;
    py_add(p, &s->values, n);
    return true;
}

/* Text and fields up to the end of the string, or of the format. */
static bool format_parts(struct py_parser *p, struct parts *s, bool raw, bool spec)
{
    for (;;) {
        const struct py_token t = *py_next(p);
        if (t.kind == PY_TOKEN_F_MIDDLE) {
            p->at++;
            if (!py_unescape(p, t.begin, t.begin, t.end, false, raw, !spec, pend(s, t.begin, t.end)))
                return false;
        } else if (t.word == PY_W_LBRACE) {
            if (!field(p, s, raw))
                return false;
        } else {
            if (spec)
                flush(p, s);
            return true;
        }
    }
}

static bool format_string(struct py_parser *p, struct parts *s)
{
    const struct py_token t = *py_next(p);
    bool raw = false;
    for (uint32_t i = t.begin; i < t.end; i++)
        raw |= (p->text[i] | 0x20) == 'r';
    p->at++;
    if (!py_enter(p) || !format_parts(p, s, raw, false))
        return false;
    py_leave(p);
    if (py_next(p)->kind != PY_TOKEN_F_END)
        return py_invalid(p) != NULL;
    p->at++;
    return true;
}

struct py *py_strings(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct parts s = { .pending = text_new(p->arena) };
    bool formatted = false, plain = false, any_bytes = false;
    for (;;) {
        const struct py_token t = *py_next(p);
        bool bytes = false, unicode = false;
        if (t.kind == PY_TOKEN_F_START) {
            formatted = true;
            if (any_bytes)
                return py_fail(p, begin, "cannot mix bytes and nonbytes literals");
            if (!format_string(p, &s))
                return NULL;
        } else if (t.kind == PY_TOKEN_STRING) {
            p->at++;
            if (!py_string_value(p, &t, pend(&s, t.begin, t.end), &bytes, &unicode))
                return NULL;
            if ((bytes && (plain || formatted)) || (!bytes && any_bytes))
                return py_fail(p, begin, "cannot mix bytes and nonbytes literals");
            s.unicode |= unicode && t.begin == begin;
            any_bytes |= bytes;
            plain |= !bytes;
        } else {
            break;
        }
    }
    if (!formatted)
        return string_node(p, begin, p->tokens.items[p->at - 1].end, &s.pending, any_bytes, s.unicode);
    flush(p, &s);
    struct py *n = py_new(p, PY_JOINED_STR, begin);
    n->joined.values = py_list(p, &s.values);
    return n;
}

/* ---- comprehensions, displays ---- */

bool py_comprehension(struct py_parser *p, struct py_list *generators)
{
    py_nodes list = { 0 };
    while (py_is(p, PY_W_FOR) || (py_is(p, PY_W_ASYNC) && py_ahead(p, 1)->word == PY_W_FOR)) {
        struct py *g = py_new(p, PY_COMPREHENSION, py_next(p)->begin), *test;
        g->comprehension.is_async = py_accept(p, PY_W_ASYNC);
        p->at++;
        if (!(g->comprehension.target = py_targets(p, PY_TARGET_FOR)))
            return false;
        if (!py_expect(p, PY_W_IN) || !(g->comprehension.iter = py_disjunction(p)))
            return false;
        py_nodes ifs = { 0 };
        while (py_accept(p, PY_W_IF)) {
            if (!(test = py_disjunction(p)))
                return false;
            py_add(p, &ifs, test);
        }
        g->comprehension.ifs = py_list(p, &ifs);
        py_add(p, &list, py_end(p, g));
    }
    *generators = py_list(p, &list);
    return true;
}

static bool at_comprehension(const struct py_parser *p)
{
    return py_is(p, PY_W_FOR) || (py_is(p, PY_W_ASYNC) && py_ahead(p, 1)->word == PY_W_FOR);
}

static struct py *comprehend(struct py_parser *p, enum py_kind kind, uint32_t begin, struct py *elt, enum py_word close)
{
    struct py_list generators;
    if (elt->kind == PY_STARRED)
        return py_fail(p, elt->begin, "iterable unpacking cannot be used in comprehension");
    if (!py_comprehension(p, &generators) || !py_expect(p, close))
        return NULL;
    struct py *n = py_new(p, kind, begin);
    n->generator.elt = elt; /* the three kinds have the same fields */
    n->generator.generators = generators;
    return n;
}

/* Items up to `close`, separated by commas; the first has been read. */
static bool items(struct py_parser *p, py_nodes *out, struct py *first, enum py_word close, bool *comma)
{
    py_add(p, out, first);
    while ((*comma = py_accept(p, PY_W_COMMA)) && !py_is(p, close)) {
        struct py *next = py_star_named(p);
        if (!next)
            return false;
        if (at_comprehension(p) && (close == PY_W_RSQB || close == PY_W_RBRACE))
            return py_fail(p, first->begin, "did you forget parentheses around the comprehension target?") != NULL;
        py_add(p, out, next);
    }
    return py_accept(p, close) || py_invalid(p) != NULL;
}

/* "(" */
static struct py *parenthesized(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    py_nodes list = { 0 };
    bool comma = false;
    p->at++;
    if (!py_accept(p, PY_W_RPAR)) {
        bool yields = py_is(p, PY_W_YIELD);
        struct py *first = yields ? py_yield(p) : py_star_named(p);
        if (!first)
            return NULL;
        if (at_comprehension(p))
            return comprehend(p, PY_GENERATOR_EXP, begin, first, PY_W_RPAR);
        if (first->kind == PY_STARRED && py_is(p, PY_W_RPAR))
            return py_fail(p, first->begin, "cannot use starred expression here");
        if (yields && !py_is(p, PY_W_RPAR))
            return py_invalid(p);
        if (!items(p, &list, first, PY_W_RPAR, &comma))
            return NULL;
        if (list.count == 1 && !comma)
            return first;
    }
    struct py *n = py_new(p, PY_TUPLE, begin);
    n->tuple.elts = py_list(p, &list);
    return n;
}

static struct py *list_display(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    py_nodes list = { 0 };
    bool comma;
    p->at++;
    if (!py_accept(p, PY_W_RSQB)) {
        struct py *first = py_star_named(p);
        if (!first)
            return NULL;
        if (at_comprehension(p))
            return comprehend(p, PY_LIST_COMP, begin, first, PY_W_RSQB);
        if (!items(p, &list, first, PY_W_RSQB, &comma))
            return NULL;
    }
    struct py *n = py_new(p, PY_LIST, begin);
    n->list.elts = py_list(p, &list);
    return n;
}

/* key: value, or **mapping (a NULL key); `key` has been read if it is given. */
static bool dict_item(struct py_parser *p, py_nodes *keys, py_nodes *values, struct py *key)
{
    struct py *value;
    if (!key && py_accept(p, PY_W_POWER)) {
        if (!(value = py_bitwise_or(p)))
            return false;
        py_add(p, keys, NULL);
        py_add(p, values, value);
        return true;
    }
    p->quiet = true;
    key = key ? key : py_expression(p);
    p->quiet = false;
    if (!key)
        return false;
    if (!py_is(p, PY_W_COLON))
        return py_fail(p, key->end - 1, "':' expected after dictionary key") != NULL;
    const struct py_token colon = *py_next(p);
    p->at++;
    if (py_is(p, PY_W_RBRACE) || py_is(p, PY_W_COMMA))
        return py_fail(p, colon.begin, "expression expected after dictionary key and ':'") != NULL;
    if (py_is(p, PY_W_STAR))
        return py_fail(p, py_next(p)->begin, "cannot use a starred expression in a dictionary value") != NULL;
    if (!(value = py_expression(p)))
        return false;
    py_add(p, keys, key);
    py_add(p, values, value);
    return true;
}

static struct py *dict_display(struct py_parser *p, uint32_t begin, struct py *key)
{
    py_nodes keys = { 0 }, values = { 0 };
    if (!dict_item(p, &keys, &values, key))
        return NULL;
    if (at_comprehension(p)) {
        struct py *n = py_new(p, PY_DICT_COMP, begin);
        if (!keys.items[0])
            return py_fail(p, begin + 1, "dict unpacking cannot be used in dict comprehension");
        n->dict_comp.key = keys.items[0];
        n->dict_comp.value = values.items[0];
        if (!py_comprehension(p, &n->dict_comp.generators) || !py_expect(p, PY_W_RBRACE))
            return NULL;
        return py_end(p, n);
    }
    while (py_accept(p, PY_W_COMMA) && !py_is(p, PY_W_RBRACE))
        if (!dict_item(p, &keys, &values, NULL))
            return NULL;
    if (!py_accept(p, PY_W_RBRACE))
        return py_invalid(p);
    struct py *n = py_new(p, PY_DICT, begin);
    n->dict.keys = py_list(p, &keys);
    n->dict.values = py_list(p, &values);
    return n;
}

/* "{" */
static struct py *braces(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    if (py_accept(p, PY_W_RBRACE))
        return py_new(p, PY_DICT, begin);
    if (py_is(p, PY_W_POWER))
        return dict_display(p, begin, NULL);
    uint32_t first_begin = py_next(p)->begin;
    struct py *first = py_star_named(p);
    if (!first)
        return NULL;
    bool bare_walrus = first->kind == PY_NAMED_EXPR && first->begin == first_begin;
    if (py_is(p, PY_W_COLON) && first->kind != PY_STARRED && !bare_walrus)
        return dict_display(p, begin, first);
    if (at_comprehension(p))
        return comprehend(p, PY_SET_COMP, begin, first, PY_W_RBRACE);
    py_nodes list = { 0 };
    bool comma;
    if (!items(p, &list, first, PY_W_RBRACE, &comma))
        return NULL;
    struct py *n = py_new(p, PY_SET, begin);
    n->set.elts = py_list(p, &list);
    return n;
}

struct py *py_atom(struct py_parser *p)
{
    const struct py_token t = *py_next(p);
    switch (t.kind) {
    case PY_TOKEN_NAME: {
        p->at++;
        struct py *n = py_new(p, PY_NAME, t.begin);
        n->name.id = t.name;
        return n;
    }
    case PY_TOKEN_NUMBER:
        return py_number(p);
    case PY_TOKEN_STRING:
    case PY_TOKEN_F_START:
        return py_strings(p);
    default:
        break;
    }
    switch (t.word) {
    case PY_W_LPAR:
        return parenthesized(p);
    case PY_W_LSQB:
        return list_display(p);
    case PY_W_LBRACE:
        return braces(p);
    case PY_W_NONE:
        return constant(p, PY_NONE);
    case PY_W_TRUE:
        return constant(p, PY_TRUE);
    case PY_W_FALSE:
        return constant(p, PY_FALSE);
    case PY_W_ELLIPSIS:
        return constant(p, PY_ELLIPSIS);
    default:
        return py_invalid(p);
    }
}

static struct py *primary(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *n = py_atom(p);
    while (n) {
        if (py_is(p, PY_W_LPAR)) {
            n = py_call(p, begin, n);
        } else if (py_is(p, PY_W_LSQB)) {
            n = py_subscript(p, begin, n);
        } else if (py_accept(p, PY_W_DOT)) {
            const char *name = py_name(p);
            if (!name)
                return NULL;
            struct py *a = py_new(p, PY_ATTRIBUTE, begin);
            a->attribute.value = n;
            a->attribute.attr = name;
            n = a;
        } else {
            return n;
        }
    }
    return NULL;
}

struct py *py_await_primary(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    if (!py_accept(p, PY_W_AWAIT))
        return primary(p);
    struct py *value = primary(p);
    if (!value)
        return NULL;
    struct py *n = py_new(p, PY_AWAIT, begin);
    n->await.value = value;
    return n;
}
