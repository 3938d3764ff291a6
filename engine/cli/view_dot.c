#include "engine/cli/view_page.h"

#include "ir/json/json.h"

#include <ctype.h>

/* Blocks and nodes are named after their way from the root: "b0_3" is block 3 of block 0. Edges between clusters begin
 * and end at a point that is in each of them. */

struct dot {
    struct text *out;
    struct arena *arena;
};

static void add_region(struct dot *d, const struct json *region, const char *path);

/* Symbols have a $ before them in files, not here. */
static void add_quoted(struct text *out, const char *s)
{
    text_addc(out, '"');
    for (; s && *s; s++)
        if (*s == '$' && (isalpha((unsigned char)s[1]) || s[1] == '_'))
            continue;
        else if (*s == '\n')
            text_add(out, "\\n");
        else {
            if (*s == '"' || *s == '\\')
                text_addc(out, '\\');
            text_addc(out, *s);
        }
    text_addc(out, '"');
}

static const char *string_of(const struct json *object, const char *key)
{
    const char *s = json_string(json_get(object, key));
    return s ? s : "";
}

/* Numbers are written as such or as text. */
static int64_t number_of(const struct json *object, const char *key)
{
    int64_t n = -1;
    json_int(json_get(object, key), &n);
    return n;
}

static void begin_cluster(struct dot *d, const char *path, const char *label, const char *fill)
{
    text_printf(d->out, "subgraph \"cluster_%s\" {\nstyle=\"rounded,filled\"; fillcolor=\"%s\"; label=", path, fill);
    add_quoted(d->out, label);
    text_printf(d->out, ";\n\"%s\" [shape=point, style=invis, width=0, height=0];\n", path);
}

/* The text of a property that holds code. */
static const char *code_of(const struct json *attributes, const char *key)
{
    const struct json *code = json_get(attributes, key);
    return json_string(code) ? json_string(code) : string_of(code, "string_data");
}

static void add_range(struct text *out, const struct json *subset)
{
    const struct json *ranges = json_get(subset, "ranges");
    text_addc(out, '[');
    for (uint32_t i = 0; ranges && i < ranges->count; i++) {
        const struct json *r = json_at(ranges, i);
        const char *begin = string_of(r, "start"), *end = string_of(r, "end");
        text_printf(out, "%s%s", i ? ", " : "", begin);
        if (strcmp(begin, end) != 0)
            text_printf(out, "..%s", end);
        if (*string_of(r, "step") && strcmp(string_of(r, "step"), "1") != 0)
            text_printf(out, " by %s", string_of(r, "step"));
    }
    text_addc(out, ']');
}

static const char *memlet_label(struct dot *d, const struct json *edge)
{
    const struct json *m = json_get(json_get(json_get(edge, "attributes"), "data"), "attributes");
    if (!*string_of(m, "data"))
        return "";
    struct text label = text_new(d->arena);
    text_add(&label, string_of(m, "data"));
    if (json_is(json_get(m, "subset"), JSON_OBJECT))
        add_range(&label, json_get(m, "subset"));
    if (*string_of(m, "wcr"))
        text_printf(&label, " (%s)", string_of(m, "wcr"));
    return text_get(&label);
}

static const char *shape_of(const char *type)
{
    static const char *const shapes[][2] = { { "AccessNode", "ellipse" },     { "Tasklet", "octagon" },
                                             { "MapEntry", "trapezium" },     { "MapExit", "invtrapezium" },
                                             { "ConsumeEntry", "trapezium" }, { "ConsumeExit", "invtrapezium" } };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(type, shapes[i][0]))
            return shapes[i][1];
    return "box";
}

static void add_state(struct dot *d, const struct json *state, const char *path)
{
    const struct json *nodes = json_get(state, "nodes"), *edges = json_get(state, "edges");
    for (const struct json *n = nodes && nodes->count ? nodes->first : NULL; n; n = n->next) {
        const struct json *nested = json_get(json_get(n, "attributes"), "sdfg");
        const char *name = arena_printf(d->arena, "%s_n%lld", path, (long long)number_of(n, "id"));
        if (json_is(nested, JSON_OBJECT)) {
            begin_cluster(d, name, string_of(n, "label"), "#fff0f6");
            add_region(d, nested, name);
            text_add(d->out, "}\n");
            continue;
        }
        text_printf(d->out, "\"%s\" [shape=%s, label=", name, shape_of(string_of(n, "type")));
        add_quoted(d->out, string_of(n, "label"));
        text_add(d->out, "];\n");
    }
    for (const struct json *e = edges && edges->count ? edges->first : NULL; e; e = e->next) {
        text_printf(d->out, "\"%s_n%lld\" -> \"%s_n%lld\" [label=", path, (long long)number_of(e, "src"), path,
                    (long long)number_of(e, "dst"));
        add_quoted(d->out, memlet_label(d, e));
        text_add(d->out, "];\n");
    }
}

static void add_branches(struct dot *d, const struct json *block, const char *path)
{
    const struct json *branches = json_get(block, "branches");
    for (uint32_t i = 0; branches && i < branches->count; i++) {
        const struct json *branch = json_at(branches, i), *condition = json_at(branch, 0);
        const char *name = arena_printf(d->arena, "%s_%u", path, i);
        const char *text = json_is(condition, JSON_OBJECT) ? string_of(condition, "string_data") : "";
        begin_cluster(d, name, *text ? arena_printf(d->arena, "if %s", text) : "else", "#fff9db");
        add_region(d, json_at(branch, 1), name);
        text_add(d->out, "}\n");
    }
}

static const char *block_label(struct dot *d, const struct json *block)
{
    const struct json *attributes = json_get(block, "attributes");
    const char *condition = code_of(attributes, "loop_condition");
    return *condition ? arena_printf(d->arena, "%s: while %s", string_of(block, "label"), condition)
                      : string_of(block, "label");
}

static void add_block(struct dot *d, const struct json *block, const char *path)
{
    const char *type = string_of(block, "type");
    bool state = !strcmp(type, "SDFGState"), branches = !strcmp(type, "ConditionalBlock");
    begin_cluster(d, path, block_label(d, block), state ? "#e7f5ff" : branches ? "#fff3bf" : "#e5dbff");
    if (state)
        add_state(d, block, path);
    else if (branches)
        add_branches(d, block, path);
    else
        add_region(d, block, path);
    text_add(d->out, "}\n");
}

static const char *transition_label(struct dot *d, const struct json *edge)
{
    const struct json *a = json_get(json_get(json_get(edge, "attributes"), "data"), "attributes"),
                      *sets = json_get(a, "assignments");
    struct text label = text_new(d->arena);
    const char *condition = code_of(a, "condition");
    if (*condition && strcmp(condition, "1") != 0 && strcmp(condition, "True") != 0)
        text_printf(&label, "if %s\n", condition);
    for (const struct json *s = json_is(sets, JSON_OBJECT) && sets->count ? sets->first : NULL; s; s = s->next)
        text_printf(&label, "%s = %s\n", s->key, json_string(s) ? json_string(s) : "");
    return text_get(&label);
}

static void add_region(struct dot *d, const struct json *region, const char *path)
{
    const struct json *nodes = json_get(region, "nodes"), *edges = json_get(region, "edges");
    for (const struct json *b = nodes && nodes->count ? nodes->first : NULL; b; b = b->next)
        add_block(d, b, arena_printf(d->arena, "%s_b%lld", path, (long long)number_of(b, "id")));
    for (const struct json *e = edges && edges->count ? edges->first : NULL; e; e = e->next) {
        const char *from = arena_printf(d->arena, "%s_b%lld", path, (long long)number_of(e, "src"));
        const char *to = arena_printf(d->arena, "%s_b%lld", path, (long long)number_of(e, "dst"));
        text_printf(d->out, "\"%s\" -> \"%s\" [ltail=\"cluster_%s\", lhead=\"cluster_%s\", label=", from, to, from, to);
        add_quoted(d->out, transition_label(d, e));
        text_add(d->out, "];\n");
    }
}

bool view_dot(struct text *out, struct diags *diags, const char *sdfg, size_t size)
{
    struct dot d = { .out = out, .arena = out->arena };
    const struct json *root = json_parse(out->arena, diags, sdfg, size);
    if (!root)
        return false;
    text_add(out, "digraph ");
    add_quoted(out, string_of(json_get(root, "attributes"), "name"));
    text_add(out, " {\ncompound=true; node [style=filled, fillcolor=white];\n");
    add_region(&d, root, "sdfg");
    text_add(out, "}\n");
    return true;
}
