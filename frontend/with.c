/* `with`: tasklets, named regions, and objects with `__enter__` and `__exit__`, which are called as any method is:
 * compiled in where that is possible, else by the interpreter. */
#include "frontend/lower.h"

#include <string.h>

/* ---- the end of a block ---- */

static const struct value *method(struct fe *f, const struct py *n, const struct value *manager, const char *name)
{
    return manager->kind == FE_PYOBJECT ? fe_object_method(f, n, manager, name) : fe_attribute(f, n, manager, name);
}

static bool leave(struct fe *f, const struct fe_manager *m)
{
    const struct value *none = fe_none(f), *items[3] = { none, none, none };
    struct fe_args a = { .node = m->node, .items = items, .count = 3, .wanted = none, .manager = -m->number };
    return fe_call_value(f, m->node, m->exit, &a) != NULL;
}

bool fe_leave_managers(struct fe *f, uint32_t outer)
{
    uint32_t count = f->managers.count;
    bool good = true;
    while (good && f->managers.count > outer) { /* a block that is being left is left no second time */
        struct fe_manager m = f->managers.items[--f->managers.count];
        good = leave(f, &m);
        f->managers.items[f->managers.count] = m;
    }
    f->managers.count = count;
    return good;
}

/* ---- blocks ---- */

/* Whether a `return` is somewhere in the block, but not at all of its ends. */
static bool is_return(void *user, struct py *n)
{
    *(bool *)user |= n->kind == PY_RETURN;
    return n->kind != PY_FUNCTION_DEF && n->kind != PY_LAMBDA;
}

bool fe_may_return(const struct py_list *body)
{
    bool found = false;
    for (uint32_t i = 0; i < body->count; i++)
        py_visit(body->items[i], is_return, &found);
    return found;
}

static bool items(struct fe *f, const struct py *n, uint32_t next);

static bool managed(struct fe *f, const struct py *n, uint32_t next)
{
    const struct py *item = n->with.items.items[next], *at = item->with_item.context_expr;
    const struct py *target = item->with_item.optional_vars;
    if (!fe_is_live(f))
        return fe_unsupported(f, at, "'with' for anything but tasklets and named regions: there is no interpreter") !=
               NULL;
    if (f->returns && f->returns->inlined && fe_may_return(&n->with.body) && !fe_always_returns(&n->with.body))
        return fe_unsupported(
                   f, n, "a 'with' in a function that is called, with a 'return' that is not reached always") != NULL;
    const struct value *manager = fe_eval_lazy(f, at);
    if (!manager)
        return false;
    if (manager->kind != FE_OBJECT && manager->kind != FE_PYOBJECT)
        return fe_error(f, at, "%s is no context manager", fe_describe(f, manager)) != NULL;
    struct fe_manager m = { .node = at, .number = (int64_t)++f->num_managers };
    const struct value *enter = method(f, at, manager, "__enter__");
    m.exit = enter ? method(f, at, manager, "__exit__") : NULL;
    if (!m.exit)
        return false;
    struct fe_args a = { .node = at, .wanted = target ? fe_new(f, FE_ELLIPSIS) : fe_none(f), .manager = m.number };
    const struct value *entered = fe_call_value(f, at, enter, &a);
    if (!entered)
        return false;
    vec_push(f->arena, &f->managers, m);
    bool good = (!target || fe_unpack(f, target, entered)) && items(f, n, next + 1);
    f->managers.count--;
    return good && (f->ended || leave(f, &m));
}

/* A region of its own, which has no effect but its name. Symbols that are assigned in it stay. */
static bool named_region(struct fe *f, const struct py *n, uint32_t next, const struct py *call)
{
    const char *label = NULL;
    if (call) {
        const struct value *v =
            call->call.args.count == 1 && !call->call.keywords.count ? fe_eval(f, call->call.args.items[0]) : NULL;
        if (!v || v->kind != FE_STRING)
            return fe_error(f, call, "a named region has one argument, its name") != NULL;
        label = v->text;
    }
    if (f->dry)
        return items(f, n, next + 1);
    struct region *outer = f->region, *inner = build_region(outer, label ? label : fe_label(f, "named"));
    inner->type_name = "NamedRegion";
    fe_at(f, n);
    fe_link(f, &inner->block);
    f->region = inner;
    f->last = NULL;
    f->depth++;
    bool good = items(f, n, next + 1);
    f->depth--;
    if (!inner->blocks.count)
        fe_state(f, "empty");
    f->region = outer;
    f->last = &inner->block;
    return good;
}

/* The items from `next` on, then the block. */
static bool items(struct fe *f, const struct py *n, uint32_t next)
{
    if (next == n->with.items.count)
        return fe_block(f, &n->with.body);
    const struct py *manager = n->with.items.items[next]->with_item.context_expr;
    const char *construct = fe_construct_of(f, manager);
    if (construct && strcmp(construct, "named") == 0)
        return named_region(f, n, next, manager->kind == PY_CALL ? manager : NULL);
    if (!construct)
        return managed(f, n, next);
    if (strcmp(construct, "tasklet") == 0 && next + 1 == n->with.items.count)
        return fe_tasklet(f, n, &n->with.body);
    return fe_unsupported(f, manager, "'with dace.%s' among other parts of a 'with'", construct) != NULL;
}

bool fe_with(struct fe *f, const struct py *n)
{
    return n->with.items.count ? items(f, n, 0)
                               : fe_tasklet(f, n, &n->with.body); /* the body of a map that is a function */
}
