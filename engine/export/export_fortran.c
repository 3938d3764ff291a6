#include "engine/export/export.h"

#include "base/vec.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Interfaces for Fortran, as a module. Fortran's names differ neither in case nor begin with an underscore; its arrays
 * run along columns, so a C-ordered [M, N] is an array (N, M) there. Small floats are their bits. */

static const char *const fortran_types[] = { [TYPE_BOOL] = "logical(c_bool)",
                                             [TYPE_I8] = "integer(c_int8_t)",
                                             [TYPE_I16] = "integer(c_int16_t)",
                                             [TYPE_I32] = "integer(c_int32_t)",
                                             [TYPE_I64] = "integer(c_int64_t)",
                                             [TYPE_U8] = "integer(c_int8_t)",
                                             [TYPE_U16] = "integer(c_int16_t)",
                                             [TYPE_U32] = "integer(c_int32_t)",
                                             [TYPE_U64] = "integer(c_int64_t)",
                                             [TYPE_F16] = "integer(c_int16_t)",
                                             [TYPE_BF16] = "integer(c_int16_t)",
                                             [TYPE_F8E4M3] = "integer(c_int8_t)",
                                             [TYPE_F8E5M2] = "integer(c_int8_t)",
                                             [TYPE_F32] = "real(c_float)",
                                             [TYPE_F64] = "real(c_double)",
                                             [TYPE_C64] = "complex(c_float_complex)",
                                             [TYPE_C128] = "complex(c_double_complex)" };

struct dummy {
    const struct leaf *leaf;
    const char *name;
};

enum which { NO_ARGUMENTS, SYMBOLS, ALL_ARGUMENTS };

static bool is_passed(const struct leaf *l, enum which which)
{
    return which == ALL_ARGUMENTS || (which == SYMBOLS && export_is_symbol(l));
}

struct module {
    struct text *out;
    struct arena *arena;
    VEC(struct dummy) arguments;
};

static bool is_taken(const struct module *m, const char *name)
{
    for (uint32_t i = 0; i < m->arguments.count; i++)
        if (!strcasecmp(m->arguments.items[i].name, name))
            return true;
    return !strcasecmp(name, "handle") || !strcasecmp(name, "memory");
}

/* A name for a dummy argument; callers pass by position. */
static const char *dummy_name(const struct module *m, const char *name)
{
    while (*name == '_')
        name++;
    const char *base = isalpha((unsigned char)*name) ? name : arena_printf(m->arena, "v%s", name), *unique = base;
    for (int i = 2; is_taken(m, unique); i++)
        unique = arena_printf(m->arena, "%s_%d", base, i);
    return unique;
}

static void collect(struct module *m, const struct sdfg_program *p, const sdfg_export *x)
{
    for (uint32_t i = 0; i < p->num_arguments; i++) {
        if (!export_takes(&p->arguments[i], x))
            continue;
        struct dummy d = { &p->arguments[i], dummy_name(m, p->arguments[i].name) };
        vec_push(m->arena, &m->arguments, d);
    }
}

static void declare(struct module *m, const struct dummy *d)
{
    const struct leaf *l = d->leaf;
    const char *shape = export_shape(m->arena, l);
    const char *type = l->dtype && l->dtype != SDFG_RECORD ? fortran_types[l->dtype] : NULL;
    bool pointer = !type || l->kind == SDFG_KIND_STRUCTURE || l->kind == SDFG_KIND_CONTAINER_ARRAY;
    text_add(m->out, "      ");
    if (pointer && l->type && l->type->kind == TYPE_CALLBACK)
        text_printf(m->out, "type(c_funptr), value :: %s", d->name);
    else if (pointer)
        text_printf(m->out, "type(c_ptr), value :: %s", d->name);
    else if (leaf_is_value(l))
        text_printf(m->out, "%s, value :: %s", type, d->name);
    else
        text_printf(m->out, "%s, intent(inout) :: %s(*)", type, d->name);
    if (*shape)
        text_printf(m->out, " ! %s", shape);
    text_addc(m->out, '\n');
}

/* The inside of a character constant: lines have at most 132 characters. */
static void add_text(struct module *m, const char *text)
{
    enum { PIECE = 100 };
    for (size_t length = strlen(text); length > PIECE; length -= PIECE, text += PIECE)
        text_printf(m->out, "%.*s&\n&", PIECE, text);
    text_add(m->out, text);
}

/* `result` is a type, or NULL for a subroutine; `leading` are arguments that come first. */
static void interface(struct module *m, const char *result, const char *name, const char *c_name, const char *leading,
                      enum which which)
{
    bool first = !*leading;
    text_printf(m->out, "    %s %s(%s", result ? "function" : "subroutine", name, leading);
    for (uint32_t i = 0; i < m->arguments.count; i++) {
        const struct dummy *d = &m->arguments.items[i];
        if (!is_passed(d->leaf, which))
            continue;
        text_printf(m->out, "%s &\n        %s", first ? "" : ",", d->name);
        first = false;
    }
    text_add(m->out, ") &\n        bind(c, name=\"");
    add_text(m, c_name);
    text_add(m->out, "\")\n      import\n");
    if (*leading)
        text_add(m->out, "      type(c_ptr), value :: handle\n");
    if (strstr(leading, "memory"))
        text_add(m->out, "      type(c_ptr), value :: memory\n");
    for (uint32_t i = 0; i < m->arguments.count; i++)
        if (is_passed(m->arguments.items[i].leaf, which))
            declare(m, &m->arguments.items[i]);
    if (result)
        text_printf(m->out, "      %s :: %s\n", result, name);
    text_printf(m->out, "    end %s\n", result ? "function" : "subroutine");
}

void export_fortran(struct text *out, const struct sdfg_program *p, const sdfg_export *x)
{
    struct module m = { .out = out, .arena = out->arena };
    enum { LONGEST = 30 }; /* names have at most 63 characters, of which "_memory_size_<storage>" takes some */
    const char *c_name = p->name, *name = arena_printf(m.arena, "%.*s", LONGEST, dummy_name(&m, c_name));
    collect(&m, p, x);
    text_printf(
        out,
        "! %s, compiled ahead of time by libsdfg %s. Shapes are in C order: the last dimension is Fortran's first.\n"
        "module %s_sdfg\n  use, intrinsic :: iso_c_binding\n  implicit none\n  interface\n",
        c_name, sdfg_version(), name);
    const struct {
        const char *result, *prefix, *suffix, *leading;
        enum which which;
    } functions[] = {
        { "type(c_ptr)", "__dace_init_", "init", "", SYMBOLS },
        { NULL, "__program_", "run", "handle", ALL_ARGUMENTS },
        { "integer(c_int)", "__sdfg_call_", "call", "handle", ALL_ARGUMENTS },
        { "integer(c_int)", "__dace_exit_", "exit", "handle", NO_ARGUMENTS },
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        interface(&m, functions[i].result, arena_printf(m.arena, "%s_%s", name, functions[i].suffix),
                  arena_printf(m.arena, "%s%s", functions[i].prefix, c_name), functions[i].leading, functions[i].which);
    for (uint32_t i = 0; i < p->workspaces.count; i++) {
        const char *storage = p->workspaces.items[i]->name;
        interface(&m, "integer(c_size_t)", arena_printf(m.arena, "%s_memory_size_%s", name, storage),
                  arena_printf(m.arena, "__dace_get_external_memory_size_%s", storage), "handle", SYMBOLS);
        interface(&m, NULL, arena_printf(m.arena, "%s_memory_%s", name, storage),
                  arena_printf(m.arena, "__dace_set_external_memory_%s", storage), "handle, memory", SYMBOLS);
    }
    text_printf(out, "  end interface\nend module\n");
}
