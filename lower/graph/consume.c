/* Consume scopes: workers that take elements from a stream until all of them, and what the body pushed meanwhile, are
 * done, or until a condition holds (semantics.md 5.4).
 *
 *     parallel pe of num_pes {                          parallel pe of num_pes {
 *         n = take(S, element, chunk)                       alive = true
 *         while n != 0 {                                    while !condition {
 *             body                                              if !alive { stuck; break }
 *             done(S, n)                                        n = try_take(S, element, chunk)
 *             n = take(S, element, chunk)                       if n != 0 { body; done(S, n) }
 *         }                                                     else alive = wait(S)
 *     }                                                     }
 *                                                       }
 *
 * Inside a parallel region, and where there is one thread only, worker 0 does all the work. */
#include "lower/graph/check.h"
#include "lower/graph/stream.h"

#include <string.h>

/* What a consume scope has taken; hangs on its scope. */
struct consumed {
    struct tree_expr *buffer; /* address of the first element */
    const struct sym *count;  /* elements in it, over tree symbols; 1 if one is taken at a time */
    uint32_t alias;
};

struct worker {
    struct scope *outer, *in;
    struct consume_entry *entry;
    struct tree_expr *handle, *buffer;
    struct tree_var *count;
};

/* ---- what the body sees ---- */

/* The consume entry from whose stream the edge comes, if it does. */
static const struct node *consume_of(const struct edge *e)
{
    for (uint32_t steps = e->src->state->nodes.count; e && steps; steps--) {
        if (!node_is_entry(e->src) || !e->src_conn || strncmp(e->src_conn, "OUT_", 4))
            return NULL;
        if (e->src->kind == NODE_CONSUME_ENTRY && !strcmp(e->src_conn, "OUT_stream"))
            return e->src;
        const struct edge *before = NULL;
        for (uint32_t i = 0; i < e->src->in.count; i++) {
            const char *conn = e->src->in.items[i]->dst_conn;
            if (conn && !strncmp(conn, "IN_", 3) && !strcmp(conn + 3, e->src_conn + 4))
                before = e->src->in.items[i];
        }
        e = before;
    }
    return NULL;
}

bool lower_consumed(struct scope *sc, struct edge *e, struct area *out)
{
    struct lower *lw = sc->act->lw;
    const struct node *entry = consume_of(e);
    while (entry && sc && sc->entry != entry)
        sc = sc->parent;
    if (!entry || !sc)
        return false;
    const struct consumed *c = sc->consumed;
    *out = (struct area){
        .desc = e->memlet.data,
        .type = e->memlet.data->type,
        .pointer = c->buffer,
        .rank = 1,
        .alias = c->alias,
        .whole = true,
    };
    out->sizes = NEW_ARRAY(lw->arena, const struct sym *, 2);
    out->strides = NEW_ARRAY(lw->arena, const struct sym *, 2);
    out->sizes[0] = c->count;
    out->strides[0] = sym_int(lw->ir, 1);
    return true;
}

static void add_symbol(struct scope *in, const char *name, const struct sym *value)
{
    struct lower *lw = in->act->lw;
    struct symval *v = NEW(lw->arena, struct symval);
    *v = (struct symval){ .value = value, .type = type_basic(lw->ir, TYPE_I64) };
    map_put(lw->arena, &in->symbols, intern(lw->ir->names, name), v);
}

/* ---- workers ---- */

/* What was taken is worked on and done; at `block`. */
static bool work(struct worker *w, struct tree_stmt *block)
{
    struct lower *lw = w->in->act->lw;
    struct tree_stmt *frees = stmt_block(lw->tree);
    w->in->block = block;
    if (!lower_allocate_scope(w->in, frees) || !lower_bind_views(w->in) || !lower_scope_nodes(w->in))
        return false;
    stmt_append(lw->tree, block, frees);
    stream_call(lw->tree, block, NULL, "done", w->handle, expr_var(lw->tree, w->count), NULL)->isolated = true;
    return true;
}

static void take(struct worker *w, struct tree_stmt *block, const char *how)
{
    struct tree *t = w->in->act->lw->tree;
    struct tree_stmt *s = stream_call(t, block, w->count, how, w->handle, w->buffer, expr_i64(t, w->entry->chunksize));
    s->isolated = true;
    s->place = &w->entry->node.place;
}

static struct tree_expr *got_some(struct worker *w)
{
    struct tree *t = w->in->act->lw->tree;
    return expr_binary(t, EXPR_NE, expr_var(t, w->count), expr_i64(t, 0));
}

static bool work_until_done(struct worker *w, struct tree_stmt *block)
{
    struct tree *t = w->in->act->lw->tree;
    take(w, block, "take");
    struct tree_stmt *loop = stmt_while(t, block, got_some(w));
    loop->place = &w->entry->node.place;
    if (!work(w, loop->body))
        return false;
    take(w, loop->body, "take");
    return true;
}

static bool work_until_condition(struct worker *w, struct tree_stmt *block)
{
    struct lower *lw = w->in->act->lw;
    struct tree *t = lw->tree;
    struct tree_var *alive = tree_var(t, "alive", type_basic(lw->ir, TYPE_I64));
    stmt_assign(t, block, alive, expr_i64(t, 1));
    struct tree_stmt *loop = stmt_while(t, block, expr_bool(t, true));
    loop->place = &w->entry->node.place;
    struct scope around = *w->outer;
    around.block = loop->body;
    struct code_scope cs = lower_code_scope(&around, &w->entry->node.place, w->entry->condition.text);
    struct tree_expr *condition = code_condition(&cs, loop->body, w->entry->condition.tree);
    if (!condition)
        return false;
    stmt_new(t, stmt_if(t, loop->body, condition)->body, STMT_BREAK);
    struct tree_stmt *dead = stmt_if(t, loop->body, expr_binary(t, EXPR_EQ, expr_var(t, alive), expr_i64(t, 0)));
    struct tree_expr *args[] = { expr_context(t) };
    stmt_call(t, dead->body, NULL, "sdfg_rt_stream_stuck", args, 1)->isolated = true;
    stmt_new(t, dead->body, STMT_BREAK);
    take(w, loop->body, "try_take");
    struct tree_stmt *some = stmt_if(t, loop->body, got_some(w));
    stream_call(t, some->otherwise, alive, "wait", w->handle, NULL, NULL)->isolated = true;
    return work(w, some->body);
}

/* ---- the scope ---- */

static struct tree_expr *stream_of(struct scope *sc, struct consume_entry *c)
{
    struct lower *lw = sc->act->lw;
    struct edge *e = node_in_edge(&c->node, "IN_stream");
    if (!e || memlet_is_empty(&e->memlet) || !is_stream(e->memlet.data)) {
        diag_error(lw->diags, &c->node.place, DIAG_CONSUME_STREAM);
        return NULL;
    }
    struct area a;
    if (!lower_stream_area(sc, &e->place, e->memlet.data, e->memlet.subset, &a) ||
        !lower_check_area(sc, &e->place, &a, false, false))
        return NULL;
    struct tree_var *v = tree_var(lw->tree, e->memlet.data->name, a.type);
    stmt_assign(lw->tree, sc->block, v, stream_handle(lw->tree, a.pointer, expr_i64(lw->tree, 0), a.alias));
    return expr_var(lw->tree, v);
}

static bool lower_workers(struct worker *w, struct tree_stmt *block, const struct sym *pe)
{
    struct lower *lw = w->in->act->lw;
    struct tree *t = lw->tree;
    struct consume_entry *c = w->entry;
    const struct type *elem = node_in_edge(&c->node, "IN_stream")->memlet.data->type;
    w->count = tree_var(t, "count", type_basic(lw->ir, TYPE_I64));
    w->buffer = stream_buffer(t, block, elem, c->chunksize);
    struct consumed taken = { .buffer = w->buffer, .count = sym_int(lw->ir, 1), .alias = t->num_aliases++ };
    if (c->chunksize > 1)
        taken.count = lower_var_symbol(lw, w->count);
    w->in->consumed = &taken;
    if (*c->pe_index)
        add_symbol(w->in, c->pe_index, pe);
    add_symbol(w->in, consume_count_name(c), lower_var_symbol(lw, w->count));
    return c->condition.tree ? work_until_condition(w, block) : work_until_done(w, block);
}

static bool lower_consume(struct scope *sc, struct consume_entry *c)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct scope in = scope_inside(sc, &c->node, NULL);
    struct worker w = { .outer = sc, .in = &in, .entry = c };
    if (c->chunksize < 1)
        return diag_error(lw->diags, &c->node.place, DIAG_CONSUME_CHUNK, c->chunksize);
    if (!lower_dynamic_inputs(sc, &c->node, &in) || !(w.handle = stream_of(sc, c)))
        return false;
    struct scope named = in;
    named.block = sc->block;
    const struct sym *pes = lower_symbolic(&named, &c->node.place, c->num_pes);
    struct tree_expr *workers = pes ? lower_index(lw, &c->node.place, pes) : NULL;
    if (!workers)
        return false;
    struct tree_stmt *block = sc->block;
    if (workers->op != EXPR_INT || workers->i < 1) /* nobody to do anything */
        block = stmt_if(t, block, expr_binary(t, EXPR_GT, workers, expr_i64(t, 0)))->body;
    in.team = false;
    if (sc->parallel || lw->options->no_threads || c->schedule->row == SCHEDULE_SEQUENTIAL || expr_is_int(workers, 1))
        return lower_workers(&w, block, sym_int(lw->ir, 0));
    struct tree_stmt *region = tree_parallel_begin(t, block, workers);
    region->place = &c->node.place;
    in.parallel = true;
    in.concurrent = 1;
    in.block = region->body;
    struct parts_outside *parts = lower_enter_threads(&in);
    bool good = lower_workers(&w, region->body, lower_var_symbol(lw, region->var));
    lower_leave_threads(parts);
    tree_parallel_end(t, region);
    return good;
}

bool lower_consume_entry(struct scope *sc, struct node *n)
{
    struct lower *lw = sc->act->lw;
    if (!lower_enter(lw, &n->place, LOWER_LEVELS_OF_LOOP) || !lower_consume(sc, as_consume_entry(n)))
        return false;
    lower_leave(lw, LOWER_LEVELS_OF_LOOP);
    return true;
}

bool lower_consume_exit(struct scope *sc, struct node *n)
{
    (void)sc, (void)n; /* the entry lowers the whole scope */
    return true;
}
