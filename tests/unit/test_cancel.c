/* Calls that are stopped: sdfg_call_cancel, sdfg_bound_cancel. */
#include "tests/unit/api.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

enum { SIZE = 100000, MANY = 1000000000 };

static atomic_long in_use; /* blocks of memory of programs */

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    atomic_fetch_add(&in_use, 1);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    atomic_fetch_sub(&in_use, 1);
    free(memory);
}

struct trial {
    struct ir *ir;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    sdfg_bound *bound;
    atomic_int ended; /* calls that were cancelled */
};

static double values[2][SIZE];

static void map(struct state *st, const char *from, const char *to, const char *code, const char *read)
{
    struct access *a = build_access(st, from), *b = build_access(st, to);
    struct map_entry *m = build_map(st, "map", "j = 0:N");
    struct tasklet *t = build_tasklet(st, "tasklet", "a", "b", code);
    char text[32];
    snprintf(text, sizeof text, "%s[j]", to);
    build_path(read, NULL, NULL, "a", &a->node, &m->node, &t->node, NULL);
    build_path(text, NULL, "b", NULL, &t->node, m->exit, &b->node, NULL);
}

/* rounds times: T[j] = A[j] + 1, A[j] = T[N - 1 - j]. T is memory of the call. */
static void begin(struct trial *t, int threads)
{
    *t = (struct trial){ .ir = ir_new() };
    struct sdfg *s = build_sdfg(t->ir, "rounds");
    build_symbol(s, "N", "int64");
    build_symbol(s, "rounds", "int64");
    build_symbol(s, "i", "int64");
    build_array(s, "A", "float64", "N");
    build_transient(s, "T", "float64", "N");
    struct loop *loop = build_loop(&s->region, "loop", "i", "i = 0", "i < rounds", "i = i + 1");
    struct state *there = build_state(&loop->region, "there"), *back = build_state(&loop->region, "back");
    build_transition(&there->block, &back->block, NULL, NULL);
    map(there, "A", "T", "b = a + 1", "A[j]");
    map(back, "T", "A", "b = a", "T[N - 1 - j]");
    sdfg_options o = SDFG_OPTIONS_INIT;
    o.num_threads = threads;
    o.allocate = allocate;
    o.release = release;
    CHECK(good(sdfg_engine_new(&t->engine, &o)));
    t->program = program_of(t->engine, s);
}

static sdfg_args *arguments(struct trial *t, double *memory, int64_t rounds)
{
    sdfg_args *a;
    CHECK(good(sdfg_args_new(&a, t->program)));
    CHECK(good(sdfg_args_array(a, "A", SDFG_ARRAY(.data = memory, .dtype = SDFG_F64, .rank = 1, .shape = { SIZE }))));
    CHECK(good(sdfg_args_i64(a, "rounds", rounds)));
    return a;
}

static void end(struct trial *t)
{
    CHECK_INT(in_use, 0);
    sdfg_bound_free(t->bound);
    sdfg_args_free(t->args);
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
    ir_free(t->ir);
}

static void must_be_cancelled(struct trial *t, sdfg_error *e)
{
    CHECK(e);
    CHECK_STR(sdfg_error_code(e), "RUN_CANCELLED");
    CHECK_STR(sdfg_error_message(e), "the call was cancelled");
    CHECK_INT(sdfg_error_class_of(e), SDFG_ERROR_ENVIRONMENT);
    CHECK_INT(sdfg_error_stage_of(e), SDFG_STAGE_RUN);
    sdfg_error_free(e);
    t->ended++;
}

/* The same program works again. */
static void must_work(struct trial *t)
{
    sdfg_args *a = arguments(t, values[0], 3);
    for (int i = 0; i < SIZE; i++)
        values[0][i] = i;
    CHECK(good(sdfg_call(t->program, a)));
    bool right = true;
    for (int i = 0; i < SIZE; i++)
        right &= values[0][i] == SIZE - 1 - i + 3;
    CHECK(right);
    sdfg_args_free(a);
}

static void *call(void *trial)
{
    struct trial *t = trial;
    must_be_cancelled(t, sdfg_call(t->program, t->args));
    return NULL;
}

static void *call_bound(void *trial)
{
    struct trial *t = trial;
    must_be_cancelled(t, sdfg_bound_call(t->bound));
    return NULL;
}

static void wait_a_moment(void) { nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); }

/* Until the calls hold their memory: they run. */
static void wait_for(long blocks)
{
    while (in_use < blocks)
        wait_a_moment();
}

/* From another thread. The calls would take hours. */
static void by_a_thread(int threads)
{
    struct trial t;
    pthread_t thread;
    begin(&t, threads);
    sdfg_call_cancel(NULL);
    t.args = arguments(&t, values[0], MANY);
    sdfg_call_cancel(t.args); /* no call runs: without effect */
    CHECK_INT(pthread_create(&thread, NULL, call, &t), 0);
    wait_for(1);
    sdfg_call_cancel(t.args);
    pthread_join(thread, NULL);
    CHECK_INT(t.ended, 1);
    CHECK_INT(in_use, 0);
    must_work(&t);
    end(&t);
}

/* All calls of a bound one at once, and nobody else's. */
static void bound_calls(void)
{
    struct trial t;
    pthread_t first, second;
    begin(&t, 1);
    sdfg_bound_cancel(NULL);
    t.args = arguments(&t, values[1], MANY);
    CHECK(good(sdfg_bind(&t.bound, t.program, t.args)));
    CHECK_INT(pthread_create(&first, NULL, call_bound, &t), 0);
    CHECK_INT(pthread_create(&second, NULL, call_bound, &t), 0);
    wait_for(2);
    sdfg_call_cancel(t.args); /* the bound call has left the arguments behind */
    must_work(&t);
    CHECK_INT(t.ended, 0);
    sdfg_bound_cancel(t.bound);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CHECK_INT(t.ended, 2);
    end(&t);
}

static struct trial *alarmed;

static void on_alarm(int number)
{
    (void)number;
    sdfg_call_cancel(alarmed->args);
}

/* The handler interrupts the call itself. The alarm comes again: the first one may come before the call. */
static void stop_by_alarm(struct trial *t)
{
    struct itimerval often = { { 0, 50000 }, { 0, 50000 } }, none = { 0 };
    alarmed = t;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    call(t);
    setitimer(ITIMER_REAL, &none, NULL);
    CHECK_INT(t->ended, 1);
}

static void by_a_handler(void)
{
    struct trial t;
    begin(&t, 1);
    t.args = arguments(&t, values[0], MANY);
    stop_by_alarm(&t);
    must_work(&t);
    end(&t);
}

static void store(struct state *st, const char *value)
{
    char code[32];
    snprintf(code, sizeof code, "o = %s", value);
    struct tasklet *t = build_tasklet(st, "store", NULL, "o", code);
    build_edge(&t->node, "o", &build_access(st, "A")->node, NULL, "A[0]", NULL);
}

/* while k < rounds, which never ends: k is always 0 or 1. */
static void build_while(struct region *top)
{
    struct state *first = build_state(top, "first");
    struct loop *loop = build_loop(top, "loop", NULL, NULL, "k < rounds", NULL);
    build_transition(&first->block, &loop->region.block, NULL, "k = 0");
    struct state *body = build_state(&loop->region, "body"), *next = build_state(&loop->region, "next");
    build_transition(&body->block, &next->block, NULL, "k = (k * k + 1) % 2");
    store(next, "k");
}

/* The same with two ways into a circle of states, which is no loop then. */
static void build_circle(struct region *top)
{
    struct state *a = build_state(top, "a"), *b = build_state(top, "b"), *c = build_state(top, "c");
    build_transition(&a->block, &b->block, "rounds > 3", "k = 0");
    build_transition(&a->block, &c->block, "rounds <= 3", "k = 1");
    build_transition(&b->block, &c->block, NULL, "k = (k * k + 1) % 2");
    build_transition(&c->block, &b->block, "k < rounds", NULL);
    build_transition(&c->block, &build_state(top, "last")->block, "k >= rounds", NULL);
    store(b, "k");
}

/* Control flow whose loops hold no others. */
static void states_only(void (*build)(struct region *top), const char *form)
{
    struct trial t = { .ir = ir_new() };
    struct sdfg *s = build_sdfg(t.ir, "states");
    build_symbol(s, "rounds", "int64");
    build_symbol(s, "k", "int64");
    build_array(s, "A", "float64", "N");
    build_symbol(s, "N", "int64");
    build(&s->region);
    CHECK(good(sdfg_engine_new(&t.engine, NULL)));
    t.program = program_of(t.engine, s);
    t.args = arguments(&t, values[0], 5);
    char *tree;
    CHECK(good(sdfg_args_emit(&tree, NULL, t.args, SDFG_EMIT_TREE)));
    CHECK(strstr(tree, form));
    sdfg_text_free(tree);
    stop_by_alarm(&t);
    end(&t);
}

TEST(from_a_thread)
{
    by_a_thread(1);
    by_a_thread(2);
}

TEST(bound) { bound_calls(); }

TEST(from_a_handler) { by_a_handler(); }

TEST(states)
{
    states_only(build_while, "while");
    states_only(build_circle, "goto");
}

CHECK_MAIN
