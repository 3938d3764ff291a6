/* The placement that offload decides on, weighed: kernels by operations and bytes and their launches, statements
 * between them as one thread, what stays on the host by its work and the transfers for it; on the processor the same
 * nests as parallel regions (base/machine.h has the numbers). */
#include "lower/opt/device/offload_cost.h"

#include "base/machine.h"
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_work.h"

struct weighing {
    struct offload *offload;
    struct offload_cost cost;
    int cores;
};

static double larger(double a, double b) { return a > b ? a : b; }

/* Seconds of the processor. */
static double on_cpu(const struct weighing *w, double flops, double bytes, bool parallel)
{
    const struct machine_costs *m = &machine_costs;
    double cores = parallel ? w->cores : 1, memory = cores * m->core_memory;
    double alone = larger(flops / m->core_flops, bytes / m->core_memory);
    double seconds = larger(flops / (cores * m->core_flops), bytes / (memory < m->memory ? memory : m->memory));
    return parallel ? larger(0, alone < seconds + m->region ? alone : seconds + m->region) : seconds;
}

static void weigh(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame);

static void weigh_items(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        weigh(w, s->items.items[i], runs, frame);
    if (s->body)
        weigh(w, s->body, runs, frame);
    if (s->otherwise)
        weigh(w, s->otherwise, runs, frame);
}

/* How often the threads of a region meet: behind each nest. */
static double meetings(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame)
{
    double sum = 0;
    if (offload_is_nest(w->offload, s))
        return runs;
    for (uint32_t i = 0; i < s->items.count; i++)
        sum += meetings(w, s->items.items[i], runs, frame);
    if (s->kind == STMT_FOR) {
        struct tree_amount trips = tree_work_trips(s, frame);
        struct tree_frame inner = tree_frame_of(frame, s);
        return meetings(w, s->body, runs * (trips.known ? trips.value : 1), &inner);
    }
    if (s->body)
        sum += meetings(w, s->body, runs, frame);
    if (s->otherwise)
        sum += meetings(w, s->otherwise, runs, frame);
    return sum;
}

static void weigh_kernel(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame,
                         bool region)
{
    const struct machine_costs *m = &machine_costs;
    struct tree_amounts x = tree_work_stmt(w->offload->tree, s, frame);
    double met = region ? meetings(w, s, 1, frame) : 1;
    w->cost.known &= x.flops.known && x.bytes.known;
    w->cost.kernels++;
    w->cost.launches += runs;
    w->cost.gpu += runs * (m->launch + larger(x.flops.value / m->gpu_flops, x.bytes.value / m->gpu_memory));
    w->cost.gpu += region ? runs * met * m->barrier : 0;
    w->cost.cpu += runs * met * on_cpu(w, x.flops.value / larger(met, 1), x.bytes.value / larger(met, 1), true);
}

/* By cuBLAS, and by a BLAS on all cores. */
static void weigh_product(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame)
{
    const struct machine_costs *m = &machine_costs;
    struct tree_amounts x = tree_work_stmt(w->offload->tree, s, frame);
    w->cost.known &= x.flops.known;
    w->cost.kernels++;
    w->cost.launches += runs;
    w->cost.gpu += runs * (m->library + x.flops.value / m->gpu_product);
    w->cost.cpu += runs * (m->region + x.flops.value / (w->cores * m->core_product));
}

static void weigh_leaf(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame,
                       bool serial)
{
    enum { WORD = 8 };
    const struct machine_costs *m = &machine_costs;
    struct tree_amounts x = tree_work_stmt(w->offload->tree, s, frame);
    double host = on_cpu(w, x.flops.value, x.bytes.value, false);
    if (s->kind == STMT_ALLOC || s->kind == STMT_FREE)
        return;
    w->cost.known &= x.flops.known && x.bytes.known;
    w->cost.cpu += runs * host;
    if (serial) {
        w->cost.launches += runs;
        w->cost.gpu += runs * (m->launch + (x.flops.value + x.bytes.value / WORD) / m->gpu_thread);
    } else if (s->kind == STMT_COPY || s->kind == STMT_ZERO) {
        w->cost.gpu += runs * (m->transfer + x.bytes.value / m->bus);
    } else {
        w->cost.gpu += runs * host;
    }
}

struct touch {
    bool device;
};

static void see(void *user, struct memory *m, bool write)
{
    struct touch *t = user;
    (void)write;
    t->device |= m->device;
}

/* The host waits for what it reads, and gives back what it writes. */
static void weigh_border(struct weighing *w, struct tree_stmt *s, double runs)
{
    const struct machine_costs *m = &machine_costs;
    struct touch t = { false };
    offload_each_touch(w->offload, s, see, &t);
    if (t.device)
        w->cost.gpu += runs * (m->wait + 2 * m->transfer);
}

static void weigh_control(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame)
{
    if (s->kind == STMT_FOR) {
        struct tree_amount trips = tree_work_trips(s, frame);
        struct tree_frame inner = tree_frame_of(frame, s);
        w->cost.known &= trips.known;
        weigh(w, s->body, runs * trips.value, &inner);
    } else if (s->kind == STMT_IF && tree_work_truth(s->value, frame) >= 0) {
        struct tree_stmt *taken = tree_work_truth(s->value, frame) ? s->body : s->otherwise;
        if (taken)
            weigh(w, taken, runs, frame);
    } else {
        w->cost.known &= s->kind != STMT_WHILE && s->kind != STMT_DO;
        weigh_items(w, s, runs, frame);
    }
}

/* One kernel or a loop of launches, whichever is quicker: the call decides. */
static void weigh_small(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame)
{
    struct weighing launches = *w;
    weigh_kernel(w, s, runs, frame, true);
    weigh_control(&launches, s, runs, frame);
    if (launches.cost.gpu < w->cost.gpu)
        *w = launches;
}

static void weigh(struct weighing *w, struct tree_stmt *s, double runs, const struct tree_frame *frame)
{
    if (s->kind == STMT_BLOCK) {
        weigh_items(w, s, runs, frame);
        return;
    }
    switch ((enum placement)(uintptr_t)map_get(&w->offload->placed, s)) {
    case PLACE_KERNEL:
        weigh_kernel(w, s, runs, frame, false);
        break;
    case PLACE_REGION:
        weigh_kernel(w, s, runs, frame, true);
        break;
    case PLACE_SMALL:
        weigh_small(w, s, runs, frame);
        break;
    case PLACE_LIBRARY:
    case PLACE_SOLVER:
    case PLACE_FFT:
        weigh_product(w, s, runs, frame);
        break;
    case PLACE_SERIAL:
        weigh_leaf(w, s, runs, frame, true);
        break;
    case PLACE_CONTROL:
        weigh_control(w, s, runs, frame);
        break;
    default:
        weigh_leaf(w, s, runs, frame, false);
        weigh_border(w, s, runs);
    }
}

struct offload_cost offload_cost(struct tree *t, const struct tree_options *options, int cores)
{
    struct offload o;
    offload_decide(&o, t, options);
    struct weighing w = { .offload = &o, .cost = { .known = true }, .cores = cores };
    weigh(&w, o.main->body, 1, NULL);
    w.cost.gpu += machine_costs.wait;
    return w.cost;
}
