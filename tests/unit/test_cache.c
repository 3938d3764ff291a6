#include "cache/entry.h"
#include "cache/folder.h"
#include "cache/store.h"

#include "tests/unit/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena *arena;
static char folder[64];
static const struct cache_limits roomy = { 1 << 30, 3600 };

static struct cache_store *begin(struct cache_limits limits)
{
    arena = arena_new();
    snprintf(folder, sizeof folder, "/tmp/sdfg-test-cache-XXXXXX");
    CHECK(mkdtemp(folder));
    return cache_store_new(folder, limits);
}

static void end(struct cache_store *s)
{
    struct folder_file *files;
    uint32_t count;
    const char *why;
    int f = folder_open(folder, false, NULL, &why);
    CHECK(f >= 0 && folder_list(f, arena, &files, &count));
    for (uint32_t i = 0; i < count; i++)
        unlinkat(f, files[i].name, 0);
    unlinkat(f, "CACHEDIR.TAG", 0);
    unlinkat(f, "pruned", 0);
    unlinkat(f, "locks", 0);
    close(f);
    CHECK(!rmdir(folder));
    cache_store_free(s);
    arena_free(arena);
}

static bool put(struct cache_store *s, const char *key, const char *value)
{
    return cache_put(s, key, strlen(key), value, strlen(value) + 1);
}

static const char *get(struct cache_store *s, const char *key)
{
    size_t size;
    const char *value = cache_get(s, key, strlen(key), arena, &size);
    CHECK(!value || value[size - 1] == 0);
    return value ? value : "nothing";
}

static const char *file_of(struct cache_store *s, const char *key) { return cache_path(s, key, strlen(key), arena); }

TEST(what_is_stored_is_read_by_another_process)
{
    struct cache_store *s = begin(roomy);
    CHECK_STR(get(s, "a"), "nothing");
    CHECK(put(s, "a", "one") && put(s, "b", "two") && put(s, "a", "three"));
    pid_t child = fork();
    if (!child)
        _exit(strcmp(get(cache_store_new(folder, roomy), "a"), "three") != 0);
    int status;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    CHECK_STR(get(s, "b"), "two");
    struct cache_counts c = cache_counts(s);
    CHECK_INT(c.hits, 1);
    CHECK_INT(c.misses, 1);
    CHECK_INT(c.stored, 3);
    CHECK_INT(c.troubles, 0);
    CHECK(!access(arena_printf(arena, "%s/CACHEDIR.TAG", folder), R_OK));
    end(s);
}

/* Every length and every damaged byte: nothing is read, the entry goes, and it can be stored again. */
TEST(damaged_entries_are_counted_and_removed)
{
    struct cache_store *s = begin(roomy);
    CHECK(put(s, "key", "value"));
    struct stat st;
    CHECK(!stat(file_of(s, "key"), &st));
    for (off_t at = 0; at < 2 * st.st_size; at++) {
        int f = open(file_of(s, "key"), O_RDWR);
        char byte;
        if (at < st.st_size) {
            CHECK(!ftruncate(f, at));
        } else {
            CHECK(pread(f, &byte, 1, at - st.st_size) == 1);
            byte ^= 0x20;
            CHECK(pwrite(f, &byte, 1, at - st.st_size) == 1);
        }
        close(f);
        CHECK_STR(get(s, "key"), "nothing");
        CHECK(access(file_of(s, "key"), F_OK));
        CHECK(put(s, "key", "value"));
    }
    CHECK_INT(cache_counts(s).troubles, 2 * st.st_size);
    CHECK(cache_trouble(s, (char[512]){ 0 }, 512));
    CHECK_STR(get(s, "key"), "value");
    end(s);
}

/* In an archive entries lie one behind the other: each says how long it is, and one that does not end there says 0. */
TEST(sizes_of_entries_in_archives)
{
    struct arena *a = arena_new();
    struct entry e = { (const unsigned char *)"key", (const unsigned char *)"payload", 3, 7 };
    const struct {
        size_t at;
        uint64_t value;
    } damages[] = {
        { 0, 0 }, /* the magic */
        { offsetof(struct entry_header, key_bytes), 11 },
        { offsetof(struct entry_header, key_bytes), UINT64_MAX },
        { offsetof(struct entry_header, payload_bytes), 8 },
        { offsetof(struct entry_header, payload_bytes), UINT64_MAX },
    };
    size_t size;
    unsigned char *bytes = entry_build(a, &e, &size), *longer = arena_alloc(a, size + 5);
    memcpy(longer, bytes, size);
    CHECK_INT(entry_size(longer, size + 5), size);
    for (size_t n = 0; n < size; n++)
        CHECK_INT(entry_size(bytes, n), 0);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        memcpy(longer, bytes, size);
        memcpy(longer + damages[i].at, &damages[i].value, sizeof damages[i].value);
        CHECK_INT(entry_size(longer, size), 0);
    }
    arena_free(a);
}

/* As if two keys had the same hash. */
TEST(the_whole_key_is_compared)
{
    struct cache_store *s = begin(roomy);
    CHECK(put(s, "key", "value"));
    CHECK(!rename(file_of(s, "key"), file_of(s, "other")));
    CHECK_STR(get(s, "other"), "nothing");
    CHECK_INT(cache_counts(s).troubles, 0);
    end(s);
}

TEST(what_others_may_write_is_not_trusted)
{
    struct cache_store *s = begin(roomy);
    CHECK(put(s, "key", "value"));
    CHECK(!chmod(folder, 0777));
    CHECK_STR(get(s, "key"), "nothing");
    CHECK(!put(s, "key", "value"));
    CHECK(!chmod(folder, 0700));
    CHECK(!chmod(file_of(s, "key"), 0666));
    CHECK_STR(get(s, "key"), "nothing");
    CHECK_INT(cache_counts(s).troubles, 3);
    CHECK(put(s, "key", "value"));
    CHECK(!unlink(file_of(s, "key")) && !symlink("/etc/passwd", file_of(s, "key")));
    CHECK_STR(get(s, "key"), "nothing");
    end(s);
}

TEST(folders_that_cannot_be_used)
{
    struct cache_store *s = begin(roomy);
    struct cache_store *below_file = cache_store_new("/proc/self/status/cache", roomy);
    CHECK(!put(below_file, "key", "value"));
    CHECK_STR(get(below_file, "key"), "nothing");
    CHECK(cache_counts(below_file).troubles >= 1 && cache_trouble(below_file, (char[512]){ 0 }, 512));
    cache_store_free(below_file);
    struct cache_store *deep = cache_store_new(arena_printf(arena, "%s/a/b", folder), roomy);
    CHECK_STR(get(deep, "key"), "nothing");
    CHECK_INT(cache_counts(deep).troubles, 0); /* not there yet is no trouble */
    CHECK(put(deep, "key", "value"));
    CHECK_STR(get(deep, "key"), "value");
    CHECK(!unlink(cache_path(deep, "key", 3, arena)));
    CHECK(!unlink(arena_printf(arena, "%s/a/b/CACHEDIR.TAG", folder)));
    CHECK(!unlink(arena_printf(arena, "%s/a/b/pruned", folder)));
    CHECK(!rmdir(arena_printf(arena, "%s/a/b", folder)) && !rmdir(arena_printf(arena, "%s/a", folder)));
    cache_store_free(deep);
    end(s);
}

/* Who may write a folder above may exchange what is in it. */
TEST(folders_below_those_of_others)
{
    struct cache_store *s = begin(roomy);
    const char *why;
    char below[96], deeper[128];
    snprintf(below, sizeof below, "%s/below", folder);
    snprintf(deeper, sizeof deeper, "%s/deeper", below);
    CHECK(!mkdir(below, 0700) && !mkdir(deeper, 0700));
    int f = folder_open(deeper, false, NULL, &why);
    CHECK(f >= 0);
    close(f);
    CHECK(!chmod(folder, 0777) && folder_open(deeper, false, NULL, &why) < 0);
    CHECK(strstr(why, "above"));
    CHECK(!chmod(folder, 01777) && (f = folder_open(deeper, false, NULL, &why)) >= 0); /* sticky */
    close(f);
    CHECK(!chmod(folder, 0700) && !chmod(below, 0770) && folder_open(deeper, false, NULL, &why) < 0);
    CHECK(!rmdir(deeper) && !rmdir(below));
    end(s);
}

/* One look at the folders above is enough for a store, whatever opens its folder next. */
TEST(folders_above_are_looked_at_once)
{
    struct cache_store *s = begin(roomy), *inner, *later;
    struct cache_lock lock;
    size_t size;
    char below[96];
    snprintf(below, sizeof below, "%s/below", folder);
    CHECK(!mkdir(below, 0700) && (inner = cache_store_new(below, roomy)) && (later = cache_store_new(below, roomy)));
    CHECK(!cache_look(inner, "key", 3, arena, &size));
    CHECK(!chmod(folder, 0777));
    CHECK(!cache_lock(inner, "key", 3, &lock) && lock.file);
    cache_unlock(&lock);
    CHECK(!cache_lock(later, "key", 3, &lock) && !lock.file);
    CHECK(!chmod(folder, 0700));
    cache_store_free(inner);
    cache_store_free(later);
    const char *why;
    int f = folder_open(below, false, NULL, &why);
    CHECK(f >= 0 && !unlinkat(f, "CACHEDIR.TAG", 0) && !unlinkat(f, "locks", 0) && !close(f) && !rmdir(below));
    end(s);
}

/* Root may give things away; as another user this is not tested. */
TEST(what_belongs_to_others_is_not_trusted)
{
    enum { NOBODY = 65534 };
    const char *why;
    char below[96];
    if (geteuid())
        return;
    struct cache_store *s = begin(roomy);
    CHECK(put(s, "key", "value"));
    CHECK(!chown(file_of(s, "key"), NOBODY, NOBODY));
    CHECK_STR(get(s, "key"), "nothing");
    CHECK(cache_trouble(s, (char[512]){ 0 }, 512));
    snprintf(below, sizeof below, "%s/below", folder);
    CHECK(!mkdir(below, 0700) && !chown(folder, NOBODY, NOBODY));
    CHECK(folder_open(folder, false, NULL, &why) < 0 && strstr(why, "it belongs"));
    CHECK(folder_open(below, false, NULL, &why) < 0 && strstr(why, "above"));
    CHECK(!chown(folder, 0, 0) && !rmdir(below));
    end(s);
}

TEST(files_that_are_no_entries)
{
    struct cache_store *s = begin(roomy);
    char said[512], path[256];
    struct timespec long_ago[2] = { { time(NULL) - 100000, 0 }, { time(NULL) - 100000, 0 } };
    struct stat st;
    CHECK(put(s, "key", "value") && !utimensat(AT_FDCWD, file_of(s, "key"), long_ago, 0));
    CHECK_STR(get(s, "key"), "value"); /* and is in use again, for pruning */
    CHECK(!stat(file_of(s, "key"), &st) && time(NULL) - st.st_mtime < 1000);
    CHECK(!truncate(file_of(s, "key"), (off_t)ENTRY_MOST_BYTES + 1)); /* of zeros, which no disk holds */
    CHECK_STR(get(s, "key"), "nothing");
    CHECK(cache_trouble(s, said, sizeof said) && strstr(said, "it is too large"));
    CHECK(!mkdir(file_of(s, "key"), 0700));
    CHECK_STR(get(s, "key"), "nothing");
    CHECK(cache_trouble(s, said, sizeof said) && strstr(said, file_of(s, "key")));
    CHECK(!put(s, "key", "value")); /* cannot take its place */
    CHECK(!rmdir(file_of(s, "key")));
    /* What a process has left that died while it wrote goes after an hour; what is no file or has another name stays.
     */
    const char *const left[] = { "tmp-1-2-3", "tmp-4-5-6", ".kernel", "other" };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, left[i]);
        int f = open(path, O_WRONLY | O_CREAT, 0600);
        CHECK(f >= 0 && (i == 1 || !futimens(f, long_ago)) && !close(f));
    }
    snprintf(path, sizeof path, "%s/a.kernel", folder);
    CHECK(!mkdir(path, 0700));
    const char *why;
    int f = folder_open(folder, false, NULL, &why);
    CHECK_INT(folder_prune(f, (struct cache_limits){ 1 << 20, 3600 }), 1);
    CHECK(faccessat(f, left[0], F_OK, 0));
    for (size_t i = 1; i < sizeof left / sizeof *left; i++)
        CHECK(!unlinkat(f, left[i], 0));
    CHECK_INT(folder_prune(-1, roomy), 0);
    CHECK(!rmdir(path) && !close(f));
    end(s);
    cache_store_free(NULL);
}

/* What is stored is counted, and rejected entries go, with what was wrong with them. */
TEST(entries_that_are_rejected)
{
    struct cache_store *s = begin(roomy), *gone = cache_store_new("/proc/self/status/cache", roomy);
    char said[512];
    CHECK(!cache_trouble(s, said, sizeof said));
    CHECK(put(s, "key", "value"));
    cache_reject(s, "key", 3, "it is of another program");
    CHECK(cache_trouble(s, said, sizeof said) && strstr(said, "it is of another program"));
    CHECK(access(file_of(s, "key"), F_OK));
    cache_reject(gone, "key", 3, "it is not there");
    CHECK(cache_trouble(gone, said, sizeof said) && strstr(said, "it is not there"));
    CHECK(!cache_put(s, "key", 3, "", ENTRY_MOST_BYTES)); /* refused before it is read */
    cache_store_free(gone);
    end(s);
}

/* A process without standard input: the file of locks is another one than 0, which says that nothing is locked. */
static int lock_without_input(struct cache_store *s)
{
    struct cache_lock lock;
    close(0);
    bool there = cache_lock(s, "key", 3, &lock), good = !there && lock.file > 0;
    cache_unlock(&lock);
    return good && !put(s, "key", "value") ? 1 : !good;
}

TEST(locks_without_standard_input)
{
    struct cache_store *s = begin(roomy);
    int status;
    pid_t child = fork();
    if (!child)
        _exit(lock_without_input(s));
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    CHECK_STR(get(s, "key"), "value");
    end(s);
}

/* A pipe in place of an entry, or of the files of the store, is neither waited for nor read. */
TEST(pipes_are_skipped)
{
    struct cache_store *s = begin(roomy);
    char path[256];
    CHECK(put(s, "a", "one"));
    snprintf(path, sizeof path, "%s", cache_path(s, "a", 1, arena));
    CHECK(!unlink(path) && !mkfifo(path, 0600));
    CHECK_STR(get(s, "a"), "nothing");
    unlink(path);
    snprintf(path, sizeof path, "%s/pruned", folder);
    unlink(path);
    CHECK(!mkfifo(path, 0600));
    CHECK(put(s, "b", "two"));
    CHECK_STR(get(s, "b"), "two");
    end(s);
}

TEST(a_limit_for_files_is_no_signal)
{
    struct cache_store *s = begin(roomy);
    struct rlimit old, small = { 1000, RLIM_INFINITY };
    CHECK(!getrlimit(RLIMIT_FSIZE, &old));
    small.rlim_max = old.rlim_max;
    char *large = arena_alloc(arena, 10000);
    CHECK(!setrlimit(RLIMIT_FSIZE, &small));
    CHECK(!cache_put(s, "key", 3, large, 10000));
    CHECK(put(s, "little", "value"));
    CHECK(!setrlimit(RLIMIT_FSIZE, &old));
    CHECK_STR(get(s, "key"), "nothing");
    CHECK_STR(get(s, "little"), "value");
    CHECK_INT(cache_counts(s).troubles, 1);
    end(s);
}

TEST(old_entries_go_when_there_are_too_many)
{
    struct cache_store *s = begin((struct cache_limits){ 8000, 3600 });
    char value[1001] = { 0 };
    for (int i = 0; i < 20; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        memset(value, 'a' + i, 1000);
        CHECK(put(s, key, value));
        struct timespec times[2] = { { time(NULL) - 1000 + i, 0 }, { time(NULL) - 1000 + i, 0 } };
        CHECK(!utimensat(AT_FDCWD, file_of(s, key), times, 0));
    }
    CHECK_STR(get(s, "0"), "nothing");
    CHECK(*get(s, "19") == 'a' + 19);
    CHECK(cache_counts(s).removed >= 12);
    struct timespec long_ago[2] = { { time(NULL) - 5000, 0 }, { time(NULL) - 5000, 0 } };
    CHECK(!utimensat(AT_FDCWD, file_of(s, "19"), long_ago, 0));
    const char *why;
    int f = folder_open(folder, false, NULL, &why);
    folder_prune(f, (struct cache_limits){ 1 << 20, 3600 });
    close(f);
    CHECK_STR(get(s, "19"), "nothing");
    CHECK(*get(s, "18") == 'a' + 18);
    end(s);
}

/* The lock of a key is one process's, and ends with it. */
TEST(locks_keep_processes_apart)
{
    struct cache_store *s = begin(roomy);
    int ready[2], status;
    char byte;
    CHECK(!pipe(ready));
    pid_t child = fork();
    if (!child) {
        struct cache_lock lock;
        bool there = cache_lock(s, "key", 3, &lock);
        if (there || !lock.file || write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(50000);
        put(s, "key", "value");
        pause(); /* with the lock */
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    struct cache_lock lock, other;
    CHECK(!cache_lock(s, "other", 5, &other) && other.file); /* nobody has that */
    cache_unlock(&other);
    CHECK(cache_lock(s, "key", 3, &lock) && !lock.file); /* waits until the entry is there, not for the lock */
    CHECK_STR(get(s, "key"), "value");
    CHECK(!unlink(file_of(s, "key")));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    CHECK(!cache_lock(s, "key", 3, &lock) && lock.file);
    struct cache_store *nowhere = cache_store_new("/proc/self/status/cache", roomy);
    CHECK(!cache_lock(nowhere, "key", 3, &other) && !other.file);
    CHECK_INT(cache_counts(nowhere).troubles, 0);
    cache_store_free(nowhere);
    cache_unlock(&lock);
    cache_unlock(&lock);
    close(ready[0]);
    close(ready[1]);
    end(s);
}

/* Writers and readers of the same few keys, killed at random: every value read is one that was stored under its key. */
static void hammer(unsigned seed)
{
    struct cache_store *s = cache_store_new(folder, (struct cache_limits){ 200000, 3600 });
    char key[16];
    for (;;) {
        seed = seed * 1103515245 + 12345;
        unsigned k = seed >> 16 & 7, size = 1 + (seed >> 8 & 0x7fff);
        snprintf(key, sizeof key, "key %u", k);
        struct arena *a = arena_new();
        size_t got;
        const unsigned char *value = cache_get(s, key, strlen(key), a, &got);
        for (size_t i = 0; value && i < got; i++)
            if (value[i] != 'A' + k)
                _exit(3);
        unsigned char *fresh = arena_alloc(a, size);
        memset(fresh, (int)('A' + k), size);
        cache_put(s, key, strlen(key), fresh, size);
        arena_free(a);
        if (cache_counts(s).troubles)
            _exit(4);
    }
}

TEST(processes_that_are_killed_leave_nothing_wrong)
{
    enum { PROCESSES = 4, KILLS = 60 };
    struct cache_store *s = begin(roomy);
    pid_t children[PROCESSES] = { 0 };
    for (unsigned i = 0; i < KILLS; i++) {
        pid_t *child = &children[i % PROCESSES];
        int status;
        if (*child) {
            kill(*child, SIGKILL);
            waitpid(*child, &status, 0);
            CHECK(WIFSIGNALED(status)); /* it found nothing wrong until then */
        }
        *child = fork();
        if (!*child)
            hammer(i);
        usleep(10000 + 777 * i);
    }
    for (int i = 0; i < PROCESSES; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    for (char k = 0; k < 8; k++) {
        const char *key = arena_printf(arena, "key %d", k);
        size_t size;
        const char *value = cache_get(s, key, strlen(key), arena, &size);
        CHECK(!value || (size && value[0] == 'A' + k && value[size - 1] == 'A' + k));
    }
    CHECK_INT(cache_counts(s).troubles, 0);
    end(s);
}

CHECK_MAIN
