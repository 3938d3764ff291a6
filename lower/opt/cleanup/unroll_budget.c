/* Loops of maps that ask for unrolling keep the request only within a budget of statements; nested requests multiply.
 * Loops whose trip counts only a run knows are marked `rolled` where NVRTC would unroll them without a gain: those of
 * cooperative kernels, and those of all kernels whose iterations the threads share and whose bodies are long.
 * Legality: Always legal: the loop stays a loop.
 * Profitability: A compiler's time for straight-line code grows faster than its length. A thread has few iterations of
 * loops that are shared. Those of its own keep their copies: loads of several iterations are on their way together. In
 * cooperative kernels barriers take the time, and registers for copies are those that blocks of 512 threads lack. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"

/* Statements and operators after unrolling: of one loop, and of all loops of the program together. */
enum { MOST_OF_LOOP = 4000, MOST_OF_PROGRAM = 40000, MOST_OF_COPIED = 64 /* by NVRTC */ };

struct unrolling {
    struct tree *tree;
    double total;             /* that unrolled loops have become so far */
    bool device, cooperative; /* in a kernel whose blocks meet */
};

static double expr_size(const struct tree_expr *e, double most)
{
    double size = 1;
    for (uint32_t i = 0; i < e->num_args && size < most; i++) /* parts may be shared */
        size += expr_size(e->args[i], most - size);
    return size;
}

static double own_size(const struct tree_stmt *s)
{
    const struct tree_expr *const parts[] = { s->pointer, s->index, s->value, s->pointer2, s->count };
    double size = 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        size += parts[i] ? expr_size(parts[i], MOST_OF_LOOP) : 0;
    for (uint32_t i = 0; i < s->num_args; i++)
        size += expr_size(s->args[i], MOST_OF_LOOP);
    return size;
}

/* 1 if it is not known: LLVM does not replace such a loop by its iterations. */
static double trips(const struct tree_stmt *s)
{
    if (s->begin->op != EXPR_INT || s->end->op != EXPR_INT || s->step->op != EXPR_INT || s->step->i < 1)
        return 1;
    double span = (double)s->end->i - (double)s->begin->i;
    return span > 0 ? (span + (double)s->step->i - 1) / (double)s->step->i : 0;
}

/* After unrolling; what is inside decides first, so the outermost loops lose the request. */
static double unrolled_size(struct unrolling *u, struct tree_stmt *s)
{
    double size = own_size(s);
    u->cooperative |= s->kind == STMT_KERNEL && s->kernel && s->kernel->cooperative;
    for (uint32_t i = 0; i < s->items.count; i++)
        size += unrolled_size(u, s->items.items[i]);
    size += s->body ? unrolled_size(u, s->body) : 0;
    size += s->otherwise ? unrolled_size(u, s->otherwise) : 0;
    u->cooperative &= s->kind != STMT_KERNEL;
    if (s->kind != STMT_FOR)
        return size;
    if (!s->loop.unroll) {
        bool threads = u->device && !expr_is_int(s->step, 1); /* share its iterations */
        s->loop.rolled |= (u->cooperative || (threads && size > MOST_OF_COPIED)) && trips(s) == 1;
        return size;
    }
    double unrolled = size * trips(s);
    if (unrolled <= MOST_OF_LOOP && u->total + unrolled <= MOST_OF_PROGRAM) {
        u->total += unrolled - size;
        return unrolled;
    }
    s->loop.unroll = false;
    remark(u->tree->ir->remarks, s->place, remark_subject(u->tree, s), REMARK_UNROLL_BUDGET, unrolled,
           unrolled > MOST_OF_LOOP ? "a loop" : "all loops together",
           unrolled > MOST_OF_LOOP ? MOST_OF_LOOP : MOST_OF_PROGRAM);
    return size;
}

bool opt_unroll_budget(struct tree *t, const struct tree_options *o)
{
    struct unrolling u = { .tree = t, .device = o->device };
    for (uint32_t i = 0; i < t->functions.count; i++)
        unrolled_size(&u, t->functions.items[i]->body);
    return true;
}
