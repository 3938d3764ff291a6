/* sdfg-cc: compiles a program ahead of time, for other programs (docs/export.md). */
#include "engine/cli/progress.h"
#include "engine/cli/report.h"
#include "engine/cli/terminal.h"
#include "engine/cli/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(const char *message, const char *value)
{
    fputs("sdfg-cc: ", stderr);
    fprintf(stderr, message, value);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

static int take_form(const char *file, enum sdfg_export_form *out)
{
    static const struct {
        const char *end;
        enum sdfg_export_form form;
    } forms[] = { { ".o", SDFG_EXPORT_OBJECT }, { ".a", SDFG_EXPORT_ARCHIVE }, { ".so", SDFG_EXPORT_SHARED } };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (ends_with(file, forms[i].end)) {
            *out = forms[i].form;
            return EXIT_GOOD;
        }
    return usage("-o %s: expected a name that ends in .o, .a or .so", file);
}

static int check(const struct command *c, sdfg_export *x, sdfg_symbol *symbols)
{
    bool beside = (c->header && !c->header_file) || (c->fortran && !c->fortran_file);
    *x = (sdfg_export){
        .struct_size = sizeof *x,
        .target = c->target,
        .cpu = c->cpu,
        .features = c->features,
        .symbols = symbols,
        .num_symbols = c->values.count,
    };
    if (!c->output_file && !c->header && !c->fortran && !c->emits)
        return usage("nothing to write: give -o FILE, --header=FILE, --fortran=FILE or --emit=WHAT", "");
    if (!c->output_file && beside)
        return usage("--header and --fortran need a FILE when there is no -o", "");
    x->form = c->emit_code;
    int code = c->output_file && !c->emits ? take_form(c->output_file, &x->form) : EXIT_GOOD;
    return code ? code : tool_symbols(c, symbols);
}

/* ---- writing ---- */

static int write_form(const struct command *c, sdfg_engine *engine, sdfg_program *p, const sdfg_export *export,
                      const char *path, enum sdfg_export_form form)
{
    sdfg_export x = *export;
    x.form = form;
    char *bytes;
    size_t size;
    struct progress_line shown;
    progress_begin(&shown, engine);
    sdfg_error *e = sdfg_program_export(&bytes, &size, p, &x);
    progress_end(&shown);
    if (e)
        return report_error(c, e);
    int code = tool_write(c, path, bytes, size);
    sdfg_text_free(bytes);
    return code;
}

/* `given`, or the output file with another end. */
static int write_text(const struct command *c, sdfg_engine *engine, sdfg_program *p, const sdfg_export *export,
                      const char *given, const char *end, enum sdfg_export_form form)
{
    char path[4096];
    const char *file = c->output_file;
    if (given)
        return write_form(c, engine, p, export, given, form);
    const char *dot = strrchr(file, '.');
    int stem = (int)(dot ? (size_t)(dot - file) : strlen(file));
    if (snprintf(path, sizeof path, "%.*s%s", stem, file, end) >= (int)sizeof path) {
        fprintf(stderr, "sdfg-cc: '%s' is too long a name\n", file);
        return EXIT_FILE;
    }
    return write_form(c, engine, p, export, path, form);
}

static int write_all(const struct command *c, sdfg_engine *engine, sdfg_program *p, const sdfg_export *export)
{
    int code = EXIT_GOOD;
    if (c->output_file || c->emits)
        code = write_form(c, engine, p, export, c->output_file, export->form);
    if (!code && c->header)
        code = write_text(c, engine, p, export, c->header_file, ".h", SDFG_EXPORT_C);
    if (!code && c->fortran)
        code = write_text(c, engine, p, export, c->fortran_file, ".f90", SDFG_EXPORT_FORTRAN);
    return code;
}

static int compile(const struct command *c)
{
    sdfg_engine *engine = NULL;
    sdfg_program *program = NULL;
    sdfg_export x;
    sdfg_symbol *symbols = malloc((c->values.count + 1) * sizeof *symbols);
    int code = symbols ? check(c, &x, symbols) : tool_out_of_memory(c);
    if (!code) {
        sdfg_error *e = sdfg_engine_new(&engine, &c->options);
        if (!e)
            e = sdfg_program_load_file(&program, engine, c->program);
        if (program && sdfg_program_warnings(program))
            terminal_messages(stderr, sdfg_error_text(sdfg_program_warnings(program)));
        code = e ? report_error(c, e) : write_all(c, engine, program, &x);
    }
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    free(symbols);
    return code;
}

int main(int argc, char **argv) { return tool_main(TOOL_CC, argc, argv, compile); }
