/* Implementations of library nodes that the embedding program gave (sdfg_engine_implement). They are complete before
 * the first program is loaded, so generated code reads them without a lock. */
#ifndef ENGINE_NODE_H
#define ENGINE_NODE_H

#include "base/vec.h"
#include "engine/include/sdfg.h"
#include "runtime/abi.h"

struct node_implementation {
    const char *class_path;
    sdfg_node_function *function;
    void *user;
};

struct nodes {
    struct sdfg_rt_nodes runtime; /* first: what generated code sees */
    VEC(struct node_implementation) items;
    VEC(const char *) classes; /* of the items */
    bool complete;
};

/* No more can be added. */
void nodes_complete(struct sdfg_engine *e);

#endif
