#include "base/near.h"
#include "base/sized.h"
#include "base/vec.h"
#include "engine/engine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sdfg_options_init(sdfg_options *o, size_t struct_size)
{
    if (!o)
        return;
    sdfg_options defaults = SDFG_OPTIONS_INIT;
    defaults.struct_size = struct_size;
    defaults.debug = getenv("SDFG_DEBUG");
    defaults.dump_dir = getenv("SDFG_DUMP_DIR");
    defaults.plugins = secure_getenv("SDFG_PLUGINS"); /* code that the process runs */
    memset(o, 0, struct_size);
    memcpy(o, &defaults, struct_size < sizeof defaults ? struct_size : sizeof defaults);
}

static bool take_policy(struct sdfg_engine *e, const char *text, struct diags *d)
{
    if (!text || !strcmp(text, "auto"))
        e->policy = SPECIALIZE_AUTO;
    else if (!strcmp(text, "none"))
        e->policy = SPECIALIZE_NONE;
    else if (!strcmp(text, "all"))
        e->policy = SPECIALIZE_ALL;
    else {
        VEC(const char *) names = { 0 };
        for (const char *at = text;; at++) {
            size_t length = strcspn(at, ",");
            if (!length)
                return diag_error(d, NULL, DIAG_OPTION_VALUE, "specialize", "is auto, none, all or a list of symbols");
            vec_push(e->arena, &names, arena_strndup(e->arena, at, length));
            at += length;
            if (!*at)
                break;
        }
        e->policy = SPECIALIZE_LIST;
        e->bound_names = names.items;
        e->num_bound_names = names.count;
    }
    return true;
}

/* SDFG_DEBUG, or `debug`: words with commas between them. */
static bool check_debug(struct sdfg_engine *e, const char *words, struct diags *d)
{
    static const char *const known[] = { "ir",      "tree",    "places",  "facts",   "changes",
                                         "vscale1", "vscale2", "vscale4", "vscale16" };
    for (const char *at = words; at && *at;) {
        size_t length = strcspn(at, ",");
        const char *word = arena_strndup(e->arena, at, length);
        struct near n = near_begin(word);
        bool found = !length;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            near_try(&n, known[i]);
            found = found || !strcmp(word, known[i]);
        }
        if (!found)
            return diag_error(
                d, NULL, DIAG_OPTION_VALUE, "debug",
                arena_printf(
                    e->arena,
                    "(SDFG_DEBUG) is made of ir, tree, places, facts, changes and vscale1, 2, 4 or 16: there is no "
                    "word '%s'%s",
                    word, *n.best ? arena_printf(e->arena, " (did you mean '%s'?)", n.best) : ""));
        at += length + (at[length] == ',');
    }
    return true;
}

static const char *copy(struct arena *a, const char *text) { return text && *text ? arena_strdup(a, text) : NULL; }

enum { CACHE_BYTES = 512 << 20, CACHE_DAYS = 90, MEMORY_BYTES = 256 << 20 };

/* The XDG base directory specification: a relative path is to be ignored. */
static const char *default_cache(struct arena *a)
{
    const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    if (base && *base == '/')
        return arena_printf(a, "%s/libsdfg", base);
    return home && *home == '/' ? arena_printf(a, "%s/.cache/libsdfg", home) : NULL;
}

static void take_cache(struct sdfg_engine *e)
{
    sdfg_options *o = &e->options;
    o->cache_dir = copy(e->arena, o->cache_dir);
    if (o->cache_dir && !strcmp(o->cache_dir, "default"))
        o->cache_dir = default_cache(e->arena);
    o->cache_bytes = o->cache_bytes ? o->cache_bytes : CACHE_BYTES;
    o->cache_days = o->cache_days ? o->cache_days : CACHE_DAYS;
    o->memory_bytes = o->memory_bytes ? o->memory_bytes : MEMORY_BYTES;
}

static bool take_device(struct sdfg_engine *e, struct diags *d)
{
    const char *device = e->options.device = copy(e->arena, e->options.device);
    e->cuda_device = -1;
    e->device_auto = device && !strcmp(device, "auto");
    if (e->device_auto)
        e->cuda_device = 0;
    if (!device || e->device_auto || !strcmp(device, "cpu"))
        return true;
    const char *number = strncmp(device, "cuda:", 5) == 0 ? device + 5 : NULL;
    bool cuda = !strcmp(device, "cuda") || (number && *number && !number[strspn(number, "0123456789")]);
    long index = number ? strtol(number, NULL, 10) : 0;
    if (cuda)
        e->cuda_device = index > INT_MAX ? INT_MAX : (int)index;
    return cuda || diag_error(d, NULL, DIAG_OPTION_VALUE, "device", "is auto, cpu, cuda or cuda:NUMBER");
}

struct read_limits engine_limits(const struct sdfg_engine *e)
{
    const sdfg_limits *l = e->options.limits;
    return (struct read_limits){ l->file_bytes, l->text_bytes, (enum read_external)e->options.external_files };
}

static bool take_limits(struct sdfg_engine *e, struct diags *d)
{
    sdfg_options *o = &e->options;
    sdfg_limits *own = NEW(e->arena, sdfg_limits);
    *own = (sdfg_limits)SDFG_LIMITS_INIT;
    const char *wrong = o->limits ? sized_take(own, sizeof *own, o->limits) : NULL;
    if (wrong)
        return diag_error(d, NULL, DIAG_STRUCT_SIZE, "sdfg_limits", wrong);
    o->limits = own;
    if ((unsigned)o->external_files > SDFG_EXTERNAL_ANY)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "external_files", "is one of enum sdfg_external_files");
    return true;
}

bool options_take(struct sdfg_engine *e, const sdfg_options *given, struct diags *d)
{
    sdfg_options *o = &e->options;
    sdfg_options_init(o, sizeof *o);
    const char *wrong = given ? sized_take(o, sizeof *o, given) : NULL;
    if (wrong)
        return diag_error(d, NULL, DIAG_STRUCT_SIZE, "sdfg_options", wrong);
    if (o->opt_level < -1 || o->opt_level > SDFG_OPT_MAX)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "opt_level", "is -1 to 3, or SDFG_OPT_MAX");
    if (!(o->tune_seconds >= 0))
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "tune_seconds", "is not negative");
    if (o->num_threads < 0 || o->num_threads > 65536)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "num_threads", "is 0 to 65536");
    if ((unsigned)o->tier > SDFG_TIER_AUTO)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "tier", "is one of enum sdfg_tier");
    if ((unsigned)o->fp > SDFG_FP_FAST)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "fp", "is one of enum sdfg_fp");
    if (o->instrument > SDFG_INSTRUMENT_ALL)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "instrument", "has bits of enum sdfg_instrument");
    if (o->check > (SDFG_CHECK_ALL | SDFG_CHECK_RACE_SAMPLE))
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "check", "is made of bits of enum sdfg_check");
    if ((unsigned)o->linker > SDFG_LINKER_ORC)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "linker", "is one of enum sdfg_linker");
    if (!o->allocate != !o->release)
        return diag_error(d, NULL, DIAG_OPTION_VALUE, "allocate", "needs option 'release', and the other way round");
    if (!check_debug(e, o->debug, d) || !take_limits(e, d) || !take_policy(e, o->specialize, d) || !take_device(e, d))
        return false;
    e->tunes = o->opt_level == SDFG_OPT_MAX;
    if (e->tunes) { /* the default code is measured against others, all of them optimized */
        o->opt_level = -1;
        o->tier = SDFG_TIER_FULL;
    }
    o->specialize = copy(e->arena, o->specialize);
    o->python = copy(e->arena, o->python);
    take_cache(e);
    o->codegen = copy(e->arena, o->codegen);
    o->debug = copy(e->arena, o->debug);
    o->dump_dir = copy(e->arena, o->dump_dir);
    o->dump_after = copy(e->arena, o->dump_after);
    o->save_data = copy(e->arena, o->save_data);
    o->instrument_with = copy(e->arena, o->instrument_with);
    o->plugins = copy(e->arena, o->plugins);
    o->passes = copy(e->arena, o->passes);
    o->restore_data = copy(e->arena, o->restore_data);
    return true;
}

/* A file name that keeps what is readable of `title`. */
static void file_name(char *out, size_t size, const char *title)
{
    size_t n = 0;
    for (; *title && n + 1 < size; title++)
        out[n++] = strchr("/\\ \"'*?<>|:", *title) ? '_' : *title;
    out[n] = 0;
}

void engine_dump(void *engine, const char *title, const char *text)
{
    const struct sdfg_engine *e = engine;
    const sdfg_options *o = &e->options;
    if (o->dump) {
        o->dump(o->dump_user, title, text);
        return;
    }
    if (!o->dump_dir)
        return;
    char name[128], path[4096];
    file_name(name, sizeof name, title);
    if (snprintf(path, sizeof path, "%s/%s", o->dump_dir, name) >= (int)sizeof path)
        return;
    /* Dumps are a help for looking inside: one that cannot be written must not fail the compilation. */
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
}
