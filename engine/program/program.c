#include "engine/program/program.h"

#include "base/fatal.h"
#include "base/near.h"
#include "base/sized.h"
#include "base/stack.h"
#include "engine/call/handle.h"
#include "engine/kernels/choose.h"
#include "engine/kernels/disk.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/policy.h"
#include "engine/kernels/tiers.h"
#include "engine/program/interface.h"
#include "engine/program/python.h"
#include "engine/program/workspace.h"
#include "engine/tune/known.h"
#include "ir/json/json.h"
#include "runtime/abi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void sdfg_program_stats(sdfg_program *p, sdfg_stats *out)
{
    if (!p || !out)
        return;
    sdfg_stats s = kernels_stats(p->kernels);
    s.memory_peak = sdfg_rt_pool_peak(p->pool);
    sized_give(out, &s, sizeof s);
}

/* Also of one that is half made. */
static void program_release(void *program)
{
    sdfg_program *p = program;
    struct sdfg_engine *e = p->engine;
    tiers_forget(e->tiers, p);
    handles_free(p->handles);
    known_free(p->known);
    sdfg_rt_pool_free(p->pool);
    sdfg_rt_data_free(p->data);
    kernels_free(p->kernels);
    policy_free(p->policy);
    choices_free(p->choices);
    sdfg_error_free(p->warnings);
    struct sdfg *graph = p->root ? p->root : atomic_load(&p->graph);
    if (graph)
        ir_free(graph->ir);
    ir_free(p->ir);
    engine_let_go(e);
}

void program_hold(struct sdfg_program *p) { atomic_fetch_add_explicit(&p->holders, 1, memory_order_relaxed); }

void program_let_go(struct sdfg_program *p)
{
    if (atomic_fetch_sub_explicit(&p->holders, 1, memory_order_acq_rel) == 1)
        program_release(p);
}

static void find_external(void *found, struct sdfg *s)
{
    bool *external = found;
    *external |= s->parent && s->parent->ext_path;
}

/* The graph, and what calls need to know of it, both in p->ir. */
static bool read_graph(struct sdfg_program *p)
{
    uint32_t external;
    if (p->tree)
        p->root = sdfg_read_json(p->ir, p->tree, p->folder, &external);
    if (!p->root || !sdfg_validate(p->root) || !program_describe(p))
        return false;
    p->name = p->root->name ? p->root->name : "";
    p->dace_version = p->root->dace_version ? p->root->dace_version : "";
    const char *hash = json_string(json_get(json_get(p->root->json, "attributes"), "hash"));
    p->hash = hash ? hash : "";
    p->in_key = handles_key(p);
    sdfg_each(p->root, find_external, &p->external);
    workspace_find(p);
    return true;
}

/* The interface leaves the graph, which a compilation may then change and free. It stays where it is if the record
 * cannot hold it (vectors of vectors, more than DEEPEST nested graphs in engine/program/interface.c). */
static void part_with_graph(struct sdfg_program *p)
{
    const struct sdfg_program as_it_was = *p;
    struct sdfg *graph = p->root;
    p->record = text_new(p->ir->arena);
    interface_write(p, &p->record);
    if (!interface_read(p, text_get(&p->record), p->record.length)) {
        *p = as_it_was;
        return;
    }
    sdfg_error_free(as_it_was.warnings);
    graph->ir->diags = diags_new(graph->ir->arena); /* the warnings in there belong to loading */
    p->root = NULL;
    atomic_store(&p->graph, graph);
}

/* The graph goes with the guard that it was read under, before the program does. */
struct half_read {
    struct sdfg_program *program;
    struct ir *own;
};

static void forget_graph(void *half_read)
{
    struct half_read *h = half_read;
    h->program->ir = h->own;
    h->program->root = NULL;
    h->program->warnings = NULL;
    atomic_store(&h->program->graph, NULL);
}

struct ir *program_ir(const struct sdfg_engine *e)
{
    struct ir *ir = ir_new();
    ir->limits = engine_limits(e);
    enums_extend(ir, &e->registry.members);
    return ir;
}

/* NULL: good. Warnings stay with the program. */
static sdfg_error *read_here(struct sdfg_program *p, const struct program_text *t)
{
    struct ir *own = p->ir, *graph = t->built ? t->built->ir : program_ir(p->engine);
    struct cleanup begun;
    cleanup_push(&begun, forget_graph, &(struct half_read){ p, own });
    p->root = t->built;
    if (!t->built) {
        diags_file(graph->diags, t->file);
        p->tree = sdfg_parse(own->arena, graph->diags, p->json, p->json_size, &graph->limits);
        diags_file(graph->diags, NULL);
    }
    p->ir = graph;
    bool good = read_graph(p);
    p->ir = own;
    sdfg_error *said = error_from_diags(graph->diags, SDFG_STAGE_LOAD);
    if (!good) {
        p->root = NULL;
        cleanup_pop(&begun);
        ir_free(graph);
        return said;
    }
    p->warnings = said;
    if (!p->external)
        part_with_graph(p);
    cleanup_pop(&begun);
    return NULL;
}

struct reading {
    struct sdfg_program *program;
    const struct program_text *text;
    sdfg_error *error;
};

static void read_now(void *reading)
{
    struct reading *r = reading;
    r->error = read_here(r->program, r->text);
}

/* On a stack that all readers fit into. */
static sdfg_error *read_program(struct sdfg_program *p, const struct program_text *t)
{
    struct reading r = { p, t, NULL };
    return stack_call(read_now, &r) ? r.error : error_stack(SDFG_STAGE_LOAD);
}

/* NULL is no failure, but the caller's allocator must be heard. */
static struct sdfg_rt_pool *pool_new(const sdfg_options *o)
{
    struct sdfg_rt_pool *pool = sdfg_rt_pool_new();
    if (!o->allocate)
        return pool;
    if (!pool)
        fatal_memory();
    struct sdfg_rt_allocator a = { .allocate = o->allocate, .release = o->release, .user = o->allocator_user };
    sdfg_rt_pool_allocator(pool, &a);
    return pool;
}

static struct sdfg_rt_data *data_new(const sdfg_options *o)
{
    if (!o->save_data && !o->restore_data)
        return NULL;
    struct sdfg_rt_data *data = sdfg_rt_data_new(o->save_data, o->restore_data);
    if (!data)
        fatal_memory();
    return data;
}

sdfg_error *program_load(sdfg_program **out, sdfg_engine *e, struct ir *ir, const struct program_text *t)
{
    sdfg_program *p = NEW(ir->arena, sdfg_program);
    struct cleanup half_made;
    *p = (sdfg_program){ .engine = e, .holders = 1, .ir = ir, .json = t->json, .json_size = t->size };
    engine_hold(e);
    cleanup_push(&half_made, program_release, p);
    if (e->disk)
        cache_hash_text(cache_hash(t->json, t->size), p->content);
    if (e->disk && t->meaning)
        cache_hash_text(cache_hash(t->meaning, t->meaning_size), p->meaning);
    p->folder = t->folder ? arena_strdup(ir->arena, t->folder) : NULL;
    bool known = e->disk && disk_load_interface(e->disk, p);
    if (known && t->built)
        ir_free(t->built->ir);
    sdfg_error *error = known ? NULL : read_program(p, t);
    if (error) {
        cleanup_pop(&half_made);
        program_release(p);
        return error;
    }
    p->kernels = kernels_new(p);
    p->policy = policy_new(p);
    p->choices = choices_new(p);
    p->handles = handles_new(p);
    p->known = known_new();
    p->pool = pool_new(&e->options);
    p->data = data_new(&e->options);
    cleanup_pop(&half_made);
    *out = p;
    return NULL;
}

static uint64_t program_bytes(const sdfg_engine *e)
{
    uint64_t most = e->options.limits->file_bytes;
    return most ? most : READ_BYTES;
}

sdfg_error *sdfg_program_load(sdfg_program **out, sdfg_engine *e, const char *json, size_t size, const char *folder)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(e);
    NEEDS(json);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    if (size > program_bytes(e))
        return error_of(SDFG_STAGE_LOAD, DIAG_FILE_SIZE, "the program", (unsigned long long)program_bytes(e));
    struct ir *ir = ir_new();
    registry_complete(e);
    char *text = arena_strndup(ir->arena, json, size);
    return program_load(out, e, ir, &(struct program_text){ .json = text, .size = size, .folder = folder });
}

/* The paths of the files that the program was read from, in memory that lives as long as the program: what was read of
 * them may go when it is loaded. */
static const char **sources_of(const struct python_reading *r, uint32_t *count)
{
    struct arena *a = r->ir->arena;
    const char **paths = NEW_ARRAY(a, const char *, r->imports.files.count + 1);
    *count = 0;
    if (strcmp(r->file, "<stdin>") != 0 && strcmp(r->path, "-") != 0)
        paths[(*count)++] = arena_strdup(a, r->file);
    for (uint32_t i = 0; i < r->imports.files.count; i++)
        if (r->imports.files.items[i].bytes)
            paths[(*count)++] = arena_strdup(a, r->imports.files.items[i].path);
    return paths;
}

const char *sdfg_program_source(const sdfg_program *p, size_t index)
{
    return p && index < p->sources.count ? p->sources.items[index] : NULL;
}

/* What was found in a Python program of which there is no graph. */
static sdfg_error *said_without_graph(const struct python_reading *r)
{
    if (!r->graph_ir || r->built)
        return NULL;
    sdfg_error *said = error_from_diags(r->graph_ir->diags, SDFG_STAGE_LOAD);
    ir_free(r->graph_ir);
    return said;
}

sdfg_error *sdfg_program_load_file(sdfg_program **out, sdfg_engine *e, const char *path)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(e);
    NEEDS(path);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    struct ir *ir = ir_new();
    registry_complete(e);
    struct python_reading r = {
        .ir = ir, .path = path, .options = e->options.python, .most = program_bytes(e), .disk = e->disk, .file = path
    };
    bool stack = true, python = python_names(path);
    if (python) {
        r.graph_ir = program_ir(e);
        stack = python_read(&r);
        atomic_fetch_add(&e->parsed, r.parsed);
    } else {
        r.json = file_read_most(ir->arena, ir->diags, path, &r.size, r.most);
        r.graph = true;
    }
    sdfg_error *said = said_without_graph(&r);
    if (!r.json) {
        sdfg_error *error =
            stack ? error_join(error_from_diags(ir->diags, SDFG_STAGE_LOAD), said) : error_stack(SDFG_STAGE_LOAD);
        ir_free(ir);
        return error;
    }
    const char *slash = strrchr(path, '/');
    struct program_text text = { .json = r.json, .size = r.size, .built = r.built };
    text.folder = slash ? arena_strndup(ir->arena, path, (size_t)(slash - path) + 1) : ".";
    text.file = !r.graph ? NULL : python ? "<stdin>" : path;
    uint32_t num_sources;
    const char **sources = sources_of(&r, &num_sources);
    sdfg_error *error = program_load(out, e, ir, &text);
    if (error)
        return error;
    (*out)->disjoint = (*out)->written = !r.graph;
    for (uint32_t i = 0; i < num_sources; i++)
        vec_push((*out)->ir->arena, &(*out)->sources, sources[i]);
    return NULL;
}

void sdfg_program_free(sdfg_program *p)
{
    if (p && !atomic_exchange(&p->freed, true))
        program_let_go(p);
}

/* ---- names ---- */

static const struct leaf *find_in(const struct leaf *list, uint32_t count, const char *name, size_t length)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strncmp(list[i].name, name, length) && !list[i].name[length])
            return &list[i];
    return NULL;
}

const struct leaf *program_lookup(const struct sdfg_program *p, const char *name)
{
    size_t length = strcspn(name, ".[");
    const struct leaf *l = find_in(p->arguments, p->num_arguments, name, length);
    const char *at = name + length;
    while (l && *at) {
        if (*at == '.') {
            length = strcspn(++at, ".[");
            l = l->kind == SDFG_KIND_STRUCTURE ? find_in(l->members, l->num_members, at, length) : NULL;
            at += length;
        } else {
            char *end;
            strtoul(at + 1, &end, 10);
            l = l->kind == SDFG_KIND_CONTAINER_ARRAY && l->num_members == 1 && end > at + 1 && *end == ']' ? l->members
                                                                                                           : NULL;
            at = end + 1;
        }
    }
    return l;
}

const struct leaf *program_find(const struct sdfg_program *p, const char *name, struct diags *d)
{
    const struct leaf *l = program_lookup(p, name);
    if (!l) {
        struct arena *a = arena_new();
        diag_error(d, NULL, DIAG_ARGUMENT_UNKNOWN, name, program_suggest(p, a, name));
        arena_free(a);
    }
    return l;
}

const char *program_suggest(const struct sdfg_program *p, struct arena *a, const char *name)
{
    struct near n = near_begin(name);
    for (uint32_t i = 0; i < p->num_arguments; i++)
        near_try(&n, p->arguments[i].name);
    return *n.best ? arena_printf(a, " (did you mean '%s'?)", n.best) : "";
}

int32_t program_variable(const struct sdfg_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->num_variables; i++)
        if (!strcmp(p->variables[i].name, name))
            return (int32_t)i;
    return -1;
}
