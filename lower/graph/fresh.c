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

static bool see_statement(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, see_root, user);
    return true;
}

static bool is_mentioned(struct tree_stmt *s, const struct tree_var *v)
{
    struct first f = { .var = v };
    stmt_visit(s, see_statement, &f);
    return f.mentions;
}

/* The first access to the memory in the statement. */
static enum first_kind first_access(struct tree_stmt *s, const struct tree_var *v)
{
    struct first f = { .var = v };
    switch (s->kind) {
    case STMT_BLOCK:
        for (uint32_t i = 0; i < s->items.count; i++) {
            enum first_kind a = first_access(s->items.items[i], v);
            if (a != NONE)
                return a;
        }
        return NONE;
    case STMT_REDUCE:
    case STMT_UPDATE:
    case STMT_STORE:
    case STMT_ASSIGN:
        stmt_each_expr(s, see_root, &f);
        if (s->kind != STMT_ASSIGN && is_memory(s->pointer, v)) {
            bool combines = s->kind != STMT_STORE;
            return f.mentions == f.loads + 1 && (combines || f.loads) ? READS : OTHER;
        }
        return !f.mentions ? NONE : f.mentions == f.loads ? READS : OTHER;
    default:
        return is_mentioned(s, v) ? OTHER : NONE;
    }
}

static bool clear_what_is_read(void *user, struct tree_stmt *s)
{
    (void)user;
    for (uint32_t i = 0; s->kind == STMT_BLOCK && i < s->items.count; i++) {
        struct tree_stmt *a = s->items.items[i];
        enum first_kind first = NONE;
        for (uint32_t k = i + 1; a->kind == STMT_ALLOC && a->where == TREE_STACK && !a->zero && first == NONE; k++) {
            if (k == s->items.count)
                break;
            first = first_access(s->items.items[k], a->var);
        }
        if (first == READS)
            a->zero = true;
    }
    return true;
}

void lower_clear_unwritten(struct lower *lw)
{
    for (uint32_t i = 0; i < lw->tree->functions.count; i++)
        stmt_visit(lw->tree->functions.items[i]->body, clear_what_is_read, NULL);
}
