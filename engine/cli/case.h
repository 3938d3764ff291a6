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

/* `folder` has case.json; `sdfg` is the program. */
void case_run(const struct command *c, const char *folder, const char *sdfg, struct case_result *out);
/* --case and --cases; the exit code. */
int case_command(const struct command *c);
int cases_command(const struct command *c);

#endif
