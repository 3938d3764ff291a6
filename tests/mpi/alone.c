/* Messages in a world of one process (docs/mpi.md): without a library, where the process is the whole world; and with
 * MPICH by libmpi-faulty.so, which SDFG_MPI_FAULTY names, waiting with the processor and without. The results are the
 * same. Then each call of the library fails once, and each allocation: there is an error that says so, or the right
 * result, and afterwards all is well again. A call that has failed before does nothing. */
#include "tests/mpi/alone.h"

#ifdef WITH_FAIL
#include "tests/fail/interpose.h"
#endif

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int failures;

struct sdfg_rt_context *begin(struct call *c)
{
    *c = (struct call){ .context.num_threads = 1 };
    c->context.mpi = &c->mpi;
    return &c->context;
}

static void run_all(void)
{
    struct call c;
    CHECK(moved_blocks(begin(&c)) && !c.context.error);
    for (const struct scenario *s = scenarios; s->name; s++)
        if (!s->run(begin(&c)) || c.context.error) {
            printf("%s: wrong, or %s\n", s->name, c.mpi.trouble);
            failures++;
        }
}

static void refuse_all(const struct refusal *list)
{
    struct call c;
    for (const struct refusal *r = list; r->text; r++) {
        r->run(begin(&c));
        if (!c.context.error || !strstr(c.mpi.trouble, r->text) || !strstr(c.mpi.trouble, ", at " WHERE)) {
            printf("not refused with '%s' but '%s'\n", r->text, c.mpi.trouble);
            failures++;
        }
    }
}

/* Nothing is done, and the first error stays. */
static void failed_before(void)
{
    struct call c;
    for (const struct scenario *s = scenarios; s->name; s++) {
        begin(&c)->error = SDFG_RT_BAD_VALUE;
        s->run(&c.context);
        CHECK(c.context.error == SDFG_RT_BAD_VALUE && !c.mpi.trouble[0]);
    }
    for (const struct refusal *r = refusals; r->text; r++) {
        begin(&c)->error = SDFG_RT_BAD_VALUE;
        r->run(&c.context);
        CHECK(c.context.error == SDFG_RT_BAD_VALUE && !c.mpi.trouble[0]);
    }
    c.context.mpi = NULL; /* nobody hears why */
    c.context.error = SDFG_RT_OK;
    refusals[0].run(&c.context);
    CHECK(c.context.error == SDFG_RT_BAD_VALUE);
    begin(&c)->error = SDFG_RT_MPI;
    sdfg_rt_mpi_stop(&c.context, WHERE, NULL, 3);
    CHECK(sdfg_rt_MPI_Abort(&c.context, WHERE, WORLD, 3));
    CHECK(!sdfg_rt_mpi_comm_of(&c.context, WHERE, NULL));
    CHECK(!sdfg_rt_mpi_handle(&c.context, WHERE, 0));
    CHECK(sdfg_rt_mpi_me(&c.context, WHERE, NULL) == 0 && sdfg_rt_mpi_processes(&c.context, WHERE, NULL) == 1);
}

static void of_the_process(void)
{
    int rank = -1, size = -1;
    int64_t least = 0;
    char trouble[SDFG_RT_MPI_TROUBLE] = "";
    CHECK(sdfg_rt_mpi_world(&rank, &size, trouble) && rank == 0 && size == 1);
    CHECK(sdfg_rt_mpi_least(7, &least, trouble) && least == 7);
    CHECK(!sdfg_rt_mpi_waits(trouble, sizeof trouble));
    CHECK(!sdfg_rt_mpi_launched());
}

/* ---- failures ---- */

#ifdef WITH_FAIL
static void fail_allocations(void)
{
    struct call c;
    for (const struct scenario *s = scenarios; s->name; s++)
        for (long k = 1, done = 0; !done; k++) {
            long before = fail_live();
            fail_at(k, false);
            bool right = s->run(begin(&c));
            done = !fail_failed();
            fail_at(0, false);
            if (c.context.error ? c.context.error != SDFG_RT_OUT_OF_MEMORY || !*c.mpi.trouble : !right) {
                printf("%s: allocation %ld: error %d, %s\n", s->name, k, (int)c.context.error, c.mpi.trouble);
                failures++;
            }
            s->run(begin(&c)); /* takes the messages that were not received */
            CHECK(s->run(begin(&c)) && !c.context.error);
            if (fail_live() - before > s->keeps) {
                printf("%s: allocation %ld: %ld blocks stay\n", s->name, k, fail_live() - before);
                failures++;
            }
        }
}
#endif

static void alone(void)
{
    unsetenv("SDFG_MPI");
    run_all();
    of_the_process();
    refuse_all(refusals);
    refuse_all(refusals_alone);
    failed_before();
#ifdef WITH_FAIL
    fail_allocations();
#endif
    run_all();
}

static long (*fault_at)(long number); /* the call with that number from now on fails; calls since the last time */

static void fail_calls(const struct scenario *s)
{
    struct call c;
    int refused = 0;
    for (long k = 1, done = 0; !done; k++) {
        fault_at(k);
        bool right = s->run(begin(&c));
        done = fault_at(0) < k;
        refused += c.context.error != 0;
        if (c.context.error ? c.context.error != SDFG_RT_MPI || !strstr(c.mpi.trouble, "MPI_") : !right) {
            printf("%s: call %ld: error %d, %s\n", s->name, k, (int)c.context.error, c.mpi.trouble);
            failures++;
        }
        if (!s->run(begin(&c)) || c.context.error) {
            printf("%s: after call %ld: wrong, or %s\n", s->name, k, c.mpi.trouble);
            failures++;
            return;
        }
    }
    CHECK(refused);
}

static bool has_library(void)
{
    int rank, size;
    char trouble[SDFG_RT_MPI_TROUBLE];
    if (!sdfg_rt_mpi_world(&rank, &size, trouble)) { /* no MPICH */
        printf("skipped: %s\n", trouble);
        return false;
    }
    void *library = dlopen(getenv("SDFG_MPI"), RTLD_NOW | RTLD_NOLOAD), *f = dlsym(library, "faulty_at");
    memcpy(&fault_at, &f, sizeof f);
    CHECK(f);
    return f;
}

static void with_library(void)
{
    if (!has_library())
        return;
    of_the_process();
    run_all();
    refuse_all(refusals);
    refuse_all(refusals_with_library);
    failed_before();
    for (const struct scenario *s = scenarios; s->name; s++)
        fail_calls(s);
    run_all();
}

/* Code of a program that ends behind MPI does nothing, and the end of the process does not end MPI once more. */
static void finalized_since(void)
{
    struct call c;
    int (*finalize)(void);
    if (!has_library())
        return;
    void *f = dlsym(dlopen(getenv("SDFG_MPI"), RTLD_NOW | RTLD_NOLOAD), "MPI_Finalize");
    memcpy(&finalize, &f, sizeof f);
    CHECK(!sdfg_rt_MPI_Barrier(begin(&c), WHERE, WORLD));
    CHECK(!finalize());
    CHECK(sdfg_rt_MPI_Barrier(begin(&c), WHERE, WORLD) && !c.context.error);
    exit(failures != 0);
}

/* A library that is no ScaLAPACK is refused by whoever names it; others do without. */
static void without_scalapack(void)
{
    struct call c;
    if (!has_library())
        return;
    setenv("SDFG_SCALAPACK", "libm.so.6", 1);
    for (int i = 0; i < 2; i++) {
        multiplied_matrices(begin(&c));
        CHECK(c.context.error == SDFG_RT_MPI);
        CHECK(strstr(c.mpi.trouble, "SDFG_SCALAPACK=libm.so.6 cannot be opened, or is no ScaLAPACK"));
    }
    setenv("SDFG_SCALAPACK", "none", 1);
    CHECK(multiplied_matrices(begin(&c)) && !c.context.error);
    setenv("SDFG_SCALAPACK", "", 1);
    CHECK(multiplied_matrices(begin(&c)) && !c.context.error);
}

static long which;

static void moved_badly(void)
{
    struct call c;
    if (!has_library())
        return;
    fault_at(0);
    CHECK(moved_blocks(begin(&c)) && !c.context.error);
    long calls = fault_at(which);
    moved_blocks(begin(&c));
    CHECK(which > calls || (c.context.error == SDFG_RT_MPI && strstr(c.mpi.trouble, "MPI_")));
}

/* Each call with which the library is started fails: the process has no MPI, and says why; or it does without. */
static void starts_badly(void)
{
    int rank = -1, size = -1;
    char trouble[SDFG_RT_MPI_TROUBLE] = "";
    void *library = dlopen(getenv("SDFG_MPI"), RTLD_NOW | RTLD_GLOBAL),
         *f = library ? dlsym(library, "faulty_at") : NULL;
    void *there = dlopen("libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
    if (!f || !there)
        return;
    memcpy(&fault_at, &f, sizeof f);
    fault_at(which);
    bool good = sdfg_rt_mpi_world(&rank, &size, trouble);
    long calls = fault_at(0);
    CHECK(rank == 0 && size == 1 && (good || strstr(trouble, "MPI_")));
    CHECK(!good || calls >= 5); /* initialized? finalized? thread level, rank, size */
    if (good)
        return;
    struct call c;
    sdfg_rt_mpi_barrier(begin(&c), WHERE, NULL); /* which tries again */
    CHECK(!c.context.error || strstr(c.mpi.trouble, "MPI_"));
}

static void least_fails(void)
{
    int64_t least = 0;
    char trouble[SDFG_RT_MPI_TROUBLE] = "";
    if (!has_library())
        return;
    for (long k = 1; k < 3; k++) {
        fault_at(k);
        CHECK(!sdfg_rt_mpi_least(3, &least, trouble) && strstr(trouble, "MPI_Iallreduce"));
        fault_at(0);
    }
    CHECK(sdfg_rt_mpi_least(3, &least, trouble) && least == 3);
}

void child(void (*run)(void))
{
    int status = -1;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        failures = 0;
        run();
        fflush(stdout);
        _exit(failures != 0);
    }
    waitpid(pid, &status, 0);
    if (status)
        printf("a process ends with status %#x\n", (unsigned)status);
    failures += status != 0;
}

int main(int argc, char **argv)
{
    static const char *const launchers[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "PMIX_RANK" };
    const char *faulty = getenv("SDFG_MPI_FAULTY");
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        unsetenv(launchers[i]);
    child(alone);
    odd_libraries(argc > 1 ? argv[1] : NULL);
    for (int yields = 0; faulty && yields < 2; yields++) {
        setenv("SDFG_MPI", faulty, 1);
        setenv("SDFG_MPI_YIELD", yields ? "1" : "0", 1);
        child(with_library);
        for (which = 1; which <= 3; which++) /* it sends, receives and waits */
            child(moved_badly);
    }
    unsetenv("SDFG_MPI_YIELD");
    if (faulty) {
        child(finalized_since);
        child(without_scalapack);
    }
    for (which = 1; faulty && which <= 7; which++) {
        setenv("SDFG_MPI", faulty, 1);
        setenv("SDFG_MPI_GPU", which % 2 ? "1" : "0", 1);
        child(starts_badly);
    }
    if (faulty) {
        unsetenv("SDFG_MPI_GPU");
        child(least_fails);
    }
    return failures != 0;
}
