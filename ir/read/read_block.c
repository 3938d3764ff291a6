#include "ir/read/read.h"

#include <string.h>

static const struct {
    const char *name, *noun;
    enum block_kind kind;
} kinds[] = {
#define BLOCK(K, json, noun) { json, noun, BLOCK_##K },
#include "ir/blocks.def"
#undef BLOCK
    { "NamedRegion", "region", BLOCK_REGION },
    { "FunctionCallRegion", "region", BLOCK_REGION },
    { "UnstructuredControlFlow", "region", BLOCK_REGION },
};

static size_t row_of(const char *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, type))
            return i;
    return BLOCK_UNKNOWN;
}

/* The elements of a required array of records. */
static const struct json *elements(struct reader *r, const struct place *at, const struct json *record, const char *key)
{
    const struct json *list = read_required(r, at, record, key, JSON_ARRAY);
    return list ? list->first : NULL;
}

/* ---- states ---- */

static void read_edge(struct reader *r, struct state *st, const struct json *record)
{
    struct edge *e = NEW(r->ir->arena, struct edge);
    uint32_t src, dst;
    e->place = (struct place){ .parent = &st->block.place, .noun = "edge", .id = st->edges.count };
    e->index = st->edges.count;
    e->json = record;
    const struct json *attributes = read_attributes(r, &e->place, record);
    bool good = attributes && read_index(r, &e->place, record, "src", st->nodes.count, &src) &&
                read_index(r, &e->place, record, "dst", st->nodes.count, &dst);
    if (!json_get(record, "src_connector") || !json_get(record, "dst_connector"))
        good = diag_error(r->ir->diags, &e->place, DIAG_READ_MISSING,
                          json_get(record, "src_connector") ? "dst_connector" : "src_connector");
    if (!good)
        return;
    const char *from = read_string(r, &e->place, record, "src_connector", NULL);
    const char *to = read_string(r, &e->place, record, "dst_connector", NULL);
    e->src_conn = from ? intern(r->ir->names, from) : NULL;
    e->dst_conn = to ? intern(r->ir->names, to) : NULL;
    e->src = st->nodes.items[src];
    e->dst = st->nodes.items[dst];
    read_memlet(r, st->sdfg, e, json_get(attributes, "data"));
    vec_push(r->ir->arena, &st->edges, e);
    vec_push(r->ir->arena, &e->src->out, e);
    vec_push(r->ir->arena, &e->dst->in, e);
}

static void read_state(struct reader *r, struct state *st, const struct json *record, const struct json *attributes)
{
    struct place *at = &st->block.place;
    uint32_t errors = diags_errors(r->ir->diags), index = 0;
    st->instrument = read_enum(r, at, attributes, "instrument", INSTRUMENT_NONE);
    st->symbol_instrument = read_enum(r, at, attributes, "symbol_instrument", DATA_INSTRUMENT_NONE);
    st->symbol_instrument_condition =
        read_code(r, at, json_get(attributes, "symbol_instrument_condition"), LANGUAGE_CPP);
    for (const struct json *v = elements(r, at, record, "nodes"); v; v = v->next)
        vec_push(r->ir->arena, &st->nodes, read_node(r, st, index++, v));
    for (const struct json *v = elements(r, at, record, "edges"); v; v = v->next)
        read_edge(r, st, v);
    if (diags_errors(r->ir->diags) == errors)
        state_resolve(st);
}

/* ---- loops and conditionals ---- */

static void read_loop(struct reader *r, struct loop *l, const struct json *attributes)
{
    const struct place *at = &l->region.block.place;
    l->variable = intern(r->ir->names, read_string(r, at, attributes, "loop_variable", ""));
    l->init = read_python(r, at, json_get(attributes, "init_statement"), true);
    l->condition = read_python(r, at, json_get(attributes, "loop_condition"), false);
    l->update = read_python(r, at, json_get(attributes, "update_statement"), true);
    l->inverted = read_flag(r, at, attributes, "inverted", false);
    l->update_before_condition = read_flag(r, at, attributes, "update_before_condition", true);
    l->unroll = read_flag(r, at, attributes, "unroll", false);
    l->unroll_factor = read_int(r, at, attributes, "unroll_factor", 0);
}

/* A branch region lies in the region of its conditional, but is not one of its blocks. */
static void read_branches(struct reader *r, struct conditional *c, struct sdfg *s, const struct json *record)
{
    const struct place *at = &c->block.place;
    for (const struct json *v = elements(r, at, record, "branches"); v; v = v->next) {
        const struct json *inner = json_at(v, 1);
        const char *type = json_string(json_get(inner, "type"));
        if (v->kind != JSON_ARRAY || v->count != 2 || !type || strcmp(type, "ControlFlowRegion")) {
            diag_error(r->ir->diags, at, DIAG_READ_BRANCH);
            continue;
        }
        struct region *region = NEW(r->ir->arena, struct region);
        struct block *b = &region->block;
        b->kind = BLOCK_REGION;
        b->json = inner;
        b->index = c->branches.count;
        b->region = c->block.region;
        b->label = intern(r->ir->names, read_string(r, at, inner, "label", ""));
        b->place = (struct place){ .parent = at, .noun = "branch", .label = b->label, .id = c->branches.count };
        region->sdfg = s;
        region->type_name = type;
        struct branch branch = { .condition = read_python(r, &b->place, json_at(v, 0), false), .region = region };
        read_region(r, region, inner);
        vec_push(r->ir->arena, &c->branches, branch);
    }
}

/* ---- blocks ---- */

static struct block *new_block(struct reader *r, enum block_kind kind)
{
    static const size_t sizes[BLOCK_COUNT] = {
        [BLOCK_STATE] = sizeof(struct state),
        [BLOCK_REGION] = sizeof(struct region),
        [BLOCK_LOOP] = sizeof(struct loop),
        [BLOCK_CONDITIONAL] = sizeof(struct conditional),
    };
    struct block *b = arena_alloc(r->ir->arena, sizes[kind] ? sizes[kind] : sizeof *b);
    b->kind = kind;
    return b;
}

static struct block *read_block(struct reader *r, struct region *region, uint32_t index, const struct json *record)
{
    struct place unknown = { .parent = &region->block.place, .noun = "block", .id = index };
    const struct json *type = read_required(r, &unknown, record, "type", JSON_STRING);
    const struct json *label = read_required(r, &unknown, record, "label", JSON_STRING);
    size_t row = type ? row_of(type->text) : BLOCK_UNKNOWN;
    struct block *b = new_block(r, kinds[row].kind);
    b->json = record;
    b->index = index;
    b->region = region;
    b->label = intern(r->ir->names, label ? label->text : "");
    b->place =
        (struct place){ .parent = &region->block.place, .noun = kinds[row].noun, .label = b->label, .id = index };
    if (b->kind == BLOCK_UNKNOWN)
        return b;
    const struct json *attributes = read_attributes(r, &b->place, record);
    if (!attributes)
        return b;
    read_debug_info(r, &b->place, attributes);
    if (b->kind == BLOCK_STATE) {
        as_state(b)->sdfg = region->sdfg;
        read_state(r, as_state(b), record, attributes);
    } else if (b->kind == BLOCK_CONDITIONAL) {
        read_branches(r, as_conditional(b), region->sdfg, record);
    } else if (as_region(b)) {
        as_region(b)->sdfg = region->sdfg;
        as_region(b)->type_name = type->text;
        if (b->kind == BLOCK_LOOP)
            read_loop(r, as_loop(b), attributes);
        read_region(r, as_region(b), record);
    }
    return b;
}

/* ---- transitions ---- */

static void link_transition(struct reader *r, struct region *region, struct transition *t, struct block *src,
                            struct block *dst)
{
    t->src = src;
    t->dst = dst;
    t->index = region->transitions.count;
    t->place = (struct place){ .parent = &region->block.place,
                               .noun = "transition",
                               .id = t->index,
                               .label = arena_printf(r->ir->arena, "%s -> %s", src->label, dst->label) };
    vec_push(r->ir->arena, &region->transitions, t);
    vec_push(r->ir->arena, &src->out, t);
    vec_push(r->ir->arena, &dst->in, t);
}

/* A transition is unconditional if its condition is "1" or blank (format.md 2.2). */
static struct code_text read_condition(struct reader *r, const struct place *at, const struct json *value)
{
    struct code_text code = read_code(r, at, value, LANGUAGE_PYTHON);
    const char *c = code.text + strspn(code.text, " \t\r\n");
    if (*c == '1' && !c[1 + strspn(c + 1, " \t\r\n")])
        return code;
    return read_python(r, at, value, false);
}

static void read_assignments(struct reader *r, struct transition *t, const struct json *attributes)
{
    const struct json *list = json_get(attributes, "assignments");
    if (list && list->kind != JSON_OBJECT && list->kind != JSON_NULL)
        diag_error(r->ir->diags, &t->place, DIAG_READ_KIND, "assignments", "an object");
    for (const struct json *m = json_is(list, JSON_OBJECT) ? list->first : NULL; m; m = m->next) {
        struct code_text code = read_python(r, &t->place, m, false);
        struct assignment a = { .name = intern(r->ir->names, m->key), .text = code.text, .value = code.tree };
        if (!*code.text)
            diag_error(r->ir->diags, &t->place, DIAG_READ_KIND, a.name, "an expression");
        vec_push(r->ir->arena, &t->assignments, a);
    }
}

static void read_transition(struct reader *r, struct region *region, uint32_t index, const struct json *record)
{
    struct place at = { .parent = &region->block.place, .noun = "transition", .id = index };
    uint32_t src, dst;
    const struct json *attributes = read_attributes(r, &at, record);
    if (!attributes || !read_index(r, &at, record, "src", region->blocks.count, &src) ||
        !read_index(r, &at, record, "dst", region->blocks.count, &dst))
        return;
    struct block *from = region->blocks.items[src], *to = region->blocks.items[dst];
    bool outwards = from->out.count < to->in.count; /* look through the shorter list */
    uint32_t count = outwards ? from->out.count : to->in.count;
    for (uint32_t i = 0; i < count; i++)
        if (outwards ? from->out.items[i]->dst == to : to->in.items[i]->src == from) {
            diag_error(r->ir->diags, &at, DIAG_READ_TRANSITION_TWICE, from->label, to->label);
            return;
        }
    struct transition *t = NEW(r->ir->arena, struct transition);
    t->json = record;
    link_transition(r, region, t, from, to);
    const struct json *data = read_required(r, &t->place, attributes, "data", JSON_OBJECT);
    const struct json *inner = data ? read_attributes(r, &t->place, data) : NULL;
    t->condition = read_condition(r, &t->place, json_get(inner, "condition"));
    read_assignments(r, t, inner);
}

/* ---- old loops ---- */

static void remove_transition(struct region *region, struct transition *t)
{
    struct transition **in = t->dst->in.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->dst->in.count; i++)
        if (in[i] != t)
            in[kept++] = in[i];
    t->dst->in.count = kept;
    kept = 0;
    for (uint32_t i = 0; i < region->transitions.count; i++)
        if (region->transitions.items[i] != t) {
            region->transitions.items[i]->index = kept;
            region->transitions.items[i]->place.id = kept;
            region->transitions.items[kept++] = region->transitions.items[i];
        }
    region->transitions.count = kept;
}

/* Release 0.15 and 0.16: reaching the end of these states breaks or continues (format.md 8.2). Each gets a block behind
 * it that says so, in place of its transitions, which were never taken. */
static void read_jumps(struct reader *r, struct region *region, const struct json *attributes, const char *key,
                       enum block_kind kind)
{
    const struct json *list = json_get(attributes, key);
    for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next) {
        int64_t index;
        if (!json_int(v, &index) || index < 0 || index >= region->blocks.count) {
            diag_error(r->ir->diags, &region->block.place, DIAG_READ_KIND, key, "an array of indices");
            continue;
        }
        struct block *from = region->blocks.items[index], *jump = new_block(r, kind);
        for (uint32_t i = 0; i < from->out.count; i++)
            remove_transition(region, from->out.items[i]);
        from->out.count = 0;
        jump->index = region->blocks.count;
        jump->region = region;
        jump->label = intern(r->ir->names, arena_printf(r->ir->arena, "%s_%s", from->label, kinds[kind].noun));
        jump->place = (struct place){
            .parent = &region->block.place, .noun = kinds[kind].noun, .label = jump->label, .id = jump->index
        };
        vec_push(r->ir->arena, &region->blocks, jump);
        struct transition *t = NEW(r->ir->arena, struct transition);
        t->condition = (struct code_text){ .text = "1", .language = enum_builtin(r->ir, LANGUAGE_PYTHON) };
        link_transition(r, region, t, from, jump);
    }
}

/* ---- regions ---- */

/* The only block without incoming transitions, whatever the file says; else what the file says (format.md 2.2). */
static struct block *find_start(struct region *region, const struct json *record)
{
    struct block *only = NULL;
    uint32_t count = 0;
    int64_t index;
    for (uint32_t i = 0; i < region->blocks.count; i++)
        if (!region->blocks.items[i]->in.count) {
            only = region->blocks.items[i];
            count++;
        }
    if (count == 1)
        return only;
    const struct json *start = json_get(record, "start_block");
    if (!json_int(start, &index) && !json_int(json_get(record, "start_state"), &index))
        return NULL;
    return index >= 0 && index < region->blocks.count ? region->blocks.items[index] : NULL;
}

void read_region(struct reader *r, struct region *region, const struct json *record)
{
    const struct place *at = &region->block.place;
    uint32_t index = 0;
    for (const struct json *v = elements(r, at, record, "nodes"); v; v = v->next)
        vec_push(r->ir->arena, &region->blocks, read_block(r, region, index++, v));
    index = 0;
    for (const struct json *v = elements(r, at, record, "edges"); v; v = v->next)
        read_transition(r, region, index++, v);
    region->start = find_start(region, record);
    const struct json *attributes = json_get(record, "attributes");
    if (region->block.kind == BLOCK_LOOP) {
        read_jumps(r, region, attributes, "break_states", BLOCK_BREAK);
        read_jumps(r, region, attributes, "continue_states", BLOCK_CONTINUE);
    }
}
