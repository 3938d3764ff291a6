/* Timers and saved data, for a program that is called from several threads. */
#include "tests/unit/api.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLERS = 4, CALLS = 5, N = 30 };

struct heard {
    pthread_mutex_t lock;
    int calls, maps, tasklets, others;
    bool in_order;
};

static void hear(void *user, const sdfg_timing *timings, size_t count)
{
    struct heard *h = user;
    pthread_mutex_lock(&h->lock);
    h->calls++;
    for (size_t i = 0; i < count; i++) {
        const sdfg_timing *t = &timings[i];
        bool map = !strcmp(t->name, "Map m"), tasklet = !strcmp(t->name, "Tasklet 0_0_2");
        h->maps += map && t->region == 0 && t->state == 0 && t->node == 0;
        h->tasklets += tasklet && t->node == 2;
        h->others += !map && !tasklet;
        h->in_order &= t->seconds >= 0 && t->thread > 0 && (!map || i == count - 1);
    }
    pthread_mutex_unlock(&h->lock);
}

/* B[i] = i on threads; map and tasklet are timed, B is saved. */
static sdfg_program *load(sdfg_engine *engine)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "p");
    build_array(s, "B", "int32", "30");
    struct state *st = build_state(&s->region, "s");
    struct map_entry *m = build_map(st, "m", "i = 0:30");
    struct tasklet *t = build_tasklet(st, "t", NULL, "b", "b = i");
    struct access *b = build_access(st, "B");
    m->schedule = enum_builtin(ir, SCHEDULE_CPU_MULTICORE);
    m->instrument = t->instrument = enum_builtin(ir, INSTRUMENT_TIMER);
    b->instrument = enum_builtin(ir, DATA_INSTRUMENT_SAVE);
    build_edge(&m->node, NULL, &t->node, NULL, NULL, NULL);
    build_path("B[i]", NULL, "b", NULL, &t->node, m->exit, &b->node, NULL);
    sdfg_program *p = NULL;
    p = program_of(engine, s);
    ir_free(ir);
    return p;
}

static bool call(sdfg_program *p)
{
    int32_t b[N];
    sdfg_args *args;
    bool ok = good(sdfg_args_new(&args, p)) &&
              good(sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_I32, .rank = 1, .shape = { N }))) &&
              good(sdfg_call(p, args));
    sdfg_args_free(args);
    return ok && b[0] == 0 && b[N - 1] == N - 1;
}

static void *caller(void *program)
{
    bool ok = true;
    for (int i = 0; i < CALLS; i++)
        ok = call(program) && ok;
    return ok ? program : NULL;
}

static sdfg_program *begin(sdfg_engine **engine, sdfg_timing_function *timing, void *user, const char *save)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.timing = timing;
    o.timing_user = user;
    o.save_data = save;
    CHECK(good(sdfg_engine_new(engine, &o)));
    return load(*engine);
}

static void call_from_threads(sdfg_program *p)
{
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        CHECK(pthread_create(&threads[i], NULL, caller, p) == 0);
    for (int i = 0; i < CALLERS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        CHECK(result == p);
    }
}

TEST(every_call_has_its_timings)
{
    struct heard h = { .lock = PTHREAD_MUTEX_INITIALIZER, .in_order = true };
    sdfg_engine *engine;
    sdfg_program *p = begin(&engine, hear, &h, NULL);
    call_from_threads(p);
    CHECK_INT(h.calls, CALLERS * CALLS);
    CHECK_INT(h.maps, CALLERS * CALLS);
    CHECK_INT(h.tasklets, CALLERS * CALLS * N);
    CHECK_INT(h.others, 0);
    CHECK(h.in_order);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* The files of all calls, each of which has its own version. */
TEST(every_call_saves)
{
    char folder[] = "/tmp/test-instrument-XXXXXX", path[200];
    CHECK(mkdtemp(folder));
    sdfg_engine *engine;
    sdfg_program *p = begin(&engine, NULL, NULL, folder);
    call_from_threads(p);
    for (int i = 0; i < CALLERS * CALLS; i++) {
        uint32_t header[3];
        int32_t values[N + 1];
        snprintf(path, sizeof path, "%s/B/0_0_3_%d.bin", folder, i);
        FILE *file = fopen(path, "rb");
        CHECK(file);
        CHECK(file && fread(header, sizeof header, 1, file) == 1 && header[0] == 1 && header[1] == N && header[2] == 1);
        CHECK(file && fread(values, sizeof *values, N + 1, file) == N && values[N - 1] == N - 1);
        if (file)
            fclose(file);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/B", folder);
    CHECK(rmdir(path) == 0 && rmdir(folder) == 0);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

CHECK_MAIN
