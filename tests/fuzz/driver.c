/* Runs a fuzz target without libFuzzer: every seed, then a fixed number of mutations of the seeds, the same in every
 * run.
 *
 *     fuzz_x SEEDS MUTATIONS        all of them
 *     fuzz_x SEEDS -N               input N only, as a failed run names it
 *     fuzz_x FILE                   one input
 *
 * A failure leaves the input in the current folder as failed-<process>. Inputs that take longer than some seconds are
 * failures. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sanitizers ask the program for these: a finding is a signal, so that the input is saved. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);
const char *__asan_default_options(void) { return "abort_on_error=1"; }
const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }

enum { MAX_SIZE = 1 << 20, MAX_SECONDS = 10 };

struct input {
    uint8_t *data;
    size_t size;
};

struct corpus {
    struct input *seeds;
    size_t count;
};

/* What is being tried, for the handlers. */
static struct {
    const uint8_t *data;
    size_t size;
    long number;
} now;

static void save(void)
{
    char name[64];
    snprintf(name, sizeof name, "failed-%d", (int)getpid());
    printf("input %ld failed, %zu bytes, saved as %s\n", now.number, now.size, name);
    fflush(stdout);
    FILE *file = fopen(name, "wb");
    if (file) {
        fwrite(now.data, 1, now.size, file);
        fclose(file);
    }
}

static void on_signal(int number)
{
    if (number == SIGALRM)
        printf("took longer than %d seconds\n", MAX_SECONDS);
    save();
    _exit(1);
}

static void try_input(const uint8_t *data, size_t size, long number)
{
    /* A block of exactly this size: the sanitizer sees a read behind its end. */
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    now.data = copy;
    now.size = size;
    now.number = number;
    alarm(MAX_SECONDS);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
}

static struct input read_input(const char *path)
{
    struct input in = { malloc(MAX_SIZE), 0 };
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("cannot open %s: %s\n", path, strerror(errno));
        exit(2);
    }
    in.size = fread(in.data, 1, MAX_SIZE, file);
    fclose(file);
    return in;
}

static int visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static struct corpus read_corpus(const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, visible, alphasort);
    if (count <= 0) {
        printf("no seeds in %s\n", folder);
        exit(2);
    }
    struct corpus c = { calloc((size_t)count, sizeof *c.seeds), (size_t)count };
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        c.seeds[i] = read_input(path);
        free(names[i]);
    }
    free(names);
    return c;
}

/* splitmix64: small, and equal everywhere. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t limit) { return limit ? (size_t)(next(state) % limit) : 0; }

/* Replaces `length` bytes at `at` by `data`, cut to the space there is. */
static void splice(struct input *in, size_t at, size_t length, const uint8_t *data, size_t size)
{
    if (in->size - length + size > MAX_SIZE)
        return;
    memmove(in->data + at + size, in->data + at + length, in->size - at - length);
    memcpy(in->data + at, data, size);
    in->size = in->size - length + size;
}

static void mutate(struct input *in, const struct corpus *c, uint64_t *state)
{
    static const char *const words[] = {
        "\"",   "{",   "}",       "[",  "]", "(",  ")",  ",", ":",  "-1",  "0",    "1e999", "99999999999999999999",
        "null", "NaN", "\\u0000", "\n", " ", "**", "//", "%", "if", "not", "\xff", "\x80"
    };
    size_t at = below(state, in->size + 1), left = in->size - at;
    size_t length = below(state, left < 16 ? left + 1 : 16);
    const struct input *other = &c->seeds[below(state, c->count)];
    size_t from = below(state, other->size + 1), size = below(state, other->size - from + 1);
    uint8_t byte = (uint8_t)next(state);
    switch (below(state, 6)) {
    case 0: /* another byte */
        splice(in, at, left ? 1 : 0, &byte, 1);
        break;
    case 1: /* one bit flipped */
        if (left)
            in->data[at] ^= (uint8_t)(1u << (byte & 7));
        break;
    case 2: /* bytes lost */
        splice(in, at, length, in->data, 0);
        break;
    case 3: { /* a word put in */
        const char *word = words[below(state, sizeof words / sizeof *words)];
        splice(in, at, below(state, 2) ? length : 0, (const uint8_t *)word, strlen(word));
        break;
    }
    case 4: /* a piece of another seed */
        splice(in, at, length, other->data + from, size < 64 ? size : 64);
        break;
    case 5: { /* bytes repeated, sometimes many times: deep nesting */
        uint8_t piece[16];
        memcpy(piece, in->data + at, length);
        for (size_t n = below(state, 8) ? 1 : below(state, 2000); n > 0; n--)
            splice(in, at, 0, piece, length);
        break;
    }
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("usage: %s SEEDS MUTATIONS | SEEDS -N | FILE\n", argv[0]);
        return 2;
    }
    signal(SIGABRT, on_signal);
    signal(SIGALRM, on_signal);
    struct stat status;
    if (stat(argv[1], &status) == 0 && !S_ISDIR(status.st_mode)) {
        struct input in = read_input(argv[1]);
        try_input(in.data, in.size, 0);
        free(in.data);
        return 0;
    }

    struct corpus c = read_corpus(argv[1]);
    long wanted = argc > 2 ? atol(argv[2]) : 0, only = wanted < 0 ? -wanted : 0;
    long last = only ? only : (long)c.count + wanted;
    struct input in = { malloc(MAX_SIZE), 0 };
    for (long number = 1; number <= last; number++) {
        if (only && number != only)
            continue;
        uint64_t state = (uint64_t)number;
        bool seed = (size_t)number <= c.count;
        const struct input *from = &c.seeds[seed ? (size_t)number - 1 : below(&state, c.count)];
        memcpy(in.data, from->data, from->size);
        in.size = from->size;
        for (size_t n = seed ? 0 : 1 + below(&state, 6); n > 0; n--)
            mutate(&in, &c, &state);
        try_input(in.data, in.size, number);
    }
    printf("%zu seeds, %ld inputs\n", c.count, last);
    free(in.data);
    for (size_t i = 0; i < c.count; i++)
        free(c.seeds[i].data);
    free(c.seeds);
    return 0;
}
