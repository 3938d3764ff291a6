#include "engine/kernels/kernel.h"

#include "base/fatal.h"
#include "base/heap.h"
#include "base/stack.h"
#include "engine/kernels/device_code.h"
#include "engine/kernels/disk.h"
#include "runtime/abi.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *signature_passes(const struct sdfg_program *p, const struct signature *s)
{
    const char *passes = s->passes ? s->passes : p->engine->options.passes;
    return passes && *passes ? passes : NULL;
}

/* ---- compiling ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct made {
    const struct codegen_api *api;
    struct codegen_result *result;
};

static void give_back(void *made)
{
    struct made *m = made;
    m->api->release(m->result);
}

struct generation {
    const struct codegen_api *api;
    const struct codegen_request *request;
    struct codegen_result *out;
};

static void generate(void *generation)
{
    struct generation *g = generation;
    void *room = heap_room();
    struct cleanup kept;
    cleanup_push(&kept, free, room);
    g->api->compile(g->request, g->out);
    cleanup_pop(&kept);
    free(room);
}

/* Device code for machines without a device needs an architecture. */
static bool take_arch(struct sdfg_engine *e, struct codegen_request *r, sdfg_error **error)
{
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    bool runs = r->emit == CODEGEN_EMIT_CODE;
    if (!r->device || !(runs || r->emit == CODEGEN_EMIT_OBJECT || r->emit > CODEGEN_EMIT_CUDA))
        return true;
    if (device_arch(e, &r->arch, trouble))
        return true;
    *error = runs ? error_of(SDFG_STAGE_COMPILE, DIAG_RUN_DEVICE, trouble)
                  : error_of(SDFG_STAGE_OPTIONS, DIAG_DEVICE_ARCH, trouble);
    return false;
}

/* Code that runs elsewhere has to do without the libraries of this machine. */
static void take_libraries(struct sdfg_engine *e, struct codegen_request *r)
{
    struct sdfg_rt_device_file file;
    bool elsewhere = r->exports || r->emit == CODEGEN_EMIT_OBJECT || r->emit >= CODEGEN_EMIT_CUDA;
    r->cublas = r->device && !elsewhere && device_library(e, SDFG_RT_CUBLAS, &file);
    r->cusolver = r->device && !elsewhere && device_library(e, SDFG_RT_CUSOLVER, &file);
    r->cufft = r->device && !elsewhere && device_library(e, SDFG_RT_CUFFT, &file);
}

/* `opening`: seconds until the code generator was there; NULL if nobody wants to know. */
static bool compile(struct sdfg_program *p, const struct signature *s, enum codegen_emit what, enum sdfg_tier tier,
                    struct codegen_result *out, double *opening, sdfg_error **error)
{
    const sdfg_options *o = &p->engine->options;
    struct report r = report_begin();
    double start = now();
    const struct codegen_api *api = engine_codegen(p->engine, r.diags);
    if (opening)
        *opening = now() - start;
    *error = report_end(&r, SDFG_STAGE_COMPILE);
    if (!api)
        return false;
    struct codegen_request request = {
        .json = p->json,
        .json_size = p->json_size,
        .graph = atomic_exchange(&p->graph, NULL),
        .tree = p->tree,
        .folder = p->folder,
        .external_files = (int)o->external_files,
        .file_bytes = o->limits->file_bytes,
        .text_bytes = o->limits->text_bytes,
        .bound = s->bound,
        .num_bound = s->num_bound,
        .values = s->values,
        .num_values = s->num_values,
        .may_alias = s->may_alias,
        .num_may_alias = s->num_may_alias,
        .node_classes = p->engine->nodes.classes.items,
        .num_node_classes = (uint32_t)p->engine->nodes.classes.count,
        .expansions = p->engine->registry.expansions.items,
        .num_expansions = p->engine->registry.expansions.count,
        .added = &p->engine->registry.added,
        .members = &p->engine->registry.members,
        .alignment = s->alignment,
        .emit = what,
        .device = what >= CODEGEN_EMIT_CUDA || s->device,
        .device_why = s->device_why,
        .passes = signature_passes(p, s),
        .tuned = s->tuned,
        .device_load = device_code_load,
        .device_store = device_code_store,
        .device_user = p->engine,
        .tier = tier,
        .exports = s->exports,
        .phase = &p->engine->phase,
        .dump = engine_dump,
        .dump_user = p->engine,
        .runtime_symbol = sdfg_rt_symbol,
#define CODE(field, name, type)       .name = (type)o->field,
#define WATCH(field, name, type, why) .name = (type)o->field,
#define OTHER(field)
#include "engine/options.def"
    };
    *out = (struct codegen_result){ 0 };
    if (!take_arch(p->engine, &request, error)) {
        if (request.graph)
            ir_free(request.graph->ir);
        return false;
    }
    take_libraries(p->engine, &request);
    bool stack = stack_call(generate, &(struct generation){ api, &request, out });
    atomic_store(&p->engine->phase, NULL);
    if (!stack) {
        *error = error_stack(SDFG_STAGE_COMPILE);
        if (request.graph)
            ir_free(request.graph->ir);
        return false;
    }
    if (out->ok)
        return true;
    struct cleanup made;
    cleanup_push(&made, give_back, &(struct made){ api, out });
    *error = out->memory ? error_memory(SDFG_STAGE_COMPILE) : error_from_messages(out->messages, out->num_messages);
    if (!*error)
        *error = error_of(SDFG_STAGE_COMPILE, DIAG_BUG, "code generation failed without a reason");
    cleanup_pop(&made);
    api->release(out);
    return false;
}

static void add_phase(struct sdfg_kernel *k, const char *name, double seconds, double budget)
{
    k->phases[k->num_phases++] = (sdfg_phase){ .name = name, .seconds = seconds, .budget = budget };
}

struct event_text {
    const struct signature *signature;
    const char *reason;
    struct arena *arena;
    const char *text;
};

static void print_event(void *event)
{
    struct event_text *e = event;
    struct arena *a = arena_new();
    struct text t = text_new(a);
    signature_print(e->signature, &t);
    if (e->reason)
        text_printf(&t, ": %s", e->reason);
    e->text = text_get(&t);
    e->arena = a;
}

void kernel_event(const struct sdfg_program *p, enum sdfg_event_kind kind, const struct signature *s,
                  const char *reason, double seconds)
{
    const sdfg_options *o = &p->engine->options;
    if (!o->event)
        return;
    struct event_text e = { s, reason, NULL, NULL };
    bool known = guard_run(print_event, &e, NULL); /* without memory it is told without a text */
    o->event(o->event_user, &(sdfg_event){ sizeof(sdfg_event), kind, p, known ? e.text : "", seconds });
    arena_free(e.arena);
}

static bool kernel_compile(struct sdfg_kernel *k, const struct signature *s, const char *reason, enum sdfg_tier tier,
                           sdfg_error **error)
{
    kernel_event(k->program, SDFG_EVENT_COMPILING, s, reason, 0);
    double opening;
    if (!compile(k->program, s, CODEGEN_EMIT_CODE, tier, &k->code, &opening, error))
        return false;
    k->quick = k->code.quick;
    k->phases = NEW_ARRAY(k->arena, sdfg_phase, k->code.num_phases + 1);
    add_phase(k, "open", opening, 0);
    for (uint32_t i = 0; i < k->code.num_phases; i++)
        add_phase(k, k->code.phases[i].name, k->code.phases[i].seconds, k->code.phases[i].budget);
    return true;
}

static const char *tier_name(const struct sdfg_kernel *k) { return k->quick ? "compiled quickly" : "compiled"; }

static bool load_tier(struct sdfg_kernel *k, const char *key, bool quick)
{
    struct disk *d = k->program->engine->disk;
    if (!disk_load(d, key, k))
        return false;
    k->quick = quick;
    k->from_disk = true;
    k->origin = arena_printf(k->arena, "read from %s%s", cache_path(disk_store_of(d), key, strlen(key), k->arena),
                             quick ? "; it is quick code" : "");
    return true;
}

/* Optimized code first; quick code if that would be compiled, too. A miss counts once. */
static bool load(struct sdfg_kernel *k, const char *const keys[2], enum sdfg_tier tier)
{
    struct cache_store *s = disk_store_of(k->program->engine->disk);
    if (tier == SDFG_TIER_AUTO)
        return (cache_has(s, keys[0], strlen(keys[0])) && load_tier(k, keys[0], false)) || load_tier(k, keys[1], true);
    return load_tier(k, keys[tier == SDFG_TIER_QUICK], tier == SDFG_TIER_QUICK);
}

static void unlock(void *lock) { cache_unlock(lock); }

static bool was_loaded(struct sdfg_kernel *k, double start)
{
    disk_store_interface(k->program->engine->disk, k->program);
    k->phases = NEW_ARRAY(k->arena, sdfg_phase, 1);
    add_phase(k, "disk", now() - start, 0);
    return true;
}

/* Without reading what is not there, which would count as a miss. */
static bool kernel_find(struct sdfg_kernel *k, const char *const keys[2], enum sdfg_tier tier, double start)
{
    struct cache_store *s = disk_store_of(k->program->engine->disk);
    const char *key = keys[tier == SDFG_TIER_QUICK];
    bool there = cache_has(s, key, strlen(key)) || (tier == SDFG_TIER_AUTO && cache_has(s, keys[1], strlen(keys[1])));
    return there && load(k, keys, tier) && was_loaded(k, start);
}

/* From disk, or compiled and then kept there. Who waits for another process waits for either tier. `reason` NULL: from
 * disk only. */
static bool kernel_make(struct sdfg_kernel *k, const struct signature *s, const char *reason, enum sdfg_tier tier,
                        sdfg_error **error)
{
    struct disk *d = k->program->engine->disk;
    const char *why = s->trial ? "it is measured only" : k->program->engine->disk_off, *keys[2] = { NULL, NULL };
    double start = now();
    for (int quick = 0; d && !s->trial && quick < 2; quick++)
        keys[quick] = disk_key(d, k->program, s, quick, k->arena, &why);
    if (!reason)
        return keys[0] && kernel_find(k, keys, tier, start);
    if (!keys[0]) {
        bool ok = kernel_compile(k, s, reason, tier, error);
        k->origin = arena_printf(k->arena, "%s: %s; the disk cache is not used: %s", tier_name(k), reason, why);
        return ok;
    }
    const char *lock_key = keys[tier == SDFG_TIER_QUICK];
    struct cache_lock lock = { 0 };
    struct cleanup locked;
    cleanup_push(&locked, unlock, &lock);
    if (load(k, keys, tier) ||
        (cache_lock(disk_store_of(d), lock_key, strlen(lock_key), &lock) && load(k, keys, tier))) {
        cleanup_pop(&locked);
        cache_unlock(&lock);
        return was_loaded(k, start);
    }
    if (kernel_compile(k, s, reason, tier, error)) {
        const char *key = keys[k->quick], *file = cache_path(disk_store_of(d), key, strlen(key), k->arena);
        k->origin = arena_printf(k->arena, "%s: %s; there was no %s", tier_name(k), reason, file);
        cleanup_pop(&locked);
        disk_store(d, key, k, lock);
        return true;
    }
    cleanup_pop(&locked);
    cache_unlock(&lock);
    return false;
}

struct signature signature_copy(const struct signature *s, struct arena *a)
{
    struct signature copy = *s;
    copy.bound = arena_copy(a, s->bound, s->num_bound * sizeof *s->bound);
    copy.may_alias = arena_copy(a, s->may_alias, s->num_may_alias * sizeof *s->may_alias);
    copy.passes = s->passes ? arena_strdup(a, s->passes) : NULL;
    return copy;
}

static void release_code(struct sdfg_kernel *k)
{
    if (k->placed)
        place_free(k->placed);
    else
        k->program->engine->codegen->release(&k->code);
    k->placed = NULL;
}

static void free_half_made(void *kernel)
{
    struct sdfg_kernel *k = kernel;
    if (k->placed || k->code.owner)
        kernel_free(k);
}

/* Nothing of a failed kernel is left but its arena. */
static bool make_and_load(struct sdfg_kernel *k, const struct signature *s, const char *reason, enum sdfg_tier tier,
                          sdfg_error **error)
{
    if (!kernel_make(k, s, reason, tier, error))
        return false;
    k->objects = kernel_objects_text(k, k->arena);
    if (kernel_load_kept(k, error))
        return true;
    release_code(k);
    return false;
}

struct sdfg_kernel *kernel_new(struct sdfg_program *p, const struct signature *s, const char *reason,
                               enum sdfg_tier tier, sdfg_error **error)
{
    GUARDED((*error = error_memory(SDFG_STAGE_COMPILE), NULL));
    double start = now();
    struct arena *a = arena_new();
    struct sdfg_kernel *k = NEW(a, struct sdfg_kernel);
    struct cleanup half_made;
    *k = (struct sdfg_kernel){ .program = p, .arena = a, .num_bound = s->num_bound };
    cleanup_push(&half_made, free_half_made, k);
    k->signature = signature_copy(s, a);
    if (!make_and_load(k, s, reason, tier, error)) {
        if (*error)
            kernel_event(p, SDFG_EVENT_FAILED, s, sdfg_error_message(*error), now() - start);
        cleanup_pop(&half_made);
        arena_free(a);
        return NULL;
    }
    const struct codegen_result *code = &k->code;
    k->params = NEW_ARRAY(a, sdfg_param, code->num_params);
    k->takes = NEW_ARRAY(a, struct taken, code->num_params);
    for (uint32_t i = 0; i < code->num_params; i++) {
        k->params[i] =
            (sdfg_param){ sizeof(sdfg_param), code->params[i].name, code->params[i].type, code->params[i].by_value };
        k->takes[i] =
            (struct taken){ program_lookup(p, code->params[i].name), sdfg_dtype_by_name(code->params[i].type) };
    }
    k->bound = NEW_ARRAY(a, sdfg_symbol, s->num_bound);
    for (uint32_t i = 0; i < s->num_bound; i++)
        k->bound[i] = (sdfg_symbol){ arena_strdup(a, s->bound[i].name), s->bound[i].value };
    k->compile_seconds = now() - start;
    cleanup_pop(&half_made);
    arena_keep(a); /* of the table, from where any thread may drop it */
    kernel_event(p, k->from_disk ? SDFG_EVENT_READ : SDFG_EVENT_COMPILED, s, NULL, k->compile_seconds);
    return k;
}

void kernel_free(struct sdfg_kernel *k)
{
    kernel_unload_kept(k);
    release_code(k);
    arena_free(k->arena);
}

size_t kernel_bytes(const struct sdfg_kernel *k)
{
    return arena_bytes(k->arena) + (k->placed ? place_memory(k->placed) : k->code.kept_bytes);
}

sdfg_error *kernels_cost(struct sdfg_program *p, const struct signature *s, struct codegen_cost *out)
{
    struct codegen_result result;
    sdfg_error *error;
    if (!compile(p, s, CODEGEN_EMIT_WORK, SDFG_TIER_FULL, &result, NULL, &error))
        return error;
    *out = result.cost;
    p->engine->codegen->release(&result);
    return NULL;
}

sdfg_error *kernels_tree(struct sdfg_program *p, const struct signature *s, struct arena *a, const char **tree,
                         const char **noticed)
{
    struct codegen_result result;
    sdfg_error *error;
    if (!compile(p, s, CODEGEN_EMIT_TREE, SDFG_TIER_FULL, &result, NULL, &error))
        return error;
    *tree = arena_strndup(a, result.text, result.text_size);
    *noticed = result.noticed ? arena_strdup(a, result.noticed) : NULL;
    p->engine->codegen->release(&result);
    return NULL;
}

sdfg_error *kernels_emit(struct sdfg_program *p, const struct signature *s, enum codegen_emit what, char **out,
                         size_t *size)
{
    struct codegen_result result;
    sdfg_error *error;
    bool quick = p->engine->options.tier == SDFG_TIER_QUICK;
    if (!compile(p, s, what, quick ? SDFG_TIER_QUICK : SDFG_TIER_FULL, &result, NULL, &error))
        return error;
    const struct text text = { .data = result.text, .length = result.text_size };
    error = give_text(out, &text, size, NULL);
    p->engine->codegen->release(&result);
    return error;
}
