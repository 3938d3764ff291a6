/* Forms of several loops that belong together. */
#include "tests/run/random_steps.h"

#include <string.h>

static struct loop *counted(struct forms *m, struct region *r, const char *name, int begin, const char *end)
{
    build_symbol(m->s, name, "int64");
    return build_loop(r, form_fresh(m, "loop"), name, TEXT(m, "%s = %d", name, begin), TEXT(m, "%s < %s", name, end),
                      TEXT(m, "%s = %s + 1", name, name));
}

static struct step at_index(struct forms *m, const char *begin, const char *end, int high)
{
    struct step p = { 0 };
    form_add_param(m, &p, begin, 0, end, high);
    return p;
}

/* T[i, k] from T[i, k - 1] for all i, forth, and then something of it, back. */
static struct block *sweep(struct forms *m, struct region *r)
{
    struct array *b = form_matrix(m);
    const struct array *a = form_other_array(m, b, 2);
    if (!a)
        return form_elements(m, r);
    struct region *inside = build_region(r, form_fresh(m, "sweep"));
    struct array t = form_temporary(m, 2);
    bool turned = form_chance(m, 50);
    const char *forth = form_fresh(m, "k"), *back = form_fresh(m, "k"), *xs[2];
    struct step first = at_index(m, "0", "40", 39), next = at_index(m, "0", "40", 39),
                last = at_index(m, "0", "40", 39);
    const char *i = first.params[0].name, *j = next.params[0].name, *l = last.params[0].name;
    first.out = turned ? form_element(m, &t, "0", i) : form_element(m, &t, i, "0");
    first.code = TEXT(m, "%s * 2", i);
    struct block *begin = form_put_step(m, inside, &first);
    struct loop *f = counted(m, inside, forth, 1, form_chance(m, 50) ? "41" : "M - 89"),
                *u = counted(m, inside, back, 0, "41");
    const char *before = TEXT(m, "%s - 1", forth), *mirror = TEXT(m, "40 - %s", back);
    xs[0] = form_input(m, &next, &t, turned ? form_element(m, &t, before, j) : form_element(m, &t, j, before));
    xs[1] = form_input(m, &next, a, form_chance(m, 50) ? form_element(m, a, forth, j) : form_element(m, a, j, forth));
    next.code = form_bounded(m, form_expression(m, &next, xs, 2), 99);
    next.out = turned ? form_element(m, &t, forth, j) : form_element(m, &t, j, forth);
    form_put_step(m, &f->region, &next);
    xs[0] = form_input(m, &last, &t, turned ? form_element(m, &t, mirror, l) : form_element(m, &t, l, mirror));
    xs[1] =
        form_input(m, &last, b,
                   form_chance(m, 50) ? form_element(m, b, back, l) : form_element(m, b, TEXT(m, "%s + 50", back), l));
    last.code = form_bounded(m, form_expression(m, &last, xs, 2), 99);
    last.out = form_element(m, b, back, l);
    form_put_step(m, &u->region, &last);
    build_transition(begin, &f->region.block, NULL, NULL);
    build_transition(&f->region.block, &u->region.block, NULL, NULL);
    return &inside->block;
}

/* Rows of a triangle with sums of what stands in them, of lengths that the row, the column or a table says. */
static struct block *triangle(struct forms *m, struct region *r)
{
    struct array *b = form_matrix(m), *a = form_chance(m, 50) ? b : form_other_array(m, b, 2),
                 t = { .name = form_fresh(m, "d"), .rank = 1 };
    const struct array *table = form_any_array(m);
    if (!a)
        a = b;
    build_transient(m->s, t.name, "float64", "1");
    const char *i = form_fresh(m, "i"), *j = form_fresh(m, "j"), *n = form_fresh(m, "n"), *xs[3];
    int begin = (int)form_below(m, 2);
    struct loop *rows = counted(m, r, i, 1, TEXT(m, "%u", SHORTEST + form_below(m, 7)));
    struct loop *columns = counted(m, &rows->region, j, begin, i);
    build_symbol(m->s, n, "int64");
    const char *lengths[] = { j, i, TEXT(m, "%s + 1", j), "7", n };
    const char *length = PICK(m, lengths), *row = form_chance(m, 50) ? i : j;
    const char *entry = table->rank == 2 ? TEXT(m, "%s[%s, 2]", table->name, row) : TEXT(m, "%s[%s]", table->name, row);
    struct state *start = build_state(&columns->region, form_fresh(m, "s")),
                 *sum = build_state(&columns->region, form_fresh(m, "s"));
    build_transition(&start->block, &sum->block, NULL, TEXT(m, "%s = abs(dace.int64(%s)) %% 5", n, entry));
    struct library *dot =
        build_library(sum, form_fresh(m, "dot"), "dace.libraries.blas.nodes.dot.Dot", "_x, _y", "_result", NULL);
    struct node *const nodes[] = { &build_access(sum, a->name)->node, &build_access(sum, a->name)->node };
    build_edge(nodes[0], NULL, &dot->node, "_x", TEXT(m, "%s[%s, 0:%s]", a->name, i, length), NULL);
    build_edge(nodes[1], NULL, &dot->node, "_y", TEXT(m, "%s[%s, 0:%s]", a->name, j, length), NULL);
    build_edge(&dot->node, "_result", &build_access(sum, t.name)->node, NULL, TEXT(m, "%s[0]", t.name), NULL);
    struct step set = { 0 };
    t.large = true;
    xs[0] = form_input(m, &set, &t, TEXT(m, "%s[0]", t.name));
    xs[1] = form_input(m, &set, b, form_element(m, b, j, j));
    xs[2] = form_input(m, &set, b,
                       begin && form_chance(m, 50) ? form_element(m, b, i, TEXT(m, "%s - 1", j))
                                                   : form_element(m, b, i, j));
    set.code = form_bounded(m, TEXT(m, "%s + %s - %s", xs[0], xs[1], xs[2]), 99);
    set.out = form_element(m, b, i, j);
    build_transition(&sum->block, form_put_step(m, &columns->region, &set), NULL, NULL);
    struct step diagonal = { 0 };
    diagonal.out = form_element(m, b, i, i);
    xs[0] = form_input(m, &diagonal, b, diagonal.out);
    diagonal.code = form_bounded(m, TEXT(m, "%s + 1", xs[0]), 99);
    build_transition(&columns->region.block, form_put_step(m, &rows->region, &diagonal), NULL, NULL);
    return &rows->region.block;
}

/* C[i, j] += A[j, k] * B[i, k], row by row. */
static struct block *products(struct forms *m, struct region *r)
{
    struct array *c = form_matrix(m);
    const struct array *a = form_other_array(m, c, 2), *b = form_other_array(m, c, 2);
    const char *i = form_fresh(m, "i"), *k = form_fresh(m, "k"), *xs[3];
    if (!a)
        return form_elements(m, r);
    struct loop *rows =
        counted(m, r, i, (int)form_below(m, 3), form_chance(m, 50) ? TEXT(m, "%u", 20 + form_below(m, 20)) : "M - 90");
    struct block *before = NULL;
    if (form_chance(m, 30)) { /* something in front */
        struct step first = at_index(m, "0", "40", 39);
        first.out = form_element(m, c, i, first.params[0].name);
        first.code = TEXT(m, "%s", first.params[0].name);
        before = form_put_step(m, &rows->region, &first);
    }
    struct loop *terms = counted(m, &rows->region, k, (int)form_below(m, 2), TEXT(m, "%u", form_below(m, 3) * 9));
    static const char *const kinds[] = { "0:%s", "0:%s + 1", "%s:40", "%s + 1:40", "5:%s + 1", "0:40" };
    const char *kind = PICK(m, kinds), *hole = strstr(kind, "%s");
    struct step p = { .num_params = 1, .params = { { form_fresh(m, "p"), 0, LARGEST } } };
    p.ranges[0] = hole ? TEXT(m, "%.*s%s%s", (int)(hole - kind), kind, i, hole + 2) : kind;
    p.out = form_element(m, c, i, p.params[0].name);
    xs[0] = form_input(m, &p, c, p.out);
    xs[0] = "x0";
    xs[1] = form_input(m, &p, a,
                       form_chance(m, 70) ? form_element(m, a, p.params[0].name, k)
                                          : form_element(m, a, k, p.params[0].name));
    const char *factor = form_element(m, b, i, k);
    struct block *value = NULL;
    struct array once = { .name = form_fresh(m, "b"), .rank = 1 };
    if (form_chance(m, 60)) { /* once for all columns */
        struct step f = { .out = TEXT(m, "%s[0]", once.name) };
        build_transient(m->s, once.name, "float64", "1");
        f.code = TEXT(m, "%s * 2", form_input(m, &f, b, factor));
        value = form_put_step(m, &terms->region, &f);
        b = &once;
        factor = f.out;
    }
    xs[2] = form_input(m, &p, b, factor);
    p.code = TEXT(m, "%s + %s * %s", xs[0], xs[1], xs[2]);
    if (before)
        build_transition(before, &terms->region.block, NULL, NULL);
    struct block *add = form_put_step(m, &terms->region, &p);
    if (value)
        build_transition(value, add, NULL, NULL);
    form_sums(m, c);
    return &rows->region.block;
}

/* T[i, j] of row and column k of P, and with it the next P, for all k. */
static struct block *closure(struct forms *m, struct region *r)
{
    struct array *p = form_matrix(m), t = form_temporary(m, 2);
    const struct array *q = form_chance(m, 70) ? p : form_other_array(m, p, 2);
    const char *k = form_fresh(m, "k"), *xs[2];
    static const char *const ranges[] = { "0:30", "0:M - 100", "%s:30", "%s + 1:30", "0:%s" };
    const char *const kinds[] = { PICK(m, ranges), PICK(m, ranges) };
    struct loop *loop = counted(m, r, k, 0, TEXT(m, "%u", 5 + form_below(m, 20)));
    struct step make = { .num_params = 2 }, change;
    for (int d = 0; d < 2; d++) {
        const char *hole = strstr(kinds[d], "%s");
        make.params[d] = (struct variable){ form_fresh(m, "p"), 0, 29 };
        make.ranges[d] = hole ? TEXT(m, "%.*s%s%s", (int)(hole - kinds[d]), kinds[d], k, hole + 2) : kinds[d];
    }
    change = make;
    const char *i = make.params[0].name, *j = make.params[1].name;
    q = q ? q : p;
    xs[0] = form_input(m, &make, q, form_element(m, q, i, k));
    xs[1] = form_input(m, &make, q, form_element(m, q, k, j));
    make.code = TEXT(m, "%s + %s", xs[0], xs[1]);
    make.out = form_element(m, &t, i, j);
    change.out = form_element(m, p, i, j);
    xs[0] = form_input(m, &change, p, change.out);
    xs[1] = form_input(m, &change, &t, make.out);
    change.code = form_chance(m, 50) ? TEXT(m, "min(%s, %s)", xs[0], xs[1])
                                     : form_bounded(m, TEXT(m, "%s - %s", xs[0], xs[1]), 999);
    struct block *first = form_put_step(m, &loop->region, &make);
    build_transition(first, form_put_step(m, &loop->region, &change), NULL, NULL);
    return &loop->region.block;
}

/* All of `to` but its border, from neighbours in `from`. */
static struct block *neighbours(struct forms *m, struct region *r, const struct array *from, const struct array *to)
{
    struct step p = { 0 };
    form_add_param(m, &p, "1", 1, "N - 1", 0);
    form_add_param(m, &p, "1", 1, "M - 1", 0);
    const char *i = p.params[0].name, *j = p.params[1].name, *sum = "0";
    static const int places[][2] = { { 0, 0 }, { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
    for (uint32_t n = 0, count = 2 + form_below(m, 2); n < count; n++) {
        const int *by = PICK(m, places);
        const char *memlet = TEXT(m, "%s[%s + %d, %s + %d]", from->name, i, by[0], j, by[1]);
        sum = TEXT(m, "%s %c %s", sum, n % 2 ? '-' : '+', form_input(m, &p, from, memlet));
    }
    p.code = form_bounded(m, sum, 99);
    p.out = form_element(m, to, i, j);
    p.plain = true;
    return form_put_step(m, r, &p);
}

/* Stencils: steps back and forth between two arrays. */
static struct block *stencil(struct forms *m, struct region *r)
{
    struct array *a = form_matrix(m), *b = form_other_array(m, a, 2);
    if (!b)
        return form_elements(m, r);
    struct loop *steps = counted(m, r, form_fresh(m, "t"), 0, TEXT(m, "%u", 2 + form_below(m, 4)));
    struct block *first = neighbours(m, &steps->region, a, b);
    build_transition(first, neighbours(m, &steps->region, b, a), NULL, NULL);
    return &steps->region.block;
}

/* Temporaries that are more than caches hold, each made of the one before. */
static struct block *chain(struct forms *m, struct region *r)
{
    struct region *inside = build_region(r, form_fresh(m, "chain"));
    struct array *to = form_matrix(m), stage = *form_matrix(m);
    struct block *last = NULL;
    for (int n = 0, count = 7; n <= count; n++) {
        struct array next = n < count ? form_temporary(m, 2) : *to;
        struct step whole = { 0 };
        form_add_param(m, &whole, "0", 0, TEXT(m, "N - %d", 2 * n), 0);
        form_add_param(m, &whole, "0", 0, "M", 0);
        const char *i = whole.params[0].name, *j = whole.params[1].name, *xs[2];
        const char *further = TEXT(m, "%s + %u", i, n ? 1 + form_below(m, 2) : 0);
        xs[0] = form_input(m, &whole, &stage, form_element(m, &stage, n == count ? TEXT(m, "%s + 1", i) : i, j));
        xs[1] = form_input(m, &whole, &stage, form_element(m, &stage, further, j));
        whole.code = form_bounded(m, TEXT(m, "%s - %s", xs[0], xs[1]), 99);
        whole.out = form_element(m, &next, i, j);
        whole.plain = true;
        struct block *b = form_put_step(m, inside, &whole);
        if (last)
            build_transition(last, b, NULL, NULL);
        last = b;
        stage = next;
    }
    return &inside->block;
}

/* The same with planes of rows, so large that a few of them are too much; something is made of the last one later. */
static struct block *chain_of_planes(struct forms *m, struct region *r)
{
    enum { PLANES = 20, ROWS = 50, COLUMNS = 90, STAGES = 5, NEAR = 3 };
    struct region *inside = build_region(r, form_fresh(m, "planes"));
    struct array *to = form_matrix(m), stage = *form_matrix(m);
    struct block *last = NULL;
    for (int n = 0; n <= STAGES; n++) {
        int more = (NEAR - 1) * (STAGES - 1 - n);
        struct array next = n < STAGES ? (struct array){ .name = form_fresh(m, "T"), .rank = 3 } : *to;
        struct step whole = { .plain = true };
        if (n < STAGES) {
            form_add_param(m, &whole, "0", 0, TEXT(m, "%d", PLANES + more), 0);
            build_transient(m->s, next.name, "float64", TEXT(m, "%d, %d, %d", PLANES + more, ROWS + more, COLUMNS));
        }
        form_add_param(m, &whole, "0", 0, TEXT(m, "%d", n < STAGES ? ROWS + more : ROWS), 0);
        form_add_param(m, &whole, "0", 0, TEXT(m, "%d", COLUMNS), 0);
        const char *i = n < STAGES ? whole.params[0].name : "7", *j = whole.params[n < STAGES].name,
                   *k = whole.params[1 + (n < STAGES)].name, *xs[3];
        for (int x = 0; x < 3; x++) {
            const char *at[] = { TEXT(m, "%s + %u", i, form_below(m, NEAR)),
                                 TEXT(m, "%s + %u", j, form_below(m, NEAR)) };
            const char *column = form_chance(m, 4) ? TEXT(m, "%d - %s", COLUMNS - 1, k) : k;
            xs[x] = form_input(m, &whole, &stage,
                               n == 0        ? form_element(m, &stage, TEXT(m, "%s + %s", i, at[1]), k)
                               : n == STAGES ? TEXT(m, "%s[%s, %s, %s]", stage.name, i, j, k)
                                             : TEXT(m, "%s[%s, %s, %s]", stage.name, at[0], at[1], column));
        }
        whole.code = form_bounded(m, TEXT(m, "%s - %s + 3 * %s", xs[0], xs[1], xs[2]), 99);
        whole.out = n < STAGES ? TEXT(m, "%s[%s, %s, %s]", next.name, i, j, k) : form_element(m, to, j, k);
        struct block *b = form_put_step(m, inside, &whole);
        if (last)
            build_transition(last, b, NULL, NULL);
        last = b;
        stage = next;
    }
    return &inside->block;
}

/* One place again and again, of others in its row and column. */
static struct block *corner_by_corner(struct forms *m, struct region *r)
{
    struct array *a = form_matrix(m);
    const char *i = form_fresh(m, "i"), *j = form_fresh(m, "j"), *k = form_fresh(m, "k"), *xs[3];
    build_symbol(m->s, i, "int64");
    build_symbol(m->s, j, "int64");
    build_symbol(m->s, k, "int64");
    struct loop *rows = build_loop(r, form_fresh(m, "loop"), i, TEXT(m, "%s = 30", i), TEXT(m, "%s > -1", i),
                                   TEXT(m, "%s = %s - 1", i, i));
    struct loop *columns = build_loop(&rows->region, form_fresh(m, "loop"), j, TEXT(m, "%s = %s + 1", j, i),
                                      TEXT(m, "%s < 31", j), TEXT(m, "%s = %s + 1", j, j));
    struct loop *between =
        build_loop(&columns->region, form_fresh(m, "loop"), k, TEXT(m, "%s = %s + %u", k, i, form_below(m, 2)),
                   TEXT(m, "%s < %s", k, j), TEXT(m, "%s = %s + 1", k, k));
    struct step p = { .out = form_element(m, a, i, j) };
    xs[0] = form_input(m, &p, a, p.out);
    xs[1] = form_input(m, &p, a, form_element(m, a, i, k));
    xs[2] = form_input(m, &p, a, form_element(m, a, form_chance(m, 70) ? TEXT(m, "%s + 1", k) : k, j));
    p.code = TEXT(m, "max(%s, %s)", xs[0], form_bounded(m, TEXT(m, "%s + %s", xs[1], xs[2]), 999));
    form_put_step(m, &between->region, &p);
    return &rows->region.block;
}

struct block *form_whole(struct forms *m, struct region *r)
{
    static struct block *(*const kinds[])(struct forms *, struct region *) = {
        sweep,   triangle, triangle,         products, products,        closure,
        closure, stencil,  corner_by_corner, chain,    chain_of_planes,
    };
    return PICK(m, kinds)(m, r);
}
