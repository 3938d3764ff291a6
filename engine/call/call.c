#include "engine/call/call.h"

#include "engine/call/check.h"
#include "engine/call/device.h"
#include "engine/call/handle.h"
#include "engine/call/mpi.h"
#include "engine/call/recent.h"
#include "engine/kernels/kernels.h"
#include "engine/program/bounds.h"
#include "engine/tune/tune.h"
#include "runtime/abi.h"

#include <stdlib.h>
#include <string.h>

sdfg_error *run_error(int32_t error)
{
    static const enum diag_code codes[] = {
        [SDFG_RT_OUT_OF_MEMORY] = DIAG_RUN_MEMORY, [SDFG_RT_BAD_VALUE] = DIAG_RUN_VALUE,
        [SDFG_RT_WORKSPACE] = DIAG_RUN_WORKSPACE,  [SDFG_RT_STREAM_EMPTY] = DIAG_RUN_STREAM,
        [SDFG_RT_SINGULAR] = DIAG_RUN_SINGULAR,    [SDFG_RT_NODE_FAILED] = DIAG_RUN_NODE,
        [SDFG_RT_FAULT] = DIAG_CHECK_FAULT,        [SDFG_RT_CANCELLED] = DIAG_RUN_CANCELLED,
        [SDFG_RT_TARGET_FAILED] = DIAG_RUN_TARGET, [SDFG_RT_PROVIDER] = DIAG_RUN_PROVIDER,
    };
    if (error == SDFG_RT_OK)
        return NULL;
    if (error < 0 || error >= (int32_t)(sizeof codes / sizeof *codes))
        return error_of(SDFG_STAGE_RUN, DIAG_BUG, "generated code left an unknown error");
    return error_of(SDFG_STAGE_RUN, codes[error]);
}

/* The runtime knows which file it was. */
static sdfg_error *data_error(struct sdfg_rt_data *d)
{
    char trouble[600];
    sdfg_rt_data_trouble(d, trouble, sizeof trouble);
    return error_of(SDFG_STAGE_RUN, DIAG_RUN_DATA, trouble);
}

static sdfg_error *failed_run(const struct sdfg_kernel *k, const struct sdfg_rt_context *context)
{
    if (context->error == SDFG_RT_FAULT && context->faults)
        return fault_error(k->program->engine, context->faults);
    if (device_explains(context))
        return device_error(context);
    if (mpi_explains(context))
        return mpi_error(context);
    return context->error == SDFG_RT_DATA ? data_error(k->program->data) : run_error(context->error);
}

static inline sdfg_error *run_code(const struct sdfg_kernel *k, void *const *args, struct sdfg_rt_context *context)
{
    k->code.main(context, args);
    if (__builtin_expect(context->error == SDFG_RT_OK, 1))
        return NULL;
    sdfg_rt_release(context);
    return failed_run(k, context);
}

/* Nobody cancels calls of bare kernels. */
static _Atomic uint32_t never;

/* Blocks are counted off during a run, so every run has its own. */
static sdfg_error *run_with_blocks(const struct sdfg_kernel *k, void *const *args, struct sdfg_rt_context *context,
                                   const struct sdfg_rt_block *blocks)
{
    enum { MOST = 16 };
    struct sdfg_rt_block own[MOST];
    struct sdfg_rt_workspace workspace = { .blocks = own };
    uint32_t count = k->program->workspaces.count;
    workspace.num_blocks = count < MOST ? count : MOST;
    if (blocks) {
        memcpy(own, blocks, (size_t)workspace.num_blocks * sizeof *own);
        context->workspace = &workspace;
    }
    return run_code(k, args, context);
}

/* A run whose timings are told; the names in them are part of the code. */
static sdfg_error *run_timed(const struct sdfg_kernel *k, void *const *args, struct sdfg_rt_context *context,
                             const struct sdfg_rt_block *blocks)
{
    const sdfg_options *o = &k->program->engine->options;
    struct sdfg_rt_timings t;
    sdfg_rt_timings_init(&t);
    context->timings = &t;
    sdfg_error *error = run_with_blocks(k, args, context, blocks);
    sdfg_timing *out = t.count ? malloc(t.count * sizeof *out) : NULL;
    sdfg_counter *counters = t.count ? malloc(t.count * sizeof *counters) : NULL;
    for (size_t i = 0; out && counters && i < t.count; i++) {
        const struct sdfg_rt_timing *from = &t.items[i];
        const struct sdfg_rt_element *e = from->element;
        out[i] = (sdfg_timing){ .name = e->name,
                                .region = e->region,
                                .state = e->state,
                                .node = e->node,
                                .thread = from->thread,
                                .begin = (double)from->begin * 1e-9,
                                .seconds = (double)(from->end - from->begin) * 1e-9,
                                .bytes = from->bytes,
                                .provider = e->name + strlen(e->name) + 1,
                                .counter = from->counter ? &counters[i] : NULL };
        counters[i] = (sdfg_counter){ from->counter, from->value };
    }
    if (!error && t.count && (!out || !counters))
        error = run_error(SDFG_RT_OUT_OF_MEMORY);
    if (!error)
        o->timing(o->timing_user, out, t.count);
    free(out);
    free(counters);
    sdfg_rt_timings_release(&t);
    return error;
}

/* With all that only some programs need. */
static sdfg_error *run_with_state(struct sdfg_kernel *k, void *const *args, struct sdfg_rt_context *context,
                                  const struct run *r)
{
    struct handle *h = NULL;
    if (kernel_has_state(k)) {
        sdfg_error *error;
        h = handles_enter(k->program->handles, k, args, r->values, &error);
        if (!h)
            return error;
        context->slots = h->slots;
    }
    bool timed = k->program->engine->options.timing;
    sdfg_error *error = (timed ? run_timed : run_with_blocks)(k, args, context, r->blocks);
    if (h)
        pthread_mutex_unlock(&h->run);
    return error;
}

/* Field by field: for a whole struct of this size GCC takes `rep stos`, which takes 2 ns to begin. */
static inline void clear(struct sdfg_rt_context *context)
{
#define RT_FIELD(name, letter) context->name = 0;
#include "runtime/abi.def"
}

/* Inline in both callers, so that `r` need not be memory. */
__attribute__((always_inline)) static inline sdfg_error *run_kernel(struct sdfg_kernel *k, void *const *args,
                                                                    const struct run *r)
{
    const struct sdfg_program *p = k->program;
    const struct sdfg_engine *e = p->engine;
    k = k->quick ? kernel_to_run(k) : k;
    kernels_count_call(p->kernels);
    struct sdfg_rt_context context;
    clear(&context);
    context.num_threads = r->num_threads ? r->num_threads : e->options.num_threads;
    context.pool = p->pool;
    context.data = p->data;
    context.user = engine_functions(e);
    context.cancel = r->cancel ? r->cancel : &never;
    context.cancelled = (int32_t)r->cancelled;
    context.objects = k->kept_values;
    struct sdfg_rt_faults faults;
    struct sdfg_rt_device device;
    struct sdfg_rt_mpi messages;
    device_enter(k, &device, &context);
    bool bare = !kernel_has_state(k) && !r->blocks && !e->options.timing;
    if (context.device)
        device_take(&device, r, bare && !e->options.check);
    mpi_enter(&messages, &context, r->has_communicator, r->communicator);
    if (e->options.check) {
        faults.count = 0;
        faults.access = NULL;
        faults.races = NULL;
        context.faults = &faults;
    }
    sdfg_error *error = bare ? run_code(k, args, &context) : run_with_state(k, args, &context, r);
    if (e->options.check)
        sdfg_rt_races_free(faults.races);
    return error;
}

sdfg_error *kernel_run(struct sdfg_kernel *k, void *const *args, const struct run *r) { return run_kernel(k, args, r); }

/* ---- calls ---- */

/* Values that are read from memory may be others in the next call. */
static bool reads_values(const struct sdfg_args *a)
{
    for (size_t i = 0; i < a->num_entries; i++)
        if ((a->entries[i]->kind == ENTRY_ARRAY && leaf_is_value(a->entries[i]->leaf)) ||
            (a->entries[i]->kind == ENTRY_POINTER && a->entries[i]->leaf->kind == SDFG_KIND_STRUCTURE))
            return true;
    return false;
}

bool call_settle(struct sdfg_args *a, struct report *r)
{
    a->settled = args_settle(a);
    if (!a->settled) {
        struct solver s;
        bool solved = args_solve(a, r->arena, &s, r->diags);
        a->settled = solved && args_check(a, &s, r->diags) && !reads_values(a);
        if (diags_errors(r->diags))
            return false;
    }
    bool within = program_within_limits(a->program, a->values, r->diags);
    a->settled = a->settled && within;
    return within;
}

/* The kernel of the call, which stays with the arguments: calls are often repeated. */
static bool take_kernel(struct sdfg_args *a, struct arena *arena, sdfg_error **error)
{
    uint32_t alignment;
    struct signature signature = call_signature(a, arena, true, &alignment);
    tune_for_call(a, &signature);
    a->kernel = recent_kernel(a->recent, a->program->kernels, &signature, error);
    a->kernel_alignment = alignment;
    return a->kernel;
}

/* A program from Python has its maps as if different arguments were different memory. */
static bool overlap_found(const struct sdfg_args *a, struct diags *d)
{
    const struct leaf *x, *y;
    if (!call_broken_promise(a, &x, &y))
        return false;
    diag_error(d, NULL, DIAG_ARGUMENT_OVERLAP, x->name, y->name);
    return true;
}

static bool prepare(struct call *c, struct sdfg_args *a, struct report *r, sdfg_error **error)
{
    bool again = call_is_repeated(a);
    if (a->settled ? !args_check_data(a, r->diags) : !call_settle(a, r))
        return false;
    if (a->program->engine->cuda_device >= 0 && !(c->places = device_place_arguments(a, c->arena, r->diags)))
        return false;
    if (a->program->engine->options.check & SDFG_CHECK_ALIAS) {
        *error = alias_error(a);
        if (*error)
            return false;
    }
    if (a->program->disjoint && !a->disjoint && !again && overlap_found(a, r->diags))
        return false;
    uint32_t n = a->program->num_variables;
    c->values = NEW_ARRAY(c->arena, struct symbol_value, n);
    memcpy(c->values, a->values, n * sizeof *c->values);
    if (a->program->workspaces.count) {
        uint32_t blocks = a->program->workspaces.count;
        c->blocks = NEW_ARRAY(c->arena, struct sdfg_rt_block, blocks);
        memcpy(c->blocks, a->blocks, blocks * sizeof *c->blocks);
    }
    if (!again && !take_kernel(a, r->arena, error))
        return false;
    recent_make_room(a->recent, a->program->kernels);
    c->kernel = a->kernel;
    if (c->pinned)
        kernels_pin(c->kernel);
    return call_marshal(c, r->diags);
}

sdfg_error *call_prepare(struct call *out, const struct sdfg_program *p, struct sdfg_args *a, struct arena *arena)
{
    struct report r = args_report(a);
    sdfg_error *error = NULL;
    *out = (struct call){ .arena = arena ? arena : a->scratch, .source = a, .num_threads = a->num_threads };
    out->has_communicator = a->has_communicator;
    out->communicator = a->communicator;
    out->pinned = arena != NULL;
    if (a->program != p)
        diag_error(r.diags, NULL, DIAG_ARGUMENT_PROGRAM);
    else
        prepare(out, a, &r, &error);
    out->source = NULL;
    sdfg_error *found = report_end(&r, SDFG_STAGE_BIND);
    return error ? error : found;
}

void call_release(struct call *c)
{
    if (c->kernel && c->pinned)
        kernels_release(c->kernel);
    c->kernel = NULL;
}

__attribute__((always_inline)) static inline sdfg_error *run_members(const struct call *c, void *const *args,
                                                                     const struct run *run)
{
    for (uint32_t i = 0; i < c->members.count; i++)
        memcpy(c->members.items[i].memory, c->members.items[i].data, c->members.items[i].bytes);
    sdfg_error *error = run_kernel(c->kernel, args, run);
    for (uint32_t i = 0; i < c->members.count; i++)
        memcpy(c->members.items[i].data, c->members.items[i].memory, c->members.items[i].bytes);
    return error;
}

static inline struct run run_of(const struct call *c, _Atomic uint32_t *cancel, uint32_t cancelled,
                                const struct run_device *device)
{
    return (struct run){
        .values = c->values,
        .blocks = c->blocks,
        .num_threads = c->num_threads,
        .has_communicator = c->has_communicator,
        .communicator = c->communicator,
        .cancel = cancel,
        .cancelled = cancelled,
        .device = device,
    };
}

/* In an engine whose programs run on a GPU. */
__attribute__((noinline)) static sdfg_error *run_placed(const struct call *c, void *const *args,
                                                        _Atomic uint32_t *cancel, uint32_t cancelled,
                                                        const struct going_on *on)
{
    const struct places *p = c->places;
    struct run_device device = { .host_only = p->host_only, .after = p->after, .num_after = p->num_after, .on = on };
    struct run run = run_of(c, cancel, cancelled, &device);
    if (!p->shadows.count)
        return run_members(c, args, &run);
    sdfg_error *error;
    void **own = shadows_begin(c, args, &run, &error);
    return own ? shadows_end(c, own, &run, run_members(c, own, &run)) : error;
}

/* `on` (or NULL): what may end later. */
static sdfg_error *run_with(const struct call *c, void *const *args, _Atomic uint32_t *cancel, uint32_t cancelled,
                            const struct going_on *on)
{
    if (__builtin_expect(c->places != NULL, 0))
        return run_placed(c, args, cancel, cancelled, on);
    struct run run = run_of(c, cancel, cancelled, NULL);
    return run_members(c, args, &run);
}

/* Values are copied for every run: generated code may use their memory as its variables. */
__attribute__((always_inline)) static inline sdfg_error *
run_copied(struct sdfg_bound *b, uint32_t cancelled, const struct going_on *on, void **args, struct slot *slots)
{
    const struct call *c = &b->call;
    uint32_t n = c->kernel->code.num_params, num_values = c->num_by_slot;
    void *const *addresses = c->args;
    const uint32_t *by_slot = c->by_slot;
    const struct slot *values = c->slots;
    for (uint32_t i = 0; i < n; i++)
        args[i] = addresses[i];
    for (uint32_t v = 0; v < num_values; v++) {
        slots[v] = values[by_slot[v]];
        args[by_slot[v]] = slots[v].bytes;
    }
    return run_with(c, args, &b->cancel, cancelled, on);
}

__attribute__((noinline)) static sdfg_error *run_wide(struct sdfg_bound *b, uint32_t cancelled,
                                                      const struct going_on *on)
{
    GUARDED(error_memory(SDFG_STAGE_RUN));
    struct arena *a = arena_new();
    uint32_t n = b->call.kernel->code.num_params;
    sdfg_error *error = run_copied(b, cancelled, on, NEW_ARRAY(a, void *, n), NEW_ARRAY(a, struct slot, n));
    arena_free(a);
    return error;
}

sdfg_error *call_bound(struct sdfg_bound *b, const struct going_on *on)
{
    enum { FEW = 32 };
    const struct call *c = &b->call;
    uint32_t cancelled = atomic_load_explicit(&b->cancel, memory_order_relaxed);
    if (!c->num_by_slot)
        return run_with(c, c->args, &b->cancel, cancelled, on);
    if (c->kernel->code.num_params <= FEW) {
        void *args[FEW];
        struct slot slots[FEW];
        return run_copied(b, cancelled, on, args, slots);
    }
    return run_wide(b, cancelled, on);
}

sdfg_error *call_once(sdfg_program *p, sdfg_args *a, const struct going_on *on, struct sdfg_kernel **kernel)
{
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct call c;
    uint32_t cancelled = atomic_load_explicit(&a->cancel, memory_order_relaxed);
    a->in_stream = on && on->stream;
    sdfg_error *error = call_prepare(&c, p, a, NULL);
    a->in_stream = false;
    if (!error && kernel)
        kernels_pin(*kernel = c.kernel);
    if (!error)
        error = run_with(&c, c.args, &a->cancel, cancelled, on); /* whose values are nobody else's */
    call_release(&c);
    return error;
}

sdfg_error *sdfg_call(sdfg_program *p, sdfg_args *a)
{
    NEEDS(p);
    NEEDS(a);
    return call_once(p, a, NULL, NULL);
}

void sdfg_call_cancel(sdfg_args *a)
{
    if (a)
        atomic_fetch_add_explicit(&a->cancel, 1, memory_order_relaxed);
}

static void release(void *call) { call_release(call); }

sdfg_error *sdfg_bind(sdfg_bound **out, sdfg_program *p, sdfg_args *a)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(p);
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct arena *arena = arena_new();
    sdfg_bound *b = NEW(arena, sdfg_bound);
    struct cleanup half_made;
    cleanup_push(&half_made, release, &b->call);
    sdfg_error *error = call_prepare(&b->call, p, a, arena);
    cleanup_pop(&half_made);
    if (error) {
        call_release(&b->call);
        arena_free(arena);
        return error;
    }
    program_hold(p);
    *out = b;
    return NULL;
}

sdfg_error *sdfg_bound_call(sdfg_bound *b)
{
    NEEDS(b);
    return call_bound(b, NULL);
}

void sdfg_bound_cancel(sdfg_bound *b)
{
    if (b)
        atomic_fetch_add_explicit(&b->cancel, 1, memory_order_relaxed);
}

const sdfg_kernel *sdfg_bound_kernel(const sdfg_bound *b) { return b ? b->call.kernel : NULL; }

void *sdfg_bound_address(const sdfg_bound *b, size_t index)
{
    if (!b)
        return NULL;
    const struct call *c = &b->call;
    if (index >= c->kernel->code.num_params)
        return NULL;
    return c->args[index];
}

void sdfg_bound_free(sdfg_bound *b)
{
    if (!b)
        return;
    struct sdfg_program *p = b->call.kernel->program;
    call_release(&b->call);
    arena_free(b->call.arena); /* with `b` itself */
    program_let_go(p);
}

sdfg_error *sdfg_args_emit(char **out, size_t *size, sdfg_args *a, enum sdfg_emit what)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_COMPILE));
    struct report r = args_report(a);
    struct solver s;
    sdfg_error *error = NULL;
    if (args_solve(a, r.arena, &s, r.diags)) {
        struct signature signature = call_signature(a, r.arena, false, NULL);
        tune_apply(a->program, &signature, a->num_threads);
        signature_add_values(&signature, a->program, a->values, r.arena);
        error = program_emit(a->program, &signature, what, out, size);
    }
    sdfg_error *found = report_end(&r, SDFG_STAGE_BIND);
    return error ? error : found;
}
