/* Implementations of library nodes that plug-ins and the embedding program gave. They are complete before the first
 * program is loaded, so generated code reads them without a lock. */
#ifndef ENGINE_NODE_H
#define ENGINE_NODE_H

#include "base/vec.h"
#include "engine/include/sdfg.h"
#include "runtime/abi.h"

struct node_implementation {
    const char *class_path, *text;
    const char *plugin; /* NULL: the embedding program */
    sdfg_node_function *function;
    void *user;
};

struct nodes {
    struct sdfg_rt_nodes runtime; /* first: what generated code sees */
    VEC(struct node_implementation) items;
    VEC(const char *) classes; /* of the items */
};

struct sdfg_engine;

/* Texts are copied, but for `plugin`. The lock of the registry is held, and nobody has the class yet. */
void nodes_add(struct sdfg_engine *e, const char *class_path, const char *text, const char *plugin,
               sdfg_node_function *f, void *user);
/* Only the first `count` stay. */
void nodes_shorten(struct sdfg_engine *e, uint32_t count);

#endif
