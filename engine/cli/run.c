#include "engine/cli/case.h"
#include "engine/cli/execute.h"

#include <stdio.h>

static int print_version(const struct command *c)
{
    sdfg_engine *engine;
    const char *backend = NULL;
    sdfg_error *e = sdfg_engine_new(&engine, &c->options);
    printf("sdfg-run %s\n", sdfg_version());
    if (!e)
        e = sdfg_engine_backend(&backend, engine);
    if (backend)
        puts(backend);
    int code = e ? report_error(c, e) : EXIT_GOOD;
    sdfg_engine_free(engine);
    return code;
}

int main(int argc, char **argv)
{
    struct command c;
    int code = EXIT_USAGE;
    if (!command_parse(&c, argc, argv))
        code = EXIT_USAGE;
    else if (c.help)
        command_help(), code = EXIT_GOOD;
    else if (c.version)
        code = print_version(&c);
    else if (c.case_folder)
        code = case_command(&c);
    else if (c.cases_folder)
        code = cases_command(&c);
    else
        code = run_program(&c);
    command_release(&c);
    return code;
}
