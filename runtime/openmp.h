/* The functions of the OpenMP runtime in use. */
#ifndef RUNTIME_OPENMP_H
#define RUNTIME_OPENMP_H

struct openmp {
    const char *name;
    void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    /* The halves of `parallel`: between them the caller is thread 0 of the team, whose other threads run the body.
     * `start` is null where the runtime lacks one of them. */
    void (*start)(void (*body)(void *), void *data, unsigned threads);
    void (*end)(void);
    void (*barrier)(void);
    int (*thread_num)(void);
    int (*num_threads)(void);
    int (*in_parallel)(void);
    int (*max_threads)(void);
};

/* Opened by the first call of the process; NULL: there is none. Any thread may call. */
const struct openmp *sdfg_rt_openmp(void);

#endif
