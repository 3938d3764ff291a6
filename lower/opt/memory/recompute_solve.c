/* In which iteration of a nest an element was stored: the index is divided by the strides of the counters, the largest
 * first. */
#include "lower/opt/memory/recompute.h"
#include "lower/tree/tree_depend.h"

/* a / b, rounded to the nearest number: what remains is the offset of a neighbour in a dimension with a smaller stride.
 */
static int64_t nearest(int64_t a, int64_t b)
{
    int64_t quotient = a / b, rest = a % b, half = (b < 0 ? -b : b) / 2, up = b < 0 ? -1 : 1;
    return rest > half ? quotient + up : rest < -half ? quotient - up : quotient;
}

/* Takes what is a multiple of the term without the counter out of `rest`, into `value`. */
static void take(struct linear *value, struct linear *rest, const struct linear_term *term, const struct tree_var *v)
{
    struct linear left;
    linear_constant(value, 0);
    linear_constant(&left, 0);
    for (uint32_t i = 0; i < rest->count; i++) {
        struct linear one;
        linear_constant(&one, 0);
        one.terms[0] = rest->terms[i];
        bool whole = one.terms[0].times % term->times == 0;
        for (uint32_t k = 0; k < term->count && whole; k++) {
            uint32_t at = 0;
            if (term->factors[k]->op == EXPR_VAR && term->factors[k]->var == v)
                continue;
            while (at < one.terms[0].count && !expr_equal(one.terms[0].factors[at], term->factors[k]))
                at++;
            whole = at < one.terms[0].count;
            if (whole)
                one.terms[0].factors[at] = one.terms[0].factors[--one.terms[0].count];
        }
        if (!whole)
            one.terms[0] = rest->terms[i];
        else
            one.terms[0].times /= term->times;
        one.count = one.terms[0].count > 0;
        one.constant = one.count ? 0 : one.terms[0].times;
        linear_add(whole ? value : &left, &one, 1);
    }
    int64_t whole = term->count == 1 ? nearest(rest->constant, term->times) : 0;
    value->constant += whole;
    left.constant += rest->constant - whole * term->times;
    left.known &= rest->known;
    linear_copy(rest, &left);
}

/* The term of a counter, if it is in one only and once. */
static const struct linear_term *term_of(const struct recompute_nest *p, uint32_t loop)
{
    const struct linear_term *found = NULL;
    for (uint32_t i = 0; i < p->at.count; i++) {
        uint32_t times = 0;
        for (uint32_t k = 0; k < p->at.terms[i].count; k++)
            times += expr_mentions(p->at.terms[i].factors[k], p->loops[loop]->var);
        if (times > 1 || (times && (found || !linear_term_has(&p->at.terms[i], p->loops[loop]->var))))
            return NULL;
        found = times ? &p->at.terms[i] : found;
    }
    return found;
}

bool recompute_solve(const struct recompute_nest *p, const struct tree_expr *index, struct linear *counters)
{
    struct linear rest, fixed, zero;
    bool done[RECOMPUTE_LOOPS] = { false };
    linear_of(&rest, index);
    linear_copy(&fixed, &p->at);
    linear_constant(&zero, 0);
    for (uint32_t i = 0; i < p->num_loops; i++) {
        struct linear next;
        linear_replace(&next, &fixed, p->loops[i]->var, &zero);
        linear_copy(&fixed, &next);
    }
    linear_add(&rest, &fixed, -1);
    for (uint32_t n = 0; n < p->num_loops && rest.known; n++) { /* large strides first: they have most factors */
        uint32_t best = RECOMPUTE_LOOPS;
        const struct linear_term *most = NULL;
        for (uint32_t i = 0; i < p->num_loops; i++) {
            const struct linear_term *term = done[i] ? NULL : term_of(p, i);
            if (!done[i] && !term)
                return false;
            if (term &&
                (!most || term->count > most->count || (term->count == most->count && term->times > most->times))) {
                most = term;
                best = i;
            }
        }
        done[best] = true;
        take(&counters[best], &rest, most, p->loops[best]->var);
        if (!counters[best].known)
            return false;
    }
    return rest.known && rest.count == 0 && rest.constant == 0;
}

bool recompute_is_within(const struct recompute_nest *p, const struct linear *counters, const struct tree_frame *frame)
{
    for (uint32_t i = 0; i < p->num_loops; i++) {
        struct linear above, below, bound;
        linear_copy(&above, &counters[i]);
        linear_of(&bound, p->loops[i]->begin);
        linear_add(&above, &bound, -1);
        linear_of(&below, depend_end(p->loops[i]));
        linear_add(&below, &counters[i], -1);
        below.constant--;
        if (!above.known || !below.known || !depend_is_natural(p->tree->scratch, &above, frame) ||
            !depend_is_natural(p->tree->scratch, &below, frame))
            return false;
    }
    return true;
}
