/* A world of one process: messages to oneself, matched in their order as MPI matches them. */
#include "runtime/mpi/mpi_internal.h"

#include <stdlib.h>
#include <string.h>

/* A message without receiver, or a receiver without message. */
struct waiting_message {
    struct waiting_message *next;
    int64_t tag;
    /* a message */
    int64_t type, elements;
    void *packed;
    /* a receiver */
    struct sdfg_rt_mpi_layout layout;
    void *buffer;
    bool done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiting_message *messages, *receivers;

static void append(struct waiting_message **list, struct waiting_message *e)
{
    while (*list)
        list = &(*list)->next;
    *list = e;
}

static struct waiting_message *take(struct waiting_message **list, int64_t tag)
{
    for (; *list; list = &(*list)->next) {
        struct waiting_message *e = *list;
        if (tag < 0 || e->tag < 0 || e->tag == tag) {
            *list = e->next;
            e->next = NULL;
            return e;
        }
    }
    return NULL;
}

static bool fits(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_layout *l, int64_t elements)
{
    return elements <= l->elements ||
           sdfg_rt_mpi_fail(n, SDFG_RT_MPI, "a message of %lld elements is received where there are %lld",
                            (long long)elements, (long long)l->elements);
}

/* To the first elements of a region; what no element comes for stays. */
static bool deliver(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_layout *l, void *buffer,
                    const struct waiting_message *e)
{
    size_t bytes = (size_t)l->elements * l->bytes, given = (size_t)e->elements * l->bytes;
    if (!sdfg_rt_mpi_same_type(n, e->type, l->type) || !fits(n, l, e->elements))
        return false;
    if (given == bytes) {
        sdfg_rt_mpi_unpack(l, buffer, e->packed);
        return true;
    }
    char *all = malloc(bytes);
    if (!all)
        return sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "a message of %lld elements", (long long)e->elements);
    sdfg_rt_mpi_pack(l, buffer, all);
    memcpy(all, e->packed, given);
    sdfg_rt_mpi_unpack(l, buffer, all);
    free(all);
    return true;
}

bool sdfg_rt_mpi_self_send(const struct sdfg_rt_mpi_node *n, const void *buffer, const struct sdfg_rt_mpi_layout *l,
                           int64_t to, int64_t tag)
{
    struct waiting_message *e = to < 0 ? NULL : calloc(1, sizeof *e);
    if (to < 0)
        return true;
    if (e)
        e->packed = malloc((size_t)l->elements * l->bytes + 1);
    if (!e || !e->packed) {
        free(e);
        return sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "a message of %lld elements", (long long)l->elements);
    }
    e->tag = tag;
    e->type = l->type;
    e->elements = l->elements;
    sdfg_rt_mpi_pack(l, buffer, e->packed);
    pthread_mutex_lock(&lock);
    struct waiting_message *r = take(&receivers, tag);
    bool good = !r || deliver(n, &r->layout, r->buffer, e);
    if (r) {
        r->tag = tag;
        r->done = true;
    } else {
        append(&messages, e);
    }
    pthread_mutex_unlock(&lock);
    if (r) {
        free(e->packed);
        free(e);
    }
    return good;
}

bool sdfg_rt_mpi_self_recv(const struct sdfg_rt_mpi_node *n, void *buffer, const struct sdfg_rt_mpi_layout *l,
                           int64_t from, int64_t tag, uint64_t *request)
{
    struct waiting_message *r = request ? calloc(1, sizeof *r) : NULL;
    (void)from; /* nobody else is there */
    if (request && !r)
        return sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "a request");
    pthread_mutex_lock(&lock);
    struct waiting_message *e = take(&messages, tag);
    bool good = !e || deliver(n, l, buffer, e);
    if (r) {
        *r = (struct waiting_message){ .tag = e ? e->tag : tag, .layout = *l, .buffer = buffer, .done = e != NULL };
        if (!e)
            append(&receivers, r);
        *request = (uintptr_t)r;
    }
    pthread_mutex_unlock(&lock);
    if (e) {
        free(e->packed);
        free(e);
    }
    return good && (e || r ||
                    sdfg_rt_mpi_fail(n, SDFG_RT_MPI,
                                     "a message with tag %lld is awaited, but nobody else "
                                     "is there to send it",
                                     (long long)tag));
}

bool sdfg_rt_mpi_self_wait(const struct sdfg_rt_mpi_node *n, uint64_t *request, int32_t *tag, int32_t *source)
{
    struct waiting_message *r = (struct waiting_message *)(uintptr_t)*request;
    pthread_mutex_lock(&lock);
    bool done = r->done;
    if (!done) { /* no other process can send */
        struct waiting_message **list = &receivers;
        while (*list != r)
            list = &(*list)->next;
        *list = r->next;
    }
    pthread_mutex_unlock(&lock);
    if (tag)
        *tag = (int32_t)r->tag;
    if (source)
        *source = 0;
    long long awaited = r->tag;
    *request = 0;
    free(r);
    return done || sdfg_rt_mpi_fail(n, SDFG_RT_MPI,
                                    "a message with tag %lld is awaited, but nobody else is there to send it", awaited);
}
