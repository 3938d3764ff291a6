#include "lower/tree/tree_system_rows.h"

#include <string.h>

enum { LIMIT = INT32_MAX /* of the numbers in a row; products of two of them are added */ };

void system_clear(struct system *s)
{
    s->vars = s->count = 0;
    s->loose = false;
}

void system_copy(struct system *to, const struct system *from)
{
    memcpy(to, from, offsetof(struct system, rows) + from->count * sizeof from->rows[0]);
}

static bool is_small(int64_t value) { return value > -LIMIT && value < LIMIT; }

void system_add(struct system *s, const struct system_row *row)
{
    bool small = s->count < SYSTEM_ROWS;
    for (uint32_t i = 0; i < s->vars && small; i++)
        small = is_small(row->times[i]);
    if (!small)
        s->loose = true;
    else
        s->rows[s->count++] = *row;
}

/* ---- rows ---- */

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return system_magnitude(a);
}

/* Divided by what its numbers have in common. False: it holds for no integers. *empty: it holds for all. */
static bool normalize(struct system_row *r, uint32_t vars, bool *empty)
{
    int64_t common = 0;
    for (uint32_t i = 0; i < vars; i++)
        common = divisor(common, r->times[i]);
    *empty = common == 0;
    if (common == 0)
        return r->equal ? r->constant == 0 : r->constant >= 0;
    if (r->equal && r->constant % common != 0)
        return false;
    if (common > 1) {
        for (uint32_t i = 0; i < vars; i++)
            r->times[i] /= common;
        r->constant = system_floor(r->constant, common);
    }
    return true;
}

bool system_combine(struct system_row *to, int64_t a, const struct system_row *from, int64_t b, uint32_t vars)
{
    int64_t more;
    for (uint32_t i = 0; i < vars; i++) {
        to->times[i] = to->times[i] * a + from->times[i] * b;
        if (!is_small(to->times[i]))
            return false;
    }
    return !__builtin_mul_overflow(to->constant, a, &to->constant) &&
           !__builtin_mul_overflow(from->constant, b, &more) &&
           !__builtin_add_overflow(to->constant, more, &to->constant);
}

static int64_t fingerprint(const struct system_row *r, uint32_t vars)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < vars; i++)
        sum = sum + (uint64_t)r->times[i] * (2 * i + 1) * 0x9e3779b97f4a7c15u;
    return (int64_t)sum;
}

static bool are_parallel(const struct system_row *a, const struct system_row *b, int64_t sign, uint32_t vars)
{
    for (uint32_t i = 0; i < vars; i++)
        if (a->times[i] != sign * b->times[i])
            return false;
    return true;
}

void system_drop(struct system *s, uint32_t row) { s->rows[row] = s->rows[--s->count]; }

/* Of two inequalities in the same direction the closer one stays; in opposite directions they may be an equation. */
static bool merge_pair(struct system *s, uint32_t k, uint32_t i, int64_t sign, bool *dropped)
{
    struct system_row *a = &s->rows[k], *b = &s->rows[i];
    int64_t sum;
    *dropped = false;
    if (sign < 0) {
        if (__builtin_add_overflow(a->constant, b->constant, &sum))
            return true;
        a->equal |= sum == 0;
        *dropped = sum == 0;
    } else {
        a->constant = a->constant < b->constant ? a->constant : b->constant;
        *dropped = true;
        sum = 0;
    }
    if (*dropped)
        system_drop(s, i);
    return sum >= 0;
}

static bool merge(struct system *s)
{
    int64_t prints[SYSTEM_ROWS];
    for (uint32_t i = 0; i < s->count; i++) {
        prints[i] = fingerprint(&s->rows[i], s->vars);
        for (uint32_t k = 0; k < i && !s->rows[i].equal; k++) {
            int64_t sign = prints[k] == prints[i] ? 1 : prints[k] == -prints[i] ? -1 : 0;
            bool dropped;
            if (!sign || s->rows[k].equal || !are_parallel(&s->rows[k], &s->rows[i], sign, s->vars))
                continue;
            if (!merge_pair(s, k, i, sign, &dropped))
                return false;
            if (dropped) {
                i--;
                break;
            }
        }
    }
    return true;
}

bool system_tidy(struct system *s)
{
    bool empty;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!normalize(&s->rows[i], s->vars, &empty))
            return false;
        if (empty)
            system_drop(s, i--);
    }
    return merge(s);
}

/* ---- equations ---- */

/* The variable with the smallest number in the row, but for `kept`. */
static int smallest(const struct system_row *r, uint32_t vars, int kept)
{
    int found = NO_VARIABLE;
    for (uint32_t i = 0; i < vars; i++)
        if (r->times[i] && (int)i != kept &&
            (found == NO_VARIABLE || system_magnitude(r->times[i]) < system_magnitude(r->times[found])))
            found = (int)i;
    return found;
}

int system_find_equation(const struct system *s, int kept, int *var)
{
    int found = -1;
    for (uint32_t i = 0; i < s->count; i++) {
        int v = s->rows[i].equal ? smallest(&s->rows[i], s->vars, kept) : NO_VARIABLE;
        if (v == NO_VARIABLE)
            continue;
        if (found < 0 || system_magnitude(s->rows[i].times[v]) < system_magnitude(s->rows[found].times[*var])) {
            found = (int)i;
            *var = v;
        }
    }
    return found;
}

bool system_substitute(struct system *s, uint32_t equation, int var)
{
    struct system_row e = s->rows[equation];
    int64_t times = e.times[var], sign = times < 0 ? -1 : 1;
    system_drop(s, equation);
    for (uint32_t i = 0; i < s->count; i++) {
        struct system_row *r = &s->rows[i];
        if (r->times[var] && !system_combine(r, system_magnitude(times), &e, -r->times[var] * sign, s->vars))
            return false;
    }
    return true;
}

bool system_reduce(struct system *s, const struct system_row *equation, int var, bool *changed)
{
    int64_t by[SYSTEM_VARS] = { 0 }, times = equation->times[var], half = system_magnitude(times) / 2;
    *changed = false;
    for (uint32_t i = 0; i < s->vars; i++)
        if ((int)i != var && equation->times[i]) {
            by[i] = system_floor(equation->times[i] * (times < 0 ? -1 : 1) + half, system_magnitude(times));
            *changed |= by[i] != 0;
        }
    for (uint32_t k = 0; k < s->count; k++) {
        struct system_row *r = &s->rows[k];
        for (uint32_t i = 0; i < s->vars && r->times[var]; i++) {
            r->times[i] -= by[i] * r->times[var];
            if (!is_small(r->times[i]))
                return false;
        }
    }
    return true;
}
