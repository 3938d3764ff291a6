/* Plug-ins from files and from the embedding program: what they say of themselves is checked before their code runs. */
#include "engine/plugin.h"

#include "base/sized.h"
#include "cache/hash.h"
#include "engine/engine.h"
#include "ir/graph.h"

#include <dlfcn.h>
#include <string.h>

void plugins_close(struct registry *r)
{
    while (r->plugins.count) {
        void *library = r->plugins.items[--r->plugins.count].library;
        if (library)
            dlclose(library);
    }
}

static bool may_load(const struct sdfg_engine *e, const char *name, struct diags *d)
{
    if (e->registry.busy)
        return diag_error(d, NULL, DIAG_PLUGIN_LATE, name, "after the function of the other plug-in has returned");
    if (e->registry.complete)
        return diag_error(d, NULL, DIAG_PLUGIN_LATE, name, "before the first program is loaded");
    return true;
}

/* The description, copied; `where` names the plug-in until it has a name. */
static bool take_about(struct sdfg_engine *e, const char *where, const sdfg_plugin_about *about, struct plugin *out,
                       struct diags *d)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    enum { LONGEST = 64 };
    sdfg_plugin_about own = { .struct_size = sizeof own };
    const char *wrong = about ? sized_take(&own, sizeof own, about) : "is NULL";
    if (wrong)
        return diag_error(d, NULL, DIAG_STRUCT_SIZE, "sdfg_plugin_about", wrong);
    if (own.abi != SDFG_PLUGIN_ABI)
        return diag_error(d, NULL, DIAG_PLUGIN_ABI, where, own.abi, SDFG_PLUGIN_ABI);
    size_t length = own.name ? strlen(own.name) : 0;
    if (!length || length > LONGEST || strspn(own.name, letters) != length)
        return diag_error(d, NULL, DIAG_PLUGIN_NAME, where, own.name ? own.name : "");
    for (uint32_t i = 0; i < e->registry.plugins.count; i++)
        if (!strcmp(e->registry.plugins.items[i].name, own.name))
            return diag_error(d, NULL, DIAG_PLUGIN_TWICE, own.name);
    out->name = arena_strdup(e->arena, own.name);
    out->version = arena_strdup(e->arena, own.version ? own.version : "");
    out->text = arena_strdup(e->arena, own.text ? own.text : "");
    out->content = "";
    return true;
}

/* ---- files ---- */

/* The file that was really opened, and what is in it. */
static bool take_file(struct sdfg_engine *e, const void *symbol, const char *path, struct plugin *p, struct diags *d)
{
    Dl_info info;
    struct arena *a = arena_new();
    char hash[CACHE_HASH_TEXT];
    size_t size = 0;
    p->file = arena_strdup(e->arena, dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : path);
    const char *bytes = file_read_most(a, d, p->file, &size, READ_BYTES);
    if (bytes) {
        cache_hash_text(cache_hash(bytes, size), hash);
        p->content = arena_strdup(e->arena, hash);
    }
    arena_free(a);
    return bytes != NULL;
}

static void close_library(void *library) { dlclose(library); }

static bool load_opened(struct sdfg_engine *e, const char *path, void *library, struct diags *d)
{
    static const char *const symbols[] = { "sdfg_plugin_get", "sdfg_plugin_init" };
    const void *found[2];
    struct plugin p = { .library = library };
    for (int i = 0; i < 2; i++)
        if (!(found[i] = dlsym(library, symbols[i])))
            return diag_error(d, NULL, DIAG_PLUGIN_SYMBOL, path, symbols[i]);
    const sdfg_plugin_about *(*get)(void);
    sdfg_plugin_function *init;
    memcpy(&get, &found[0], sizeof get);
    memcpy(&init, &found[1], sizeof init);
    return take_about(e, path, get(), &p, d) && take_file(e, found[1], path, &p, d) &&
           registry_register(e, &p, init, d);
}

static bool load(struct sdfg_engine *e, const char *path, struct diags *d)
{
    if (!may_load(e, path, d))
        return false;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return diag_error(d, NULL, DIAG_PLUGIN_OPEN, path, dlerror());
    struct cleanup opened;
    cleanup_push(&opened, close_library, library);
    bool ok = load_opened(e, path, library, d);
    cleanup_pop(&opened);
    if (!ok)
        dlclose(library);
    return ok;
}

bool registry_load(struct sdfg_engine *e, const char *files, struct diags *d)
{
    for (const char *at = files; at && *at;) {
        size_t length = strcspn(at, ":");
        if (length && !load(e, arena_strndup(e->arena, at, length), d))
            return false;
        at += length + (at[length] == ':');
    }
    return true;
}

/* ---- public ---- */

sdfg_error *sdfg_engine_plugin(sdfg_engine *e, const char *path)
{
    NEEDS(e);
    NEEDS(path);
    GUARDED(error_memory(SDFG_STAGE_OPTIONS));
    struct report r = report_begin();
    struct cleanup locked;
    guard_lock(&locked, &e->registry.lock);
    load(e, path, r.diags);
    guard_unlock(&locked);
    return report_end(&r, SDFG_STAGE_OPTIONS);
}

sdfg_error *sdfg_engine_extend(sdfg_engine *e, const sdfg_plugin_about *about, sdfg_plugin_function *f)
{
    NEEDS(e);
    NEEDS(about);
    NEEDS(f);
    GUARDED(error_memory(SDFG_STAGE_OPTIONS));
    struct report r = report_begin();
    struct cleanup locked;
    guard_lock(&locked, &e->registry.lock);
    struct plugin p = { .file = NULL };
    if (may_load(e, "of the embedding program", r.diags) &&
        take_about(e, "of the embedding program", about, &p, r.diags))
        registry_register(e, &p, f, r.diags);
    guard_unlock(&locked);
    return report_end(&r, SDFG_STAGE_OPTIONS);
}
