/* Queues, also under the thread sanitizer: threads are plain ones here, because OpenMP runtimes are not instrumented.
 */
#include "runtime/stream.h"

#include "tests/unit/check.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_THREADS = 8 };

/* ---- threads that are a team ---- */

struct crew {
    struct sdfg_rt_context context;
    struct sdfg_rt_team team;
    struct sdfg_rt_stream *streams[2];
    void (*work)(struct crew *c, int64_t thread);
    int64_t threads, per_thread;
    int64_t sum, popped, disorder; /* atomic */
};

struct member {
    struct crew *crew;
    int64_t thread;
};

static void *run_member(void *argument)
{
    struct member *m = argument;
    sdfg_rt_team_enter(&m->crew->team, m->thread, m->crew->threads);
    m->crew->work(m->crew, m->thread);
    sdfg_rt_team_leave(&m->crew->team);
    return NULL;
}

static void run_crew(struct crew *c, int64_t threads, void (*work)(struct crew *c, int64_t thread))
{
    pthread_t thread[MOST_THREADS];
    struct member member[MOST_THREADS];
    c->threads = c->team.threads = threads;
    c->team.id++;
    c->team.idle = 0;
    c->work = work;
    for (int64_t i = 0; i < threads; i++) {
        member[i] = (struct member){ c, i };
        pthread_create(&thread[i], NULL, run_member, &member[i]);
    }
    for (int64_t i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static void open_crew(struct crew *c)
{
    *c = (struct crew){ 0 };
    sdfg_rt_stream_open(&c->context, c->streams, 2, sizeof(int64_t));
}

static void close_crew(struct crew *c)
{
    sdfg_rt_stream_close(&c->context, c->streams, 2);
    CHECK(!c->streams[0]);
}

static void add(int64_t *sum, int64_t value) { __atomic_add_fetch(sum, value, __ATOMIC_RELAXED); }

/* ---- one thread ---- */

TEST(first_in_first_out)
{
    struct sdfg_rt_context context = { 0 };
    struct sdfg_rt_stream *s;
    sdfg_rt_stream_open(&context, &s, 1, sizeof(int));
    int pushed = 0, popped = 0, out;
    for (int round = 0; round < 50; round++) { /* the ring grows while it is wrapped around */
        for (int i = 0; i < 3 * round; i++)
            sdfg_rt_stream_push(&context, s, &(int){ pushed++ }, 1);
        for (int i = 0; i < 2 * round; i++) {
            CHECK_INT(sdfg_rt_stream_pop(&context, s, &out, 1), 1);
            CHECK_INT(out, popped++);
        }
        CHECK_INT(sdfg_rt_stream_size(&context, s), pushed - popped);
    }
    sdfg_rt_stream_close(&context, &s, 1);
    CHECK_INT(context.error, SDFG_RT_OK);
}

TEST(many_at_once)
{
    struct sdfg_rt_context context = { 0 };
    struct sdfg_rt_stream *s;
    sdfg_rt_stream_open(&context, &s, 1, 3);
    char in[3 * 1000], out[3 * 1000] = { 0 };
    for (int i = 0; i < 3000; i++)
        in[i] = (char)(i * 7);
    sdfg_rt_stream_push(&context, s, in, 700);
    CHECK_INT(sdfg_rt_stream_pop(&context, s, out, 600), 600);
    sdfg_rt_stream_push(&context, s, in + 3 * 700, 300);
    sdfg_rt_stream_push(&context, s, in, 0);
    CHECK_INT(sdfg_rt_stream_pop(&context, s, out + 3 * 600, 1000), 400); /* what is there */
    CHECK(!memcmp(in, out, sizeof in));
    CHECK_INT(sdfg_rt_stream_pop(&context, s, out, 0), 0);
    CHECK_INT(sdfg_rt_stream_try_pop(&context, s, out, 10), 0);
    CHECK_INT(context.error, SDFG_RT_OK);
    sdfg_rt_stream_close(&context, &s, 1);
}

TEST(empty_is_an_error_without_threads)
{
    struct sdfg_rt_context context = { 0 };
    struct sdfg_rt_stream *s;
    sdfg_rt_stream_open(&context, &s, 1, sizeof(double));
    double out = 5;
    CHECK_INT(sdfg_rt_stream_pop(&context, s, &out, 1), 0);
    CHECK_INT(context.error, SDFG_RT_STREAM_EMPTY);
    CHECK(out == 0);
    sdfg_rt_stream_close(&context, &s, 1);
}

TEST(all_of_one_moves_to_another)
{
    struct crew c;
    open_crew(&c);
    int64_t in[100], out[100];
    for (int i = 0; i < 100; i++)
        in[i] = i;
    sdfg_rt_stream_push(&c.context, c.streams[0], in, 60);
    sdfg_rt_stream_pop(&c.context, c.streams[0], out, 50);
    sdfg_rt_stream_push(&c.context, c.streams[0], in + 60, 40);
    sdfg_rt_stream_move(&c.context, c.streams[0], c.streams[1]);
    CHECK_INT(sdfg_rt_stream_size(&c.context, c.streams[0]), 0);
    CHECK_INT(sdfg_rt_stream_pop(&c.context, c.streams[1], out, 100), 50);
    CHECK(!memcmp(in + 50, out, 50 * sizeof *in));
    sdfg_rt_stream_move(&c.context, c.streams[0], c.streams[1]);
    sdfg_rt_stream_move(&c.context, c.streams[1], c.streams[1]);
    CHECK_INT(sdfg_rt_stream_size(&c.context, c.streams[1]), 0);
    close_crew(&c);
}

TEST(no_queue_is_empty)
{
    struct sdfg_rt_context context = { 0 };
    int64_t x = 0;
    sdfg_rt_stream_push(&context, NULL, &x, 1);
    sdfg_rt_stream_move(&context, NULL, NULL);
    sdfg_rt_stream_done(&context, NULL, 1);
    CHECK_INT(sdfg_rt_stream_pop(&context, NULL, &x, 1), 0);
    CHECK_INT(sdfg_rt_stream_take(&context, NULL, &x, 1), 0);
    CHECK_INT(sdfg_rt_stream_size(&context, NULL), 0);
}

/* ---- several threads ---- */

/* Even threads push 1..n tagged with their number, odd ones pop as many. */
static void push_or_pop(struct crew *c, int64_t thread)
{
    int64_t last[MOST_THREADS] = { 0 };
    for (int64_t i = 1; i <= c->per_thread; i++) {
        int64_t v = i * MOST_THREADS + thread;
        if (thread % 2 == 0) {
            sdfg_rt_stream_push(&c->context, c->streams[0], &v, 1);
            continue;
        }
        add(&c->popped, sdfg_rt_stream_pop(&c->context, c->streams[0], &v, 1));
        add(&c->sum, v / MOST_THREADS);
        add(&c->disorder, v / MOST_THREADS <= last[v % MOST_THREADS]);
        last[v % MOST_THREADS] = v / MOST_THREADS;
    }
}

TEST(producers_and_consumers)
{
    struct crew c;
    open_crew(&c);
    c.per_thread = 20000;
    run_crew(&c, 6, push_or_pop);
    CHECK_INT(c.popped, 3 * c.per_thread);
    CHECK_INT(c.sum, 3 * (c.per_thread * (c.per_thread + 1) / 2));
    CHECK_INT(c.disorder, 0); /* each producer's elements come in order */
    CHECK_INT(c.context.error, SDFG_RT_OK);
    close_crew(&c);
}

/* Thread 0 pushes less than the others want. */
static void push_too_little(struct crew *c, int64_t thread)
{
    int64_t v = 0;
    for (int64_t i = 0; i < (thread ? 10 : 25); i++) {
        if (thread)
            add(&c->popped, sdfg_rt_stream_pop(&c->context, c->streams[0], &v, 1));
        else
            sdfg_rt_stream_push(&c->context, c->streams[0], &v, 1);
    }
}

/* More than memory can hold is refused before anything is copied, and what was there stays. */
TEST(too_many_elements)
{
    struct crew c;
    int64_t v = 7;
    open_crew(&c);
    sdfg_rt_stream_push(&c.context, c.streams[0], &v, 1);
    sdfg_rt_stream_push(&c.context, c.streams[0], &v, INT64_MAX / 4);
    CHECK_INT(c.context.error, SDFG_RT_OUT_OF_MEMORY);
    CHECK_INT(sdfg_rt_stream_size(&c.context, c.streams[0]), 1);
    CHECK_INT(sdfg_rt_stream_try_pop(&c.context, c.streams[0], &v, 1), 1);
    close_crew(&c);
}

TEST(waiting_in_vain_is_found)
{
    struct crew c;
    open_crew(&c);
    run_crew(&c, 4, push_too_little);
    CHECK_INT(c.popped, 25);
    CHECK_INT(c.context.error, SDFG_RT_STREAM_EMPTY);
    close_crew(&c);
}

/* Each waits for the other before it pushes. */
static void wait_for_each_other(struct crew *c, int64_t thread)
{
    int64_t v = 1;
    sdfg_rt_stream_pop(&c->context, c->streams[thread], &v, 1);
    sdfg_rt_stream_push(&c->context, c->streams[1 - thread], &v, 1);
}

TEST(deadlock_is_found)
{
    struct crew c;
    open_crew(&c);
    run_crew(&c, 2, wait_for_each_other);
    CHECK_INT(c.context.error, SDFG_RT_STREAM_EMPTY);
    close_crew(&c);
}

/* A ball that goes round: somebody always waits, but never everybody. */
static void play(struct crew *c, int64_t thread)
{
    int64_t ball = 0;
    if (!thread)
        sdfg_rt_stream_push(&c->context, c->streams[0], &ball, 1);
    for (int64_t i = 0; i < c->per_thread; i++) {
        add(&c->popped, sdfg_rt_stream_pop(&c->context, c->streams[thread], &ball, 1));
        ball++;
        sdfg_rt_stream_push(&c->context, c->streams[1 - thread], &ball, 1);
    }
    if (!thread)
        c->sum = ball;
}

TEST(taking_turns)
{
    struct crew c;
    open_crew(&c);
    c.per_thread = 3000;
    run_crew(&c, 2, play);
    CHECK_INT(c.popped, 2 * c.per_thread);
    CHECK_INT(c.sum, 2 * c.per_thread - 1);
    CHECK_INT(c.context.error, SDFG_RT_OK);
    close_crew(&c);
}

/* ---- consume ---- */

/* Every element n pushes n-1 twice: a tree, of which the leaves are counted. */
static void grow_tree(struct crew *c, int64_t thread)
{
    (void)thread;
    int64_t element[3], n;
    while ((n = sdfg_rt_stream_take(&c->context, c->streams[0], element, 3))) {
        for (int64_t i = 0; i < n; i++) {
            add(&c->sum, element[i] == 0);
            if (element[i])
                sdfg_rt_stream_push(&c->context, c->streams[0], (int64_t[]){ element[i] - 1, element[i] - 1 }, 2);
        }
        sdfg_rt_stream_done(&c->context, c->streams[0], n);
    }
}

TEST(work_that_makes_work)
{
    for (int64_t threads = 1; threads <= 4; threads++) {
        struct crew c;
        open_crew(&c);
        sdfg_rt_stream_push(&c.context, c.streams[0], &(int64_t){ 12 }, 1);
        run_crew(&c, threads, grow_tree);
        CHECK_INT(c.sum, 1 << 12);
        CHECK_INT(sdfg_rt_stream_size(&c.context, c.streams[0]), 0);
        CHECK_INT(c.context.error, SDFG_RT_OK);
        close_crew(&c);
    }
}

TEST(work_without_a_team)
{
    struct crew c;
    open_crew(&c);
    sdfg_rt_stream_push(&c.context, c.streams[0], &(int64_t){ 5 }, 1);
    grow_tree(&c, 0);
    CHECK_INT(c.sum, 32);
    CHECK_INT(sdfg_rt_stream_take(&c.context, c.streams[0], &(int64_t){ 0 }, 1), 0);
    CHECK_INT(c.context.error, SDFG_RT_OK);
    close_crew(&c);
}

/* Until enough is done, as a consume scope with a condition does it. */
static void work_until(struct crew *c, int64_t thread)
{
    (void)thread;
    bool alive = true;
    while (__atomic_load_n(&c->sum, __ATOMIC_RELAXED) < c->per_thread) {
        int64_t element;
        if (!alive) {
            sdfg_rt_stream_stuck(&c->context);
            break;
        }
        if (sdfg_rt_stream_try_take(&c->context, c->streams[0], &element, 1)) {
            add(&c->sum, 1);
            sdfg_rt_stream_done(&c->context, c->streams[0], 1);
        } else {
            alive = sdfg_rt_stream_wait(&c->context, c->streams[0]);
        }
    }
}

TEST(work_until_a_condition)
{
    for (int64_t threads = 1; threads <= 4; threads++) {
        struct crew c;
        open_crew(&c);
        sdfg_rt_stream_push(&c.context, c.streams[0], (int64_t[100]){ 0 }, 100);
        c.per_thread = 60;
        run_crew(&c, threads, work_until);
        CHECK(c.sum >= 60 && c.sum < 60 + threads);
        CHECK_INT(sdfg_rt_stream_size(&c.context, c.streams[0]), 100 - c.sum);
        CHECK_INT(c.context.error, SDFG_RT_OK);
        close_crew(&c);
    }
}

TEST(a_condition_that_never_holds)
{
    struct crew c;
    open_crew(&c);
    sdfg_rt_stream_push(&c.context, c.streams[0], (int64_t[100]){ 0 }, 100);
    c.per_thread = 101;
    run_crew(&c, 3, work_until);
    CHECK_INT(c.sum, 100);
    CHECK_INT(c.context.error, SDFG_RT_STREAM_EMPTY);
    close_crew(&c);
}

CHECK_MAIN
