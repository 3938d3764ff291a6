#include "engine/cli/timings.h"
#include "engine/cli/file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static void add(struct timings *t, const char *format, ...)
{
    enum { LONGEST = 512 };
    va_list args;
    if (t->capacity - t->size < LONGEST && !t->failed) {
        size_t capacity = 2 * t->capacity + LONGEST;
        char *text = realloc(t->text, capacity);
        t->failed = !text;
        t->text = text ? text : t->text;
        t->capacity = text ? capacity : t->capacity;
    }
    if (t->failed)
        return;
    va_start(args, format);
    t->size += (size_t)vsnprintf(t->text + t->size, LONGEST, format, args);
    va_end(args);
}

/* Names are identifiers, some with a word before them; those of plug-ins may be anything. What is not plain is left
 * out, so that the file is JSON in any case. */
enum { NAME_SIZE = 64 };

static const char *plain(const char *name, char out[NAME_SIZE])
{
    size_t n = 0;
    for (; *name && n + 1 < NAME_SIZE; name++)
        if ((unsigned char)*name >= ' ' && *name != '"' && *name != '\\')
            out[n++] = *name;
    out[n] = 0;
    return out;
}

static void add_event(struct timings *t, const sdfg_timing *e)
{
    char name[NAME_SIZE];
    add(t, "%s\n{\"name\": \"%s\", ", t->size ? "," : "", plain(e->name, name));
    add(t, "\"cat\": \"%s\", \"ph\": \"%c\", \"ts\": %.3f, ", plain(e->provider, name), e->counter ? 'C' : 'X',
        e->begin * 1e6);
    if (!e->counter)
        add(t, "\"dur\": %.3f, ", e->seconds * 1e6);
    add(t, "\"pid\": %ld, \"tid\": %lld, \"args\": {", (long)getpid(), (long long)e->thread);
    if (e->counter && isfinite(e->counter->value))
        add(t, "\"%s\": %.17g, ", plain(e->counter->name, name), e->counter->value);
    add(t, "\"cfg_id\": %lld", (long long)e->region);
    if (e->state >= 0)
        add(t, ", \"state_id\": %lld", (long long)e->state);
    if (e->node >= 0)
        add(t, ", \"id\": %lld", (long long)e->node);
    if (e->bytes)
        add(t, ", \"bytes\": %lld", (long long)e->bytes);
    add(t, "}}");
}

static void sum(struct timings *t, const sdfg_timing *e)
{
    struct timings_sum *s = !e->thread && !strncmp(e->name, "Kernel ", 7)    ? &t->kernels
                            : !e->thread && !strncmp(e->name, "Library ", 8) ? &t->products
                            : !e->thread                                     ? &t->transfers
                            : !strcmp(e->name, "Wait")                       ? &t->waits
                                                                             : NULL;
    if (!s)
        return;
    s->count++;
    s->seconds += e->seconds;
    s->bytes += (double)e->bytes;
}

void timings_print_device(const struct timings *t, int calls)
{
    const struct timings_sum *k = &t->kernels, *p = &t->products, *x = &t->transfers, *w = &t->waits;
    double n = calls;
    if (!(k->count + p->count + x->count + w->count))
        return;
    fprintf(stderr, "  GPU, of each run: %.3g kernels %.3g ms, ", (double)k->count / n, 1e3 * k->seconds / n);
    if (p->count)
        fprintf(stderr, "%.3g library calls %.3g ms, ", (double)p->count / n, 1e3 * p->seconds / n);
    fprintf(stderr, "%.3g transfers %.3g ms (%.3g MB), %.3g waits %.3g ms\n", (double)x->count / n,
            1e3 * x->seconds / n, 1e-6 * x->bytes / n, (double)w->count / n, 1e3 * w->seconds / n);
}

void timings_add(void *user, const sdfg_timing *timings, size_t count)
{
    struct timings *t = user;
    for (size_t i = 0; i < count; i++) {
        sum(t, &timings[i]);
        if (t->kept)
            add_event(t, &timings[i]);
    }
}

void timings_program(struct timings *t, const sdfg_program *p)
{
    const char *hash = sdfg_program_hash(p);
    if (strspn(hash, "0123456789abcdef") == strlen(hash))
        snprintf(t->hash, sizeof t->hash, "%s", hash);
}

bool timings_write(struct timings *t, const char *path)
{
    bool to_stdout = !strcmp(path, "-"), good = !t->failed;
    struct file_out out;
    FILE *file = to_stdout ? stdout : file_begin(&out, path);
    errno = good ? errno : ENOMEM;
    if (file)
        good &= fprintf(file, "{\"traceEvents\": [%.*s\n], \"sdfgHash\": \"%s\"}\n", (int)t->size,
                        t->text ? t->text : "", t->hash) > 0;
    if (file && !to_stdout)
        good = file_end(&out, good);
    if (!file || !good)
        fprintf(stderr, "sdfg-run: cannot write '%s': %s\n", path, strerror(errno));
    free(t->text);
    *t = (struct timings){ 0 };
    return file && good;
}
