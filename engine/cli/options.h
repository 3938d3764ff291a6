/* The table of all options of all tools. */
#ifndef ENGINE_CLI_OPTIONS_H
#define ENGINE_CLI_OPTIONS_H

#include "base/near.h"
#include "engine/cli/command.h"

enum option_id {
    OPTION_DESCRIBE,
    OPTION_EMIT,
    OPTION_EMIT_CODE,
    OPTION_REMARKS,
    OPTION_FILE,
    OPTION_DUMP_AFTER,
    OPTION_EXPLAIN_SYMBOLS,
    OPTION_OUTPUT,
    OPTION_DISTRIBUTE,
    OPTION_GRID,
    OPTION_EXPECT,
    OPTION_RTOL,
    OPTION_ATOL,
    OPTION_SET,
    OPTION_ASSERT,
    OPTION_INDEX,
    OPTION_WARN,
    OPTION_WATCH,
    OPTION_TIME,
    OPTION_REPEAT,
    OPTION_WARMUP,
    OPTION_REPORT,
    OPTION_INSTRUMENT,
    OPTION_CHECK,
    OPTION_SAVE_DATA,
    OPTION_RESTORE_DATA,
    OPTION_THREADS,
    OPTION_SPECIALIZE,
    OPTION_OPT,
    OPTION_TIER,
    OPTION_FP,
    OPTION_DEVICE,
    OPTION_ARCH,
    OPTION_CODEGEN,
    OPTION_PLUGIN,
    OPTION_PASSES,
    OPTION_LINKER,
    OPTION_EXTERNAL_FILES,
    OPTION_INPUT_LIMIT,
    OPTION_CACHE,
    OPTION_NO_CACHE,
    OPTION_EXPLAIN_CACHE,
    OPTION_DEBUG_INFO,
    OPTION_PROFILER,
    OPTION_ERROR_JSON,
    OPTION_CASE,
    OPTION_CASES,
    OPTION_SDFG,
    OPTION_JOBS,
    OPTION_TIMEOUT,
    OPTION_LIST,
    OPTION_AGAINST,
    OPTION_SAMPLES,
    OPTION_SECONDS,
    OPTION_COLD_SAMPLES,
    OPTION_COMPILER,
    OPTION_COMPILER_FLAGS,
    OPTION_NO_ROOFS,
    OPTION_TUNE,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_HTML,
    OPTION_HEADER,
    OPTION_FORTRAN,
    OPTION_TARGET,
    OPTION_CPU,
    OPTION_FEATURES,
    OPTION_HELP,
    OPTION_VERSION,
};

enum takes { TAKES_NOTHING, TAKES_VALUE, MAY_TAKE_VALUE };

struct option {
    const char *name; /* NULL: a heading of the help */
    enum option_id id;
    unsigned tools; /* of enum tool */
    enum takes takes;
    const char *value, *help;
};

/* NULL: the tool has no such option. */
const struct option *option_find(enum tool tool, const char *name, size_t length);
void options_try(enum tool tool, struct near *n); /* all options of the tool as candidates */
void options_help(enum tool tool);

#endif
