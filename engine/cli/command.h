/* What the command line asks for. */
#ifndef ENGINE_CLI_COMMAND_H
#define ENGINE_CLI_COMMAND_H

#include "engine/include/sdfg.h"

/* Stable and documented (docs/command-line.md). */
enum exit_code {
    EXIT_GOOD = 0,
    EXIT_DIFFERS = 1,
    EXIT_USAGE = 2,
    EXIT_FILE = 3,
    EXIT_INVALID = 4,
    EXIT_UNSUPPORTED = 5,
    EXIT_COMPILE = 6,
    EXIT_RUN = 7,
    EXIT_MISSING = 8,
    EXIT_TIMEOUT = 9
};

enum tool { TOOL_RUN = 1, TOOL_BENCH = 2, TOOL_CC = 4, TOOL_OPT = 8 };

const char *tool_name(enum tool tool); /* "sdfg-run", as messages say it */

/* NAME=VALUE */
struct pair {
    const char *name, *value;
};

struct pairs {
    struct pair *items;
    size_t count;
};

enum describe { DESCRIBE_NOT, DESCRIBE_TEXT, DESCRIBE_JSON };
enum show_remarks { REMARKS_NOT, REMARKS_ALL, REMARKS_DONE, REMARKS_MISSED };
/* Words of --emit= from here on are views. */
enum { VIEW_WORDS = 11 };
enum show_view { VIEW_NONE, VIEW_DOT, VIEW_HTML };
enum show_times { TIME_TOTALS, TIME_TEXT, TIME_JSON };

struct command {
    enum tool tool;
    const char *program, *output_file;
    const char *case_folder, *cases_folder, *sdfg_name, *list_file;
    sdfg_options options;
    sdfg_limits limits; /* options.limits, if it is given */
    enum describe describe;
    enum show_remarks remarks;
    enum show_times time;
    bool lists; /* instead of running a program */
    enum sdfg_list_kind list;
    const char *report_file;
    bool emits, explain_symbols, explain_cache, help, version, error_json;
    enum sdfg_emit emit;
    enum show_view show_view;        /* instead of `emit` */
    enum sdfg_export_form emit_code; /* sdfg-cc */
    bool tier_given, drop_assertions, trust_indices, no_warnings, watch;
    int told_to; /* file of the process that watches, or 0 (rerun.h) */
    int repeat, warmup, jobs;
    double timeout, rtol, atol; /* negative if not given */
    /* sdfg-bench */
    const char *against, *compiler, *compiler_flags, *json_file, *csv_file, *html_file;
    int samples, cold_samples;
    double seconds, tune; /* negative: not asked for */
    bool no_roofs;
    /* sdfg-cc; a file that is NULL lies beside the output */
    bool header, fortran;
    const char *header_file, *fortran_file, *target, *cpu, *features;
    struct pairs values, outputs, expects, distributes;
    const char *grid;    /* of processes; NULL: as distribute.h chooses */
    char *python;        /* options.python; owned */
    char *plugins;       /* text of the option of the same name, or NULL */
    char instrument[64]; /* options.instrument_with */
};

/* False after a message on stderr. The texts stay those of `argv`. */
bool command_parse(struct command *c, enum tool tool, int argc, char **argv);
void command_release(struct command *c);
void command_help(enum tool tool);

#endif
