/* Streams: queues that tasklets push to and pop from, and copies between them and arrays. */
#include "frontend/functions.h"

#include <string.h>

/* dace.define_stream(dtype, buffer_size): one queue; dace.define_streamarray(shape, dtype, buffer_size) and
 * dace.stream: several. */
const struct value *fn_stream(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    uint32_t first = b->kind ? 1 : 0, rank = 1;
    const char *name = f->wish ? f->wish : "stream";
    f->wish = NULL;
    if (!f->level)
        return fe_unsupported(f, a->node, "a stream outside of a program");
    const struct value *given = b->kind ? fe_arg(a, 0, "dimensions") : fe_int(f, 1);
    const struct sym **shape = fe_extents(f, a->node, given ? given : fe_arg(a, UINT32_MAX, "shape"), &rank);
    const struct type *t = shape ? fe_dtype(f, a->node, fe_arg(a, first, "dtype"), type_basic(f->ir, TYPE_F32)) : NULL;
    const struct value *size = fe_arg(a, first + 1, "buffer_size");
    size = t ? fe_as_symbol(f, a->node, size ? size : fe_int(f, 1)) : NULL;
    if (!size || !fe_args_done(f, a, first + 2))
        return NULL;
    struct value *v = (struct value *)fe_whole(f, fe_queues(f, name, t, shape, rank, fe_text(f, fe_sym(f, size))));
    v->kind = FE_STREAM;
    return v;
}

static bool touches(const struct node *n, const struct fe_container *c)
{
    while (c->shows)
        c = c->shows->view.container;
    return as_access((struct node *)n) && as_access((struct node *)n)->name == c->name;
}

/* The node that fills the stream in the last state: it is emptied there, be it filled or not, while a state that only
 * reads a stream waits for elements. NULL: there is none, or the state uses the array as well. */
static struct node *filled(struct fe *f, const struct fe_container *stream, const struct fe_container *array)
{
    struct state *st = f->last && !f->pending ? as_state(f->last) : NULL;
    struct node *found = NULL;
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        struct node *n = st->nodes.items[i];
        if (touches(n, array))
            return NULL;
        if (touches(n, stream) && n->in.count && !n->out.count)
            found = n;
    }
    return found;
}

static const char *pop_region(struct fe *f, const struct value *from, const struct value *to)
{
    const char *queue = fe_region(f, from, false), *region = strchr(fe_region(f, to, true), '[');
    return to->view.container->buffer ? queue : fe_format(f, "%s -> %s", queue, region);
}

/* As many elements as the array has: the memlet says so for a single queue. */
static const char *push_region(struct fe *f, const struct value *from, const struct value *to)
{
    const struct sym *count = sym_int(f->ir, 1);
    const char *region = strchr(fe_region(f, from, false), '[');
    for (uint32_t i = 0; i < from->rank; i++)
        count = sym_mul(f->ir, count, from->shape[i]);
    const struct fe_container *c = to->view.container;
    bool single = c->rank == 1 && sym_is_int(c->shape[0], 1);
    const char *queue = fe_region(f, to, true);
    if (single && from->rank)
        queue = fe_format(f, "%s[0:%s]", c->name, fe_text(f, count));
    return fe_format(f, "%s -> %s", queue, region);
}

bool fe_stream_copy(struct fe *f, const struct py *n, const struct value *to, const struct value *from, const char *wcr)
{
    struct fe_container *source = from->view.container, *target = to->view.container;
    f->emitted++;
    if (wcr && target->buffer)
        return fe_unsupported(f, n, "conflict resolution in a stream") != NULL;
    if (source->buffer && target->buffer && source->type != target->type)
        return fe_unsupported(f, n, "a copy between streams of different types") != NULL;
    target->symbol = NULL;
    if (f->dry)
        return true;
    struct node *first = source->buffer ? filled(f, source, target) : NULL;
    struct state *st = first ? first->state : fe_state(f, "stream");
    first = first ? first : fe_access(f, st, source, false);
    const char *memlet = source->buffer ? pop_region(f, from, to) : push_region(f, from, to);
    struct edge *e = build_edge(first, NULL, fe_access(f, st, target, true), NULL, memlet, wcr);
    e->memlet.dynamic = source->buffer != NULL;
    fe_mark(f, &e->place);
    return true;
}
