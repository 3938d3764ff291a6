/* Comprehensions. Those over constants are tuples whose elements are lowered one by one. Others become loops that fill
 * an array, which stands for the list: its length is that of what the only generator goes through, or is counted by the
 * same loops before. */
#include "frontend/functions.h"

#include <string.h>

/* ---- of constant length ---- */

enum outcome { CONSTANT, RUN_TIME, WRONG };

struct items {
    VEC(const struct value *) list;
    const struct py *at; /* RUN_TIME: what the run decides */
};

/* "ab" as ("a", "b") */
static const struct value *characters(struct fe *f, const struct value *v)
{
    size_t bytes = strlen(v->text), count = 0;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, bytes + 1);
    for (size_t i = 0, end; i < bytes; i = end) {
        for (end = i + 1; ((unsigned char)v->text[end] & 0xC0) == 0x80;)
            end++;
        items[count++] = fe_string(f, arena_strndup(f->arena, v->text + i, end - i));
    }
    return fe_tuple(f, items, (uint32_t)count);
}

/* What the generator goes through as a tuple; RUN_TIME: it has another number of elements in each run. */
static enum outcome constant_items(struct fe *f, const struct py *n, const struct value *v, const struct value **items)
{
    *items = v;
    if (v->kind == FE_RANGE) {
        *items = fe_unroll_range(f, v);
        return *items ? CONSTANT : RUN_TIME;
    }
    if (v->kind == FE_STRING)
        *items = characters(f, v);
    if ((fe_is_data(v) && v->rank) || (v->kind == FE_TUPLE && v->lazy)) {
        const struct sym *length = fe_length(f, n, v);
        if (!length || length->op != SYM_INT || length->i > 4096)
            return f->failed ? WRONG : RUN_TIME;
        *items = fe_elements(f, n, v);
    }
    if (v->kind == FE_POINTS)
        *items = fe_elements(f, n, v);
    if (!*items)
        return WRONG;
    if ((*items)->kind == FE_TUPLE)
        return CONSTANT;
    fe_unsupported(f, n, "a comprehension over %s", fe_describe(f, v));
    return WRONG;
}

static enum outcome unrolled(struct fe *f, const struct py *n, uint32_t depth, struct items *out)
{
    const struct py_list *generators = &n->generator.generators;
    if (depth == generators->count) {
        const struct value *v = fe_eval(f, n->generator.elt);
        if (v)
            vec_push(f->arena, &out->list, v);
        if (out->list.count > 4096)
            fe_unsupported(f, n, "a comprehension of more than 4096 elements");
        return v && out->list.count <= 4096 ? CONSTANT : WRONG;
    }
    const struct py *g = generators->items[depth];
    const struct value *iter = fe_eval(f, g->comprehension.iter), *items;
    enum outcome found = iter ? constant_items(f, g->comprehension.iter, iter, &items) : WRONG;
    out->at = g->comprehension.iter;
    for (uint32_t i = 0; found == CONSTANT && i < items->count; i++) {
        bool truth = true;
        if (!fe_unpack(f, g->comprehension.target, items->items[i]))
            return WRONG;
        for (uint32_t k = 0; k < g->comprehension.ifs.count && truth; k++) {
            const struct value *test = fe_eval(f, g->comprehension.ifs.items[k]);
            out->at = g->comprehension.ifs.items[k];
            if (!test || !fe_truth(test, &truth))
                return test ? RUN_TIME : WRONG;
        }
        found = truth ? unrolled(f, n, depth + 1, out) : CONSTANT;
    }
    return found;
}

/* ---- of a length that the run decides ---- */

/* Names in the scope of the comprehension. */
static const char count_name[] = "__count", list_name[] = "__list", element_name[] = "__element",
                  iterable_name[] = "__iterable";

static struct py *name_of(struct fe *f, const struct py *at, const char *name, enum py_op ctx)
{
    return fe_node_name(f, at, intern(f->ir->names, name), ctx);
}

static struct py_list single(struct fe *f, struct py *n) { return fe_node_list(f, &n, 1); }

/* `__count += 1` */
static struct py *counting(struct fe *f, const struct py *at)
{
    struct py *n = fe_node(f, PY_AUG_ASSIGN, at), *one = fe_node(f, PY_CONSTANT, at);
    one->constant.value.kind = PY_INT;
    one->constant.value.u = 1;
    n->aug_assign.target = name_of(f, at, count_name, PY_STORE);
    n->aug_assign.op = PY_ADD;
    n->aug_assign.value = one;
    return n;
}

/* `__list[__count] = elt` */
static struct py *filling(struct fe *f, const struct py *elt)
{
    struct py *n = fe_node(f, PY_ASSIGN, elt), *target = fe_node(f, PY_SUBSCRIPT, elt);
    target->subscript.value = name_of(f, elt, list_name, PY_LOAD);
    target->subscript.slice = name_of(f, elt, count_name, PY_LOAD);
    target->subscript.ctx = PY_STORE;
    n->assign.targets = single(f, target);
    n->assign.value = (struct py *)(uintptr_t)elt;
    return n;
}

/* The loops and branches of the generators around the statements. */
static struct py_list nest(struct fe *f, const struct py *n, struct py_list body)
{
    const struct py_list *generators = &n->generator.generators;
    for (uint32_t i = generators->count; i-- > 0;) {
        const struct py *g = generators->items[i];
        for (uint32_t k = g->comprehension.ifs.count; k-- > 0;) {
            struct py *branch = fe_node(f, PY_IF, g->comprehension.ifs.items[k]);
            branch->if_.test = g->comprehension.ifs.items[k];
            branch->if_.body = body;
            body = single(f, branch);
        }
        struct py *loop = fe_node(f, PY_FOR, g->comprehension.target);
        loop->for_.target = g->comprehension.target;
        loop->for_.iter = g->comprehension.iter;
        loop->for_.body = body;
        body = single(f, loop);
    }
    return body;
}

static bool is_walrus(void *user, struct py *n)
{
    *(const struct py **)user = n->kind == PY_NAMED_EXPR ? n : *(const struct py **)user;
    return true;
}

/* Type and shape of the elements, found without building anything. NULL with an error. */
static const struct value *element_of(struct fe *f, const struct py *n)
{
    struct py *assign = fe_node_assign(f, n->generator.elt, intern(f->ir->names, element_name), n->generator.elt);
    struct py_list loops = nest(f, n, single(f, assign));
    struct fe_scope *scope = f->scope, inner = { .outer = scope, .caller = scope };
    uint32_t emitted = f->emitted;
    bool dry = f->dry;
    f->dry = true;
    f->scope = &inner;
    bool good = fe_block(f, &loops);
    f->scope = scope;
    f->dry = dry;
    f->emitted = emitted;
    const struct fe_binding *b = good ? fe_find(&inner, intern(f->ir->names, element_name)) : NULL;
    const struct value *v = b ? b->value : NULL;
    if (!good)
        return NULL;
    if (v && v->kind == FE_TUPLE && !v->lazy) { /* rows of numbers of one type */
        bool alike = v->count > 0;
        for (uint32_t i = 0; i < v->count && alike; i++)
            alike = fe_is_operand(v->items[i]) && !(fe_is_data(v->items[i]) && v->items[i]->rank) &&
                    fe_own_type(f, v->items[i]) == fe_own_type(f, v->items[0]);
        const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, 1);
        shape[0] = sym_int(f->ir, v->count);
        v = alike ? fe_elem(f, fe_own_type(f, v->items[0]), shape, 1, "", 0, NULL) : v;
    }
    if (!v || !fe_is_operand(v))
        return fe_unsupported(
            f, n->generator.elt,
            "a list of %s, as long as the run decides: it can be of numbers of one type, or of arrays",
            v ? fe_describe(f, v) : "nothing");
    return v;
}

/* An empty list with this many elements. */
static const struct value *new_list(struct fe *f, const char *wish, const struct value *element,
                                    const struct sym *length)
{
    uint32_t more = fe_is_data(element) ? element->rank : 0, lists = 1;
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, more + 2);
    shape[0] = length;
    for (uint32_t i = 0; i < more; i++)
        shape[i + 1] = element->shape[i];
    if (fe_is_list(element))
        lists += element->lists;
    struct fe_container *c = fe_container(f, wish, fe_own_type(f, element), shape, more + 1);
    c->lists = lists;
    return fe_whole(f, c);
}

static void bind(struct fe *f, const char *name, const struct value *v)
{
    fe_bind(f, f->scope, intern(f->ir->names, name), v);
}

/* One generator without conditions: the number of an iteration is that of its element. */
static bool fill_in_order(struct fe *f, const struct py *n, const char *wish, const struct value *element,
                          const struct value *iter, const struct sym *length)
{
    const struct py *g = n->generator.generators.items[0];
    struct value *numbers = fe_new(f, FE_RANGE), *both = fe_new(f, FE_TUPLE);
    const struct value *limits[3] = { fe_int(f, 0), fe_none(f), fe_int(f, 1) }, *parts[2] = { numbers, iter };
    numbers->items = arena_copy(f->arena, limits, sizeof limits);
    numbers->count = 3;
    both->items = arena_copy(f->arena, parts, sizeof parts);
    both->count = 2;
    both->lazy = true;
    bind(f, iterable_name, both);
    bind(f, list_name, new_list(f, wish, element, length));
    struct py *loop = fe_node(f, PY_FOR, g->comprehension.target),
              *targets[2] = { name_of(f, n, count_name, PY_STORE), g->comprehension.target };
    loop->for_.target = fe_node(f, PY_TUPLE, g->comprehension.target);
    loop->for_.target->tuple.elts = fe_node_list(f, targets, 2);
    loop->for_.iter = name_of(f, g->comprehension.iter, iterable_name, PY_LOAD);
    loop->for_.body = single(f, filling(f, n->generator.elt));
    struct py_list loops = single(f, loop);
    return fe_block(f, &loops);
}

/* Any generators: the same loops count the elements first. */
static bool count_and_fill(struct fe *f, const struct py *n, const char *wish, const struct value *element)
{
    struct py_list count = nest(f, n, single(f, counting(f, n)));
    struct py *both[2] = { filling(f, n->generator.elt), counting(f, n) };
    struct py_list fill = nest(f, n, fe_node_list(f, both, 2));
    bind(f, count_name, fe_int(f, 0));
    if (!fe_block(f, &count))
        return false;
    const struct value *length = fe_as_size(f, n, fe_find(f->scope, intern(f->ir->names, count_name))->value);
    if (!length)
        return false;
    bind(f, list_name, new_list(f, wish, element, fe_sym(f, length)));
    bind(f, count_name, fe_int(f, 0));
    return fe_block(f, &fill);
}

static const struct value *looped(struct fe *f, const struct py *n, const struct py *at)
{
    const struct py_list *generators = &n->generator.generators;
    const struct py *walrus = NULL;
    py_visit((struct py *)(uintptr_t)n, is_walrus, &walrus);
    if (walrus)
        return fe_unsupported(f, walrus, "an assignment in a comprehension whose length the run decides");
    for (uint32_t i = 0; i < generators->count; i++)
        if (generators->items[i]->comprehension.is_async)
            return fe_unsupported(f, n, "an asynchronous comprehension");
    if (!f->level)
        return fe_unsupported(f, at, "a comprehension over anything but constants");
    const char *wish = fe_wish(f, "list");
    const struct value *element = element_of(f, n);
    if (!element)
        return NULL;
    struct fe_scope inner = { .outer = f->scope, .caller = f->scope }, *scope = f->scope;
    struct place place = f->place;
    const struct py *g = generators->items[0];
    bool ended = f->ended, good = true;
    f->scope = &inner;
    f->ended = false;
    const struct value *iter = NULL;
    const struct sym *length = NULL;
    if (generators->count == 1 && !g->comprehension.ifs.count) {
        iter = fe_eval(f, g->comprehension.iter);
        iter = iter && fe_is_data(iter) ? fe_materialize(f, g->comprehension.iter, iter, "items") : iter;
        length = iter ? fe_length(f, g->comprehension.iter, iter) : NULL;
        length = length && !fe_is_not_negative(f, length) ? fe_at_least_0(f, length) : length;
        good = iter && !f->failed;
    }
    good = good && (length ? fill_in_order(f, n, wish, element, iter, length) : count_and_fill(f, n, wish, element));
    const struct fe_binding *b = good ? fe_find(&inner, intern(f->ir->names, list_name)) : NULL;
    f->scope = scope;
    f->ended = ended;
    f->place = place;
    return b ? b->value : NULL;
}

const struct value *fe_comprehension(struct fe *f, const struct py *n)
{
    struct fe_scope inner = { .outer = f->scope, .caller = f->scope }, *scope = f->scope;
    struct items items = { 0 };
    void (*typed)(void *, const char *, unsigned, const char *, const char *) = f->typed;
    f->scope = &inner;
    enum outcome found = unrolled(f, n, 0, &items);
    f->scope = scope;
    if (found == CONSTANT)
        return fe_tuple(f, items.list.items, items.list.count);
    f->typed = NULL; /* names of its own */
    const struct value *v = found == RUN_TIME ? looped(f, n, items.at) : NULL;
    f->typed = typed;
    return v;
}
