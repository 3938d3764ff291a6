/* Passes that connect the folders: reading, lowering, emitting, machine code. */
#include "engine/compile/compile.h"
#include "engine/compile/compile_target.h"

#include "base/near.h"
#include "ir/code/clang/clang.h"
#include "ir/passes/passes.h"
#include "lower/graph/target.h"
#include "lower/llvm/llvm.h"
#include "runtime/abi.h"

#include <string.h>

static struct jit_options jit_options_of(const struct compile *c)
{
    const struct codegen_request *r = c->request;
    const struct codegen_export *x = r->exports;
    return (struct jit_options){
        .triple = x ? x->triple : NULL,
        .cpu = x ? x->cpu : NULL,
        .features = x ? x->features : NULL,
        .opt_level = r->opt_level,
        .quick = c->quick,
        .debug_info = r->debug_info,
        .linker = (enum jit_linker)r->linker,
        .listeners = r->profiler,
        .remarks = c->ir->remarks,
        .runtime_symbol = r->runtime_symbol,
    };
}

/* Vectors as SVE has them on every processor, for tests: LLVM takes them apart. */
static void set_length(struct machine *m, const char *words)
{
    static const struct {
        const char *word;
        int32_t vscale;
    } lengths[] = { { "vscale1", 1 }, { "vscale2", 2 }, { "vscale4", 4 }, { "vscale16", 16 } };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (compile_is_word(words, lengths[i].word)) {
            m->scalable = true;
            m->vscale = lengths[i].vscale;
        }
}

static int64_t percent(int64_t number, int32_t setting) { return setting ? number * setting / 100 : number; }

/* What loops are tiled for, and what a parallel region costs, as the request wants it. */
static void set_machine(struct machine *m, const int32_t *settings)
{
    m->first_cache = percent(m->first_cache, settings[SETTING_caches]);
    m->second_cache = percent(m->second_cache, settings[SETTING_caches]);
    m->region = (int32_t)percent(m->region, settings[SETTING_region]);
}

bool pass_target(struct compile *c)
{
    struct jit_options o = jit_options_of(c);
    struct jit_names names = jit_names_of(c->ir->arena, &o);
    struct target_machine asked = { names.triple, names.cpu, names.features, .other = c->request->exports };
    cpu_target.machine(&cpu_target, &asked, &c->machine);
    set_length(&c->machine, c->request->debug_words);
    set_machine(&c->machine, c->settings);
    return true;
}

bool pass_read(struct compile *c)
{
    const struct codegen_request *r = c->request;
    uint32_t external = 0;
    c->ir->limits = (struct read_limits){ r->file_bytes, r->text_bytes, (enum read_external)r->external_files };
    c->sdfg = r->graph  ? r->graph
              : r->tree ? sdfg_read_json(c->ir, r->tree, r->folder, &external)
                        : sdfg_read(c->ir, r->json, r->json_size, r->folder);
    if (c->sdfg && (r->graph || r->tree) && !external) /* other files may have changed since */
        c->facts |= FACT_VALID;
    return c->sdfg != NULL;
}

bool pass_graph(struct compile *c) { return c->pass->graph(c->sdfg); }

bool pass_instrument(struct compile *c)
{
    const struct codegen_request *r = c->request;
    const char *with = r->instrument_with ? r->instrument_with : "Timer";
    struct near n = near_begin(with);
    bool found = false;
    for (uint32_t i = 0; i < r->added->num_providers; i++) {
        const sdfg_provider *p = r->added->providers[i].provider;
        if (p->enumeration != SDFG_ENUM_INSTRUMENT)
            continue;
        near_try(&n, p->name);
        found = found || !strcmp(p->name, with);
    }
    if (!found)
        return diag_error(c->ir->diags, NULL, DIAG_OPTION_VALUE, "instrument_with",
                          arena_printf(c->ir->arena, "is no kind of instrumentation that is provided: '%s'%s", with,
                                       *n.best ? arena_printf(c->ir->arena, " (did you mean '%s'?)", n.best) : ""));
    sdfg_instrument(c->sdfg, r->instrument, enum_by_name(c->ir, ENUM_INSTRUMENT, with));
    return true;
}

bool pass_parse_cpp(struct compile *c) { return clang_read_tasklets(c->sdfg); }

static struct tree_options tree_options_of(const struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct tree_options o = {
        .num_threads = r->num_threads,
        .plain = r->opt_level == 0,
        .strict_fp = r->fp == SDFG_FP_STRICT,
        .fast_fp = r->fp == SDFG_FP_FAST,
        .counting = r->emit == CODEGEN_EMIT_WORK,
        .check = r->check,
        .device = r->device,
        .cublas = r->cublas,
        .cusolver = r->cusolver,
        .cufft = r->cufft,
    };
    memcpy(o.settings, c->settings, sizeof o.settings);
    return o;
}

/* ---- lowering ---- */

static bool provider_wants(const struct lower_provider *p, const struct sdfg_rt_element *e, const char *name,
                           const char **why)
{
    const struct codegen_added *added = p->user;
    const sdfg_provider *own = added->providers[p->index].provider;
    sdfg_probe site = { sizeof site, name, e->region, e->state, e->node };
    bool of_data = p->kind == ENUM_DATA_INSTRUMENT;
    bool wanted = (!of_data || own->data) && (!own->wants || own->wants(own->user, &site));
    return wanted && added->provider_is_usable(added->user, p->index, why);
}

static void take_providers(const struct compile *c, struct lower_options *o)
{
    const struct codegen_added *added = c->request->added;
    uint32_t count = added->num_providers;
    struct lower_provider *out = NEW_ARRAY(c->ir->arena, struct lower_provider, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct codegen_provider *from = &added->providers[i];
        bool of_data = from->provider->enumeration == SDFG_ENUM_DATA_INSTRUMENT;
        out[i] = (struct lower_provider){
            .kind = of_data ? ENUM_DATA_INSTRUMENT : ENUM_INSTRUMENT,
            .name = from->provider->name,
            .owner = from->plugin ? arena_printf(c->ir->arena, "plug-in '%s'", from->plugin) : "the library",
            .wants = provider_wants,
            .user = added,
            .index = i,
        };
    }
    o->providers = out;
    o->num_providers = count;
}

bool pass_lower(struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct lower_bound *bound = NEW_ARRAY(c->ir->arena, struct lower_bound, r->num_bound + 1);
    for (uint32_t i = 0; i < r->num_bound; i++)
        bound[i] = (struct lower_bound){ r->bound[i].name, r->bound[i].value };
    struct lower_options *o = NEW(c->ir->arena, struct lower_options);
    *o = (struct lower_options){
        .machine = &c->machine,
        .bound = bound,
        .num_bound = r->num_bound,
        .may_alias = r->may_alias,
        .num_may_alias = r->num_may_alias,
        .node_classes = r->node_classes,
        .num_node_classes = r->num_node_classes,
        .exported = r->exports != NULL,
        .alignment = r->alignment,
        .device = r->device,
        .no_threads = r->num_threads == 1 && !r->device,
        .strict_fp = r->fp == SDFG_FP_STRICT,
        .timing = r->timing,
        .save_data = r->save_data,
        .restore_data = r->restore_data,
        .check = r->check,
    };
    compile_take_added(c->ir->arena, r->added, o);
    take_providers(c, o);
    c->tree_options = tree_options_of(c);
    c->targets = o->targets;
    return lower_program(c->sdfg, o, &c->tree);
}

bool pass_tree(struct compile *c) { return c->pass->tree(c->tree, &c->tree_options); }

static LLVMModuleRef new_module(void *user, const char *name) { return jit_module(user, CODE_MACHINE, name); }

static void decorate(void *user, LLVMValueRef function) { jit_function_attributes(user, function); }

/* An operation takes about 0.3 ns more in quick code (up to 3 ns in some loops); optimizing takes at least 4 ms and 50
 * us a statement more. Quick code is taken where it loses a small part of that: a program that is started often from
 * the disk cache pays the loss every time, and wins once. */
enum { OPERATIONS_FOR_NOTHING = 1000000, OPERATIONS_PER_STATEMENT = 20000 };

bool pass_tier(struct compile *c)
{
    const struct tree_estimate *e = &c->tree->estimate;
    c->quick = c->request->tier == SDFG_TIER_QUICK ||
               e->operations <= OPERATIONS_FOR_NOTHING + (double)OPERATIONS_PER_STATEMENT * e->statements;
    return true;
}

bool pass_jit(struct compile *c)
{
    c->jit_options = jit_options_of(c);
    c->jit = jit_new(c->ir->arena, c->ir->diags, &c->jit_options);
    return c->jit != NULL;
}

static const sdfg_symbol *bound_symbol(const struct codegen_request *r, const char *name)
{
    for (uint32_t i = 0; i < r->num_bound; i++)
        if (!strcmp(r->bound[i].name, name))
            return &r->bound[i];
    return NULL;
}

/* What the request says of exported functions, as the emitter wants it. */
static const struct llvm_export *exports(const struct compile *c)
{
    const struct codegen_request *r = c->request;
    const struct codegen_export *x = r->exports;
    if (!x)
        return NULL;
    struct arena *a = c->ir->arena;
    struct llvm_export *out = NEW(a, struct llvm_export);
    struct llvm_export_argument *arguments = NEW_ARRAY(a, struct llvm_export_argument, x->num_arguments);
    const char **storages = NEW_ARRAY(a, const char *, x->num_storages);
    int64_t *ids = NEW_ARRAY(a, int64_t, x->num_storages);
    for (uint32_t i = 0; i < x->num_arguments; i++) {
        const struct codegen_argument *from = &x->arguments[i];
        const sdfg_symbol *bound = bound_symbol(r, from->name);
        arguments[i] = (struct llvm_export_argument){
            .name = from->name,
            .type = from->value_type ? type_basic(c->ir, (enum type_kind)from->value_type) : NULL,
            .symbol = from->symbol,
            .bound = bound != NULL,
            .value = bound ? bound->value : 0,
        };
    }
    for (uint32_t i = 0; i < x->num_storages; i++) {
        storages[i] = x->storages[i].name;
        ids[i] = x->storages[i].id;
    }
    *out = (struct llvm_export){
        .name = x->name,
        .arguments = arguments,
        .num_arguments = x->num_arguments,
        .storages = storages,
        .storage_ids = ids,
        .num_storages = x->num_storages,
        .num_threads = r->num_threads,
    };
    return out;
}

enum { STATEMENTS_PER_UNIT = 1500 }; /* larger programs are compiled as several modules on several threads */

bool pass_emit(struct compile *c)
{
    const struct codegen_request *r = c->request;
    bool runs = r->emit == CODEGEN_EMIT_CODE || r->emit == CODEGEN_EMIT_REMARKS;
    struct llvm_options lo = {
        .fp = r->fp == SDFG_FP_STRICT ? LLVM_FP_STRICT
              : r->fp == SDFG_FP_FAST ? LLVM_FP_FAST
                                      : LLVM_FP_DEFAULT,
        .device = r->device,
        .image = c->device_image,
        .debug_info = r->debug_info,
        .remarks = c->ir->remarks,
        .places = c->places,
        /* up to 4 units in the last place: not for strict arithmetic, nor for objects that are linked elsewhere */
        .vector_symbol = r->fp != SDFG_FP_STRICT && runs ? r->runtime_symbol : NULL,
        .stoppable = !r->exports,
        .unit_budget = r->emit == CODEGEN_EMIT_CODE ? STATEMENTS_PER_UNIT : 0,
        .module = new_module,
        .decorate = decorate,
        .user = c->jit,
        .exports = exports(c),
    };
    return llvm_emit(c->tree, c->ir->diags, &lo);
}

bool pass_machine_code(struct compile *c) { return jit_compile(c->jit); }

bool pass_link(struct compile *c) { return jit_link(c->jit); }
