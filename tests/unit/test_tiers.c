#include "tests/unit/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Quick code first, optimized code behind its back. The tests run in the folder tests/. */

enum { NUM_THREADS = 8 };

static sdfg_engine *engine;
static sdfg_program *program;

static void begin_with(enum sdfg_tier tier, void (*change)(sdfg_options *o))
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    CHECK_INT(o.tier, SDFG_TIER_FULL);
    o.tier = tier;
    o.specialize = "all";
    if (change)
        change(&o);
    CHECK(good(sdfg_engine_new(&engine, &o)));
    program = axpy_load(engine);
}

static void begin(enum sdfg_tier tier) { begin_with(tier, NULL); }

static void end(void)
{
    sdfg_program_free(program);
    sdfg_engine_free(engine);
}

static bool call(int n) { return axpy_call(program, n); }

static sdfg_kernel_info info_of(const sdfg_kernel *k)
{
    sdfg_kernel_info info = { .struct_size = sizeof info };
    sdfg_kernel_describe(k, &info);
    return info;
}

/* Of the kernel that a call with n elements takes. */
static enum sdfg_tier tier_of(int64_t n)
{
    sdfg_kernel *k;
    CHECK(good(sdfg_specialize(&k, program, &(sdfg_symbol){ "N", n }, 1)));
    enum sdfg_tier tier = info_of(k).tier;
    sdfg_kernel_free(k);
    return tier;
}

static bool explained(int n, const char *text)
{
    static _Alignas(64) double x[AXPY_LARGEST], y[AXPY_LARGEST];
    char *found;
    sdfg_args *args = axpy_arguments(program, x, y, n);
    CHECK(good(sdfg_args_explain_cache(&found, args)));
    bool there = strstr(found, text);
    if (!there)
        printf("%s", found);
    sdfg_text_free(found);
    sdfg_args_free(args);
    return there;
}

TEST(the_second_call_asks_for_optimized_code)
{
    begin(SDFG_TIER_AUTO);
    CHECK(call(5));
    sdfg_engine_wait(engine);
    CHECK_INT(stats_of(program).compiled, 1);
    CHECK(explained(5,
                    "there is a kernel for N = 5, arrays aligned to 64 bytes; its code is quick, and the second call "
                    "asks for optimized code\n"));
    CHECK(call(5));
    sdfg_engine_wait(engine);
    CHECK_INT(stats_of(program).compiled, 2);
    CHECK_INT(stats_of(program).improved, 1);
    CHECK_INT(stats_of(program).kernels, 1); /* nobody holds the quick one */
    CHECK(explained(5, "there is a kernel for N = 5, arrays aligned to 64 bytes\n"));
    CHECK(call(5));
    CHECK_INT(stats_of(program).compiled, 2);
    end();
}

TEST(bound_and_repeated_calls_take_it)
{
    static _Alignas(64) double x[8], y[8];
    sdfg_bound *b;
    begin(SDFG_TIER_AUTO);
    x[7] = 1;
    sdfg_args *args = axpy_arguments(program, x, y, 8);
    CHECK(good(sdfg_bind(&b, program, args)));
    CHECK_INT(info_of(sdfg_bound_kernel(b)).tier, SDFG_TIER_QUICK);
    CHECK(!strncmp(info_of(sdfg_bound_kernel(b)).origin, "compiled quickly: it is the first one", 37));
    CHECK(good(sdfg_bound_call(b)) && good(sdfg_call(program, args)));
    sdfg_engine_wait(engine);
    CHECK_INT(info_of(sdfg_bound_kernel(b)).tier, SDFG_TIER_FULL);
    CHECK(!strncmp(info_of(sdfg_bound_kernel(b)).origin, "compiled: it is called again", 28));
    CHECK(good(sdfg_bound_call(b)) && good(sdfg_call(program, args)));
    CHECK(y[7] == 8);
    CHECK_INT(stats_of(program).kernels, 2); /* the bound call holds the quick one, which counts */
    uint64_t bytes = stats_of(program).kernel_bytes;
    sdfg_bound_free(b);
    sdfg_args_free(args);
    CHECK_INT(stats_of(program).kernels, 1);
    CHECK(stats_of(program).kernel_bytes < bytes);
    end();
}

TEST(tiers_that_are_prescribed_stay)
{
    enum sdfg_tier tiers[] = { SDFG_TIER_FULL, SDFG_TIER_QUICK };
    for (int i = 0; i < 2; i++) {
        begin(tiers[i]);
        CHECK(call(5) && call(5) && call(5));
        sdfg_engine_wait(engine);
        CHECK_INT(stats_of(program).compiled, 1);
        CHECK_INT(stats_of(program).improved, 0);
        CHECK(explained(5, i ? "64 bytes; its code is quick, and stays so\n" : "64 bytes\n"));
        CHECK_INT(tier_of(INT64_C(1) << 40), tiers[i]);
        end();
    }
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.tier = (enum sdfg_tier)7;
    sdfg_error *e = sdfg_engine_new(&engine, &o);
    CHECK_STR(sdfg_error_message(e), "option 'tier' is one of enum sdfg_tier");
    sdfg_error_free(e);
}

TEST(much_work_is_optimized_at_once)
{
    sdfg_kernel *k;
    begin(SDFG_TIER_AUTO);
    CHECK_INT(tier_of(1000), SDFG_TIER_QUICK);
    CHECK_INT(tier_of(100000000), SDFG_TIER_FULL);
    CHECK(good(sdfg_specialize(&k, program, NULL, 0))); /* who knows how much */
    CHECK_INT(info_of(k).tier, SDFG_TIER_FULL);
    sdfg_kernel_free(k);
    end();
}

/* ---- the same results ---- */

static void strict(sdfg_options *o) { o->fp = SDFG_FP_STRICT; }

/* A few steps of Jacobi's method on one grid; without fused operations every tier rounds alike. */
TEST(strict_arithmetic_gives_the_same_bits)
{
    enum { N = 12 };
    static _Alignas(64) double grids[2][2][N * N];
    enum sdfg_tier tiers[] = { SDFG_TIER_FULL, SDFG_TIER_QUICK };
    for (int i = 0; i < 2; i++) {
        sdfg_args *args;
        begin_with(tiers[i], strict);
        sdfg_program_free(program);
        CHECK(good(sdfg_program_load_file(&program, engine, "../examples/jacobi_2d.sdfg")));
        CHECK(good(sdfg_args_new(&args, program)));
        for (int g = 0; g < 2; g++) {
            for (int k = 0; k < N * N; k++)
                grids[i][g][k] = 1.0 / (3 + k * k + g);
            CHECK(good(
                sdfg_args_array(args, g ? "B" : "A",
                                SDFG_ARRAY(.data = grids[i][g], .dtype = SDFG_F64, .rank = 2, .shape = { N, N }))));
        }
        CHECK(good(sdfg_args_i64(args, "T", 5)));
        CHECK(good(sdfg_call(program, args)));
        sdfg_args_free(args);
        end();
    }
    CHECK(!memcmp(grids[0], grids[1], sizeof grids[0]));
    CHECK(grids[0][0][N + 1] != 1.0 / (3 + (N + 1) * (N + 1)));
}

/* ---- threads ---- */

static pthread_barrier_t together;

static void *call_often(void *n)
{
    pthread_barrier_wait(&together);
    for (int i = 0; i < 200; i++)
        if (!call((int)(intptr_t)n))
            return n;
    return NULL;
}

TEST(many_call_and_each_tier_is_made_once)
{
    pthread_t threads[NUM_THREADS];
    begin(SDFG_TIER_AUTO);
    pthread_barrier_init(&together, NULL, NUM_THREADS);
    for (intptr_t i = 0; i < NUM_THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, call_often, (void *)(10 + i % 2)));
    for (int i = 0; i < NUM_THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        CHECK(!wrong);
    }
    sdfg_engine_wait(engine);
    CHECK_INT(stats_of(program).compiled, 4);
    CHECK_INT(stats_of(program).improved, 2);
    CHECK_INT(stats_of(program).kernels, 2);
    CHECK_INT(stats_of(program).calls, NUM_THREADS * 200);
    pthread_barrier_destroy(&together);
    end();
}

/* Whoever compiles because code is used again waits until the gate is open. */
static atomic_bool gate_open, at_gate;

static void wait_at_gate(void *user, const sdfg_event *e)
{
    (void)user;
    if (e->kind != SDFG_EVENT_COMPILING || !strstr(e->text, "it is called again"))
        return;
    atomic_store(&at_gate, true);
    while (!atomic_load(&gate_open))
        usleep(100);
}

static void with_gate(sdfg_options *o)
{
    atomic_store(&at_gate, false);
    atomic_store(&gate_open, false);
    o->event = wait_at_gate;
}

static void *open_soon(void *unused)
{
    usleep(20000);
    atomic_store(&gate_open, true);
    return unused;
}

/* Freeing waits for what is being compiled, and what is only queued is not compiled any more. */
TEST(programs_may_go_while_they_are_compiled)
{
    pthread_t opener;
    begin_with(SDFG_TIER_AUTO, with_gate);
    for (int n = 5; n < 8; n++)
        CHECK(call(n) && call(n));
    while (!atomic_load(&at_gate))
        usleep(100);
    CHECK(explained(5, "64 bytes; its code is quick, and optimized code is being made\n"));
    CHECK(call(5)); /* nobody waits */
    CHECK(!pthread_create(&opener, NULL, open_soon, NULL));
    sdfg_program_free(program);
    sdfg_stats all = { .struct_size = sizeof all };
    sdfg_engine_stats(engine, &all);
    CHECK_INT(all.compiled, 4);
    CHECK_INT(all.improved, 1);
    CHECK_INT(all.kernels, 0);
    CHECK_INT(all.kernel_bytes, 0);
    sdfg_engine_free(engine);
    pthread_join(opener, NULL);
}

static void with_gate_and_little_memory(sdfg_options *o)
{
    with_gate(o);
    o->memory_bytes = 1;
}

TEST(limits_of_memory_hold_for_both_tiers)
{
    begin_with(SDFG_TIER_AUTO, with_gate_and_little_memory);
    sdfg_kernel *k; /* in use, so that its calls are counted */
    CHECK(good(sdfg_specialize(&k, program, &(sdfg_symbol){ "N", 5 }, 1)));
    _Alignas(64) double alpha = 2, x[5] = { 1 }, y[5] = { 1 };
    void *addresses[3];
    for (size_t i = 0; i < 3; i++) {
        const char *name = sdfg_kernel_param(k, i)->name;
        addresses[i] = *name == 'X' ? x : *name == 'Y' ? y : &alpha;
    }
    CHECK_INT(sdfg_kernel_num_params(k), 3);
    CHECK(good(sdfg_run(k, addresses, 3)) && good(sdfg_run(k, addresses, 3)));
    while (!atomic_load(&at_gate))
        usleep(100);
    CHECK_INT(stats_of(program).kernels, 1);
    sdfg_kernel_free(k); /* its place in the queue keeps it */
    CHECK_INT(stats_of(program).kernels, 1);
    atomic_store(&gate_open, true);
    sdfg_engine_wait(engine);
    CHECK(y[0] == 5);
    CHECK_INT(stats_of(program).improved, 1);
    CHECK_INT(stats_of(program).kernels, 0);
    CHECK_INT(stats_of(program).kernel_bytes, 0);
    end();
}

/* ---- what goes wrong ---- */

static void write_file(const char *path, struct sdfg *s)
{
    struct text json = text_new(s->ir->arena);
    FILE *f = fopen(path, "w");
    sdfg_write(s, &json);
    CHECK(f && fputs(text_get(&json), f) >= 0 && !fclose(f));
}

/* The program consists of two files, and one is gone when the optimized code is made. */
TEST(failures_in_the_background_leave_the_quick_code)
{
    char folder[] = "/tmp/sdfg-test-tiers-XXXXXX", inner_path[64], outer_path[64];
    CHECK(mkdtemp(folder));
    snprintf(inner_path, sizeof inner_path, "%s/inner.sdfg", folder);
    snprintf(outer_path, sizeof outer_path, "%s/outer.sdfg", folder);
    struct ir *ir = ir_new();
    struct sdfg *inner = build_sdfg(ir, "inner"), *outer = build_sdfg(ir, "outer");
    build_state(&inner->region, "nothing");
    struct nested *n = build_nested(build_state(&outer->region, "state"), "n", inner, "", "", NULL);
    CHECK(build_finish(outer));
    write_file(inner_path, inner);
    n->sdfg = NULL;
    n->ext_path = "inner.sdfg";
    write_file(outer_path, outer);
    ir_free(ir);

    begin(SDFG_TIER_AUTO);
    sdfg_program_free(program);
    sdfg_args *args;
    char *text;
    CHECK(good(sdfg_program_load_file(&program, engine, outer_path)));
    CHECK(good(sdfg_args_new(&args, program)));
    CHECK(good(sdfg_call(program, args)));
    unlink(inner_path);
    for (int i = 0; i < 3; i++)
        CHECK(good(sdfg_call(program, args)));
    sdfg_engine_wait(engine);
    CHECK_INT(stats_of(program).failed, 1); /* it is not tried again */
    CHECK_INT(stats_of(program).improved, 0);
    CHECK(good(sdfg_call(program, args)));
    CHECK(good(sdfg_args_explain_cache(&text, args)));
    CHECK(strstr(text, "its code is quick, and optimized code could not be made: the nested SDFG"));
    sdfg_text_free(text);
    sdfg_args_free(args);
    end();
    unlink(outer_path);
    rmdir(folder);
}

TEST(a_fork_goes_on)
{
    begin(SDFG_TIER_AUTO);
    CHECK(call(5) && call(5));
    sdfg_engine_wait(engine);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        bool ok = call(5) && call(6) && call(6);
        sdfg_engine_wait(engine);
        ok = ok && stats_of(program).improved == 2;
        end();
        fflush(stdout);
        _exit(!ok);
    }
    int status;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    CHECK(call(7) && call(7));
    sdfg_engine_wait(engine);
    CHECK_INT(stats_of(program).improved, 2);
    end();
}

/* ---- on disk ---- */

static char cache[] = "/tmp/sdfg-test-tiers-cache-XXXXXX";

static void with_cache(sdfg_options *o) { o->cache_dir = cache; }

TEST(both_tiers_are_kept_on_disk)
{
    sdfg_kernel *k;
    CHECK(mkdtemp(cache));
    for (int i = 0; i < 3; i++) {
        begin_with(i == 2 ? SDFG_TIER_FULL : SDFG_TIER_AUTO, with_cache);
        CHECK_INT(tier_of(5), SDFG_TIER_QUICK * (i < 2));
        CHECK_INT(stats_of(program).read, i > 0 && i < 2);
        CHECK_INT(stats_of(program).compiled, i != 1);
        end();
    }
    for (int i = 0; i < 2; i++) { /* the full one is there now */
        begin_with(SDFG_TIER_AUTO, with_cache);
        CHECK_INT(tier_of(5), SDFG_TIER_FULL);
        CHECK_INT(stats_of(program).read, 1);
        CHECK(call(6) && call(6));
        sdfg_engine_wait(engine);
        CHECK_INT(stats_of(program).compiled, i ? 0 : 2);
        CHECK_INT(stats_of(program).improved, i ? 0 : 1);
        CHECK(explained(6, "there is a kernel for N = 6, arrays aligned to 64 bytes\n"));
        end();
    }
    begin_with(SDFG_TIER_QUICK, with_cache);
    CHECK(good(sdfg_specialize(&k, program, &(sdfg_symbol){ "N", 5 }, 1)));
    CHECK(strstr(info_of(k).origin, "; it is quick code"));
    CHECK(info_of(k).from_disk);
    sdfg_kernel_free(k);
    end();
    char command[80];
    snprintf(command, sizeof command, "rm -r '%s'", cache);
    CHECK(!system(command));
}

CHECK_MAIN
