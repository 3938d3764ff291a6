/* Passes over the graph. False: the diagnostics of the graph's context say why. */
#ifndef IR_PASSES_PASSES_H
#define IR_PASSES_PASSES_H

#include "ir/graph.h"

/* Every connector and assigned symbol gets its type; the code of tasklets is parsed. The graph is valid. */
bool sdfg_infer_types(struct sdfg *s);

/* Default in scopes of registered schedules becomes what their rows say. The graph is valid. */
bool sdfg_settle_defaults(struct sdfg *s);

/* Vectors whose length only the machine knows become single elements. Before types are inferred. */
bool sdfg_machine_vectors(struct sdfg *s);

/* Copies between arrays become maps. The graph is valid, and is validated again. */
bool sdfg_copy_to_map(struct sdfg *s);

/* Arrays of a size that is known when the program begins get the lifetime Persistent. The graph is valid. */
bool sdfg_persistent_transients(struct sdfg *s);

/* Elements of these kinds that nothing measures get the instrumentation `with`; the numbers are those of enum
 * sdfg_instrument. */
enum instrument_kind { INSTRUMENT_MAPS = 1, INSTRUMENT_STATES = 2, INSTRUMENT_TASKLETS = 4, INSTRUMENT_OTHERS = 8 };
void sdfg_instrument(struct sdfg *s, unsigned kinds, const struct enum_value *with);

#endif
