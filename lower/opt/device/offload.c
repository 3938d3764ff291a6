/* Nests become kernels, and the memory that they touch lives on the device for the whole call.
 *
 *     for i = 0 to N parallel {             A' = mirror float64[N] of A
 *         A[i] = A[i] + x                   transfer in float64[N] at A' from A
 *     }                               ->    kernel nest grid((N + 255) / 256, 1, 1) block(256, 1, 1) {
 *     A[0] = 0.0                                i = int64(blockIdx.x) * 256 + int64(threadIdx.x)
 *                                               if i < N {
 *                                                   A'[i] = A'[i] + x
 *                                               }
 *                                           }
 *                                           kernel serial grid(1, 1, 1) block(1, 1, 1) {
 *                                               A'[0] = 0.0
 *                                           }
 *                                           transfer out float64[N] at A from A'
 *
 * Legality: The iterations of the nest are independent, or may run at the same time, and all that is in it can be
 * device code. Statements between nests that touch the same memory run on one thread of the device; what only the host
 * can do stands between transfers. Profitability: Always, since somebody asked for a device. Scalars that statements on
 * the device compute do not come back unless the host decides by them. */
#include "lower/opt/device/offload.h"
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"

/* ---- decisions, to a fixpoint: memory and variables only ever move to the device ---- */

static void set(bool *flag, bool *changed)
{
    *changed |= !*flag;
    *flag = true;
}

static void move_memory(void *user, struct memory *m, bool write)
{
    struct offload *o = user;
    set(&m->device, &o->changed);
    if (write)
        set(&m->written, &o->changed);
}

static bool move_all(void *user, struct tree_stmt *s)
{
    offload_each_touch(user, s, move_memory, user);
    return true;
}

static void pin_memory(void *user, struct memory *m, bool write)
{
    struct offload *o = user;
    (void)write;
    if (m->device)
        set(&m->host, &o->changed);
}

/* What one thread of the device computes for others gets a cell. */
static void move_serial(struct offload *o, struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, s);
    stmt_visit(s, move_all, o);
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        const struct tree_var *v = scan.assigned.slots[i].key;
        if (v->type->kind != TYPE_POINTER && offload_used_outside(o, &scan, v))
            set(&o->in_cell[v->id], &o->changed);
    }
}

struct search {
    struct offload *offload;
    bool found;
};

static void search_touch(void *user, struct memory *m, bool write)
{
    struct search *w = user;
    (void)write;
    w->found |= m->device;
}

static void search_operand(void *user, struct tree_expr **e)
{
    struct search *w = user;
    w->found |= offload_on_device(w->offload, *e);
}

static bool search(void *user, struct tree_stmt *s)
{
    struct search *w = user;
    w->found |= s->var && w->offload->in_cell[s->var->id];
    w->found |= s->kind == STMT_RETURN;               /* what is on the device comes back first */
    if (s->var && s->var->type->kind == TYPE_POINTER) /* its twin gets a value, too */
        w->found |= offload_same(&w->offload->by_var[s->var->id])->device;
    stmt_each_expr(s, search_operand, w);
    offload_each_touch(w->offload, s, search_touch, w);
    return !w->found;
}

static bool touches_device(struct offload *o, struct tree_stmt *s)
{
    struct search w = { o, false };
    stmt_visit(s, search, &w);
    return w.found;
}

static void search_fetched(void *user, struct tree_expr *e)
{
    struct search *w = user;
    w->found |= e->op == EXPR_VAR && w->offload->fetched[e->var->id];
}

/* It becomes a transfer if its target is on the device. */
static void copy_writes(struct offload *o, const struct tree_stmt *s)
{
    struct memory *m = offload_memory(o, s->pointer);
    if (m && m->device)
        set(&m->written, &o->changed);
}

static enum placement place_leaf(struct offload *o, struct tree_stmt *s)
{
    switch (s->kind) {
    case STMT_COPY:
    case STMT_ZERO:
        copy_writes(o, s);
        return PLACE_HOST;
    case STMT_ALLOC:
    case STMT_FREE:
    case STMT_LABEL:
    case STMT_GOTO:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_RETURN:
        return PLACE_HOST;
    case STMT_ASSIGN:
        if (s->var->type->kind == TYPE_POINTER)
            return PLACE_HOST;
        break;
    default:
        break;
    }
    if (s->kind == STMT_ASSIGN && o->steers[s->var->id] && !o->in_cell[s->var->id] && offload_fits(o, s)) {
        struct search w = { o, touches_device(o, s) };
        expr_visit(s->value, search_fetched, &w);
        if (w.found)
            set(&o->fetched[s->var->id], &o->changed);
        return PLACE_HOST;
    }
    if (!touches_device(o, s))
        return PLACE_HOST;
    if (offload_fits(o, s))
        return PLACE_SERIAL;
    offload_message_touches(o, s, move_memory, o);
    offload_each_touch(o, offload_beside_message(o, s), pin_memory, o);
    return PLACE_HOST;
}

static void place(struct offload *o, struct tree_stmt *s);

static void place_inside(struct offload *o, struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        place(o, s->items.items[i]);
    if (s->body)
        place(o, s->body);
    if (s->otherwise)
        place(o, s->otherwise);
}

struct steering {
    struct offload *offload;
    struct map fetched; /* variables that would have a cell */
    bool found;
};

static void find_fetched(void *user, struct tree_expr *e)
{
    struct steering *w = user;
    w->found |= e->op == EXPR_VAR && map_has(&w->fetched, e->var);
}

static void see_control(void *user, struct tree_expr **e) { expr_visit(*e, find_fetched, user); }

static bool see_steering(void *user, struct tree_stmt *s)
{
    struct steering *w = user;
    if (offload_is_nest(w->offload, s))
        return false;
    if (stmt_is_loop(s) || s->kind == STMT_IF)
        stmt_each_expr(s, see_control, w);
    return !w->found;
}

/* Would the host, where it goes through the loop, have to fetch what it knows now, to decide by? What a region leaves
 * to others is on the device. */
static bool hides_control(struct offload *o, struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    struct steering w = { .offload = o };
    tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        const struct tree_var *v = scan.assigned.slots[i].key;
        if (!o->in_cell[v->id] && !o->fetched[v->id] && offload_used_outside(o, &scan, v))
            map_put(o->tree->scratch, &w.fetched, v, s);
    }
    stmt_visit(s, see_steering, &w);
    return w.found;
}

static enum placement placement(struct offload *o, struct tree_stmt *s)
{
    if (offload_is_nest(o, s))
        return PLACE_KERNEL;
    if (offload_is_product(o, s))
        return PLACE_LIBRARY;
    if (offload_is_solver(o, s))
        return PLACE_SOLVER;
    if (offload_is_fft(o, s))
        return PLACE_FFT;
    if (!s->body || s->kind == STMT_UPDATE)
        return place_leaf(o, s);
    enum offload_region region = offload_is_region(o, s);
    if (region == REGION_ALWAYS || (region == REGION_SMALL && !o->large && !hides_control(o, s)))
        return region == REGION_ALWAYS ? PLACE_REGION : PLACE_SMALL;
    if (offload_has_nests(o, s) || offload_has_library_calls(o, s))
        return PLACE_CONTROL;
    if (!touches_device(o, s))
        return PLACE_HOST;
    return offload_fits(o, s) ? PLACE_SERIAL : PLACE_CONTROL;
}

static void place(struct offload *o, struct tree_stmt *s)
{
    if (s->kind == STMT_BLOCK) {
        place_inside(o, s);
        return;
    }
    enum placement p = placement(o, s);
    map_put(o->tree->scratch, &o->placed, s, (void *)(uintptr_t)p);
    if (p == PLACE_KERNEL) {
        o->num_nests++;
        stmt_visit(s->body, move_all, o);
    } else if (p == PLACE_SERIAL || p == PLACE_REGION) {
        o->num_nests += p == PLACE_REGION;
        move_serial(o, s);
    } else if (p == PLACE_SMALL) {
        o->large++;
        place_inside(o, s);
        o->large--;
        move_serial(o, s);
    } else if (p == PLACE_LIBRARY) {
        o->num_nests++;
        offload_product_touches(o, s, move_memory, o);
    } else if (p == PLACE_SOLVER) {
        o->num_nests++;
        offload_solver_touches(o, s, move_memory, o);
    } else if (p == PLACE_FFT) {
        o->num_nests++;
        offload_fft_touches(o, s, move_memory, o);
    } else if (p == PLACE_CONTROL) {
        place_inside(o, s);
    }
}

/* ---- remarks ---- */

struct telling {
    struct offload *offload;
    uint32_t nests; /* in the region */
    bool parallel;  /* some loop is */
};

static bool count_nests(void *user, struct tree_stmt *s)
{
    struct telling *w = user;
    bool nest = offload_is_nest(w->offload, s);
    w->nests += nest;
    return !nest;
}

static bool tell(void *user, struct tree_stmt *s)
{
    struct telling *w = user;
    struct tree *t = w->offload->tree;
    enum placement p = (enum placement)(uintptr_t)map_get(&w->offload->placed, s);
    if (p == PLACE_REGION || p == PLACE_SMALL) {
        w->nests = 0;
        stmt_visit(s, count_nests, w);
        remark(t->ir->remarks, s->place, remark_subject(t, s), p == PLACE_REGION ? REMARK_REGION : REMARK_SMALL_REGION,
               w->nests);
    }
    if (p == PLACE_LIBRARY)
        remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_CUBLAS);
    if (p == PLACE_SOLVER && w->offload->solvers)
        remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_CUSOLVER);
    if (p == PLACE_FFT)
        remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_CUFFT);
    if (p >= PLACE_REGION)
        return false;
    const char *library = offload_solver_on_host(w->offload, s);
    library = library ? library : offload_fft_on_host(w->offload, s);
    if (library)
        remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_LIBRARY_ON_HOST, library);
    bool parallel = s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent);
    w->parallel |= parallel;
    if (parallel)
        remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_ON_HOST, offload_obstacle(w->offload, s));
    return true;
}

static void tell_all(struct offload *o)
{
    struct telling w = { .offload = o };
    if (!o->tree->ir->remarks)
        return;
    stmt_visit(o->main->body, tell, &w);
    if (!o->num_nests)
        remark(o->tree->ir->remarks, NULL, NULL, w.parallel ? REMARK_NO_NEST : REMARK_NO_KERNEL);
}

/* What kernels alone work on may lie on the device when the function is called. */
static void mark_params(struct offload *o)
{
    for (uint32_t i = 0; i < o->main->params.count; i++) {
        struct tree_param *p = &o->main->params.items[i];
        if (p->var->type->kind != TYPE_POINTER)
            continue;
        const struct memory *m = offload_same(&o->by_var[p->var->id]);
        p->host_code = !m->device || m->host || m->foreign;
    }
}

/* Loops that are left are the host's: no threads, and nothing that vector code would have to know better. */
static bool tame(void *user, struct tree_stmt *s)
{
    (void)user;
    if (s->kind == STMT_FOR)
        s->loop.parallel = s->loop.independent = false;
    return s->kind != STMT_KERNEL;
}

static bool decide(struct offload *o, struct tree *t, const struct tree_options *options, bool no_messages)
{
    *o = (struct offload){ .tree = t, .num_vars = t->num_vars, .no_messages = no_messages };
    o->strict = options->strict_fp;
    o->fast = options->fast_fp;
    o->solvers = options->cusolver;
    o->batches = options->cusolver && options->cublas;
    o->transforms = options->cufft;
    o->main = t->functions.items[0];
    stmt_flatten(t, o->main->body);
    o->whole = (struct tree_whole){ .tree = t, .func = o->main };
    o->in_cell = NEW_ARRAY(t->arena, bool, t->num_vars);
    offload_find_memory(o);
    offload_find_steering(o);
    do {
        o->changed = false;
        o->num_nests = 0;
        place(o, o->main->body);
    } while (o->changed);
    bool good = true;
    for (uint32_t i = 0; i < o->num_vars; i++) {
        const struct memory *m = offload_same(&o->by_var[i]);
        good = good && !(m->sent && m->device && m->host);
    }
    return good;
}

void offload_decide(struct offload *o, struct tree *t, const struct tree_options *options)
{
    if (!decide(o, t, options, false))
        decide(o, t, options, true);
}

bool opt_offload(struct tree *t, const struct tree_options *o)
{
    struct offload w;
    if (o->counting)
        return true;
    offload_decide(&w, t, o);
    tell_all(&w);
    mark_params(&w);
    if (w.num_nests)
        offload_write(&w);
    for (uint32_t i = 0; i < t->functions.count; i++)
        stmt_visit(t->functions.items[i]->body, tame, NULL);
    return !w.failed;
}
