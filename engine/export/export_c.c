#include "engine/export/export.h"

#include "base/map.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

/* Prototypes. Small floats are their bits. */

static const char *const c_types[] = {
#define TYPE(kind, name, bytes, ctype, suffix) [TYPE_##kind] = #ctype,
#include "ir/types.def"
#undef TYPE
};

struct header {
    struct text *out;
    struct arena *arena;
    const sdfg_export *request;
    struct map structs; /* types whose definition is written */
};

static const char *type_name(struct header *h, const struct type *t)
{
    if (type_is_basic(t))
        return c_types[t->kind];
    switch (t->kind) {
    case TYPE_POINTER:
        return arena_printf(h->arena, "%s *", type_name(h, t->elem));
    case TYPE_VECTOR:
        return type_name(h, t->elem);
    case TYPE_STRUCT:
        return arena_printf(h->arena, "struct %s", t->name);
    case TYPE_STRING:
        return "char *";
    default:
        return "void";
    }
}

/* A vector is as many elements, which lie as the program has them (type_struct in ir/type.c). */
static void add_field(struct header *h, const struct type_field *f)
{
    const struct type *t = f->type;
    text_printf(h->out, "    %s %s", type_name(h, t), f->name);
    if (t->kind == TYPE_VECTOR)
        text_printf(h->out, "[%u]", t->lanes);
    if (t->kind == TYPE_VECTOR && !(t->size & (t->size - 1)))
        text_printf(h->out, " __attribute__((aligned(%u)))", t->size);
    text_add(h->out, ";\n");
}

static void define_structs(struct header *h, const struct type *t)
{
    while (t && (t->kind == TYPE_POINTER || t->kind == TYPE_VECTOR))
        t = t->elem;
    if (!t || t->kind != TYPE_STRUCT || map_has(&h->structs, t))
        return;
    map_put(h->arena, &h->structs, t, (void *)(uintptr_t)t);
    for (uint32_t i = 0; i < t->num_fields; i++)
        define_structs(h, t->fields[i].type);
    text_printf(h->out, "struct %s {\n", t->name);
    for (uint32_t i = 0; i < t->num_fields; i++)
        add_field(h, &t->fields[i]);
    text_add(h->out, "};\n");
}

static const char *argument_type(struct header *h, const struct leaf *l)
{
    if (l->type && (l->type->kind == TYPE_CALLBACK || l->type->kind == TYPE_OPAQUE))
        return "void *";
    if (!l->type)
        return leaf_is_value(l) ? "void *" : "void";
    return type_name(h, l->type);
}

/* Pointers in front of the name. The types of structures and of the elements of container arrays are pointers in files
 * of DaCe. */
static int stars_of(const struct leaf *l)
{
    bool pointer = l->type && l->type->kind == TYPE_POINTER;
    if (l->kind == SDFG_KIND_STRUCTURE)
        return !pointer;
    if (l->kind == SDFG_KIND_CONTAINER_ARRAY)
        return 2 - pointer;
    return !leaf_is_value(l);
}

/* "double *A" with what a caller must know of it. */
static void add_argument(struct header *h, const struct leaf *l, bool last)
{
    const char *shape = export_shape(h->arena, l), *type = argument_type(h, l);
    text_printf(h->out, "%s%s%.*s%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ", stars_of(l), "**", l->name,
                last ? "" : ",");
    if (*shape)
        text_printf(h->out, " /* %s%s */", shape, l->returned ? ", result" : "");
}

/* A prototype: one argument per line. */
static void prototype(struct header *h, const struct sdfg_program *p, const char *result, const char *name,
                      const char *leading, bool symbols_only)
{
    uint32_t count = 0, done = 0;
    for (uint32_t i = 0; i < p->num_arguments; i++)
        count += export_takes(&p->arguments[i], h->request) && (!symbols_only || export_is_symbol(&p->arguments[i]));
    text_printf(h->out, "%s%s(%s", result, name, leading);
    if (!count && !*leading)
        text_add(h->out, "void");
    for (uint32_t i = 0; i < p->num_arguments; i++) {
        const struct leaf *l = &p->arguments[i];
        if (!export_takes(l, h->request) || (symbols_only && !export_is_symbol(l)))
            continue;
        text_add(h->out, done || *leading ? (done ? "\n    " : ",\n    ") : "\n    ");
        add_argument(h, l, ++done == count);
    }
    text_add(h->out, ");\n");
}

/* A name for a parameter that no argument has. */
static const char *free_name(const struct sdfg_program *p, struct arena *a, const char *name)
{
    for (uint32_t i = 0; i < p->num_arguments; i++)
        if (!strcmp(p->arguments[i].name, name))
            return free_name(p, a, arena_printf(a, "%s_", name));
    return name;
}

static const char *guard(struct arena *a, const char *name)
{
    char *text = arena_printf(a, "SDFG_%s_H", name);
    for (char *c = text; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    return text;
}

void export_c(struct text *out, const struct sdfg_program *p, const sdfg_export *x)
{
    struct header h = { .out = out, .arena = out->arena, .request = x };
    const char *name = p->name, *word = guard(h.arena, name);
    text_printf(
        out,
        "/* %s, compiled ahead of time by libsdfg %s. Arrays lie as their comments say, in elements, and do not\n"
        " * overlap. Link with libsdfg-rt. */\n"
        "#ifndef %s\n#define %s\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\ntypedef void *%sHandle_t;\n",
        name, sdfg_version(), word, word, name);
    for (uint32_t i = 0; i < p->num_arguments; i++)
        define_structs(&h, p->arguments[i].type);
    const char *handle = arena_printf(h.arena, "%sHandle_t %s", name, free_name(p, h.arena, "handle"));
    text_add(out, "\n/* NULL on failure. */\n");
    prototype(&h, p, arena_printf(h.arena, "%sHandle_t ", name), arena_printf(h.arena, "__dace_init_%s", name), "",
              true);
    text_add(out, "\n/* Ends the process with a message on failure. */\n");
    prototype(&h, p, "void ", arena_printf(h.arena, "__program_%s", name), handle, false);
    text_add(out, "\n/* The same; gives 0, or what sdfg_rt_error_text explains. */\n");
    prototype(&h, p, "int ", arena_printf(h.arena, "__sdfg_call_%s", name), handle, false);
    text_printf(out, "\n/* 0 on success. */\nint __dace_exit_%s(%s);\n", name, handle);
    for (uint32_t i = 0; i < p->workspaces.count; i++) {
        const char *storage = p->workspaces.items[i]->name;
        text_printf(out, "\n/* Bytes of memory that the caller has to supply in %s, and the place for it. */\n",
                    storage);
        prototype(&h, p, "size_t ", arena_printf(h.arena, "__dace_get_external_memory_size_%s", storage), handle, true);
        prototype(&h, p, "void ", arena_printf(h.arena, "__dace_set_external_memory_%s", storage),
                  arena_printf(h.arena, "%s, char *%s", handle, free_name(p, h.arena, "memory")), true);
    }
    text_add(out, "\nconst char *sdfg_rt_error_text(int32_t error);\n"
                  "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
