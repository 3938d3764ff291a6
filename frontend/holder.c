/* Lists, dictionaries and records that a program changes in place. What they hold is known at compile time: a change
 * makes another value, which every name, list, dictionary or record has from then on that had the old one. Changes are
 * made where the value was made, or in loops that are unrolled: elsewhere they would depend on the run. */
#include "frontend/functions.h"

#include <string.h>

const struct value *fe_as_list(struct fe *f, const struct value *tuple)
{
    if (!tuple || tuple->kind != FE_TUPLE || tuple->lazy)
        return tuple;
    struct value *list = arena_copy(f->arena, tuple, sizeof *tuple);
    list->list = true;
    list->depth = f->depth;
    return list;
}

static bool holds(const struct value *v)
{
    return (v->kind == FE_TUPLE && !v->lazy) || v->kind == FE_DICT || v->kind == FE_RECORD;
}

/* With another part in place of `items[i]`. */
static const struct value *with_part(struct fe *f, const struct value *v, uint32_t i, const struct value *part)
{
    struct value *changed = arena_copy(f->arena, v, sizeof *v);
    const struct value **items = arena_copy(f->arena, v->items, v->count * sizeof *items);
    items[i] = part;
    changed->items = items;
    return changed;
}

static const struct value *copied_list(struct fe *f, const struct py *n, const struct value *v, const char *name)
{
    uint32_t lists = v->lists;
    v = fe_copy(f, n, v, name);
    if (v)
        v->view.container->lists = lists;
    return v ? fe_whole(f, v->view.container) : NULL;
}

const struct value *fe_kept(struct fe *f, const struct py *n, const struct value *v, const char *name)
{
    if (fe_is_data(v)) {
        const struct fe_container *c = v->kind == FE_VIEW ? v->view.container : NULL;
        if (c && v->lists && v->rank == c->rank && !fe_same_places(v, fe_whole(f, v->view.container)))
            return copied_list(f, n, v, name); /* a slice of a list is another list */
        bool shared = c && (v->rank > 0 ? !c->storage : c->scalar && !c->storage);
        return shared ? v : fe_copy(f, n, v, name);
    }
    for (uint32_t i = 0; holds(v) && i < v->count; i++) {
        const struct value *part = fe_kept(f, n, v->items[i], name);
        if (!part)
            return NULL;
        if (part != v->items[i])
            v = with_part(f, v, i, part);
    }
    return v;
}

/* ---- changes ---- */

struct change {
    const struct value *old, *now;
};

static const struct value *replaced(struct fe *f, const struct value *v, const struct change *c)
{
    if (v == c->old)
        return c->now;
    for (uint32_t i = 0; v && holds(v) && i < v->count; i++) {
        const struct value *part = replaced(f, v->items[i], c);
        if (part != v->items[i])
            v = with_part(f, v, i, part);
    }
    return v;
}

/* How many names of the scope had it; with `only_count` they keep it. */
static uint32_t replace_in_scope(struct fe *f, struct fe_scope *s, const struct change *c, bool only_count)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->names.count; i++) {
        struct fe_binding *b = &s->names.items[i];
        const struct value *v = b->value ? replaced(f, b->value, c) : NULL;
        if (v == b->value)
            continue;
        count++;
        if (!only_count)
            fe_change(f, s, b)->value = v;
    }
    return count;
}

static bool change(struct fe *f, const struct py *n, const struct value *old, const struct value *now)
{
    struct change c = { old, now };
    uint32_t others = 0;
    if (old->depth != f->depth)
        return fe_unsupported(
                   f, n,
                   "changing %s in a loop or branch that the run decides about: what it has must be known at "
                   "compile time (an array, and a variable for how many of its elements are in use, may be "
                   "changed anywhere)",
                   fe_describe(f, old)) != NULL;
    for (struct fe_scope *s = f->scope->caller; s; s = s->caller)
        others += replace_in_scope(f, s, &c, true);
    for (struct fe_scope *s = f->scope->outer; s; s = s->outer)
        others += replace_in_scope(f, s, &c, true);
    if (others)
        return fe_unsupported(f, n, "changing %s that belongs to another function or to the module",
                              fe_describe(f, old)) != NULL;
    replace_in_scope(f, f->scope, &c, false);
    return true;
}

/* The same kind of holder, of other items. */
static const struct value *holder_of(struct fe *f, const struct value *like, const struct value *const *items,
                                     uint32_t count)
{
    struct value *v = arena_copy(f->arena, like, sizeof *like);
    v->items = items;
    v->count = count;
    return v;
}

static const struct value **copied(struct fe *f, const struct value *v, uint32_t more)
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->count + more + 1);
    for (uint32_t i = 0; i < v->count; i++)
        items[i] = v->items[i];
    return items;
}

static bool position(struct fe *f, const struct py *n, const struct value *list, const struct value *index,
                     uint32_t *at)
{
    int64_t i = index->kind == FE_INT || index->kind == FE_BOOL ? index->i : INT64_MAX;
    if (i == INT64_MAX)
        return fe_unsupported(f, n, "an element of a list whose index is %s", fe_describe(f, index)) != NULL;
    i += i < 0 ? list->count : 0;
    *at = (uint32_t)i;
    return (i >= 0 && i < list->count) ||
           fe_raise(f, n, "IndexError", "list index %lld of %u elements", (long long)index->i, list->count) != NULL;
}

bool fe_set_item(struct fe *f, const struct py *n, const struct value *holder, const struct value *index,
                 const struct value *v)
{
    if (!(v = fe_kept(f, n, v, "item")))
        return false;
    if (holder->kind == FE_TUPLE) {
        uint32_t at;
        return position(f, n, holder, index, &at) && change(f, n, holder, with_part(f, holder, at, v));
    }
    for (uint32_t i = 0; i + 1 < holder->count; i += 2)
        if (fe_same_value(holder->items[i], index))
            return change(f, n, holder, with_part(f, holder, i + 1, v));
    if (holder->kind == FE_RECORD)
        return fe_raise(f, n, "AttributeError", "%s has no field '%s'", fe_describe(f, holder), index->text) != NULL;
    if (fe_is_data(index) || index->kind == FE_SYMBOL)
        return fe_unsupported(f, n, "a key that is known at run time only") != NULL;
    const struct value **items = copied(f, holder, 2);
    items[holder->count] = index;
    items[holder->count + 1] = v;
    return change(f, n, holder, holder_of(f, holder, items, holder->count + 2));
}

/* ---- methods of lists ---- */

static const struct value *listed(struct fe *f, const struct py *n, const struct value *v)
{
    if (v->kind == FE_RANGE)
        v = fe_unroll_range(f, v);
    else if ((fe_is_data(v) && v->rank) || (v->kind == FE_TUPLE && v->lazy))
        v = fe_elements(f, n, v);
    if (!v && f->failed)
        return NULL;
    return v && v->kind == FE_TUPLE ? v : fe_unsupported(f, n, "a list extended by anything but constants");
}

static const struct value *insert(struct fe *f, const struct py *n, const struct value *list, uint32_t at,
                                  const struct value *const *more, uint32_t count)
{
    const struct value **items = copied(f, list, count);
    memmove(items + at + count, items + at, (list->count - at) * sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        if (!(items[at + i] = fe_kept(f, n, more[i], "item")))
            return NULL;
    return change(f, n, list, holder_of(f, list, items, list->count + count)) ? fe_none(f) : NULL;
}

static const struct value *take_out(struct fe *f, const struct py *n, const struct value *list, uint32_t at)
{
    const struct value **items = copied(f, list, 0), *taken = items[at];
    memmove(items + at, items + at + 1, (list->count - at - 1) * sizeof *items);
    return change(f, n, list, holder_of(f, list, items, list->count - 1)) ? taken : NULL;
}

static uint32_t find(const struct value *list, const struct value *v)
{
    uint32_t at = 0;
    while (at < list->count && !fe_same_value(list->items[at], v))
        at++;
    return at;
}

/* Of constants. */
static const struct value *searched(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *list = a->items[0], *v = a->items[1];
    uint32_t at = find(list, v), count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (fe_is_data(list->items[i]) || fe_is_data(v))
            return fe_unsupported(f, a->node, "'%s' of a list of data", b->name);
        count += fe_same_value(list->items[i], v);
    }
    if (b->kind == LIST_COUNT)
        return fe_int(f, count);
    if (at == list->count)
        return fe_raise(f, a->node, "ValueError", "the list has no such element");
    return b->kind == LIST_INDEX ? fe_int(f, at) : take_out(f, a->node, list, at) ? fe_none(f) : NULL;
}

const struct value *fn_list(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    static const uint8_t most[] = {
        [LIST_APPEND] = 2, [LIST_EXTEND] = 2, [LIST_INSERT] = 3, [LIST_POP] = 2,     [LIST_REMOVE] = 2,
        [LIST_INDEX] = 2,  [LIST_COUNT] = 2,  [LIST_CLEAR] = 1,  [LIST_REVERSE] = 1, [LIST_COPY] = 1
    };
    const struct value *list = a->items[0], *more = a->count > 1 ? a->items[1] : NULL;
    uint32_t at = list->count;
    if (!fe_args_done(f, a, most[b->kind]) || (a->count < most[b->kind] && b->kind != LIST_POP))
        return f->failed ? NULL : fe_error(f, a->node, "'%s' has %u arguments", b->name, most[b->kind] - 1u);
    switch (b->kind) {
    case LIST_APPEND:
        return insert(f, a->node, list, at, &more, 1);
    case LIST_EXTEND:
        more = listed(f, a->node, more);
        return more ? insert(f, a->node, list, at, more->items, more->count) : NULL;
    case LIST_INSERT:
        if (more->kind == FE_INT)
            at = more->i < -(int64_t)at ? 0
                 : more->i < 0          ? at + (uint32_t)more->i
                 : more->i < at         ? (uint32_t)more->i
                                        : at;
        else if (!position(f, a->node, list, more, &at))
            return NULL;
        return insert(f, a->node, list, at, &a->items[2], 1);
    case LIST_POP:
        return position(f, a->node, list, more ? more : fe_int(f, -1), &at) ? take_out(f, a->node, list, at) : NULL;
    case LIST_CLEAR:
        return change(f, a->node, list, holder_of(f, list, NULL, 0)) ? fe_none(f) : NULL;
    case LIST_COPY:
        return fe_as_list(f, list);
    case LIST_REVERSE: {
        const struct value **items = copied(f, list, 0);
        for (uint32_t i = 0; i < list->count; i++)
            items[i] = list->items[list->count - 1 - i];
        return change(f, a->node, list, holder_of(f, list, items, list->count)) ? fe_none(f) : NULL;
    }
    default:
        return searched(f, b, a);
    }
}

/* ---- bodies that change them ---- */

struct search {
    struct fe *f;
    bool found;
};

/* What an expression of names, constant indices and fields is now; NULL: it is not as simple. */
static const struct value *part_of(struct fe *f, const struct py *n)
{
    const struct value *v = NULL;
    if (n->kind == PY_NAME) {
        const struct fe_binding *b = fe_find(f->scope, n->name.id);
        return b ? b->value : NULL;
    }
    const bool item = n->kind == PY_SUBSCRIPT;
    if (item || n->kind == PY_ATTRIBUTE)
        v = part_of(f, item ? n->subscript.value : n->attribute.value);
    if (!v || !holds(v))
        return NULL;
    if (!item)
        return v->kind == FE_RECORD ? fe_member(f, v, n->attribute.attr) : NULL;
    const struct py_value *index = n->subscript.slice->kind == PY_CONSTANT ? &n->subscript.slice->constant.value : NULL;
    if (index && v->kind == FE_TUPLE && index->kind == PY_INT && index->u < v->count)
        return v->items[index->u];
    for (uint32_t i = 0; index && index->kind == PY_STRING && v->kind == FE_DICT && i + 1 < v->count; i += 2)
        if (v->items[i]->kind == FE_STRING && strcmp(v->items[i]->text, index->text) == 0)
            return v->items[i + 1];
    return NULL;
}

static bool may_change(const struct value *v)
{
    return v && (v->kind == FE_DICT || v->kind == FE_RECORD || (v->kind == FE_TUPLE && v->list && !v->lazy));
}

/* holder[...] = or holder.name = */
static bool changes_item(struct fe *f, const struct py *target)
{
    const struct py *base = target->kind == PY_SUBSCRIPT   ? target->subscript.value
                            : target->kind == PY_ATTRIBUTE ? target->attribute.value
                                                           : NULL;
    return base && may_change(part_of(f, base));
}

static bool find_change(void *user, struct py *n)
{
    struct search *s = user;
    const struct py *c = n->kind == PY_CALL && n->call.func->kind == PY_ATTRIBUTE ? n->call.func : NULL;
    const struct fe_builtin *b = c ? fe_builtin_find("list", c->attribute.attr) : NULL;
    if (b && b->kind < LIST_INDEX)
        s->found |= may_change(part_of(s->f, c->attribute.value));
    if (n->kind == PY_AUG_ASSIGN && changes_item(s->f, n->aug_assign.target)) {
        const struct value *old = part_of(s->f, n->aug_assign.target); /* arrays are updated in place */
        s->found |= !old || !fe_is_data(old) || !old->rank;
    }
    for (uint32_t i = 0; n->kind == PY_ASSIGN && i < n->assign.targets.count; i++)
        s->found |= changes_item(s->f, n->assign.targets.items[i]);
    return n->kind != PY_FUNCTION_DEF && n->kind != PY_LAMBDA;
}

bool fe_changes_holders(struct fe *f, const struct py_list *body)
{
    struct search s = { f, false };
    for (uint32_t i = 0; i < body->count && !s.found; i++)
        py_visit(body->items[i], find_change, &s);
    return s.found;
}
