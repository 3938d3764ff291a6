/* The engine object: options and the code generator. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/error.h"
#include "engine/node.h"
#include "engine/registry.h"
#include "ir/ir.h"

#include <pthread.h>
#include <stdatomic.h>

enum device_state { DEVICE_NOT_ASKED, DEVICE_THERE, DEVICE_MISSING };

struct sdfg_engine {
    struct arena *arena; /* holds the texts of the options */
    atomic_uint holders; /* the caller until he frees it, and its programs */
    atomic_bool freed;   /* by the caller */
    sdfg_options options;
    int cuda_device;                         /* that programs run on; -1: the CPU */
    bool tunes;                              /* calls measure which passes they are faster without (engine/tune/) */
    bool device_auto;                        /* that one or the CPU, by what a call costs (engine/kernels/choose.h) */
    _Atomic(enum device_state) device_state; /* of the GPU, if it is one of two */
    enum specialize_policy { SPECIALIZE_AUTO, SPECIALIZE_NONE, SPECIALIZE_ALL, SPECIALIZE_LIST } policy;
    const char **bound_names; /* SPECIALIZE_LIST */
    uint32_t num_bound_names;
    _Atomic(const char *) phase; /* of a compilation, or NULL */
    atomic_ullong parsed;        /* Python programs */
    struct kernel_store *kernels;
    struct tiers *tiers;
    struct device_codes *device_codes;
    struct disk *disk;        /* NULL: no disk cache */
    const char *disk_off;     /* why */
    struct registry registry; /* what plug-ins added; its lock guards the nodes, too */
    struct nodes nodes;
    pthread_mutex_t lock; /* guards what follows */
    void *library;
    const struct codegen_api *codegen;
};

/* One holder more or less; the last one releases it. */
void engine_hold(struct sdfg_engine *e);
void engine_let_go(struct sdfg_engine *e);

/* Copies and checks what a caller gave (engine/options.c). */
bool options_take(struct sdfg_engine *e, const sdfg_options *given, struct diags *d);

/* What generated code finds functions of plug-ins and the embedding program with, or NULL: there are none. */
static inline void *engine_functions(const struct sdfg_engine *e)
{
    bool any = e->nodes.items.count || e->registry.plugins.count || e->options.timing;
    return any ? (void *)(uintptr_t)&e->nodes.runtime : NULL;
}

/* What reading a program may take in, for `struct ir`. */
struct read_limits engine_limits(const struct sdfg_engine *e);

/* The code generator, opened on the first use (engine/codegen.c); NULL with the reason recorded. */
const struct codegen_api *engine_codegen(struct sdfg_engine *e, struct diags *d);

/* The file it is opened from, in `a`; NULL if it is not there. */
const char *engine_codegen_file(const struct sdfg_engine *e, struct arena *a);

/* Passes a dump on: to the callback of the options, or into a file of the dump folder. */
void engine_dump(void *engine, const char *title, const char *text);

#endif
