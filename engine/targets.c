#include "engine/targets.h"

#include "engine/engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- environments ---- */

static bool fail(struct environment *v, const char *format, const char *what)
{
    snprintf(v->why.text, sizeof v->why.text, format, what);
    return false;
}

static bool open_library(struct environment *v)
{
    const char *trouble = NULL;
    for (size_t i = 0; v->own.libraries && v->own.libraries[i] && !v->library; i++) {
        v->library = dlopen(v->own.libraries[i], RTLD_NOW | RTLD_LOCAL);
        trouble = v->library ? NULL : dlerror();
    }
    if (trouble)
        return fail(v, "%s", trouble);
    for (size_t i = 0; v->own.symbols && v->own.symbols[i]; i++)
        if (!(v->symbols[i] = dlsym(v->library, v->own.symbols[i])))
            return fail(v, "its library has no symbol '%s'", v->own.symbols[i]);
    return true;
}

static void close_library(struct environment *v)
{
    if (v->library)
        dlclose(v->library);
    v->library = NULL;
}

static bool begin(struct targets_table *t, uint32_t index)
{
    struct environment *v = t->environments.items[index];
    if (v->phase != ENVIRONMENT_NEW)
        return v->phase == ENVIRONMENT_UP;
    v->phase = ENVIRONMENT_FAILED;
    for (uint32_t i = 0; i < v->num_needs; i++) {
        const struct environment *needed = t->environments.items[v->needs[i]];
        if (!begin(t, v->needs[i])) {
            snprintf(v->why.text, sizeof v->why.text, "environment '%s': %.300s", needed->own.name, needed->why.text);
            return false;
        }
    }
    if (!open_library(v) || (v->own.init && !v->own.init(v->state, v->symbols, reason_take, &v->why))) {
        reason_settle(&v->why);
        close_library(v);
        return false;
    }
    t->begun.items[t->begun.count++] = index; /* there is room for all */
    v->phase = ENVIRONMENT_UP;
    return true;
}

static void end(struct environment *v)
{
    if (v->own.exit)
        v->own.exit(v->state);
    close_library(v);
    v->phase = ENVIRONMENT_NEW;
}

void targets_shorten(struct sdfg_engine *e, uint32_t targets, uint32_t environments)
{
    struct targets_table *t = &e->registry.targets;
    while (t->begun.count && t->begun.items[t->begun.count - 1] >= environments)
        end(t->environments.items[t->begun.items[--t->begun.count]]);
    t->items.count = targets;
    t->environments.count = environments;
}

/* ---- targets ---- */

static bool is_usable(struct engine_target *t, const char **why)
{
    if (!t->probed) {
        t->usable = !t->own.probe || t->own.probe(t->own.user, reason_take, t->why);
        if (!t->usable)
            reason_settle(t->why);
        t->probed = true;
    }
    *why = t->why ? t->why->text : "";
    return t->usable;
}

static bool make_ready(struct targets_table *all, struct engine_target *t, const char **why)
{
    if (!is_usable(t, why))
        return false;
    for (uint32_t i = 0; i < t->num_environments; i++) {
        struct environment *v = all->environments.items[t->environments[i]];
        if (!begin(all, t->environments[i])) {
            snprintf(t->why->text, sizeof t->why->text, "environment '%s': %.300s", v->own.name, v->why.text);
            *why = t->why->text;
            return false;
        }
        t->states[i] = v->state;
    }
    atomic_store(&t->ready, true);
    return true;
}

bool target_is_usable(struct sdfg_engine *e, uint32_t index, const char **why)
{
    struct targets_table *all = &e->registry.targets;
    pthread_mutex_lock(&all->lock);
    bool ok = is_usable(all->items.items[index], why);
    pthread_mutex_unlock(&all->lock);
    return ok;
}

bool target_is_ready(void *engine, uint32_t index, const char **why)
{
    struct targets_table *all = &((struct sdfg_engine *)engine)->registry.targets;
    struct engine_target *t = all->items.items[index];
    if (atomic_load(&t->ready))
        return true;
    pthread_mutex_lock(&all->lock);
    bool ok = make_ready(all, t, why);
    pthread_mutex_unlock(&all->lock);
    return ok;
}

/* `text`: name of the target, name of its function; `arguments`: how many, then these. */
bool target_call(const struct sdfg_rt_nodes *nodes, const char *text, const int64_t *arguments, int64_t *result)
{
    struct sdfg_engine *e = (struct sdfg_engine *)((char *)(uintptr_t)nodes - offsetof(struct sdfg_engine, nodes));
    const char *function = text + strlen(text) + 1, *why;
    for (uint32_t i = 0; i < e->registry.targets.items.count; i++) {
        struct engine_target *t = e->registry.targets.items.items[i];
        if (strcmp(t->own.name, text) != 0)
            continue;
        for (size_t k = 0; k < t->own.num_functions; k++)
            if (!strcmp(t->own.functions[k].name, function)) {
                sdfg_target_call call = { sizeof call, t->own.user, t->states, arguments + 1, (size_t)arguments[0], 0 };
                bool ok = target_is_ready(e, i, &why) && t->own.functions[k].function(&call);
                *result = call.result;
                return ok;
            }
    }
    return false;
}
