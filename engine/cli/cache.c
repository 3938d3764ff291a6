/* sdfg-cache: looks after the folder of compiled kernels (docs/cache.md). */
#include "base/text.h"
#include "cache/entry.h"
#include "cache/folder.h"
#include "cache/objects.h"
#include "engine/cli/command.h"
#include "engine/cli/file.h"
#include "engine/cli/memory.h"
#include "engine/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listing {
    struct arena *arena;
    const char *path;
    int folder; /* -1: it is not there */
    struct folder_file *files;
    uint32_t count;
};

static const char help[] =
    "usage: sdfg-cache COMMAND [--cache=DIR]\n"
    "\n"
    "  ls                 entries with size, days since the last use, what they were compiled for, and their objects\n"
    "  stat               number and size of entries, and of files that are being written\n"
    "  gc [BYTES [DAYS]]  removes what is over the limits (512 MiB, 90 days)\n"
    "  verify             reads every entry; exit code 1 if one is damaged\n"
    "  clear              removes all entries\n"
    "  export FILE        writes all good entries into one file\n"
    "  import FILE        stores the entries of such a file; only from whom you trust: they are code\n";

static int usage(void)
{
    fputs(help, stderr);
    return EXIT_USAGE;
}

static uint64_t total_bytes(const struct listing *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->count; i++)
        bytes += l->files[i].bytes;
    return bytes;
}

/* The entry in a file; false with *why. */
static bool load(const struct listing *l, const char *name, struct arena *a, struct entry *out, const char **why)
{
    struct stat st;
    int file = openat(l->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *why = "cannot be read";
    bool ok = file >= 0 && !fstat(file, &st) && S_ISREG(st.st_mode) && st.st_size <= ENTRY_MOST_BYTES;
    if (ok) {
        unsigned char *bytes = arena_alloc(a, (size_t)st.st_size + 1);
        ssize_t size = read(file, bytes, (size_t)st.st_size);
        ok = size >= 0 && entry_parse(bytes, (size_t)size, out, why);
    }
    if (file >= 0)
        close(file);
    return ok;
}

/* The lines of a key that tell kernels apart, on one line. */
static void add_key(struct text *row, const struct entry *e)
{
    static const char *const shown[] = { "choice ",  "interface ", "name ",  "program ",
                                         "options ", "passes ",    "bound ", "alias " };
    const char *at = (const char *)e->key, *end = at + e->key_bytes;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end : end) - at);
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
            if (length >= strlen(shown[i]) && !memcmp(at, shown[i], strlen(shown[i])))
                text_printf(row, "  %.*s", (int)length, at);
        at += length + 1;
    }
}

/* What code it has, if it is code. */
static void add_objects(struct text *row, struct arena *a, const struct entry *e)
{
    const unsigned char *at = e->payload;
    size_t left = e->payload_bytes;
    struct code_object *objects;
    uint32_t count;
    if (!objects_take(&at, &left, a, &objects, &count))
        return;
    for (uint32_t i = 0; i < count; i++)
        text_printf(row, "  %s '%s' %zu", objects_type_name(objects[i].type), objects[i].name, objects[i].size);
}

/* `verify` prints only what is damaged. */
static int list(const struct listing *l, bool verify)
{
    uint32_t damaged = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct folder_file *f = &l->files[i];
        struct arena *a = arena_new();
        struct entry e;
        const char *why;
        bool ok = f->temporary || load(l, f->name, a, &e, &why);
        damaged += !ok;
        if (!ok || !verify) {
            struct text row = text_new(a);
            text_printf(&row, "%s  %8llu bytes  %3lld days", f->name, (unsigned long long)f->bytes,
                        (long long)((time(NULL) - f->used) / 86400));
            if (!ok)
                text_printf(&row, "  damaged: it %s", why);
            else if (!f->temporary) {
                add_key(&row, &e);
                add_objects(&row, a, &e);
            }
            text_addc(&row, '\n');
            terminal_lines(stdout, text_get(&row));
        }
        arena_free(a);
    }
    if (verify)
        printf("%u files, %u damaged\n", l->count, damaged);
    return verify && damaged ? EXIT_DIFFERS : EXIT_GOOD;
}

static int remove_all(const struct listing *l)
{
    int code = EXIT_GOOD;
    for (uint32_t i = 0; i < l->count; i++)
        if (unlinkat(l->folder, l->files[i].name, 0) && errno != ENOENT) {
            fprintf(stderr, "sdfg-cache: cannot remove '%s/%s': %s\n", l->path, l->files[i].name, strerror(errno));
            code = EXIT_FILE;
        }
    return code;
}

static bool number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    *out = n;
    return *text >= '0' && *text <= '9' && !*end && !errno && n < UINT64_MAX / 86400;
}

static int collect(const struct listing *l, char **words, int count)
{
    uint64_t bytes = 512 << 20, days = 90;
    if (count > 2 || (count > 0 && !number(words[0], &bytes)) || (count > 1 && !number(words[1], &days)))
        return usage();
    uint64_t removed = l->folder < 0 ? 0 : folder_prune(l->folder, (struct cache_limits){ bytes, days * 86400 });
    printf("%llu files removed\n", (unsigned long long)removed);
    return EXIT_GOOD;
}

/* ---- export and import: a file of entries, one behind the other ---- */

static bool copy_file(const struct listing *l, const char *name, FILE *out)
{
    struct arena *a = arena_new();
    struct entry e;
    const char *why;
    bool ok = true;
    if (load(l, name, a, &e, &why)) {
        size_t size;
        const unsigned char *bytes = entry_build(a, &e, &size);
        ok = fwrite(bytes, 1, size, out) == size;
    } else {
        fprintf(stderr, "sdfg-cache: left out %s: it %s\n", name, why);
    }
    arena_free(a);
    return ok;
}

static int export_all(const struct listing *l, const char *path)
{
    struct file_out o;
    FILE *out = file_begin(&o, path);
    bool ok = out != NULL;
    for (uint32_t i = 0; ok && i < l->count; i++)
        ok = l->files[i].temporary || copy_file(l, l->files[i].name, out);
    if (out)
        ok = file_end(&o, ok);
    if (!ok)
        fprintf(stderr, "sdfg-cache: cannot write '%s': %s\n", path, strerror(errno));
    return ok ? EXIT_GOOD : EXIT_FILE;
}

#define IMPORT_BYTES ((uint64_t)4 << 30) /* of an archive at most */

/* Entries that are damaged are left out; behind one that does not end there is nothing to go on with. */
static int import_bytes(const struct listing *l, const unsigned char *bytes, size_t size)
{
    struct cache_store *s = cache_store_new(l->path, (struct cache_limits){ UINT64_MAX, UINT64_MAX });
    struct arena *a = arena_new();
    uint32_t stored = 0, damaged = 0;
    for (size_t next; size; bytes += next, size -= next) {
        struct entry e;
        const char *why;
        next = entry_size(bytes, size);
        damaged += !next;
        if (!next)
            break;
        if (!entry_parse(bytes, next, &e, &why))
            damaged++;
        else
            stored += cache_put(s, e.key, e.key_bytes, e.payload, e.payload_bytes);
    }
    char why[512];
    bool trouble = cache_trouble(s, why, sizeof why);
    printf("%u entries stored, %u damaged\n", stored, damaged);
    if (trouble)
        fprintf(stderr, "sdfg-cache: %s\n", why);
    cache_store_free(s);
    int code = trouble ? EXIT_FILE : damaged ? EXIT_DIFFERS : EXIT_GOOD;
    arena_free(a);
    return code;
}

static int import_all(const struct listing *l, const char *path)
{
    size_t size;
    char why[256], *bytes = file_bytes(path, IMPORT_BYTES, &size, why, sizeof why);
    int code = EXIT_FILE;
    if (bytes)
        code = import_bytes(l, (const unsigned char *)bytes, size);
    else
        fprintf(stderr, "sdfg-cache: cannot read '%s': %s\n", path, why);
    free(bytes);
    return code;
}

static void print_stat(const struct listing *l)
{
    uint32_t temporary = 0;
    for (uint32_t i = 0; i < l->count; i++)
        temporary += l->files[i].temporary;
    printf("%s: %u entries, %llu bytes", l->path, l->count - temporary, (unsigned long long)total_bytes(l));
    if (temporary)
        printf(", %u files being written", temporary);
    putchar('\n');
}

static int run(struct listing *l, char **words, int count)
{
    const char *why;
    l->folder = folder_open(l->path, false, NULL, &why);
    if ((l->folder < 0 && errno != ENOENT) ||
        (l->folder >= 0 && !folder_list(l->folder, l->arena, &l->files, &l->count))) {
        fprintf(stderr, "sdfg-cache: cannot use '%s': %s\n", l->path, l->folder < 0 ? why : strerror(errno));
        return EXIT_FILE;
    }
    if (!strcmp(words[0], "gc"))
        return collect(l, words + 1, count - 1);
    if (count == 2 && !strcmp(words[0], "export"))
        return export_all(l, words[1]);
    if (count == 2 && !strcmp(words[0], "import"))
        return import_all(l, words[1]);
    if (count > 1)
        return usage();
    if (!strcmp(words[0], "ls"))
        return list(l, false);
    if (!strcmp(words[0], "verify"))
        return list(l, true);
    if (!strcmp(words[0], "clear"))
        return remove_all(l);
    if (strcmp(words[0], "stat"))
        return usage();
    print_stat(l);
    return EXIT_GOOD;
}

/* The library knows where its folder is. */
static const char *folder_of(const char *given, struct arena *a)
{
    sdfg_options o;
    sdfg_engine *engine;
    sdfg_cache_info info = { .struct_size = sizeof info };
    sdfg_options_init(&o, sizeof o);
    o.debug = NULL;
    o.cache_dir = given ? given : "default";
    sdfg_error_free(sdfg_engine_new(&engine, &o));
    if (engine)
        sdfg_engine_cache(engine, &info);
    const char *folder = info.folder ? arena_strdup(a, info.folder) : NULL;
    sdfg_engine_free(engine);
    return folder;
}

int main(int argc, char **argv)
{
    memory_begin("sdfg-cache");
    const char *given = NULL;
    char *words[4];
    int count = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return fputs(help, stdout), file_end_output("sdfg-cache", EXIT_GOOD);
        if (!strncmp(argv[i], "--cache=", 8))
            given = argv[i] + 8;
        else if (argv[i][0] == '-' || count == 4)
            return usage();
        else
            words[count++] = argv[i];
    }
    if (!count)
        return usage();
    struct listing l = { .arena = arena_new(), .folder = -1 };
    l.path = folder_of(given, l.arena);
    int code = EXIT_FILE;
    if (l.path)
        code = run(&l, words, count);
    else
        fputs("sdfg-cache: there is no folder: neither XDG_CACHE_HOME nor HOME is an absolute path\n", stderr);
    if (l.folder >= 0)
        close(l.folder);
    arena_free(l.arena);
    return file_end_output("sdfg-cache", code);
}
