/* The part of an OpenMP runtime that runtime/parallel.c uses, on plain POSIX threads. It stands for libgomp in builds
 * with the thread sanitizer, which cannot see how the real one orders its threads and would report races that are none.
 */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, MOST_THREADS = 64 };

struct member {
    struct team *team;
    unsigned number;
};

struct team {
    void (*body)(void *);
    void *data;
    unsigned size;
    struct team *outer;
    pthread_barrier_t barrier;
    struct member members[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
};

static _Thread_local struct member current;

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel_start(void (*body)(void *), void *data, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_barrier(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_in_parallel(void);
int omp_get_max_threads(void);

static void *run(void *member)
{
    current = *(struct member *)member;
    current.team->body(current.team->data);
    return NULL;
}

void GOMP_parallel_start(void (*body)(void *), void *data, unsigned threads)
{
    struct team *team = calloc(1, sizeof *team);
    if (!team)
        abort();
    *team = (struct team){ .body = body, .data = data, .size = threads ? threads : THREADS, .outer = current.team };
    if (team->size > MOST_THREADS || current.team)
        team->size = 1;
    if (pthread_barrier_init(&team->barrier, NULL, team->size))
        abort();
    for (unsigned i = 0; i < team->size; i++)
        team->members[i] = (struct member){ team, i };
    current = team->members[0];
    for (unsigned i = 1; i < team->size; i++)
        if (pthread_create(&team->ids[i], NULL, run, &team->members[i]))
            abort();
}

void GOMP_parallel_end(void)
{
    struct team *team = current.team;
    for (unsigned i = 1; i < team->size; i++)
        pthread_join(team->ids[i], NULL);
    pthread_barrier_destroy(&team->barrier);
    current = (struct member){ team->outer, 0 };
    free(team);
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    if (!data) /* nothing to do: how runtime/parallel.c finds out whether threads sleep. Its regions are to be opened.
                */
        return;
    struct member outer = current;
    GOMP_parallel_start(body, data, threads);
    body(data);
    GOMP_parallel_end();
    current = outer;
}

void GOMP_barrier(void)
{
    if (current.team)
        pthread_barrier_wait(&current.team->barrier);
}

int omp_get_thread_num(void) { return (int)current.number; }
int omp_get_num_threads(void) { return current.team ? (int)current.team->size : 1; }
int omp_in_parallel(void) { return current.team && current.team->size > 1; }
int omp_get_max_threads(void) { return THREADS; }
