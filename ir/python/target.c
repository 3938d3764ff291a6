#include "ir/python/parser.h"

const char *py_describe(const struct py *n)
{
    switch (n->kind) {
    case PY_ATTRIBUTE:
        return "attribute";
    case PY_SUBSCRIPT:
        return "subscript";
    case PY_STARRED:
        return "starred";
    case PY_NAME:
        return "name";
    case PY_LIST:
        return "list";
    case PY_TUPLE:
        return "tuple";
    case PY_LAMBDA:
        return "lambda";
    case PY_CALL:
        return "function call";
    case PY_BOOL_OP:
    case PY_BIN_OP:
    case PY_UNARY_OP:
        return "expression";
    case PY_GENERATOR_EXP:
        return "generator expression";
    case PY_YIELD:
    case PY_YIELD_FROM:
        return "yield expression";
    case PY_AWAIT:
        return "await expression";
    case PY_LIST_COMP:
        return "list comprehension";
    case PY_SET_COMP:
        return "set comprehension";
    case PY_DICT_COMP:
        return "dict comprehension";
    case PY_DICT:
        return "dict literal";
    case PY_SET:
        return "set display";
    case PY_JOINED_STR:
    case PY_FORMATTED_VALUE:
        return "f-string expression";
    case PY_COMPARE:
        return "comparison";
    case PY_IF_EXP:
        return "conditional expression";
    case PY_NAMED_EXPR:
        return "named expression";
    case PY_CONSTANT:
        return n->constant.value.kind == PY_NONE       ? "None"
               : n->constant.value.kind == PY_TRUE     ? "True"
               : n->constant.value.kind == PY_FALSE    ? "False"
               : n->constant.value.kind == PY_ELLIPSIS ? "ellipsis"
                                                       : "literal";
    default:
        return "expression";
    }
}

const struct py *py_bad_target(const struct py *n, enum py_target what)
{
    const struct py_list *list = NULL;
    switch (n->kind) {
    case PY_LIST:
        list = &n->list.elts;
        break;
    case PY_TUPLE:
        list = &n->tuple.elts;
        break;
    case PY_STARRED:
        return what == PY_TARGET_DEL ? n : py_bad_target(n->starred.value, what);
    case PY_NAME:
    case PY_SUBSCRIPT:
    case PY_ATTRIBUTE:
        return NULL;
    default:
        return n;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct py *bad = py_bad_target(list->items[i], what);
        if (bad)
            return bad;
    }
    return NULL;
}

static void set_context(struct py *n, enum py_op ctx)
{
    struct py_list *list = NULL;
    switch (n->kind) {
    case PY_LIST:
        n->list.ctx = ctx;
        list = &n->list.elts;
        break;
    case PY_TUPLE:
        n->tuple.ctx = ctx;
        list = &n->tuple.elts;
        break;
    case PY_STARRED:
        n->starred.ctx = ctx;
        set_context(n->starred.value, ctx);
        return;
    case PY_NAME:
        n->name.ctx = ctx;
        return;
    case PY_SUBSCRIPT:
        n->subscript.ctx = ctx;
        return;
    case PY_ATTRIBUTE:
        n->attribute.ctx = ctx;
        return;
    default:
        return;
    }
    for (uint32_t i = 0; i < list->count; i++)
        set_context(list->items[i], ctx);
}

bool py_make_target(struct py_parser *p, struct py *n, enum py_target what)
{
    const struct py *bad = py_bad_target(n, what);
    if (bad)
        return py_fail(p, bad->begin, "cannot %s %s", what == PY_TARGET_DEL ? "delete" : "assign to",
                       py_describe(bad)) != NULL;
    set_context(n, what == PY_TARGET_DEL ? PY_DEL : PY_STORE);
    return true;
}

struct py *py_targets(struct py_parser *p, enum py_target what)
{
    bool raw = p->raw;
    p->raw = true;
    uint32_t begin = py_next(p)->begin;
    struct py *first = py_star_bitwise(p), *n = first;
    if (first && py_is(p, PY_W_COMMA)) {
        py_nodes list = { 0 };
        py_add(p, &list, first);
        while (py_accept(p, PY_W_COMMA) && (py_starts_expression(p) || py_is(p, PY_W_STAR))) {
            struct py *next = py_star_bitwise(p);
            if (!next)
                return NULL;
            py_add(p, &list, next);
        }
        n = py_new(p, PY_TUPLE, begin);
        n->tuple.elts = py_list(p, &list);
    }
    p->raw = raw;
    return n && py_make_target(p, n, what) ? n : NULL;
}
