/* MPI libraries that cannot be used, or not for everything: names that are none, and those of odd.c; and processes that
 * end because of MPI. */
#include "tests/mpi/alone.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *library, *text;

static void opens_badly(void)
{
    struct call c;
    int rank, size;
    char trouble[SDFG_RT_MPI_TROUBLE];
    setenv("SDFG_MPI", library, 1);
    for (int i = 0; i < 2; i++) { /* it is tried again */
        CHECK(!sdfg_rt_mpi_world(&rank, &size, trouble) && strstr(trouble, text));
        CHECK(rank == 0 && size == 1 && !sdfg_rt_mpi_least(1, &(int64_t){ 0 }, trouble));
        sdfg_rt_mpi_barrier(begin(&c), WHERE, NULL);
        CHECK(c.context.error == SDFG_RT_MPI && strstr(c.mpi.trouble, text));
    }
}

static void meet(struct sdfg_rt_context *c, void *data, int64_t thread, int64_t threads)
{
    (void)thread;
    *(int64_t *)data = threads;
    sdfg_rt_mpi_barrier(c, WHERE, NULL);
}

/* Integers of Fortran become handles by a function; threads of a region may not send. */
static void one_thread_at_a_time(void)
{
    struct call c;
    int64_t threads = 1;
    setenv("SDFG_MPI", library, 1);
    CHECK(sdfg_rt_mpi_f2c(begin(&c), WHERE, 5) == 0x1005 && !c.context.error);
    CHECK(sdfg_rt_MPI_Barrier(begin(&c), WHERE, WORLD) == 0);
    sdfg_rt_mpi_barrier(begin(&c), WHERE, NULL);
    CHECK(!c.context.error);
    begin(&c)->num_threads = 2;
    sdfg_rt_parallel(&c.context, meet, &threads, 2);
    CHECK(threads == 1 || strstr(c.mpi.trouble, "has no MPI_THREAD_MULTIPLE for a parallel region"));
    CHECK(threads == 1 ? !c.context.error : c.context.error == SDFG_RT_MPI);
}

/* ---- ends ---- */

enum { CODE = 5 };

static void abort_unopened(void) { sdfg_rt_mpi_abort(CODE); }
static void abort_opened(void)
{
    int rank, size;
    char trouble[SDFG_RT_MPI_TROUBLE];
    if (library)
        setenv("SDFG_MPI", library, 1);
    sdfg_rt_mpi_world(&rank, &size, trouble);
    sdfg_rt_mpi_abort(CODE);
}
static void abort_in_a_tasklet(void)
{
    struct call c;
    sdfg_rt_MPI_Abort(begin(&c), WHERE, WORLD, CODE);
}
static void stop_in_a_node(void)
{
    struct call c;
    sdfg_rt_mpi_stop(begin(&c), WHERE, NULL, CODE);
}

static void ends(void (*run)(void), int signal_, int code)
{
    int status = -1;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        run();
        _exit(77);
    }
    waitpid(pid, &status, 0);
    CHECK(signal_ ? WIFSIGNALED(status) && WTERMSIG(status) == signal_
                  : WIFEXITED(status) && WEXITSTATUS(status) == code);
}

void odd_libraries(const char *folder)
{
    static const char *const bad[][2] = {
        { "/nowhere/libmpi.so", "/nowhere/libmpi.so: cannot open" },
        { "libm.so.6", "libm.so.6: has no MPI_Initialized" },
        { "libmpi-strange.so", "libmpi-strange.so: has no handles that we know" },
        { "libmpi-no-fromint.so", "libmpi-no-fromint.so: has no MPI_Comm_fromint" },
        { "libmpi-no-self.so", "libmpi-no-self.so: has no ompi_mpi_comm_self" },
        { "libmpi-finalized.so", "MPI was finalized before the program ran" },
        { "libmpi-broken.so", "MPI_Query_thread: it is broken" },
    };
    char path[4096];
    library = NULL;
    ends(abort_unopened, 0, CODE);
    ends(abort_opened, 0, CODE);
    ends(abort_in_a_tasklet, 0, CODE);
    ends(stop_in_a_node, 0, CODE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool is_ours = !strncmp(bad[i][0], "libmpi-", 7);
        if (is_ours && !folder)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, bad[i][0]);
        library = is_ours ? path : bad[i][0];
        text = bad[i][1];
        child(opens_badly);
    }
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/libmpi-single.so", folder);
    child(one_thread_at_a_time);
    /* where MPI could not be started, its launcher hears of the end by a signal, unless MPI is there nevertheless */
    snprintf(path, sizeof path, "%s/libmpi-finalized.so", folder);
    ends(abort_opened, SIGTERM, 0);
    snprintf(path, sizeof path, "%s/libmpi-broken.so", folder);
    ends(abort_opened, 0, CODE);
}
