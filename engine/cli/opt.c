/* sdfg-opt: runs passes over a program and writes what becomes of it (docs/passes.md). */
#include "engine/cli/list.h"
#include "engine/cli/report.h"
#include "engine/cli/tool.h"

#include <stdio.h>
#include <stdlib.h>

static int run_passes(const struct command *c, const sdfg_export *x)
{
    sdfg_engine *engine = NULL;
    sdfg_program *program = NULL;
    char *bytes = NULL;
    size_t size = 0;
    sdfg_error *e = sdfg_engine_new(&engine, &c->options);
    if (!e)
        e = sdfg_program_load_file(&program, engine, c->program);
    if (program && sdfg_program_warnings(program))
        fputs(sdfg_error_text(sdfg_program_warnings(program)), stderr);
    if (!e)
        e = sdfg_program_export(&bytes, &size, program, x);
    int code = e ? report_error(c, e) : tool_write(c, c->output_file, bytes, size);
    sdfg_text_free(bytes);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return code;
}

static int optimize(const struct command *c)
{
    if (c->lists)
        return list_command(c);
    sdfg_symbol *symbols = malloc((c->values.count + 1) * sizeof *symbols);
    sdfg_export x = {
        .struct_size = sizeof x,
        .form = c->emits ? c->emit_code : SDFG_EXPORT_SDFG,
        .symbols = symbols,
        .num_symbols = c->values.count,
    };
    int code = symbols ? tool_symbols(c, symbols) : tool_out_of_memory(c);
    if (!code)
        code = run_passes(c, &x);
    free(symbols);
    return code;
}

int main(int argc, char **argv) { return tool_main(TOOL_OPT, argc, argv, optimize); }
