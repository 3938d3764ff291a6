#include "ir/code/python_code.h"

#include <string.h>

/* What tasklets and conditions do not run. */
static const char *const refused[PY_KIND_COUNT] = {
    [PY_FUNCTION_DEF] = "statement 'def'",
    [PY_ASYNC_FUNCTION_DEF] = "statement 'async'",
    [PY_CLASS_DEF] = "statement 'class'",
    [PY_DELETE] = "statement 'del'",
    [PY_TYPE_ALIAS] = "statement 'type'",
    [PY_ASYNC_FOR] = "statement 'async'",
    [PY_WITH] = "statement 'with'",
    [PY_ASYNC_WITH] = "statement 'async'",
    [PY_MATCH] = "statement 'match'",
    [PY_RAISE] = "statement 'raise'",
    [PY_TRY] = "statement 'try'",
    [PY_TRY_STAR] = "statement 'try'",
    [PY_IMPORT] = "statement 'import'",
    [PY_IMPORT_FROM] = "statement 'from'",
    [PY_GLOBAL] = "statement 'global'",
    [PY_NONLOCAL] = "statement 'nonlocal'",
    [PY_NAMED_EXPR] = "assignment expression",
    [PY_DICT] = "dictionary or set",
    [PY_SET] = "dictionary or set",
    [PY_LIST] = "list",
    [PY_LIST_COMP] = "comprehension",
    [PY_SET_COMP] = "comprehension",
    [PY_DICT_COMP] = "comprehension",
    [PY_GENERATOR_EXP] = "comprehension",
    [PY_AWAIT] = "await",
    [PY_YIELD] = "yield",
    [PY_YIELD_FROM] = "yield",
    [PY_JOINED_STR] = "formatted string",
    [PY_STARRED] = "starred expression",
};

const char *python_refused(enum py_kind kind) { return refused[kind]; }

static struct code *block(struct python_code *p, const struct py_list *statements, uint32_t offset);

void *python_error(struct python_code *p, uint32_t offset, const char *message)
{
    diag_error_in(p->ir->diags, p->place, p->text, p->length, offset, DIAG_PYTHON_SYNTAX, message);
    return NULL;
}

void *python_unsupported(struct python_code *p, uint32_t offset, const char *what)
{
    diag_error_in(p->ir->diags, p->place, p->text, p->length, offset, DIAG_PYTHON_UNSUPPORTED, what);
    return NULL;
}

static struct code *target(struct python_code *p, const struct py *n)
{
    struct code *c = python_expression(p, n);
    if (c && c->kind == CODE_TUPLE && c->count == 0)
        return python_unsupported(p, n->begin, "assignment to an empty tuple");
    return c;
}

/* x: T declares x; x: T = value is the assignment x = T(value), to a connector, too. */
static struct code *annotated(struct python_code *p, const struct py *n)
{
    const struct py *name = n->ann_assign.target, *annotation = n->ann_assign.annotation;
    struct code *written = python_expression(p, annotation);
    if (!written)
        return NULL;
    struct code *value = n->ann_assign.value ? python_expression(p, n->ann_assign.value) : NULL;
    if (n->ann_assign.value && !value)
        return NULL;
    const struct type *type = python_type(p, written);
    if (!type || name->kind != PY_NAME)
        return python_unsupported(p, type ? name->begin : annotation->begin, type ? "annotated element" : "annotation");
    if (value) {
        struct code *cast = python_node(p, annotation->begin, CODE_CAST, 1),
                    *c = python_node(p, n->begin, CODE_ASSIGN, 2);
        cast->type = type;
        cast->items[0] = value;
        c->op = CODE_OP_NONE;
        c->items[0] = cast;
        c->items[1] = python_expression(p, name);
        return c->items[1] ? c : NULL;
    }
    struct code *c = python_node(p, name->begin, CODE_DECLARE, 0);
    c->name = name->name.id;
    c->type = type;
    return c;
}

static struct code *assignment(struct python_code *p, const struct py *n)
{
    bool augmented = n->kind == PY_AUG_ASSIGN;
    uint32_t count = augmented ? 1 : n->assign.targets.count;
    struct code *c = python_node(p, n->begin, CODE_ASSIGN, count + 1);
    c->op = augmented ? python_op(n->aug_assign.op) : CODE_OP_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (!(c->items[i + 1] = target(p, augmented ? n->aug_assign.target : n->assign.targets.items[i])))
            return NULL;
    c->items[0] = python_expression(p, augmented ? n->aug_assign.value : n->assign.value);
    return c->items[0] ? c : NULL;
}

static struct code *if_statement(struct python_code *p, const struct py *n)
{
    bool otherwise = n->if_.orelse.count > 0;
    struct code *c = python_node(p, n->begin, CODE_IF, otherwise ? 3 : 2);
    if (!(c->items[0] = python_expression(p, n->if_.test)) || !(c->items[1] = block(p, &n->if_.body, n->begin)))
        return NULL;
    return !otherwise || (c->items[2] = block(p, &n->if_.orelse, n->begin)) ? c : NULL;
}

static struct code *while_statement(struct python_code *p, const struct py *n)
{
    if (n->while_.orelse.count)
        return python_unsupported(p, n->while_.orelse.items[0]->begin, "'else' of a loop");
    struct code *condition = python_expression(p, n->while_.test);
    struct code *body = condition ? block(p, &n->while_.body, n->begin) : NULL;
    return body ? python_node2(p, n->begin, CODE_WHILE, CODE_OP_NONE, condition, body) : NULL;
}

static struct code *integer(struct python_code *p, uint32_t offset, int64_t value)
{
    struct code *c = python_node(p, offset, CODE_INT, 0);
    c->i = value;
    c->u = (uint64_t)value;
    return c;
}

static struct code *for_statement(struct python_code *p, const struct py *n)
{
    const struct py *name = n->for_.target, *range = n->for_.iter;
    if (name->kind == PY_TUPLE)
        return python_unsupported(p, name->begin, "loop over tuples");
    if (name->kind != PY_NAME)
        return python_unsupported(p, name->begin, "loop variable that is no name");
    uint32_t count = range->kind == PY_CALL ? range->call.args.count : 0;
    bool good = count >= 1 && count <= 3 && range->call.keywords.count == 0 && range->call.func->kind == PY_NAME &&
                strcmp(range->call.func->name.id, "range") == 0;
    if (!good)
        return python_unsupported(p, range->begin, "loop over anything but range(...)");
    if (n->for_.orelse.count)
        return python_unsupported(p, n->for_.orelse.items[0]->begin, "'else' of a loop");
    struct code *bound[3] = { integer(p, range->begin, 0), NULL, integer(p, range->begin, 1) };
    for (uint32_t i = 0; i < count; i++)
        if (!(bound[count == 1 ? 1 : i] = python_expression(p, range->call.args.items[i])))
            return NULL;
    struct code *c = python_node(p, n->begin, CODE_FOR_RANGE, 4);
    c->name = name->name.id;
    memcpy(c->items, bound, sizeof bound);
    c->items[3] = block(p, &n->for_.body, n->begin);
    return c->items[3] ? c : NULL;
}

static struct code *statement(struct python_code *p, const struct py *n)
{
    switch (n->kind) {
    case PY_PASS:
        return python_node(p, n->begin, CODE_PASS, 0);
    case PY_BREAK:
        return python_node(p, n->begin, CODE_BREAK, 0);
    case PY_CONTINUE:
        return python_node(p, n->begin, CODE_CONTINUE, 0);
    case PY_RETURN:
        return n->return_.value
                   ? python_node2(p, n->begin, CODE_RETURN, CODE_OP_NONE, python_expression(p, n->return_.value), NULL)
                   : python_node(p, n->begin, CODE_RETURN, 0);
    case PY_ASSERT: /* the message is not kept */
        return python_node2(p, n->begin, CODE_ASSERT, CODE_OP_NONE, python_expression(p, n->assert_.test), NULL);
    case PY_EXPR:
        return python_node2(p, n->begin, CODE_EXPR, CODE_OP_NONE, python_expression(p, n->expr.value), NULL);
    case PY_ANN_ASSIGN:
        return annotated(p, n);
    case PY_ASSIGN:
    case PY_AUG_ASSIGN:
        return assignment(p, n);
    case PY_IF:
        return if_statement(p, n);
    case PY_WHILE:
        return while_statement(p, n);
    case PY_FOR:
        return for_statement(p, n);
    default:
        return python_unsupported(p, n->begin, python_refused(n->kind));
    }
}

static struct code *block(struct python_code *p, const struct py_list *statements, uint32_t offset)
{
    python_nodes list = { 0 };
    for (uint32_t i = 0; i < statements->count; i++) {
        struct code *c = statement(p, statements->items[i]);
        if (!c)
            return NULL;
        vec_push(p->ir->arena, &list, c);
    }
    return python_with_items(p, statements->count ? statements->items[0]->begin : offset, CODE_BLOCK, &list);
}

/* Walks may be recursive but for chains of binary operators (code_chain), so no tree is deeper than the limit. */
static bool limit_depth(struct python_code *p, struct code *root)
{
    struct level {
        struct code *c;
        uint32_t next; /* item */
        uint32_t depth;
    };
    VEC(struct level) stack = { 0 };
    struct level top = { root, 0, 1 };
    vec_push(p->ir->arena, &stack, top);
    while (stack.count) {
        struct level *l = &vec_last(&stack);
        if (l->next == l->c->count) {
            stack.count--;
            continue;
        }
        bool left = l->c->kind == CODE_BINARY && l->next == 0;
        struct level below = { code_item(l->c, l->next++), 0, l->depth };
        if (!below.c)
            continue;
        below.depth += !left || below.c->kind != CODE_BINARY;
        vec_push(p->ir->arena, &stack, below);
        if (below.depth > PY_MAX_DEPTH)
            return python_unsupported(p, below.c->offset, "nesting of more than 1000 levels") != NULL;
    }
    return true;
}

/* `a << X` and `X >> a` as statements are memlets of the old syntax (semantics.md 6.2). */
static bool is_old_memlet(const struct code *c)
{
    return c->kind == CODE_EXPR && c->items[0]->kind == CODE_BINARY &&
           (c->items[0]->op == CODE_SHL || c->items[0]->op == CODE_SHR);
}

static struct py *parse(struct python_code *p, enum py_mode mode)
{
    struct py_error error = { 0 };
    struct py *n = py_parse_flat(p->ir->arena, p->ir->names, p->text, p->length, mode, &error);
    if (n)
        p->lines = py_lines(p->ir->arena, p->text, p->length);
    else if (error.limit)
        python_unsupported(p, error.offset, error.message);
    else
        python_error(p, error.offset, error.message);
    return n;
}

struct code *python_parse(struct ir *ir, const struct place *place, const char *text)
{
    struct python_code p = { .ir = ir, .place = place, .text = text, .length = strlen(text) };
    struct py *n = parse(&p, PY_MODE_SNIPPET);
    struct code *c = n ? block(&p, &n->module.body, 0) : NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; c && i < c->count; i++)
        if (!is_old_memlet(c->items[i]))
            c->items[kept++] = c->items[i];
    if (c)
        c->count = kept;
    return c && limit_depth(&p, c) ? c : NULL;
}

struct code *python_parse_expression(struct ir *ir, const struct place *place, const char *text)
{
    struct python_code p = { .ir = ir, .place = place, .text = text, .length = strlen(text) };
    struct py *n = parse(&p, PY_MODE_EXPRESSION);
    struct code *c = n ? python_expression(&p, n->expression.body) : NULL;
    return c && limit_depth(&p, c) ? c : NULL;
}
