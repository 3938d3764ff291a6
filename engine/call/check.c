#include "engine/call/check.h"

#include "engine/call/call.h"
#include "runtime/abi.h"

#include <string.h>

/* ---- names ---- */

static const struct {
    const char *name;
    unsigned bits;
} words[] = {
    { "bounds", SDFG_CHECK_BOUNDS },   { "uninit", SDFG_CHECK_UNINIT },
    { "alias", SDFG_CHECK_ALIAS },     { "overflow", SDFG_CHECK_OVERFLOW },
    { "scope", SDFG_CHECK_SCOPE },     { "nan", SDFG_CHECK_NAN },
    { "race", SDFG_CHECK_RACE },       { "race-sample", SDFG_CHECK_RACE_SAMPLE },
    { "default", SDFG_CHECK_DEFAULT }, { "all", SDFG_CHECK_ALL },
};

enum { NUM_WORDS = sizeof words / sizeof *words };

static unsigned bits_of(const char *word, size_t length)
{
    for (int i = 0; i < NUM_WORDS; i++)
        if (!strncmp(words[i].name, word, length) && !words[i].name[length])
            return words[i].bits;
    return 0;
}

bool sdfg_check_by_name(const char *names, unsigned *check)
{
    unsigned all = names && *names ? 0 : SDFG_CHECK_DEFAULT;
    for (const char *at = names; at && *at;) {
        size_t length = strcspn(at, ",");
        unsigned bits = bits_of(at, length);
        if (!bits)
            return false;
        all |= bits;
        at += length;
        if (*at && !*++at)
            return false;
    }
    if (check)
        *check = all;
    return check != NULL;
}

const char *sdfg_check_name(enum sdfg_check check)
{
    for (int i = 0; i < NUM_WORDS; i++)
        if (words[i].bits == (unsigned)check)
            return words[i].name;
    return NULL;
}

/* ---- faults ---- */

static enum diag_code code_of(int64_t kind)
{
    switch (kind) {
    case SDFG_RT_CHECK_UNINIT:
        return DIAG_CHECK_UNINIT;
    case SDFG_RT_CHECK_OVERFLOW:
        return DIAG_CHECK_OVERFLOW;
    case SDFG_RT_CHECK_SCOPE:
        return DIAG_CHECK_SCOPE;
    case SDFG_RT_CHECK_NAN:
        return DIAG_CHECK_NAN;
    case SDFG_RT_CHECK_RACE:
        return DIAG_CHECK_RACE;
    default:
        return DIAG_CHECK_BOUNDS;
    }
}

/* "[5, 0:8] of extents [5, 7]": ends of ranges are exclusive, as in Python. */
static void print_indices(const sdfg_fault *f, struct text *out)
{
    text_addc(out, '[');
    for (size_t i = 0; i < f->rank; i++) {
        text_add(out, i ? ", " : "");
        if (f->low[i] == f->high[i])
            text_printf(out, "%lld", (long long)f->low[i]);
        else
            text_printf(out, "%lld:%lld", (long long)f->low[i], (long long)f->high[i] + 1);
    }
    text_add(out, "] of extents [");
    for (size_t i = 0; i < f->rank; i++)
        text_printf(out, "%s%lld", i ? ", " : "", (long long)f->extent[i]);
    text_addc(out, ']');
}

/* What is known of the indices. */
static void print_numbers(const sdfg_fault *f, const struct sdfg_rt_access *x, struct text *out)
{
    if (f->check == SDFG_CHECK_OVERFLOW && f->extent[0] == 64) {
        text_add(out, "an index does not fit into 64 bits");
        return;
    }
    if (f->check == SDFG_CHECK_OVERFLOW) {
        text_printf(out, "%lld does not fit into %lld bits", (long long)f->low[0], (long long)f->extent[0]);
        return;
    }
    if (f->check == SDFG_CHECK_SCOPE) {
        text_add(out, "the reference is not set, or its memory has ended");
        return;
    }
    if (f->rank)
        print_indices(f, out);
    /* Behind the last dimension, where there is one: the elements in a row. */
    if (x->flat && (!f->rank || f->low[f->rank] < 0 || f->high[f->rank] >= f->extent[f->rank]))
        text_printf(out, "%s%s %lld of %lld in memory", f->rank ? ", " : "", x->flat == 2 ? "byte" : "element",
                    (long long)f->high[f->rank], (long long)f->extent[f->rank]);
}

static void print_thread(const sdfg_fault *f, struct text *out)
{
    const uint32_t *b = f->block, *t = f->thread_of_block;
    if (*f->kernel)
        text_printf(out, ", in kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", f->kernel, b[0], b[1], b[2], t[0],
                    t[1], t[2]);
    else if (f->thread)
        text_printf(out, ", on thread %lld", (long long)f->thread);
}

/* Tells the callback, and makes the error. */
static sdfg_error *tell(const struct sdfg_engine *e, sdfg_fault *f, struct report *r)
{
    const struct diag *g = diags_get(r->diags, 0);
    f->struct_size = sizeof *f;
    f->text = g->message;
    if (e->options.fault)
        e->options.fault(e->options.fault_user, f);
    struct codegen_message m = {
        .class_id = diag_class_of(g->code),
        .code = diag_name(g->code),
        .message = g->message,
        .path = f->path,
        .source = f->source,
    };
    sdfg_error *error = error_from_message(&m, SDFG_STAGE_RUN);
    sdfg_error_free(report_end(r, SDFG_STAGE_RUN));
    return error;
}

sdfg_error *fault_error(const struct sdfg_engine *e, const struct sdfg_rt_faults *f)
{
    struct arena *a = arena_new();
    const struct sdfg_rt_access *x = f->access;
    int64_t lists[3][SDFG_RT_MAX_RANK];
    for (int64_t i = 0; i < 3 * x->rank; i++)
        lists[i % 3][i / 3] = f->values[i];
    sdfg_fault fault = {
        .check = (enum sdfg_check)x->kind,
        .container = x->text,
        .path = x->text + strlen(x->text) + 1,
        .rank = (size_t)(x->rank - (x->flat != 0)),
        .low = lists[0],
        .high = lists[1],
        .extent = lists[2],
        .thread = f->thread,
        .count = (uint64_t)f->count,
        .kernel = f->kernel ? f->kernel : "",
    };
    for (int i = 0; f->kernel && i < 3; i++) {
        fault.block[i] = f->block[i];
        fault.thread_of_block[i] = f->thread_of_block[i];
    }
    fault.source = fault.path + strlen(fault.path) + 1;
    struct text where = text_new(a), more = text_new(a);
    print_numbers(&fault, x, &where);
    print_thread(&fault, &more);
    if (fault.count > 1)
        text_printf(&more, "; %llu more faults", (unsigned long long)fault.count - 1);
    struct report r = report_begin();
    diag_error(r.diags, NULL, code_of(x->kind), fault.container, text_get(&where), text_get(&more));
    sdfg_error *error = tell(e, &fault, &r);
    arena_free(a);
    return error;
}

sdfg_error *alias_error(const struct sdfg_args *a)
{
    const struct leaf *x, *y;
    if (!call_broken_promise(a, &x, &y))
        return NULL;
    struct arena *arena = arena_new();
    struct text path = text_new(arena), source = text_new(arena);
    place_print(y->place, &path);
    place_print_source(y->place, &source);
    sdfg_fault fault = {
        .check = SDFG_CHECK_ALIAS,
        .container = y->name,
        .path = text_get(&path),
        .source = text_get(&source),
        .count = 1,
        .kernel = "",
    };
    struct report r = report_begin();
    diag_error(r.diags, NULL, DIAG_CHECK_ALIAS, x->name, y->name);
    sdfg_error *error = tell(a->program->engine, &fault, &r);
    arena_free(arena);
    return error;
}
