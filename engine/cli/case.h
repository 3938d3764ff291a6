/* Recorded cases: case.json, in/ and out/ beside a program (the corpus' README has the rules). */
#ifndef ENGINE_CLI_CASE_H
#define ENGINE_CLI_CASE_H

#include "engine/cli/command.h"

enum case_verdict { CASE_PASSED, CASE_FAILED };

struct case_result {
    enum case_verdict verdict;
    int exit_code;
    char text[1500]; /* of a failure: class, element path, message or first difference, in one line */
};

/* Whether the case can run in another folder than the current one: no option names one of its own relative to that. */
bool case_moves(const struct command *c);
/* `folder` has case.json; `sdfg` is the program, which runs in the folder `place`, unless that is "". */
void case_run(const struct command *c, const char *folder, const char *sdfg, const char *place,
              struct case_result *out);
/* --case and --cases; the exit code. */
int case_command(const struct command *c);
int cases_command(const struct command *c);

#endif
