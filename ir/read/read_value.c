#include "ir/read/read.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static const char *const kind_names[] = { "null",     "a boolean", "a boolean", "an integer",
                                          "a number", "a string",  "an array",  "an object" };

static bool is_set(const struct json *v) { return v && v->kind != JSON_NULL; }

const struct json *read_attributes(struct reader *r, const struct place *at, const struct json *record)
{
    return read_required(r, at, record, "attributes", JSON_OBJECT);
}

const struct json *read_required(struct reader *r, const struct place *at, const struct json *record, const char *key,
                                 enum json_kind kind)
{
    const struct json *v = json_get(record, key);
    if (!v)
        return diag_error(r->ir->diags, at, DIAG_READ_MISSING, key), NULL;
    if (v->kind != kind)
        return diag_error(r->ir->diags, at, DIAG_READ_KIND, key, kind_names[kind]), NULL;
    return v;
}

bool read_flag(struct reader *r, const struct place *at, const struct json *attributes, const char *key, bool otherwise)
{
    const struct json *v = json_get(attributes, key);
    if (is_set(v) && v->kind != JSON_TRUE && v->kind != JSON_FALSE)
        diag_error(r->ir->diags, at, DIAG_READ_KIND, key, "a boolean");
    return json_bool(v, otherwise);
}

int read_int(struct reader *r, const struct place *at, const struct json *attributes, const char *key, int otherwise)
{
    const struct json *v = json_get(attributes, key);
    int64_t value;
    if (!is_set(v))
        return otherwise;
    if (json_int(v, &value) && value >= INT_MIN && value <= INT_MAX)
        return (int)value;
    diag_error(r->ir->diags, at, DIAG_READ_KIND, key, "an integer of 32 bits");
    return otherwise;
}

const char *read_string(struct reader *r, const struct place *at, const struct json *attributes, const char *key,
                        const char *otherwise)
{
    const struct json *v = json_get(attributes, key);
    if (!is_set(v))
        return otherwise;
    if (v->kind == JSON_STRING)
        return v->text;
    diag_error(r->ir->diags, at, DIAG_READ_KIND, key, "a string");
    return otherwise;
}

/* ---- symbolic text ---- */

/* Older releases wrote A[i] as A(i): a call of a container is an element access (format.md 5.7). */
static const struct sym *restore_subscripts(struct reader *r, const struct sym *s)
{
    const struct sym **args = NULL;
    for (uint32_t i = 0; i < s->num_args; i++) {
        const struct sym *arg = restore_subscripts(r, s->args[i]);
        if (arg != s->args[i] && !args)
            args = arena_copy(r->ir->arena, s->args, s->num_args * sizeof *args);
        if (args)
            args[i] = arg;
    }
    bool access = s->op == SYM_CALL && map_has(&r->sdfg->container_by_name, s->name);
    if (!args && !access)
        return s;
    return sym_make(r->ir, access ? SYM_SUBSCRIPT : s->op, s->type, s->op >= SYM_SUBSCRIPT ? s->name : NULL,
                    args ? args : s->args, s->num_args);
}

static const struct sym *parse_symbolic(struct reader *r, const struct place *at, const char *text)
{
    const char *key = intern(r->ir->names, text);
    const struct sym *s = map_get(&r->symbolic, key);
    if (!s) {
        s = sym_parse(r->ir, at, key, r->syntax);
        if (!s)
            return sym_int(r->ir, 0);
        map_put(r->ir->arena, &r->symbolic, key, (void *)(uintptr_t)s);
    }
    return r->syntax == SYM_SYNTAX_OLD && strchr(key, '(') ? restore_subscripts(r, s) : s;
}

const struct sym *read_symbolic(struct reader *r, const struct place *at, const struct json *value)
{
    if (!is_set(value))
        return NULL;
    if (value->kind == JSON_OBJECT)
        value = json_get(value, "main");
    if (json_is(value, JSON_STRING) || json_is(value, JSON_INT) || json_is(value, JSON_REAL))
        return parse_symbolic(r, at, value->text);
    diag_error(r->ir->diags, at, DIAG_READ_SYMBOLIC);
    return sym_int(r->ir, 0);
}

const struct sym *read_symbolic_at(struct reader *r, const struct place *at, const struct json *attributes,
                                   const char *key, int64_t otherwise)
{
    const struct sym *s = read_symbolic(r, at, json_get(attributes, key));
    return s ? s : sym_int(r->ir, otherwise);
}

/* ---- enumerations ---- */

const struct enum_value *read_enum(struct reader *r, const struct place *at, const struct json *attributes,
                                   const char *key, enum enum_row otherwise)
{
    const struct enum_value *standard = enum_builtin(r->ir, otherwise);
    const struct json *v = json_get(attributes, key);
    if (!is_set(v))
        return standard;
    const struct enum_value *e = enum_from_json(r->ir, standard->kind, v);
    if (!e) {
        diag_error(r->ir->diags, at, DIAG_READ_KIND, key, "a name");
        return standard;
    }
    bool closed = e->kind == ENUM_LIFETIME || e->kind == ENUM_OMP_SCHEDULE;
    if (closed && e != enum_builtin(r->ir, (enum enum_row)e->row))
        diag_warning(r->ir->diags, at, DIAG_READ_ENUM, key, e->name);
    const char *wrong = enum_attributes_wrong(r->ir, e);
    if (wrong)
        diag_error(r->ir->diags, at, DIAG_READ_ATTRIBUTES, e->name, key, wrong);
    return e;
}

/* ---- element types ---- */

static bool is_field_name(const char *name)
{
    bool good = isalpha((unsigned char)*name) || *name == '_';
    for (; good && *name; name++)
        good = isalnum((unsigned char)*name) || *name == '_';
    return good;
}

static bool has_field(const struct type_field *fields, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(fields[i].name, name))
            return true;
    return false;
}

static const struct type *read_struct(struct reader *r, const struct json *record)
{
    const struct json *data = json_get(record, "data"), *lengths = json_get(record, "length");
    const char *name = json_string(json_get(record, "name"));
    VEC(struct type_field) fields = { 0 };
    if (!name || !json_is(data, JSON_ARRAY))
        return NULL;
    for (const struct json *pair = data->first; pair; pair = pair->next) {
        struct type_field f = { .name = json_string(json_at(pair, 0)), .type = read_type(r, json_at(pair, 1)) };
        if (!f.name || !f.type || !is_field_name(f.name) || has_field(fields.items, fields.count, f.name))
            return NULL;
        for (const struct json *l = lengths && lengths->kind == JSON_ARRAY ? lengths->first : NULL; l; l = l->next) {
            const char *field = json_string(json_at(l, 0));
            const struct json *length = json_at(l, 1);
            if (field && !strcmp(field, f.name) && (json_is(length, JSON_STRING) || json_is(length, JSON_INT)))
                f.length_text = length->text;
        }
        vec_push(r->ir->arena, &fields, f);
    }
    return type_struct(r->ir, name, fields.items, fields.count);
}

/* An entry of a callback: a type, or a descriptor, whose arrays are passed as pointers. */
static const struct type *read_callback_entry(struct reader *r, const struct json *entry)
{
    const struct json *attributes = json_get(entry, "attributes");
    if (!attributes)
        return read_type(r, entry);
    const struct json *dtype = json_get(attributes, "dtype");
    const struct type *t = dtype ? read_type(r, dtype) : type_basic(r->ir, TYPE_I32);
    const char *kind = json_string(json_get(entry, "type"));
    return !t || !kind || !strcmp(kind, "Scalar") || t->kind == TYPE_POINTER ? t : type_pointer(r->ir, t);
}

static const struct type *read_callback(struct reader *r, const struct json *record)
{
    VEC(struct type_field) arguments = { 0 };
    VEC(const struct type *) results = { 0 };
    const struct json *list = json_get(record, "arguments"), *returns = json_get(record, "returntypes");
    for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next) {
        struct type_field f = { .name = "", .type = read_callback_entry(r, v) };
        if (!f.type)
            return NULL;
        vec_push(r->ir->arena, &arguments, f);
    }
    if (!returns && is_set(json_get(record, "returntype"))) { /* up to 0.11.2: one */
        const struct type *t = read_callback_entry(r, json_get(record, "returntype"));
        vec_push(r->ir->arena, &results, t);
    }
    for (const struct json *v = json_is(returns, JSON_ARRAY) ? returns->first : NULL; v; v = v->next) {
        const struct type *t = read_callback_entry(r, v);
        vec_push(r->ir->arena, &results, t);
    }
    for (uint32_t i = 0; i < results.count; i++)
        if (!results.items[i])
            return NULL;
    for (uint32_t i = 0; results.count > 1 && i < results.count; i++) { /* several: each through a pointer */
        const char *kind = json_string(json_get(json_at(returns, i), "type"));
        bool is_array = json_get(json_at(returns, i), "attributes") && kind && strcmp(kind, "Scalar") != 0;
        if (!is_array)
            results.items[i] = type_pointer(r->ir, results.items[i]);
    }
    return type_callback(r->ir, arguments.items, arguments.count, results.items, results.count);
}

static const struct type *read_vector(struct reader *r, const struct json *record)
{
    const struct type *elem = read_type(r, json_get(record, "dtype"));
    const struct json *elements = json_get(record, "elements");
    int64_t lanes;
    if (!elem || elem->kind == TYPE_VOID)
        return NULL;
    if (json_int(elements, &lanes))
        return lanes > 0 && lanes <= 65536 ? type_vector(r->ir, elem, (uint32_t)lanes, NULL) : NULL;
    return json_is(elements, JSON_STRING) ? type_vector(r->ir, elem, 0, elements->text) : NULL;
}

const struct type *read_type(struct reader *r, const struct json *value)
{
    if (!is_set(value))
        return type_basic(r->ir, TYPE_VOID);
    if (value->kind == JSON_STRING)
        return type_by_name(r->ir, value->text);
    const char *kind = json_string(json_get(value, "type"));
    if (!kind)
        return NULL;
    if (!strcmp(kind, "pointer")) {
        const struct type *elem = read_type(r, json_get(value, "dtype"));
        return elem ? type_pointer(r->ir, elem) : NULL;
    }
    if (!strcmp(kind, "vector"))
        return read_vector(r, value);
    if (!strcmp(kind, "struct"))
        return read_struct(r, value);
    if (!strcmp(kind, "callback"))
        return read_callback(r, value);
    if (!strcmp(kind, "string"))
        return type_basic(r->ir, TYPE_STRING);
    const char *ctype = json_string(json_get(value, "ctype"));
    return !strcmp(kind, "opaque") && ctype ? type_opaque(r->ir, ctype) : NULL;
}

/* ---- code ---- */

static bool is_blank(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return !*text;
}

struct code_text read_code(struct reader *r, const struct place *at, const struct json *value, enum enum_row language)
{
    struct code_text code = { .text = "", .language = enum_builtin(r->ir, language) };
    if (json_is(value, JSON_STRING)) {
        code.text = value->text;
    } else if (json_is(value, JSON_INT) || json_is(value, JSON_REAL)) {
        code.text = value->text;
    } else if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE)) {
        code.text = value->kind == JSON_TRUE ? "True" : "False";
    } else if (json_is(value, JSON_OBJECT)) {
        code.text = read_string(r, at, value, "string_data", "");
        const char *name = read_string(r, at, value, "language", NULL);
        if (name && !strcmp(name, "NoCode"))
            code.text = "";
        else if (name)
            code.language = enum_by_name(r->ir, ENUM_LANGUAGE, name);
    } else if (is_set(value)) {
        diag_error(r->ir->diags, at, DIAG_READ_CODE);
    }
    return code;
}

/* The first statement: up to a line end or semicolon outside of brackets and strings. */
static const char *first_statement(struct reader *r, const char *text)
{
    int depth = 0;
    char quote = 0;
    text += strspn(text, " \t\r\n");
    const char *c = text;
    for (; *c; c++) {
        if (quote) {
            if (*c == '\\' && c[1])
                c++;
            else if (*c == quote)
                quote = 0;
        } else if (*c == '\'' || *c == '"') {
            quote = *c;
        } else if (strchr("([{", *c)) {
            depth++;
        } else if (strchr(")]}", *c)) {
            depth--;
        } else if (depth <= 0 && (*c == '\n' || *c == ';')) {
            break;
        }
    }
    return *c ? arena_strndup(r->ir->arena, text, (size_t)(c - text)) : text;
}

/* Only the first statement is executed (format.md 2.5); what stands behind it need not be meaningful. */
struct code_text read_python(struct reader *r, const struct place *at, const struct json *value, bool statement)
{
    struct code_text code = read_code(r, at, value, LANGUAGE_PYTHON);
    if (is_blank(code.text)) {
        code.text = "";
    } else if (code.language->row != LANGUAGE_PYTHON) {
        diag_error(r->ir->diags, at, DIAG_READ_LANGUAGE, code.language->name);
    } else {
        const char *first = first_statement(r, code.text);
        code.tree = statement ? python_parse(r->ir, at, first) : python_parse_expression(r->ir, at, first);
    }
    return code;
}

/* ---- places, names, references ---- */

void read_debug_info(struct reader *r, struct place *at, const struct json *attributes)
{
    const struct json *info = json_get(attributes, "debuginfo");
    int64_t line, column, file;
    if (!json_int(json_get(info, "start_line"), &line) || line <= 0 || line > INT_MAX)
        return;
    at->line = (uint32_t)line;
    if (json_int(json_get(info, "start_column"), &column) && column > 0 && column <= INT_MAX)
        at->column = (uint32_t)column;
    at->file = json_string(json_get(info, "filename"));
    if (!at->file && json_int(json_get(info, "file_index"), &file) && file >= 0 && file < r->root->source_files.count)
        at->file = r->root->source_files.items[file];
}

bool read_name(struct reader *r, const struct place *at, const char *name)
{
    bool start = true; /* of a part between dots */
    bool good = *name && strcmp(name, "True") && strcmp(name, "False") && strcmp(name, "None");
    for (const char *c = name; good && *c; c++) {
        if (*c == '.')
            good = !start;
        else
            good = isalpha((unsigned char)*c) || *c == '_' || (!start && isdigit((unsigned char)*c));
        start = *c == '.';
    }
    return (good && !start) || diag_error(r->ir->diags, at, DIAG_READ_NAME, name);
}

bool read_index(struct reader *r, const struct place *at, const struct json *record, const char *key, uint32_t count,
                uint32_t *out)
{
    const struct json *v = json_get(record, key);
    int64_t index;
    if (!v)
        return diag_error(r->ir->diags, at, DIAG_READ_MISSING, key);
    if (!json_int(v, &index))
        return diag_error(r->ir->diags, at, DIAG_READ_KIND, key, "an index");
    if (index < 0 || index >= count)
        return diag_error(r->ir->diags, at, DIAG_READ_INDEX, key, (long long)index, count);
    *out = (uint32_t)index;
    return true;
}
