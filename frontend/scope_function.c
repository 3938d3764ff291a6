/* Functions in programs that stand for a scope: `@dace.map`, `@dace.mapscope`, `@dace.consume`, `@dace.consumescope`;
 * those without `scope` have one tasklet as their body. */
#include "frontend/lower.h"

#include <string.h>

/* ---- maps ---- */

static const struct py *slice_of(struct fe *f, const struct py *n)
{
    if (n && n->kind == PY_SUBSCRIPT && n->subscript.value->kind == PY_NAME &&
        strcmp(n->subscript.value->name.id, "_") == 0)
        return n->subscript.slice;
    return n ? fe_error(f, n, "the range of a map is written _[begin:end]") : NULL;
}

/* The ranges: of the decorator's argument, or of the annotations of the parameters. */
static const struct value *map_ranges(struct fe *f, const struct py *n)
{
    const struct py *decorator = n->function.decorator_list.items[0];
    const struct py_list *args = &n->function.args->arguments.args;
    if (decorator->kind == PY_CALL) {
        const struct py *slice = decorator->call.args.count == 1 ? slice_of(f, decorator->call.args.items[0]) : NULL;
        if (!slice && !f->failed)
            fe_error(f, decorator, "a map has one argument, its ranges");
        return slice ? fe_eval_index(f, slice) : NULL;
    }
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, args->count + 1);
    for (uint32_t i = 0; i < args->count; i++) {
        const struct py *slice = slice_of(f, args->items[i]->arg.annotation);
        if (!slice && !f->failed)
            fe_error(f, args->items[i], "'%s' has no range: write %s: _[begin:end]", args->items[i]->arg.arg,
                     args->items[i]->arg.arg);
        if (!slice || !(items[i] = fe_eval_index(f, slice)))
            return NULL;
    }
    return fe_tuple(f, items, args->count);
}

/* The loop over dace.map that the function stands for; `whole`: its body is one tasklet. */
static bool map_function(struct fe *f, const struct py *n, bool whole)
{
    const struct py_list *args = &n->function.args->arguments.args;
    const struct value *ranges = map_ranges(f, n);
    if (!ranges)
        return false;
    struct py *loop = fe_node(f, PY_FOR, n), *target = fe_node(f, PY_TUPLE, n), *body = fe_node(f, PY_WITH, n);
    loop->for_.target = target;
    loop->for_.iter = n->function.decorator_list.items[0];
    target->tuple.elts.count = args->count;
    target->tuple.elts.items = NEW_ARRAY(f->arena, struct py *, args->count + 1);
    for (uint32_t i = 0; i < args->count; i++) {
        struct py *name = target->tuple.elts.items[i] = fe_node(f, PY_NAME, args->items[i]);
        name->name.id = args->items[i]->arg.arg;
        name->name.ctx = PY_STORE;
    }
    body->with.body = n->function.body;
    loop->for_.body = n->function.body;
    if (whole) {
        loop->for_.body.count = 1;
        loop->for_.body.items = arena_copy(f->arena, &body, sizeof(struct py *));
    }
    return fe_map(f, loop, ranges);
}

/* ---- consume scopes ---- */

/* A stream, how many work on it, until when, and how many elements each takes at a time. */
static bool read_consume(struct fe *f, const struct py *call, struct fe_scoped *s)
{
    const struct py_list *args = &call->call.args;
    if (call->kind != PY_CALL || args->count < 2 || args->count > 4 || call->call.keywords.count)
        return fe_error(f, call,
                        "a consume scope has a stream and a number of workers, and may have a condition that "
                        "ends it and a number of elements to take at a time") != NULL;
    s->stream = fe_memlet_region(f, args->items[0], false);
    const struct value *workers = s->stream ? fe_eval(f, args->items[1]) : NULL;
    workers = workers ? fe_as_symbol(f, args->items[1], workers) : NULL;
    const struct value *chunk = args->count > 3 ? fe_eval(f, args->items[3]) : fe_int(f, 1);
    if (!workers || !chunk)
        return false;
    if (!s->stream->view.container->buffer)
        return fe_error(f, args->items[0], "this is %s, not a stream", fe_describe(f, s->stream)) != NULL;
    if (chunk->kind != FE_INT || chunk->i < 1)
        return fe_error(f, args->items[3], "the number of elements to take at a time is a positive constant") != NULL;
    s->workers = fe_text(f, fe_sym(f, workers));
    s->chunk = chunk->i;
    const struct py *condition = args->count > 2 ? args->items[2] : NULL;
    bool none = condition && condition->kind == PY_CONSTANT && condition->constant.value.kind == PY_NONE;
    s->condition = condition && !none ? fe_repeated_condition(f, condition) : NULL;
    return !condition || none || s->condition;
}

static void add_worker(struct fe *f, struct fe_scoped *s, const struct py *node, const char *name)
{
    const char *symbol = fe_loop_symbol(f, intern(f->ir->names, name ? name : "worker"));
    vec_push(f->arena, &s->parameters, ((struct fe_parameter){ node, name, symbol, sym_int(f->ir, 0), NULL }));
}

/* The element is an input of the tasklet that is the body. */
static struct py *input_of(struct fe *f, const struct py *at, const char *name)
{
    struct py *memlet = fe_node(f, PY_EXPR, at), *shift = fe_node(f, PY_BIN_OP, at);
    struct py *side = fe_node(f, PY_NAME, at);
    side->name.id = name;
    shift->bin_op.op = PY_LSHIFT;
    shift->bin_op.left = shift->bin_op.right = side;
    memlet->expr.value = shift;
    return memlet;
}

/* `whole`: the body is one tasklet. */
static bool consume_function(struct fe *f, const struct py *n, bool whole)
{
    const struct py_list *args = &n->function.args->arguments.args, *body = &n->function.body;
    struct fe_scoped s = { .node = n, .body = body, .what = "consume" };
    if (!read_consume(f, n->function.decorator_list.items[0], &s))
        return false;
    if (args->count != 2)
        return fe_error(f, n, "a consume scope has two parameters, the element and the number of the worker") != NULL;
    const struct py *element = args->items[0];
    s.element = (struct fe_parameter){ .node = element, .name = element->arg.arg };
    add_worker(f, &s, args->items[1], args->items[1]->arg.arg);
    struct py *tasklet = fe_node(f, PY_WITH, n);
    struct py_list one = { .items = &tasklet, .count = 1 };
    if (whole) {
        struct py_list *all = &tasklet->with.body;
        all->count = body->count + 1;
        all->items = NEW_ARRAY(f->arena, struct py *, all->count);
        all->items[0] = input_of(f, element, element->arg.arg);
        memcpy(all->items + 1, body->items, body->count * sizeof *all->items);
        s.body = &one;
    }
    return fe_scoped(f, &s);
}

bool fe_consume_loop(struct fe *f, const struct py *n)
{
    const struct py *target = n->for_.target;
    struct fe_scoped s = { .node = n, .body = &n->for_.body, .what = "consume" };
    if (target->kind != PY_NAME)
        return fe_error(f, target, "the variable of a loop over a stream is a name") != NULL;
    if (!read_consume(f, n->for_.iter, &s))
        return false;
    s.element = (struct fe_parameter){ .node = target, .name = target->name.id };
    add_worker(f, &s, target, NULL);
    return fe_scoped(f, &s);
}

bool fe_decorated(struct fe *f, const struct py *n)
{
    const struct py *decorator = n->function.decorator_list.items[0];
    const char *construct = n->function.decorator_list.count == 1 ? fe_construct_of(f, decorator) : NULL;
    if (construct && strcmp(construct, "tasklet") == 0)
        return fe_tasklet(f, n, &n->function.body);
    if (construct && (strcmp(construct, "map") == 0 || strcmp(construct, "mapscope") == 0))
        return map_function(f, n, strcmp(construct, "map") == 0);
    if (construct && (strcmp(construct, "consume") == 0 || strcmp(construct, "consumescope") == 0))
        return consume_function(f, n, strcmp(construct, "consume") == 0);
    return fe_unsupported(f, decorator, "a function in a program with this decorator") != NULL;
}
