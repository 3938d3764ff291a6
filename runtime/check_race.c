/* Races between iterations of maps. What was done with each element in this run of its map is kept in a table by
 * address: which iteration wrote it, read it, or combined a value with it. Two iterations that are not ordered may only
 * both read, or both combine. */
#include "runtime/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { READ, WRITE, UPDATE };
enum { EPOCH, ITERATION, MODE, SAMPLE, BYTES, DIMS }; /* of the list that generated code makes */
enum { LOW, HIGH, EXTENT, STRIDE, STEP, NUMBERS };    /* of a dimension */
static const int64_t several = -1;                    /* iterations */

struct race_entry {
    uintptr_t address;                      /* 0: free */
    int64_t epoch, reader, writer, updater; /* 0: none */
};

struct sdfg_rt_races {
    pthread_mutex_t lock;
    int64_t epochs;
    size_t count, capacity; /* a power of 2 */
    struct race_entry *entries;
};

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static struct sdfg_rt_races *races_of(struct sdfg_rt_context *context)
{
    struct sdfg_rt_faults *f = context->faults;
    if (!f)
        return NULL;
    pthread_mutex_lock(&making);
    struct sdfg_rt_races *r = f->races;
    if (!r && (r = calloc(1, sizeof *r))) {
        pthread_mutex_init(&r->lock, NULL);
        f->races = r;
    }
    pthread_mutex_unlock(&making);
    return r;
}

void sdfg_rt_races_free(struct sdfg_rt_races *r)
{
    if (!r)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r->entries);
    free(r);
}

int64_t sdfg_rt_race_begin(struct sdfg_rt_context *context)
{
    struct sdfg_rt_races *r = races_of(context);
    return r ? __atomic_add_fetch(&r->epochs, 1, __ATOMIC_RELAXED) : 0;
}

static uint64_t mix(uintptr_t address) { return (uint64_t)address * 0x9E3779B97F4A7C15u >> 20; }

static struct race_entry *place_of(struct race_entry *entries, size_t capacity, uintptr_t address)
{
    size_t at = (size_t)mix(address) & (capacity - 1);
    while (entries[at].address && entries[at].address != address)
        at = (at + 1) & (capacity - 1);
    return &entries[at];
}

static bool grow(struct sdfg_rt_races *r)
{
    enum { FIRST = 4096 };
    if (2 * r->count < r->capacity)
        return true;
    size_t capacity = r->capacity ? 2 * r->capacity : FIRST;
    struct race_entry *entries = calloc(capacity, sizeof *entries);
    if (!entries)
        return false;
    for (size_t i = 0; i < r->capacity; i++)
        if (r->entries[i].address)
            *place_of(entries, capacity, r->entries[i].address) = r->entries[i];
    free(r->entries);
    r->entries = entries;
    r->capacity = capacity;
    return true;
}

static bool other(int64_t who, int64_t iteration) { return who && who != iteration; }

static void join(int64_t *who, int64_t iteration) { *who = *who && *who != iteration ? several : iteration; }

/* Gives whether the access races with one before it. */
static bool note(struct race_entry *e, const int64_t *list)
{
    int64_t iteration = list[ITERATION];
    if (e->epoch != list[EPOCH])
        *e = (struct race_entry){ .address = e->address, .epoch = list[EPOCH] };
    bool bad = other(e->writer, iteration) || (list[MODE] != READ && other(e->reader, iteration)) ||
               (list[MODE] != UPDATE && other(e->updater, iteration));
    join(list[MODE] == READ ? &e->reader : list[MODE] == WRITE ? &e->writer : &e->updater, iteration);
    return bad;
}

static void fault_at(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const int64_t *list,
                     const int64_t *index)
{
    int64_t values[3 * SDFG_RT_MAX_RANK];
    for (int64_t d = 0; d < access->rank; d++) {
        values[3 * d] = values[3 * d + 1] = index[d];
        values[3 * d + 2] = list[DIMS + NUMBERS * d + EXTENT];
    }
    sdfg_rt_fault(context, access, values);
}

void sdfg_rt_race(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const void *first,
                  const int64_t *list)
{
    struct sdfg_rt_races *r = races_of(context);
    int64_t index[SDFG_RT_MAX_RANK], rank = access->rank;
    if (!r)
        return;
    for (int64_t d = 0; d < rank; d++)
        index[d] = list[DIMS + NUMBERS * d + LOW];
    for (bool more = true; more;) {
        uintptr_t address = (uintptr_t)first;
        for (int64_t d = 0; d < rank; d++) {
            const int64_t *dim = list + DIMS + NUMBERS * d;
            address += (uintptr_t)((index[d] - dim[LOW]) * dim[STRIDE] * list[BYTES]);
        }
        if (mix(address) % (uint64_t)list[SAMPLE] == 0) {
            pthread_mutex_lock(&r->lock);
            bool room = grow(r), bad = false;
            if (room) {
                struct race_entry *e = place_of(r->entries, r->capacity, address);
                r->count += !e->address;
                e->address = address;
                bad = note(e, list);
            }
            pthread_mutex_unlock(&r->lock);
            if (bad)
                fault_at(context, access, list, index);
        }
        more = false;
        for (int64_t d = rank; d-- > 0 && !more;) {
            const int64_t *dim = list + DIMS + NUMBERS * d;
            index[d] += dim[STEP];
            more = index[d] <= dim[HIGH];
            if (!more)
                index[d] = dim[LOW];
        }
    }
}
