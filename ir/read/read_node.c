#include "ir/read/read.h"

#include <string.h>

static const struct {
    const char *name;
    enum node_kind kind;
} kinds[] = {
#define NODE(K, json, s, family, doc) { json, NODE_##K },
#include "ir/nodes.def"
#undef NODE
    /* format.md 8.2 */
    { "EmptyTasklet", NODE_TASKLET },
    { "Reduce", NODE_LIBRARY },
    { "PipelineEntry", NODE_MAP_ENTRY },
    { "PipelineExit", NODE_MAP_EXIT },
};

static const struct {
    const char *noun;
    size_t size;
} rows[NODE_COUNT] = {
    [NODE_ACCESS] = { "access", sizeof(struct access) },
    [NODE_TASKLET] = { "tasklet", sizeof(struct tasklet) },
    [NODE_MAP_ENTRY] = { "map", sizeof(struct map_entry) },
    [NODE_MAP_EXIT] = { "map exit", sizeof(struct map_exit) },
    [NODE_CONSUME_ENTRY] = { "consume", sizeof(struct consume_entry) },
    [NODE_CONSUME_EXIT] = { "consume exit", sizeof(struct consume_exit) },
    [NODE_NESTED] = { "nested", sizeof(struct nested) },
    [NODE_LIBRARY] = { "library", sizeof(struct library) },
    [NODE_UNKNOWN] = { "node", sizeof(struct unknown) },
};

static enum node_kind kind_of(const char *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, type))
            return kinds[i].kind;
    return NODE_UNKNOWN;
}

/* A map from name to type or null; 0.9: an array of names. */
static connector_list read_connectors(struct reader *r, const struct node *n, const struct json *attributes,
                                      const char *key)
{
    connector_list out = { 0 };
    const struct json *list = json_get(attributes, key);
    if (list && list->kind != JSON_OBJECT && list->kind != JSON_ARRAY && list->kind != JSON_NULL)
        diag_error(r->ir->diags, &n->place, DIAG_READ_KIND, key, "an object");
    bool array = json_is(list, JSON_ARRAY);
    for (const struct json *m = array || json_is(list, JSON_OBJECT) ? list->first : NULL; m; m = m->next) {
        const char *name = array ? json_string(m) : m->key;
        if (!name) {
            diag_error(r->ir->diags, &n->place, DIAG_READ_KIND, key, "an array of names");
            continue;
        }
        struct connector c = { .name = intern(r->ir->names, name), .inferred = array || m->kind == JSON_NULL };
        if (!c.inferred) {
            c.type = read_type(r, m);
            if (!c.type)
                diag_error(r->ir->diags, &n->place, DIAG_READ_CONNECTOR, c.name);
        }
        vec_push(r->ir->arena, &out, c);
    }
    return out;
}

static name_list read_strings(struct reader *r, const struct node *n, const struct json *attributes, const char *key)
{
    name_list out = { 0 };
    const struct json *array = json_get(attributes, key);
    if (array && array->kind != JSON_ARRAY && array->kind != JSON_NULL)
        diag_error(r->ir->diags, &n->place, DIAG_READ_KIND, key, "an array of strings");
    for (const struct json *v = json_is(array, JSON_ARRAY) ? array->first : NULL; v; v = v->next) {
        const char *text = json_string(v);
        if (text)
            vec_push(r->ir->arena, &out, intern(r->ir->names, text));
        else
            diag_error(r->ir->diags, &n->place, DIAG_READ_KIND, key, "an array of strings");
    }
    return out;
}

static void read_access(struct reader *r, struct access *a, const struct json *attributes)
{
    const struct place *at = &a->node.place;
    const char *name = read_string(r, at, attributes, "data", NULL);
    a->setzero = read_flag(r, at, attributes, "setzero", false);
    a->instrument = read_enum(r, at, attributes, "instrument", DATA_INSTRUMENT_NONE);
    a->instrument_condition = read_code(r, at, json_get(attributes, "instrument_condition"), LANGUAGE_CPP);
    if (!name) {
        diag_error(r->ir->diags, at, DIAG_READ_MISSING, "data");
        return;
    }
    a->name = a->node.label = a->node.place.label = intern(r->ir->names, name);
    a->data = sdfg_find_container(a->node.state->sdfg, a->name);
    if (!a->data)
        diag_error(r->ir->diags, at, DIAG_READ_CONTAINER, a->name);
}

static void read_tasklet(struct reader *r, struct tasklet *t, const struct json *attributes)
{
    const struct place *at = &t->node.place;
    t->code = read_code(r, at, json_get(attributes, "code"), LANGUAGE_PYTHON);
    const char *language = json_is(json_get(attributes, "code"), JSON_STRING) /* very old: beside the text */
                               ? read_string(r, at, attributes, "language", NULL)
                               : NULL;
    if (language)
        t->code.language = enum_by_name(r->ir, ENUM_LANGUAGE, language);
    t->code_global = read_code(r, at, json_get(attributes, "code_global"), LANGUAGE_CPP);
    t->code_init = read_code(r, at, json_get(attributes, "code_init"), LANGUAGE_CPP);
    t->code_exit = read_code(r, at, json_get(attributes, "code_exit"), LANGUAGE_CPP);
    t->state_fields = read_strings(r, &t->node, attributes, "state_fields");
    const struct json *effects = json_get(attributes, "side_effects");
    t->side_effects = effects && effects->kind != JSON_NULL ? read_flag(r, at, attributes, "side_effects", false) : -1;
    t->instrument = read_enum(r, at, attributes, "instrument", INSTRUMENT_NONE);
}

/* A pipeline is a map unless it has a start-up or drain phase (format.md 8.2). */
static void check_pipeline(struct reader *r, const struct node *n, const struct json *attributes)
{
    static const char *const sizes[] = { "init_size", "drain_size" };
    for (int i = 0; i < 2; i++)
        if (!sym_is_int(read_symbolic_at(r, &n->place, attributes, sizes[i], 0), 0))
            diag_error(r->ir->diags, &n->place, DIAG_READ_PIPELINE, sizes[i]);
    const struct json *more = json_get(attributes, "additional_iterators");
    if (more && more->count)
        diag_error(r->ir->diags, &n->place, DIAG_READ_PIPELINE, "additional_iterators");
}

static void read_map(struct reader *r, struct map_entry *m, const struct json *attributes)
{
    const struct place *at = &m->node.place;
    name_list params = read_strings(r, &m->node, attributes, "params");
    memcpy(&m->params, &params, sizeof params);
    const struct json *range = json_get(attributes, "range");
    if (range && range->kind != JSON_NULL)
        read_subset(r, at, range, &m->range);
    m->schedule = read_enum(r, at, attributes, "schedule", SCHEDULE_DEFAULT);
    m->omp_schedule = read_enum(r, at, attributes, "omp_schedule", OMP_SCHEDULE_DEFAULT);
    m->instrument = read_enum(r, at, attributes, "instrument", INSTRUMENT_NONE);
    const char *schedule = json_string(json_get(attributes, "schedule"));
    m->unroll = read_flag(r, at, attributes, "unroll", schedule && !strcmp(schedule, "Unrolled"));
    m->unroll |= schedule && !strcmp(schedule, "Unrolled");
    m->unroll_factor = read_int(r, at, attributes, "unroll_factor", 0);
    m->collapse = read_int(r, at, attributes, "collapse", 1);
    m->omp_num_threads = read_int(r, at, attributes, "omp_num_threads", 0);
    m->omp_chunk_size = read_int(r, at, attributes, "omp_chunk_size", 0);
    if (!strcmp(json_get(m->node.json, "type")->text, "PipelineEntry"))
        check_pipeline(r, &m->node, attributes);
}

static void read_consume(struct reader *r, struct consume_entry *c, const struct json *attributes)
{
    const struct place *at = &c->node.place;
    c->pe_index = intern(r->ir->names, read_string(r, at, attributes, "pe_index", ""));
    c->num_pes = read_symbolic_at(r, at, attributes, "num_pes", 1);
    c->condition = read_python(r, at, json_get(attributes, "condition"), false);
    c->schedule = read_enum(r, at, attributes, "schedule", SCHEDULE_DEFAULT);
    c->instrument = read_enum(r, at, attributes, "instrument", INSTRUMENT_NONE);
    c->chunksize = read_int(r, at, attributes, "chunksize", 1);
}

static void read_nested(struct reader *r, struct nested *n, const struct json *attributes)
{
    const struct place *at = &n->node.place;
    n->ext_path = read_string(r, at, attributes, "ext_sdfg_path", NULL);
    n->no_inline = read_flag(r, at, attributes, "no_inline", false);
    n->whole = r->ir->whole_connectors;
    n->instrument = read_enum(r, at, attributes, "instrument", INSTRUMENT_NONE);
    const struct json *mapping = json_get(attributes, "symbol_mapping");
    if (mapping && mapping->kind != JSON_OBJECT && mapping->kind != JSON_NULL)
        diag_error(r->ir->diags, at, DIAG_READ_KIND, "symbol_mapping", "an object");
    for (const struct json *m = json_is(mapping, JSON_OBJECT) ? mapping->first : NULL; m; m = m->next) {
        struct symbol_mapping entry = { intern(r->ir->names, m->key), read_symbolic(r, at, m) };
        if (entry.value)
            vec_push(r->ir->arena, &n->mapping, entry);
        else
            diag_error(r->ir->diags, at, DIAG_READ_KIND, entry.name, "a symbolic expression");
    }
    const struct json *inner = json_get(attributes, "sdfg");
    if (json_is(inner, JSON_STRING)) /* until April 2020 */
        inner = json_parse(r->ir->arena, r->ir->diags, inner->text, inner->length);
    if (json_is(inner, JSON_OBJECT))
        n->sdfg = read_sdfg(r, n, inner);
    else if (n->ext_path)
        n->sdfg = read_external(r, n, n->ext_path);
    else
        diag_error(r->ir->diags, at, DIAG_READ_MISSING, "sdfg");
}

static void read_library(struct reader *r, struct library *l, const struct json *attributes)
{
    const struct place *at = &l->node.place;
    bool reduce = !strcmp(json_get(l->node.json, "type")->text, "Reduce"); /* 0.9: a node type of its own */
    const char *path =
        read_string(r, at, l->node.json, "classpath", reduce ? "dace.libraries.standard.nodes.reduce.Reduce" : NULL);
    if (!path)
        diag_error(r->ir->diags, at, DIAG_READ_MISSING, "classpath");
    l->classpath = path ? path : "";
    l->implementation = read_string(r, at, attributes, "implementation", NULL);
    l->schedule = read_enum(r, at, attributes, "schedule", SCHEDULE_DEFAULT);
    l->instrument = read_enum(r, at, attributes, "instrument", INSTRUMENT_NONE);
    l->attributes = attributes;
    const char *name = read_string(r, at, attributes, "name", l->node.label);
    if (!*l->node.label)
        l->node.label = l->node.place.label = intern(r->ir->names, name);
}

static void read_kind(struct reader *r, struct node *n, const char *type, const struct json *attributes)
{
    switch (n->kind) {
    case NODE_ACCESS:
        read_access(r, as_access(n), attributes);
        break;
    case NODE_TASKLET:
        read_tasklet(r, as_tasklet(n), attributes);
        break;
    case NODE_MAP_ENTRY:
        read_map(r, as_map_entry(n), attributes);
        break;
    case NODE_CONSUME_ENTRY:
        read_consume(r, as_consume_entry(n), attributes);
        break;
    case NODE_NESTED:
        read_nested(r, as_nested(n), attributes);
        break;
    case NODE_LIBRARY:
        read_library(r, as_library(n), attributes);
        break;
    case NODE_UNKNOWN:
        as_unknown(n)->type_name = type;
        break;
    default:
        break;
    }
}

/* Always gives a node, so that the indices of the others stay right. */
struct node *read_node(struct reader *r, struct state *st, uint32_t index, const struct json *record)
{
    struct place unknown = { .parent = &st->block.place, .noun = "node", .id = index };
    const struct json *type = read_required(r, &unknown, record, "type", JSON_STRING);
    const struct json *attributes = read_attributes(r, &unknown, record);
    enum node_kind kind = type && attributes ? kind_of(type->text) : NODE_UNKNOWN;
    struct node *n = arena_alloc(r->ir->arena, rows[kind].size);
    n->kind = kind;
    n->index = index;
    n->state = st;
    n->json = record;
    const char *label = json_string(json_get(attributes, "label"));
    if (!label)
        label = read_string(r, &unknown, record, "label", "");
    n->label = intern(r->ir->names, label);
    n->place = (struct place){ .parent = &st->block.place, .noun = rows[kind].noun, .label = n->label, .id = index };
    if (kind == NODE_UNKNOWN && !(type && attributes))
        return n;
    read_debug_info(r, &n->place, attributes);
    connector_list in = read_connectors(r, n, attributes, "in_connectors");
    connector_list out = read_connectors(r, n, attributes, "out_connectors");
    n->in_conns = in;
    n->out_conns = out;
    read_kind(r, n, type->text, attributes);
    return n;
}
