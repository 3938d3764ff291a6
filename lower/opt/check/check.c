/* Checked mode (docs/checking.md): marks of accesses (lower/tree/tree_check.h) become tests, as few and as far out as
 * can be.
 *
 *     for i = 0 to N {                        ok = true
 *         ok = check(A[i], N)                 if 0 < N && N - 1 >= extent of A { fault; ok = false }
 *         if ok                        ->     if ok
 *             A[i] = ...                          for i = 0 to N
 *     }                                               A[i] = ...
 *
 * A mark that ranges of loops prove is dropped. One that is reached in every iteration, with indices that grow or fall
 * with the loop's variable, goes in front of the loop with the first and last index of all iterations: it fails if and
 * only if some iteration would have. What then depends on arguments alone goes to the beginning of the function. */
#include "lower/opt/check/check.h"

#include "base/remark.h"
#include "lower/tree/tree_rewrite.h"

const struct tree_scan *check_scan(struct checking *k, const struct tree_stmt *loop)
{
    struct tree_scan *scan = map_get(&k->scans, loop);
    if (scan)
        return scan;
    scan = NEW(k->tree->scratch, struct tree_scan);
    scan->arena = k->tree->scratch;
    tree_scan_add(scan, loop->body);
    map_put(k->tree->scratch, &k->scans, loop, scan);
    return scan;
}

void check_count(struct checking *k, const struct tree_var *guard, int more)
{
    uintptr_t now = (uintptr_t)map_get(&k->guards, guard);
    map_put(k->tree->scratch, &k->guards, guard, (void *)((now ? now : 1) + (uintptr_t)(intptr_t)more));
}

uintptr_t check_left(struct checking *k, const struct tree_var *guard)
{
    uintptr_t now = (uintptr_t)map_get(&k->guards, guard);
    return now ? now - 1 : 0;
}

bool check_is_guard(struct checking *k, const struct tree_stmt *s)
{
    return s->kind == STMT_IF && s->value->op == EXPR_VAR && map_has(&k->guards, s->value->var);
}

void check_drop(struct checking *k, struct tree_stmt *mark)
{
    check_count(k, mark->var, -1);
    *mark = *stmt_block(k->tree);
}

static bool jumps(const struct tree_stmt *s, bool in_loop)
{
    switch (s->kind) {
    case STMT_BREAK:
    case STMT_CONTINUE:
        return !in_loop;
    case STMT_LABEL:
    case STMT_GOTO:
    case STMT_RETURN:
    case STMT_BARRIER:
        return true;
    default:
        break;
    }
    in_loop |= stmt_is_loop(s);
    bool found = (s->body && jumps(s->body, in_loop)) || (s->otherwise && jumps(s->otherwise, in_loop));
    for (uint32_t i = 0; i < s->items.count && !found; i++)
        found = jumps(s->items.items[i], in_loop);
    return found;
}

bool check_jumps(const struct tree_stmt *s) { return jumps(s, false); }

static bool count_mark(void *user, struct tree_stmt *s)
{
    struct checking *k = user;
    if (stmt_is_check(s)) {
        check_count(k, s->var, 1);
        k->marks++;
    }
    return true;
}

/* ---- guards without marks are true ---- */

static struct tree_expr *settle_guard(void *user, struct tree_expr *e)
{
    struct checking *k = user;
    bool settled = e->op == EXPR_VAR && map_has(&k->guards, e->var) && !check_left(k, e->var);
    return settled ? expr_bool(k->tree, true) : e;
}

static bool settle_stmt(void *user, struct tree_stmt *s)
{
    struct checking *k = user;
    bool guard = check_is_guard(k, s) && !check_left(k, s->value->var);
    stmt_rewrite(k->tree, s, settle_guard, k);
    if (guard)
        *s = *s->body;
    return true;
}

/* ---- the pass ---- */

/* Marks of accesses are there for other checks, too. */
static bool drop_bounds(void *user, struct tree_stmt *s)
{
    if (stmt_is_check(s) && s->check->kind == SDFG_RT_CHECK_BOUNDS)
        check_drop(user, s);
    return true;
}

static void check_function(struct checking *k)
{
    struct tree *t = k->tree;
    stmt_flatten(t, k->func->body);
    stmt_visit(k->func->body, count_mark, k);
    check_find_roots(k);
    if (!k->marks && !(k->kinds & SDFG_RT_CHECK_NAN)) {
        check_pointers(k);
        return;
    }
    if (k->kinds & SDFG_RT_CHECK_UNINIT)
        check_init(k);
    if (k->kinds & (SDFG_RT_CHECK_RACE | SDFG_RT_CHECK_RACE_SAMPLE))
        check_race(k);
    if (k->kinds & SDFG_RT_CHECK_SCOPE)
        check_scope(k);
    if (!(k->kinds & SDFG_RT_CHECK_BOUNDS))
        stmt_visit(k->func->body, drop_bounds, k);
    check_pointers(k);
    check_flatten(k);
    check_prove(k);
    check_hoist(k);
    check_prove(k);
    check_to_entry(k);
    check_emit(k);
    stmt_visit(k->func->body, settle_stmt, k);
    stmt_flatten(t, k->func->body);
    if (k->kinds & SDFG_RT_CHECK_NAN)
        check_nan(k);
    remark(t->ir->remarks, NULL, NULL, REMARK_CHECKED, k->proved, k->marks, k->entry, k->left);
    if (k->reads)
        remark(t->ir->remarks, NULL, NULL, REMARK_INITIALISED, k->reads_proved, k->reads);
    if (k->unknown)
        remark(t->ir->remarks, NULL, NULL, REMARK_UNCHECKED, k->unknown);
}

bool opt_check(struct tree *t, const struct tree_options *o)
{
    if (!o->check)
        return true;
    /* Pointers say which memory they stand for, and loops what they run over. */
    if (!opt_copy_propagation(t, o) || !opt_canonical_loops(t, o) || !opt_copy_propagation(t, o))
        return false;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct checking k = { .tree = t, .func = t->functions.items[i], .kinds = o->check };
        check_function(&k);
    }
    return true;
}
