/* What generated code calls and the engine gives, may give or does not: nodes, functions of targets, providers; memory
 * that the caller supplies; limits of threads; how programs compiled ahead of time end. */
#include "runtime/node.h"
#include "runtime/program.h"
#include "runtime/timing.h"
#include "tests/unit/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the engine's functions ---- */

static bool works;
static int calls;

static bool call(const struct sdfg_rt_nodes *nodes, const char *text, const int64_t *layout)
{
    CHECK(nodes && text && layout);
    calls++;
    return works;
}

static bool call_target(const struct sdfg_rt_nodes *nodes, const char *text, const int64_t *arguments, int64_t *result)
{
    CHECK(nodes && text && arguments);
    calls++;
    *result = 42;
    return works;
}

static int64_t begin(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element)
{
    CHECK(nodes && element);
    calls++;
    return 7;
}

static void end(const struct sdfg_rt_nodes *nodes, struct sdfg_rt_context *context,
                const struct sdfg_rt_element *element, int64_t begun)
{
    CHECK(nodes && context && element && begun == 7);
    calls++;
}

static bool observe(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element, const int64_t *layout,
                    void *elements)
{
    CHECK(nodes && element && layout && elements);
    calls++;
    return works;
}

static const struct sdfg_rt_element element = { 0, 0, 0 };
static const int64_t layout[] = { 8, 1, 1, 1 };

/* Each of them once; the error, which is taken away. */
static int error_of_node(struct sdfg_rt_context *c)
{
    sdfg_rt_node(c, "node", layout);
    int error = c->error;
    c->error = SDFG_RT_OK;
    return error;
}

static int error_of_target(struct sdfg_rt_context *c, int64_t expected)
{
    CHECK_INT(sdfg_rt_target(c, "target\0function", layout), expected);
    int error = c->error;
    c->error = SDFG_RT_OK;
    return error;
}

static int error_of_provider(struct sdfg_rt_context *c)
{
    double elements[1] = { 0 };
    sdfg_rt_observe(c, &element, layout, elements);
    int error = c->error;
    c->error = SDFG_RT_OK;
    return error;
}

TEST(what_the_engine_does_not_give_is_an_error)
{
    struct sdfg_rt_nodes none = { 0 };
    struct sdfg_rt_context c = { .num_threads = 1 };
    for (int i = 0; i < 2; i++) {
        CHECK_INT(error_of_node(&c), SDFG_RT_NODE_FAILED);
        CHECK_INT(error_of_target(&c, 0), SDFG_RT_TARGET_FAILED);
        CHECK_INT(error_of_provider(&c), SDFG_RT_PROVIDER);
        CHECK_INT(sdfg_rt_measure_begin(&c, &element), 0); /* nobody measures */
        sdfg_rt_measure_end(&c, &element, 0);
        CHECK_INT(c.error, SDFG_RT_OK);
        c.user = &none;
    }
}

TEST(functions_of_the_engine)
{
    struct sdfg_rt_nodes all = { call, call_target, begin, end, observe };
    struct sdfg_rt_context c = { .num_threads = 1, .user = &all };
    calls = 0;
    works = true;
    CHECK_INT(error_of_node(&c), SDFG_RT_OK);
    CHECK_INT(error_of_target(&c, 42), SDFG_RT_OK);
    CHECK_INT(error_of_provider(&c), SDFG_RT_OK);
    sdfg_rt_measure_end(&c, &element, sdfg_rt_measure_begin(&c, &element));
    CHECK_INT(calls, 5);
    works = false;
    CHECK_INT(error_of_node(&c), SDFG_RT_NODE_FAILED);
    CHECK_INT(error_of_target(&c, 0), SDFG_RT_TARGET_FAILED);
    CHECK_INT(error_of_provider(&c), SDFG_RT_PROVIDER);
    CHECK_INT(calls, 8);
    c.error = SDFG_RT_CANCELLED; /* behind an error nothing is called */
    CHECK_INT(error_of_node(&c), SDFG_RT_CANCELLED);
    c.error = SDFG_RT_CANCELLED;
    CHECK_INT(error_of_target(&c, 0), SDFG_RT_CANCELLED);
    c.error = SDFG_RT_CANCELLED;
    CHECK_INT(error_of_provider(&c), SDFG_RT_CANCELLED);
    CHECK_INT(calls, 8);
}

TEST(what_targets_give)
{
    static int64_t objects[] = { 3, 5 };
    int x;
    struct sdfg_rt_context c = { .num_threads = 1 };
    CHECK(sdfg_rt_target_memory(&c, (int64_t)(intptr_t)&x) == &x);
    CHECK_INT(c.error, SDFG_RT_OK);
    CHECK(!sdfg_rt_target_memory(&c, 0));
    CHECK_INT(c.error, SDFG_RT_OUT_OF_MEMORY);
    CHECK_INT(sdfg_rt_target_object(&c, 1), 0);
    c.objects = objects;
    CHECK_INT(sdfg_rt_target_object(&c, 1), 5);
}

/* ---- memory that the caller supplies ---- */

TEST(workspaces)
{
    char memory[256];
    struct sdfg_rt_block blocks[] = { { .storage = 3 }, { .storage = 5, .memory = memory, .bytes = sizeof memory } };
    struct sdfg_rt_workspace w = { blocks, 2, false };
    static const struct {
        int64_t storage, bytes, alignment, at; /* -1: an error */
        int error;
    } rows[] = {
        { 5, 10, 8, 0, SDFG_RT_OK },
        { 5, 10, 16, 16, SDFG_RT_OK },
        { 5, 0, 64, 64, SDFG_RT_OK },
        { 5, 192, 64, 64, SDFG_RT_OK },
        { 5, 1, 1, -1, SDFG_RT_WORKSPACE },
        { 5, -1, 8, -1, SDFG_RT_BAD_VALUE },
        { 5, INT64_MAX, 8, -1, SDFG_RT_BAD_VALUE },
        { 3, 8, 8, -1, SDFG_RT_WORKSPACE }, /* nothing was given */
        { 4, 8, 8, -1, SDFG_RT_WORKSPACE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdfg_rt_context c = { .num_threads = 1, .workspace = &w };
        char *p = sdfg_rt_workspace(&c, rows[i].storage, rows[i].bytes, rows[i].alignment);
        CHECK_INT(p ? p - memory : -1, rows[i].at);
        CHECK_INT(c.error, rows[i].error);
    }
    struct sdfg_rt_context without = { .num_threads = 1 };
    CHECK(!sdfg_rt_workspace(&without, 5, 8, 8));
    CHECK_INT(without.error, SDFG_RT_WORKSPACE);
    blocks[1] = (struct sdfg_rt_block){ .storage = 5 };
    w.measure = true; /* counts what there is not */
    struct sdfg_rt_context c = { .num_threads = 1, .workspace = &w };
    CHECK(sdfg_rt_workspace(&c, 5, 1000, 64) && sdfg_rt_workspace(&c, 5, 1, 64));
    CHECK_INT(blocks[1].used, 1025);
    CHECK_INT(c.error, SDFG_RT_OK);
}

/* ---- threads ---- */

static int64_t startable(int resource, rlim_t limit, int64_t wanted)
{
    struct rlimit before, l;
    CHECK(!getrlimit((__rlimit_resource_t)resource, &before));
    l = before;
    l.rlim_cur = limit;
    CHECK(!setrlimit((__rlimit_resource_t)resource, &l));
    int64_t count = sdfg_rt_startable(wanted);
    CHECK(!setrlimit((__rlimit_resource_t)resource, &before));
    return count;
}

/* Limits that are high enough for a few, or for none: they are tried. */
TEST(limits_of_threads)
{
    CHECK_INT(sdfg_rt_startable(0), 0);
    CHECK_INT(sdfg_rt_startable(-1), -1);
    CHECK_INT(startable(RLIMIT_NPROC, 30000, 3), 3);
    CHECK_INT(startable(RLIMIT_DATA, (rlim_t)1 << 46, 3), 3);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which have more than any limit */
    CHECK_INT(startable(RLIMIT_AS, (rlim_t)1 << 46, 3), 3);
    CHECK(startable(RLIMIT_AS, (rlim_t)1 << 20, 50) < 50); /* below what the process has */
#endif
}

/* ---- programs compiled ahead of time ---- */

static void sizes_that_fail(struct sdfg_rt_context *context, void *const *args)
{
    (void)args;
    sdfg_rt_workspace(context, 0, -1, 8);
}

static void main_of_nothing(struct sdfg_rt_context *context, void *const *args) { (void)context, (void)args; }

TEST(sizes_that_cannot_be_known_are_none)
{
    static const int64_t storages[] = { 0 };
    struct sdfg_rt_program p = {
        .num_storages = 1, .storages = storages, .main = main_of_nothing, .workspace = sizes_that_fail, .num_threads = 1
    };
    void *args[1] = { NULL }, *h = sdfg_rt_program_begin(&p, args);
    CHECK(h != NULL);
    CHECK_INT(sdfg_rt_program_external_size(h, 0, args), 0);
    CHECK_INT(sdfg_rt_program_end(h), 0);
}

TEST(an_error_that_nobody_takes_ends_the_process)
{
    int ends[2], status;
    char text[200] = "";
    CHECK(!pipe(ends));
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        struct rlimit no_core = { 0, 0 };
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(ends[1], STDERR_FILENO);
        sdfg_rt_program_check("axpy", SDFG_RT_SINGULAR);
        _exit(0);
    }
    close(ends[1]);
    CHECK(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK_STR(text, "axpy: a matrix to be inverted or factored is singular\n");
}

CHECK_MAIN
