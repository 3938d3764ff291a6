#include "engine/cli/report.h"
#include "engine/cli/terminal.h"

#include "engine/cli/failing.h"

#include <stdio.h>
#include <string.h>

int report_exit_code(const sdfg_error *e)
{
    enum sdfg_error_stage stage = sdfg_error_stage_of(e);
    switch (sdfg_error_class_of(e)) {
    case SDFG_ERROR_INVALID:
        /* options that the compiler looks at, when it runs */
        if (!strncmp(sdfg_error_code(e), "OPTION_", 7) || !strncmp(sdfg_error_code(e), "PASS_", 5))
            return EXIT_USAGE;
        return stage == SDFG_STAGE_RUN                                   ? EXIT_RUN
               : stage == SDFG_STAGE_BIND || stage == SDFG_STAGE_OPTIONS ? EXIT_USAGE
                                                                         : EXIT_INVALID;
    case SDFG_ERROR_UNSUPPORTED:
        return EXIT_UNSUPPORTED;
    case SDFG_ERROR_ENVIRONMENT:
        return strncmp(sdfg_error_code(e), "FILE_", 5) ? EXIT_MISSING : EXIT_FILE;
    case SDFG_ERROR_BUG:
        break;
    }
    return stage == SDFG_STAGE_RUN ? EXIT_RUN : EXIT_COMPILE;
}

int report_error(const struct command *c, sdfg_error *e)
{
    int code = report_exit_code(e);
    if (c->error_json)
        fprintf(stderr, "%s\n", sdfg_error_json(e));
    else
        terminal_messages(stderr, sdfg_error_text(e));
    if (failing_is_kept(e))
        failing_keep(c);
    sdfg_error_free(e);
    return code;
}
