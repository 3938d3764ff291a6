/* A queue is rings that grow: one for each thread of the team that pushes now, and one for what was pushed before.
 *
 * A thread that pushes locks its own ring only. Whoever pops locks the queue and takes the oldest elements first: those
 * of before, then those of thread 0, 1, and so on. So a loop that is divided into contiguous pieces, as static
 * schedules do it, leaves its elements in the order of the iterations, whatever the number of threads. When another
 * team or the thread outside of teams begins to push, what the rings hold is moved to that of before.
 *
 * Waiting is counted: a thread that waits is idle in its team (runtime/runtime.h), and whoever brings elements ends the
 * idleness of as many waiting threads before they wake up. So when every thread of the team is idle, nobody will ever
 * push, and waiting is an error instead of a hang. */
#include "runtime/stream.h"

#include "runtime/owned.h"

#include "runtime/cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SMALLEST_RING = 256,            /* bytes */
    PATIENCE = 10 * 1000 * 1000,    /* nanoseconds between two looks at the team; nothing depends on the value */
    SHORT_PATIENCE = PATIENCE / 10, /* between two looks at a condition */
};

struct ring {
    char *data;
    int64_t capacity; /* elements; a power of two, or 0 */
    int64_t first;    /* position of the oldest element */
    int64_t count;
};

/* Elements that one thread of the team has pushed. */
struct shard {
    _Alignas(CPU_LINE) pthread_mutex_t lock;
    struct ring ring;
};

/* What another thread may read without the lock is read and written atomically. */
struct sdfg_rt_stream {
    struct sdfg_rt_owned owned;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t bytes; /* of an element */
    int64_t size;  /* elements pushed and not taken; atomic. Below 0 while what was taken is not yet counted */
    struct ring before;
    struct shard *shards;
    int64_t num_shards;
    int64_t team_id;           /* whose shards these are; atomic, changes when `shards` is ready */
    int64_t working;           /* elements taken and not done */
    int64_t waiting;           /* threads that wait and are idle; atomic */
    int64_t awakened;          /* threads that are not idle any more, but did not wake up yet */
    struct sdfg_rt_team *team; /* of the threads that wait */
};

/* ---- rings ---- */

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void copy_out(const struct ring *r, int64_t bytes, char *to, int64_t count)
{
    int64_t straight = smaller(count, r->capacity - r->first);
    memcpy(to, r->data + r->first * bytes, (size_t)(straight * bytes));
    memcpy(to + straight * bytes, r->data, (size_t)((count - straight) * bytes));
}

static bool grow(struct ring *r, int64_t bytes, int64_t needed)
{
    int64_t capacity = r->capacity ? r->capacity : 1;
    while (capacity < needed || capacity * bytes < SMALLEST_RING) {
        if (capacity > INT64_MAX / 2 / bytes)
            return false;
        capacity *= 2;
    }
    char *data = malloc((size_t)(capacity * bytes));
    if (!data)
        return false;
    if (r->count)
        copy_out(r, bytes, data, r->count);
    free(r->data);
    *r = (struct ring){ .data = data, .capacity = capacity, .count = r->count };
    return true;
}

static bool put(struct ring *r, int64_t bytes, const char *from, int64_t count)
{
    if (r->count + count > r->capacity && !grow(r, bytes, r->count + count))
        return false;
    int64_t at = (r->first + r->count) & (r->capacity - 1), straight = smaller(count, r->capacity - at);
    memcpy(r->data + at * bytes, from, (size_t)(straight * bytes));
    memcpy(r->data, from + straight * bytes, (size_t)((count - straight) * bytes));
    r->count += count;
    return true;
}

static int64_t get(struct ring *r, int64_t bytes, char *to, int64_t count)
{
    count = smaller(count, r->count);
    if (count <= 0)
        return 0;
    copy_out(r, bytes, to, count);
    r->first = (r->first + count) & (r->capacity - 1);
    r->count -= count;
    return count;
}

/* All elements of one ring behind those of another. */
static bool append(struct ring *to, struct ring *from, int64_t bytes)
{
    if (!from->count)
        return true;
    if (!to->count) {
        struct ring r = *to;
        *to = *from;
        *from = r;
        return true;
    }
    int64_t straight = smaller(from->count, from->capacity - from->first), rest = from->count - straight;
    if (to->count + from->count > to->capacity && !grow(to, bytes, to->count + from->count))
        return false;
    put(to, bytes, from->data + from->first * bytes, straight);
    put(to, bytes, from->data, rest);
    from->first = from->count = 0;
    return true;
}

/* ---- life ---- */

static struct sdfg_rt_stream *stream_new(int64_t bytes)
{
    struct sdfg_rt_stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    s->bytes = bytes;
    return s;
}

static void free_shards(struct sdfg_rt_stream *s)
{
    for (int64_t i = 0; i < s->num_shards; i++) {
        pthread_mutex_destroy(&s->shards[i].lock);
        free(s->shards[i].ring.data);
    }
    free(s->shards);
    s->shards = NULL;
    s->num_shards = 0;
}

static void free_stream(struct sdfg_rt_context *context, struct sdfg_rt_owned *owned)
{
    struct sdfg_rt_stream *s = (struct sdfg_rt_stream *)owned;
    sdfg_rt_give_up(context, owned);
    free_shards(s);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s->before.data);
    free(s);
}

void sdfg_rt_stream_open(struct sdfg_rt_context *context, struct sdfg_rt_stream **handles, int64_t count, int64_t bytes)
{
    for (int64_t i = 0; i < count; i++) {
        handles[i] = stream_new(bytes);
        if (!handles[i]) {
            sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
            continue;
        }
        handles[i]->owned.release = free_stream;
        sdfg_rt_own(context, &handles[i]->owned);
    }
}

void sdfg_rt_stream_close(struct sdfg_rt_context *context, struct sdfg_rt_stream **handles, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (handles[i])
            free_stream(context, &handles[i]->owned);
        handles[i] = NULL;
    }
}

/* ---- who pushes where; the lock of the queue is held ---- */

/* Moves what the threads have pushed to `before`. */
static bool settle(struct sdfg_rt_stream *s)
{
    bool done = true;
    for (int64_t i = 0; i < s->num_shards && done; i++) {
        pthread_mutex_lock(&s->shards[i].lock);
        done = append(&s->before, &s->shards[i].ring, s->bytes);
        pthread_mutex_unlock(&s->shards[i].lock);
    }
    return done;
}

static bool make_shards(struct sdfg_rt_stream *s, int64_t count)
{
    if (count <= s->num_shards)
        return true;
    struct shard *shards = aligned_alloc(CPU_LINE, (size_t)count * sizeof *shards);
    if (!shards)
        return false;
    free_shards(s); /* they are empty, and those who used them are gone */
    for (int64_t i = 0; i < count; i++) {
        shards[i].ring = (struct ring){ 0 };
        pthread_mutex_init(&shards[i].lock, NULL);
    }
    s->shards = shards;
    s->num_shards = count;
    return true;
}

/* The queue takes elements of this team (NULL: of the thread outside) from now on. */
static bool adopt(struct sdfg_rt_stream *s, const struct sdfg_rt_team *team)
{
    int64_t id = team ? team->id : 0;
    if (s->team_id == id)
        return true;
    if (!settle(s) || (team && !make_shards(s, __atomic_load_n(&team->threads, __ATOMIC_RELAXED))))
        return false;
    __atomic_store_n(&s->team_id, id, __ATOMIC_RELEASE);
    return true;
}

static bool put_outside(struct sdfg_rt_stream *s, const void *elements, int64_t count)
{
    pthread_mutex_lock(&s->lock);
    bool done = adopt(s, NULL) && put(&s->before, s->bytes, elements, count);
    pthread_mutex_unlock(&s->lock);
    return done;
}

static bool put_in_team(struct sdfg_rt_stream *s, const struct sdfg_rt_team *team, int64_t thread, const void *elements,
                        int64_t count)
{
    if (__atomic_load_n(&s->team_id, __ATOMIC_ACQUIRE) != team->id) {
        pthread_mutex_lock(&s->lock);
        bool adopted = adopt(s, team);
        pthread_mutex_unlock(&s->lock);
        if (!adopted)
            return false;
    }
    struct shard *own = &s->shards[thread];
    pthread_mutex_lock(&own->lock);
    bool done = put(&own->ring, s->bytes, elements, count);
    pthread_mutex_unlock(&own->lock);
    return done;
}

static bool is_empty(const struct sdfg_rt_stream *s) { return !__atomic_load_n(&s->size, __ATOMIC_SEQ_CST); }

/* Up to `count` elements, oldest first. The lock is held. Where memory is short, at least one ring changes its place.
 */
static int64_t get_oldest(struct sdfg_rt_stream *s, char *to, int64_t count)
{
    if (is_empty(s))
        return 0;
    int64_t taken = get(&s->before, s->bytes, to, count);
    if (taken < count) {
        settle(s);
        taken += get(&s->before, s->bytes, to + taken * s->bytes, count - taken);
    }
    __atomic_sub_fetch(&s->size, taken, __ATOMIC_SEQ_CST);
    return taken;
}

/* ---- waiting; the lock is held ---- */

/* Lets up to `count` waiting threads go on. */
static void awaken(struct sdfg_rt_stream *s, int64_t count)
{
    count = smaller(count, s->waiting);
    if (!count)
        return;
    __atomic_sub_fetch(&s->waiting, count, __ATOMIC_SEQ_CST);
    s->awakened += count;
    sdfg_rt_team_idle(s->team, -count);
    if (count == 1)
        pthread_cond_signal(&s->changed);
    else
        pthread_cond_broadcast(&s->changed);
}

static void sleep_for(struct sdfg_rt_stream *s, long nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&s->changed, &s->lock, &until);
}

/* Waits until somebody lets this thread go on, or for one span of patience if `once`. False if nobody ever will. The
 * thread has said that it waits before it looks for elements the last time, and who pushes looks for waiting threads
 * afterwards: one of them sees the other. */
static bool wait_for_change(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, bool once)
{
    struct sdfg_rt_team *team = sdfg_rt_team();
    if (!team)
        return false;
    s->team = team;
    __atomic_add_fetch(&s->waiting, 1, __ATOMIC_SEQ_CST);
    if (!is_empty(s)) { /* not idle, not even for a moment: another thread could take all for stuck */
        __atomic_sub_fetch(&s->waiting, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    sdfg_rt_team_idle(team, 1);
    bool alive = true;
    for (int64_t looks = 0; is_empty(s) && !s->awakened && !(once && looks); looks++) {
        alive = !sdfg_rt_team_is_stuck(team) && !__atomic_load_n(&context->error, __ATOMIC_RELAXED);
        if (!alive)
            break;
        sleep_for(s, once ? SHORT_PATIENCE : PATIENCE);
    }
    if (s->awakened) {
        s->awakened--;
        return true;
    }
    __atomic_sub_fetch(&s->waiting, 1, __ATOMIC_SEQ_CST);
    sdfg_rt_team_idle(team, -1);
    return alive;
}

/* ---- pushing and popping ---- */

void sdfg_rt_stream_push(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, const void *elements, int64_t count)
{
    if (!s || count <= 0)
        return;
    const struct sdfg_rt_team *team = sdfg_rt_team();
    bool done =
        team ? put_in_team(s, team, sdfg_rt_thread_num(context), elements, count) : put_outside(s, elements, count);
    if (!done) {
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
        return;
    }
    __atomic_add_fetch(&s->size, count, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&s->waiting, __ATOMIC_SEQ_CST)) {
        pthread_mutex_lock(&s->lock);
        awaken(s, count);
        pthread_mutex_unlock(&s->lock);
    }
}

int64_t sdfg_rt_stream_pop(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements, int64_t count)
{
    if (!s || count <= 0)
        return 0;
    pthread_mutex_lock(&s->lock);
    bool alive = true;
    int64_t taken;
    while (!(taken = get_oldest(s, elements, count)) && alive)
        alive = wait_for_change(context, s, false);
    pthread_mutex_unlock(&s->lock);
    if (!taken) {
        memset(elements, 0, (size_t)s->bytes);
        sdfg_rt_stream_stuck(context);
    }
    return taken;
}

int64_t sdfg_rt_stream_try_pop(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements, int64_t count)
{
    (void)context;
    if (!s || is_empty(s))
        return 0;
    pthread_mutex_lock(&s->lock);
    int64_t taken = get_oldest(s, elements, count);
    pthread_mutex_unlock(&s->lock);
    return taken;
}

void sdfg_rt_stream_move(struct sdfg_rt_context *context, struct sdfg_rt_stream *from, struct sdfg_rt_stream *to)
{
    if (!from || !to || from == to)
        return;
    /* One lock at a time: two threads may move in opposite directions. */
    pthread_mutex_lock(&from->lock);
    struct ring r = { 0 };
    if (settle(from)) {
        r = from->before;
        from->before = (struct ring){ 0 };
        __atomic_sub_fetch(&from->size, r.count, __ATOMIC_SEQ_CST);
    } else {
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    }
    pthread_mutex_unlock(&from->lock);
    int64_t straight = smaller(r.count, r.capacity - r.first);
    if (r.count) {
        sdfg_rt_stream_push(context, to, r.data + r.first * from->bytes, straight);
        sdfg_rt_stream_push(context, to, r.data, r.count - straight);
    }
    free(r.data);
}

int64_t sdfg_rt_stream_size(struct sdfg_rt_context *context, struct sdfg_rt_stream *s)
{
    (void)context;
    int64_t size = s ? __atomic_load_n(&s->size, __ATOMIC_SEQ_CST) : 0;
    return size > 0 ? size : 0;
}

/* ---- consume scopes ---- */

int64_t sdfg_rt_stream_take(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements, int64_t count)
{
    if (!s)
        return 0;
    pthread_mutex_lock(&s->lock);
    bool alive = true;
    int64_t taken;
    while (!(taken = get_oldest(s, elements, count)) && s->working && alive)
        alive = wait_for_change(context, s, false);
    s->working += taken;
    pthread_mutex_unlock(&s->lock);
    if (!alive && !taken)
        sdfg_rt_stream_stuck(context);
    return taken;
}

int64_t sdfg_rt_stream_try_take(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements,
                                int64_t count)
{
    (void)context;
    if (!s)
        return 0;
    pthread_mutex_lock(&s->lock);
    int64_t taken = get_oldest(s, elements, count);
    s->working += taken;
    pthread_mutex_unlock(&s->lock);
    return taken;
}

void sdfg_rt_stream_done(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, int64_t count)
{
    (void)context;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->working -= count;
    if (!s->working && is_empty(s))
        awaken(s, s->waiting);
    pthread_mutex_unlock(&s->lock);
}

int64_t sdfg_rt_stream_wait(struct sdfg_rt_context *context, struct sdfg_rt_stream *s)
{
    if (!s)
        return 0;
    pthread_mutex_lock(&s->lock);
    bool alive = wait_for_change(context, s, true);
    pthread_mutex_unlock(&s->lock);
    return alive;
}

void sdfg_rt_stream_stuck(struct sdfg_rt_context *context) { sdfg_rt_fail(context, SDFG_RT_STREAM_EMPTY); }
