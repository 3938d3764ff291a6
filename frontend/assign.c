/* Assignments: names bind, elements are stored. */
#include "frontend/lower.h"

#include <string.h>

static bool single_element(const struct fe_container *c)
{
    for (uint32_t i = 0; i < c->rank; i++)
        if (!sym_is_int(c->shape[i], 1))
            return false;
    return true;
}

/* A version of the name that another one meets: at the end both have one type. */
static bool join(struct fe *f, const struct py *n, struct fe_binding *b, const struct value *v)
{
    struct fe_container *c = b->storage;
    uint32_t rank = fe_is_data(v) ? v->rank : 0;
    bool same = (rank == c->rank && (fe_is_list(v) ? v->lists : 0) == c->lists) ||
                (f->dace && rank == 0 && single_element(c)); /* DaCe's scalars are such arrays */
    for (uint32_t i = 0; i < rank && same; i++)
        same = fe_same_extent(f, v->shape[i], c->shape[i]);
    if (!same)
        return fe_error(f, n, "'%s' is %s here, but %s before: a name that a loop or branch assigns keeps its shape",
                        b->name, fe_describe(f, v), fe_describe(f, fe_whole(f, c))) != NULL;
    struct value *old = fe_new(f, FE_ELEM);
    old->type = b->joined;
    old->weak = b->joined_weak;
    if (old->weak && !v->weak && !rank)
        b->joined = fe_result_type(f, old, v);
    else if (!old->weak && v->weak)
        b->joined = fe_result_type(f, old, v);
    else
        b->joined = fe_promote(f, b->joined, fe_own_type(f, v));
    b->joined_weak = old->weak && v->weak;
    return true;
}

static bool is_value(const struct value *v) { return fe_is_operand(v); }

static bool assign_name(struct fe *f, const struct py *n, const char *name, const struct value *v);

bool fe_assign_name(struct fe *f, const struct py *n, const char *name, const struct value *v)
{
    if (!assign_name(f, n, name, v))
        return false;
    const struct fe_binding *b = f->typed ? fe_find(f->scope, name) : NULL;
    if (b && b->value)
        fe_typed(f, n, name, b->value);
    return true;
}

static bool assign_name(struct fe *f, const struct py *n, const char *name, const struct value *v)
{
    struct fe_binding *b = fe_find(f->scope, name);
    if (b && b->storage) {
        if (!is_value(v))
            return fe_unsupported(f, n, "'%s' becomes %s in a loop or branch", name, fe_describe(f, v)) != NULL;
        if (f->dry && !join(f, n, b, v))
            return false;
        const struct value *to = fe_whole(f, b->storage);
        ((struct value *)to)->weak = b->joined_weak;
        fe_change(f, f->scope, b)->value = to;
        if (f->dry)
            return true;
        return fe_store(f, n, to, v, NULL);
    }
    if (v->kind == FE_PYOBJECT && f->depth && b && b->value) /* which one it is depends on what was run */
        return fe_unsupported(f, n, "'%s' becomes %s in a loop or branch", name, fe_describe(f, v)) != NULL;
    v = fe_kept(f, n, v, name);
    if (v)
        fe_bind(f, f->scope, name, v);
    return v != NULL;
}

/* `a, *b, c = v`: the targets without the star, and v with a tuple for it. */
static bool gather_star(struct fe *f, const struct py *target, const struct py_list **elts, const struct value **v)
{
    uint32_t count = (*elts)->count, star = 0;
    while (star < count && (*elts)->items[star]->kind != PY_STARRED)
        star++;
    if (star == count)
        return true;
    if ((*v)->count + 1 < count)
        return fe_error(f, target, "%u values for at least %u targets", (*v)->count, count - 1) != NULL;
    struct py_list *targets = arena_copy(f->arena, *elts, sizeof **elts);
    targets->items = arena_copy(f->arena, (*elts)->items, count * sizeof(struct py *));
    targets->items[star] = (*elts)->items[star]->starred.value;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, count);
    uint32_t taken = (*v)->count + 1 - count;
    for (uint32_t i = 0; i < count; i++)
        items[i] = (*v)->items[i < star ? i : i + taken - 1];
    items[star] = fe_tuple(f, (*v)->items + star, taken);
    *elts = targets;
    *v = fe_tuple(f, items, count);
    return true;
}

/* The right sides are values before the first target changes. */
bool fe_unpack(struct fe *f, const struct py *target, const struct value *v)
{
    const struct py_list *elts = target->kind == PY_TUPLE  ? &target->tuple.elts
                                 : target->kind == PY_LIST ? &target->list.elts
                                                           : NULL;
    if (!elts)
        return fe_assign(f, target, v, NULL);
    if (v->kind == FE_ELEM && v->rank > 0 && !(v = fe_materialize(f, target, v, "tmp")))
        return false;
    if (v->kind == FE_VIEW && v->rank > 0 && v->shape[0]->op == SYM_INT && v->shape[0]->i <= 64) {
        const struct value **items = NEW_ARRAY(f->arena, const struct value *, (size_t)v->shape[0]->i + 1);
        for (int64_t i = 0; i < v->shape[0]->i; i++)
            if (!(items[i] = fe_subscript(f, target, v, fe_int(f, i))))
                return false;
        v = fe_tuple(f, items, (uint32_t)v->shape[0]->i);
    }
    if (v->kind != FE_TUPLE)
        return fe_error(f, target, "%s cannot be unpacked into %u targets", fe_describe(f, v), elts->count) != NULL;
    if (!gather_star(f, target, &elts, &v))
        return false;
    if (v->count != elts->count)
        return fe_error(f, target, "%u values for %u targets", v->count, elts->count) != NULL;
    const struct value **kept = NEW_ARRAY(f->arena, const struct value *, v->count + 1);
    for (uint32_t i = 0; i < v->count; i++) {
        kept[i] = v->items[i];
        bool changes = kept[i]->kind == FE_ELEM ||
                       (kept[i]->kind == FE_VIEW && (kept[i]->rank == 0 || elts->items[i]->kind == PY_SUBSCRIPT));
        bool fresh = kept[i]->kind == FE_VIEW && kept[i]->view.container->scalar && !kept[i]->view.container->storage;
        if (changes && !fresh && v->count > 1 && !(kept[i] = fe_copy(f, target, kept[i], "tmp")))
            return false;
    }
    for (uint32_t i = 0; i < v->count; i++)
        if (!fe_unpack(f, elts->items[i], kept[i]))
            return false;
    return true;
}

/* A[mask]: the mask, or NULL. */
static const struct value *mask_of(const struct value *base, const struct value *index)
{
    return fe_is_data(index) && index->rank > 0 && index->type->kind == TYPE_BOOL && index->rank == base->rank ? index
                                                                                                               : NULL;
}

static bool is_own_holder(const struct value *v) { return v->kind == FE_DICT || (v->kind == FE_TUPLE && v->list); }

/* `in_place`: lists and dictionaries of Python may hold the array that is updated. */
static bool target_parts(struct fe *f, const struct py *target, bool in_place, const struct value **base,
                         const struct value **index)
{
    *base = fe_eval_lazy(f, target->subscript.value);
    *index = *base ? fe_eval_index(f, target->subscript.slice) : NULL;
    if (!*index)
        return false;
    bool live =
        (*base)->kind == FE_OBJECT && ((*base)->object->content == FE_MAPPING || (*base)->object->content == FE_LIST);
    if ((*base)->kind != FE_VIEW && !is_own_holder(*base) && !(in_place && live))
        return fe_raise(f, target, "TypeError", "elements of %s cannot be assigned", fe_describe(f, *base)) != NULL;
    return true;
}

static bool captured_target(struct fe *f, const struct py *target)
{
    return fe_error(f, target,
                    "the attribute '%s' cannot be assigned: what a program captures is constant, and only elements of "
                    "arrays may be written",
                    target->attribute.attr) != NULL;
}

/* A field of a record. */
static bool attribute_target(struct fe *f, const struct py *target, const struct value *v)
{
    const struct value *base = fe_eval_lazy(f, target->attribute.value);
    if (base && base->kind == FE_RECORD)
        return fe_set_item(f, target, base, fe_string(f, target->attribute.attr), v);
    return base && captured_target(f, target);
}

bool fe_assign(struct fe *f, const struct py *target, const struct value *v, const char *wcr)
{
    const struct value *base, *index;
    switch (target->kind) {
    case PY_NAME:
        return fe_assign_name(f, target, target->name.id, v);
    case PY_TUPLE:
    case PY_LIST:
        return fe_unpack(f, target, v);
    case PY_SUBSCRIPT:
        break;
    case PY_ATTRIBUTE:
        return attribute_target(f, target, v);
    default:
        return fe_unsupported(f, target, "an assignment to this") != NULL;
    }
    if (!target_parts(f, target, false, &base, &index))
        return false;
    if (is_own_holder(base))
        return fe_set_item(f, target, base, index, v);
    if (v->kind == FE_TUPLE && !(v = fe_as_array(f, target, v)))
        return false;
    if (!fe_is_operand(v))
        return fe_error(f, target, "%s cannot be an element", fe_describe(f, v)) != NULL;
    const struct value *mask = mask_of(base, index);
    if (mask) {
        if (fe_is_data(v) && v->rank > 0)
            return fe_unsupported(f, target,
                                  "an array assigned where a mask is true: only a single value is possible") != NULL;
        const struct value *args = fe_cast(f, target, base->type, v);
        v = args ? fe_select(f, target, mask, args, base) : NULL;
        return v && fe_store(f, target, base, v, NULL);
    }
    base = fe_subscript(f, target, base, index);
    return base && fe_store(f, target, base, v, wcr);
}

/* ---- augmented assignments ---- */

static const char *lambda_of(enum py_op op)
{
    switch (op) {
    case PY_ADD:
        return "lambda x, y: x + y";
    case PY_SUB:
        return "lambda x, y: x - y";
    case PY_MULT:
        return "lambda x, y: x * y";
    case PY_DIV:
        return "lambda x, y: x / y";
    case PY_BITAND:
        return "lambda x, y: x & y";
    case PY_BITOR:
        return "lambda x, y: x | y";
    case PY_BITXOR:
        return "lambda x, y: x ^ y";
    default:
        return NULL;
    }
}

/* Whether the iterations of the maps between this level and the container's write different elements: every parameter
 * alone decides an index. */
static bool injective(struct fe *f, const struct value *v)
{
    const struct fe_container *c = v->view.container;
    for (struct fe_level *l = f->level; l != c->level; l = l->outer)
        for (uint32_t p = 0; p < l->params.count; p++) {
            bool found = false;
            for (uint32_t i = 0; i < c->rank && !found; i++) {
                const struct fe_dim *d = &v->view.dims[i];
                const struct sym *rest = sym_sub(f->ir, d->begin, sym_name(f->ir, l->params.items[p]));
                found = d->axis < 0;
                for (struct fe_level *k = f->level; k != c->level && found; k = k->outer)
                    for (uint32_t q = 0; q < k->params.count; q++)
                        found &= !sym_mentions(rest, k->params.items[q]);
            }
            if (!found)
                return false;
        }
    return true;
}

static const struct value *combine(struct fe *f, const struct py *n, const struct value *a, const struct value *b)
{
    return n->aug_assign.op == PY_MATMULT ? fe_matmul(f, n, a, b) : fe_binary(f, n, n->aug_assign.op, a, b);
}

/* NumPy refuses to store a float into an integer in place. */
static bool same_kind(struct fe *f, const struct py *n, const struct value *to, const struct value *v)
{
    const struct type *t = fe_own_type(f, v);
    bool loses =
        (fe_is_int_type(to->type) && !fe_is_int_type(t)) || (to->type->kind == TYPE_BOOL && t->kind != TYPE_BOOL);
    return !loses || fe_error(f, n, "the result is %s, which does not fit into %s in place", type_text(f->ir, t),
                              fe_describe(f, to)) != NULL;
}

static bool update(struct fe *f, const struct py *n, const struct value *to, const struct value *right)
{
    if (fe_is_list(to))
        return fe_unsupported(f, n, "changing %s in place: np.concatenate makes one array of several",
                              fe_describe(f, to)) != NULL;
    if (to->view.container->level != f->level && !injective(f, to)) {
        const char *wcr = lambda_of(n->aug_assign.op);
        return wcr ? fe_store(f, n, to, right, wcr)
                   : fe_unsupported(f, n, "this operator on data that several iterations of a map may write") != NULL;
    }
    const struct value *v = combine(f, n, to, right);
    return v && same_kind(f, n, to, v) && fe_store(f, n, to, v, NULL);
}

bool fe_augment(struct fe *f, const struct py *n)
{
    const struct py *target = n->aug_assign.target;
    const struct value *right = fe_eval(f, n->aug_assign.value), *base, *index;
    if (!right)
        return false;
    if (target->kind == PY_NAME) {
        struct fe_binding *b = fe_find(f->scope, target->name.id);
        const struct value *old = fe_eval(f, target);
        if (!old)
            return false;
        bool outer = b && b->storage && b->storage->level != f->level;
        if (outer && f->dry && !join(f, n, b, fe_binary(f, n, n->aug_assign.op, old, right)))
            return false;
        if (outer || (old->kind == FE_VIEW && (old->rank > 0 || old->view.container->kept)))
            return update(f, n, outer ? fe_whole(f, b->storage) : old, right);
        const struct value *v = combine(f, n, old, right);
        return v && fe_assign_name(f, target, target->name.id, v);
    }
    if (target->kind == PY_ATTRIBUTE) { /* an array is updated in place */
        const struct value *old = fe_eval(f, target);
        bool array = old && old->kind == FE_VIEW && old->rank > 0;
        if (array || !old)
            return array && update(f, n, old, right);
        const struct value *v = combine(f, n, old, right);
        return v && attribute_target(f, target, v);
    }
    if (target->kind != PY_SUBSCRIPT)
        return fe_unsupported(f, target, "an assignment to this") != NULL;
    if (!target_parts(f, target, true, &base, &index))
        return false;
    if (base->kind != FE_VIEW) {
        const struct value *old = fe_subscript(f, target, base, index);
        bool array = old && old->kind == FE_VIEW && old->rank > 0;
        if (array || !old)
            return array && update(f, n, old, right);
        if (!is_own_holder(base))
            return fe_raise(f, target, "TypeError", "elements of %s cannot be assigned", fe_describe(f, base)) != NULL;
        const struct value *v = combine(f, n, old, right);
        return v && fe_set_item(f, target, base, index, v);
    }
    const struct value *mask = mask_of(base, index);
    if (mask) {
        const struct value *v = combine(f, n, base, right);
        v = v && same_kind(f, n, base, v) ? fe_select(f, n, mask, v, base) : NULL;
        return v && fe_store(f, n, base, v, NULL);
    }
    base = fe_subscript(f, target, base, index);
    return base && update(f, n, base, right);
}
