#include "base/diag.h"

#include "base/vec.h"

#include <string.h>

static const struct {
    const char *name;
    enum diag_class class;
    const char *format;
} table[DIAG_COUNT] = {
#define DIAG(name, class, text) { #name, DIAG_CLASS_##class, text },
#include "base/diag.def"
#undef DIAG
};

struct diags {
    struct arena *arena;
    const char *file;
    VEC(struct diag) list;
};

struct diags *diags_new(struct arena *a)
{
    struct diags *d = NEW(a, struct diags);
    d->arena = a;
    return d;
}

void diags_file(struct diags *d, const char *file) { d->file = file; }

static struct diag *record(struct diags *d, const struct place *at, enum diag_code code, bool warning, va_list args)
{
    struct text path = text_new(d->arena), source = text_new(d->arena);
    place_print(at, &path);
    place_print_source(at, &source);
    if (d->file && !path.length && !source.length)
        text_add(&source, d->file);
    struct diag g = {
        .code = code,
        .warning = warning,
        .message = arena_vprintf(d->arena, table[code].format, args),
        .path = text_get(&path),
        .source = text_get(&source),
    };
    vec_push(d->arena, &d->list, g);
    return &vec_last(&d->list);
}

bool diag_verror(struct diags *d, const struct place *at, enum diag_code code, va_list args)
{
    record(d, at, code, false, args);
    return false;
}

bool diag_error(struct diags *d, const struct place *at, enum diag_code code, ...)
{
    va_list args;
    va_start(args, code);
    record(d, at, code, false, args);
    va_end(args);
    return false;
}

void diag_warning(struct diags *d, const struct place *at, enum diag_code code, ...)
{
    va_list args;
    va_start(args, code);
    record(d, at, code, true, args);
    va_end(args);
}

void diag_copy(struct diags *to, const struct diag *g)
{
    struct diag own = *g;
    own.message = arena_strdup(to->arena, g->message);
    own.path = arena_strdup(to->arena, g->path);
    own.source = arena_strdup(to->arena, g->source);
    own.excerpt = g->excerpt ? arena_strdup(to->arena, g->excerpt) : NULL;
    vec_push(to->arena, &to->list, own);
}

/* The line of `text` around `offset`, shortened to a window, with a caret below. */
static const char *excerpt(struct arena *a, const char *text, size_t length, size_t offset)
{
    enum { WINDOW = 60 };
    if (offset > length)
        offset = length;
    size_t begin = offset, end = offset;
    while (begin > 0 && text[begin - 1] != '\n' && offset - begin < WINDOW)
        begin--;
    while (end < length && text[end] != '\n' && end - offset < WINDOW)
        end++;
    struct text t = text_new(a);
    text_add(&t, "    ");
    text_addn(&t, text + begin, end - begin);
    text_add(&t, "\n    ");
    for (size_t i = begin; i < offset; i++)
        text_addc(&t, text[i] == '\t' ? '\t' : ' ');
    text_add(&t, "^");
    return text_get(&t);
}

bool diag_error_in(struct diags *d, const struct place *at, const char *text, size_t length, size_t offset,
                   enum diag_code code, ...)
{
    va_list args;
    va_start(args, code);
    struct diag *g = record(d, at, code, false, args);
    va_end(args);
    g->excerpt = excerpt(d->arena, text, length, offset);
    return false;
}

void diag_warning_in(struct diags *d, const struct place *at, const char *text, size_t length, size_t offset,
                     enum diag_code code, ...)
{
    va_list args;
    va_start(args, code);
    struct diag *g = record(d, at, code, true, args);
    va_end(args);
    g->excerpt = excerpt(d->arena, text, length, offset);
}

uint32_t diags_count(const struct diags *d) { return d->list.count; }

uint32_t diags_errors(const struct diags *d)
{
    uint32_t errors = 0;
    for (uint32_t i = 0; i < d->list.count; i++)
        errors += !d->list.items[i].warning;
    return errors;
}

const struct diag *diags_get(const struct diags *d, uint32_t i) { return &d->list.items[i]; }

void diags_reset(struct diags *d, uint32_t count)
{
    if (count < d->list.count)
        d->list.count = count;
}

enum diag_class diags_class(const struct diags *d)
{
    enum diag_class worst = DIAG_CLASS_INVALID;
    for (uint32_t i = 0; i < d->list.count; i++)
        if (!d->list.items[i].warning && table[d->list.items[i].code].class > worst)
            worst = table[d->list.items[i].code].class;
    return worst;
}

const char *diag_name(enum diag_code code) { return table[code].name; }

enum diag_class diag_class_of(enum diag_code code) { return table[code].class; }

const char *diag_class_name(enum diag_class c)
{
    static const char *const names[] = { "invalid", "unsupported", "environment", "bug" };
    return names[c];
}

void diag_print(const struct diag *g, struct text *out)
{
    text_printf(out, "%s[%s]: %s\n", g->warning ? "warning" : "error", diag_class_name(table[g->code].class),
                g->message);
    if (*g->path)
        text_printf(out, "  at %s", g->path);
    if (*g->source)
        text_printf(out, "%s(%s)", *g->path ? "   " : "  at ", g->source);
    if (*g->path || *g->source)
        text_addc(out, '\n');
    if (g->excerpt)
        text_printf(out, "%s\n", g->excerpt);
}
