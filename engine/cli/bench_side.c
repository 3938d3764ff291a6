#include "engine/cli/bench_side.h"

#include "engine/cli/execute.h"
#include "engine/cli/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool side_is_sdfg(const struct side *s) { return s->kind <= SIDE_AOT; }

static sdfg_options options_of(const struct side *s)
{
    sdfg_options o = s->command->options;
    o.cache_dir = s->kind == SIDE_AOT ? s->cache : NULL;
    if (s->kind != SIDE_JIT)
        o.specialize = "none";
    if (!side_is_sdfg(s)) /* only asked for the addresses of the arguments */
        o.opt_level = 0;
    return o;
}

static int out_of_memory(const struct side *s)
{
    fprintf(stderr, "%s: out of memory\n", tool_name(s->command->tool));
    return EXIT_MISSING;
}

/* ---- contents of the arrays ---- */

static size_t bytes_of(const struct view *v)
{
    int64_t begin, end;
    view_extent(v, &begin, &end);
    return end > 0 ? (size_t)end * v->item_bytes : 0;
}

static int keep_initial(struct side *s)
{
    s->initial = calloc(s->in.count + 1, sizeof *s->initial);
    for (size_t i = 0; s->initial && i < s->in.count; i++) {
        size_t bytes = bytes_of(&s->in.items[i].view);
        s->initial[i] = malloc(bytes + 1);
        if (!s->initial[i])
            return out_of_memory(s);
        memcpy(s->initial[i], s->in.items[i].view.data, bytes);
    }
    return s->initial ? EXIT_GOOD : out_of_memory(s);
}

void side_reset(struct side *s)
{
    for (size_t i = 0; i < s->in.count; i++)
        if (s->in.items[i].written)
            memcpy(s->in.items[i].view.data, s->initial[i], bytes_of(&s->in.items[i].view));
}

/* ---- opening ---- */

static void note_origin(struct side *s)
{
    sdfg_kernel_info info = { .struct_size = sizeof info };
    sdfg_kernel_describe(sdfg_bound_kernel(s->bound), &info);
    if (s->kind == SIDE_AOT && !info.from_disk)
        snprintf(s->note, sizeof s->note, "not read from a file: %s", info.origin);
}

int side_open(struct side *s, struct cold *c)
{
    sdfg_options o = options_of(s);
    s->in = (struct inputs){ .command = s->command };
    sdfg_error *e = sdfg_engine_new(&s->engine, &o);
    double start = seconds_now();
    if (!e)
        e = sdfg_program_load_file(&s->in.program, s->engine, s->command->program);
    c->load = seconds_now() - start;
    if (!e)
        e = sdfg_args_new(&s->in.args, s->in.program);
    int code = e ? report_error(s->command, e) : inputs_given(&s->in);
    if (!code)
        code = inputs_specialized(&s->in);
    if (!code)
        code = inputs_complete(&s->in);
    if (!code)
        code = keep_initial(s);
    if (code)
        return code;
    e = workspaces_give(&s->workspaces, s->in.program, s->in.args);
    start = seconds_now();
    if (!e)
        e = sdfg_bind(&s->bound, s->in.program, s->in.args);
    c->make = seconds_now() - start;
    if (e)
        return report_error(s->command, e);
    note_origin(s);
    if (!s->library)
        return EXIT_GOOD;
    start = seconds_now();
    bool opened = code_open(&s->code, s->command, s->library, s->bound);
    *c = (struct cold){ .load = seconds_now() - start };
    return opened ? EXIT_GOOD : EXIT_MISSING;
}

void side_close(struct side *s)
{
    code_close(&s->code);
    sdfg_bound_free(s->bound);
    workspaces_release(&s->workspaces);
    for (size_t i = 0; s->initial && i < s->in.count; i++)
        free(s->initial[i]);
    free(s->initial);
    sdfg_args_free(s->in.args);
    sdfg_program_free(s->in.program);
    inputs_release(&s->in);
    sdfg_engine_free(s->engine);
    s->engine = NULL;
    s->bound = NULL;
    s->initial = NULL;
    s->in = (struct inputs){ 0 };
}

int side_call(struct side *s, enum call_kind how)
{
    if (s->code.entry) {
        s->code.entry(s->code.addresses);
        return EXIT_GOOD;
    }
    sdfg_error *e = how == CALL_WARM ? sdfg_call(s->in.program, s->in.args) : sdfg_bound_call(s->bound);
    return e ? report_error(s->command, e) : EXIT_GOOD;
}
