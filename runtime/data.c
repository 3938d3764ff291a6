#include "runtime/data.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TROUBLE_SIZE = 512 };

struct counter {
    struct counter *next;
    long version;
    bool saved;
    char name[];
};

struct sdfg_rt_data {
    pthread_mutex_t lock; /* of everything, files included: versions are in order */
    const char *save, *restore;
    struct counter *counters;
    char trouble[TROUBLE_SIZE];
};

struct sdfg_rt_data *sdfg_rt_data_new(const char *save, const char *restore)
{
    struct sdfg_rt_data *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    pthread_mutex_init(&d->lock, NULL);
    d->save = save;
    d->restore = restore;
    return d;
}

void sdfg_rt_data_free(struct sdfg_rt_data *d)
{
    if (!d)
        return;
    for (struct counter *c = d->counters, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    pthread_mutex_destroy(&d->lock);
    free(d);
}

void sdfg_rt_data_trouble(struct sdfg_rt_data *d, char *text, size_t size)
{
    pthread_mutex_lock(&d->lock);
    snprintf(text, size, "%s", d->trouble);
    d->trouble[0] = '\0';
    pthread_mutex_unlock(&d->lock);
}

/* ---- one file, under the lock ---- */

struct data_access {
    struct sdfg_rt_context *context;
    struct sdfg_rt_data *data;
    char path[4096];
    FILE *file;
    bool locked;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct data_access *a, const char *format, ...)
{
    va_list args;
    char what[TROUBLE_SIZE];
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (!*a->data->trouble)
        snprintf(a->data->trouble, sizeof a->data->trouble, "%.300s: %.200s", a->path, what);
    sdfg_rt_fail(a->context, SDFG_RT_DATA);
    return false;
}

static bool next_version(struct data_access *a, const char *name, bool saved, long *version)
{
    struct sdfg_rt_data *d = a->data;
    struct counter *c = d->counters;
    while (c && (c->saved != saved || strcmp(c->name, name)))
        c = c->next;
    if (!c) {
        size_t size = strlen(name) + 1;
        c = malloc(sizeof *c + size);
        if (!c)
            return fail(a, "out of memory");
        memcpy(c->name, name, size);
        c->saved = saved;
        c->version = 0;
        c->next = d->counters;
        d->counters = c;
    }
    *version = c->version++;
    return true;
}

/* Locks and opens; ended with end_access. Nothing is done any more once the call has failed. */
static bool begin_access(struct data_access *a, struct sdfg_rt_context *context, const char *text, bool save,
                         bool symbol)
{
    const char *stem = text + strlen(text) + 1;
    long version;
    *a = (struct data_access){ .context = context, .data = context->data };
    if (!a->data || __atomic_load_n(&context->error, __ATOMIC_RELAXED) != SDFG_RT_OK)
        return false;
    pthread_mutex_lock(&a->data->lock);
    a->locked = true;
    const char *folder = save ? a->data->save : a->data->restore;
    if (!folder || !next_version(a, symbol ? text : stem, save, &version))
        return false;
    if (save) {
        mkdir(folder, 0777);
        snprintf(a->path, sizeof a->path, "%s/%s", folder, text);
        if (mkdir(a->path, 0777) && errno != EEXIST)
            return fail(a, "%s", strerror(errno));
    }
    snprintf(a->path, sizeof a->path, "%s/%s/%s_%ld%s", folder, text, stem, version, symbol ? "" : ".bin");
    a->file = fopen(a->path, save ? "wb" : "rb");
    return a->file || fail(a, "%s", strerror(errno));
}

static void end_access(struct data_access *a)
{
    if (a->file && fclose(a->file))
        fail(a, "%s", strerror(errno));
    if (a->locked)
        pthread_mutex_unlock(&a->data->lock);
}

/* ---- containers ---- */

static void write_elements(struct data_access *a, const int64_t *layout, const void *elements)
{
    int64_t size = layout[0], count = layout[1], rank = layout[2];
    bool good = true;
    for (int64_t i = 0; i <= 2 * rank; i++)
        good = good && fwrite(&(uint32_t){ (uint32_t)layout[2 + i] }, sizeof(uint32_t), 1, a->file) == 1;
    if (!good || (count > 0 && fwrite(elements, (size_t)size, (size_t)count, a->file) != (size_t)count))
        fail(a, "%s", strerror(errno));
}

static void read_elements(struct data_access *a, const int64_t *layout, void *elements)
{
    size_t size = (size_t)layout[0], count = layout[1] > 0 ? (size_t)layout[1] : 0;
    uint32_t rank, number;
    bool good = fread(&rank, sizeof rank, 1, a->file) == 1;
    for (uint64_t i = 0; good && i < 2 * (uint64_t)rank; i++)
        good = fread(&number, sizeof number, 1, a->file) == 1;
    if (!good || fread(elements, size, count, a->file) != count || fgetc(a->file) != EOF)
        fail(a, "does not hold the %zu elements of %zu bytes of the container", count, size);
}

void sdfg_rt_save(struct sdfg_rt_context *context, const char *text, const int64_t *layout, const void *elements)
{
    struct data_access a;
    if (begin_access(&a, context, text, true, false))
        write_elements(&a, layout, elements);
    end_access(&a);
}

void sdfg_rt_restore(struct sdfg_rt_context *context, const char *text, const int64_t *layout, void *elements)
{
    struct data_access a;
    if (begin_access(&a, context, text, false, false))
        read_elements(&a, layout, elements);
    end_access(&a);
}

/* ---- symbols ---- */

/* Files have a point, whatever the locale of the program around says. */
static void exchange(char *text, char from, char to)
{
    char *at = strchr(text, from);
    if (at)
        *at = to;
}

void sdfg_rt_save_int(struct sdfg_rt_context *context, const char *text, int64_t value)
{
    struct data_access a;
    if (begin_access(&a, context, text, true, true) && fprintf(a.file, "%" PRId64, value) < 0)
        fail(&a, "%s", strerror(errno));
    end_access(&a);
}

void sdfg_rt_save_real(struct sdfg_rt_context *context, const char *text, double value)
{
    struct data_access a;
    char number[64];
    snprintf(number, sizeof number, "%.17g", value);
    exchange(number, *localeconv()->decimal_point, '.');
    if (begin_access(&a, context, text, true, true) && fputs(number, a.file) < 0)
        fail(&a, "%s", strerror(errno));
    end_access(&a);
}

int64_t sdfg_rt_restore_int(struct sdfg_rt_context *context, const char *text, int64_t now)
{
    struct data_access a;
    int64_t value = now;
    if (begin_access(&a, context, text, false, true) && fscanf(a.file, "%" SCNd64, &value) != 1)
        fail(&a, "holds no whole number");
    end_access(&a);
    return value;
}

double sdfg_rt_restore_real(struct sdfg_rt_context *context, const char *text, double now)
{
    struct data_access a;
    char number[64] = "", *end = number;
    double value = now;
    if (begin_access(&a, context, text, false, true)) {
        if (!fgets(number, sizeof number, a.file))
            number[0] = '\0';
        exchange(number, '.', *localeconv()->decimal_point);
        value = strtod(number, &end);
        if (end == number)
            fail(&a, "holds no number");
    }
    end_access(&a);
    return end == number ? now : value;
}
