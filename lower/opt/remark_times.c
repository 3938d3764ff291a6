/* What each nest takes, roughly: remarks are sorted by it. Looked at while loops show their trip counts, and only if
 * somebody asks for remarks. */
#include "lower/opt/remark.h"
#include "lower/tree/tree_work.h"

#include <math.h>

struct times {
    struct tree *tree;
    double total;
    bool unknown; /* some of it */
};

/* Seconds of one run on one core: its memory or its arithmetic, whichever takes longer. Where data decide what is
 * touched, all operations count. HUGE_VAL: not known. */
static double seconds_of(struct tree *t, const struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_amounts a = tree_work_stmt(t, s, frame);
    double memory = a.bytes.known ? a.bytes.value / machine_costs.core_memory : 0;
    double arithmetic = a.flops.known ? a.flops.value / machine_costs.core_flops : 0;
    double longer = fmax(memory, arithmetic);
    bool call = s->kind == STMT_CALL;
    if (a.flops.known && (a.bytes.known || call))
        return longer;
    return call ? HUGE_VAL : fmax(longer, opt_operations(s, frame) / machine_costs.core_flops);
}

/* `runs`: of the statement, HUGE_VAL if that is not known; `around`: seconds of the nest that it is in. */
static void look(struct times *x, const struct tree_stmt *s, double runs, double around, const struct tree_frame *frame)
{
    bool leaf = s->kind == STMT_CALL || s->kind == STMT_COPY || s->kind == STMT_ZERO;
    struct tree_frame inner;
    if (s->kind == STMT_FOR || leaf) {
        double own = runs * seconds_of(x->tree, s, frame);
        bool known = own < HUGE_VAL;
        if (!frame) {
            x->total += known ? own : 0;
            x->unknown |= !known;
        }
        around = known ? own : around;
    }
    remarks_time(x->tree->ir->remarks, s->place, around);
    if (s->kind == STMT_FOR) {
        struct tree_amount trips = tree_work_trips(s, frame);
        runs = trips.known ? runs * trips.value : HUGE_VAL;
        inner = tree_frame_of(frame, s);
        frame = &inner;
    } else if (s->kind == STMT_WHILE || s->kind == STMT_DO || s->kind == STMT_GOTO) {
        x->unknown = true;
        runs = HUGE_VAL;
    }
    if (s->body)
        look(x, s->body, runs, around, frame);
    if (s->otherwise)
        look(x, s->otherwise, runs, around, frame);
    for (uint32_t i = 0; i < s->items.count; i++)
        look(x, s->items.items[i], runs, around, frame);
}

void remark_times(struct tree *t)
{
    struct times x = { .tree = t };
    if (!t->ir->remarks)
        return;
    for (uint32_t i = 0; i < t->functions.count; i++)
        if (tree_func_is_main(t->functions.items[i]))
            look(&x, t->functions.items[i]->body, 1, 0, NULL);
    remarks_total(t->ir->remarks, x.unknown ? 0 : x.total);
}
