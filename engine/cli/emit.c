#include "engine/cli/emit.h"

#include "engine/cli/file.h"
#include "engine/cli/report.h"
#include "engine/cli/view_page.h"
#include "ir/json/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_bytes(const struct command *c, const char *bytes, size_t size)
{
    struct file_out o;
    FILE *f = c->output_file ? file_begin(&o, c->output_file) : stdout;
    bool ok = f && fwrite(bytes, 1, size, f) == size;
    if (f)
        ok = f == stdout ? !fflush(f) && ok : file_end(&o, ok);
    if (!ok)
        fprintf(stderr, "sdfg-run: cannot write %s%s%s: %s\n", c->output_file ? "'" : "",
                c->output_file ? c->output_file : "standard output", c->output_file ? "'" : "", strerror(errno));
    return ok ? EXIT_GOOD : EXIT_FILE;
}

/* A report to show, which becomes a part of the page: it must be JSON. Without an option for it there is none. */
static bool read_report(const struct command *c, struct arena *a, char **out)
{
    char why[200] = "";
    size_t size;
    *out = c->report_file ? file_bytes(c->report_file, FILE_TEXT_BYTES, &size, why, sizeof why) : NULL;
    struct diags *d = diags_new(a);
    if (*out && !json_parse(a, d, *out, size))
        snprintf(why, sizeof why, "%s", diags_get(d, 0)->message);
    if (*why)
        fprintf(stderr, "sdfg-run: --report=%s: %s\n", c->report_file, why);
    return !*why;
}

int emit_view(const struct inputs *in)
{
    const struct command *c = in->command;
    char *sdfg = NULL, *report;
    size_t size;
    struct arena *a = arena_new();
    if (!read_report(c, a, &report)) {
        free(report);
        arena_free(a);
        return EXIT_FILE;
    }
    struct diags *d = diags_new(a);
    struct text out = text_new(a);
    int code;
    sdfg_error *e = sdfg_program_emit(&sdfg, &size, in->program, SDFG_EMIT_SDFG, NULL, 0);
    if (e)
        code = report_error(c, e);
    else if (c->show_view == VIEW_DOT ? view_dot(&out, d, sdfg, size) : view_html(&out, in, sdfg, size, report))
        code = write_bytes(c, text_get(&out), out.length);
    else {
        fputs("sdfg-run: there is no memory for the page\n", stderr);
        code = EXIT_MISSING;
    }
    sdfg_text_free(sdfg);
    free(report);
    arena_free(a);
    return code;
}

int emit_program(const struct inputs *in)
{
    char *bytes;
    size_t size;
    sdfg_error *e = sdfg_args_emit(&bytes, &size, in->args, in->command->emit);
    if (e)
        return report_error(in->command, e);
    int code = write_bytes(in->command, bytes, size);
    sdfg_text_free(bytes);
    return code;
}

/* Leaves the lines of the kind that was asked for. */
static size_t choose_remarks(char *text, enum show_remarks which)
{
    const char *kind = which == REMARKS_DONE ? "done " : which == REMARKS_MISSED ? "missed " : "";
    char *to = text;
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (strncmp(line, kind, strlen(kind)) != 0)
            continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    return (size_t)(to - text);
}

int emit_remarks(const struct inputs *in)
{
    char *text;
    sdfg_error *e = sdfg_args_emit(&text, NULL, in->args, SDFG_EMIT_REMARKS);
    if (e)
        return report_error(in->command, e);
    int code = write_bytes(in->command, text, choose_remarks(text, in->command->remarks));
    sdfg_text_free(text);
    return code;
}

int emit_explanation(const struct inputs *in)
{
    char *text;
    sdfg_error *e = sdfg_args_explain(&text, in->args);
    if (text)
        fputs(text, stdout);
    sdfg_text_free(text);
    return e ? report_error(in->command, e) : EXIT_GOOD;
}
