#include "engine/cli/describe.h"

#include "base/arena.h"
#include "base/text.h"
#include "engine/cli/terminal.h"
#include "ir/json/json.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[] = { "array", "scalar", "symbol", "structure", "container array", "other", "stream" };

static void add_type(struct text *t, const sdfg_argument *a)
{
    text_add(t, a->type);
    for (int i = 0; i < a->rank; i++)
        text_printf(t, "%s%s", i ? ", " : "[", a->shape[i]);
    if (a->rank)
        text_addc(t, ']');
    if (a->kind == SDFG_KIND_STREAM && strcmp(a->total_size, "1") != 0)
        text_printf(t, "[%s]", a->total_size);
}

static void add_notes(struct text *t, const sdfg_argument *a)
{
    if (a->transient)
        text_printf(t, "%s, %s", a->storage, a->lifetime);
    else
        text_add(t, kinds[a->kind]);
    if (a->returned)
        text_add(t, ", returned");
    else if (a->written && !a->transient)
        text_add(t, ", written");
    if (a->kind == SDFG_KIND_SYMBOL && a->solvable)
        text_add(t, ", solved from shapes");
    if (a->kind == SDFG_KIND_SYMBOL && a->optional)
        text_add(t, ", not needed to run");
}

/* `name` is what the library finds, `shown` what the reader sees: elements of container arrays are "B[0]" and "B[i]".
 */
static void print_members(const sdfg_program *p, const sdfg_argument *a, const char *name, const char *shown)
{
    struct arena *arena = arena_new();
    sdfg_argument m = { .struct_size = sizeof m };
    bool indexed = a->kind == SDFG_KIND_CONTAINER_ARRAY;
    for (size_t i = 0; sdfg_program_member(p, name, i, &m); i++) {
        struct text type = text_new(arena);
        const char *found = arena_printf(arena, indexed ? "%s[0]" : "%s.%s", name, m.name);
        const char *seen = arena_printf(arena, indexed ? "%s[i]" : "%s.%s", shown, m.name);
        add_type(&type, &m);
        terminal_lines(stdout, arena_printf(arena, "    %s  %s  %s\n", seen, text_get(&type), kinds[m.kind]));
        print_members(p, &m, found, seen);
    }
    arena_free(arena);
}

static int width_of(const sdfg_program *p, bool (*get)(const sdfg_program *, size_t, sdfg_argument *))
{
    int width = 0;
    sdfg_argument a = { .struct_size = sizeof a };
    for (size_t i = 0; get(p, i, &a); i++)
        width = (int)strlen(a.name) > width ? (int)strlen(a.name) : width;
    return width;
}

static void print_list(const sdfg_program *p, const char *title,
                       bool (*get)(const sdfg_program *, size_t, sdfg_argument *))
{
    sdfg_argument a = { .struct_size = sizeof a };
    int width = width_of(p, get);
    if (get(p, 0, &a))
        puts(title);
    for (size_t i = 0; get(p, i, &a); i++) {
        struct arena *arena = arena_new();
        struct text type = text_new(arena), notes = text_new(arena);
        add_type(&type, &a);
        add_notes(&notes, &a);
        terminal_lines(stdout,
                       arena_printf(arena, "  %-*s  %-24s  %s\n", width, a.name, text_get(&type), text_get(&notes)));
        if (!a.transient)
            print_members(p, &a, a.name, a.name);
        arena_free(arena);
    }
}

static void write_texts(struct json_writer *w, const char *key, const char *const *texts, int count)
{
    json_begin(w, key, '[');
    for (int i = 0; texts && i < count; i++)
        json_write_string(w, NULL, texts[i]);
    json_end(w, ']');
}

static void write_members(struct json_writer *w, const sdfg_program *p, const sdfg_argument *a, const char *name);

static void write_argument(struct json_writer *w, const sdfg_program *p, const sdfg_argument *a, const char *name)
{
    json_begin(w, NULL, '{');
    json_write_string(w, "name", a->name);
    json_write_string(w, "kind", kinds[a->kind]);
    json_write_string(w, "type", a->type);
    write_texts(w, "shape", a->shape, a->rank);
    write_texts(w, "strides", a->strides, a->rank);
    json_write_string(w, "total_size", a->total_size);
    json_write_string(w, "storage", a->storage);
    json_write_string(w, "lifetime", a->lifetime);
    json_write_bool(w, "optional", a->optional);
    json_write_bool(w, "returned", a->returned);
    json_write_bool(w, "written", a->written);
    json_write_bool(w, "solvable", a->solvable);
    if (a->num_members && !a->transient)
        write_members(w, p, a, name);
    json_end(w, '}');
}

static void write_members(struct json_writer *w, const sdfg_program *p, const sdfg_argument *a, const char *name)
{
    struct arena *arena = arena_new();
    sdfg_argument m = { .struct_size = sizeof m };
    json_begin(w, "members", '[');
    for (size_t i = 0; sdfg_program_member(p, name, i, &m); i++)
        write_argument(w, p, &m,
                       a->kind == SDFG_KIND_CONTAINER_ARRAY ? arena_printf(arena, "%s[0]", name)
                                                            : arena_printf(arena, "%s.%s", name, m.name));
    json_end(w, ']');
    arena_free(arena);
}

static void write_list(struct json_writer *w, const sdfg_program *p, const char *key,
                       bool (*get)(const sdfg_program *, size_t, sdfg_argument *))
{
    sdfg_argument a = { .struct_size = sizeof a };
    json_begin(w, key, '[');
    for (size_t i = 0; get(p, i, &a); i++)
        write_argument(w, p, &a, a.name);
    json_end(w, ']');
}

struct sizes {
    long long transients, per_thread, persistent, unknown;
};

static bool read_sizes(const char *memory, struct sizes *s)
{
    static const char form[] = "{\"transients\": %lld, \"per_thread\": %lld, \"persistent\": %lld, \"unknown\": %lld}";
    return memory && sscanf(memory, form, &s->transients, &s->per_thread, &s->persistent, &s->unknown) == 4;
}

static void print_sizes(const struct sizes *s)
{
    printf("heap of a call\n  temporaries at one time  %lld bytes\n", s->transients);
    if (s->per_thread)
        printf("  each thread besides      %lld bytes\n", s->per_thread);
    if (s->persistent)
        printf("  kept between calls       %lld bytes\n", s->persistent);
    if (s->unknown)
        printf("  of unknown size          %lld %s\n", s->unknown, s->unknown == 1 ? "block" : "blocks");
}

static void write_sizes(struct json_writer *w, const struct sizes *s)
{
    json_begin(w, "memory", '{');
    json_write_int(w, "transients", s->transients);
    json_write_int(w, "per_thread", s->per_thread);
    json_write_int(w, "persistent", s->persistent);
    json_write_int(w, "unknown", s->unknown);
    json_end(w, '}');
}

static void describe_json(const sdfg_program *p, const struct sizes *sizes)
{
    struct arena *arena = arena_new();
    struct text t = text_new(arena);
    struct json_writer w = { .out = &t };
    json_begin(&w, NULL, '{');
    json_write_string(&w, "name", sdfg_program_name(p));
    json_write_string(&w, "dace_version", sdfg_program_dace_version(p));
    write_list(&w, p, "arguments", sdfg_program_argument);
    write_list(&w, p, "transients", sdfg_program_transient);
    json_begin(&w, "constraints", '[');
    for (size_t i = 0; i < sdfg_program_num_constraints(p); i++)
        json_write_string(&w, NULL, sdfg_program_constraint(p, i));
    json_end(&w, ']');
    if (sizes)
        write_sizes(&w, sizes);
    json_end(&w, '}');
    puts(text_get(&t));
    arena_free(arena);
}

void describe(const sdfg_program *p, enum describe how, const char *memory)
{
    struct sizes sizes;
    bool known = read_sizes(memory, &sizes);
    if (how == DESCRIBE_JSON) {
        describe_json(p, known ? &sizes : NULL);
        return;
    }
    const char *version = sdfg_program_dace_version(p);
    printf(*version ? "%s (DaCe %s)\n" : "%s\n", sdfg_program_name(p), version);
    print_list(p, "arguments", sdfg_program_argument);
    if (sdfg_program_num_constraints(p))
        puts("constraints");
    for (size_t i = 0; i < sdfg_program_num_constraints(p); i++) {
        struct arena *arena = arena_new();
        terminal_lines(stdout, arena_printf(arena, "  %s\n", sdfg_program_constraint(p, i)));
        arena_free(arena);
    }
    print_list(p, "memory of the program", sdfg_program_transient);
    if (known)
        print_sizes(&sizes);
}
