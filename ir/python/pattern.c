#include "ir/python/parser.h"

#include <string.h>

static struct py *pattern(struct py_parser *p);

static struct py *capture(struct py_parser *p, uint32_t begin, const char *name)
{
    struct py *n = py_new(p, PY_MATCH_AS, begin);
    n->match_as.name = strcmp(name, "_") == 0 ? NULL : name;
    return n;
}

/* *rest */
static struct py *star_pattern(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    const char *name = py_name(p);
    if (!name)
        return NULL;
    struct py *n = py_new(p, PY_MATCH_STAR, begin);
    n->match_star.name = strcmp(name, "_") == 0 ? NULL : name;
    return n;
}

static struct py *maybe_star(struct py_parser *p) { return py_is(p, PY_W_STAR) ? star_pattern(p) : pattern(p); }

static struct py *sequence(struct py_parser *p, uint32_t begin, const py_nodes *list)
{
    struct py *n = py_new(p, PY_MATCH_SEQUENCE, begin);
    n->match_sequence.patterns = py_list(p, list);
    return n;
}

/* [a, b], (a, b); one pattern in round brackets stands for itself. */
static struct py *bracketed(struct py_parser *p)
{
    const struct py_token t = *py_next(p);
    enum py_word close = t.word == PY_W_LPAR ? PY_W_RPAR : PY_W_RSQB;
    py_nodes list = { 0 };
    bool comma = false;
    p->at++;
    while (!py_is(p, close)) {
        struct py *n = maybe_star(p);
        if (!n)
            return NULL;
        py_add(p, &list, n);
        comma = py_accept(p, PY_W_COMMA);
        if (!comma && !py_is(p, close))
            return py_invalid(p);
    }
    bool single = close == PY_W_RPAR && list.count == 1 && !comma;
    if (single && list.items[0]->kind == PY_MATCH_STAR)
        return py_invalid(p);
    p->at++;
    if (single)
        return list.items[0];
    return sequence(p, t.begin, &list);
}

/* [-] number [+- imaginary] */
static struct py *number_pattern(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    bool minus = py_accept(p, PY_W_MINUS);
    struct py *n = py_number(p);
    if (!n)
        return NULL;
    if (minus) {
        struct py *u = py_new(p, PY_UNARY_OP, begin);
        u->unary.op = PY_USUB;
        u->unary.operand = n;
        n = u;
    }
    bool plus = py_is(p, PY_W_PLUS);
    if (!plus && !py_is(p, PY_W_MINUS))
        return n;
    p->at++;
    struct py *right = py_number(p);
    if (!right)
        return NULL;
    if (right->constant.value.kind != PY_IMAG)
        return py_fail(p, right->begin, "imaginary number required in complex literal");
    const struct py *real = minus ? n->unary.operand : n;
    if (real->constant.value.kind == PY_IMAG)
        return py_fail(p, real->begin, "real number required in complex literal");
    struct py *b = py_new(p, PY_BIN_OP, begin);
    b->bin_op.left = n;
    b->bin_op.op = plus ? PY_ADD : PY_SUB;
    b->bin_op.right = right;
    return b;
}

/* a, a.b.c */
static struct py *dotted(struct py_parser *p)
{
    struct py *n = py_new(p, PY_NAME, py_next(p)->begin);
    if (!(n->name.id = py_name(p)))
        return NULL;
    py_end(p, n);
    while (py_accept(p, PY_W_DOT)) {
        const char *name = py_name(p);
        if (!name)
            return NULL;
        struct py *a = py_new(p, PY_ATTRIBUTE, n->begin);
        a->attribute.value = n;
        a->attribute.attr = name;
        n = a;
    }
    return n;
}

static struct py *class_pattern(struct py_parser *p, struct py *cls)
{
    py_nodes patterns = { 0 }, names = { 0 }, values = { 0 };
    p->at++;
    while (!py_is(p, PY_W_RPAR)) {
        const struct py_token t = *py_next(p);
        bool named = t.kind == PY_TOKEN_NAME && py_ahead(p, 1)->word == PY_W_IS_SET;
        if (named) {
            struct py *id = py_new(p, PY_IDENTIFIER, t.begin);
            id->identifier.name = t.name;
            py_add(p, &names, id);
            p->at += 2;
        }
        struct py *n = pattern(p);
        if (!n)
            return NULL;
        if (!named && names.count)
            return py_fail(p, n->begin, "positional patterns follow keyword patterns");
        if (named)
            py_add(p, &values, n);
        else
            py_add(p, &patterns, n);
        if (!py_is(p, PY_W_RPAR) && !py_accept(p, PY_W_COMMA))
            return py_invalid(p);
    }
    p->at++;
    struct py *n = py_new(p, PY_MATCH_CLASS, cls->begin);
    n->match_class.cls = cls;
    n->match_class.patterns = py_list(p, &patterns);
    n->match_class.kwd_attrs = py_list(p, &names);
    n->match_class.kwd_patterns = py_list(p, &values);
    return n;
}

static struct py *name_pattern(struct py_parser *p)
{
    struct py *n = dotted(p);
    if (!n)
        return NULL;
    if (py_is(p, PY_W_LPAR))
        return class_pattern(p, n);
    if (n->kind == PY_NAME)
        return capture(p, n->begin, n->name.id);
    struct py *v = py_new(p, PY_MATCH_VALUE, n->begin);
    v->match_value.value = n;
    return v;
}

static struct py *singleton(struct py_parser *p, struct py *value)
{
    struct py *n = py_new(p, PY_MATCH_SINGLETON, value->begin);
    n->match_singleton.value = value;
    return n;
}

static struct py *value_pattern(struct py_parser *p, struct py *value)
{
    if (!value)
        return NULL;
    struct py *n = py_new(p, PY_MATCH_VALUE, value->begin);
    n->match_value.value = value;
    return n;
}

static bool at_singleton(const struct py_parser *p)
{
    return py_is(p, PY_W_NONE) || py_is(p, PY_W_TRUE) || py_is(p, PY_W_FALSE);
}

static struct py *mapping_key(struct py_parser *p)
{
    const struct py_token *t = py_next(p);
    if (t->kind == PY_TOKEN_STRING || t->kind == PY_TOKEN_F_START)
        return py_strings(p);
    if (t->kind == PY_TOKEN_NUMBER || t->word == PY_W_MINUS)
        return number_pattern(p);
    if (at_singleton(p))
        return py_atom(p);
    struct py *n = dotted(p);
    return n && n->kind == PY_ATTRIBUTE ? n : py_invalid(p);
}

static struct py *mapping_pattern(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    py_nodes keys = { 0 }, values = { 0 };
    const char *rest = NULL;
    p->at++;
    while (!py_is(p, PY_W_RBRACE)) {
        if (rest)
            return py_invalid(p);
        if (py_accept(p, PY_W_POWER)) {
            if (py_next(p)->name == p->soft_underscore)
                return py_invalid(p);
            if (!(rest = py_name(p)))
                return NULL;
        } else {
            struct py *key = mapping_key(p), *value;
            if (!key || !(py_accept(p, PY_W_COLON) || py_invalid(p)) || !(value = pattern(p)))
                return NULL;
            py_add(p, &keys, key);
            py_add(p, &values, value);
        }
        if (!py_is(p, PY_W_RBRACE) && !py_accept(p, PY_W_COMMA))
            return py_invalid(p);
    }
    p->at++;
    struct py *n = py_new(p, PY_MATCH_MAPPING, begin);
    n->match_mapping.keys = py_list(p, &keys);
    n->match_mapping.patterns = py_list(p, &values);
    n->match_mapping.rest = rest;
    return n;
}

static struct py *closed(struct py_parser *p)
{
    const struct py_token *t = py_next(p);
    if (t->kind == PY_TOKEN_NAME)
        return name_pattern(p);
    if (t->kind == PY_TOKEN_STRING || t->kind == PY_TOKEN_F_START)
        return value_pattern(p, py_strings(p));
    if (t->kind == PY_TOKEN_NUMBER || t->word == PY_W_MINUS)
        return value_pattern(p, number_pattern(p));
    if (at_singleton(p))
        return singleton(p, py_atom(p));
    if (t->word == PY_W_LPAR || t->word == PY_W_LSQB)
        return bracketed(p);
    return t->word == PY_W_LBRACE ? mapping_pattern(p) : py_invalid(p);
}

static struct py *alternatives(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *first = closed(p);
    if (!first || !py_is(p, PY_W_BAR))
        return first;
    py_nodes list = { 0 };
    py_add(p, &list, first);
    while (py_accept(p, PY_W_BAR)) {
        struct py *next = closed(p);
        if (!next)
            return NULL;
        py_add(p, &list, next);
    }
    struct py *n = py_new(p, PY_MATCH_OR, begin);
    n->match_or.patterns = py_list(p, &list);
    return n;
}

static struct py *pattern(struct py_parser *p)
{
    if (!py_enter(p))
        return NULL;
    uint32_t begin = py_next(p)->begin;
    struct py *n = alternatives(p);
    if (n && py_accept(p, PY_W_AS)) {
        const struct py_token t = *py_next(p);
        if (t.kind != PY_TOKEN_NAME)
            return py_starts_expression(p) ? py_fail(p, t.begin, "invalid pattern target") : py_invalid(p);
        if (t.name == p->soft_underscore)
            return py_fail(p, t.begin, "cannot use '_' as a target");
        p->at++;
        if (py_is(p, PY_W_DOT) || py_is(p, PY_W_LPAR))
            return py_fail(p, t.begin, "invalid pattern target");
        struct py *as = py_new(p, PY_MATCH_AS, begin);
        as->match_as.pattern = n;
        as->match_as.name = t.name;
        n = as;
    }
    py_leave(p);
    return n;
}

/* The patterns of a case: a, b without brackets make a sequence. */
static struct py *patterns(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *first = maybe_star(p);
    if (!first || (first->kind != PY_MATCH_STAR && !py_is(p, PY_W_COMMA)))
        return first;
    py_nodes list = { 0 };
    py_add(p, &list, first);
    if (!py_is(p, PY_W_COMMA))
        return py_invalid(p);
    while (py_accept(p, PY_W_COMMA) && !py_is(p, PY_W_COLON) && !py_is(p, PY_W_IF)) {
        struct py *next = maybe_star(p);
        if (!next)
            return NULL;
        py_add(p, &list, next);
    }
    return sequence(p, begin, &list);
}

static struct py *match_case(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    if (!py_is_soft(p, p->soft_case))
        return py_invalid(p);
    struct py *n = py_new(p, PY_MATCH_CASE, begin);
    p->at++;
    if (!(n->match_case.pattern = patterns(p)))
        return NULL;
    if (py_accept(p, PY_W_IF) && !(n->match_case.guard = py_named(p)))
        return NULL;
    return py_block(p, "'case' statement", begin, &n->match_case.body) ? py_end(p, n) : NULL;
}

/* `match` is a name unless an expression, a colon, the end of the line and an indented `case` follow. */
static struct py *subject(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *first = py_star_named(p);
    if (!first || (first->kind != PY_STARRED && !py_is(p, PY_W_COMMA)))
        return first;
    py_nodes list = { 0 };
    py_add(p, &list, first);
    while (py_accept(p, PY_W_COMMA) && !py_is(p, PY_W_COLON)) {
        struct py *next = py_star_named(p);
        if (!next)
            return NULL;
        py_add(p, &list, next);
    }
    struct py *n = py_new(p, PY_TUPLE, begin);
    n->tuple.elts = py_list(p, &list);
    return n;
}

static bool begins_subject(const struct py_parser *p)
{
    struct py_parser copy = *p;
    copy.at++;
    return py_starts_expression(&copy) || py_is(&copy, PY_W_STAR);
}

struct py *py_match(struct py_parser *p)
{
    uint32_t at = p->at, depth = p->depth, begin = py_next(p)->begin;
    bool raw = p->raw;
    if (!begins_subject(p))
        return NULL;
    p->at++;
    struct py *value = subject(p);
    bool is_match = value && py_is(p, PY_W_COLON) && py_ahead(p, 1)->kind == PY_TOKEN_NEWLINE;
    if (!is_match) {
        bool limit = p->failed && p->error.limit;
        if (limit)
            return NULL;
        p->at = at;
        p->depth = depth;
        p->raw = raw;
        p->failed = false;
        return NULL;
    }
    p->at += 2;
    if (py_next(p)->kind != PY_TOKEN_INDENT)
        return py_fail(p, py_next(p)->begin, "expected an indented block after 'match' statement");
    p->at++;
    py_nodes cases = { 0 };
    while (py_next(p)->kind != PY_TOKEN_DEDENT) {
        struct py *c = match_case(p);
        if (!c)
            return NULL;
        py_add(p, &cases, c);
    }
    p->at++;
    struct py *n = py_new(p, PY_MATCH, begin);
    n->match.subject = value;
    n->match.cases = py_list(p, &cases);
    return n;
}
