/* Programs of the forms that passes over loops look for: sweeps over rows and columns, rows carried from step to step,
 * triangles, updates in place, temporaries of an iteration, guards, symbols that change on the way. Bounds and places
 * are affine and small; loops may have no iterations. Values are integers that doubles hold, so that sums of them are
 * the same in any order. */
#include "tests/run/random_steps.h"

/* ---- forms ---- */

/* Elements of a map, each from any elements of other arrays, its own, or those of the row before. */
struct block *form_elements(struct forms *m, struct region *r)
{
    struct step p = { 0 };
    struct array *a = form_any_array(m);
    const char *xs[MOST_INPUTS], *carried;
    uint32_t count = 0, params = m->loops && form_chance(m, 25)                       ? 0
                                 : a->rank == 2 && m->loops < 2 && form_chance(m, 50) ? 2
                                                                                      : 1;
    while (p.num_params < params)
        form_add_any_param(m, &p);
    p.out = form_own(m, a, &p, &carried);
    bool sum = form_chance(m, 20);
    if (carried && !sum && form_chance(m, 60))
        xs[count++] = form_input(m, &p, a, carried);
    if (!sum && form_chance(m, 50))
        xs[count++] = form_input(m, &p, a, p.out);
    for (uint32_t want = 1 + form_below(m, 2); want > 0; want--) {
        const struct array *b = form_other_array(m, a, 0);
        xs[count++] = form_input(m, &p, b, form_element(m, b, form_anywhere(m, &p), form_anywhere(m, &p)));
    }
    if (sum && !params)
        sum = false;
    p.wcr = sum ? "lambda a, b: a + b" : NULL;
    p.code = form_bounded(m, form_expression(m, &p, xs, count), sum ? 9 : 999);
    if (sum)
        form_sums(m, a);
    return form_put_step(m, r, &p);
}

/* A row or column as it is. */
static struct block *copy_row(struct forms *m, struct region *r, const struct array *from, struct array *to,
                              const char *row)
{
    struct state *st = build_state(r, form_fresh(m, "s"));
    const char *place = m->num_variables ? m->variables[form_below(m, m->num_variables)].name : "3";
    const char *all = TEXT(m, "0:%d", WRITTEN);
    const char *source = form_chance(m, 50) ? TEXT(m, "%s, %s", place, all) : TEXT(m, "%s, %s", all, place);
    build_edge(&build_access(st, from->name)->node, NULL, &build_access(st, to->name)->node, NULL,
               TEXT(m, "%s[%s] -> [%s]", from->name, source, row ? TEXT(m, "%s, %s", row, all) : all), NULL);
    to->large = from->large;
    return &st->block;
}

/* A temporary that each iteration of the loops around fills before it reads. */
static struct block *local_row(struct forms *m, struct region *r)
{
    struct region *inside = build_region(r, form_fresh(m, "local"));
    struct array t = form_temporary(m, m->num_variables && form_chance(m, 50) ? 2 : 1);
    const char *row = t.rank == 2 ? m->variables[m->num_variables - 1].name : NULL, *x;
    struct step fill = { 0 }, use = { 0 };
    form_add_param(m, &fill, "0", 0, TEXT(m, "%d", WRITTEN), WRITTEN - 1);
    const struct array *from = form_any_array(m);
    struct block *last;
    if (from->rank == 2 && form_chance(m, 40)) {
        last = copy_row(m, inside, from, &t, row);
    } else {
        x = form_input(m, &fill, from, form_element(m, from, fill.params[0].name, "1"));
        fill.code = form_bounded(m, form_expression(m, &fill, &x, 1), 99);
        fill.out = row ? form_element(m, &t, row, fill.params[0].name) : form_element(m, &t, fill.params[0].name, "");
        last = form_put_step(m, inside, &fill);
    }
    if (form_chance(m, 40)) { /* in place */
        struct step again = { 0 };
        form_add_param(m, &again, "1", 1, TEXT(m, "%d", WRITTEN), WRITTEN - 1);
        again.out =
            row ? form_element(m, &t, row, again.params[0].name) : form_element(m, &t, again.params[0].name, "");
        x = form_input(m, &again, &t, again.out);
        again.code = form_bounded(m, form_expression(m, &again, &x, 1), 99);
        struct block *b = form_put_step(m, inside, &again);
        build_transition(last, b, NULL, NULL);
        last = b;
    }
    struct array *to = form_any_array(m);
    const char *carried, *xs[2];
    form_add_any_param(m, &use);
    use.out = form_own(m, to, &use, &carried);
    for (int i = 0; i < 2; i++) {
        const char *at = form_anywhere(m, &use);
        xs[i] = form_input(m, &use, &t, row ? form_element(m, &t, row, at) : form_element(m, &t, at, ""));
    }
    use.code = form_bounded(m, form_expression(m, &use, xs, 2), 999);
    build_transition(last, form_put_step(m, inside, &use), NULL, NULL);
    return &inside->block;
}

/* ---- control flow ---- */

static void fill_region(struct forms *m, struct region *r, uint32_t count);

static struct block *steps(struct forms *m, struct region *r)
{
    const char *name = form_fresh(m, "t");
    struct variable v = { name, (int)form_below(m, 3), (int)(m->loops ? 10 : 20 + form_below(m, 20)) };
    build_symbol(m->s, name, "int64");
    struct loop *l;
    if (form_chance(m, 20)) /* downwards */
        l = build_loop(r, form_fresh(m, "loop"), name, TEXT(m, "%s = %d", name, v.high),
                       TEXT(m, "%s > %d", name, v.low - 1), TEXT(m, "%s = %s - 1", name, name));
    else
        l = build_loop(r, form_fresh(m, "loop"), name, TEXT(m, "%s = %d", name, v.low),
                       TEXT(m, "%s < %d", name, v.high + 1),
                       TEXT(m, "%s = %s + %d", name, name, form_chance(m, 15) ? 2 : 1));
    m->variables[m->num_variables++] = v;
    m->loops++;
    fill_region(m, &l->region, 1 + form_below(m, 3));
    m->loops--;
    m->num_variables--;
    return &l->region.block;
}

static struct block *guarded(struct forms *m, struct region *r)
{
    struct conditional *c = build_conditional(r, form_fresh(m, "guard"));
    const struct variable *v = &m->variables[form_below(m, m->num_variables)];
    fill_region(m, build_branch(c, form_chance(m, 50) ? TEXT(m, "%s > 7", v->name) : TEXT(m, "%s %% 2 == 1", v->name)),
                1);
    if (form_chance(m, 30))
        fill_region(m, build_branch(c, NULL), 1);
    return &c->block;
}

static struct block *any_form(struct forms *m, struct region *r)
{
    uint32_t kind = form_below(m, 20);
    bool room = m->num_variables + 1 < MOST_VARIABLES;
    if (m->loops < MOST_LOOPS && room && kind < (m->loops ? 3 : 9))
        return steps(m, r);
    if (m->loops && kind < 6)
        return guarded(m, r);
    if (kind < 12)
        return local_row(m, r);
    if (m->loops == 0 && kind < 18)
        return form_whole(m, r);
    return form_elements(m, r);
}

/* Forms one behind the other; a symbol may get a value in between, and another one later. */
static void fill_region(struct forms *m, struct region *r, uint32_t count)
{
    struct block *last = NULL;
    uint32_t variables = m->num_variables;
    const char *symbol = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const char *assignment = NULL;
        if (last && form_chance(m, 25) && m->num_variables + 1 < MOST_VARIABLES) {
            const struct array *a = form_any_array(m);
            if (!symbol || form_chance(m, 50)) {
                symbol = form_fresh(m, "s");
                build_symbol(m->s, symbol, "int64");
                m->variables[m->num_variables++] = (struct variable){ symbol, 0, 4 };
            }
            assignment = TEXT(m, "%s = abs(dace.int64(%s)) %% 5", symbol,
                              a->rank == 2 ? TEXT(m, "%s[3, 4]", a->name) : TEXT(m, "%s[3]", a->name));
        }
        struct block *b = any_form(m, r);
        if (last)
            build_transition(last, b, NULL, assignment);
        last = b;
    }
    m->num_variables = variables;
}

struct sdfg *random_forms(struct ir *ir, uint64_t seed, bool *shared)
{
    struct forms m = { .ir = ir, .random = &seed, .s = build_sdfg(ir, "forms") };
    build_symbol(m.s, "N", "int64");
    build_symbol(m.s, "M", "int64");
    *shared = m.shared = form_chance(&m, 20);
    for (uint32_t i = 0, count = 3 + form_below(&m, 3); i < count; i++) {
        struct array *a = &m.arrays[m.num_arrays++];
        const char *type =
            i < 2 && m.shared ? "float64" : PICK(&m, ((const char *[]){ "float64", "float64", "int64" }));
        *a = (struct array){ .name = TEXT(&m, "A%u", i), .rank = i < 2 || form_chance(&m, 70) ? 2 : 1 };
        build_array(m.s, a->name, type, a->rank == 2 ? "N, M" : "N");
    }
    fill_region(&m, &m.s->region, 2 + form_below(&m, 4));
    return m.s;
}
