#include "engine/tune/contest.h"

#include <time.h>

static const double sample_seconds = 200e-6; /* a sample is so many calls that it takes this long, or one */
static const double long_seconds = 20e-3;    /* calls that need none before them to be measured well */
static const double lost = 1.05;             /* in each round: not worth more of them */
enum { MOST_CALLS = 10000, ROUNDS_TO_LOSE = 3 };

double contest_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sdfg_error *call_some(sdfg_bound *b, int calls)
{
    sdfg_error *error = NULL;
    for (int i = 0; i < calls && !error; i++)
        error = sdfg_bound_call(b);
    return error;
}

/* Seconds of each of so many calls. One call first, so that caches and threads are as they are between calls; threads
 * that wait for work hold their processors for a while. */
static sdfg_error *sample(const struct contest *c, sdfg_bound *side, int calls, bool first, double *seconds)
{
    struct timespec rest = { .tv_nsec = 2000000 };
    own_reset(c->own);
    if (c->threads != 1)
        nanosleep(&rest, NULL);
    sdfg_error *error = first ? sdfg_bound_call(side) : NULL;
    double start = contest_now();
    if (!error)
        error = call_some(side, calls);
    *seconds = (contest_now() - start) / calls;
    return error;
}

sdfg_error *contest_time(const struct contest *c, sdfg_bound *side, double *seconds)
{
    double again;
    sdfg_error *error = sample(c, side, 1, true, seconds);
    if (!error && *seconds < long_seconds)
        error = sample(c, side, 1, true, &again);
    else
        again = *seconds;
    *seconds = again < *seconds ? again : *seconds;
    return error;
}

static bool has_lost(const struct samples *ratios)
{
    bool slower = ratios->count >= ROUNDS_TO_LOSE;
    for (int i = 0; i < ratios->count && slower; i++)
        slower = ratios->values[i] > lost;
    return slower;
}

static sdfg_error *measure(const struct contest *c, struct samples *ratios, double seconds)
{
    double calls = seconds > 0 ? sample_seconds / seconds : MOST_CALLS;
    int count = calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int)calls + 1;
    bool first = seconds < long_seconds;
    while (ratios->count < CONTEST_MOST_ROUNDS && !has_lost(ratios) &&
           (ratios->count < CONTEST_LEAST_ROUNDS || (ratios->count < c->rounds && contest_now() < c->end))) {
        double times[2];
        for (int i = 0; i < 2; i++) {
            int side = i ^ (ratios->count & 1);
            sdfg_error *error = sample(c, side ? c->other : c->base, count, first, &times[side]);
            if (error)
                return error;
        }
        ratios->values[ratios->count++] = times[0] > 0 ? times[1] / times[0] : 1;
    }
    return NULL;
}

enum contest_end contest(const struct contest *c, struct estimate *ratio, sdfg_error **error)
{
    double values[CONTEST_MOST_ROUNDS], seconds;
    struct samples ratios = { values, 0 };
    own_reset(c->own);
    *error = sdfg_bound_call(c->base);
    own_expect(c->own);
    own_reset(c->own);
    double start = contest_now();
    if (!*error)
        *error = sdfg_bound_call(c->other);
    seconds = contest_now() - start;
    if (*error)
        return CONTEST_FAILED;
    if (!own_compare(c->own))
        return CONTEST_DIFFERS;
    *error = contest_time(c, c->other, &seconds);
    if (!*error)
        *error = measure(c, &ratios, seconds);
    if (*error)
        return CONTEST_FAILED;
    *ratio = samples_estimate(&ratios);
    return ratio->count ? CONTEST_DONE : CONTEST_FAILED;
}
