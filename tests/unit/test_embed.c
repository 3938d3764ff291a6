#include "tests/unit/api.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the library does to the process it is embedded in: nothing. */

static sdfg_engine *new_engine(const char *folder)
{
    sdfg_engine *engine;
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.num_threads = 1;
    o.specialize = "all";
    o.cache_dir = folder;
    CHECK(good(sdfg_engine_new(&engine, &o)));
    return engine;
}

static int run_all(const char *folder)
{
    sdfg_engine *engine = new_engine(folder);
    sdfg_program *p = axpy_load(engine);
    sdfg_kernel *none;
    bool ok = axpy_call(p, 3) && axpy_call(p, 4);
    sdfg_error *e = sdfg_specialize(&none, p, &(sdfg_symbol){ "nobody", 1 }, 1);
    ok &= e && !none;
    sdfg_error_free(e);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    return ok ? 0 : 1;
}

/* The handlers that a process has, as one number; sanitizers have their own. */
static uint64_t handlers(void)
{
    uint64_t set = 0;
    for (int s = 1; s < 64; s++) {
        struct sigaction a;
        if (!sigaction(s, NULL, &a) && a.sa_handler != SIG_DFL)
            set |= UINT64_C(1) << s;
    }
    return set;
}

TEST(signals_output_and_folder_are_left_alone)
{
    char before[4096], after[4096];
    char said[] = "/tmp/sdfg-test-embed-XXXXXX";
    struct stat s;
    uint64_t had = handlers();
    int file = mkstemp(said), out = dup(1), err = dup(2);
    CHECK(getcwd(before, sizeof before));
    fflush(stdout);
    CHECK(dup2(file, 1) == 1 && dup2(file, 2) == 2);
    int code = run_all(NULL);
    fflush(stdout);
    CHECK(dup2(out, 1) == 1 && dup2(err, 2) == 2);
    CHECK_INT(code, 0);
    CHECK(!fstat(file, &s) && s.st_size == 0);
    CHECK(handlers() == had);
    CHECK(getcwd(after, sizeof after));
    CHECK_STR(after, before);
    close(file);
    close(out);
    close(err);
    unlink(said);
}

#if !defined(__SANITIZE_THREAD__) /* which does not follow threads into forks */
/* A process that was forked goes on with what it has, compiles, and ends; so does its parent. */
TEST(both_sides_of_a_fork_go_on)
{
    char folder[64] = "/tmp/sdfg-test-fork-XXXXXX", command[128];
    CHECK(mkdtemp(folder));
    sdfg_engine *engine = new_engine(folder);
    sdfg_program *p = axpy_load(engine);
    CHECK(axpy_call(p, 3));       /* which is perhaps still being written */
#if defined(__SANITIZE_ADDRESS__) /* whose allocator may be locked for ever in the child if another thread is in it */
    sdfg_engine_wait(engine);
#endif
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        bool ok = axpy_call(p, 3) && axpy_call(p, 5) && axpy_call(p, 6);
        sdfg_program_free(p);
        sdfg_engine_free(engine);
        _exit(ok ? 0 : 1);
    }
    int status;
    CHECK(axpy_call(p, 5) && axpy_call(p, 7));
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    sdfg_cache_info info = { .struct_size = sizeof info };
    sdfg_engine_cache(engine, &info);
    CHECK_INT(info.troubles, 0);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(!system(command));
}
#endif

/* Two engines know nothing of each other. */
TEST(engines_are_apart)
{
    sdfg_engine *first = new_engine(NULL), *second = new_engine(NULL);
    sdfg_program *p = axpy_load(first), *q = axpy_load(second);
    CHECK(axpy_call(p, 3) && axpy_call(q, 3));
    sdfg_program_free(p);
    sdfg_engine_free(first);
    CHECK(axpy_call(q, 3) && axpy_call(q, 4));
    sdfg_stats s = { .struct_size = sizeof s };
    sdfg_engine_stats(second, &s);
    CHECK_INT(s.compiled, 2);
    sdfg_program_free(q);
    sdfg_engine_free(second);
}

CHECK_MAIN
