#include "engine/cli/case.h"
#include "engine/cli/execute.h"
#include "engine/cli/file.h"
#include "engine/cli/interrupt.h"
#include "engine/cli/list.h"
#include "engine/cli/memory.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"
#include "engine/cli/rerun.h"
#include "engine/cli/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* Threads of OpenMP runtimes spin while they wait. On a machine with more to run than processors, that takes the time
 * from those they wait for: parallel regions were measured up to a hundred times slower. Sleeping costs 30 us per
 * region. */
static void wait_calmly_on_busy_machines(void)
{
    double load;
    if (getloadavg(&load, 1) == 1 && load > (double)sysconf(_SC_NPROCESSORS_ONLN))
        setenv("OMP_WAIT_POLICY", "passive", 0);
}

int main(int argc, char **argv)
{
    memory_begin("sdfg-run");
    interrupt_begin();
    wait_calmly_on_busy_machines();
    struct command c;
    int code = ranks_begin(argc, argv);
    if (code)
        return code;
    bool parsed = command_parse(&c, TOOL_RUN, argc, argv);
    code = ranks_agree(parsed ? EXIT_GOOD : EXIT_USAGE);
    if (parsed && c.timeout >= 0 && !c.cases_folder && !c.watch)
        watch_limit(c.timeout);
    else if (parsed && c.options.check && ranks_size() > 1)
        watch_messages();
    if (code)
        ; /* said above, by this process or another */
    else if (c.help)
        command_help(TOOL_RUN), code = EXIT_GOOD;
    else if (c.version)
        code = print_version(&c);
    else if (c.lists)
        code = list_command(&c);
    else if (c.watch)
        code = rerun_program(&c);
    else if (c.case_folder)
        code = case_command(&c);
    else if (c.cases_folder)
        code = cases_command(&c);
    else
        code = run_program(&c);
    command_release(&c);
    interrupt_end();
    return ranks_end(file_end_output("sdfg-run", code));
}
