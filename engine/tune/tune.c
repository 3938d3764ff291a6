#include "engine/tune/tune.h"

#include "base/intern.h"
#include "base/sized.h"
#include "base/text.h"
#include "engine/call/call.h"
#include "engine/host.h"
#include "engine/kernels/disk.h"
#include "engine/kernels/kernels.h"
#include "engine/tune/contest.h"

#include <string.h>

static const char *const words[] = {
#define TRIAL(word) word,
#include "engine/tune/trials.def"
};
enum { NUM_WORDS = sizeof words / sizeof *words, ROUNDS = 11, LAST_ROUNDS = 21, MOST_TREES = 4 * NUM_WORDS };

static const double usual_seconds = 10;
/* What is won must be more than this, and more than chance. */
static const double worth = 0.98;
/* Of the time, for measuring what was found again. */
static const double last_part = 0.2;
/* Calls that a trial takes at least: of each version one for the results, two for the time, and the rounds. */
enum { LEAST_CALLS = 2 * (3 + CONTEST_LEAST_ROUNDS) };

/* One version of the call. */
struct version {
    const char *passes;
    sdfg_bound *bound;
    bool adopted[NUM_WORDS];
};

struct tuning {
    struct sdfg_program *program;
    struct arena *arena;
    struct signature signature; /* of the default */
    struct own own;
    int threads;
    sdfg_tuning asked;
    struct version usual, best; /* `best` without `bound`: it is the usual one */
    double seconds;             /* of a call */
    double end;
    uint64_t trees[MOST_TREES]; /* that were measured */
    uint32_t num_trees;
    int untried;
};

static bool is_faster(const struct estimate *ratio) { return ratio->median < worth && ratio->high < 1; }

static const struct version *best_of(const struct tuning *x) { return x->best.bound ? &x->best : &x->usual; }

/* ---- versions ---- */

static size_t name_length(const char *word) { return strcspn(word, "="); }

/* Two numbers for the same thing? */
static bool takes_place(const char *word, const char *of)
{
    size_t n = name_length(word);
    return word[n] && n == name_length(of) && !strncmp(word, of, n);
}

static const char *list_of(struct tuning *x, const bool *adopted)
{
    const char *own = x->program->engine->options.passes;
    struct text t = text_new(x->arena);
    text_add(&t, own ? own : "");
    for (int i = 0; i < NUM_WORDS; i++)
        if (adopted[i])
            text_printf(&t, "%s%s", t.length ? "," : "", words[i]);
    return text_get(&t);
}

/* The best one so far, with one word more. */
static struct version with_word(struct tuning *x, int word)
{
    struct version v = { 0 };
    for (int i = 0; i < NUM_WORDS; i++)
        v.adopted[i] = best_of(x)->adopted[i] && !takes_place(words[word], words[i]);
    v.adopted[word] = true;
    v.passes = list_of(x, v.adopted);
    return v;
}

static sdfg_error *version_open(struct tuning *x, struct version *v)
{
    x->own.args->trial = v->passes;
    x->own.args->kernel = NULL; /* the call is not one more of the version before */
    return sdfg_bind(&v->bound, x->program, x->own.args);
}

static void version_close(struct version *v)
{
    struct sdfg_kernel *k = v->bound ? v->bound->call.kernel : NULL;
    if (k)
        kernels_pin(k);
    sdfg_bound_free(v->bound);
    if (k)
        kernels_discard(k);
    v->bound = NULL;
}

/* ---- is it another program at all? ---- */

static sdfg_error *take_tree(struct tuning *x, const char *passes, uint64_t *hash, const char **noticed)
{
    struct arena *a = arena_new();
    struct signature s = x->signature;
    const char *tree, *call;
    s.passes = passes;
    sdfg_error *error = kernels_tree(x->program, &s, a, &tree, &call);
    if (!error)
        *hash = hash_bytes(tree, strlen(tree), 0);
    *noticed = !error && call ? arena_strdup(x->arena, call) : NULL;
    arena_free(a);
    return error;
}

/* Was the tree measured before? If not, it will be. */
static bool was_measured(struct tuning *x, uint64_t tree)
{
    for (uint32_t i = 0; i < x->num_trees; i++)
        if (x->trees[i] == tree)
            return true;
    if (x->num_trees < MOST_TREES)
        x->trees[x->num_trees++] = tree;
    return false;
}

/* ---- search ---- */

static double left_for_trials(const struct tuning *x) { return x->end - last_part * x->asked.seconds - contest_now(); }

static void tell(const struct tuning *x, int word, enum contest_end v, const struct estimate *ratio)
{
    sdfg_trial t = { .struct_size = sizeof t, .change = words[word], .differs = v == CONTEST_DIFFERS };
    if (v == CONTEST_DONE) {
        t.ratio = ratio->median;
        t.low = ratio->low;
        t.high = ratio->high;
        t.adopted = is_faster(ratio);
    }
    if (x->asked.trial)
        x->asked.trial(x->asked.user, &t);
}

static enum contest_end compete(struct tuning *x, const struct version *base, const struct version *other, int rounds,
                                double end, struct estimate *ratio)
{
    sdfg_error *error;
    struct contest c = { &x->own, base->bound, other->bound, rounds, end, x->threads };
    enum contest_end v = contest(&c, ratio, &error);
    sdfg_error_free(error);
    return v;
}

static sdfg_error *try_word(struct tuning *x, int word, bool *adopted)
{
    struct estimate ratio = { 0 };
    struct version v = with_word(x, word);
    uint64_t tree;
    const char *noticed;
    *adopted = false;
    sdfg_error *error = take_tree(x, v.passes, &tree, &noticed);
    if (error || was_measured(x, tree))
        return error;
    error = version_open(x, &v);
    if (!error) {
        enum contest_end ended = compete(x, best_of(x), &v, ROUNDS, x->end - last_part * x->asked.seconds, &ratio);
        *adopted = ended == CONTEST_DONE && is_faster(&ratio);
        tell(x, word, ended, &ratio);
    }
    if (*adopted) {
        version_close(&x->best);
        x->best = v;
    } else {
        version_close(&v);
    }
    return error;
}

/* Until all others were tried with what was adopted, or time is up. */
static sdfg_error *search(struct tuning *x)
{
    sdfg_error *error = NULL;
    x->untried = NUM_WORDS;
    for (int i = 0; x->untried && !error; i = (i + 1) % NUM_WORDS) {
        bool adopted = false;
        if (left_for_trials(x) < LEAST_CALLS * x->seconds)
            break;
        x->untried--;
        if (!best_of(x)->adopted[i])
            error = try_word(x, i, &adopted);
        if (adopted)
            x->untried = NUM_WORDS - 1;
    }
    return error;
}

/* Only what still wins when it is measured again is chosen. */
static void conclude(struct tuning *x, struct known *out)
{
    struct estimate ratio = { 0 };
    out->measured = true;
    out->complete = !x->untried;
    out->ratio = out->low = out->high = 1;
    if (!x->best.bound || compete(x, &x->usual, &x->best, LAST_ROUNDS, x->end, &ratio) != CONTEST_DONE ||
        !is_faster(&ratio))
        return;
    out->passes = x->best.passes;
    out->ratio = ratio.median;
    out->low = ratio.low;
    out->high = ratio.high;
}

/* ---- one tuning ---- */

static sdfg_error *refuse(const char *why) { return error_of(SDFG_STAGE_RUN, DIAG_TUNE_REFUSED, why); }

static sdfg_error *begin(struct tuning *x, struct sdfg_args *a)
{
    uint64_t tree;
    const char *noticed, *why = own_refuses(a, x->arena);
    sdfg_error *error = NULL;
    x->usual.passes = list_of(x, x->usual.adopted);
    if (why)
        return refuse(why);
    error = take_tree(x, x->usual.passes, &tree, &noticed);
    if (error)
        return error;
    if (noticed)
        return refuse(arena_printf(x->arena, "it calls '%s', which may do more than compute", noticed));
    was_measured(x, tree);
    if (!own_begin(&x->own, a, x->arena, &error))
        return error;
    error = version_open(x, &x->usual);
    if (!error && kernel_has_state(x->usual.bound->call.kernel))
        error = refuse("it keeps memory between calls");
    struct contest c = { .own = &x->own, .threads = x->threads };
    return error ? error : contest_time(&c, x->usual.bound, &x->seconds);
}

static void end(void *tuning)
{
    struct tuning *x = tuning;
    version_close(&x->best);
    version_close(&x->usual);
    own_end(&x->own);
}

/* Measures what `out->signature` says. */
static sdfg_error *measure(struct sdfg_args *a, const sdfg_tuning *asked, struct known *out)
{
    struct tuning x = { .program = a->program,
                        .arena = arena_new(),
                        .signature = out->signature,
                        .threads = out->threads,
                        .asked = *asked };
    struct cleanup ended;
    if (!(x.asked.seconds > 0))
        x.asked.seconds = usual_seconds;
    x.end = contest_now() + x.asked.seconds;
    cleanup_push(&ended, end, &x);
    sdfg_error *error = begin(&x, a);
    if (!error)
        error = search(&x);
    if (!error)
        conclude(&x, out);
    out->passes = out->passes ? arena_strdup(a->scratch, out->passes) : NULL;
    cleanup_pop(&ended);
    end(&x);
    arena_free(x.arena);
    return error;
}

static void unlock(void *lock) { cache_unlock(lock); }

/* One thread of one process at a time; `again`: even if it is known. */
static sdfg_error *measure_alone(struct sdfg_args *a, const sdfg_tuning *asked, struct known *k, bool again,
                                 const struct known **out)
{
    struct cleanup one, locked;
    sdfg_error *error = NULL;
    known_lock(&one, a->program);
    struct cache_lock lock = { 0 };
    *out = again ? NULL : known_find(a->program, &k->signature, k->threads);
    if (!*out) {
        cleanup_push(&locked, unlock, &lock);
        bool waited = known_lock_disk(a->program, k, &lock);
        *out = waited && !again ? known_find(a->program, &k->signature, k->threads) : NULL;
        if (!*out)
            error = measure(a, asked, k);
        if (!*out && !error)
            *out = known_add(a->program, k);
        cleanup_pop(&locked);
        cache_unlock(&lock);
    }
    known_unlock(&one);
    return error;
}

/* ---- for calls ---- */

int tune_threads(const struct sdfg_engine *e, int num_threads)
{
    int asked = num_threads ? num_threads : e->options.num_threads;
    return asked ? asked : host_threads();
}

static void take(struct signature *s, const struct known *k)
{
    if (k && k->measured) {
        s->passes = k->passes;
        s->tuned = k->text;
    }
}

void tune_apply(struct sdfg_program *p, struct signature *s, int num_threads)
{
    if (p->engine->tunes && !s->passes && !s->exports)
        take(s, known_find(p, s, tune_threads(p->engine, num_threads)));
}

void tune_for_call(struct sdfg_args *a, struct signature *s)
{
    struct sdfg_program *p = a->program;
    if (a->trial) {
        s->passes = a->trial;
        s->trial = true;
    }
    if (a->trial || !p->engine->tunes)
        return;
    struct known k = { .signature = *s, .threads = tune_threads(p->engine, a->num_threads) };
    const sdfg_tuning asked = { .struct_size = sizeof asked, .seconds = p->engine->options.tune_seconds };
    const struct known *found = known_find(p, s, k.threads);
    if (!found) {
        sdfg_error *error = measure_alone(a, &asked, &k, false, &found);
        if (error) { /* the default is good enough, now and later */
            k.text = sdfg_error_message(error);
            k.measured = false;
            known_add(p, &k);
            sdfg_error_free(error);
        }
    }
    take(s, found);
}

void tune_explain(struct sdfg_program *p, const struct signature *s, int num_threads, struct text *out)
{
    int threads = tune_threads(p->engine, num_threads);
    struct signature plain = *s;
    plain.passes = NULL;
    const struct known *k = known_find(p, &plain, threads);
    text_printf(out, "choice for %d thread%s: %s\n", threads, threads == 1 ? "" : "s",
                k ? k->text : "nothing was measured; the first call does that");
}

/* ---- the public function ---- */

static sdfg_error *tune(struct sdfg_args *a, const sdfg_tuning *asked, const struct known **out)
{
    struct report r = args_report(a);
    if (!call_settle(a, &r))
        return report_end(&r, SDFG_STAGE_BIND);
    struct known k = { .signature = call_signature(a, r.arena, true, NULL),
                       .threads = tune_threads(a->program->engine, a->num_threads) };
    return measure_alone(a, asked, &k, true, out);
}

sdfg_error *sdfg_tune(sdfg_tuned *out, sdfg_program *p, sdfg_args *a, const sdfg_tuning *t)
{
    NEEDS(p);
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_RUN));
    sdfg_tuning asked = SDFG_TUNING_INIT;
    const char *wrong = t ? sized_take(&asked, sizeof asked, t) : NULL;
    const struct known *k = NULL;
    if (wrong)
        return error_of(SDFG_STAGE_OPTIONS, DIAG_STRUCT_SIZE, "sdfg_tuning", wrong);
    if (a->program != p)
        return error_of(SDFG_STAGE_BIND, DIAG_ARGUMENT_PROGRAM);
    sdfg_error *error = tune(a, &asked, &k);
    if (error)
        return error;
    a->kernel = NULL; /* the next call takes what was found */
    sdfg_tuned found = {
        .passes = k->passes, .text = k->text, .ratio = k->ratio, .low = k->low, .high = k->high, .complete = k->complete
    };
    if (out)
        sized_give(out, &found, sizeof found);
    return NULL;
}
