#include "base/arena.h"
#include "tests/unit/api.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The disk cache as callers see it. The tests run in the folder tests/. */

static char folder[64];

static void begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/sdfg-test-warm-XXXXXX");
    CHECK(mkdtemp(folder));
}

/* Calls `visit` for every entry. */
static int each_entry(void (*visit)(const char *path))
{
    DIR *d = opendir(folder);
    int count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!strstr(e->d_name, ".kernel"))
            continue;
        count++;
        if (visit)
            visit(path);
    }
    if (d)
        closedir(d);
    return count;
}

static void drop(const char *path) { unlink(path); }

static void end(void)
{
    char path[128];
    each_entry(drop);
    static const char *const others[] = { "CACHEDIR.TAG", "pruned", "locks" };
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, others[i]);
        unlink(path);
    }
    CHECK(!rmdir(folder));
}

static bool was_ready; /* what the last run was told before it */

/* A scale of axpy with N = n; whether the code came from disk. `change` alters the options. */
static bool run(void (*change)(sdfg_options *o), int n, sdfg_cache_info *info)
{
    sdfg_options o;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    sdfg_bound *bound;
    static _Alignas(64) double x[64], y[64];
    sdfg_options_init(&o, sizeof o);
    o.cache_dir = folder;
    o.num_threads = 2;
    if (change)
        change(&o);
    CHECK(good(sdfg_engine_new(&engine, &o)));
    program = axpy_load(engine);
    CHECK(good(sdfg_args_new(&args, program)));
    for (int i = 0; i < 64; i++) {
        x[i] = i;
        y[i] = 1;
    }
    CHECK(good(sdfg_args_array(args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    CHECK(good(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    for (size_t i = 0; i < sdfg_program_num_arguments(program); i++) {
        sdfg_argument a = { .struct_size = sizeof a };
        CHECK(sdfg_program_argument(program, i, &a));
        if (a.kind == SDFG_KIND_SCALAR)
            CHECK(good(sdfg_args_f64(args, a.name, 3)));
    }
    was_ready = sdfg_args_ready(args);
    CHECK(good(sdfg_bind(&bound, program, args)));
    CHECK(good(sdfg_bound_call(bound)));
    for (int i = 0; i < n; i++)
        CHECK(y[i] == 3.0 * i + 1);
    sdfg_kernel_info kernel = { .struct_size = sizeof kernel };
    sdfg_kernel_describe(sdfg_bound_kernel(bound), &kernel);
    CHECK(strstr(kernel.origin, kernel.from_disk ? "read from" : "compiled"));
    *info = (sdfg_cache_info){ .struct_size = sizeof *info };
    sdfg_engine_cache(engine, info);
    bool from_disk = kernel.from_disk;
    sdfg_bound_free(bound);
    sdfg_args_free(args);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return from_disk;
}

static bool maps_have(const char *part)
{
    char line[512];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        found |= strstr(line, part) != NULL;
    if (f)
        fclose(f);
    return found;
}

/* Runs in a process of its own, so that this one never opens the code generator. */
static int in_child(int (*what)(void))
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        _exit(what());
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int compile_first(void)
{
    sdfg_cache_info info;
    bool hit = run(NULL, 40, &info);
    return hit || info.stored != 1 || info.troubles || check_failures || !maps_have("libsdfg-codegen");
}

static int read_second(void)
{
    sdfg_cache_info info;
    bool hit = run(NULL, 40, &info);
    return !hit || info.hits != 1 || check_failures || maps_have("libsdfg-codegen") || maps_have("LLVM");
}

TEST(a_second_process_starts_without_llvm)
{
    begin();
    CHECK_INT(in_child(compile_first), 0);
    CHECK_INT(in_child(read_second), 0);
    CHECK_INT(each_entry(NULL), 2); /* the kernel, and what the program takes */
    end();
}

static void ignore_timings(void *user, const sdfg_timing *timings, size_t count)
{
    (void)user, (void)timings, (void)count;
}

/* Another value for each option that changes code, from the table that the key is made of. */
#define CODE(field, name, type)                                                                                        \
    static void flip_##field(sdfg_options *o)                                                                          \
    {                                                                                                                  \
        o->field = _Generic((o->field), sdfg_timing_function * : ignore_timings, const char * : "data", default : 1);  \
    }
#define WATCH(field, name, type, why)
#define OTHER(field)
#include "engine/options.def"

#define CODE(field, name, type) flip_##field,
#define WATCH(field, name, type, why)
#define OTHER(field)
static void (*const changes[])(sdfg_options *) = {
    NULL,
#include "engine/options.def"
};
enum { NUM_CHANGES = sizeof changes / sizeof *changes };

static void generic(sdfg_options *o) { o->specialize = "none"; }
static void no_cache(sdfg_options *o) { o->cache_dir = NULL; }
static void debug_info(sdfg_options *o) { o->debug_info = true; }
static void orc(sdfg_options *o) { o->linker = SDFG_LINKER_ORC; }
static void watched(sdfg_options *o) { o->dump_after = "lower"; }

TEST(every_option_is_in_the_table)
{
    struct field {
        size_t offset, size, alignment;
    } fields[] = {
#define FIELD(f)                                                                                                       \
    {                                                                                                                  \
        offsetof(sdfg_options, f), sizeof((sdfg_options *)0)->f, __alignof__(((sdfg_options *)0)->f)                   \
    }
#define CODE(field, name, type)       FIELD(field),
#define WATCH(field, name, type, why) FIELD(field),
#define OTHER(field)                  FIELD(field),
#include "engine/options.def"
    };
    size_t end = 0, count = sizeof fields / sizeof *fields;
    for (size_t next = 0; next < count; next++) { /* there is no place between two fields for another one */
        size_t i = 0;
        while (i < count &&
               fields[i].offset != (end + fields[i].alignment - 1) / fields[i].alignment * fields[i].alignment)
            i++;
        CHECK(i < count);
        end = i < count ? fields[i].offset + fields[i].size : end;
    }
    CHECK(sizeof(sdfg_options) - end < 8);
}

TEST(everything_that_changes_code_is_in_the_key)
{
    sdfg_cache_info info;
    begin();
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < NUM_CHANGES; i++) {
            CHECK_INT(run(changes[i], 40, &info), round);
            CHECK_INT(was_ready, round);
        }
    CHECK(!run(NULL, 41, &info)); /* another size, another constant */
    CHECK(!run(generic, 41, &info));
    CHECK(run(generic, 42, &info));
    CHECK(!run(no_cache, 40, &info) && !info.folder && info.off);
    CHECK(!run(debug_info, 40, &info) && strstr(info.off, "line information"));
    CHECK(!run(orc, 40, &info) && strstr(info.off, "linker"));
    CHECK(!run(watched, 40, &info) && strstr(info.off, "watched"));
    CHECK_INT(each_entry(NULL), NUM_CHANGES + 3);
    end();
}

static void watched_by_perf(sdfg_options *o) { o->profiler = true; }

static int compile_announced(void)
{
    char path[64];
    sdfg_cache_info info;
    bool read = run(watched_by_perf, 40, &info);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    return read || unlink(path) || check_failures;
}

/* Code from disk is announced like code that was compiled. */
static int read_announced(void)
{
    char path[64], line[256];
    sdfg_cache_info info;
    bool found = false, read = run(watched_by_perf, 40, &info);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        found |= strstr(line, " sdfg_main\n") != NULL;
    if (f)
        fclose(f);
    unlink(path);
    return !read || !found || check_failures;
}

TEST(profilers_see_code_from_disk)
{
    begin();
    CHECK_INT(in_child(compile_announced), 0);
    CHECK_INT(in_child(read_announced), 0);
    end();
}

/* Many processes that miss the same kernel at once. */
static int compile_or_wait(void)
{
    sdfg_cache_info info;
    usleep(20000); /* all are there */
    bool read = run(NULL, 40, &info);
    return check_failures ? 3 : info.troubles ? 2 : read ? 0 : 1;
}

TEST(processes_compile_a_kernel_once)
{
    enum { PROCESSES = 8 };
    pid_t children[PROCESSES];
    int compiled = 0;
    begin();
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (!children[i])
            _exit(compile_or_wait());
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        compiled += WEXITSTATUS(status);
    }
    CHECK_INT(compiled, 1);
    end();
}

/* Another payload in a whole file: as if a writer of ours had a fault. */
static void damage(const char *path)
{
    FILE *f = fopen(path, "r+");
    CHECK(f && !fseek(f, -1, SEEK_END) && fputc(0x55, f) == 0x55 && !fclose(f));
}

TEST(a_damaged_entry_is_compiled_again)
{
    sdfg_cache_info info;
    begin();
    CHECK(!run(NULL, 40, &info));
    each_entry(damage);
    CHECK(!run(NULL, 40, &info));
    CHECK(info.troubles == 2 && *info.trouble); /* the kernel, and what the program takes */
    CHECK(run(NULL, 40, &info));
    CHECK_INT(info.troubles, 0);
    CHECK(!chmod(folder, 0777));
    CHECK(!run(NULL, 40, &info));
    CHECK(info.troubles >= 1 && strstr(info.trouble, "others may write"));
    CHECK(!chmod(folder, 0700));
    end();
}

CHECK_MAIN
