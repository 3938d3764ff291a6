/* `return`: of the program, whose values are arguments `__return`, and of functions that are called in it. */
#include "frontend/lower.h"

#include <string.h>

/* ---- arrays that are results as they are ---- */

struct renaming {
    const struct container *container;
    const char *name;
};

static void rename_in_block(void *renaming, struct block *b)
{
    const struct renaming *r = renaming;
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        struct access *a = as_access(st->nodes.items[i]);
        if (a && a->data == r->container)
            a->name = a->node.label = a->node.place.label = r->name;
    }
    for (uint32_t i = 0; st && i < st->edges.count; i++) {
        struct edge *e = st->edges.items[i];
        if (e->memlet.data == r->container)
            e->memlet.name = e->place.label = r->name;
    }
}

/* Is it all of an array that only the program knows? The program ends here, outside of branches and loops. */
static bool may_become_result(struct fe *f, const struct value *v)
{
    const struct fe_container *c = v->kind == FE_VIEW ? v->view.container : NULL;
    return c && !f->depth && c->level == f->level && c->rank && v->rank == c->rank && !c->argument && !c->shows &&
           !c->buffer && v->type == c->type && fe_same_places(v, fe_whole(f, (void *)(uintptr_t)c)) &&
           !sdfg_find_constant(f->level->sdfg, c->name);
}

static void become_result(struct fe *f, struct fe_container *c, const char *name)
{
    struct sdfg *s = f->level->sdfg;
    struct container *made = sdfg_find_container(s, c->name);
    struct renaming r = { made, name };
    region_each_block(&s->region, rename_in_block, &r);
    map_remove(&s->container_by_name, made->name);
    map_put(f->arena, &s->container_by_name, name, made);
    made->name = made->place.label = c->name = name;
    made->transient = false;
    c->argument = true;
}

/* ---- return ---- */

static const char returned[] = "__result";

/* What can be returned in its place, for the message. */
static const char *instead(const struct value *v)
{
    return fe_is_list(v)         ? ": np.array(...) makes an array of it"
           : v->kind != FE_TUPLE ? ""
           : v->list             ? ": np.array(...) makes an array of it"
                                 : " inside of a tuple: its elements may be returned one by one";
}

static bool store_result(struct fe *f, const struct py *n, const struct value *v, uint32_t index, bool tuple)
{
    struct fe_return *r = f->returns;
    bool opaque = v->kind == FE_PYOBJECT;
    if (opaque) {
        struct value *number = arena_copy(f->arena, v, sizeof *v);
        number->kind = FE_VIEW;
        v = number;
    }
    if (!fe_is_operand(v) || fe_is_list(v))
        return fe_error(f, n, "a program cannot return %s%s", fe_describe(f, v), instead(v)) != NULL;
    const struct sym *one[1] = { sym_int(f->ir, 1) };
    bool scalar = !fe_is_data(v) || v->rank == 0;
    if (index >= r->values.count) {
        const char *name = tuple ? fe_format(f, "__return_%u", index) : "__return";
        if (f->dry)
            return true;
        for (uint32_t i = 0; !scalar && i < v->rank; i++)
            if (!fe_is_of_program(f, v->shape[i]) && (f->returns_sized = true))
                return fe_unsupported(f, n, "returning an array whose size is known at run time only, here %s",
                                      fe_describe(f, v)) != NULL;
        name = intern(f->ir->names, name);
        map_put(f->arena, &f->used_names, name, (void *)1);
        if (f->found) {
            vec_push(f->arena, &f->found->numbers, scalar);
            vec_push(f->arena, &f->found->objects, opaque);
        }
        if (!opaque && may_become_result(f, v)) {
            vec_push(f->arena, &r->values, v->view.container);
            become_result(f, v->view.container, name);
            return true;
        }
        struct fe_container *c = NEW(f->arena, struct fe_container);
        c->name = name;
        c->type = fe_own_type(f, v);
        c->rank = scalar ? 1 : v->rank;
        c->shape = arena_copy(f->arena, scalar ? one : v->shape, c->rank * sizeof *c->shape);
        c->level = f->level;
        c->argument = true;
        fe_mark(f, &build_array(f->level->sdfg, name, c->type->name, fe_shape_text(f, c->shape, c->rank))->place);
        vec_push(f->arena, &r->values, c);
    }
    struct fe_container *c = r->values.items[index];
    if (fe_own_type(f, v) != c->type && fe_promote(f, fe_own_type(f, v), c->type) != c->type)
        return fe_error(f, n, "this returns %s, another 'return' %s", fe_describe(f, v),
                        fe_describe(f, fe_whole(f, c))) != NULL;
    for (uint32_t i = 0; !scalar && i < c->rank; i++)
        if (v->rank != c->rank ||
            (v->shape[i]->op == SYM_INT && c->shape[i]->op == SYM_INT && v->shape[i] != c->shape[i]))
            return fe_raise(f, n, "ValueError", "Return values of one shape are needed: this is %s, another one %s",
                            fe_describe(f, v), fe_describe(f, fe_whole(f, c))) != NULL;
    return fe_store(f, n, fe_whole(f, c), v, NULL);
}

const char *fe_result_name(struct fe *f, const char *of, uint32_t index)
{
    return intern(f->ir->names, fe_format(f, "%s_%u", of, index));
}

bool fe_is_result_name(const char *name) { return strncmp(name, returned, sizeof returned - 1) == 0; }

/* The value of a call: a name, as branches may return different ones; the elements of a tuple are names of their own.
 */
static bool return_part(struct fe *f, const struct py *n, const struct py *e, const char *name, const struct value *v)
{
    if (v->kind != FE_TUPLE || !e || e->kind != PY_TUPLE || v->count != e->tuple.elts.count)
        return fe_assign_name(f, n, name, v);
    const struct value **names = NEW_ARRAY(f->arena, const struct value *, v->count + 1);
    for (uint32_t i = 0; i < v->count; i++) {
        names[i] = fe_string(f, fe_result_name(f, name, i));
        if (!return_part(f, n, e->tuple.elts.items[i], names[i]->text, v->items[i]))
            return false;
    }
    struct value *marker = (struct value *)fe_tuple(f, names, v->count);
    marker->lazy = true;
    return fe_assign_name(f, n, name, marker);
}

bool fe_return_statement(struct fe *f, const struct py *n)
{
    struct fe_return *r = f->returns;
    const struct value *v = n->return_.value ? fe_eval(f, n->return_.value) : fe_none(f);
    if (!v)
        return false;
    if (r->inlined) {
        f->ended = f->loops != 0;
        if (f->loops)
            return fe_unsupported(
                       f, n, "'return' in a loop of a function that is called: a variable, and `break`, do the same") !=
                   NULL;
        const char *name = intern(f->ir->names, returned);
        bool good = return_part(f, n, n->return_.value, name, v) && fe_leave_managers(f, f->function_managers);
        f->ended = true;
        return good;
    }
    if (f->level->outer)
        return fe_unsupported(f, n, "'return' in a map") != NULL;
    bool tuple = v->kind == FE_TUPLE;
    if (r->any && v->kind != FE_NONE && (r->tuple != tuple || (tuple && r->values.count != v->count)))
        return fe_error(f, n, "the function returns another number of values elsewhere") != NULL;
    for (uint32_t i = 0; v->kind != FE_NONE && i < (tuple ? v->count : 1); i++)
        if (!store_result(f, n, tuple ? v->items[i] : v, i, tuple))
            return false;
    if (v->kind != FE_NONE && !f->dry) {
        r->any = true;
        r->tuple = tuple;
        if (f->found)
            f->found->tuple = tuple;
    }
    if (!fe_leave_managers(f, f->function_managers))
        return false;
    if (f->depth)
        fe_jump(f, BLOCK_RETURN, "return");
    f->ended = true;
    return true;
}
