/* C++ text that is looked at without being parsed. All of these end at the end of the text at the latest. */
#ifndef IR_CODE_SCAN_H
#define IR_CODE_SCAN_H

#include <stdbool.h>

/* A letter, a digit or an underscore. */
bool code_is_word(char c);
/* Behind a comment or a literal that begins at `c`; `c` if none does. */
const char *code_skip_inert(const char *c);
/* Behind blanks, comments and literals. */
const char *code_skip_blanks(const char *c);

#endif
