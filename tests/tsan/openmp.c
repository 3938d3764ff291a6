/* The part of an OpenMP runtime that runtime/parallel.c uses, on plain POSIX threads. It stands for libgomp in builds
 * with the thread sanitizer, which cannot see how the real one orders its threads and would report races that are none.
 */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, MOST_THREADS = 64 };

struct team {
    void (*body)(void *);
    void *data;
    unsigned size;
    pthread_barrier_t barrier;
};

struct member {
    struct team *team;
    unsigned number;
};

static _Thread_local struct member current;

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
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

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    if (!data) /* nothing to do: how runtime/parallel.c finds out whether threads sleep. Its regions are to be opened.
                */
        return;
    struct team team = { .body = body, .data = data, .size = threads ? threads : THREADS };
    if (team.size > MOST_THREADS || current.team)
        team.size = 1;
    struct member members[MOST_THREADS], outer = current;
    pthread_t ids[MOST_THREADS];
    if (pthread_barrier_init(&team.barrier, NULL, team.size))
        abort();
    for (unsigned i = 0; i < team.size; i++)
        members[i] = (struct member){ &team, i };
    for (unsigned i = 1; i < team.size; i++)
        if (pthread_create(&ids[i], NULL, run, &members[i]))
            abort();
    run(&members[0]);
    for (unsigned i = 1; i < team.size; i++)
        pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&team.barrier);
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
