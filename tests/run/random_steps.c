#include "tests/run/random_steps.h"

#include <string.h>

/* ---- choices ---- */

uint32_t form_below(struct forms *m, uint32_t n) { return (uint32_t)(random_next(m->random) % n); }

bool form_chance(struct forms *m, uint32_t percent) { return form_below(m, 100) < percent; }

const char *form_fresh(struct forms *m, const char *what) { return TEXT(m, "%s%u", what, m->labels++); }

struct array *form_any_array(struct forms *m) { return &m->arrays[form_below(m, m->num_arrays)]; }

static bool same_memory(const struct forms *m, const struct array *a, const struct array *b)
{
    return a == b || (m->shared && a < m->arrays + 2 && b < m->arrays + 2);
}

struct array *form_other_array(struct forms *m, const struct array *but, uint32_t rank)
{
    uint32_t first = form_below(m, m->num_arrays);
    for (uint32_t i = 0; i < m->num_arrays; i++) {
        struct array *a = &m->arrays[(first + i) % m->num_arrays];
        if (!same_memory(m, a, but) && (!rank || a->rank == rank))
            return a;
    }
    return NULL;
}

struct array *form_matrix(struct forms *m)
{
    struct array *a = form_any_array(m);
    return a->rank == 2 ? a : &m->arrays[0];
}

struct array form_temporary(struct forms *m, uint32_t rank)
{
    struct array t = { .name = form_fresh(m, "T"), .rank = rank };
    struct container *c = build_transient(m->s, t.name, "float64", rank == 2 ? "N, M" : "N");
    if (form_chance(m, 50))
        c->storage = enum_builtin(m->ir, STORAGE_CPU_HEAP);
    return t;
}

void form_sums(struct forms *m, struct array *a)
{
    a->large = true;
    if (m->shared && a < m->arrays + 2)
        m->arrays[0].large = m->arrays[1].large = true;
}

/* ---- maps ---- */

static struct map_entry *open_map(struct forms *m, struct state *st, const struct step *p, const char *ranges,
                                  bool inner)
{
    static const enum enum_row rows[] = { SCHEDULE_DEFAULT, SCHEDULE_DEFAULT, SCHEDULE_CPU_MULTICORE,
                                          SCHEDULE_SEQUENTIAL };
    struct map_entry *e = build_map(st, form_fresh(m, "map"), ranges);
    e->schedule = enum_builtin(m->ir, inner ? SCHEDULE_SEQUENTIAL : p->plain ? SCHEDULE_DEFAULT : PICK(m, rows));
    return e;
}

static const char *name_in(struct forms *m, const char *memlet)
{
    return TEXT(m, "%.*s", (int)strcspn(memlet, "["), memlet);
}

struct block *form_put_step(struct forms *m, struct region *r, const struct step *p)
{
    struct state *st = build_state(r, form_fresh(m, "s"));
    struct map_entry *maps[2] = { NULL, NULL };
    bool apart = p->num_params == 2 && !p->plain && form_chance(m, 40);
    const char *names = "", *ranges[2] = { "", "" };
    for (uint32_t i = 0; i < p->num_params; i++) {
        const char **to = &ranges[i && apart];
        *to = TEXT(m, "%s%s%s = %s", *to, **to ? ", " : "", p->params[i].name, p->ranges[i]);
    }
    if (p->num_params)
        maps[0] = open_map(m, st, p, ranges[0], false);
    if (apart)
        maps[1] = open_map(m, st, p, ranges[1], true);
    for (uint32_t i = 0; i < p->num_inputs; i++)
        names = TEXT(m, "%s%sx%u", names, i ? ", " : "", i);
    struct tasklet *t =
        build_tasklet(st, form_fresh(m, "t"), p->num_inputs ? names : NULL, "o", TEXT(m, "o = %s", p->code));
    struct node *last = &t->node, *in[3] = { maps[0] ? &maps[0]->node : last, maps[1] ? &maps[1]->node : last, last };
    for (uint32_t i = 0; i < p->num_inputs; i++) {
        struct node *from = &build_access(st, name_in(m, p->memlets[i]))->node;
        build_path(p->memlets[i], NULL, NULL, TEXT(m, "x%u", i), from, in[0], in[0] == last ? NULL : in[1],
                   in[1] == last ? NULL : last, NULL);
    }
    if (!p->num_inputs && maps[0])
        build_edge(in[0], NULL, in[1], NULL, NULL, NULL);
    if (!p->num_inputs && maps[1])
        build_edge(in[1], NULL, last, NULL, NULL, NULL);
    struct node *to = &build_access(st, name_in(m, p->out))->node;
    struct node *exits[3] = { maps[1]   ? maps[1]->exit
                              : maps[0] ? maps[0]->exit
                                        : to,
                              maps[1] ? maps[0]->exit : to, to };
    build_path(p->out, p->wcr, "o", NULL, last, exits[0], exits[0] == to ? NULL : exits[1], exits[1] == to ? NULL : to,
               NULL);
    return &st->block;
}

void form_add_param(struct forms *m, struct step *p, const char *begin, int low, const char *end, int high)
{
    const char *name = form_fresh(m, "p");
    p->ranges[p->num_params] = TEXT(m, "%s:%s", begin, end);
    p->params[p->num_params++] = (struct variable){ name, low, high };
}

void form_add_any_param(struct forms *m, struct step *p)
{
    const struct variable *v = p->num_params && form_chance(m, 40) ? &p->params[0]
                               : m->num_variables                  ? &m->variables[form_below(m, m->num_variables)]
                                                                   : NULL;
    bool small = m->loops > 1 || p->num_params;
    if (v && form_chance(m, 50)) {
        switch (form_below(m, 4)) {
        case 0:
            form_add_param(m, p, "0", 0, v->name, v->high);
            break;
        case 1:
            form_add_param(m, p, "0", 0, TEXT(m, "%s + 1", v->name), v->high);
            break;
        case 2:
            form_add_param(m, p, v->name, v->low, small ? "24" : "40", LARGEST);
            break;
        default:
            form_add_param(m, p, TEXT(m, "%s + 1", v->name), v->low + 1, small ? "30" : "43", LARGEST);
        }
        return;
    }
    switch (form_below(m, small ? 2 : 5)) {
    case 0:
        form_add_param(m, p, "0", 0, "17", 16);
        break;
    case 1:
        form_add_param(m, p, "2", 2, "N - 160", 19);
        break;
    case 2:
        form_add_param(m, p, "1", 1, "37", 36);
        break;
    case 3:
        form_add_param(m, p, "0", 0, "M - 90", 39);
        break;
    default:
        form_add_param(m, p, "0", 0, "40", 39);
    }
}

/* ---- places ---- */

static const char *near(struct forms *m, const struct variable *v)
{
    if (v->low > 0 && form_chance(m, 25))
        return TEXT(m, "%s - 1", v->name);
    switch (form_below(m, 8)) {
    case 0:
        return TEXT(m, "%s + 1", v->name);
    case 1:
        return TEXT(m, "%s + 2", v->name);
    case 2:
        return TEXT(m, "%d - %s", LARGEST + 1, v->name);
    default:
        return v->name;
    }
}

const char *form_anywhere(struct forms *m, const struct step *p)
{
    if (p->num_params && form_chance(m, 65))
        return near(m, &p->params[form_below(m, p->num_params)]);
    if (m->num_variables && form_chance(m, 80))
        return near(m, &m->variables[form_below(m, m->num_variables)]);
    return PICK(m, ((const char *[]){ "0", "1", "5" }));
}

const char *form_element(struct forms *m, const struct array *a, const char *x, const char *y)
{
    return a->rank == 2 ? TEXT(m, "%s[%s, %s]", a->name, x, y) : TEXT(m, "%s[%s]", a->name, x);
}

const char *form_own(struct forms *m, const struct array *a, const struct step *p, const char **carried)
{
    const struct variable *v = m->num_variables ? &m->variables[form_below(m, m->num_variables)] : NULL;
    const char *rest = v ? v->name : "3", *first = p->num_params ? near(m, &p->params[0]) : rest;
    bool swap = form_chance(m, 50), fits = p->num_params < a->rank && v && v->low > 0;
    *carried = NULL;
    if (a->rank == 1) {
        *carried = fits ? TEXT(m, "%s[%s - 1]", a->name, rest) : NULL;
        return form_element(m, a, first, "");
    }
    const char *second = p->num_params == 2 ? near(m, &p->params[1]) : rest;
    if (fits) {
        const char *before = TEXT(m, "%s - 1", rest), *there = form_anywhere(m, p);
        *carried = swap ? form_element(m, a, before, there) : form_element(m, a, there, before);
    }
    return swap ? form_element(m, a, second, first) : form_element(m, a, first, second);
}

/* ---- values ---- */

const char *form_input(struct forms *m, struct step *p, const struct array *a, const char *memlet)
{
    p->inputs[p->num_inputs] = a;
    p->memlets[p->num_inputs] = memlet;
    const char *x = TEXT(m, "x%u", p->num_inputs++);
    return a->large ? TEXT(m, "min(max(%s, -99), 99)", x) : x;
}

static const char *leaf(struct forms *m, struct step *p, const char *const *xs, uint32_t count)
{
    if (count && form_chance(m, 75))
        return xs[form_below(m, count)];
    if (p->num_params && form_chance(m, 40))
        return p->params[form_below(m, p->num_params)].name;
    return TEXT(m, "%u", form_below(m, 7));
}

const char *form_expression(struct forms *m, struct step *p, const char *const *xs, uint32_t count)
{
    const char *a = leaf(m, p, xs, count), *b = leaf(m, p, xs, count), *c = leaf(m, p, xs, count);
    return random_expression(m->ir, form_below(m, RANDOM_EXPRESSIONS), a, b, c, a);
}

const char *random_expression(struct ir *ir, uint32_t which, const char *a, const char *b, const char *c,
                              const char *other)
{
    switch (which) {
    case 0:
        return arena_printf(ir->arena, "%s + %s - %s", a, b, c);
    case 1:
        return arena_printf(ir->arena, "%s * %s + %s", a, b, c);
    case 2:
        return arena_printf(ir->arena, "%s - %s * 3", a, b);
    case 3:
        return arena_printf(ir->arena, "max(%s, %s) - %s", a, b, c);
    case 4:
        return arena_printf(ir->arena, "(%s if %s < %s else %s)", a, b, c, b);
    default:
        return other;
    }
}

const char *form_bounded(struct forms *m, const char *value, int most)
{
    return TEXT(m, "min(max(%s, -%d), %d)", value, most, most);
}
