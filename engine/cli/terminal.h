/* What terminals are shown that files are not. */
#ifndef ENGINE_CLI_TERMINAL_H
#define ENGINE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* A terminal whose lines can be written again. */
bool terminal_is(FILE *f);
/* Messages as sdfg_error_text gives them; in colours on a terminal, unless the environment has NO_COLOR. */
void terminal_messages(FILE *f, const char *text);
/* Lines as they are; on a terminal, one that is wider is folded at blanks, and stands four columns further in from its
 * second line on. */
void terminal_lines(FILE *f, const char *text);

#endif
