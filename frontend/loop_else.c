/* `else` of loops: a flag that is set before each `break` of the loop tells whether it runs. */
#include "frontend/lower.h"

#include <string.h>

static struct py *set_flag(struct fe *f, const struct py *at, const char *flag, bool value)
{
    struct py *constant = fe_node(f, PY_CONSTANT, at);
    constant->constant.value.kind = value ? PY_TRUE : PY_FALSE;
    return fe_node_assign(f, at, flag, constant);
}

/* The statements with the flag set before each `break` of this loop; those of loops inside stay, but in their `else`.
 */
static struct py_list flagged(struct fe *f, const struct py_list *body, const char *flag, bool *any)
{
    VEC(struct py *) out = { 0 };
    for (uint32_t i = 0; i < body->count; i++) {
        struct py *n = body->items[i];
        if (n->kind == PY_BREAK) {
            vec_push(f->arena, &out, set_flag(f, n, flag, true));
            *any = true;
        } else if (n->kind == PY_IF) {
            n = arena_copy(f->arena, n, py_info[n->kind].size);
            n->if_.body = flagged(f, &n->if_.body, flag, any);
            n->if_.orelse = flagged(f, &n->if_.orelse, flag, any);
        } else if (n->kind == PY_WITH) {
            n = arena_copy(f->arena, n, py_info[n->kind].size);
            n->with.body = flagged(f, &n->with.body, flag, any);
        } else if (n->kind == PY_FOR) {
            n = arena_copy(f->arena, n, py_info[n->kind].size);
            n->for_.orelse = flagged(f, &n->for_.orelse, flag, any);
        } else if (n->kind == PY_WHILE) {
            n = arena_copy(f->arena, n, py_info[n->kind].size);
            n->while_.orelse = flagged(f, &n->while_.orelse, flag, any);
        }
        vec_push(f->arena, &out, n);
    }
    return (struct py_list){ .items = out.items, .count = out.count };
}

bool fe_loop_else(struct fe *f, const struct py *n)
{
    const char *flag = intern(f->ir->names, fe_format(f, "__left_%u", n->begin));
    struct py *loop = arena_copy(f->arena, n, py_info[n->kind].size), *items[3];
    struct py_list *body = n->kind == PY_FOR ? &loop->for_.body : &loop->while_.body;
    struct py_list *other = n->kind == PY_FOR ? &loop->for_.orelse : &loop->while_.orelse, orelse = *other;
    bool breaks = false;
    other->count = 0;
    *body = flagged(f, body, flag, &breaks);
    struct py *test = fe_node(f, PY_IF, n), *no = fe_node(f, PY_UNARY_OP, n);
    no->unary.op = PY_NOT;
    no->unary.operand = fe_node_name(f, n, flag, PY_LOAD);
    test->if_.test = no;
    test->if_.body = orelse;
    items[0] = set_flag(f, n, flag, false);
    items[1] = loop;
    items[2] = test;
    if (breaks)
        return fe_block(f, &(struct py_list){ .items = items, .count = 3 });
    items[0] = loop; /* nothing leaves it early */
    return fe_block(f, &(struct py_list){ .items = items, .count = 1 }) && fe_block(f, &orelse);
}
