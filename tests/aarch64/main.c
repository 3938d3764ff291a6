/* main [LIBRARY | OBJECT] CALL...: reads each call from CALL.in, makes it, and writes memory to CALL.out. The last line
 * that it prints is 0 or the first error. A handle is for the sizes that it was made with, so a call that no handle
 * takes makes a new one. With -DOPENED the code is that of a library, with -DPLACED of an object that the engine's own
 * loader places, otherwise what the program is linked with. */
#include "base/arena.h"
#include "jit/place.h"
#include "runtime/runtime.h"
#include "tests/aarch64/call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HANDLES = 16, ALIGNMENT = 64 };

static void check(int good, const char *what)
{
    if (good)
        return;
    printf("%s\n", what);
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(ALIGNMENT, bytes / ALIGNMENT * ALIGNMENT + ALIGNMENT);
    check(memory != NULL, "no memory");
    return memory;
}

void *external(size_t bytes) { return allocate(bytes); }

/* ---- code ---- */

#if defined(OPENED)
static void *library;

static void open_code(const char *path)
{
    library = dlopen(path, RTLD_NOW);
    check(library != NULL, library ? "" : dlerror());
}

void *find(const char *name)
{
    void *function = dlsym(library, name);
    check(function != NULL, name);
    return function;
}
#elif defined(PLACED)
static struct placed *placed;

static void open_code(const char *path)
{
    enum { MOST_BYTES = 1 << 26 };
    FILE *file = fopen(path, "rb");
    check(file != NULL, path);
    void *bytes = allocate(MOST_BYTES);
    struct code_object object = { .bytes = bytes, .size = fread(bytes, 1, MOST_BYTES, file) };
    struct place_options o = { .symbol = sdfg_rt_symbol };
    const char *why = "";
    placed = place_new(&object, 1, &o, arena_new(), &why);
    check(placed != NULL, why);
    free(bytes);
    fclose(file);
}

void *find(const char *name)
{
    void *function = place_address(placed, name);
    check(function != NULL, name);
    return function;
}
#endif

/* ---- calls ---- */

struct file {
    char path[4096];
    struct call call;
    int64_t size;
};

static FILE *open_file(struct file *f, const char *end, const char *mode)
{
    char path[sizeof f->path + 8];
    snprintf(path, sizeof path, "%s%s", f->path, end);
    FILE *file = fopen(path, mode);
    check(file != NULL, path);
    return file;
}

/* Numbers of arguments and of pointers; their positions; the rest is memory. */
static void read_call(struct file *f)
{
    FILE *file = open_file(f, ".in", "rb");
    int64_t counts[2];
    check(fread(counts, sizeof *counts, 2, file) == 2, "the file is too short");
    size_t words = (size_t)(counts[0] + 2 * counts[1]);
    int64_t *positions = allocate(words * sizeof *positions);
    check(fread(positions, sizeof *positions, words, file) == words, "the file is too short");
    long start = ftell(file);
    fseek(file, 0, SEEK_END);
    f->size = ftell(file) - start;
    fseek(file, start, SEEK_SET);
    f->call.memory = allocate((size_t)f->size);
    f->call.arguments = positions;
    check(fread(f->call.memory, 1, (size_t)f->size, file) == (size_t)f->size, "the file is too short");
    fclose(file);
    for (int64_t i = 0; i < counts[1]; i++) {
        const int64_t *pair = positions + counts[0] + 2 * i;
        unsigned char *target = pair[1] ? f->call.memory + pair[1] : NULL;
        memcpy(f->call.memory + pair[0], &target, sizeof target);
    }
}

static void write_call(struct file *f)
{
    FILE *file = open_file(f, ".out", "wb");
    check(fwrite(f->call.memory, 1, (size_t)f->size, file) == (size_t)f->size, "the results cannot be written");
    fclose(file);
}

int main(int argc, char **argv)
{
    void *handles[MOST_HANDLES];
    int num_handles = 0, first = 1;
#if defined(OPENED) || defined(PLACED)
    check(argc > 1, "no code");
    open_code(argv[first++]);
#endif
    for (int i = first; i < argc; i++) {
        struct file f;
        snprintf(f.path, sizeof f.path, "%s", argv[i]);
        read_call(&f);
        int error = SDFG_RT_OTHER_SYMBOL;
        for (int h = 0; h < num_handles && error == SDFG_RT_OTHER_SYMBOL; h++)
            error = program_call(handles[h], &f.call);
        if (error == SDFG_RT_OTHER_SYMBOL) {
            check(num_handles < MOST_HANDLES, "too many handles");
            void *handle = handles[num_handles++] = program_init(&f.call);
            check(handle != NULL, "the program cannot be initialised");
            error = program_call(handle, &f.call);
        }
        if (error) {
            printf("\n%d\n", error);
            return 0;
        }
        write_call(&f);
    }
    for (int h = 0; h < num_handles; h++)
        check(!program_exit(handles[h]), "the program cannot be ended");
    printf("\n0\n");
    return 0;
}
