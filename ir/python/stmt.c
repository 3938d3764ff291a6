#include "ir/python/parser.h"

static uint32_t line_of(const struct py_parser *p, uint32_t at)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < at; i++)
        line += p->text[i] == '\n' || (p->text[i] == '\r' && p->text[i + 1] != '\n');
    return line;
}

static const struct {
    uint8_t word, op;
} augmented[] = {
    { PY_W_PLUS_IS, PY_ADD },      { PY_W_MINUS_IS, PY_SUB },         { PY_W_STAR_IS, PY_MULT },
    { PY_W_SLASH_IS, PY_DIV },     { PY_W_FLOORDIV_IS, PY_FLOORDIV }, { PY_W_PERCENT_IS, PY_MOD },
    { PY_W_POWER_IS, PY_POW },     { PY_W_AT_IS, PY_MATMULT },        { PY_W_AND_IS, PY_BITAND },
    { PY_W_OR_IS, PY_BITOR },      { PY_W_XOR_IS, PY_BITXOR },        { PY_W_LSHIFT_IS, PY_LSHIFT },
    { PY_W_RSHIFT_IS, PY_RSHIFT },
};

/* x: T, x: T = value */
static struct py *annotated(struct py_parser *p, struct py *target, bool bracketed)
{
    uint32_t at = p->at++;
    struct py *annotation = py_expression(p), *value = NULL;
    if (!annotation)
        return NULL;
    if (target->kind == PY_LIST || target->kind == PY_TUPLE)
        return py_fail(p, target->begin, "only single target (not %s) can be annotated", py_describe(target));
    if (target->kind != PY_NAME && target->kind != PY_ATTRIBUTE && target->kind != PY_SUBSCRIPT)
        return py_fail(p, target->begin, "illegal target for annotation");
    uint32_t begin = bracketed ? p->tokens.items[at].begin : target->begin;
    if (bracketed) /* from the bracket on */
        for (begin = target->begin; p->text[begin] != '('; begin--)
            continue;
    if (py_accept(p, PY_W_IS_SET) && !(value = py_yield_or_expressions(p)))
        return NULL;
    if (!py_make_target(p, target, PY_TARGET_ASSIGN))
        return NULL;
    struct py *n = py_new(p, PY_ANN_ASSIGN, begin);
    n->ann_assign.target = target;
    n->ann_assign.annotation = annotation;
    n->ann_assign.value = value;
    n->ann_assign.simple = target->kind == PY_NAME && !bracketed;
    return n;
}

static struct py *assignment(struct py_parser *p, uint32_t begin, struct py *first)
{
    py_nodes targets = { 0 };
    struct py *value = first;
    while (py_is(p, PY_W_IS_SET)) {
        if (value->kind == PY_YIELD || value->kind == PY_YIELD_FROM)
            return py_fail(p, value->begin, "assignment to yield expression not possible");
        const struct py *bad = py_bad_target(value, PY_TARGET_ASSIGN);
        if (bad)
            return py_fail(p, bad->begin, "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                           py_describe(bad));
        py_make_target(p, value, PY_TARGET_ASSIGN);
        py_add(p, &targets, value);
        p->at++;
        if (!(value = py_yield_or_expressions(p)))
            return NULL;
    }
    struct py *n = py_new(p, PY_ASSIGN, begin);
    n->assign.targets = py_list(p, &targets);
    n->assign.value = value;
    return n;
}

/* `print x`, `exec x`: statements of Python 2. */
static struct py *legacy(struct py_parser *p, struct py *first)
{
    if (first->kind != PY_NAME || (first->name.id != p->soft_print && first->name.id != p->soft_exec) ||
        !py_starts_expression(p))
        return NULL;
    uint32_t at = p->at;
    if (!py_star_expressions(p))
        return NULL;
    p->at = at;
    return py_fail(p, first->begin, "Missing parentheses in call to '%s'. Did you mean %s(...)?", first->name.id,
                   first->name.id);
}

static struct py *expression_statement(struct py_parser *p)
{
    const struct py_token first_token = *py_next(p);
    struct py *first = py_yield_or_expressions(p);
    if (!first)
        return NULL;
    const struct py_token *t = py_next(p);
    if (t->word == PY_W_COLON)
        return annotated(p, first, first_token.word == PY_W_LPAR && first->begin != first_token.begin);
    if (t->word == PY_W_IS_SET)
        return assignment(p, first_token.begin, first);
    for (size_t i = 0; i < sizeof augmented / sizeof *augmented; i++) {
        if (t->word != augmented[i].word)
            continue;
        if (first->kind != PY_NAME && first->kind != PY_ATTRIBUTE && first->kind != PY_SUBSCRIPT)
            return py_fail(p, first->begin, "'%s' is an illegal expression for augmented assignment",
                           py_describe(first));
        p->at++;
        struct py *value = py_yield_or_expressions(p);
        if (!value || !py_make_target(p, first, PY_TARGET_ASSIGN))
            return NULL;
        struct py *n = py_new(p, PY_AUG_ASSIGN, first_token.begin);
        n->aug_assign.target = first;
        n->aug_assign.op = (enum py_op)augmented[i].op;
        n->aug_assign.value = value;
        return n;
    }
    if (legacy(p, first) || p->failed)
        return NULL;
    struct py *n = py_new(p, PY_EXPR, first_token.begin);
    n->expr.value = first;
    return n;
}

static struct py *names_statement(struct py_parser *p, enum py_kind kind)
{
    uint32_t begin = py_next(p)->begin;
    py_nodes names = { 0 };
    p->at++;
    do {
        struct py *n = py_new(p, PY_IDENTIFIER, py_next(p)->begin);
        if (!(n->identifier.name = py_name(p)))
            return NULL;
        py_add(p, &names, py_end(p, n));
    } while (py_accept(p, PY_W_COMMA));
    struct py *n = py_new(p, kind, begin);
    n->global.names = py_list(p, &names);
    return n;
}

static struct py *delete (struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    struct py *targets = NULL;
    py_nodes list = { 0 };
    do {
        if (list.count && (py_next(p)->kind == PY_TOKEN_NEWLINE || py_is(p, PY_W_SEMI)))
            break;
        bool raw = p->raw;
        p->raw = true;
        targets = py_star_bitwise(p);
        p->raw = raw;
        if (!targets || !py_make_target(p, targets, PY_TARGET_DEL))
            return NULL;
        py_add(p, &list, targets);
    } while (py_accept(p, PY_W_COMMA));
    struct py *n = py_new(p, PY_DELETE, begin);
    n->delete.targets = py_list(p, &list);
    return n;
}

static struct py *raise_or_assert(struct py_parser *p, bool is_assert)
{
    uint32_t begin = py_next(p)->begin;
    struct py *first = NULL, *second = NULL;
    p->at++;
    if (is_assert || py_starts_expression(p)) {
        if (!(first = py_expression(p)))
            return NULL;
        if (is_assert && py_is(p, PY_W_IS_SET)) {
            const struct py *bad = py_bad_target(first, PY_TARGET_ASSIGN);
            return py_fail(p, first->begin, "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                           py_describe(bad ? bad : first));
        }
        if (py_accept(p, is_assert ? PY_W_COMMA : PY_W_FROM) && !(second = py_expression(p)))
            return NULL;
    }
    struct py *n = py_new(p, is_assert ? PY_ASSERT : PY_RAISE, begin);
    n->raise_.exc = first; /* assert_ has the same fields */
    n->raise_.cause = second;
    return n;
}

static struct py *word_alone(struct py_parser *p, enum py_kind kind)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    return py_new(p, kind, begin);
}

static struct py *return_statement(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *value = NULL;
    p->at++;
    if ((py_starts_expression(p) || py_is(p, PY_W_STAR)) && !(value = py_star_expressions(p)))
        return NULL;
    struct py *n = py_new(p, PY_RETURN, begin);
    n->return_.value = value;
    return n;
}

struct py *py_simple(struct py_parser *p)
{
    switch (py_next(p)->word) {
    case PY_W_PASS:
        return word_alone(p, PY_PASS);
    case PY_W_BREAK:
        return word_alone(p, PY_BREAK);
    case PY_W_CONTINUE:
        return word_alone(p, PY_CONTINUE);
    case PY_W_RETURN:
        return return_statement(p);
    case PY_W_RAISE:
        return raise_or_assert(p, false);
    case PY_W_ASSERT:
        return raise_or_assert(p, true);
    case PY_W_GLOBAL:
        return names_statement(p, PY_GLOBAL);
    case PY_W_NONLOCAL:
        return names_statement(p, PY_NONLOCAL);
    case PY_W_DEL:
        return delete (p);
    case PY_W_IMPORT:
        return py_import(p);
    case PY_W_FROM:
        return py_import_from(p);
    default:
        break;
    }
    const struct py_token *next = py_ahead(p, 1);
    if (py_is_soft(p, p->soft_type) && next->kind == PY_TOKEN_NAME)
        return py_type_alias(p);
    return expression_statement(p);
}

/* Statements of one line, up to and with its end. */
static bool simple_statements(struct py_parser *p, py_nodes *out)
{
    do {
        struct py *n = py_simple(p);
        if (!n)
            return false;
        py_add(p, out, n);
        if (!py_accept(p, PY_W_SEMI))
            break;
    } while (py_next(p)->kind != PY_TOKEN_NEWLINE);
    if (py_next(p)->kind != PY_TOKEN_NEWLINE)
        return py_invalid(p) != NULL;
    p->at++;
    return true;
}

/* Behind the last line, without the line end. */
static uint32_t end_of_text(const struct py_parser *p)
{
    size_t end = p->length;
    end -= end && p->text[end - 1] == '\n';
    return (uint32_t)(end - (end && p->text[end - 1] == '\r'));
}

bool py_block(struct py_parser *p, const char *after, uint32_t begin, struct py_list *out)
{
    py_nodes body = { 0 };
    if (!py_expect(p, PY_W_COLON))
        return false;
    if (py_next(p)->kind != PY_TOKEN_NEWLINE) {
        if (!simple_statements(p, &body))
            return false;
        *out = py_list(p, &body);
        return true;
    }
    p->at++;
    if (py_next(p)->kind != PY_TOKEN_INDENT)
        return py_fail(p, py_next(p)->kind == PY_TOKEN_END ? end_of_text(p) : py_next(p)->begin,
                       "expected an indented block after %s on line %u", after, line_of(p, begin)) != NULL;
    p->at++;
    while (py_next(p)->kind != PY_TOKEN_DEDENT) {
        if (py_next(p)->kind == PY_TOKEN_END)
            return py_invalid(p) != NULL;
        if (!py_statement(p, &body))
            return false;
    }
    p->at++;
    *out = py_list(p, &body);
    return true;
}

static struct py *decorated(struct py_parser *p)
{
    py_nodes list = { 0 };
    while (py_accept(p, PY_W_AT)) {
        struct py *n = py_named(p);
        if (!n)
            return NULL;
        py_add(p, &list, n);
        if (py_next(p)->kind != PY_TOKEN_NEWLINE)
            return py_invalid(p);
        p->at++;
    }
    uint32_t begin = py_next(p)->begin;
    if (py_is(p, PY_W_CLASS))
        return py_class(p, begin, py_list(p, &list));
    bool is_async = py_accept(p, PY_W_ASYNC);
    return py_is(p, PY_W_DEF) ? py_definition(p, is_async, begin, py_list(p, &list)) : py_invalid(p);
}

static struct py *async_statement(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    if (py_is(p, PY_W_DEF))
        return py_definition(p, true, begin, (struct py_list){ 0 });
    if (py_is(p, PY_W_FOR))
        return py_for(p, true, begin);
    return py_is(p, PY_W_WITH) ? py_with(p, true, begin) : py_invalid(p);
}

/* NULL without error: none. */
static struct py *compound(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    switch (py_next(p)->word) {
    case PY_W_DEF:
        return py_definition(p, false, begin, (struct py_list){ 0 });
    case PY_W_CLASS:
        return py_class(p, begin, (struct py_list){ 0 });
    case PY_W_AT:
        return decorated(p);
    case PY_W_IF:
        return py_if(p);
    case PY_W_WHILE:
        return py_while(p);
    case PY_W_FOR:
        return py_for(p, false, begin);
    case PY_W_WITH:
        return py_with(p, false, begin);
    case PY_W_TRY:
        return py_try(p);
    case PY_W_ASYNC:
        return async_statement(p);
    default:
        return py_is_soft(p, p->soft_match) ? py_match(p) : NULL;
    }
}

bool py_statement(struct py_parser *p, py_nodes *out)
{
    if (!py_enter(p))
        return false;
    struct py *n = compound(p);
    py_leave(p);
    if (n)
        py_add(p, out, n);
    return n || (!p->failed && simple_statements(p, out));
}
