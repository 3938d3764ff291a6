/* Graphs that callers make (sdfg_graph.h), over ir/build: handles that know what they stand for, so that wrong ones are
 * mistakes of the caller and never of ours. */
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include "engine/engine.h"
#include "engine/include/sdfg_graph.h"
#include "ir/build/build.h"

enum element_kind {
    ELEMENT_CONTAINER,
    ELEMENT_BLOCK,
    ELEMENT_BODY,
    ELEMENT_BRANCH,
    ELEMENT_TRANSITION,
    ELEMENT_NODE,
    ELEMENT_EDGE
};

struct sdfg_element {
    enum element_kind kind;
    struct sdfg_graph *graph;
    union {
        struct container *container;
        struct block *block; /* of a body or branch: that of the region */
        struct transition *transition;
        struct node *node;
        struct edge *edge;
        void *any;
    };
};

/* A captured array: the container of a graph that holds it, and the object that knows where it is. */
struct graph_capture {
    const char *container;
    const sdfg_convertible *object;
    uint32_t index; /* in its closure */
    const void *data;
    sdfg_dtype dtype;
    int rank;
    int64_t shape[SDFG_MAX_RANK];
};

/* A graph that an object has made, by what it was told. */
struct graph_made {
    const char *key;
    struct sdfg_graph *graph;
};

/* All in the arena of `ir`, which all graphs of an outermost one share. */
struct sdfg_graph {
    struct sdfg_graph *outermost;
    struct ir *ir;
    struct sdfg *sdfg;
    struct sdfg_element body;
    sdfg_engine *engine; /* held; NULL: none. Of the outermost graph, as what follows */
    uint32_t depth;      /* of calls of objects that this graph is made for */
    VEC(struct graph_capture) captures;
    VEC(struct graph_made) made; /* of the outermost graph */
    bool memory;                 /* something could not be made because memory was exhausted */
};

struct sdfg_graph *graph_new(struct ir *ir, struct sdfg_graph *outermost, const char *name);
struct sdfg_element *graph_element(struct sdfg_graph *g, enum element_kind kind, void *any);
const struct place *graph_place(const struct sdfg_element *e);
struct sdfg_element *graph_no_memory(struct sdfg_graph *g); /* NULL */
/* Whether a text that must be there is; if not, that is a mistake of `function`. */
bool graph_has(struct sdfg_graph *g, const char *text, const char *function, const char *parameter);
bool graph_is_name(struct sdfg_graph *g, const char *name);
/* Sets an attribute that is kept as JSON; false: the element has none of this name. */
bool graph_keep(const struct sdfg_element *e, const char *property, const char *value);
/* The text of the graph as it is, valid or not, in `text`, whose arena is another one. False: there are mistakes, which
 * `d` gets. */
bool graph_write(struct sdfg_graph *g, struct text *text, struct diags *d);

/* First lines of functions that make something in the graph of `e` (or of a graph `g`). */
#define MAKES(g)                                                                                                       \
    if (!(g))                                                                                                          \
        return NULL;                                                                                                   \
    GUARDED(graph_no_memory(g))
/* The same for a part of a graph, which a handle stands for. */
#define MAKES_IN(part)                                                                                                 \
    if (!(part))                                                                                                       \
        return NULL;                                                                                                   \
    GUARDED(graph_no_memory((part)->graph))

#endif
