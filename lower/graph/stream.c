/* Stream containers: their queues, connectors and copies (semantics.md 4.3, 4.6 and 5.5). */
#include "lower/graph/stream.h"

#include "lower/graph/alloc.h"
#include "lower/graph/check.h"

static bool is_single(const struct container *c) { return sym_is_int(c->total_size, 1); }

bool lower_open_stream(struct scope *sc, struct binding *b, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct tree_stmt *block = sc->block;
    const struct sym *size = lower_total_size(sc, &b->desc->place, b->desc);
    struct tree_expr *count = size ? lower_index(lw, &b->desc->place, size) : NULL;
    if (!count)
        return false;
    if (count->op != EXPR_INT) { /* as many are closed, whatever happens to the symbols */
        struct tree_var *queues = tree_var(t, "queues", count->type);
        stmt_assign(t, block, queues, count);
        count = expr_var(t, queues);
    }
    struct allocation a = alloc_of(b, count, LIFE_BLOCK);
    if (!TARGET_WITH(a.owner, allocate)->allocate(a.owner, sc, &a))
        return false;
    stream_call(t, block, NULL, "open", b->pointer, count, expr_i64(t, b->desc->type->size))->isolated = true;
    stream_call(t, frees, NULL, "close", b->pointer, count, NULL)->isolated = true;
    return lower_release(lw, &a, frees);
}

bool lower_stream_area(struct scope *sc, const struct place *place, const struct container *c,
                       const struct subset *subset, struct area *out)
{
    if (!is_single(c))
        return lower_area(sc, place, c, subset, out);
    struct binding *b = lower_binding(sc, place, c);
    if (b)
        *out = (struct area){ .binding = b, .desc = c, .type = b->type, .pointer = b->pointer, .alias = b->alias };
    return b;
}

bool lower_stream_operand(struct scope *sc, const struct place *place, const struct area *a, struct operand *out)
{
    struct lower *lw = sc->act->lw;
    struct area queues = *a;
    area_squeeze(&queues);
    *out = (struct operand){
        .kind = OPERAND_STREAM,
        .type = a->desc->type,
        .pointer = a->pointer,
        .alias = a->alias,
        .rank = queues.rank,
    };
    out->strides = NEW_ARRAY(lw->arena, struct tree_expr *, queues.rank + 1);
    for (uint32_t i = 0; i < queues.rank; i++)
        if (!(out->strides[i] = lower_index(lw, place, queues.strides[i])))
            return false;
    return lower_check_operand(sc, place, a, out);
}

/* ---- copies ---- */

struct stream_copy {
    struct scope *sc;
    struct edge *edge;
    struct tree_expr *handle;
    const struct type *elem;
};

/* The queue at one end; a copy means one. */
static bool one_queue(struct stream_copy *c, const struct container *desc, const struct subset *subset,
                      struct tree_expr **handle)
{
    struct lower *lw = c->sc->act->lw;
    struct area a;
    if (!lower_stream_area(c->sc, &c->edge->place, desc, subset, &a))
        return false;
    area_squeeze(&a);
    if (a.rank)
        return lower_unsupported(c->sc, &c->edge->place, "copies with several queues at once");
    *handle = stream_handle(lw->tree, a.pointer, expr_i64(lw->tree, 0), a.alias);
    return lower_check_area(c->sc, &c->edge->place, &a, false, false);
}

static bool is_bulk(struct lower *lw, const struct stream_copy *c, const struct area *a)
{
    return a->type == c->elem && a->type->kind != TYPE_STRUCT && area_is_contiguous(lw, a);
}

/* A loop over the elements of the region in row-major order; *at gets the address of the current one. */
static struct tree_stmt *element_loop(struct stream_copy *c, const struct area *a, struct tree_var **number,
                                      struct area *at)
{
    struct lower *lw = c->sc->act->lw;
    struct tree *t = lw->tree;
    struct tree_expr *count = lower_index(lw, &c->edge->place, area_volume(lw, a));
    if (!count)
        return NULL;
    *number = tree_var(t, "i", type_basic(lw->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(t, c->sc->block, *number, expr_i64(t, 0), count, expr_i64(t, 1));
    loop->place = &c->edge->place;
    struct tree_expr *offset = lower_linear_offset(lw, &c->edge->place, a, *number, false);
    if (!offset)
        return NULL;
    *at = *a;
    at->pointer = expr_offset(t, a->pointer, offset);
    return loop;
}

static bool push_area(struct stream_copy *c, const struct area *a)
{
    struct lower *lw = c->sc->act->lw;
    struct tree *t = lw->tree;
    if (is_bulk(lw, c, a)) {
        struct tree_expr *count = lower_index(lw, &c->edge->place, area_volume(lw, a));
        if (count)
            stream_call(t, c->sc->block, NULL, "push", c->handle, a->pointer, count)->place = &c->edge->place;
        return count;
    }
    struct tree_var *i;
    struct area at;
    struct tree_stmt *loop = element_loop(c, a, &i, &at);
    if (!loop)
        return false;
    struct code_scope cs = lower_code_scope(c->sc, &c->edge->place, NULL);
    struct tree_expr *value = at.pointer;
    if (a->type->kind != TYPE_STRUCT)
        value = code_convert(&cs, c->elem, expr_load(t, a->type, at.pointer, expr_i64(t, 0), a->alias));
    if (value)
        stream_push(t, loop->body, c->elem, c->handle, value);
    return value;
}

/* `waits`: at least one element must come. */
static bool pop_area(struct stream_copy *c, const struct area *a, bool waits)
{
    struct lower *lw = c->sc->act->lw;
    struct tree *t = lw->tree;
    const struct memlet *m = &c->edge->memlet;
    if (is_bulk(lw, c, a) && m->wcr_kind == WCR_NONE) {
        struct tree_expr *count = lower_index(lw, &c->edge->place, area_volume(lw, a));
        struct tree_var *got = tree_var(t, "count", type_basic(lw->ir, TYPE_I64));
        if (count)
            stream_call(t, c->sc->block, got, waits ? "pop" : "try_pop", c->handle, a->pointer, count)->place =
                &c->edge->place;
        return count;
    }
    struct tree_var *i;
    struct area at;
    struct tree_stmt *loop = element_loop(c, a, &i, &at);
    if (!loop)
        return false;
    struct tree_var *got = tree_var(t, "count", type_basic(lw->ir, TYPE_I64));
    struct tree_expr *buffer = stream_buffer(t, loop->body, c->elem, 1), *one = expr_i64(t, 1);
    struct tree_stmt *later = loop->body;
    if (waits) {
        struct tree_stmt *first = stmt_if(t, loop->body, expr_binary(t, EXPR_EQ, expr_var(t, i), expr_i64(t, 0)));
        stream_call(t, first->body, got, "pop", c->handle, buffer, one)->isolated = true;
        later = first->otherwise;
    }
    stream_call(t, later, got, "try_pop", c->handle, buffer, one)->isolated = true;
    struct tree_stmt *none = stmt_if(t, loop->body, expr_binary(t, EXPR_EQ, expr_var(t, got), expr_i64(t, 0)));
    stmt_new(t, none->body, STMT_BREAK);
    struct tree_expr *value = buffer;
    if (c->elem->kind != TYPE_STRUCT)
        value = expr_load(t, c->elem, buffer, expr_i64(t, 0), t->num_aliases++);
    struct scope in = *c->sc;
    in.block = loop->body;
    return lower_write(&in, &c->edge->place, &at, m, lower_is_conflicting(c->sc, c->edge), value);
}

/* Elements from the array: its subset; else as many as the subset of the stream counts, from the first one on. */
static bool pushed_area(struct stream_copy *c, const struct container *array, const struct subset *subset,
                        const struct subset *counted, struct area *out)
{
    struct lower *lw = c->sc->act->lw;
    if (!lower_area(c->sc, &c->edge->place, array, subset, out))
        return false;
    if (subset || !counted)
        return true;
    const struct sym *count = sym_int(lw->ir, 1);
    for (uint32_t i = 0; i < counted->rank; i++) {
        const struct range *r = &counted->dims[i];
        const struct sym *size =
            lower_symbolic(c->sc, &c->edge->place, sym_range_size(lw->ir, r->begin, r->end, r->step));
        if (!size)
            return false;
        count = sym_mul(lw->ir, count, size);
    }
    if (count == area_volume(lw, out))
        return true;
    out->rank = 1;
    out->sizes[0] = count;
    out->strides[0] = sym_int(lw->ir, 1);
    return true;
}

/* A node that something in its state fills is drained; one that is only read waits for an element. */
static bool is_filled(const struct node *n)
{
    for (uint32_t i = 0; i < n->in.count; i++)
        if (!memlet_is_empty(&n->in.items[i]->memlet))
            return true;
    return false;
}

bool lower_stream_copy(struct scope *sc, struct edge *e)
{
    struct tree *t = sc->act->lw->tree;
    const struct memlet *m = &e->memlet;
    const struct access *s = as_access(path_source(e)), *d = as_access(path_target(e));
    const struct subset *source = memlet_source_subset(m), *target = memlet_target_subset(m);
    struct stream_copy c = { .sc = sc, .edge = e };
    struct area a;
    if (is_stream(d->data) && m->wcr_kind != WCR_NONE)
        return lower_unsupported(sc, &e->place, "conflict resolution in streams");
    if (!is_stream(d->data)) {
        c.elem = s->data->type;
        return one_queue(&c, s->data, source, &c.handle) && lower_area(sc, &e->place, d->data, target, &a) &&
               (lower_check_assume(sc, &e->place, &a), true) && pop_area(&c, &a, !is_filled(&s->node));
    }
    if (!one_queue(&c, d->data, target, &c.handle))
        return false;
    c.elem = d->data->type;
    if (!is_stream(s->data))
        return pushed_area(&c, s->data, source, target, &a) && push_area(&c, &a);
    struct tree_expr *from;
    if (s->data->type != d->data->type)
        return lower_unsupported(sc, &e->place, "copies between streams of different types");
    if (!one_queue(&c, s->data, source, &from))
        return false;
    stream_call(t, sc->block, NULL, "move", from, c.handle, NULL)->isolated = true;
    return true;
}
