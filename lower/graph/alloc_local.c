/* Storages with parts (CPU_ThreadLocal): memory that lies outside of parallel scopes has a part for each thread, which
 * stays the thread's from one region to the next (semantics.md 3.4). Code outside of regions uses the part of thread 0.
 */
#include "lower/graph/alloc.h"

static struct tree_expr *call_number(struct lower *lw, struct tree_stmt *block, const char *variable, const char *name)
{
    struct tree_expr *args[] = { expr_context(lw->tree) };
    struct tree_var *v = tree_var(lw->tree, variable, type_basic(lw->ir, TYPE_I64));
    stmt_call(lw->tree, block, v, name, args, 1);
    return expr_var(lw->tree, v);
}

struct tree_expr *alloc_thread_limit(struct lower *lw, struct tree_stmt *block)
{
    if (lw->options->no_threads)
        return expr_i64(lw->tree, 1);
    return call_number(lw, block, "limit", "sdfg_rt_thread_limit");
}

static void see_map(void *user, struct block *b)
{
    int *most = user;
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        const struct map_entry *m = as_map_entry(st->nodes.items[i]);
        if (m && m->omp_num_threads > *most)
            *most = m->omp_num_threads;
    }
}

static void see_maps(void *user, struct sdfg *s) { region_each_block(&s->region, see_map, user); }

struct tree_expr *alloc_thread_parts(struct lower *lw, struct tree_stmt *block)
{
    int most = 0;
    sdfg_each(lw->root->sdfg, see_maps, &most);
    struct tree_expr *limit = alloc_thread_limit(lw, block);
    return most > 0 && !lw->options->no_threads ? expr_binary(lw->tree, EXPR_MAX, limit, expr_i64(lw->tree, most))
                                                : limit;
}

/* Parts begin in cache lines of their own. */
struct tree_expr *alloc_parts(struct lower *lw, struct binding *b, struct tree_stmt *block, struct tree_expr *count,
                              struct tree_expr *limit)
{
    struct tree *t = lw->tree;
    int64_t bytes = t->machine->line, line = bytes % (int64_t)b->type->size ? 1 : bytes / (int64_t)b->type->size;
    struct tree_expr *lines = expr_binary(t, EXPR_ADD, count, expr_i64(t, line - 1));
    lines = expr_binary(t, EXPR_DIV, lines, expr_i64(t, line));
    struct tree_expr *part = expr_binary(t, EXPR_MUL, lines, expr_i64(t, line));
    if (part->op != EXPR_INT) {
        struct tree_var *v = tree_var(t, "part", part->type);
        stmt_assign(t, block, v, part);
        part = expr_var(t, v);
    }
    b->parts = limit;
    b->part_size = part;
    return expr_binary(t, EXPR_MUL, part, limit);
}

/* A region may have more threads than were counted on; then the last ones share a part, as races go. */
void alloc_own_part(struct lower *lw, struct binding *b, struct tree_stmt *block)
{
    struct tree *t = lw->tree;
    struct tree_expr *thread = call_number(lw, block, "thread", "sdfg_rt_thread_num");
    thread = expr_binary(t, EXPR_MIN, thread, expr_binary(t, EXPR_SUB, b->parts, expr_i64(t, 1)));
    struct tree_var *v = tree_var(t, b->desc->name, b->pointer->type);
    struct tree_expr *at = expr_binary(t, EXPR_MUL, thread, b->part_size);
    stmt_assign(t, block, v, expr_offset(t, b->pointer, at));
    b->pointer = expr_var(t, v);
}

/* ---- scopes that run on several threads ---- */

static bool is_used(const struct state *st, const struct container *c)
{
    for (uint32_t i = 0; i < st->edges.count; i++)
        if (st->edges.items[i]->memlet.data == c)
            return true;
    return false;
}

struct parts_outside *lower_enter_threads(struct scope *in)
{
    struct lower *lw = in->act->lw;
    struct parts_outside *p = NEW(lw->arena, struct parts_outside);
    for (uint32_t i = 0; i < in->act->plan->locals.count; i++) {
        struct binding *b = map_get(&in->act->bindings, in->act->plan->locals.items[i]);
        if (!b || !b->parts || !is_used(in->state, b->desc))
            continue;
        vec_push(lw->arena, p, ((struct part_outside){ b, b->pointer }));
        alloc_own_part(lw, b, in->block);
    }
    return p;
}

void lower_leave_threads(const struct parts_outside *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        p->items[i].binding->pointer = p->items[i].pointer;
}
