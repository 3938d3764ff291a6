/* Persistent memory of a program and its init and exit code (what DaCe calls a handle, semantics.md 1.5).
 *
 * A program has one handle, made by the first call that needs it. When the sizes of its persistent containers depend on
 * symbols, every combination of their values has a handle of its own, so that memory is never used with a size it was
 * not made for. Calls that use a handle run one after another. */
#ifndef ENGINE_HANDLE_H
#define ENGINE_HANDLE_H

#include "engine/kernels/kernel.h"

struct handle {
    pthread_mutex_t run; /* held during a call */
    int64_t *key;        /* values of the symbols that sizes depend on */
    void **slots;
    uint32_t num_slots;
    struct sdfg_kernel *owner; /* whose init code ran and whose exit code ends it; NULL: not started */
    struct handle *next;
};

struct handle_table *handles_new(struct sdfg_program *p);
/* Per variable: do sizes of persistent memory depend on it? Reads the graph. */
bool *handles_key(const struct sdfg_program *p);
/* Runs the exit code of every handle. */
void handles_free(struct handle_table *t);

/* The handle for these symbol values, locked and initialized; unlock `run` after the call. NULL with *error set. */
struct handle *handles_enter(struct handle_table *t, struct sdfg_kernel *k, void *const *args,
                             const struct symbol_value *values, sdfg_error **error);

#endif
