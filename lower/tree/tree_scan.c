#include "lower/tree/tree_scan.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_facts.h"
#include "lower/tree/tree_rows.h"

#include <assert.h>

static void count(struct arena *a, struct map *m, const void *key)
{
    void **n = map_at(a, m, key);
    *n = (void *)((uintptr_t)*n + 1);
}

static void scan_expr(struct tree_scan *scan, const struct tree_expr *e)
{
    if (!e)
        return;
    if (e->op == EXPR_VAR)
        count(scan->arena, &scan->uses, e->var);
    if (e->op == EXPR_CALL)
        scan->opaque |= callee_conflicts(e->callee, e->args, e->num_args);
    for (uint32_t i = 0; i < e->num_args; i++)
        scan_expr(scan, e->args[i]);
}

static void scan_operand(void *user, struct tree_expr **e) { scan_expr(user, *e); }

static void scan_variables(struct tree_scan *scan, const struct tree_stmt *s)
{
    struct tree_var *const vars[] = { s->var, s->var2 };
    for (int i = 0; i < 2; i++)
        if (vars[i]) {
            count(scan->arena, &scan->uses, vars[i]);
            map_put(scan->arena, &scan->assigned, vars[i], vars[i]);
        }
}

void tree_scan_add(struct tree_scan *scan, const struct tree_stmt *s)
{
    if (!s)
        return;
    stmt_each_expr((struct tree_stmt *)s, scan_operand, scan);
    scan_variables(scan, s);
    unsigned flags = stmt_rows[s->kind].flags;
    if (s->label && s->kind == STMT_LABEL)
        map_put(scan->arena, &scan->labels, s->label, s->label);
    else if (s->label)
        count(scan->arena, &scan->gotos, s->label);
    scan->returns |= s->kind == STMT_RETURN;
    scan->barrier |= s->kind == STMT_BARRIER;
    scan->parallel |= flags & STMT_REGION;
    scan->breaks |= flags & STMT_LEAVES_LOOP && scan->depth == 0;
    if (flags & STMT_CALLS)
        scan->opaque |= !s->isolated && callee_conflicts(stmt_callee(s), s->args, s->num_args);
    bool loop = flags & STMT_LOOPS;
    scan->depth += loop;
    tree_scan_add(scan, s->body);
    tree_scan_add(scan, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        tree_scan_add(scan, s->items.items[i]);
    scan->depth -= loop;
}

bool tree_scan_is_closed(const struct tree_scan *piece, const struct tree_scan *whole)
{
    if (piece->returns || piece->breaks)
        return false;
    for (uint32_t i = 0; i < piece->gotos.count; i++)
        if (!map_has(&piece->labels, piece->gotos.slots[i].key))
            return false;
    for (uint32_t i = 0; i < piece->labels.count; i++) {
        const void *label = piece->labels.slots[i].key;
        if (map_get(&piece->gotos, label) != map_get(&whole->gotos, label))
            return false;
    }
    return true;
}

bool tree_scan_invariant(const struct tree_scan *piece, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_MASKED || (e->op == EXPR_CALL && !callee_is_pure(e->callee)))
        return false;
    if (e->op == EXPR_VAR && map_has(&piece->assigned, e->var))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!tree_scan_invariant(piece, e->args[i]))
            return false;
    return true;
}

bool tree_scan_keeps_bounds(const struct tree_scan *piece, const struct tree_stmt *loop)
{
    return tree_scan_invariant(piece, loop->begin) && tree_scan_invariant(piece, loop->end) &&
           tree_scan_invariant(piece, loop->step);
}

bool tree_scan_assigns(void *scan, const struct tree_var *v)
{
    const struct tree_scan *piece = scan;
    return map_has(&piece->assigned, v);
}

static struct tree_scan scan_function(struct arena *a, const struct tree_func *f)
{
    struct tree_scan scan = { .arena = a };
    for (uint32_t i = 0; i < f->params.count; i++)
        count(scan.arena, &scan.uses, f->params.items[i].var);
    tree_scan_add(&scan, f->body);
    return scan;
}

struct tree_scan tree_scan_function(struct tree *t, const struct tree_func *f) { return scan_function(t->scratch, f); }

#ifdef SDFG_VERIFY_ALL
static void check_map(const struct map *kept, const struct map *now, bool counts)
{
    assert(kept->count == now->count);
    for (uint32_t i = 0; i < now->count; i++)
        assert(map_has(kept, now->slots[i].key) &&
               (!counts || map_get(kept, now->slots[i].key) == now->slots[i].value));
}

/* A scan that was kept is what one would find now. */
static void check_kept(struct tree *t, const struct tree_func *f, const struct tree_scan *kept)
{
    struct tree_scan now = tree_scan_function(t, f);
    check_map(&kept->uses, &now.uses, true);
    check_map(&kept->assigned, &now.assigned, false);
    check_map(&kept->labels, &now.labels, false);
    check_map(&kept->gotos, &now.gotos, true);
    assert(kept->returns == now.returns && kept->barrier == now.barrier && kept->parallel == now.parallel &&
           kept->opaque == now.opaque);
}
#else
static void check_kept(struct tree *t, const struct tree_func *f, const struct tree_scan *kept)
{
    (void)t;
    (void)f;
    (void)kept;
}
#endif

static const struct tree_scan *kept_scan(struct tree *t, const struct tree_func *f)
{
    struct tree_key key = { 0 };
    for (uint32_t i = 0; i < f->params.count; i++)
        tree_key_pointer(&key, f->params.items[i].var);
    tree_key_stmt(&key, f->body);
    struct tree_scan *scan = tree_fact_find(t, TREE_FACT_SCAN, &key);
    if (scan) {
        check_kept(t, f, scan);
        return scan;
    }
    scan = NEW(t->arena, struct tree_scan);
    *scan = scan_function(t->arena, f);
    tree_fact_keep(t, TREE_FACT_SCAN, &key, scan);
    return scan;
}

const struct tree_scan *tree_whole(struct tree_whole *w)
{
    if (!w->scan.arena)
        w->scan = w->changes ? tree_scan_function(w->tree, w->func) : *kept_scan(w->tree, w->func);
    return &w->scan;
}
