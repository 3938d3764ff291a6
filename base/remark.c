#include "base/remark.h"

#include "base/map.h"
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
    const char *subject, *text, *path; /* path: set for printing, as is the time */
    double seconds;
    uint32_t number; /* in order of arrival */
};

struct numbered {
    const struct place *at;
    const char *subject;
};

struct timed {
    const struct place *at;
    const char *path; /* set for printing */
    double seconds;
};

struct remarks {
    struct arena *arena;
    VEC(struct timed) times;
    struct map timed; /* place -> number in `times`, from 1 on */
    double total;
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

/* ---- times ---- */

void remarks_time(struct remarks *r, const struct place *at, double seconds)
{
    if (!at || seconds <= 0)
        return;
    uintptr_t number = (uintptr_t)map_get(&r->timed, at);
    if (!number) {
        vec_push(r->arena, &r->times, ((struct timed){ .at = at }));
        number = r->times.count;
        map_put(r->arena, &r->timed, at, (void *)number);
    }
    double *most = &r->times.items[number - 1].seconds;
    *most = seconds > *most ? seconds : *most;
}

void remarks_total(struct remarks *r, double seconds) { r->total = seconds; }

static const char *path_of(struct arena *a, const struct place *at)
{
    struct text path = text_new(a);
    place_print_inner(at, &path);
    return text_get(&path);
}

static bool is_inside(const char *path, const char *outer)
{
    size_t n = strlen(outer);
    return n && !strncmp(path, outer, n) && path[n] == '/';
}

/* Of the element itself; else of what is in it, or around it. */
static double time_of(const struct remarks *r, const char *path)
{
    double own = 0, near = 0;
    for (uint32_t i = 0; i < r->times.count; i++) {
        const struct timed *t = &r->times.items[i];
        if (!strcmp(t->path, path))
            own = t->seconds > own ? t->seconds : own;
        else if (is_inside(t->path, path) || is_inside(path, t->path))
            near = t->seconds > near ? t->seconds : near;
    }
    return own > 0 ? own : near;
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
    int order = (x->seconds < y->seconds) - (x->seconds > y->seconds);
    if (!order)
        order = compare_sources(place_source(x->at), place_source(y->at));
    if (!order)
        order = compare_paths(x->path, y->path);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static const char *line(struct arena *a, const struct remark_entry *e, double total)
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
    text_printf(&t, "%s %s", *e->path || e->subject ? ":" : "", e->text);
    if (e->seconds > 0 && total > 0)
        text_printf(&t, " [%.0f %%]", 100 * (e->seconds < total ? e->seconds / total : 1));
    text_addc(&t, '\n');
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
    for (uint32_t i = 0; i < r->times.count; i++)
        r->times.items[i].path = path_of(a, r->times.items[i].at);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i].path = path_of(a, sorted[i].at);
        sorted[i].seconds = time_of(r, sorted[i].path);
    }
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        bool seen = false;
        lines[i] = line(a, &sorted[i], r->total);
        if (strcmp(sorted[i].path, sorted[first].path))
            first = i; /* of the element */
        for (uint32_t k = first; k < i && !seen; k++)
            seen = !strcmp(lines[i], lines[k]);
        if (!seen)
            text_add(out, lines[i]);
    }
}
