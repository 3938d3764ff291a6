#include "tests/unit/api.h"

#include <pthread.h>
#include <stdlib.h>

/* Which calls share a kernel, what is kept in memory, and that a kernel is compiled once however many ask for it. */

enum { NUM_THREADS = 8 };

static sdfg_engine *engine;
static sdfg_program *program;

static void begin(const char *specialize, uint64_t memory_bytes)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.specialize = specialize;
    o.memory_bytes = memory_bytes;
    CHECK(good(sdfg_engine_new(&engine, &o)));
    program = axpy_load(engine);
}

static void end(void)
{
    sdfg_program_free(program);
    sdfg_engine_free(engine);
}

static bool call(int n) { return axpy_call(program, n); }

static const char *explanation(int n)
{
    static char text[1024];
    static _Alignas(64) double x[AXPY_LARGEST], y[AXPY_LARGEST];
    char *found;
    sdfg_args *args = axpy_arguments(program, x, y, n);
    CHECK(good(sdfg_args_explain_cache(&found, args)));
    snprintf(text, sizeof text, "%s", found);
    sdfg_text_free(found);
    sdfg_args_free(args);
    return text;
}

TEST(a_second_call_finds_the_kernel)
{
    begin(NULL, 0);
    CHECK(call(5) && call(5) && call(6));
    sdfg_stats s = stats_of(program);
    CHECK_INT(s.calls, 3);
    CHECK_INT(s.compiled, 2);
    CHECK_INT(s.found, 1);
    CHECK_INT(s.kernels, 2);
    CHECK(s.kernel_bytes && s.compile_seconds > 0);
    sdfg_program_free(program);
    sdfg_stats all = { .struct_size = sizeof all };
    sdfg_engine_stats(engine, &all);
    CHECK_INT(all.compiled, 2);
    CHECK_INT(all.calls, 3);
    CHECK_INT(all.kernels, 0);
    CHECK_INT(all.kernel_bytes, 0);
    sdfg_engine_free(engine);
}

/* However a program is called, `auto` makes a bounded number of kernels. */
TEST(auto_makes_few_kernels)
{
    begin("auto", 0);
    for (int n = 1; n <= AXPY_LARGEST; n++)
        for (int offset = 0; offset < 8; offset++)
            CHECK(axpy_call_at(program, n, offset));
    CHECK_INT(stats_of(program).calls, 8 * AXPY_LARGEST);
    CHECK(stats_of(program).compiled <= 3 * (8 + 1 + 1));
    end();
}

TEST(policies)
{
    const char *const policies[] = { "all", "none", "N", "alpha" };
    int kernels[] = { 20, 1, 20, 1 };
    for (int i = 0; i < 4; i++) {
        begin(policies[i], 0);
        for (int n = 1; n <= 20; n++)
            CHECK(call(n));
        CHECK_INT(stats_of(program).compiled, kernels[i]);
        end();
    }
}

TEST(kernels_leave_when_there_are_too_many)
{
    begin("all", 1);
    CHECK(call(5) && call(5));
    CHECK_INT(stats_of(program).compiled, 2);
    CHECK_INT(stats_of(program).dropped, 2);
    CHECK_INT(stats_of(program).kernels, 0);
    CHECK(strstr(explanation(5), "; it was dropped to keep kernels below 1 bytes\n"));
    sdfg_kernel *k, *other; /* what is in use stays */
    CHECK(good(sdfg_specialize(&k, program, &(sdfg_symbol){ "N", 7 }, 1)));
    CHECK(good(sdfg_specialize(&other, program, &(sdfg_symbol){ "N", 7 }, 1)));
    CHECK(k == other);
    sdfg_kernel_free(other);
    CHECK_INT(stats_of(program).kernels, 1);
    sdfg_kernel_free(k);
    CHECK_INT(stats_of(program).kernels, 0);
    end();
}

TEST(bound_calls_keep_their_kernel)
{
    static double x[4] = { 1, 2, 3, 4 }, y[4];
    sdfg_bound *b;
    begin("all", 1);
    sdfg_args *args = axpy_arguments(program, x, y, 4);
    CHECK(good(sdfg_bind(&b, program, args)));
    sdfg_args_free(args);
    for (int n = 5; n < 9; n++)
        CHECK(call(n));
    CHECK(good(sdfg_bound_call(b)));
    CHECK(y[3] == 8);
    CHECK_INT(stats_of(program).kernels, 1);
    sdfg_bound_free(b);
    CHECK_INT(stats_of(program).kernels, 0);
    end();
}

static void resize(sdfg_args *args, int n)
{
    static _Alignas(64) double x[AXPY_LARGEST], y[AXPY_LARGEST];
    CHECK(good(sdfg_args_array(args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    CHECK(good(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    x[n - 1] = n;
    y[n - 1] = 1;
    CHECK(good(sdfg_call(program, args)));
    CHECK(y[n - 1] == 2 * n + 1);
}

static sdfg_args *resizable(void)
{
    sdfg_args *args;
    CHECK(good(sdfg_args_new(&args, program)));
    CHECK(good(sdfg_args_f64(args, "alpha", 2)));
    return args;
}

/* Arguments remember the kernels of several sizes, and each is counted as found. */
TEST(sizes_that_come_again)
{
    begin("all", 0);
    sdfg_args *args = resizable();
    for (int round = 0; round < 3; round++)
        for (int n = 5; n < 25; n++) /* more than are remembered */
            resize(args, n);
    CHECK_INT(stats_of(program).compiled, 20);
    CHECK_INT(stats_of(program).found, 40);
    for (int round = 0; round < 3; round++)
        for (int n = 24; n > 21; n--)
            resize(args, n);
    CHECK_INT(stats_of(program).compiled, 20);
    CHECK_INT(stats_of(program).found, 48); /* the first of them is that of the call before */
    CHECK_INT(stats_of(program).calls, 69);
    CHECK_INT(stats_of(program).kernels, 20);
    sdfg_args_free(args);
    end();
}

/* What arguments remember leaves when it keeps too much in memory: at once if it is their own, with their next call. */
TEST(remembered_kernels_make_room)
{
    begin("all", 1);
    sdfg_args *args = resizable();
    for (int n = 5; n < 9; n++) {
        resize(args, n);
        CHECK_INT(stats_of(program).kernels, 1);
    }
    sdfg_args_free(args);
    CHECK_INT(stats_of(program).kernels, 0);
    end();
    begin("all", 0); /* what two take is the limit; alone, arguments keep both */
    args = resizable();
    resize(args, 5);
    resize(args, 6);
    uint64_t two = stats_of(program).kernel_bytes;
    sdfg_args_free(args);
    end();
    begin("all", two);
    sdfg_args *other = resizable();
    args = resizable();
    resize(args, 5);
    resize(args, 6);
    resize(other, 7);
    CHECK_INT(stats_of(program).kernels, 3); /* all are remembered by somebody */
    resize(args, 6);
    CHECK_INT(stats_of(program).kernels, 2);
    resize(other, 7);
    resize(args, 5);
    CHECK_INT(stats_of(program).compiled, 4);
    sdfg_args_free(other);
    sdfg_args_free(args);
    end();
}

/* Calls that repeat the one before are quick because little is done again; what changed must be seen. */
TEST(repeated_calls_see_what_changed)
{
    static _Alignas(64) double x[16], y[16], z[24];
    begin("all", 0);
    for (int i = 0; i < 16; i++)
        x[i] = i;
    sdfg_args *args = axpy_arguments(program, x, y, 8);
    CHECK(good(sdfg_call(program, args)) && good(sdfg_call(program, args)));
    CHECK(y[7] == 28);
    CHECK(good(sdfg_args_f64(args, "alpha", 3))); /* another value */
    CHECK(good(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = z, .dtype = SDFG_F64, .rank = 1, .shape = { 8 }))));
    CHECK(good(sdfg_call(program, args)));
    CHECK(z[7] == 21 && y[7] == 28);
    CHECK_INT(stats_of(program).compiled, 1);
    CHECK(good(sdfg_args_array(
        args, "Y", SDFG_ARRAY(.data = z + 1, .dtype = SDFG_F64, .rank = 1, .shape = { 8 })))); /* alignment */
    CHECK(good(sdfg_call(program, args)));
    CHECK(z[8] == 21 && z[7] == 39);
    CHECK_INT(stats_of(program).compiled, 2);
    CHECK(good(
        sdfg_args_array(args, "Y", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { 8 })))); /* overlap */
    CHECK(good(sdfg_call(program, args)));
    CHECK(x[7] == 28);
    CHECK_INT(stats_of(program).compiled, 3);
    CHECK(good(
        sdfg_args_array(args, "Y", SDFG_ARRAY(.data = (char *)z + 1, .dtype = SDFG_F64, .rank = 1, .shape = { 8 }))));
    sdfg_error *e = sdfg_call(program, args);
    CHECK_STR(sdfg_error_message(e), "the data of 'Y' are not aligned to 8 bytes");
    sdfg_error_free(e);
    CHECK(good(
        sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { 9 })))); /* size */
    e = sdfg_call(program, args);
    CHECK_STR(sdfg_error_message(e), "'N' is 8 from X.shape[0] = N, but 9 from Y.shape[0] = N");
    sdfg_error_free(e);
    CHECK(good(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { 8 }))));
    CHECK(good(sdfg_call(program, args)));
    CHECK(good(sdfg_args_i64(args, "N", 7))); /* a symbol */
    e = sdfg_call(program, args);
    CHECK_STR(sdfg_error_message(e), "'N' is 7 from the given value, but 8 from X.shape[0] = N");
    sdfg_error_free(e);
    CHECK(good(sdfg_args_threads(args, 1)));
    e = sdfg_args_threads(args, -1);
    CHECK_STR(sdfg_error_message(e), "option 'num_threads' is 0 to 65536");
    sdfg_error_free(e);
    sdfg_args_clear(args);
    e = sdfg_call(program, args);
    CHECK_STR(sdfg_error_code(e), "ARGUMENT_MISSING");
    sdfg_error_free(e);
    sdfg_args_free(args);
    end();
}

TEST(the_cache_explains_itself)
{
    begin("auto", 0);
    CHECK_STR(explanation(5), "policy: auto, 0 of 8 combinations of values have code of their own\n"
                              "memory: there is no kernel for N = 5, arrays aligned to 64 bytes; it is the first one\n"
                              "disk: not used: no folder is set\n");
    CHECK(call(5));
    CHECK(strstr(explanation(5), "memory: there is a kernel for N = 5, arrays aligned to 64 bytes\n"));
    CHECK(
        strstr(explanation(6), "memory: there is no kernel for N = 6, arrays aligned to 64 bytes; N is 6 and not 5\n"));
    for (int n = 6; n < 13; n++)
        CHECK(call(n));
    CHECK_INT(stats_of(program).compiled, 8); /* asking is no call */
    CHECK(call(14));
    CHECK(strstr(explanation(20),
                 "policy: auto, 8 of 8 combinations of values have code of their own; others do not fix N\n"
                 "memory: there is a kernel for any size, arrays aligned to 64 bytes\n"));
    end();
}

/* ---- the caller's functions ---- */

struct heard {
    char events[512];
    size_t blocks, bytes, most;
};

static void hear(void *user, const sdfg_event *e)
{
    static const char *const names[] = { "compiling", "compiled", "read", "failed", "dropped" };
    struct heard *h = user;
    size_t n = strlen(h->events);
    CHECK(e->program && e->struct_size == sizeof *e && (e->seconds > 0) == (e->kind == SDFG_EVENT_COMPILED));
    snprintf(h->events + n, sizeof h->events - n, "%s %s\n", names[e->kind], e->text);
}

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    struct heard *h = user;
    void *memory = h->bytes + bytes > h->most ? NULL : aligned_alloc(alignment, bytes);
    h->blocks += memory != NULL;
    h->bytes += memory ? bytes : 0;
    return memory;
}

static void release(void *user, void *memory, size_t bytes)
{
    struct heard *h = user;
    h->bytes -= bytes;
    free(memory);
}

TEST(events_are_heard)
{
    struct heard heard = { .blocks = 0 };
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.specialize = "all";
    o.memory_bytes = 1;
    o.event = hear;
    o.event_user = &heard;
    CHECK(good(sdfg_engine_new(&engine, &o)));
    program = axpy_load(engine);
    CHECK(call(3));
    CHECK_STR(heard.events, "compiling N = 3, arrays aligned to 64 bytes: it is the first one\n"
                            "compiled N = 3, arrays aligned to 64 bytes\n"
                            "dropped N = 3, arrays aligned to 64 bytes\n");
    end();
}

/* z = x through a transient whose size is only known at run time; lifetime as given. */
static sdfg_program *through_transient(struct ir *ir, enum enum_row lifetime)
{
    struct sdfg *s = build_sdfg(ir, "through");
    build_symbol(s, "N", "int64");
    build_array(s, "x", "float64", "N");
    build_array(s, "z", "float64", "N");
    build_transient(s, "t", "float64", "N")->lifetime = enum_builtin(ir, lifetime);
    struct state *first = build_state(&s->region, "first"), *second = build_state(&s->region, "second");
    build_transition(&first->block, &second->block, NULL, NULL);
    build_edge(&build_access(first, "x")->node, NULL, &build_access(first, "t")->node, NULL, "x", NULL);
    build_edge(&build_access(second, "t")->node, NULL, &build_access(second, "z")->node, NULL, "t", NULL);
    return program_of(engine, s);
}

TEST(memory_comes_from_the_caller)
{
    static double x[40], z[40];
    enum enum_row lifetimes[] = { LIFETIME_SCOPE, LIFETIME_PERSISTENT };
    struct heard heard = { .most = 1 << 20 };
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.specialize = "none";
    o.allocator_user = &heard;
    o.allocate = allocate;
    sdfg_error *e = sdfg_engine_new(&engine, &o);
    CHECK_STR(sdfg_error_message(e), "option 'allocate' needs option 'release', and the other way round");
    sdfg_error_free(e);
    o.release = release;
    for (int i = 0; i < 2; i++) {
        struct ir *ir = ir_new();
        CHECK(good(sdfg_engine_new(&engine, &o)));
        program = through_transient(ir, lifetimes[i]);
        ir_free(ir);
        sdfg_args *args;
        CHECK(good(sdfg_args_new(&args, program)));
        CHECK(good(sdfg_args_array(args, "x", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { 40 }))));
        CHECK(good(sdfg_args_array(args, "z", SDFG_ARRAY(.data = z, .dtype = SDFG_F64, .rank = 1, .shape = { 40 }))));
        size_t before = heard.blocks;
        x[39] = 5 + i;
        CHECK(good(sdfg_call(program, args)));
        CHECK(z[39] == 5 + i);
        CHECK(heard.blocks > before);
        CHECK_INT(heard.bytes > 0, i); /* only persistent memory stays */
        if (!i) {
            heard.most = 100;
            e = sdfg_call(program, args);
            CHECK_STR(sdfg_error_code(e), "RUN_MEMORY");
            sdfg_error_free(e);
            heard.most = 1 << 20;
        }
        sdfg_args_free(args);
        end();
        CHECK_INT(heard.bytes, 0);
    }
}

/* ---- threads ---- */

static pthread_barrier_t together;

static void *same_size(void *wrong)
{
    pthread_barrier_wait(&together);
    *(bool *)wrong = !call(17);
    return NULL;
}

static void *other_size(void *n)
{
    pthread_barrier_wait(&together);
    return call((int)(intptr_t)n) ? NULL : n;
}

TEST(many_ask_and_one_compiles)
{
    pthread_t threads[NUM_THREADS];
    bool wrong[NUM_THREADS];
    begin("all", 0);
    pthread_barrier_init(&together, NULL, NUM_THREADS);
    for (int i = 0; i < NUM_THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, same_size, &wrong[i]));
    for (int i = 0; i < NUM_THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(!wrong[i]);
    }
    CHECK_INT(stats_of(program).compiled, 1);
    CHECK_INT(stats_of(program).waited + stats_of(program).found, NUM_THREADS - 1);
    for (intptr_t i = 0; i < NUM_THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, other_size, (void *)(20 + i)));
    for (int i = 0; i < NUM_THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        CHECK(!result);
    }
    CHECK_INT(stats_of(program).compiled, 1 + NUM_THREADS);
    pthread_barrier_destroy(&together);
    end();
}

static void *call_often(void *calls)
{
    pthread_barrier_wait(&together);
    for (intptr_t i = 0; i < (intptr_t)calls; i++)
        if (!call(17))
            return calls;
    return NULL;
}

/* More threads than have places of their own to count in. */
TEST(every_call_is_counted)
{
    enum { THREADS = 50, CALLS = 200 };
    pthread_t threads[THREADS];
    begin("all", 0);
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, call_often, (void *)(intptr_t)CALLS));
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        CHECK(!result);
    }
    sdfg_stats s = stats_of(program);
    CHECK_INT(s.calls, THREADS * CALLS);
    CHECK_INT(s.compiled + s.found + s.waited, THREADS * CALLS);
    pthread_barrier_destroy(&together);
    end();
}

/* Kernels come and go while others run. */
static void *come_and_go(void *seed)
{
    unsigned at = (unsigned)(intptr_t)seed;
    for (int i = 0; i < 30; i++) {
        at = at * 1103515245 + 12345;
        if (!call(1 + (int)(at >> 16) % 10))
            return seed;
    }
    return NULL;
}

TEST(threads_share_little_memory)
{
    pthread_t threads[4];
    begin("all", 40000);
    for (intptr_t i = 0; i < 4; i++)
        CHECK(!pthread_create(&threads[i], NULL, come_and_go, (void *)(i + 1)));
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        CHECK(!result);
    }
    sdfg_stats s = stats_of(program);
    CHECK_INT(s.calls, 120);
    CHECK_INT(s.compiled + s.found + s.waited, 120);
    CHECK_INT(s.compiled, s.dropped + s.kernels);
    CHECK(s.kernel_bytes <= 40000);
    end();
}

/* A program whose lowering fails: everybody hears why, and it was tried once for all who waited. */
static void *fails(void *wrong)
{
    sdfg_kernel *k;
    pthread_barrier_wait(&together);
    sdfg_error *e = sdfg_specialize(&k, program, NULL, 0);
    *(bool *)wrong = k || !e || strcmp(sdfg_error_code(e), "NO_STORAGE_TARGET");
    sdfg_error_free(e);
    return NULL;
}

TEST(failures_are_shared)
{
    pthread_t threads[NUM_THREADS];
    bool wrong[NUM_THREADS];
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "elsewhere");
    build_array(s, "x", "float64", "4");
    build_array(s, "y", "float64", "4");
    build_transient(s, "t", "float64", "4")->storage = enum_builtin(ir, STORAGE_SNITCH_TCDM);
    struct state *state = build_state(&s->region, "copy");
    struct access *t = build_access(state, "t");
    build_edge(&build_access(state, "x")->node, NULL, &t->node, NULL, "x", NULL);
    build_edge(&t->node, NULL, &build_access(state, "y")->node, NULL, "t", NULL);
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    program = program_of(engine, s);
    ir_free(ir);
    pthread_barrier_init(&together, NULL, NUM_THREADS);
    for (int i = 0; i < NUM_THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, fails, &wrong[i]));
    for (int i = 0; i < NUM_THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(!wrong[i]);
    }
    CHECK_INT(stats_of(program).failed + stats_of(program).waited, NUM_THREADS);
    CHECK_INT(stats_of(program).kernels, 0);
    pthread_barrier_destroy(&together);
    end();
}

CHECK_MAIN
