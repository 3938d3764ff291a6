/* The specializations of the programs of an engine: compiled on the first request, shared by all calls with the same
 * signature, dropped when the memory they take is over the limit of the engine and nobody uses them.
 *
 * One lock for all programs of an engine guards the tables and the order of use; it is not held while something is
 * compiled. Who wants a kernel that another thread is making waits for that one and shares its fate. Calls that repeat
 * what calls with the same arguments object asked for before do not come here (engine/call/recent.h). */
#ifndef ENGINE_KERNELS_H
#define ENGINE_KERNELS_H

#include "engine/kernels/kernel.h"

struct kernel_store; /* of an engine */
struct kernel_store *kernel_store_new(size_t limit);
void kernel_store_free(struct kernel_store *s); /* after all tables */

struct kernel_table *kernels_new(struct sdfg_program *p);
void kernels_free(struct kernel_table *t); /* and all kernels, pinned or not */

/* The kernel for a signature, pinned; give it back with kernels_release. NULL with *error set. `instead_of` is given
 * back in turn, if it is not NULL and there is a kernel. */
struct sdfg_kernel *kernels_get(struct kernel_table *t, const struct signature *s, struct sdfg_kernel *instead_of,
                                sdfg_error **error);
/* Whether it is in memory, or was on disk and now is in memory. */
bool kernels_have(struct kernel_table *t, const struct signature *s);
void kernels_pin(struct sdfg_kernel *k); /* once more */
void kernels_release(struct sdfg_kernel *k);
/* The same, and the table forgets it: it is freed when nobody has pinned it any more. */
void kernels_discard(struct sdfg_kernel *k);
/* Counts how often kernels that somebody has pinned kept the store above its limit: who pins some that it only may need
 * gives them back when this number changes. */
uint32_t kernels_crowded(const struct kernel_table *t);
/* The optimized kernel for the signature of `quick`, which the caller has pinned, takes its place in the table; `full`
 * NULL: it could not be made. */
void kernels_replace(struct sdfg_kernel *quick, struct sdfg_kernel *full, const sdfg_error *error);

/* One call more of the program; one request that the caller had the kernel for. */
void kernels_count_call(struct kernel_table *t);
void kernels_count_found(struct kernel_table *t);
sdfg_stats kernels_stats(struct kernel_table *t);      /* of a program */
sdfg_stats kernel_store_stats(struct kernel_store *s); /* of all, also of those that are gone */

/* In plain words: would a call with this signature find its kernel in memory, and if not, what is different from the
 * nearest one there. */
void kernels_explain(struct kernel_table *t, const struct signature *s, struct text *out);

#endif
