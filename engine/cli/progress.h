/* What a long compilation is doing, on a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "engine/include/sdfg.h"

#include <pthread.h>
#include <stdbool.h>

struct progress_line {
    sdfg_engine *engine;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool running, done;
};

/* From now on the phase of a compilation that takes more than a second is shown on standard error, if that is a
 * terminal, until progress_end. */
void progress_begin(struct progress_line *p, sdfg_engine *e);
void progress_end(struct progress_line *p);

#endif
