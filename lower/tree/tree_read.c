#include "lower/tree/tree_read.h"

#include <ctype.h>
#include <string.h>

/* ---- bytes of constants: they stand behind the functions that name them ---- */

static int digit(char c) { return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* data 0 = 00ff... */
static bool read_bytes(struct tree_reader *r)
{
    int64_t number;
    if (!read_expect(r, "data") || !read_number(r, r->data.count, r->data.count, &number) || !read_expect(r, "="))
        return false;
    read_skip(r);
    const char *start = r->at;
    while (r->at < r->end && digit(*r->at) >= 0)
        r->at++;
    size_t size = (size_t)(r->at - start) / 2;
    unsigned char *bytes = arena_alloc(r->tree->arena, size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(digit(start[2 * i]) * 16 + digit(start[2 * i + 1]));
    vec_push(r->tree->arena, &r->data, ((struct tree_bytes){ bytes, size }));
    return r->at == r->end || *r->at == '\n' || read_missing(r, "two hexadecimal digits for each byte");
}

/* Takes the lines of data off the end. */
static bool read_all_bytes(struct tree_reader *r)
{
    const char *start = r->text, *end = r->end;
    for (const char *line = start; line && line < end; line = memchr(line, '\n', (size_t)(end - line))) {
        line += line > start || *line == '\n';
        if (end - line < 5 || memcmp(line, "data ", 5) != 0)
            continue;
        r->at = line;
        if (!read_bytes(r))
            return false;
    }
    r->at = start;
    return true;
}

/* ---- types ---- */

/* struct S { x: float64, p: float64* } */
static bool read_struct(struct tree_reader *r)
{
    bool quoted;
    VEC(struct type_field) fields = { 0 };
    const char *name, *key;
    bool again;
    uint32_t number;
    if (!read_tree_name(r, &name, &again, &number, &key) || !read_expect(r, "{"))
        return false;
    while (!read_accept(r, "}")) {
        struct type_field f = { 0 };
        if (fields.count && !read_expect(r, ","))
            return false;
        if (!(f.name = read_word(r, &quoted)))
            return read_missing(r, "the name of a field");
        if (!read_expect(r, ":") || !(f.type = read_tree_type(r)))
            return false;
        vec_push(r->tree->arena, &fields, f);
    }
    map_put(r->tree->arena, &r->types, key,
            (void *)(uintptr_t)type_struct(r->tree->ir, name, fields.items, fields.count));
    return true;
}

static bool read_opaque(struct tree_reader *r)
{
    bool quoted;
    const char *name = read_word(r, &quoted);
    if (!name)
        return read_missing(r, "the name of a type");
    map_put(r->tree->arena, &r->types, name, (void *)(uintptr_t)type_opaque(r->tree->ir, name));
    return true;
}

/* ---- functions ---- */

static bool read_param(struct tree_reader *r, struct tree_func *f)
{
    struct tree_named n = { 0 };
    struct tree_param p = { 0 };
    const char *key;
    int64_t alignment = 0;
    if (!read_tree_name(r, &n.name, &n.again, &n.id, &key) || !read_declaration(r, &n) || !n.type)
        return read_missing(r, "a parameter: a name and ': type'");
    p.var = map_get(&r->vars, key); /* functions of a program have the same ones */
    if (p.var && (r->tree->functions.count == 1 || p.var->type != n.type))
        return read_missing(r, "another name");
    p.name = n.name;
    p.alias = n.alias;
    p.by_value = n.type->kind != TYPE_POINTER;
    p.alignment = n.type->kind == TYPE_POINTER ? n.type->elem->align : n.type->align;
    if (read_accept(r, "by")) {
        p.by_value = read_accept(r, "value");
        if (!p.by_value && !read_expect(r, "address"))
            return false;
    }
    p.device = read_accept(r, "device");
    p.no_alias = n.type->kind == TYPE_POINTER && !read_accept(r, "aliased");
    if ((read_accept(r, "align") && !read_number(r, 1, 4096, &alignment)) ||
        (read_accept(r, "count") && !read_number(r, 0, INT64_MAX, &p.count)))
        return false;
    p.alignment = alignment > p.alignment ? (uint32_t)alignment : p.alignment;
    p.var = p.var ? p.var : read_declare(r, &n, n.type);
    vec_push(r->tree->arena, &f->params, p);
    return true;
}

/* where A N * N, B N: elements of parameters */
static bool read_elements(struct tree_reader *r, struct tree_func *f)
{
    bool more = read_accept(r, "where");
    while (more) {
        const char *name, *key;
        bool again;
        uint32_t id, i = 0;
        if (!read_tree_name(r, &name, &again, &id, &key))
            return false;
        const struct tree_var *v = map_get(&r->vars, key);
        while (i < f->params.count && f->params.items[i].var != v)
            i++;
        if (i == f->params.count)
            return read_missing(r, "a parameter");
        if (!(f->params.items[i].elements = read_expr(r, 0)))
            return false;
        more = read_accept(r, ",");
    }
    return true;
}

/* program function(parameters) where array elements { ... } */
static bool read_func(struct tree_reader *r)
{
    bool quoted;
    struct tree *t = r->tree;
    const char *program = read_word(r, &quoted), *name = program ? read_word(r, &quoted) : NULL;
    if (!name || !read_expect(r, "("))
        return read_missing(r, "the names of the program and of a function");
    if (t->functions.count && strcmp(t->name, program) != 0)
        return read_missing(r, "a function of the same program");
    t->name = program;
    struct tree_func *f = tree_func(t, name);
    while (!read_accept(r, ")"))
        if ((f->params.count && !read_expect(r, ",")) || !read_param(r, f))
            return false;
    return read_elements(r, f) && read_block(r, f->body);
}

/* ---- the whole ---- */

static bool is_taken(const struct map *ids, uint32_t id) { return map_has(ids, (void *)(uintptr_t)(id + 1)); }

static void take(struct arena *a, struct map *ids, uint32_t id)
{
    map_put(a, ids, (void *)(uintptr_t)(id + 1), (void *)(uintptr_t)1);
}

/* Variables and labels whose numbers are not written get those that are free. */
static void number(struct tree_reader *r)
{
    struct tree *t = r->tree;
    struct map vars = { 0 }, labels = { 0 };
    uint32_t id = 0;
    for (uint32_t i = 0; i < r->vars.count; i++) {
        const struct tree_var *v = r->vars.slots[i].value;
        if (v->again)
            take(t->scratch, &vars, v->id);
    }
    for (uint32_t i = 0; i < r->labels.count; i++) {
        const struct tree_label *l = r->labels.slots[i].value;
        if (l->again)
            take(t->scratch, &labels, l->id);
    }
    for (uint32_t i = 0; i < r->unnumbered.count; i++, id++) {
        while (is_taken(&vars, id))
            id++;
        r->unnumbered.items[i]->id = id;
        t->num_vars = id >= t->num_vars ? id + 1 : t->num_vars;
    }
    id = 0;
    for (uint32_t i = 0; i < r->unnumbered_labels.count; i++, id++) {
        while (is_taken(&labels, id))
            id++;
        r->unnumbered_labels.items[i]->id = id;
        t->num_labels = id >= t->num_labels ? id + 1 : t->num_labels;
    }
}

static bool read_items(struct tree_reader *r)
{
    for (;;) {
        while (r->at < r->end && isspace((unsigned char)*r->at))
            r->at++;
        bool comment = r->end - r->at > 1 && !memcmp(r->at, "//", 2);
        if (r->at == r->end)
            return r->tree->functions.count || read_missing(r, "a function");
        if (comment || (r->end - r->at > 5 && !memcmp(r->at, "data ", 5))) {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (read_accept(r, "struct")) {
            if (!read_struct(r))
                return false;
        } else if (read_accept(r, "opaque")) {
            if (!read_opaque(r))
                return false;
        } else if (!read_func(r)) {
            return false;
        }
    }
}

static bool syntax_error(const struct tree_reader *r, struct diags *d)
{
    unsigned line = 1, column = 1;
    for (const char *c = r->text; c < r->furthest; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return diag_error_in(d, NULL, r->text, (size_t)(r->end - r->text), (size_t)(r->furthest - r->text),
                         DIAG_TREE_SYNTAX, line, column, r->missing);
}

struct tree *tree_read(struct ir *ir, const char *text, size_t length)
{
    struct tree_reader r = { .tree = tree_new(ir, "tree"), .text = text, .at = text, .end = text + length };
    if (!read_all_bytes(&r) || !read_items(&r)) {
        syntax_error(&r, ir->diags);
        return NULL;
    }
    number(&r);
    return tree_verify(r.tree, ir->diags) ? r.tree : NULL;
}
