/* Branches. */
#include "frontend/value.h"

#include <string.h>

struct branches {
    const struct py *node;
    const struct py_list *body[2];
    const char *text;
};

static bool run_branches(struct fe *f, const void *user)
{
    const struct branches *b = user;
    bool ended[2] = { false, false }, good = true;
    struct conditional *c = NULL;
    uint32_t before = f->scope->names.count;
    VEC(struct fe_binding) first = { 0 };
    fe_at(f, b->node);
    if (!f->dry) {
        c = build_conditional(f->region, fe_label(f, "if"));
        fe_link(f, &c->block);
    }
    const char *returned = intern(f->ir->names, "__result");
    struct fe_snapshot start = fe_snapshot(f);
    for (int k = 0; k < 2 && good; k++) {
        if (k && !b->body[1]->count)
            break;
        struct region *r = c ? build_branch(c, k ? NULL : b->text) : NULL;
        struct fe_region kept = fe_enter(f, r);
        f->ended = false;
        f->branches++;
        good = fe_block(f, b->body[k]);
        f->branches--;
        ended[k] = f->ended;
        f->ended = start.ended;
        fe_leave(f, &kept);
        for (uint32_t i = 0; k == 0 && i < f->scope->names.count; i++)
            vec_push(f->arena, &first, f->scope->names.items[i]);
        if (k == 0) { /* the other branch begins as this one did */
            for (uint32_t i = 0; i < f->scope->names.count; i++)
                if (i >= before)
                    f->scope->names.items[i].value = NULL;
                else if (!f->scope->names.items[i].storage)
                    f->scope->names.items[i].value = start.names[i].value;
        }
    }
    /* Behind it, what one branch alone binds is that; of what both bind, the types meet. */
    for (uint32_t i = 0; i < first.count && good; i++) {
        struct fe_binding *now = &f->scope->names.items[i];
        const struct value *a = first.items[i].value, *z = now->value;
        if (now->storage || !a || a == z)
            continue;
        bool result = now->name == returned; /* both branches give one */
        const struct value *old = i < before ? start.names[i].value : NULL;
        bool one = !z || z == old || (ended[1] && !result), none = ended[0] && !result;
        const struct value *other = one && !ended[1] ? old : z;
        if (!none && other && (!fe_is_operand(a) || !fe_is_operand(other)) && !fe_same_value(a, other)) {
            now->value = NULL;
            now->gone = "is not the same after both branches, and neither a number nor an array";
            continue;
        }
        if (!z || (i < before && z == start.names[i].value) || (ended[1] && !result)) {
            now->value = ended[0] && !result ? z : a;
            continue;
        }
        if ((ended[0] && !result) || !fe_is_operand(a) || !fe_is_operand(z))
            continue;
        now->joined =
            a->weak != z->weak ? fe_result_type(f, a, z) : fe_promote(f, fe_own_type(f, a), fe_own_type(f, z));
        now->joined_weak = a->weak && z->weak;
        if (f->dry) { /* whatever is around it sees that type */
            struct value *v =
                (struct value *)fe_elem(f, now->joined, a->shape, fe_is_data(a) ? a->rank : 0, "", 0, NULL);
            v->weak = now->joined_weak;
            now->value = v;
        }
    }
    f->ended = start.ended || (ended[0] && ended[1]);
    return good;
}

bool fe_if(struct fe *f, const struct py *n)
{
    const struct value *constant;
    struct branches b = { .node = n, .body = { &n->if_.body, &n->if_.orelse } };
    bool raises = n->if_.body.count == 1 && n->if_.body.items[0]->kind == PY_RAISE;
    if (raises && fe_require(f, n->if_.body.items[0], n->if_.test, true, fe_raised(f, n->if_.body.items[0])))
        return fe_block(f, &n->if_.orelse);
    if (!fe_condition(f, n->if_.test, &constant, &b.text))
        return false;
    if (constant)
        return fe_block(f, constant->i ? &n->if_.body : &n->if_.orelse);
    return fe_with_storage(f, b.body, 2, false, run_branches, &b);
}

const struct value *fe_guarded(struct fe *f, const struct py *at, bool is_and, const struct value *v,
                               const struct py *n)
{
    const struct value *c = fe_whole(f, fe_container(f, "test", type_basic(f->ir, TYPE_BOOL), NULL, 0));
    c->view.container->storage = true;
    if (!fe_store(f, at, c, fe_cast(f, at, c->type, v), NULL))
        return NULL;
    struct conditional *block = NULL;
    if (!f->dry) {
        block = build_conditional(f->region, fe_label(f, "and"));
        fe_link(f, &block->block);
    }
    const char *name = fe_use(f, c->view.container, true);
    struct fe_region kept =
        fe_enter(f, block ? build_branch(block, is_and ? name : fe_format(f, "(not %s)", name)) : NULL);
    f->branches++;
    const struct value *right = fe_eval(f, n);
    f->branches--;
    bool good = right && fe_store(f, n, c, fe_cast(f, n, c->type, right), NULL);
    fe_leave(f, &kept);
    return good ? c : NULL;
}
