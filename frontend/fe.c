#include "frontend/lower.h"

#include <stdarg.h>
#include <string.h>

const char fe_wrong[] = "";

/* The source of the node, and the node; of code of the library the call of it in the program. */
static const struct fe_source *visible(const struct fe *f, const struct py **n)
{
    if (!f->library_call || !f->source->library)
        return f->source;
    *n = f->library_call;
    return f->library_caller;
}

void fe_place(const struct fe *f, const struct py *n, struct place *out)
{
    const struct fe_source *source = visible(f, &n);
    out->file = source->path;
    py_place(&source->lines, n ? n->begin : 0, &out->line, &out->column);
    out->line += source->first_line - 1;
    out->column++;
}

static void *report(struct fe *f, const struct py *n, enum diag_code code, bool warning, const char *message)
{
    const struct fe_source *text = visible(f, &n);
    uint32_t depth = text == f->source ? f->calls.count : f->library_depth;
    const char *function = depth ? f->calls.items[depth - 1]->node->function.name : "module";
    struct place at = { .noun = "function", .label = function, .id = PLACE_NO_ID };
    fe_place(f, n, &at);
    struct place *kept = arena_copy(f->arena, &at, sizeof at);
    /* Each once, though types are found by going through loops again. */
    const char *source = arena_printf(f->arena, "%s:%u:%u", at.file, at.line, at.column);
    if (!warning)
        f->failed = f->said = true;
    for (uint32_t i = 0; i < diags_count(f->ir->diags); i++) {
        const struct diag *d = diags_get(f->ir->diags, i);
        if (d->code == code && strstr(d->message, message) && strcmp(d->source, source) == 0)
            return NULL;
    }
    if (warning)
        diag_warning_in(f->ir->diags, kept, text->text, text->length, n ? n->begin : 0, code, message);
    else
        diag_error_in(f->ir->diags, kept, text->text, text->length, n ? n->begin : 0, code, message);
    return NULL;
}

void *fe_error(struct fe *f, const struct py *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(f->arena, format, args);
    va_end(args);
    return report(f, n, DIAG_PROGRAM_INVALID, false, message);
}

void *fe_raise(struct fe *f, const struct py *n, const char *exception, const char *format, ...)
{
    static const struct {
        const char *name;
        enum diag_code code;
    } rows[] = { { "ValueError", DIAG_PROGRAM_VALUE },
                 { "TypeError", DIAG_PROGRAM_TYPE },
                 { "IndexError", DIAG_PROGRAM_INDEX },
                 { "KeyError", DIAG_PROGRAM_KEY },
                 { "AssertionError", DIAG_PROGRAM_ASSERTION } };
    enum diag_code code = DIAG_PROGRAM_INVALID;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(f->arena, format, args);
    va_end(args);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, exception) == 0)
            code = rows[i].code;
    return report(f, n, code, false, message);
}

void fe_warn_dialect(struct fe *f, const struct py *n, const char *message)
{
    if (n && f->warns && !f->dry)
        report(f, n, DIAG_PROGRAM_DIALECT, true, message);
}

void *fe_unsupported(struct fe *f, const struct py *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(f->arena, format, args);
    va_end(args);
    return report(f, n, DIAG_PROGRAM_UNSUPPORTED, false, message);
}

const char *fe_reason(struct fe *f, uint32_t before)
{
    const char *text = "it cannot be compiled";
    if (diags_count(f->ir->diags) > before) {
        const struct diag *d = diags_get(f->ir->diags, before);
        const char *column = d->source ? strrchr(d->source, ':') : NULL; /* "path:line:column" */
        text = column && *d->source ? fe_format(f, "%s (%.*s)", d->message, (int)(column - d->source), d->source)
                                    : arena_strdup(f->arena, d->message);
    }
    diags_reset(f->ir->diags, before);
    f->said = false;
    return text;
}

const char *fe_format(struct fe *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(f->arena, format, args);
    va_end(args);
    return text;
}

const char *fe_numbered(struct fe *f, const char *prefix, long long number)
{
    struct text t = text_new(f->arena);
    text_add(&t, prefix);
    text_add_int(&t, number);
    return text_get(&t);
}

const char *fe_describe(struct fe *f, const struct value *v)
{
    static const char *const names[] = { "None",      "bool",         "int",      "float",
                                         "complex",   "str",          "...",      "a formatted text",
                                         "a tuple",   "a dictionary", "a slice",  "a range",
                                         "a type",    "a type",       "a module", "a function",
                                         "a function" };
    if (v->kind == FE_GRID)
        return v->grid && !v->grid->name ? "MPI.COMM_NULL" : "a communicator";
    if (v->kind == FE_STREAM)
        return fe_format(f, "a stream of %s", type_text(f->ir, v->type));
    if (v->kind == FE_BLOCKS)
        return "an array in blocks";
    if (v->kind == FE_POINTS)
        return "indices of an array";
    if (v->kind == FE_CLASS || v->kind == FE_RECORD)
        return fe_format(f, v->kind == FE_CLASS ? "the class '%s'" : "an object of class '%s'", v->text);
    if (v->kind == FE_TUPLE && v->list)
        return "a list";
    if (fe_is_list(v))
        return fe_format(f, "a list (%s)", fe_describe(f, fe_as_elements(f, v)));
    if (v->kind == FE_PYOBJECT)
        return "a value of unknown type that a callback returned (an annotation of its name says the type)";
    if (v->kind == FE_OBJECT)
        return v->object->what;
    if (v->kind == FE_SYMBOL)
        return fe_format(f, "the symbol %s", sym_text(f->ir, v->sym));
    if (!fe_is_data(v))
        return names[v->kind];
    struct text t = text_new(f->arena);
    text_add(&t, type_text(f->ir, v->type));
    for (uint32_t i = 0; i < v->rank; i++)
        text_printf(&t, "%s%s", i ? ", " : "[", fe_text(f, fe_unclipped(f, v->shape[i])));
    text_add(&t, v->rank ? "]" : "");
    return text_get(&t);
}

uint32_t fe_label_line(const struct fe *f)
{
    const struct fe_source *s = f->source->library && f->library_caller ? f->library_caller : f->source;
    uint32_t line = f->place.line - s->first_line;
    return s->code_lines && line < s->lines.count ? s->code_lines[line] : f->place.line;
}

const char *fe_unique(struct fe *f, const char *wish)
{
    char *base = arena_strdup(f->arena, wish && *wish ? wish : "tmp");
    for (char *c = base; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_'))
            *c = '_';
    const char *name = intern(f->ir->names, base);
    uintptr_t next = (uintptr_t)map_get(&f->used_names, name);
    const char *first = name;
    if (next == (uintptr_t)FE_OF_LOOPS)
        next = 1;
    while (next && map_has(&f->used_names, name))
        name = intern(f->ir->names, fe_format(f, "%s_%u", base, (unsigned)next++));
    map_put(f->arena, &f->used_names, first, (void *)(next ? next : 1));
    if (name != first)
        map_put(f->arena, &f->used_names, name, (void *)1);
    return name;
}

bool fe_has_name(const char *const *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == name)
            return true;
    return false;
}
