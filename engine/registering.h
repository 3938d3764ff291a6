/* A plug-in while its function runs: what the files that register share. */
#ifndef ENGINE_REGISTERING_H
#define ENGINE_REGISTERING_H

#include "base/fatal.h"
#include "engine/engine.h"

struct sdfg_plugin {
    struct sdfg_engine *engine;
    const char *name;
    struct diags *diags;
    bool failed; /* `diags` says why, or `memory` */
    bool memory;
    bool over; /* its function has returned */
};

/* Around what a plug-in calls: its frames are never abandoned, the error comes when it has returned. */
#define ASKED(p)                                                                                                       \
    if (!(p) || (p)->over)                                                                                             \
        return false;                                                                                                  \
    GUARDED(registering_memory(p))

bool registering_memory(struct sdfg_plugin *p); /* it is exhausted; false */
/* A registration is wrong: "plug-in 'p' registers WHAT 'NAME': WHY"; false. */
bool registering_refuse(struct sdfg_plugin *p, const char *what, const char *name, const char *why);
/* The lists and texts of what plug-ins register, in the arena of the engine. */
size_t registering_length(const char *const *list);
const char *const *registering_list(struct sdfg_plugin *p, const char *const *list); /* the library's own stay ... */
const char *registering_text(struct sdfg_plugin *p, const char *text);               /* ... where they are */
uint32_t registering_mark(const char *name);      /* names that are equal have equal marks */
bool registering_is_identifier(const char *name); /* NULL is none */
bool registering_is_member(const struct registry *r, enum enum_kind kind, const char *name);

/* Functions of sdfg_plugin_api (targets_register.c). */
bool registering_environment(struct sdfg_plugin *p, const sdfg_environment *given);
bool registering_pass(struct sdfg_plugin *p, const sdfg_pass *given);         /* registry_pass.c */
bool registering_provider(struct sdfg_plugin *p, const sdfg_provider *given); /* registry_provider.c */
/* registry_convertible.c */
bool registering_convertible(struct sdfg_plugin *p, const char *text, const struct sdfg_convertible *given);
bool registering_target(struct sdfg_plugin *p, const sdfg_target *given);

#endif
