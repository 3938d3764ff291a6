#include "engine/solve/solve.h"

#include <limits.h>

/* Equations with several unknowns, solved together: [M + N, 2*M + N] called with 5 x 7 gives M = 2, N = 3. Gauss-Jordan
 * elimination on integer rows that are kept free of common factors; a row whose numbers grow too large is dropped. */

enum { MOST_UNKNOWNS = 16, MOST_ROWS = 64 };

struct row {
    int64_t cells[MOST_UNKNOWNS + 1]; /* coefficients, then the right-hand side */
    uint64_t sources;                 /* equations it was made of, the first 64 */
    uint32_t equation;
    bool used;
};

struct linear_system {
    uint32_t unknowns[MOST_UNKNOWNS]; /* variables */
    uint32_t num_unknowns, num_rows;
    struct row rows[MOST_ROWS];
};

static int column_of(struct linear_system *m, uint32_t variable)
{
    for (uint32_t i = 0; i < m->num_unknowns; i++)
        if (m->unknowns[i] == variable)
            return (int)i;
    if (m->num_unknowns == MOST_UNKNOWNS)
        return -1;
    m->unknowns[m->num_unknowns] = variable;
    return (int)m->num_unknowns++;
}

/* False if the equation is not linear in its unknowns, all at once. */
static bool make_row(const struct solver *s, struct linear_system *m, uint32_t equation, struct row *r)
{
    const struct equation *e = &s->equations[equation];
    int64_t constant;
    bool any = false;
    *r = (struct row){ .equation = equation, .sources = equation < 64 ? UINT64_C(1) << equation : 0 };
    for (uint32_t i = 0; i < e->form->num_names; i++) {
        const struct form_name *n = &e->form->names[i];
        if (s->values[n->variable].origin != VALUE_UNKNOWN)
            continue;
        int column = column_of(m, n->variable);
        if (column < 0 || !form_coefficient(s, e->form, n, &r->cells[column]) || r->cells[column] == INT64_MIN)
            return false;
        any = true;
    }
    /* With every coefficient free of unknowns, what is left when all of them are 0 is the constant. */
    return any && form_at_zero(s, e->form, &constant) &&
           !__builtin_sub_overflow(e->actual, constant, &r->cells[MOST_UNKNOWNS]) &&
           r->cells[MOST_UNKNOWNS] != INT64_MIN; /* which has no negative, and cannot be divided by -1 */
}

static void collect_rows(const struct solver *s, struct linear_system *m)
{
    for (uint32_t i = 0; i < s->num_equations && m->num_rows < MOST_ROWS; i++)
        if (!s->equations[i].form->opaque && make_row(s, m, i, &m->rows[m->num_rows]))
            m->num_rows++;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static void reduce(struct row *r)
{
    int64_t divisor = 0;
    for (int i = 0; i <= MOST_UNKNOWNS; i++)
        divisor = common_divisor(divisor, r->cells[i]);
    for (int i = 0; i <= MOST_UNKNOWNS && divisor > 1; i++)
        r->cells[i] /= divisor;
}

/* r = r * pivot's cell - pivot * r's cell, which empties the column; false if a number does not fit. */
static bool eliminate(struct row *r, const struct row *pivot, uint32_t column)
{
    int64_t mine = r->cells[column], theirs = pivot->cells[column];
    for (int i = 0; i <= MOST_UNKNOWNS; i++) {
        int64_t a, b;
        if (__builtin_mul_overflow(r->cells[i], theirs, &a) || __builtin_mul_overflow(pivot->cells[i], mine, &b) ||
            __builtin_sub_overflow(a, b, &r->cells[i]) || r->cells[i] == INT64_MIN)
            return false;
    }
    reduce(r);
    r->sources |= pivot->sources;
    return true;
}

static void eliminate_all(struct linear_system *m)
{
    for (uint32_t column = 0; column < m->num_unknowns; column++) {
        uint32_t p = 0;
        while (p < m->num_rows && (m->rows[p].used || !m->rows[p].cells[column]))
            p++;
        if (p == m->num_rows)
            continue;
        m->rows[p].used = true;
        for (uint32_t i = 0; i < m->num_rows; i++)
            if (i != p && m->rows[i].cells[column] && !eliminate(&m->rows[i], &m->rows[p], column))
                m->rows[i] = (struct row){ .equation = m->rows[i].equation, .used = true };
    }
}

static bool has_work(const struct solver *s)
{
    for (uint32_t i = 0; i < s->num_equations; i++)
        for (uint32_t k = 0; k < s->equations[i].form->num_names; k++)
            if (s->values[s->equations[i].form->names[k].variable].origin == VALUE_UNKNOWN)
                return true;
    return false;
}

bool solve_together(struct solver *s)
{
    if (!has_work(s))
        return false;
    struct linear_system m = { 0 };
    bool changed = false;
    collect_rows(s, &m);
    eliminate_all(&m);
    for (uint32_t i = 0; i < m.num_rows; i++) {
        const struct row *r = &m.rows[i];
        int found = -1;
        uint32_t filled = 0;
        for (uint32_t k = 0; k < m.num_unknowns; k++)
            if (r->cells[k]) {
                found = (int)k;
                filled++;
            }
        bool contradicts = r->cells[MOST_UNKNOWNS] && !filled;
        bool indivisible = filled == 1 && r->cells[MOST_UNKNOWNS] % r->cells[found];
        /* One equation alone has a message of its own. */
        if ((contradicts || indivisible) && r->sources & (r->sources - 1))
            s->impossible = r->sources;
        if (filled != 1 || indivisible)
            continue;
        int64_t value = r->cells[MOST_UNKNOWNS] / r->cells[found];
        uint32_t v = m.unknowns[found];
        if (s->values[v].origin != VALUE_UNKNOWN || !variable_holds(&s->variables[v], value))
            continue;
        s->values[v] = (struct symbol_value){ .origin = VALUE_SOLVED, .value = value, .equation = r->equation };
        changed = true;
    }
    return changed;
}
