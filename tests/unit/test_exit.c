#include "engine/include/sdfg.h"

#include "tests/unit/check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processes that end, and libraries that are closed, while optimized code is compiled in the background. Each is a
 * child that was forked before there was an engine. The tests run in the folder tests/. */

enum { NUM_DELAYS = 6, BAD = 3 };

#define FUNCTIONS(F)                                                                                                   \
    F(options_init)                                                                                                    \
    F(engine_new)                                                                                                      \
    F(engine_free) F(program_load_file) F(program_free) F(args_new) F(args_free) F(args_f64) F(args_array) F(call)

static struct {
#define MEMBER(name) __typeof__(&sdfg_##name) name;
    FUNCTIONS(MEMBER)
} api = {
#define LINKED(name) .name = sdfg_##name,
    FUNCTIONS(LINKED)
};

static sdfg_engine *engine;
static sdfg_program *program;
static sdfg_args *args;
static atomic_int begun, compiled;

static void count(void *user, const sdfg_event *e)
{
    (void)user;
    if (e->kind == SDFG_EVENT_COMPILING)
        atomic_fetch_add(&begun, 1);
    if (e->kind == SDFG_EVENT_COMPILED)
        atomic_fetch_add(&compiled, 1);
}

static void need(sdfg_error *e)
{
    if (e)
        _exit(BAD);
}

/* Calls until better code is being compiled, then waits for so many hundreds of microseconds. */
static void work(const char *codegen, int delay)
{
    static double x[8], y[8];
    sdfg_options o;
    api.options_init(&o, sizeof o);
    o.tier = SDFG_TIER_AUTO;
    o.cache_dir = "";
    o.codegen = codegen;
    o.event = count;
    need(api.engine_new(&engine, &o));
    need(api.program_load_file(&program, engine, "../examples/axpy.sdfg"));
    need(api.args_new(&args, program));
    need(api.args_f64(args, "alpha", 2));
    need(api.args_array(args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { 8 })));
    need(api.args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { 8 })));
    need(api.call(program, args));
    need(api.call(program, args));
    while (atomic_load(&begun) < 2)
        sched_yield();
    usleep((useconds_t)(100 * delay * delay));
}

/* What the child ends with: 0, unless something is wrong. */
static int status_of(void (*end)(int delay), int delay)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        end(delay);
        _exit(BAD);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void check_all(void (*end)(int delay))
{
    for (int delay = 0; delay < NUM_DELAYS; delay++)
        CHECK_INT(status_of(end, delay), 0);
}

static void leave(int delay)
{
    work(NULL, delay);
    exit(0);
}

TEST(exit_of_the_process) { check_all(leave); }

static void *leave_elsewhere(void *unused)
{
    (void)unused;
    exit(0);
}

static void leave_from_a_thread(int delay)
{
    pthread_t thread;
    work(NULL, delay);
    if (!pthread_create(&thread, NULL, leave_elsewhere, NULL))
        pthread_join(thread, NULL);
}

TEST(exit_from_another_thread) { check_all(leave_from_a_thread); }

static void give_back(int delay)
{
    work(NULL, delay);
    api.args_free(args);
    api.program_free(program);
    api.engine_free(engine);
    exit(atomic_load(&compiled) == 2 ? 0 : BAD); /* it was waited for */
}

TEST(engines_that_are_freed) { check_all(give_back); }

/* ---- a library that was opened: a copy, as that of the test is never closed ---- */

static char copy[] = "/tmp/sdfg-exit-XXXXXX", codegen[4096];

static void copy_library(void)
{
    Dl_info info;
    char command[9000];
    int file = mkstemp(copy);
    CHECK(file >= 0 && dladdr((void *)sdfg_engine_new, &info));
    close(file);
    snprintf(command, sizeof command, "cp '%s' '%s'", info.dli_fname, copy);
    CHECK(!system(command));
    const char *slash = strrchr(info.dli_fname, '/');
    CHECK(slash);
    snprintf(codegen, sizeof codegen, "%.*slibsdfg-codegen.so", slash ? (int)(slash - info.dli_fname + 1) : 0,
             info.dli_fname);
}

static void close_library(int delay)
{
    void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        _exit(BAD);
#define OPENED(name) *(void **)(void *)&api.name = dlsym(library, "sdfg_" #name);
    FUNCTIONS(OPENED)
    work(codegen, delay);
    dlclose(library);
    while (atomic_load(&compiled) < 2) /* the thread comes back to its code */
        sched_yield();
    _exit(0);
}

TEST(libraries_that_are_closed)
{
    copy_library();
    check_all(close_library);
    unlink(copy);
}

CHECK_MAIN
