#include "ir/code/code.h"

#include "base/vec.h"

#include <string.h>

static const char *const op_texts[CODE_OP_COUNT] = {
    [CODE_OP_NONE] = "",    [CODE_ADD] = "+",        [CODE_SUB] = "-",  [CODE_MUL] = "*",        [CODE_DIV] = "/",
    [CODE_FLOORDIV] = "//", [CODE_MOD] = "%",        [CODE_POW] = "**", [CODE_MATMUL] = "@",     [CODE_BITAND] = "&",
    [CODE_BITOR] = "|",     [CODE_BITXOR] = "^",     [CODE_SHL] = "<<", [CODE_SHR] = ">>",       [CODE_LT] = "<",
    [CODE_LE] = "<=",       [CODE_GT] = ">",         [CODE_GE] = ">=",  [CODE_EQ] = "==",        [CODE_NE] = "!=",
    [CODE_IS] = "is",       [CODE_ISNOT] = "is not", [CODE_IN] = "in",  [CODE_NOTIN] = "not in", [CODE_AND] = "and",
    [CODE_OR] = "or",       [CODE_NEG] = "-",        [CODE_PLUS] = "+", [CODE_NOT] = "not",      [CODE_BITNOT] = "~",
    [CODE_ARROW] = "",
};

const char *code_op_text(enum code_op op) { return op_texts[op]; }

struct code *code_new(struct ir *ir, enum code_kind kind, uint32_t count)
{
    struct code *c = NEW(ir->arena, struct code);
    c->kind = kind;
    c->count = count;
    if (count)
        c->items = NEW_ARRAY(ir->arena, struct code *, count);
    return c;
}

uint32_t code_chain(struct arena *a, const struct code *c, const struct code ***chain)
{
    uint32_t count = 0;
    for (const struct code *n = c; n->kind == CODE_BINARY; n = n->items[0])
        count++;
    *chain = count ? NEW_ARRAY(a, const struct code *, count) : NULL;
    for (uint32_t i = 0; i < count; i++, c = c->items[0])
        (*chain)[i] = c;
    return count;
}

const char *code_dotted(struct ir *ir, const struct code *c)
{
    if (c->kind == CODE_NAME)
        return c->name;
    if (c->kind != CODE_MEMBER || c->op == CODE_ARROW)
        return NULL;
    const char *base = code_dotted(ir, c->items[0]);
    return base ? intern(ir->names, arena_printf(ir->arena, "%s.%s", base, c->name)) : NULL;
}

/* The nodes of a chain, outermost first, then the innermost left operand and the right ones. */
static void visit_chain(struct code *c, bool (*visit)(void *user, struct code *c), void *user)
{
    struct arena *a = arena_new();
    VEC(struct code *) chain = { 0 };
    for (; c->kind == CODE_BINARY && visit(user, c); c = c->items[0])
        vec_push(a, &chain, c);
    if (c->kind != CODE_BINARY) /* else it was skipped */
        code_visit(c, visit, user);
    for (uint32_t i = chain.count; i > 0; i--)
        code_visit(chain.items[i - 1]->items[1], visit, user);
    arena_free(a);
}

void code_visit(struct code *c, bool (*visit)(void *user, struct code *c), void *user)
{
    if (c && c->kind == CODE_BINARY && c->items[0]->kind == CODE_BINARY) {
        visit_chain(c, visit, user);
        return;
    }
    if (!c || !visit(user, c))
        return;
    for (uint32_t i = 0; i < c->count; i++)
        code_visit(code_item(c, i), visit, user);
}

/* ---- free names ---- */

struct names {
    void (*visit)(void *user, const char *name);
    void *user;
    struct arena *arena; /* of this walk */
    VEC(const char *) assigned, seen;
};

static void walk(struct names *n, const struct code *c);

static bool holds(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void read_name(struct names *n, const char *name)
{
    if (holds(n->assigned.items, n->assigned.count, name) || holds(n->seen.items, n->seen.count, name))
        return;
    vec_push(n->arena, &n->seen, name);
    n->visit(n->user, name);
}

static void assign_name(struct names *n, const char *name)
{
    if (!holds(n->assigned.items, n->assigned.count, name))
        vec_push(n->arena, &n->assigned, name);
}

/* Walks what may not run, or whose names end with it. */
static void walk_apart(struct names *n, const struct code *c)
{
    uint32_t count = n->assigned.count;
    walk(n, c);
    n->assigned.count = count;
}

static bool is_module(const struct code *c)
{
    static const char *const modules[] = { "math", "cmath", "dace", "numpy", "np" };
    return c->kind == CODE_NAME && holds(modules, sizeof modules / sizeof *modules, c->name);
}

static void walk_target(struct names *n, const struct code *c)
{
    if (c->kind == CODE_NAME) {
        assign_name(n, c->name);
    } else if (c->kind == CODE_TUPLE) {
        for (uint32_t i = 0; i < c->count; i++)
            walk_target(n, c->items[i]);
    } else {
        walk(n, c);
    }
}

/* A name is assigned after an if statement when both branches assign it. */
static void walk_if(struct names *n, const struct code *c)
{
    walk(n, c->items[0]);
    uint32_t before = n->assigned.count;
    walk(n, c->items[1]);
    VEC(const char *) then = { 0 };
    for (uint32_t i = before; i < n->assigned.count; i++)
        vec_push(n->arena, &then, n->assigned.items[i]);
    n->assigned.count = before;
    if (c->count < 3)
        return;
    walk(n, c->items[2]);
    uint32_t kept = before;
    for (uint32_t i = before; i < n->assigned.count; i++)
        if (holds(then.items, then.count, n->assigned.items[i]))
            n->assigned.items[kept++] = n->assigned.items[i];
    n->assigned.count = kept;
}

static void walk_items(struct names *n, const struct code *c, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        walk(n, code_item(c, i));
}

static void walk_chain(struct names *n, const struct code *c)
{
    const struct code **chain;
    uint32_t count = code_chain(n->arena, c, &chain);
    walk(n, chain[count - 1]->items[0]);
    for (uint32_t i = count; i > 0; i--)
        walk(n, chain[i - 1]->items[1]);
}

static void walk_assign(struct names *n, const struct code *c)
{
    walk(n, c->items[0]);
    for (uint32_t i = 1; i < c->count; i++) {
        if (c->op)
            walk(n, c->items[i]);
        walk_target(n, c->items[i]);
    }
}

static void walk(struct names *n, const struct code *c)
{
    if (!c)
        return;
    uint32_t count = n->assigned.count;
    switch (c->kind) {
    case CODE_NAME:
        read_name(n, c->name);
        return;
    case CODE_BINARY:
        walk_chain(n, c);
        return;
    case CODE_MEMBER:
        if (!is_module(c->items[0]))
            walk(n, c->items[0]);
        return;
    case CODE_CALL:
        if (c->items[0]->kind == CODE_MEMBER)
            walk(n, c->items[0]->items[0]->kind == CODE_NAME && is_module(c->items[0]->items[0])
                        ? NULL
                        : c->items[0]->items[0]);
        else if (c->items[0]->kind != CODE_NAME)
            walk(n, c->items[0]);
        walk_items(n, c, 1, c->count);
        return;
    case CODE_ASSIGN:
        walk_assign(n, c);
        return;
    case CODE_ASSIGN_EXPR:
        walk(n, c->items[1]);
        if (c->op)
            walk(n, c->items[0]);
        walk_target(n, c->items[0]);
        return;
    case CODE_DECLARE:
        walk_items(n, c, 0, c->count);
        assign_name(n, c->name);
        return;
    case CODE_STATIC: /* its value names it */
        assign_name(n, c->name);
        walk_items(n, c, 0, c->count);
        return;
    case CODE_IF:
        walk_if(n, c);
        return;
    case CODE_WHILE:
    case CODE_SWITCH:
        walk(n, c->items[0]);
        walk_items(n, c, 1, c->count);
        n->assigned.count = count;
        return;
    case CODE_CASE:
        walk(n, c->items[0]);
        walk_apart(n, c->items[1]);
        return;
    case CODE_FOR_RANGE:
        walk_items(n, c, 0, 3);
        assign_name(n, c->name);
        walk_apart(n, c->items[3]);
        n->assigned.count = count;
        return;
    case CODE_FOR:
        walk_items(n, c, 0, 2);
        walk(n, c->items[3]);
        walk(n, c->items[2]);
        n->assigned.count = count;
        return;
    case CODE_LAMBDA:
        for (uint32_t i = 0; i + 1 < c->count; i++)
            vec_push(n->arena, &n->assigned, c->items[i]->name);
        walk(n, c->items[c->count - 1]);
        n->assigned.count = count;
        return;
    default:
        walk_items(n, c, 0, c->count);
    }
}

void code_free_names(struct code *c, void (*visit)(void *user, const char *name), void *user)
{
    struct names n = { .visit = visit, .user = user, .arena = arena_new() };
    walk(&n, c);
    arena_free(n.arena);
}

/* ---- conflict resolution ---- */

static bool is_name(const struct code *c, const char *name)
{
    return c->kind == CODE_NAME && strcmp(c->name, name) == 0;
}

enum wcr_kind wcr_detect(const struct code *lambda)
{
    static const struct {
        enum code_op op;
        enum wcr_kind wcr;
    } by_op[] = {
        { CODE_ADD, WCR_SUM },       { CODE_MUL, WCR_PRODUCT },    { CODE_AND, WCR_LOGICAL_AND },
        { CODE_OR, WCR_LOGICAL_OR }, { CODE_NE, WCR_LOGICAL_XOR }, { CODE_BITAND, WCR_BIT_AND },
        { CODE_BITOR, WCR_BIT_OR },  { CODE_BITXOR, WCR_BIT_XOR },
    };
    if (!lambda)
        return WCR_NONE;
    if (lambda->kind != CODE_LAMBDA || lambda->count != 3)
        return WCR_CUSTOM;
    const char *old = lambda->items[0]->name, *new = lambda->items[1]->name;
    const struct code *body = lambda->items[2];
    if (is_name(body, new))
        return WCR_EXCHANGE;
    if (body->kind == CODE_CALL) /* whatever the arguments are (semantics.md 4.7) */
        return is_name(body->items[0], "min") ? WCR_MIN : is_name(body->items[0], "max") ? WCR_MAX : WCR_CUSTOM;
    if (body->kind != CODE_BINARY)
        return WCR_CUSTOM;
    const struct code *left = body->items[0], *right = body->items[1];
    bool plain = (is_name(left, old) && is_name(right, new)) || (is_name(left, new) && is_name(right, old));
    for (size_t i = 0; i < sizeof by_op / sizeof *by_op && plain; i++)
        if (by_op[i].op == body->op)
            return by_op[i].wcr;
    return WCR_CUSTOM;
}

unsigned code_variadic_from(const char *name)
{
    static const struct {
        const char *name;
        unsigned fixed;
    } functions[] = {
#define C_FUNCTION(name, fixed, roles, flags) { #name, fixed },
#include "ir/code/functions.def"
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return functions[i].fixed;
    return 0;
}

bool code_is_foreign(const char *name)
{
    static const char *const functions[] = {
#define C_FOREIGN(name, fixed, roles, flags) #name,
#include "ir/code/functions.def"
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i], name))
            return true;
    return false;
}
