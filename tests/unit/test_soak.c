#include "tests/unit/api.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Many processes with many threads use one cache folder, while they are killed and the folder is damaged: no result is
 * wrong, nothing crashes, and as long as nobody is killed, each kernel is compiled once. Then: memory stays flat.
 *
 *     test_soak [SECONDS [CYCLES [PROCESSES [THREADS]]]]     for longer hunts */

enum { MOST_PROCESSES = 64, MOST_THREADS = 64, SIZES = 20 };

static double seconds = 4;
static int cycles = 120;
static unsigned processes = 3, threads = 2; /* in each */
static char folder[64];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned next(unsigned *seed) { return (*seed = *seed * 1103515245 + 12345) >> 16 & 0x7fff; }

/* ---- one process ---- */

struct caller {
    pthread_t thread;
    sdfg_program *program;
    unsigned seed;
    double until;
    bool wrong;
};

static void *call_often(void *data)
{
    struct caller *c = data;
    for (int i = 0; i < SIZES && !c->wrong; i++) /* every size once, then any */
        c->wrong = !axpy_call(c->program, 1 + (int)(((unsigned)i + c->seed) % SIZES));
    while (!c->wrong && now() < c->until)
        c->wrong = !axpy_call(c->program, 1 + (int)next(&c->seed) % SIZES);
    return NULL;
}

/* Threads that call with random sizes, and hardly any memory for kernels. */
static bool work(unsigned seed, double until, sdfg_stats *stats)
{
    struct caller callers[MOST_THREADS];
    sdfg_options o;
    sdfg_engine *engine;
    sdfg_program *program;
    bool ok = true;
    sdfg_options_init(&o, sizeof o);
    o.cache_dir = folder;
    o.specialize = "all";
    o.memory_bytes = 30000;
    if (!good(sdfg_engine_new(&engine, &o)) || !good(sdfg_program_load_file(&program, engine, "../examples/axpy.sdfg")))
        return false;
    for (unsigned i = 0; i < threads; i++) {
        callers[i] = (struct caller){ .program = program, .seed = seed * threads + i, .until = until };
        ok &= !pthread_create(&callers[i].thread, NULL, call_often, &callers[i]);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(callers[i].thread, NULL);
        ok &= !callers[i].wrong;
    }
    *stats = (sdfg_stats){ .struct_size = sizeof *stats };
    sdfg_program_stats(program, stats);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return ok;
}

static pid_t start(unsigned seed, double until, bool little_space, sdfg_stats *stats)
{
    fflush(stdout);
    pid_t child = fork();
    if (child)
        return child;
    sdfg_stats own;
    struct rlimit small = { 1000, 1000 };
    if (little_space)
        setrlimit(RLIMIT_FSIZE, &small);
    bool ok = work(seed, until, &own);
    if (stats)
        *stats = own;
    fflush(stdout);
    _exit(!ok);
}

/* ---- the folder ---- */

static void each_file(void (*visit)(const char *path, unsigned *seed), unsigned *seed)
{
    char path[400];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (*e->d_name != '.')
            visit(path, seed);
    }
    if (d)
        closedir(d);
}

static void drop(const char *path, unsigned *seed)
{
    (void)seed;
    unlink(path);
}

/* Some entries lose their end, some get another byte, some are gone. */
static void damage(const char *path, unsigned *seed)
{
    unsigned what = next(seed) % 8;
    int f = strstr(path, ".kernel") ? open(path, O_RDWR) : -1;
    struct stat s;
    if (f < 0)
        return;
    if (what == 0 && !fstat(f, &s) && s.st_size)
        CHECK(!ftruncate(f, next(seed) % s.st_size));
    if (what == 1 && !fstat(f, &s) && s.st_size)
        CHECK(pwrite(f, "#", 1, next(seed) % s.st_size) == 1);
    if (what == 2)
        unlink(path);
    close(f);
}

static void begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/sdfg-test-soak-XXXXXX");
    CHECK(mkdtemp(folder));
}

static void end(void)
{
    each_file(drop, NULL);
    CHECK(!rmdir(folder));
}

TEST(each_kernel_is_compiled_once)
{
    pid_t children[MOST_PROCESSES];
    sdfg_stats *stats =
        mmap(NULL, sizeof *stats * processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t compiled = 0, dropped = 0, calls = 0;
    begin();
    for (unsigned i = 0; i < processes; i++)
        children[i] = start(i, now() + seconds / 3, false, &stats[i]);
    for (unsigned i = 0; i < processes; i++) {
        int status;
        waitpid(children[i], &status, 0);
        CHECK_INT(status, 0);
        compiled += stats[i].compiled;
        dropped += stats[i].dropped;
        calls += stats[i].calls;
    }
    CHECK(compiled >= SIZES && (double)compiled <= 1.05 * SIZES);
    CHECK(dropped > SIZES && calls >= (uint64_t)processes * threads * SIZES);
    printf("%llu calls, %llu kernels dropped, %llu compiled for %d keys\n", (unsigned long long)calls,
           (unsigned long long)dropped, (unsigned long long)compiled, SIZES);
    munmap(stats, sizeof *stats * processes);
    end();
}

TEST(killed_processes_and_damaged_folders_do_no_harm)
{
    pid_t children[MOST_PROCESSES] = { 0 };
    unsigned seed = 7, kills = 0;
    begin();
    for (double until = now() + seconds; now() < until; kills++) {
        unsigned i = next(&seed) % processes;
        int status;
        if (children[i]) {
            kill(children[i], SIGKILL);
            waitpid(children[i], &status, 0);
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* it found nothing wrong until then */
        }
        children[i] = start(seed, until + 60, next(&seed) % 4 == 0, NULL);
        each_file(damage, &seed);
        CHECK(!chmod(folder, next(&seed) % 4 ? 0700 : 0500));
        usleep(1000 * (5 + next(&seed) % 60));
    }
    for (unsigned i = 0; i < processes; i++)
        if (children[i]) {
            kill(children[i], SIGKILL);
            waitpid(children[i], NULL, 0);
        }
    CHECK(!chmod(folder, 0700));
    sdfg_stats stats;
    CHECK(work(seed, now(), &stats));
    CHECK(stats.compiled <= SIZES);
    printf("%u processes killed\n", kills);
    end();
}

static size_t num_maps(void)
{
    char line[512];
    size_t n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        n++;
    if (f)
        fclose(f);
    return n;
}

static void cycle(void)
{
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    CHECK(good(sdfg_engine_new(&engine, &o)));
    program = axpy_load(engine);
    CHECK(axpy_call(program, 7));
    sdfg_program_free(program);
    sdfg_engine_free(engine);
}

/* The heap in use, by malloc's own count; sanitizers have none, and theirs maps a little more now and then. What LLVM
 * keeps for good was there after a few cycles. */
TEST(loading_and_unloading_leaves_memory_flat)
{
    for (int i = 0; i < 20; i++)
        cycle();
    size_t heap = mallinfo2().uordblks, maps = num_maps();
    for (int i = 0; i < cycles; i++)
        cycle();
    double grown = (double)mallinfo2().uordblks - (double)heap;
    printf("%d cycles: %.0f bytes more on the heap, %zu mappings, %zu before\n", cycles, grown, num_maps(), maps);
    CHECK(grown < 256.0 * cycles);
    CHECK(num_maps() <= maps + 8 + (size_t)cycles / 4); /* a mapping lost per cycle would be CYCLES */
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seconds = atof(argv[1]);
    if (argc > 2)
        cycles = atoi(argv[2]);
    if (argc > 3)
        processes = (unsigned)atoi(argv[3]);
    if (argc > 4)
        threads = (unsigned)atoi(argv[4]);
    if (!processes || processes > MOST_PROCESSES || !threads || threads > MOST_THREADS)
        return 2;
    return check_run_tests();
}
