/* Memory of the stack that is certainly read before it is written. Its content is some value, new each time control
 * comes to the allocation: it is cleared. Left as it is, it would be undefined for LLVM, which takes a branch on it as
 * code that never runs and removes the program; and a pass that moves the allocation out of a loop would let content
 * go from one iteration to the next. (A clear, and no `freeze`, because the passes over the tree see it, too.) */
#include "lower/graph/lower.h"

enum first_kind { NONE, READS, OTHER };

struct first {
    const struct tree_var *var;
    uint32_t mentions, loads; /* of the memory in the expressions of a statement */
};

static bool is_memory(const struct tree_expr *e, const struct tree_var *v) { return e->op == EXPR_VAR && e->var == v; }

static void see_expr(void *user, struct tree_expr *e)
{
    struct first *f = user;
    f->mentions += is_memory(e, f->var);
    f->loads += e->op == EXPR_LOAD && is_memory(e->args[0], f->var);
}

static void see_root(void *user, struct tree_expr **e) { expr_visit(*e, see_expr, user); }

/* The first access to the memory in a statement that mentions it. */
static enum first_kind first_access(struct tree_stmt *s, const struct tree_var *v)
{
    struct first f = { .var = v };
    switch (s->kind) {
    case STMT_REDUCE:
    case STMT_UPDATE:
    case STMT_STORE:
    case STMT_ASSIGN:
        stmt_each_expr(s, see_root, &f);
        if (s->kind != STMT_ASSIGN && is_memory(s->pointer, v)) {
            bool combines = s->kind != STMT_STORE;
            return f.mentions == f.loads + 1 && (combines || f.loads) ? READS : OTHER;
        }
        return f.mentions == f.loads ? READS : OTHER;
    default:
        return OTHER;
    }
}

/* Allocations of a block whose memory nothing has mentioned so far, by variable. */
struct waiting {
    struct arena *arena;
    struct map allocs; /* NULL behind the first access */
    uint32_t count;
    struct tree_stmt *stmt; /* being looked at */
};

static void end_waiting(void *user, struct tree_expr *e)
{
    struct waiting *w = user;
    struct tree_stmt *a = e->op == EXPR_VAR ? map_get(&w->allocs, e->var) : NULL;
    if (!a)
        return;
    a->zero |= first_access(w->stmt, e->var) == READS;
    map_put(w->arena, &w->allocs, e->var, NULL);
    w->count--;
}

static void end_in_root(void *user, struct tree_expr **e) { expr_visit(*e, end_waiting, user); }

static bool end_in_statement(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, end_in_root, user);
    return true;
}

/* In blocks inside, too, statement by statement. */
static void follow(struct waiting *w, struct tree_stmt *block, bool own)
{
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (s->kind == STMT_BLOCK) {
            follow(w, s, false);
            continue;
        }
        w->stmt = s;
        if (w->count)
            stmt_visit(s, end_in_statement, w);
        if (own && s->kind == STMT_ALLOC && s->where == TREE_STACK && !s->zero) {
            map_put(w->arena, &w->allocs, s->var, s);
            w->count++;
        }
    }
}

static bool clear_what_is_read(void *user, struct tree_stmt *s)
{
    struct lower *lw = user;
    struct waiting w = { .arena = lw->tree->scratch };
    if (s->kind == STMT_BLOCK)
        follow(&w, s, true);
    return true;
}

void lower_clear_unwritten(struct lower *lw)
{
    for (uint32_t i = 0; i < lw->tree->functions.count; i++)
        stmt_visit(lw->tree->functions.items[i]->body, clear_what_is_read, lw);
}
