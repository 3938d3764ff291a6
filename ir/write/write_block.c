#include "ir/write/write.h"

#include <stdio.h>
#include <string.h>

const char *const block_derived[] = { "guid",
                                      "hash",
                                      "pre_conditions",
                                      "post_conditions",
                                      "invariant_conditions",
                                      "ranges",
                                      "executions",
                                      "dynamic_executions",
                                      NULL };

static const char *const record_keys[] = { "type",        "attributes",   "label",       "id",          "collapsed",
                                           "cfg_list_id", "sdfg_list_id", "start_block", "start_state", "nodes",
                                           "edges",       "branches",     "scope_dict",  NULL };

void write_index(struct writer *w, uint32_t index)
{
    text_addc(w->json.out, '"');
    text_add_int(w->json.out, index);
    text_addc(w->json.out, '"');
    w->json.comma = true;
}

/* ---- states ---- */

/* For the top level ("-1") and for each entry node the nodes directly inside. */
static void write_scopes(struct writer *w, const struct state *st)
{
    uint32_t count = st->nodes.count;
    /* lists of 1 + node; the one of the top level is behind those of the nodes */
    uint32_t *first = NEW_ARRAY(w->ir->arena, uint32_t, count + 1), *next = NEW_ARRAY(w->ir->arena, uint32_t, count);
    for (uint32_t i = count; i-- > 0;) {
        uint32_t *list = &first[st->nodes.items[i]->scope ? st->nodes.items[i]->scope->index : count];
        next[i] = *list;
        *list = i + 1;
    }
    json_write_literal(&w->json, "\"scope_dict\":{");
    for (uint32_t k = 0; k <= count; k++) {
        char key[16] = "-1";
        uint32_t list = k ? k - 1 : count;
        if (k && !node_is_entry(st->nodes.items[list]))
            continue;
        if (k)
            snprintf(key, sizeof key, "%u", list);
        json_begin(&w->json, key, '[');
        for (uint32_t i = first[list]; i; i = next[i - 1])
            json_write_int(&w->json, NULL, i - 1);
        json_end(&w->json, ']');
    }
    json_end(&w->json, '}');
}

static void write_state(struct writer *w, const struct state *st)
{
    static const char *const known[] = { "instrument", "symbol_instrument", "symbol_instrument_condition",
                                         "debuginfo",  "location",          NULL };
    const struct json *attributes = write_attributes_of(st->block.json), *location = json_get(attributes, "location");
    json_write_literal(&w->json, "\"attributes\":{");
    write_enum(w, "instrument", st->instrument, INSTRUMENT_NONE);
    write_enum(w, "symbol_instrument", st->symbol_instrument, DATA_INSTRUMENT_NONE);
    write_gate(w, "symbol_instrument_condition", &st->symbol_instrument_condition);
    write_debug_info(w, &st->block.place, attributes);
    if (location)
        write_symbolic_value(w, "location", location);
    write_rest(w, attributes, known, block_derived);
    json_end(&w->json, '}');
    write_scopes(w, st);
    json_write_literal(&w->json, "\"nodes\":[");
    for (uint32_t i = 0; i < st->nodes.count; i++)
        write_node(w, st->nodes.items[i]);
    json_end(&w->json, ']');
    json_write_literal(&w->json, "\"edges\":[");
    for (uint32_t i = 0; i < st->edges.count; i++)
        write_edge(w, st->edges.items[i]);
    json_end(&w->json, ']');
}

/* ---- regions ---- */

static void write_loop_attributes(struct writer *w, const struct loop *l)
{
    if (*l->condition.text)
        write_code(w, "loop_condition", &l->condition);
    if (*l->init.text)
        write_code(w, "init_statement", &l->init);
    if (*l->update.text)
        write_code(w, "update_statement", &l->update);
    write_text(w, "loop_variable", l->variable);
    write_flag(w, "inverted", l->inverted, false);
    write_flag(w, "update_before_condition", l->update_before_condition, true);
    write_flag(w, "unroll", l->unroll, false);
    write_int(w, "unroll_factor", l->unroll_factor, 0);
}

static void write_region(struct writer *w, const struct region *r)
{
    static const char *const known[] = { "debuginfo", NULL };
    static const char *const loop[] = { "loop_condition", "init_statement",  "update_statement",
                                        "loop_variable",  "inverted",        "update_before_condition",
                                        "unroll",         "unroll_factor",   "debuginfo",
                                        "break_states",   "continue_states", NULL };
    const struct json *attributes = write_attributes_of(r->block.json);
    json_begin(&w->json, "attributes", '{');
    if (r->block.kind == BLOCK_LOOP)
        write_loop_attributes(w, (const struct loop *)r);
    write_debug_info(w, &r->block.place, attributes);
    write_rest(w, attributes, r->block.kind == BLOCK_LOOP ? loop : known, block_derived);
    json_end(&w->json, '}');
    write_region_body(w, r);
}

static void write_branch(struct writer *w, const struct branch *b)
{
    json_begin(&w->json, NULL, '[');
    if (*b->condition.text)
        write_code(w, NULL, &b->condition);
    else
        json_write_null(&w->json, NULL);
    json_begin(&w->json, NULL, '{');
    json_write_string(&w->json, "type", "ControlFlowRegion");
    json_write_string(&w->json, "label", b->region->block.label);
    json_write_null(&w->json, "id");
    json_write_bool(&w->json, "collapsed", json_bool(json_get(b->region->block.json, "collapsed"), false));
    write_region(w, b->region);
    write_rest(w, b->region->block.json, record_keys, NULL);
    json_end(&w->json, '}');
    json_end(&w->json, ']');
}

/* What blocks without contents of their own have, besides a conditional's branches. */
static void write_plain_attributes(struct writer *w, const struct block *b)
{
    static const char *const known[] = { "debuginfo", NULL };
    const struct json *attributes = write_attributes_of(b->json);
    json_begin(&w->json, "attributes", '{');
    write_debug_info(w, &b->place, attributes);
    write_rest(w, attributes, known, block_derived);
    json_end(&w->json, '}');
}

static void write_conditional(struct writer *w, const struct conditional *c)
{
    write_plain_attributes(w, &c->block);
    json_write_int(&w->json, "cfg_list_id", w->next_region++);
    json_write_null(&w->json, "start_block");
    json_begin(&w->json, "branches", '[');
    for (uint32_t i = 0; i < c->branches.count; i++)
        write_branch(w, &c->branches.items[i]);
    json_end(&w->json, ']');
}

static void write_jump(struct writer *w, const struct block *b)
{
    write_plain_attributes(w, b);
    json_begin(&w->json, "nodes", '[');
    json_end(&w->json, ']');
    json_begin(&w->json, "edges", '[');
    json_end(&w->json, ']');
}

static void write_block(struct writer *w, struct block *b)
{
    static const char *const names[] = {
#define BLOCK(K, json, noun) json,
#include "ir/blocks.def"
#undef BLOCK
    };
    if (b->kind == BLOCK_UNKNOWN) {
        json_write_value(&w->json, NULL, b->json);
        return;
    }
    json_write_literal(&w->json, "{\"type\":");
    json_write_string(&w->json, NULL, b->kind == BLOCK_REGION ? as_region(b)->type_name : names[b->kind]);
    json_write_key(&w->json, "label");
    json_write_string(&w->json, NULL, b->label);
    json_write_key(&w->json, "id");
    json_write_int(&w->json, NULL, b->index);
    json_write_bool(&w->json, "collapsed", json_bool(json_get(b->json, "collapsed"), false));
    if (as_state(b))
        write_state(w, as_state(b));
    else if (as_region(b))
        write_region(w, as_region(b));
    else if (as_conditional(b))
        write_conditional(w, as_conditional(b));
    else
        write_jump(w, b);
    write_rest(w, b->json, record_keys, NULL);
    json_end(&w->json, '}');
}

/* ---- transitions ---- */

static void write_transition(struct writer *w, const struct transition *t)
{
    static const char *const edge_keys[] = { "type", "src", "dst", "attributes", NULL };
    static const char *const data_keys[] = { "type", "label", "attributes", NULL };
    static const char *const only_data[] = { "data", NULL };
    static const char *const known[] = { "condition", "assignments", "guid", NULL };
    const struct json *outer = write_attributes_of(t->json), *data = json_get(outer, "data");
    json_write_literal(&w->json, "{\"type\":\"Edge\",\"src\":");
    write_index(w, t->src->index);
    json_write_key(&w->json, "dst");
    write_index(w, t->dst->index);
    json_write_literal(&w->json, "\"attributes\":{\"data\":{\"type\":\"InterstateEdge\",\"attributes\":{");
    if (t->condition.tree)
        write_code(w, "condition", &t->condition);
    if (t->assignments.count)
        json_begin(&w->json, "assignments", '{');
    for (uint32_t i = 0; i < t->assignments.count; i++)
        json_write_string(&w->json, t->assignments.items[i].name, t->assignments.items[i].text);
    if (t->assignments.count)
        json_end(&w->json, '}');
    write_rest(w, write_attributes_of(data), known, NULL);
    json_end(&w->json, '}');
    write_rest(w, data, data_keys, NULL);
    json_end(&w->json, '}');
    write_rest(w, outer, only_data, NULL);
    json_end(&w->json, '}');
    write_rest(w, t->json, edge_keys, NULL);
    json_end(&w->json, '}');
}

void write_region_body(struct writer *w, const struct region *r)
{
    json_write_int(&w->json, "cfg_list_id", w->next_region++);
    if (r->start)
        json_write_int(&w->json, "start_block", r->start->index);
    else
        json_write_null(&w->json, "start_block");
    json_begin(&w->json, "nodes", '[');
    for (uint32_t i = 0; i < r->blocks.count; i++)
        write_block(w, r->blocks.items[i]);
    json_end(&w->json, ']');
    json_begin(&w->json, "edges", '[');
    for (uint32_t i = 0; i < r->transitions.count; i++)
        write_transition(w, r->transitions.items[i]);
    json_end(&w->json, ']');
}
