#include "lower/tree/tree_system.h"
#include "lower/tree/tree_system_rows.h"

#include <string.h>

enum {
    BUDGET = 4000, /* rows made for one answer */
    DEEPEST = 6,   /* shadows in shadows */
    SPLINTERS = 64 /* for one variable */
};
static const int64_t FARTHEST = (int64_t)1 << 40; /* from an end to the first value that there is a solution for */

struct system_work {
    int budget, depth;
    bool loose; /* rows were left out */
};

/* ---- equations ---- */

enum progress { STUCK, GOES_ON, NOTHING_LEFT, NO_SOLUTION };

static enum progress take_equation(struct system_work *w, struct system *s, int kept)
{
    int var = NO_VARIABLE, equation = system_find_equation(s, kept, &var);
    bool changed = false;
    if (equation < 0)
        return NOTHING_LEFT;
    if (--w->budget < 0)
        return STUCK;
    const struct system_row e = s->rows[equation];
    if (system_magnitude(e.times[var]) != 1) {
        if (!system_reduce(s, &e, var, &changed))
            return STUCK;
        if (changed)
            return GOES_ON; /* else `kept` is in it and does not take every value: solutions in fractions will do */
    }
    return system_substitute(s, (uint32_t)equation, var) ? GOES_ON : STUCK;
}

/* ---- inequalities ---- */

struct system_choice {
    int var;
    bool free, exact;
    int cost;
};

static struct system_choice judge(const struct system *s, uint32_t var)
{
    int below = 0, above = 0, wide_below = 0, wide_above = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t times = s->rows[i].times[var];
        below += times > 0;
        above += times < 0;
        wide_below += times > 1;
        wide_above += times < -1;
    }
    if (below + above == 0)
        return (struct system_choice){ .var = NO_VARIABLE };
    bool free = below == 0 || above == 0;
    return (struct system_choice){ (int)var, free, free || wide_below == 0 || wide_above == 0,
                                   below * above - below - above };
}

static struct system_choice choose(const struct system *s, int kept)
{
    struct system_choice best = { .var = NO_VARIABLE };
    for (uint32_t i = 0; i < s->vars; i++) {
        struct system_choice c = judge(s, i);
        if ((int)i == kept || c.var == NO_VARIABLE)
            continue;
        if (best.var == NO_VARIABLE || c.exact > best.exact || (c.exact == best.exact && c.cost < best.cost))
            best = c;
    }
    return best;
}

static void drop_all(struct system *s, int var)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->rows[i].times[var])
            system_drop(s, i--);
}

/* What is left of the rows if the variable lies between some of them: each from below with each from above. */
static bool eliminate(struct system_work *w, struct system *s, int var, bool dark)
{
    struct system out;
    out.vars = s->vars;
    out.count = 0;
    out.loose = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct system_row *low = &s->rows[i];
        if (low->times[var] == 0)
            system_add(&out, low);
        for (uint32_t k = 0; k < s->count && low->times[var] > 0; k++) {
            if (s->rows[k].times[var] >= 0)
                continue;
            struct system_row r = s->rows[k];
            int64_t a = low->times[var], b = -r.times[var];
            if (--w->budget < 0 || !system_combine(&r, a, low, b, s->vars))
                return false;
            r.constant -= dark ? (a - 1) * (b - 1) : 0;
            system_add(&out, &r);
        }
    }
    w->loose |= out.loose;
    system_copy(s, &out);
    return true;
}

static enum system_answer solve(struct system_work *w, struct system *s);

static enum system_answer solve_shadow(struct system_work *w, const struct system *s, int var, bool dark)
{
    struct system shadow;
    system_copy(&shadow, s);
    return eliminate(w, &shadow, var, dark) ? solve(w, &shadow) : SYSTEM_UNKNOWN;
}

/* Solutions outside of the dark shadow lie close to a bound from below. */
static enum system_answer solve_splinters(struct system_work *w, const struct system *s, int var)
{
    int64_t most = 0;
    enum system_answer all = SYSTEM_NONE;
    for (uint32_t i = 0; i < s->count; i++)
        most = -s->rows[i].times[var] > most ? -s->rows[i].times[var] : most;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t a = s->rows[i].times[var], last = system_floor(a * most - a - most, most);
        if (a > 0 && last > SPLINTERS)
            return SYSTEM_UNKNOWN;
        for (int64_t at = 0; a > 0 && at <= last; at++) {
            struct system splinter;
            system_copy(&splinter, s);
            splinter.rows[i].equal = true;
            splinter.rows[i].constant -= at;
            enum system_answer one = solve(w, &splinter);
            if (one == SYSTEM_SOME)
                return one;
            all = one == SYSTEM_UNKNOWN ? one : all;
        }
    }
    return all;
}

static enum system_answer solve_inexact(struct system_work *w, struct system *s, int var)
{
    if (w->depth == DEEPEST)
        return SYSTEM_UNKNOWN;
    w->depth++;
    bool none = solve_shadow(w, s, var, false) == SYSTEM_NONE;
    enum system_answer answer = none ? SYSTEM_NONE : solve_shadow(w, s, var, true);
    if (!none && answer != SYSTEM_SOME) {
        enum system_answer splinters = solve_splinters(w, s, var);
        answer = splinters == SYSTEM_NONE ? answer : splinters;
    }
    w->depth--;
    return answer;
}

static enum system_answer solve(struct system_work *w, struct system *s)
{
    for (;;) {
        if (!system_tidy(s))
            return SYSTEM_NONE;
        switch (take_equation(w, s, NO_VARIABLE)) {
        case STUCK:
            return SYSTEM_UNKNOWN;
        case GOES_ON:
            continue;
        default:
            break;
        }
        struct system_choice c = choose(s, NO_VARIABLE);
        if (c.var == NO_VARIABLE)
            return SYSTEM_SOME;
        if (c.free)
            drop_all(s, c.var);
        else if (!c.exact)
            return solve_inexact(w, s, c.var);
        else if (!eliminate(w, s, c.var, false))
            return SYSTEM_UNKNOWN;
    }
}

enum system_answer system_solve(const struct system *s)
{
    struct system_work w = { .budget = BUDGET };
    struct system copy;
    system_copy(&copy, s);
    enum system_answer answer = solve(&w, &copy);
    return answer == SYSTEM_SOME && (s->loose || w.loose) ? SYSTEM_UNKNOWN : answer;
}

/* ---- values ---- */

/* Everything but one variable is taken out; false: no solution. *known: it was done. */
static bool project(struct system_work *w, struct system *s, int var, bool *known)
{
    *known = false;
    for (;;) {
        if (!system_tidy(s))
            return false;
        enum progress p = take_equation(w, s, var);
        if (p == STUCK)
            return true;
        if (p == GOES_ON)
            continue;
        struct system_choice c = choose(s, var);
        *known = c.var == NO_VARIABLE;
        if (c.free && c.var != NO_VARIABLE)
            drop_all(s, c.var);
        else if (c.var == NO_VARIABLE || !eliminate(w, s, c.var, false))
            return true;
    }
}

/* Is there surely no solution with x at the value, or further in the direction of the sign? */
static bool has_none_from(struct system *s, int var, int64_t value, int64_t sign)
{
    struct system_row *r = &s->rows[s->count++];
    memset(r, 0, sizeof *r);
    r->times[var] = sign;
    r->constant = -value * sign;
    bool none = system_solve(s) == SYSTEM_NONE;
    s->count--;
    return none;
}

/* From an end of the values towards the other one, in the direction of `step`, to the first one that there may be a
 * solution for: in strides that double, then by halves. */
static void move_closer(struct system *s, int var, int64_t *end, int64_t other, int64_t step)
{
    if (*end == other || !has_none_from(s, var, *end, -step))
        return;
    int64_t none = *end, some = other, stride = 1;
    if (step > 0 ? some > FARTHEST : some < -FARTHEST)
        some = step * FARTHEST;
    if ((some - none) * step <= 0)
        return;
    while (none != some) {
        int64_t left = (some - none) * step, next = none + step * (stride < left ? stride : left);
        if (next == some || !has_none_from(s, var, next, -step)) {
            some = next;
            break;
        }
        none = next;
        stride *= 2;
    }
    while ((some - none) * step > 1) {
        int64_t middle = none + (some - none) / 2;
        if (has_none_from(s, var, middle, -step))
            none = middle;
        else
            some = middle;
    }
    *end = some;
}

static void read_ends(const struct system *s, int var, struct system_range *out)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct system_row *r = &s->rows[i];
        int64_t times = r->times[var], bound = times ? system_floor(r->constant, system_magnitude(times)) : 0;
        int64_t low = times > 0 ? -bound : bound, high = times < 0 ? bound : -bound;
        if ((times > 0 || (times && r->equal)) && low > out->least)
            out->least = low;
        if ((times < 0 || (times && r->equal)) && high < out->most)
            out->most = high;
    }
}

struct system_range system_range(const struct system *s, const struct system_row *sum)
{
    struct system_range all = { INT64_MIN, INT64_MAX };
    struct system_work w = { .budget = BUDGET };
    struct system full, one;
    struct system_row value = *sum;
    bool known;
    int var = (int)s->vars;
    if (s->vars == SYSTEM_VARS || s->count + 2 > SYSTEM_ROWS)
        return all;
    system_copy(&full, s);
    full.vars++;
    for (uint32_t i = 0; i < full.count; i++)
        full.rows[i].times[var] = 0;
    value.equal = true;
    value.times[var] = -1;
    system_add(&full, &value);
    system_copy(&one, &full);
    if (!project(&w, &one, var, &known))
        return (struct system_range){ 0, -1 };
    if (!known)
        return all;
    read_ends(&one, var, &all);
    if (all.least != INT64_MIN)
        move_closer(&full, var, &all.least, all.most, 1);
    if (all.most != INT64_MAX)
        move_closer(&full, var, &all.most, all.least, -1);
    return all;
}
