#include "ir/write/write.h"

#include <string.h>

const struct json *write_attributes_of(const struct json *record) { return json_get(record, "attributes"); }

static bool is_in(const char *const *list, const char *key)
{
    for (; list && *list; list++)
        if (!strcmp(*list, key))
            return true;
    return false;
}

/* Symbolic attributes that the graph does not hold: placement of nodes and states, sparse and distributed containers.
 */
static bool is_symbolic(const char *key)
{
    static const char *const keys[] = { "tensor_shape", "index_ordering", "value_count", "subshape",
                                        "exact_grid",   "root",           NULL };
    return is_in(keys, key);
}

void write_rest(struct writer *w, const struct json *object, const char *const *known, const char *const *more)
{
    if (!json_is(object, JSON_OBJECT))
        return;
    for (const struct json *m = object->first; m; m = m->next) {
        if (is_in(known, m->key) || is_in(more, m->key))
            continue;
        if (is_symbolic(m->key))
            write_symbolic_value(w, m->key, m);
        else
            json_write_value(&w->json, m->key, m);
    }
}

void write_flag(struct writer *w, const char *key, bool value, bool otherwise)
{
    if (value != otherwise)
        json_write_bool(&w->json, key, value);
}

void write_int(struct writer *w, const char *key, int value, int otherwise)
{
    if (value != otherwise)
        json_write_int(&w->json, key, value);
}

void write_text(struct writer *w, const char *key, const char *value)
{
    if (value && *value)
        json_write_string(&w->json, key, value);
}

void write_sym(struct writer *w, const char *key, const struct sym *s)
{
    w->scratch.length = 0;
    sym_print_of(w->ir, s, &w->scratch);
    json_write_string(&w->json, key, text_get(&w->scratch));
}

void write_sym_list(struct writer *w, const char *key, const struct sym *const *items, uint32_t count)
{
    json_begin(&w->json, key, '[');
    for (uint32_t i = 0; i < count; i++)
        write_sym(w, NULL, items[i]);
    json_end(&w->json, ']');
}

void write_symbolic_value(struct writer *w, const char *key, const struct json *v)
{
    if (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT) {
        json_begin(&w->json, key, v->kind == JSON_ARRAY ? '[' : '{');
        for (const struct json *m = v->first; m; m = m->next)
            write_symbolic_value(w, m->key, m);
        json_end(&w->json, v->kind == JSON_ARRAY ? ']' : '}');
        return;
    }
    const struct sym *s = NULL;
    if (v->kind == JSON_STRING && w->sdfg->syntax == SYM_SYNTAX_OLD) {
        uint32_t before = diags_count(w->ir->diags); /* text that is no expression is kept; that is no error here */
        s = sym_parse(w->ir, &w->sdfg->region.block.place, v->text, SYM_SYNTAX_OLD);
        diags_reset(w->ir->diags, before);
    }
    if (s)
        write_sym(w, key, s);
    else
        json_write_value(&w->json, key, v);
}

void write_enum(struct writer *w, const char *key, const struct enum_value *e, enum enum_row otherwise)
{
    if (!e || e == enum_builtin(w->ir, otherwise))
        return;
    if (e->attributes)
        json_write_value(&w->json, key, e->attributes);
    else
        json_write_string(&w->json, key, e->name);
}

/* ---- types ---- */

static uint32_t sum_of_sizes(const struct type *t)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->num_fields; i++)
        sum += t->fields[i].type->size;
    return sum;
}

static void write_struct_type(struct writer *w, const struct type *t)
{
    json_write_string(&w->json, "name", t->name);
    json_begin(&w->json, "data", '[');
    for (uint32_t i = 0; i < t->num_fields; i++) {
        json_begin(&w->json, NULL, '[');
        json_write_string(&w->json, NULL, t->fields[i].name);
        write_type(w, NULL, t->fields[i].type, NULL);
        json_end(&w->json, ']');
    }
    json_end(&w->json, ']');
    json_begin(&w->json, "length", '[');
    for (uint32_t i = 0; i < t->num_fields; i++) {
        if (!t->fields[i].length_text)
            continue;
        json_begin(&w->json, NULL, '[');
        json_write_string(&w->json, NULL, t->fields[i].name);
        json_write_string(&w->json, NULL, t->fields[i].length_text);
        json_end(&w->json, ']');
    }
    json_end(&w->json, ']');
    json_write_int(&w->json, "bytes", sum_of_sizes(t));
}

static void write_callback_type(struct writer *w, const struct type *t)
{
    json_begin(&w->json, "arguments", '[');
    for (uint32_t i = 0; i < t->num_fields; i++)
        write_type(w, NULL, t->fields[i].type, NULL);
    json_end(&w->json, ']');
    json_begin(&w->json, "returntypes", '[');
    for (uint32_t i = 0; i < t->num_results; i++)
        write_type(w, NULL, t->results[i], NULL);
    json_end(&w->json, ']');
}

static void write_vector_type(struct writer *w, const struct type *t)
{
    write_type(w, "dtype", t->elem, NULL);
    if (t->lanes_text) {
        json_write_string(&w->json, "elements", t->lanes_text);
        return;
    }
    struct text lanes = text_new(w->ir->arena);
    text_printf(&lanes, "%u", t->lanes);
    json_write_string(&w->json, "elements", text_get(&lanes));
}

void write_type(struct writer *w, const char *key, const struct type *t, const struct json *json)
{
    static const char *const names[TYPE_COUNT] = {
        [TYPE_POINTER] = "pointer", [TYPE_VECTOR] = "vector", [TYPE_STRUCT] = "struct",
        [TYPE_OPAQUE] = "opaque",   [TYPE_STRING] = "string", [TYPE_CALLBACK] = "callback"
    };
    if (json && (!t || (t->kind == TYPE_CALLBACK && json_get(json, "returntypes")))) {
        json_write_value(&w->json, key, json); /* entries of callbacks may be descriptors */
        return;
    }
    if (!t || t->kind == TYPE_VOID) {
        json_write_null(&w->json, key);
        return;
    }
    if (type_is_basic(t)) {
        json_write_string(&w->json, key, t->name);
        return;
    }
    json_begin(&w->json, key, '{');
    json_write_string(&w->json, "type", names[t->kind]);
    if (t->kind == TYPE_POINTER)
        write_type(w, "dtype", t->elem, NULL);
    else if (t->kind == TYPE_VECTOR)
        write_vector_type(w, t);
    else if (t->kind == TYPE_STRUCT)
        write_struct_type(w, t);
    else if (t->kind == TYPE_OPAQUE)
        json_write_string(&w->json, "ctype", t->name);
    else if (t->kind == TYPE_CALLBACK)
        write_callback_type(w, t);
    json_end(&w->json, '}');
}

/* ---- code, places, subsets ---- */

void write_code(struct writer *w, const char *key, const struct code_text *c)
{
    json_begin(&w->json, key, '{');
    json_write_key(&w->json, "string_data");
    json_write_string(&w->json, NULL, c->text);
    json_write_key(&w->json, "language");
    json_write_string(&w->json, NULL, c->language->name);
    json_end(&w->json, '}');
}

void write_gate(struct writer *w, const char *key, const struct code_text *c)
{
    if (*c->text && strcmp(c->text, "1") != 0)
        write_code(w, key, c);
}

/* The file as its index where the list of the root has it, else by name: an SDFG that was loaded from a file of its own
 * has another list. */
static void write_file(struct writer *w, const char *file)
{
    for (uint32_t i = 0; i < w->root->source_files.count; i++)
        if (w->root->source_files.items[i] == file || !strcmp(w->root->source_files.items[i], file)) {
            json_write_key(&w->json, "file_index");
            json_write_int(&w->json, NULL, i);
            return;
        }
    json_write_string(&w->json, "filename", file);
}

void write_debug_info(struct writer *w, const struct place *at, const struct json *attributes)
{
    static const char *const known[] = { "type", "start_line", "start_column", "filename", "file_index", NULL };
    if (!at->line)
        return;
    json_write_literal(&w->json, "\"debuginfo\":{\"type\":\"DebugInfo\",\"start_line\":");
    json_write_int(&w->json, NULL, at->line);
    if (at->column) {
        json_write_key(&w->json, "start_column");
        json_write_int(&w->json, NULL, at->column);
    }
    if (at->file)
        write_file(w, at->file);
    write_rest(w, json_get(attributes, "debuginfo"), known, NULL);
    json_end(&w->json, '}');
}

void write_subset(struct writer *w, const char *key, const struct subset *s)
{
    if (!s)
        return;
    json_begin(&w->json, key, '{');
    json_write_literal(&w->json, "\"type\":\"Range\",\"ranges\":[");
    for (uint32_t i = 0; i < s->rank; i++) {
        json_write_literal(&w->json, "{\"start\":");
        write_sym(w, NULL, s->dims[i].begin);
        json_write_key(&w->json, "end");
        write_sym(w, NULL, s->dims[i].end);
        if (sym_is_int(s->dims[i].step, 1) && sym_is_int(s->dims[i].tile, 1)) {
            json_write_literal(&w->json, "\"step\":\"1\",\"tile\":\"1\"");
        } else {
            write_sym(w, "step", s->dims[i].step);
            write_sym(w, "tile", s->dims[i].tile);
        }
        json_end(&w->json, '}');
    }
    json_end(&w->json, ']');
    json_end(&w->json, '}');
}
