#include "engine/export/export.h"

#include "base/sized.h"
#include "engine/kernels/kernel.h"
#include "jit/place.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

bool export_takes(const struct leaf *l, const sdfg_export *x)
{
    for (size_t i = 0; i < x->num_optional; i++)
        if (!strcmp(x->optional[i], l->name))
            return true;
    return l->kind != SDFG_KIND_SYMBOL || !l->optional;
}

const char *export_shape(struct arena *a, const struct leaf *l)
{
    struct text t = text_new(a);
    const struct {
        const char *name;
        const char *const *texts;
    } lists[] = { { "", l->shape_texts }, { ", strides ", l->strides_texts } };
    for (unsigned k = 0; k < (l->rank > 1 ? 2 : 1) && l->rank && lists[k].texts; k++) {
        text_printf(&t, "%s[", lists[k].name);
        for (uint32_t i = 0; i < l->rank; i++)
            text_printf(&t, "%s%s", i ? ", " : "", lists[k].texts[i]);
        text_addc(&t, ']');
    }
    return text_get(&t);
}

/* ---- the request ---- */

/* "aarch64" is short for what this system's C library is for. */
static const char *triple_of(struct arena *a, const char *target)
{
    return !target || strchr(target, '-') ? target : arena_printf(a, "%s-unknown-linux-gnu", target);
}

/* "generic+sve+bf16" is the processor "generic" with "+sve,+bf16" in front of the other features. */
static void take_cpu(struct codegen_export *out, struct arena *a, const sdfg_export *x)
{
    const char *more = x->cpu ? strchr(x->cpu, '+') : NULL;
    out->cpu = x->cpu;
    out->features = x->features;
    if (!more)
        return;
    struct text t = text_new(a);
    for (const char *c = more; *c; c++)
        text_printf(&t, "%s%c", c > more && *c == '+' ? "," : "", *c);
    if (x->features && *x->features)
        text_printf(&t, ",%s", x->features);
    out->cpu = arena_strndup(a, x->cpu, (size_t)(more - x->cpu));
    out->features = text_get(&t);
}

static bool describe(struct codegen_export *out, const struct sdfg_program *p, const sdfg_export *x, struct report *r)
{
    struct codegen_argument *arguments = NEW_ARRAY(r->arena, struct codegen_argument, p->num_arguments);
    struct codegen_storage *storages = NEW_ARRAY(r->arena, struct codegen_storage, p->workspaces.count);
    *out = (struct codegen_export){
        .name = p->name,
        .arguments = arguments,
        .storages = storages,
        .num_storages = p->workspaces.count,
        .triple = triple_of(r->arena, x->target),
    };
    take_cpu(out, r->arena, x);
    for (uint32_t i = 0; i < p->num_arguments; i++) {
        const struct leaf *l = &p->arguments[i];
        if (!export_takes(l, x))
            continue;
        bool value = leaf_is_value(l) && l->dtype != SDFG_NONE;
        if (value && (l->lanes != 1 || l->dtype == SDFG_RECORD))
            return diag_error(r->diags, l->place, DIAG_EXPORT_VALUE, l->name, l->type_text);
        arguments[out->num_arguments++] =
            (struct codegen_argument){ l->name, value ? (int)l->dtype : SDFG_NONE, export_is_symbol(l) };
    }
    for (uint32_t i = 0; i < p->workspaces.count; i++)
        storages[i] = (struct codegen_storage){ p->workspaces.items[i]->name, p->workspaces.items[i]->row };
    return true;
}

/* ---- forms ---- */

/* Functions that the object defines. */
static const char *const *defined(struct arena *a, const struct codegen_export *x, uint32_t *count)
{
    static const char *const functions[] = { "__dace_init_", "__program_", "__dace_exit_", "__sdfg_call_" };
    static const char *const externals[] = { "__dace_get_external_memory_size_", "__dace_set_external_memory_" };
    enum { FUNCTIONS = sizeof functions / sizeof *functions, EXTERNALS = sizeof externals / sizeof *externals };
    const char **names = NEW_ARRAY(a, const char *, FUNCTIONS + EXTERNALS * x->num_storages);
    *count = 0;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        names[(*count)++] = arena_printf(a, "%s%s", functions[i], x->name);
    for (uint32_t i = 0; i < EXTERNALS * x->num_storages; i++)
        names[(*count)++] = arena_printf(a, "%s%s", externals[i % EXTERNALS], x->storages[i / EXTERNALS].name);
    return names;
}

/* The folder of this library: its runtime lies there, too. */
static const char *own_folder(struct arena *a)
{
    Dl_info here;
    if (!dladdr((void *)(uintptr_t)&export_takes, &here) || !here.dli_fname || *here.dli_fname != '/')
        return NULL;
    return arena_strndup(a, here.dli_fname, (size_t)(strrchr(here.dli_fname, '/') - here.dli_fname));
}

static bool shared_library(struct text *out, const char *bytes, size_t size, const struct codegen_export *x,
                           struct report *r)
{
    static const char *const needed[] = { "libsdfg-rt.so.0", "libm.so.6", "libc.so.6" };
    const struct code_object object = { .bytes = bytes, .size = size };
    const char *why, *folder = x->triple ? NULL : own_folder(r->arena); /* another machine has other folders */
    struct place_shared o = { .needed = needed, .num_needed = sizeof needed / sizeof *needed };
    o.name = arena_printf(r->arena, "lib%s.so", x->name);
    o.exports = defined(r->arena, x, &o.num_exports);
    o.search = folder ? arena_printf(r->arena, "$ORIGIN:%s", folder) : "$ORIGIN";
    return place_write_shared(&object, &o, out, &why) || diag_error(r->diags, NULL, DIAG_EXPORT_SHARED, why);
}

static enum codegen_emit emitted(enum sdfg_export_form form)
{
    switch (form) {
    case SDFG_EXPORT_ASM:
        return CODEGEN_EMIT_ASM;
    case SDFG_EXPORT_TREE:
        return CODEGEN_EMIT_TREE;
    case SDFG_EXPORT_REMARKS:
        return CODEGEN_EMIT_REMARKS;
    case SDFG_EXPORT_SDFG:
        return CODEGEN_EMIT_SDFG;
    default:
        return CODEGEN_EMIT_OBJECT;
    }
}

static bool binary(struct text *out, struct sdfg_program *p, const sdfg_export *x, const struct symbol_value *values,
                   struct report *r, sdfg_error **error)
{
    struct codegen_export request;
    char *bytes;
    size_t size;
    if (!describe(&request, p, x, r))
        return false;
    struct signature s = kernel_signature(p, values, r->arena);
    s.exports = &request;
    *error = kernels_emit(p, &s, emitted(x->form), &bytes, &size);
    if (*error)
        return false;
    bool ok = true;
    struct cleanup made;
    cleanup_push(&made, free, bytes);
    uint32_t num_names;
    const char *const *names = defined(r->arena, &request, &num_names);
    if (x->form == SDFG_EXPORT_SHARED)
        ok = shared_library(out, bytes, size, &request, r);
    else if (x->form == SDFG_EXPORT_ARCHIVE)
        export_archive(out, request.name, bytes, size, names, num_names);
    else
        text_addn(out, bytes, size);
    cleanup_pop(&made);
    free(bytes);
    return ok;
}

static bool is_symbol(const struct sdfg_program *p, const char *name)
{
    for (uint32_t i = 0; name && i < p->num_arguments; i++)
        if (export_is_symbol(&p->arguments[i]) && !strcmp(p->arguments[i].name, name))
            return true;
    return false;
}

static bool export_any(struct text *out, struct sdfg_program *p, const sdfg_export *x, struct report *r,
                       sdfg_error **error)
{
    struct symbol_value *values = NEW_ARRAY(r->arena, struct symbol_value, p->num_variables);
    if (!kernel_bound_values(p, x->symbols, x->num_symbols, values, r))
        return false;
    for (size_t i = 0; i < x->num_optional; i++)
        if (!is_symbol(p, x->optional[i]))
            return diag_error(r->diags, NULL, DIAG_EXPORT_OPTIONAL, x->optional[i] ? x->optional[i] : "(null)");
    for (uint32_t i = 0; i < p->num_arguments; i++)
        if (p->arguments[i].kind == SDFG_KIND_STREAM)
            return diag_error(r->diags, p->arguments[i].place, DIAG_EXPORT_STREAM, p->arguments[i].name);
    switch (x->form) {
    case SDFG_EXPORT_OBJECT:
    case SDFG_EXPORT_ARCHIVE:
    case SDFG_EXPORT_SHARED:
    case SDFG_EXPORT_ASM:
    case SDFG_EXPORT_TREE:
    case SDFG_EXPORT_REMARKS:
    case SDFG_EXPORT_SDFG:
        return binary(out, p, x, values, r, error);
    case SDFG_EXPORT_C:
        export_c(out, p, x);
        return true;
    case SDFG_EXPORT_FORTRAN:
        export_fortran(out, p, x);
        return true;
    }
    return diag_error(r->diags, NULL, DIAG_OPTION_VALUE, "form", "is one of enum sdfg_export_form");
}

static sdfg_error *export_text(char **out, size_t *size, sdfg_program *p, const sdfg_export *x)
{
    GUARDED(error_memory(SDFG_STAGE_COMPILE));
    struct report r = report_begin();
    struct text text = text_new(r.arena);
    sdfg_error *error = NULL;
    if (export_any(&text, p, x, &r, &error))
        error = give_text(out, &text, size, NULL);
    sdfg_error *found = report_end(&r, SDFG_STAGE_BIND);
    return error ? error : found;
}

sdfg_error *sdfg_program_export(char **out, size_t *size, sdfg_program *p, const sdfg_export *x)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(p);
    NEEDS(x);
    sdfg_export own = SDFG_EXPORT_INIT;
    const char *wrong = sized_take(&own, sizeof own, x);
    if (wrong)
        return error_of(SDFG_STAGE_COMPILE, DIAG_STRUCT_SIZE, "sdfg_export", wrong);
    NEEDS_FOR(own.symbols, own.num_symbols);
    NEEDS_FOR(own.optional, own.num_optional);
    return export_text(out, size, p, &own);
}
