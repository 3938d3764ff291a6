#include "ir/write/write.h"

#include "base/number.h"
#include "ir/library.h"

#include <string.h>

static void write_connectors(struct writer *w, const char *key, const struct connector *items, uint32_t count,
                             const struct json *read)
{
    if (!count)
        return;
    json_begin(&w->json, key, '{');
    for (uint32_t i = 0; i < count; i++)
        if (items[i].inferred)
            json_write_null(&w->json, items[i].name);
        else
            write_type(w, items[i].name, items[i].type, json_get(read, items[i].name));
    json_end(&w->json, '}');
}

static void write_names(struct writer *w, const char *key, const char *const *items, uint32_t count)
{
    if (!count)
        return;
    json_begin(&w->json, key, '[');
    for (uint32_t i = 0; i < count; i++)
        json_write_string(&w->json, NULL, items[i]);
    json_end(&w->json, ']');
}

/* ---- attributes by kind; each gives the keys it has taken care of ---- */

static const char *const *write_access(struct writer *w, const struct access *a)
{
    static const char *const known[] = { "data", "setzero", "instrument", "instrument_condition", "access", NULL };
    json_write_key(&w->json, "data");
    json_write_string(&w->json, NULL, a->name);
    write_flag(w, "setzero", a->setzero, false);
    write_enum(w, "instrument", a->instrument, DATA_INSTRUMENT_NONE);
    write_gate(w, "instrument_condition", &a->instrument_condition);
    return known;
}

static const char *const *write_tasklet(struct writer *w, const struct tasklet *t)
{
    static const char *const known[] = { "label",     "code",         "language",     "code_global", "code_init",
                                         "code_exit", "state_fields", "side_effects", "instrument",  NULL };
    json_write_key(&w->json, "label");
    json_write_string(&w->json, NULL, t->node.label);
    write_code(w, "code", &t->code);
    if (*t->code_global.text)
        write_code(w, "code_global", &t->code_global);
    if (*t->code_init.text)
        write_code(w, "code_init", &t->code_init);
    if (*t->code_exit.text)
        write_code(w, "code_exit", &t->code_exit);
    write_names(w, "state_fields", t->state_fields.items, t->state_fields.count);
    if (t->side_effects >= 0)
        json_write_bool(&w->json, "side_effects", t->side_effects);
    write_enum(w, "instrument", t->instrument, INSTRUMENT_NONE);
    return known;
}

static const char *const *write_map(struct writer *w, const struct map_entry *m)
{
    static const char *const known[] = { "label", "params", "range", "schedule", "unroll", "unroll_factor", "collapse",
                                         "instrument", "omp_num_threads", "omp_schedule", "omp_chunk_size",
                                         /* of pipelines, which are maps by now */
                                         "init_size", "init_overlap", "drain_size", "drain_overlap",
                                         "additional_iterators", NULL };
    json_write_key(&w->json, "label");
    json_write_string(&w->json, NULL, m->node.label);
    write_names(w, "params", m->params.items, m->params.count);
    write_subset(w, "range", &m->range);
    write_enum(w, "schedule", m->schedule, SCHEDULE_DEFAULT);
    write_flag(w, "unroll", m->unroll, false);
    write_int(w, "unroll_factor", m->unroll_factor, 0);
    write_int(w, "collapse", m->collapse, 1);
    write_enum(w, "instrument", m->instrument, INSTRUMENT_NONE);
    write_int(w, "omp_num_threads", m->omp_num_threads, 0);
    write_enum(w, "omp_schedule", m->omp_schedule, OMP_SCHEDULE_DEFAULT);
    write_int(w, "omp_chunk_size", m->omp_chunk_size, 0);
    return known;
}

static const char *const *write_consume(struct writer *w, const struct consume_entry *c)
{
    static const char *const known[] = { "label",    "pe_index",  "num_pes",    "condition",
                                         "schedule", "chunksize", "instrument", NULL };
    json_write_string(&w->json, "label", c->node.label);
    write_text(w, "pe_index", c->pe_index);
    write_sym(w, "num_pes", c->num_pes);
    if (*c->condition.text)
        write_code(w, "condition", &c->condition);
    write_enum(w, "schedule", c->schedule, SCHEDULE_DEFAULT);
    write_int(w, "chunksize", c->chunksize, 1);
    write_enum(w, "instrument", c->instrument, INSTRUMENT_NONE);
    return known;
}

/* The attribute `schedule` of nested SDFGs means nothing (format.md 2.14). */
static const char *const *write_nested(struct writer *w, const struct nested *n)
{
    static const char *const known[] = { "label",     "sdfg",       "ext_sdfg_path", "symbol_mapping",
                                         "no_inline", "instrument", "schedule",      NULL };
    json_write_string(&w->json, "label", n->node.label);
    json_begin(&w->json, "symbol_mapping", '{');
    for (uint32_t i = 0; i < n->mapping.count; i++)
        write_sym(w, n->mapping.items[i].name, n->mapping.items[i].value);
    json_end(&w->json, '}');
    write_text(w, "ext_sdfg_path", n->ext_path);
    write_flag(w, "no_inline", n->no_inline, false);
    write_enum(w, "instrument", n->instrument, INSTRUMENT_NONE);
    if (n->sdfg)
        write_sdfg(w, "sdfg", n->sdfg);
    return known;
}

/* Text that older releases wrote with bare names, and the numeric identity of 0.9 (format.md 2.15). */
static void write_library_property(struct writer *w, const struct json *m)
{
    double re, im;
    bool identity = !strcmp(m->key, "identity") && (m->kind == JSON_INT || m->kind == JSON_REAL);
    if (identity)
        json_write_string(&w->json, m->key, m->text);
    else if (m->kind == JSON_STRING && library_is_symbolic(m->key) && !number_parse_complex(m->text, &re, &im))
        write_symbolic_value(w, m->key, m);
    else
        json_write_value(&w->json, m->key, m);
}

/* The class's own properties; the rest of the attributes is written with those of every node. */
static void write_library(struct writer *w, const struct library *l)
{
    static const char *const common[] = { "name",           "implementation", "schedule", "instrument", "in_connectors",
                                          "out_connectors", "debuginfo",      "guid",     "location",   NULL };
    const struct json *attributes = l->attributes;
    const char *name = json_string(json_get(attributes, "name"));
    json_write_string(&w->json, "name", name ? name : l->node.label);
    write_text(w, "implementation", l->implementation);
    write_enum(w, "schedule", l->schedule, SCHEDULE_DEFAULT);
    write_enum(w, "instrument", l->instrument, INSTRUMENT_NONE);
    for (const struct json *m = attributes ? attributes->first : NULL; m; m = m->next) {
        bool is_common = false;
        for (const char *const *key = common; *key; key++)
            is_common |= !strcmp(*key, m->key);
        if (!is_common)
            write_library_property(w, m);
    }
}

static const char *const *write_kind(struct writer *w, const struct node *n)
{
    static const char *const nothing[] = { NULL };
    switch (n->kind) {
    case NODE_ACCESS:
        return write_access(w, as_access(n));
    case NODE_TASKLET:
        return write_tasklet(w, as_tasklet(n));
    case NODE_MAP_ENTRY:
        return write_map(w, as_map_entry(n));
    case NODE_CONSUME_ENTRY:
        return write_consume(w, as_consume_entry(n));
    case NODE_NESTED:
        return write_nested(w, as_nested(n));
    default:
        return nothing;
    }
}

/* ---- nodes ---- */

static void write_scope_end(struct writer *w, const struct node *end)
{
    if (end)
        write_index(w, end->index);
    else
        json_write_null(&w->json, NULL);
}

static void write_scope_ends(struct writer *w, const struct node *n)
{
    const struct node *exit = node_is_entry(n) ? scope_exit(n) : n->scope ? scope_exit(n->scope) : NULL;
    if (!n->scope && !exit) {
        json_write_literal(&w->json, "\"scope_entry\":null,\"scope_exit\":null");
        return;
    }
    json_write_key(&w->json, "scope_entry");
    write_scope_end(w, n->scope);
    json_write_key(&w->json, "scope_exit");
    write_scope_end(w, exit);
}

void write_node(struct writer *w, const struct node *n)
{
    static const char *const begins[] = {
#define NODE(K, json, s, family, doc) "{\"type\":\"" json "\",\"label\":",
#include "ir/nodes.def"
#undef NODE
    };
    static const char *const record_keys[] = { "type",        "label",      "id",        "scope_entry", "scope_exit",
                                               "scope_exits", "attributes", "classpath", NULL };
    static const char *const common[] = { "in_connectors", "out_connectors", "debuginfo", "guid", "location", NULL };
    const struct json *attributes = write_attributes_of(n->json), *location = json_get(attributes, "location");
    if (n->kind == NODE_UNKNOWN) {
        json_write_value(&w->json, NULL, n->json);
        return;
    }
    json_write_text(&w->json, begins[n->kind], strlen(begins[n->kind]));
    json_write_string(&w->json, NULL, n->label);
    json_write_key(&w->json, "id");
    json_write_int(&w->json, NULL, n->index);
    write_scope_ends(w, n);
    if (as_library(n))
        json_write_string(&w->json, "classpath", as_library(n)->classpath);
    json_write_literal(&w->json, "\"attributes\":{");
    const char *const *known = write_kind(w, n);
    if (as_library(n))
        write_library(w, as_library(n));
    write_connectors(w, "in_connectors", n->in_conns.items, n->in_conns.count, json_get(attributes, "in_connectors"));
    write_connectors(w, "out_connectors", n->out_conns.items, n->out_conns.count,
                     json_get(attributes, "out_connectors"));
    write_debug_info(w, &n->place, attributes);
    if (json_is(location, JSON_OBJECT))
        write_symbolic_value(w, "location", location);
    if (!as_library(n))
        write_rest(w, attributes, known, common);
    json_end(&w->json, '}');
    write_rest(w, n->json, record_keys, NULL);
    json_end(&w->json, '}');
}

/* ---- edges ---- */

static void write_memlet(struct writer *w, const struct edge *e, const struct json *attributes)
{
    static const char *const known[] = { "data", "subset", "other_subset", "volume", "dynamic", "wcr", "wcr_nonatomic",
                                         "allow_oob", "is_data_src", "debuginfo", "guid", "src_subset", "dst_subset",
                                         "num_accesses",
                                         /* 0.9 */
                                         "veclen", "wcr_identity", "wcr_conflict", "replication_subset",
                                         "other_repl_subset", NULL };
    const struct memlet *m = &e->memlet;
    if (m->name) {
        json_write_key(&w->json, "data");
        json_write_string(&w->json, NULL, m->name);
    }
    json_write_key(&w->json, "volume");
    write_sym(w, NULL, m->volume);
    write_subset(w, "subset", m->subset);
    write_subset(w, "other_subset", m->other);
    write_flag(w, "dynamic", m->dynamic, false);
    if (m->wcr) {
        struct text lambda = text_new(w->ir->arena);
        if (!m->wcr_text)
            code_print(m->wcr, &lambda);
        json_write_string(&w->json, "wcr", m->wcr_text ? m->wcr_text : text_get(&lambda));
    }
    write_flag(w, "wcr_nonatomic", m->wcr_nonatomic, false);
    write_flag(w, "allow_oob", m->allow_oob, false);
    write_flag(w, "is_data_src", m->flag_is_data_src, true);
    write_debug_info(w, &e->place, attributes);
    write_rest(w, attributes, known, NULL);
}

void write_edge(struct writer *w, const struct edge *e)
{
    static const char *const record_keys[] = { "type",          "src",        "dst", "src_connector",
                                               "dst_connector", "attributes", NULL };
    static const char *const data_keys[] = { "type", "label", "attributes", NULL };
    static const char *const only_data[] = { "data", NULL };
    const struct json *outer = write_attributes_of(e->json), *data = json_get(outer, "data");
    json_write_literal(&w->json, "{\"type\":\"MultiConnectorEdge\",\"src\":");
    write_index(w, e->src->index);
    json_write_key(&w->json, "dst");
    write_index(w, e->dst->index);
    json_write_key(&w->json, "src_connector");
    json_write_string(&w->json, NULL, e->src_conn);
    json_write_key(&w->json, "dst_connector");
    json_write_string(&w->json, NULL, e->dst_conn);
    json_write_literal(&w->json, "\"attributes\":{\"data\":{\"type\":\"Memlet\",\"attributes\":{");
    write_memlet(w, e, write_attributes_of(data));
    json_end(&w->json, '}');
    write_rest(w, data, data_keys, NULL);
    json_end(&w->json, '}');
    write_rest(w, outer, only_data, NULL);
    json_end(&w->json, '}');
    write_rest(w, e->json, record_keys, NULL);
    json_end(&w->json, '}');
}
