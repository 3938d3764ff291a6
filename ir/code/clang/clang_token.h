/* The tokens of C++ text before preprocessing, as far as its nesting and its directives need them. */
#ifndef IR_CODE_CLANG_TOKEN_H
#define IR_CODE_CLANG_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum clang_token_kind { CLANG_END, CLANG_NAME, CLANG_NUMBER, CLANG_TEXT /* of a string or character */, CLANG_SIGN };

struct clang_token {
    enum clang_token_kind kind;
    const char *at;
    size_t length;
    bool first; /* of its logical line: a `#` here begins a directive */
};

/* The first token from `at` on; comments and continued lines are skipped. `first`: `at` begins a line. */
struct clang_token clang_token(const char *at, bool first);
struct clang_token clang_token_after(const struct clang_token *t);
/* The spelling is `text`, continued lines inside left out. */
bool clang_token_is(const struct clang_token *t, const char *text);
bool clang_token_is_hash(const struct clang_token *t); /* begins a directive */
const char *clang_line_end(const char *at);            /* of the logical line: a newline or the end of the text */

#endif
