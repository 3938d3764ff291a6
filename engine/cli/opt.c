/* sdfg-opt: runs passes over a program and writes what becomes of it (docs/passes.md). */
#include "engine/cli/command.h"
#include "engine/cli/file.h"
#include "engine/cli/list.h"
#include "engine/cli/memory.h"
#include "engine/cli/report.h"

#include <stdio.h>
#include <stdlib.h>

static int take_symbols(const struct command *c, sdfg_symbol *symbols)
{
    for (size_t i = 0; i < c->values.count; i++) {
        const struct pair *p = &c->values.items[i];
        char *end;
        symbols[i] = (sdfg_symbol){ p->name, strtoll(p->value, &end, 10) };
        if (!*p->value || *end) {
            fprintf(stderr, "sdfg-opt: --%s=%s: expected a whole number: the value of a symbol\n", p->name, p->value);
            return EXIT_USAGE;
        }
    }
    return EXIT_GOOD;
}

static int write_result(const struct command *c, const char *bytes, size_t size)
{
    char why[256];
    if (!c->output_file) {
        fwrite(bytes, 1, size, stdout); /* file_end_output looks whether that went well */
        return EXIT_GOOD;
    }
    if (file_write(c->output_file, bytes, size, why, sizeof why))
        return EXIT_GOOD;
    fprintf(stderr, "sdfg-opt: cannot write '%s': %s\n", c->output_file, why);
    return EXIT_FILE;
}

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
    int code = e ? report_error(c, e) : write_result(c, bytes, size);
    sdfg_text_free(bytes);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return code;
}

static int optimize(const struct command *c)
{
    sdfg_symbol *symbols = malloc((c->values.count + 1) * sizeof *symbols);
    sdfg_export x = {
        .struct_size = sizeof x,
        .form = c->emits ? c->emit_code : SDFG_EXPORT_SDFG,
        .symbols = symbols,
        .num_symbols = c->values.count,
    };
    int code = symbols ? take_symbols(c, symbols) : EXIT_MISSING;
    if (!code)
        code = run_passes(c, &x);
    free(symbols);
    return code;
}

int main(int argc, char **argv)
{
    memory_begin("sdfg-opt");
    struct command c;
    int code = EXIT_USAGE;
    if (command_parse(&c, TOOL_OPT, argc, argv)) {
        if (c.help)
            command_help(TOOL_OPT), code = EXIT_GOOD;
        else if (c.version)
            printf("sdfg-opt %s\n", sdfg_version()), code = EXIT_GOOD;
        else
            code = c.lists ? list_command(&c) : optimize(&c);
    }
    command_release(&c);
    return file_end_output("sdfg-opt", code);
}
