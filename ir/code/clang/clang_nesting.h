/* How deeply C++ text may nest, before libclang reads it: libclang recurses on a thread of its own with 8 MiB of stack,
 * which takes 8 KiB a level at most, and ends the process where that is not enough. */
#ifndef IR_CODE_CLANG_NESTING_H
#define IR_CODE_CLANG_NESTING_H

#include "ir/code/clang/clang_unit.h"

enum {
    CLANG_MOST_NESTING = 500,    /* of brackets, prefix operators, assignments, statements in statements ... */
    CLANG_MOST_CHAIN = 11000,    /* of operators that associate to the left: libclang recurses with small frames */
    CLANG_MOST_TOKENS = 4000000, /* after macros are expanded */
};

/* Whether all pieces stay within the limits, macros expanded; false after a diagnostic. */
bool clang_check_nesting(struct clang_unit *u);

/* Blanks out the lines of `text` that include files: the prelude has what there is, and nothing reads other files. */
void clang_blank_includes(char *text);

#endif
