/* What is registered with an engine by the library (engine/builtin/) and by plug-ins: members of enumerations, library
 * nodes, graphs for library nodes, operations, targets, passes, providers of instrumentation, convertible objects. The
 * tables are complete before the first program is loaded; from then on they are read without a lock. */
#ifndef ENGINE_REGISTRY_H
#define ENGINE_REGISTRY_H

#include "base/diag.h"
#include "base/vec.h"
#include "engine/codegen.h"
#include "engine/include/sdfg_graph.h"
#include "engine/providers.h"
#include "engine/targets.h"
#include "ir/enums.h"

#include <pthread.h>

struct plugin {
    const char *name, *version, *text;
    const char *file;    /* NULL: it is part of the embedding program */
    const char *content; /* hash of the file, or "" */
    void *library;       /* of dlopen, or NULL */
};

struct convertible {
    sdfg_convertible own;
    const char *text, *plugin;
};

struct registry {
    pthread_mutex_t lock; /* recursive: a plug-in may ask for lists while it registers itself */
    bool complete;        /* a program is loaded */
    bool busy;            /* a plug-in registers itself */
    VEC(struct plugin) plugins;
    enum_members members;
    VEC(struct codegen_expansion) expansions;
    struct targets_table targets;
    VEC(struct codegen_target) codegen_targets; /* the same, as the code generator sees them */
    VEC(struct codegen_pass) passes;
    VEC(uint32_t) pass_marks, target_marks; /* of the names of the first ones, for the search of a name */
    VEC(struct codegen_operation) operations;
    struct providers providers;
    VEC(struct codegen_provider) codegen_providers;
    VEC(struct convertible *) convertibles;
    struct codegen_added added; /* these, for the code generator */
    VEC(struct plugin_end {
        void (*function)(void *user);
        void *user;
    })
    ends;
};

struct sdfg_engine;

void registry_begin(struct sdfg_engine *e);
/* What the library adds as plug-ins do. */
bool registry_library(struct sdfg_engine *e, struct diags *d);
/* Calls what plug-ins asked for with at_free and closes their files, the last first. */
void registry_end(struct sdfg_engine *e);
/* Nothing can be added any more. */
void registry_complete(struct sdfg_engine *e);

/* Loads the files of the options, which have ':' between them. */
bool registry_load(struct sdfg_engine *e, const char *files, struct diags *d);
/* One line for each plug-in, for keys of kernels. */
void registry_key(struct sdfg_engine *e, struct text *out);

#endif
