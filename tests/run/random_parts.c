#include "tests/run/random_parts.h"

#include <string.h>

/* ---- choices ---- */

uint32_t part_below(struct views *m, uint32_t n) { return (uint32_t)(random_next(m->random) % n); }

bool part_chance(struct views *m, uint32_t percent) { return part_below(m, 100) < percent; }

const char *part_fresh(struct views *m, const char *what) { return TEXT(m, "%s%u", what, (*m->labels)++); }

bool part_is_real(const char *type) { return !strncmp(type, "float", 5); }

/* ---- parts ---- */

/* A place in 0 .. most. */
const char *part_place(struct views *m, int most, struct part *p)
{
    const struct variable *v = m->num_variables ? &m->variables[part_below(m, m->num_variables)] : NULL;
    if (!v || v->high > most || part_chance(m, 20))
        return TEXT(m, "%u", part_below(m, (uint32_t)(most < 9 ? most : 9) + 1));
    if (v->high + 1 <= most && part_chance(m, 20))
        return TEXT(m, "%s + 1", v->name);
    if (2 * v->high <= most && part_chance(m, 15))
        return TEXT(m, "2 * %s", v->name);
    if (part_chance(m, 15))
        return TEXT(m, "%d - %s", most < 40 || v->high > 40 ? most : 40, v->name);
    if (p && v->loop && v->high + 1 <= most) {
        p->vary = v->name;
        p->next = TEXT(m, "%s + 1", v->name);
    }
    return v->name;
}

int part_less_than(struct views *m, int most)
{
    static const int counts[] = { 1, 3, 4, 8, 8, 12, 16, 24 }, many[] = { 60, 90, 120 };
    int count =
        m->loops || m->depth || part_chance(m, 85) ? PICK(m, counts) : PICK(m, many); /* some are work for threads */
    return count <= most ? count : most;
}

static const char *times(struct views *m, const char *stride, int by)
{
    return by == 1 ? stride : TEXT(m, "%d * %s", by, stride);
}

void part_shape_of_cuts(struct views *m, struct part *p)
{
    p->shape = (struct shape){ .type = p->of->shape.type };
    for (uint32_t d = 0; d < p->of->shape.rank; d++)
        if (p->cuts[d].count) {
            p->shape.dims[p->shape.rank] = p->cuts[d].count;
            p->shape.strides[p->shape.rank++] = times(m, p->of->shape.strides[d], p->cuts[d].step);
        }
    if (!p->shape.rank) {
        p->shape.dims[p->shape.rank] = 1;
        p->shape.strides[p->shape.rank++] = "1";
    }
    p->plain = true;
}

struct part part_cut(struct views *m, const struct array *a)
{
    struct part p = { .of = a };
    bool one = false; /* a place says where the part is, if there is one */
    for (uint32_t d = 0; d < a->shape.rank; d++) {
        int extent = a->shape.dims[d];
        struct cut *c = &p.cuts[d];
        if (part_chance(m, one || a->shape.rank == 1 ? 15 : 50)) {
            one = true;
            *c = (struct cut){ part_place(m, extent - 1, &p), 1, 0 };
            continue;
        }
        int step = extent > 1 && part_chance(m, 20) ? 2 : 1;
        c->count = part_less_than(m, extent / step);
        c->step = c->count > 1 ? step : 1;
        c->begin = part_place(m, extent - 1 - (c->count - 1) * c->step, NULL);
    }
    part_shape_of_cuts(m, &p);
    return p;
}

/* The same elements in dimensions of other order and number. */
void part_bend(struct views *m, struct part *p)
{
    struct shape *s = &p->shape;
    uint32_t d = part_below(m, s->rank);
    switch (part_below(m, 3)) {
    case 0: /* turned */
        if (s->rank > 1) {
            uint32_t e = (d + 1) % s->rank;
            int dim = s->dims[d];
            const char *stride = s->strides[d];
            s->dims[d] = s->dims[e];
            s->strides[d] = s->strides[e];
            s->dims[e] = dim;
            s->strides[e] = stride;
            p->plain = false;
        }
        return;
    case 1: /* split */
        if (s->rank < MOST_DIMS && s->dims[d] % 4 == 0) {
            for (uint32_t e = s->rank++; e > d + 1; e--) {
                s->dims[e] = s->dims[e - 1];
                s->strides[e] = s->strides[e - 1];
            }
            s->dims[d + 1] = 4;
            s->strides[d + 1] = s->strides[d];
            s->dims[d] /= 4;
            s->strides[d] = times(m, s->strides[d + 1], 4);
            p->plain = false;
        }
        return;
    default: /* one more of one element */
        if (s->rank < MOST_DIMS) {
            s->dims[s->rank] = 1;
            s->strides[s->rank++] = "1";
            p->plain = false;
        }
    }
}

/* Integers of half the size, where the elements lie side by side. */
void part_halve(struct part *p)
{
    struct shape *s = &p->shape;
    const char *type = !strcmp(s->type, "int64") ? "int32" : !strcmp(s->type, "int32") ? "int16" : NULL;
    if (!type || s->rank != 1 || strcmp(s->strides[0], "1") != 0)
        return;
    s->type = type;
    s->dims[0] *= 2;
    p->plain = false;
}

/* "A[3, 2:10:2]" */
const char *part_memlet_of(struct views *m, const struct part *p)
{
    const char *text = "";
    for (uint32_t d = 0; d < p->of->shape.rank; d++) {
        const struct cut *c = &p->cuts[d];
        const char *range = c->begin;
        if (c->count)
            range = TEXT(m, c->step > 1 ? "%s:%s + %d:%d" : "%s:%s + %d", c->begin, c->begin,
                         (c->count - 1) * c->step + 1, c->step);
        text = TEXT(m, "%s%s%s", text, d ? ", " : "", range);
    }
    return TEXT(m, "%s[%s]", p->of->name, text);
}

/* "A[3, 2 + 2 * (i)]", of a plain part. */
const char *part_element_in_place(struct views *m, const struct part *p, const char *const *indices)
{
    const char *text = "";
    uint32_t next = 0;
    for (uint32_t d = 0; d < p->of->shape.rank; d++) {
        const struct cut *c = &p->cuts[d];
        const char *at = c->begin;
        if (c->count)
            at = TEXT(m, "%s + %d * (%s)", c->begin, c->step, indices[next++]);
        text = TEXT(m, "%s%s%s", text, d ? ", " : "", at);
    }
    return TEXT(m, "%s[%s]", p->of->name, text);
}

const char *part_element(struct views *m, const char *name, const struct shape *s, const char *const *indices)
{
    const char *text = "";
    for (uint32_t d = 0; d < s->rank; d++)
        text = TEXT(m, "%s%s%s", text, d ? ", " : "", indices[d]);
    return TEXT(m, "%s[%s]", name, text);
}

const char *part_shape_text(struct views *m, const struct shape *s)
{
    const char *text = "";
    for (uint32_t d = 0; d < s->rank; d++)
        text = TEXT(m, "%s%s%d", text, d ? ", " : "", s->dims[d]);
    return text;
}

const char *part_strides_text(struct views *m, const struct shape *s)
{
    const char *text = "";
    for (uint32_t d = 0; d < s->rank; d++)
        text = TEXT(m, "%s%s%s", text, d ? ", " : "", s->strides[d]);
    return text;
}

/* ---- containers ---- */

const char *part_any_type(struct views *m)
{
    return PICK(m, ((const char *[]){ "int64", "int64", "int32", "int16", "int8", "uint32", "uint16", "uint8",
                                      "float64", "float64", "float32" }));
}

void part_add_argument(struct views *m)
{
    static const char *const dims[] = { "N", "M" };
    static const int values[] = { RANDOM_N, RANDOM_M };
    struct array *a = &m->arrays[m->num_arrays];
    uint32_t first = part_below(m, 2), last = 1 - first;
    *a = (struct array){ .name = TEXT(m, "A%u", m->num_arrays++), .shape = { part_any_type(m), 1 + part_below(m, 2) } };
    a->shape.dims[0] = values[first];
    a->shape.strides[0] = a->shape.rank == 2 ? dims[last] : "1";
    a->shape.dims[1] = values[last];
    a->shape.strides[1] = "1";
    build_array(m->s, a->name, a->shape.type,
                a->shape.rank == 2 ? TEXT(m, "%s, %s", dims[first], dims[last]) : dims[first]);
}

const struct array *part_any_array(struct views *m, const struct array *but)
{
    uint32_t first = part_below(m, m->num_arrays ? m->num_arrays : 1);
    const struct array *a = &m->arrays[first];
    if (!m->num_arrays)
        return NULL;
    return a != but ? a : m->num_arrays > 1 ? &m->arrays[(first + 1) % m->num_arrays] : NULL;
}

/* ---- values ---- */

const char *part_bounded(struct views *m, const char *type, const char *value, bool sum)
{
    bool is_unsigned = type[0] == 'u', small = strchr(type, '8') != NULL;
    int most = sum ? 9 : small ? 99 : 999;
    return TEXT(m, "min(max(%s, %d), %d)", value, is_unsigned ? 0 : -most, most);
}

const char *part_input_value(struct views *m, uint32_t number, const char *type)
{
    return part_is_real(type) ? TEXT(m, "min(max(x%u, -99), 99)", number) : TEXT(m, "(x%u %% 97)", number);
}

static const char *leaf(struct views *m, const struct params *p, const char *const *xs, uint32_t count)
{
    if (count && part_chance(m, 75))
        return xs[part_below(m, count)];
    if (p->count && part_chance(m, 50))
        return p->items[part_below(m, p->count)].name;
    if (m->num_variables && part_chance(m, 60))
        return m->variables[part_below(m, m->num_variables)].name;
    return TEXT(m, "%u", part_below(m, 7));
}

const char *part_expression(struct views *m, const struct params *p, const char *const *xs, uint32_t count)
{
    const char *a = leaf(m, p, xs, count), *b = leaf(m, p, xs, count), *c = leaf(m, p, xs, count);
    const char *other = TEXT(m, "%s + %s", count ? xs[0] : a, b);
    return random_expression(m->ir, part_below(m, RANDOM_EXPRESSIONS), a, b, c, other);
}

/* ---- indices ---- */

/* Any place of each dimension. */
void part_any_indices(struct views *m, const struct shape *s, const struct params *p, const char **out)
{
    for (uint32_t d = 0; d < s->rank; d++) {
        const struct param *q =
            p->count ? &p->items[part_chance(m, 60) && d < p->count ? d : part_below(m, p->count)] : NULL;
        int extent = s->dims[d];
        if (!q || part_chance(m, 10))
            out[d] = TEXT(m, "%u", part_below(m, (uint32_t)extent));
        else if (q->count > extent || part_chance(m, 10))
            out[d] = TEXT(m, "(%s * %u + %u) %% %d", q->name, 1 + part_below(m, 3), part_below(m, 4), extent);
        else if (part_chance(m, 15))
            out[d] = TEXT(m, "%d - %s", extent - 1, q->name);
        else if (q->count < extent && part_chance(m, 20))
            out[d] = TEXT(m, "%s + 1", q->name);
        else
            out[d] = q->name;
    }
}

void part_add_params(struct views *m, struct params *p, const struct shape *s, bool all)
{
    for (uint32_t d = 0; d < s->rank; d++) {
        int count = s->dims[d];
        const char *range = TEXT(m, "0:%d", count);
        if (!all && count > 2 && part_chance(m, 30))
            range = PICK(m, ((const char *[]){ TEXT(m, "1:%d", count), TEXT(m, "0:%d:2", count),
                                               TEXT(m, "0:%d // 2", count), TEXT(m, "2:%d:3", count) }));
        p->items[p->count++] = (struct param){ part_fresh(m, "p"), range, count };
    }
}
