/* Branches. */
#include "frontend/lower.h"

#include <string.h>

struct branches {
    const struct py *node;
    const struct py_list *body[2];
    const char *text;
};

/* What the first branch has made of names. */
struct first_branch {
    uint32_t count;    /* of names */
    struct map values; /* of those it changed: name -> its value, or NULL */
};

/* The other branch begins as this one did. */
static void end_first(struct fe *f, const struct fe_snapshot *start, struct first_branch *first)
{
    struct fe_changed changed = fe_changed(f, start);
    struct fe_scope *s = f->scope;
    first->count = s->names.count;
    for (uint32_t i = 0; i < changed.list.count; i++) {
        struct fe_binding *b = &s->names.items[changed.list.items[i].place];
        map_put(f->arena, &first->values, b->name, (void *)(uintptr_t)b->value);
        if (!b->storage)
            fe_change(f, s, b)->value = changed.list.items[i].before.value;
    }
    for (uint32_t i = start->count; i < s->names.count; i++) {
        struct fe_binding *b = &s->names.items[i];
        map_put(f->arena, &first->values, b->name, (void *)(uintptr_t)b->value);
        fe_change(f, s, b)->value = NULL;
    }
}

/* The first branch left `a` of the name, the second what it is bound to now; `old`: it was bound to that before. What
 * one branch alone binds is that; of what both bind, the types meet. */
static void meet(struct fe *f, struct fe_binding *now, const struct value *a, const struct value *old,
                 const bool ended[2], bool result)
{
    const struct value *z = now->value;
    if (now->storage || !a || a == z)
        return;
    fe_change(f, f->scope, now);
    bool one = !z || z == old || (ended[1] && !result), none = ended[0] && !result;
    const struct value *other = one && !ended[1] ? old : z;
    if (!none && other && (!fe_is_operand(a) || !fe_is_operand(other)) && !fe_same_value(a, other)) {
        now->value = NULL;
        now->gone = "is not the same after both branches, and neither a number nor an array (of a tuple, names for "
                    "each element "
                    "may differ)";
        return;
    }
    if (one) {
        now->value = none ? z : a;
        return;
    }
    if (none || !fe_is_operand(a) || !fe_is_operand(z))
        return;
    now->joined = a->weak != z->weak ? fe_result_type(f, a, z) : fe_promote(f, fe_own_type(f, a), fe_own_type(f, z));
    now->joined_weak = a->weak && z->weak;
    if (f->dry) { /* whatever is around it sees that type */
        struct value *v = (struct value *)fe_elem(f, now->joined, a->shape, fe_is_data(a) ? a->rank : 0, "", 0, NULL);
        v->weak = now->joined_weak;
        now->value = v;
    }
}

static void meet_all(struct fe *f, const struct fe_snapshot *start, const struct first_branch *first,
                     const bool ended[2])
{
    struct fe_changed changed = fe_changed(f, start);
    for (uint32_t i = 0; i < changed.list.count; i++) {
        struct fe_binding *now = &f->scope->names.items[changed.list.items[i].place];
        const struct value *old = changed.list.items[i].before.value;
        const struct value *a = map_has(&first->values, now->name) ? map_get(&first->values, now->name) : old;
        meet(f, now, a, old, ended, fe_is_result_name(now->name));
    }
    for (uint32_t i = start->count; i < first->count; i++) {
        struct fe_binding *now = &f->scope->names.items[i];
        meet(f, now, map_get(&first->values, now->name), NULL, ended, fe_is_result_name(now->name));
    }
}

static bool run_branches(struct fe *f, const void *user)
{
    const struct branches *b = user;
    bool ended[2] = { false, false }, good = true;
    struct conditional *c = NULL;
    struct first_branch first = { 0 };
    fe_at(f, b->node);
    if (!f->dry) {
        c = build_conditional(f->region, fe_label(f, "if"));
        fe_link(f, &c->block);
    }
    struct fe_snapshot start = fe_snapshot(f);
    for (int k = 0; k < 2 && good; k++) {
        if (k && !b->body[1]->count)
            break;
        struct region *r = c ? build_branch(c, k ? NULL : b->text) : NULL;
        struct fe_region kept = fe_enter(f, r);
        f->ended = false;
        struct fe_known known = fe_known(f);
        fe_learn(f, b->node->if_.test, k == 1);
        f->branches++;
        good = fe_block(f, b->body[k]);
        f->branches--;
        fe_forget(f, known);
        ended[k] = f->ended;
        f->ended = start.ended;
        fe_leave(f, &kept);
        if (k == 0)
            end_first(f, &start, &first);
    }
    if (good)
        meet_all(f, &start, &first, ended);
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
