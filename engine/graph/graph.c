#include "engine/graph/graph.h"

#include "base/stack.h"
#include "ir/json/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- elements ---- */

struct sdfg_element *graph_element(struct sdfg_graph *g, enum element_kind kind, void *any)
{
    struct sdfg_element *e = NEW(g->ir->arena, struct sdfg_element);
    *e = (struct sdfg_element){ .kind = kind, .graph = g, .any = any };
    return e;
}

const struct place *graph_place(const struct sdfg_element *e)
{
    switch (e->kind) {
    case ELEMENT_CONTAINER:
        return &e->container->place;
    case ELEMENT_TRANSITION:
        return &e->transition->place;
    case ELEMENT_NODE:
        return &e->node->place;
    case ELEMENT_EDGE:
        return &e->edge->place;
    default:
        return &e->block->place;
    }
}

struct sdfg_element *graph_no_memory(struct sdfg_graph *g)
{
    g->outermost->memory = true;
    return NULL;
}

bool graph_has(struct sdfg_graph *g, const char *text, const char *function, const char *parameter)
{
    return text || diag_error(g->ir->diags, &g->sdfg->region.block.place, DIAG_NULL_PARAMETER, function, parameter);
}

bool graph_is_name(struct sdfg_graph *g, const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    if (*name && strspn(name, letters) == strlen(name) && !strchr("0123456789", *name))
        return true;
    return diag_error(g->ir->diags, &g->sdfg->region.block.place, DIAG_READ_NAME, name);
}

/* ---- graphs ---- */

struct sdfg_graph *graph_new(struct ir *ir, struct sdfg_graph *outermost, const char *name)
{
    struct sdfg_graph *g = NEW(ir->arena, struct sdfg_graph);
    *g = (struct sdfg_graph){ .outermost = outermost ? outermost : g, .ir = ir, .sdfg = build_sdfg(ir, name) };
    g->body = (struct sdfg_element){ .kind = ELEMENT_BODY, .graph = g, .block = &g->sdfg->region.block };
    graph_is_name(g, name);
    return g;
}

sdfg_error *sdfg_graph_new(sdfg_graph **out, sdfg_engine *e, const char *name)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(name);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    struct ir *ir = ir_new();
    sdfg_graph *g = graph_new(ir, NULL, name);
    if (e) {
        registry_complete(e);
        enums_extend(ir, &e->registry.members);
        engine_hold(e);
        g->engine = e;
    }
    *out = g;
    return NULL;
}

void sdfg_graph_free(sdfg_graph *g)
{
    if (!g || g->outermost != g)
        return;
    sdfg_engine *e = g->engine;
    ir_free(g->ir);
    if (e)
        engine_let_go(e);
}

sdfg_graph *sdfg_graph_inner(sdfg_graph *g, const char *name)
{
    if (!g)
        return NULL;
    GUARDED((graph_no_memory(g), NULL));
    return graph_has(g, name, __func__, "name") ? graph_new(g->ir, g->outermost, name) : NULL;
}

/* ---- graphs from texts ---- */

struct reading {
    struct ir *ir;
    const char *json;
    size_t size;
    struct sdfg *sdfg;
};

static void read_now(void *reading)
{
    struct reading *r = reading;
    r->sdfg = sdfg_read(r->ir, r->json, r->size, NULL);
}

void sdfg_graph_read(sdfg_graph *g, const char *json, size_t size)
{
    if (!g)
        return;
    GUARDED((void)graph_no_memory(g));
    struct sdfg *s = g->sdfg;
    struct diags *d = g->ir->diags;
    const struct place *here = &s->region.block.place;
    struct reading r = { .ir = g->ir, .json = json, .size = size };
    uint32_t before = diags_count(d);
    if (!graph_has(g, json, __func__, "json"))
        return;
    if (s->containers.count || s->symbols.count || s->constants.count || s->region.blocks.count || s->parent) {
        diag_error(d, here, DIAG_BUILD_FILLED, __func__, s->name);
    } else if (!stack_call(read_now, &r)) {
        diag_error(d, here, DIAG_STACK, (unsigned)(stack_bytes >> 20), strerror(errno));
    } else if (r.sdfg) {
        diags_reset(d, before); /* warnings, which would count as mistakes */
        g->sdfg = r.sdfg;
        g->body.block = &r.sdfg->region.block;
    }
}

/* ---- what a graph becomes ---- */

static void copy_errors(struct diags *to, const struct ir *ir)
{
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        diag_copy(to, diags_get(ir->diags, i));
}

struct writing {
    struct sdfg_graph *graph;
    struct text *text;
    struct diags *diags;
    bool ok;
};

static void write_now(void *writing)
{
    struct writing *w = writing;
    struct ir *ir = w->graph->ir;
    uint32_t kept = diags_count(ir->diags);
    w->ok = build_finish(w->graph->sdfg);
    if (w->ok)
        sdfg_write(w->graph->sdfg, w->text);
    else
        copy_errors(w->diags, ir);
    diags_reset(ir->diags, kept);
}

bool graph_write(struct sdfg_graph *g, struct text *text, struct diags *d)
{
    struct writing w = { .graph = g->outermost, .text = text, .diags = d };
    if (g->outermost->memory)
        return diag_error(d, NULL, DIAG_MEMORY);
    if (!stack_call(write_now, &w))
        return diag_error(d, NULL, DIAG_STACK, (unsigned)(stack_bytes >> 20), strerror(errno));
    return w.ok;
}

struct graph_checking {
    const struct text *text;
    const enum_members *members;
    struct diags *diags;
};

static void check_now(void *checking)
{
    const struct graph_checking *c = checking;
    struct ir *ir = ir_new();
    enums_extend(ir, c->members);
    struct sdfg *s = sdfg_read(ir, c->text->data, c->text->length, NULL);
    if (!s || !sdfg_validate(s))
        copy_errors(c->diags, ir);
    ir_free(ir);
}

/* The text of a valid graph. */
static bool checked_text(struct sdfg_graph *g, struct text *text, struct diags *d)
{
    const sdfg_engine *e = g->outermost->engine;
    struct graph_checking c = { text, e ? &e->registry.members : NULL, d };
    if (!graph_write(g, text, d))
        return false;
    if (!stack_call(check_now, &c))
        return diag_error(d, NULL, DIAG_STACK, (unsigned)(stack_bytes >> 20), strerror(errno));
    return diags_errors(d) == 0;
}

sdfg_error *sdfg_graph_check(sdfg_graph *g)
{
    NEEDS(g);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    struct report r = report_begin();
    struct text text = text_new(r.arena);
    checked_text(g, &text, r.diags);
    return report_end(&r, SDFG_STAGE_LOAD);
}

sdfg_error *sdfg_graph_text(char **out, size_t *size, sdfg_graph *g)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(g);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    struct report r = report_begin();
    struct text text = text_new(r.arena);
    sdfg_error *error = NULL;
    if (checked_text(g, &text, r.diags))
        error = give_text(out, &text, size, NULL);
    sdfg_error *said = report_end(&r, SDFG_STAGE_LOAD);
    return said ? said : error;
}

/* False with errno. */
static bool write_file(const char *path, const struct text *text)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return false;
    bool ok = fwrite(text->data, 1, text->length, f) == text->length;
    return !fclose(f) && ok;
}

sdfg_error *sdfg_graph_save(sdfg_graph *g, const char *path)
{
    NEEDS(g);
    NEEDS(path);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    struct report r = report_begin();
    struct text text = text_new(r.arena);
    if (checked_text(g, &text, r.diags) && !write_file(path, &text))
        diag_error(r.diags, NULL, DIAG_FILE_WRITE, path, strerror(errno));
    return report_end(&r, SDFG_STAGE_LOAD);
}

sdfg_error *sdfg_graph_load(sdfg_program **out, sdfg_engine *e, sdfg_graph *g)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(e);
    NEEDS(g);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    struct report r = report_begin();
    struct text text = text_new(r.arena);
    sdfg_error *error = NULL;
    if (graph_write(g, &text, r.diags)) /* loading checks it */
        error = sdfg_program_load(out, e, text.data, text.length, NULL);
    sdfg_error *said = report_end(&r, SDFG_STAGE_LOAD);
    return said ? said : error;
}

/* ---- containers, symbols ---- */

sdfg_element *sdfg_graph_container(sdfg_graph *g, enum sdfg_container_kind kind, const char *name, const char *type,
                                   const char *shape)
{
    static const enum container_kind kinds[] = {
        [SDFG_CONTAINER_ARRAY] = CONTAINER_ARRAY,   [SDFG_CONTAINER_TRANSIENT] = CONTAINER_ARRAY,
        [SDFG_CONTAINER_SCALAR] = CONTAINER_SCALAR, [SDFG_CONTAINER_STREAM] = CONTAINER_STREAM,
        [SDFG_CONTAINER_VIEW] = CONTAINER_VIEW,     [SDFG_CONTAINER_REFERENCE] = CONTAINER_REFERENCE
    };
    MAKES(g);
    if (!graph_has(g, name, __func__, "name") || !graph_has(g, type, __func__, "type") || !graph_is_name(g, name))
        return NULL;
    if ((unsigned)kind > SDFG_CONTAINER_REFERENCE) {
        diag_error(g->ir->diags, &g->sdfg->region.block.place, DIAG_BUILD_KIND, name, "enum sdfg_container_kind");
        return NULL;
    }
    bool one = kind == SDFG_CONTAINER_SCALAR || (kind == SDFG_CONTAINER_STREAM && !shape);
    if (!one && !graph_has(g, shape, __func__, "shape"))
        return NULL;
    struct container *c = build_container(g->sdfg, kinds[kind], name, type, one ? "1" : shape);
    c->transient = kind != SDFG_CONTAINER_ARRAY && kind != SDFG_CONTAINER_SCALAR;
    if (kind == SDFG_CONTAINER_TRANSIENT)
        c->optional = 0;
    return graph_element(g, ELEMENT_CONTAINER, c);
}

sdfg_element *sdfg_graph_descriptor(sdfg_graph *g, const char *name, const char *json)
{
    MAKES(g);
    if (!graph_has(g, name, __func__, "name") || !graph_has(g, json, __func__, "json") || !graph_is_name(g, name))
        return NULL;
    struct container *c = build_descriptor(g->sdfg, name, json);
    return c ? graph_element(g, ELEMENT_CONTAINER, c) : NULL;
}

void sdfg_graph_symbol(sdfg_graph *g, const char *name, const char *type)
{
    if (!g)
        return;
    GUARDED((void)graph_no_memory(g));
    if (graph_has(g, name, __func__, "name") && graph_has(g, type, __func__, "type") && graph_is_name(g, name))
        build_symbol(g->sdfg, name, type);
}

void sdfg_graph_constant(sdfg_graph *g, const char *name, const char *type, const char *shape, const char *value)
{
    if (!g)
        return;
    GUARDED((void)graph_no_memory(g));
    if (graph_has(g, name, __func__, "name") && graph_has(g, type, __func__, "type") &&
        graph_has(g, value, __func__, "value") && graph_is_name(g, name))
        build_constant(g->sdfg, name, type, shape, value);
}

void sdfg_graph_arguments(sdfg_graph *g, const char *names)
{
    if (!g)
        return;
    GUARDED((void)graph_no_memory(g));
    build_arguments(g->sdfg, names);
}
