#include "base/remark.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *topic;
    enum remark_kind kind;
    const char *format;
} table[REMARK_COUNT] = {
#define REMARK(name, topic, kind, text) { #topic, REMARK_KIND_##kind, text },
#include "base/remark.def"
#undef REMARK
};

struct remark_entry {
    enum remark_code code;
    const struct place *at;
    const char *subject, *text, *path; /* path: set for printing */
    uint32_t number;                   /* in order of arrival */
};

struct numbered {
    const struct place *at;
    const char *subject;
};

struct remarks {
    struct arena *arena;
    VEC(struct remark_entry) list;
    VEC(struct numbered) numbers;
};

struct remarks *remarks_new(struct arena *a)
{
    struct remarks *r = NEW(a, struct remarks);
    r->arena = a;
    return r;
}

void remark(struct remarks *r, const struct place *at, const char *subject, enum remark_code code, ...)
{
    if (!r)
        return;
    va_list args;
    va_start(args, code);
    struct remark_entry e = { .code = code, .at = at, .subject = subject, .number = r->list.count };
    e.text = arena_vprintf(r->arena, table[code].format, args);
    va_end(args);
    vec_push(r->arena, &r->list, e);
}

void remarks_again(struct remarks *r, enum remark_code code)
{
    if (!r)
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->list.count; i++) {
        enum remark_code c = r->list.items[i].code;
        if (table[c].kind == REMARK_KIND_DONE || strcmp(table[c].topic, table[code].topic))
            r->list.items[kept++] = r->list.items[i];
    }
    r->list.count = kept;
}

/* ---- numbers ---- */

uint32_t remarks_number(struct remarks *r, const struct place *at, const char *subject)
{
    vec_push(r->arena, &r->numbers, ((struct numbered){ at, subject }));
    return r->numbers.count;
}

bool remarks_numbered(const struct remarks *r, uint32_t number, const struct place **at, const char **subject)
{
    if (number == 0 || number > r->numbers.count)
        return false;
    *at = r->numbers.items[number - 1].at;
    *subject = r->numbers.items[number - 1].subject;
    return true;
}

/* ---- printing ---- */

/* Numbers in paths by their value: state[2] before state[10]. */
static int compare_paths(const char *a, const char *b)
{
    while (*a && *b) {
        bool digits = *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9';
        if (digits) {
            char *end_a, *end_b;
            unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = end_a;
            b = end_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

/* Those without a line come last. */
static int compare_sources(const struct place *a, const struct place *b)
{
    if (!a || !b)
        return (b != NULL) - (a != NULL);
    int files = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (files)
        return files;
    return a->line != b->line ? (a->line < b->line ? -1 : 1) : (a->column > b->column) - (a->column < b->column);
}

static int compare(const void *a, const void *b)
{
    const struct remark_entry *x = a, *y = b;
    int order = compare_sources(place_source(x->at), place_source(y->at));
    if (!order)
        order = compare_paths(x->path, y->path);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static const char *line(struct arena *a, const struct remark_entry *e)
{
    struct text t = text_new(a), source = text_new(a);
    place_print_source(e->at, &source);
    text_printf(&t, "%-6s %-11s", table[e->code].kind == REMARK_KIND_DONE ? "done" : "missed", table[e->code].topic);
    if (*e->path)
        text_printf(&t, " %s", e->path);
    if (*text_get(&source))
        text_printf(&t, " (%s)", text_get(&source));
    if (e->subject)
        text_printf(&t, "%s %s", *e->path ? "," : "", e->subject);
    text_printf(&t, "%s %s\n", *e->path || e->subject ? ":" : "", e->text);
    return text_get(&t);
}

void remarks_print(const struct remarks *r, struct text *out)
{
    struct arena *a = r->arena;
    uint32_t count = r->list.count;
    if (count == 0)
        return;
    struct remark_entry *sorted = arena_copy(a, r->list.items, count * sizeof *sorted);
    const char **lines = NEW_ARRAY(a, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        struct text path = text_new(a);
        place_print_inner(sorted[i].at, &path);
        sorted[i].path = text_get(&path);
    }
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        bool seen = false;
        lines[i] = line(a, &sorted[i]);
        if (strcmp(sorted[i].path, sorted[first].path))
            first = i; /* of the element */
        for (uint32_t k = first; k < i && !seen; k++)
            seen = !strcmp(lines[i], lines[k]);
        if (!seen)
            text_add(out, lines[i]);
    }
}
