/* Values of options as command lines have them. False after a message on stderr that says what is expected. */
#ifndef ENGINE_CLI_OPTION_VALUE_H
#define ENGINE_CLI_OPTION_VALUE_H

#include "engine/cli/command.h"
#include "engine/cli/options.h"

/* Prints the message; false. */
bool value_refused(const struct command *c, const struct option *o, const char *value, const char *expected);
bool value_int(const struct command *c, const struct option *o, const char *value, int least, int most, int *out);
bool value_real(const struct command *c, const struct option *o, const char *value, double *out); /* 0 or above */
/* One of the words, separated by spaces in `words`: its number. */
bool value_word(const struct command *c, const struct option *o, const char *value, const char *words, int *out);
/* NAME=VALUE, split in place. */
bool value_pair(const struct command *c, const struct option *o, char *text, struct pairs *p);
void value_add_pair(struct pairs *p, char *name, const char *value);

/* Options whose values have a form of their own; the fields of the command are set. */
bool value_limit(struct command *c, const struct option *o, const char *value); /* bytes: 64K */
bool value_instrument(struct command *c, const struct option *o, const char *value);
bool value_arch(struct command *c, const struct option *o, const char *value); /* sm_90 */

#endif
