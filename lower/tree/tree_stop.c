#include "lower/tree/tree_stop.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rows.h"

enum {
    SHORT = 32, /* iterations of loops that do not count as long */
    NEST = 2    /* a depth from which on one iteration of a loop around it takes a while */
};

static bool is_short(const struct tree_stmt *s)
{
    int64_t span;
    return s->kind == STMT_FOR && s->begin->op == EXPR_INT && s->end->op == EXPR_INT && s->step->op == EXPR_INT &&
           !__builtin_sub_overflow(s->end->i, s->begin->i, &span) && span / SHORT <= s->step->i;
}

static bool is_library_call(const struct tree_stmt *s)
{
    return s->kind == STMT_CALL && callee_multiplies(stmt_callee(s));
}

static void deepest(void *user, const struct tree_stmt *s);

/* Long loops around each other, at most, in `s`. */
static unsigned depth(const struct tree_stmt *s)
{
    if (s->kind == STMT_PARALLEL || s->kind == STMT_KERNEL)
        return NEST;
    unsigned most = is_library_call(s);
    stmt_children(s, deepest, &most);
    return most + (stmt_is_loop(s) && !is_short(s));
}

static void deepest(void *user, const struct tree_stmt *s)
{
    unsigned *most = user, d = depth(s);
    *most = d > *most ? d : *most;
}

bool tree_stops_in(const struct tree_stmt *s)
{
    return depth(s) || stmt_contains(s, STMT_GOTO) || stmt_contains(s, STMT_WHILE) || stmt_contains(s, STMT_DO);
}

bool tree_stops_before(const struct tree_stmt *s)
{
    return stmt_is_loop(s) ? depth(s) >= NEST : s->kind == STMT_PARALLEL || is_library_call(s);
}

bool tree_stops_again(const struct tree_stmt *loop, bool inner)
{
    unsigned d = depth(loop->body);
    return d >= NEST || (!inner && (d || loop->kind != STMT_FOR));
}
