/* sdfg-bench --tune: which passes a program is faster without, for the arguments at hand. Nothing is predicted: what
 * changes the code is measured. */
#include "engine/cli/bench.h"
#include "engine/cli/execute.h"
#include "engine/cli/report.h"

#include <stdio.h>
#include <string.h>

/* Those that choose; others make what later passes need, or always pay. */
static const char *const choices[] = {
    "versions",          "gemm",         "batch-gemv",
    "fuse-nests",        "fuse",         "fuse-again",
    "interchange",       "copy-slices",  "interchange-to-contract",
    "prove-parallel",    "pack",         "overlapped-tiling",
    "strip-mine",        "time-skewing", "array-contraction",
    "nontemporal",       "sections",     "array-privatization",
    "unroll-jam",        "interleave",   "unroll-jam-solve",
    "vector-width",      "bit-tables",   "unroll-jam-triangle",
    "alignment-peeling", "dot",          "licm",
};
enum { NUM_CHOICES = sizeof choices / sizeof *choices, ROUNDS = 11, LAST_ROUNDS = 21 };

/* What is won must be more than this, and more than chance. */
static const double worth = 0.98;
/* Of the time, for measuring what was found again. */
static const double last_part = 0.2;

struct trial {
    struct side side;
    char *tree; /* what it runs */
};

struct tuning {
    struct bench *bench;
    struct trial *usual, *best; /* may be the same */
    bool skips[NUM_CHOICES];    /* in `best` */
    int untried;
    VEC(sdfg_symbol) symbols;
    double end;
};

static bool is_faster(const struct estimate *ratio) { return ratio->median < worth && ratio->high < 1; }

/* ---- trials ---- */

static void trial_close(struct trial *t)
{
    sdfg_text_free(t->tree);
    side_close(&t->side);
    *t = (struct trial){ 0 };
}

/* The loop tree for the symbols that are known; it takes a small part of the time that code takes. */
static int take_tree(struct tuning *x, struct trial *t)
{
    sdfg_options o = x->bench->command->options;
    sdfg_engine *engine = NULL;
    sdfg_program *program = NULL;
    size_t size;
    o.passes = t->side.passes;
    sdfg_error *e = sdfg_engine_new(&engine, &o);
    if (!e)
        e = sdfg_program_load_file(&program, engine, x->bench->command->program);
    if (!e)
        e = sdfg_program_emit(&t->tree, &size, program, SDFG_EMIT_TREE, x->symbols.items, x->symbols.count);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return e ? report_error(x->bench->command, e) : EXIT_GOOD;
}

/* `passes`: "-NAME,-NAME", or NULL. */
static int trial_begin(struct tuning *x, struct trial *t, const char *passes)
{
    *t = (struct trial){ .side = { .kind = SIDE_JIT, .command = x->bench->command } };
    t->side.passes = passes;
    t->side.name = passes ? passes : "default";
    return x->usual->tree ? take_tree(x, t) : EXIT_GOOD;
}

static int usual_open(struct tuning *x)
{
    struct cold ignored;
    sdfg_argument a = { .struct_size = sizeof a };
    const struct inputs *in = &x->usual->side.in;
    int code = trial_begin(x, x->usual, NULL);
    if (!code)
        code = side_open(&x->usual->side, &ignored);
    if (code)
        return code;
    for (size_t i = 0; sdfg_program_argument(in->program, i, &a); i++) {
        sdfg_symbol s = { .name = a.name };
        if (a.kind == SDFG_KIND_SYMBOL && sdfg_args_value(in->args, a.name, &s.value))
            vec_push(x->bench->arena, &x->symbols, s);
    }
    return take_tree(x, x->usual);
}

/* Times of `other` by those of `base`, in turns; both compute the same, or that is said and the code is EXIT_DIFFERS.
 */
static int measure(struct tuning *x, struct trial *base, struct trial *other, int rounds, struct estimate *ratio)
{
    struct command c = *x->bench->command;
    struct side sides[] = { base->side, other->side };
    struct bench b = { .command = &c, .arena = x->bench->arena, .threads = x->bench->threads };
    b.sides = sides;
    b.num_sides = 2;
    c.samples = rounds;
    double left = x->end - seconds_now();
    c.seconds = left > 0 ? left : 0;
    for (int i = 0; i < 2; i++)
        sides[i].calls[CALL_WARM].count = sides[i].calls[CALL_BOUND].count = sides[i].ratios.count = 0;
    int code = bench_compare(&b);
    if (!code)
        code = bench_rounds(&b);
    if (!code)
        *ratio = samples_estimate(&sides[1].ratios);
    return code;
}

/* ---- search ---- */

static const char *passes_without(struct tuning *x, int more)
{
    struct text t = text_new(x->bench->arena);
    for (int i = 0; i < NUM_CHOICES; i++)
        if (x->skips[i] || i == more)
            text_printf(&t, "%s-%s", t.length ? "," : "", choices[i]);
    return t.length ? text_get(&t) : NULL;
}

static void adopt(struct tuning *x, struct trial *t, int choice)
{
    if (x->best != x->usual)
        trial_close(x->best);
    else
        x->best = NEW(x->bench->arena, struct trial);
    *x->best = *t;
    x->skips[choice] = true;
}

/* What the code gains without one more pass. */
static int try_one(struct tuning *x, int choice)
{
    struct trial t;
    struct cold ignored;
    struct estimate ratio = { 0 };
    int code = trial_begin(x, &t, passes_without(x, choice));
    if (code || !strcmp(t.tree, x->best->tree)) {
        trial_close(&t);
        return code;
    }
    code = side_open(&t.side, &ignored);
    if (!code)
        code = measure(x, x->best, &t, ROUNDS, &ratio);
    bool faster = !code && is_faster(&ratio);
    if (!code)
        printf("%-26s %6.3f   %.3f .. %.3f%s\n", choices[choice], ratio.median, ratio.low, ratio.high,
               faster ? "   left out" : "");
    if (code == EXIT_DIFFERS) /* said */
        code = EXIT_GOOD;
    if (faster)
        adopt(x, &t, choice);
    else
        trial_close(&t);
    return code;
}

/* Until all others were tried with what is left out, or time is up. */
static int search(struct tuning *x)
{
    int code = EXIT_GOOD;
    printf("%-26s %6s   %s\n", "without", "time", "95 %");
    for (int i = 0; x->untried && !code && seconds_now() < x->end; i = (i + 1) % NUM_CHOICES) {
        bool left_out = x->skips[i];
        x->untried--;
        if (!left_out)
            code = try_one(x, i);
        if (!code && x->skips[i] != left_out)
            x->untried = NUM_CHOICES - 1;
    }
    return code;
}

/* Only what still wins when it is measured again is said. */
static int conclude(struct tuning *x)
{
    struct estimate ratio = { 0 };
    int code = x->best == x->usual ? EXIT_GOOD : measure(x, x->usual, x->best, LAST_ROUNDS, &ratio);
    bool faster = !code && x->best != x->usual && is_faster(&ratio);
    if (code && code != EXIT_DIFFERS)
        return code;
    if (x->untried)
        printf("time was up before all were tried (--tune=SECONDS)\n");
    if (faster)
        printf("--passes=%s: %.3f of the time of the default, %.3f .. %.3f\n", passes_without(x, NUM_CHOICES),
               ratio.median, ratio.low, ratio.high);
    else
        printf("the default is best\n");
    return EXIT_GOOD;
}

int bench_tune(struct bench *b)
{
    struct trial usual = { 0 };
    struct tuning x = { .bench = b, .usual = &usual, .best = &usual, .untried = NUM_CHOICES };
    double begin = seconds_now(), seconds = b->command->tune;
    x.end = begin + (1 - last_part) * seconds;
    int code = usual_open(&x);
    if (!code) {
        bench_print_program(&usual.side);
        printf(", %d thread%s\n\n", b->threads, b->threads == 1 ? "" : "s");
        code = search(&x);
    }
    x.end = begin + seconds;
    if (!code)
        code = conclude(&x);
    if (x.best != &usual)
        trial_close(x.best);
    trial_close(&usual);
    return code;
}
