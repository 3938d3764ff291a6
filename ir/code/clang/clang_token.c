#include "ir/code/clang/clang_token.h"

#include <ctype.h>
#include <string.h>

/* Behind continuations of the line: a backslash, blanks and a newline. */
static const char *splice(const char *c)
{
    while (*c == '\\') {
        const char *end = c + 1 + strspn(c + 1, " \t\r");
        if (*end != '\n')
            break;
        c = end + 1;
    }
    return c;
}

const char *clang_line_end(const char *at)
{
    for (at = splice(at); *at && *at != '\n'; at = splice(at + 1))
        ;
    return at;
}

static const char *comment_end(const char *c)
{
    const char *end = strstr(c, "*/");
    return end ? end + 2 : c + strlen(c);
}

/* Behind blanks and comments. */
static const char *skip(const char *c, bool *first)
{
    for (;;) {
        c = splice(c);
        const char *second = *c ? splice(c + 1) : c;
        if (*c == '\n')
            *first = true;
        if (*c == '/' && *second == '/')
            c = clang_line_end(c);
        else if (*c == '/' && *second == '*')
            c = comment_end(second + 1);
        else if (isspace((unsigned char)*c))
            c++;
        else
            return c;
    }
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80; }

static const char *name_end(const char *c)
{
    while (in_name(*splice(c)))
        c = splice(c) + 1;
    return c;
}

/* With separators, exponents and suffixes. */
static const char *number_end(const char *c)
{
    for (;;) {
        const char *at = splice(c), *second = *at ? splice(at + 1) : at;
        bool exponent = strchr("eEpP", *at) && *at && (*second == '+' || *second == '-');
        if (exponent || (*at == '\'' && in_name(*second)))
            c = second + 1;
        else if (in_name(*at) || *at == '.')
            c = at + 1;
        else
            return c;
    }
}

static const char *quoted_end(const char *c, char quote)
{
    for (; *c && *c != quote && *c != '\n'; c++)
        if (*c == '\\' && c[1])
            c++;
    return *c == quote ? c + 1 : c;
}

/* R"word( ... )word", from the quote on. */
static const char *raw_end(const char *c)
{
    size_t length = strcspn(c + 1, "(");
    const char *word = c + 1, *at = word + length;
    while (*at && (at = strchr(at, ')')) && !(strncmp(at + 1, word, length) == 0 && at[1 + length] == '"'))
        at++;
    return at && *at ? at + length + 2 : c + strlen(c);
}

static bool is_raw_prefix(const char *at, size_t length)
{
    static const char *const prefixes[] = { "R", "u8R", "uR", "UR", "LR" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == length && strncmp(prefixes[i], at, length) == 0)
            return true;
    return false;
}

/* The longest sign of several characters; brackets and others stand alone. */
static size_t sign_length(const char *c)
{
    static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "...", "<<", "<=", ">=", "==", "!=", "&&",
                                         "||",  "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=",
                                         "->",  "::",  ".*",  "##",  "%:",  "<%", "%>", "<:", ":>" };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(c, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 1;
}

struct clang_token clang_token(const char *at, bool first)
{
    struct clang_token t = { .first = first };
    const char *c = t.at = skip(at, &t.first), *end = c;
    if (!*c) {
        t.kind = CLANG_END;
    } else if (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)*splice(c + 1)))) {
        t.kind = CLANG_NUMBER;
        end = number_end(c);
    } else if (in_name(*c)) {
        t.kind = CLANG_NAME;
        end = name_end(c);
        if (*end == '"' && is_raw_prefix(c, (size_t)(end - c))) {
            t.kind = CLANG_TEXT;
            end = raw_end(end);
        }
    } else if (*c == '"' || *c == '\'') {
        t.kind = CLANG_TEXT;
        end = quoted_end(c + 1, *c);
    } else {
        t.kind = CLANG_SIGN;
        end = c + sign_length(c);
    }
    t.length = (size_t)(end - c);
    return t;
}

struct clang_token clang_token_after(const struct clang_token *t) { return clang_token(t->at + t->length, false); }

bool clang_token_is(const struct clang_token *t, const char *text)
{
    const char *c = t->at, *end = t->at + t->length;
    for (; c < end; c++, text++) {
        c = splice(c);
        if (c >= end || *c != *text)
            return false;
    }
    return !*text;
}

bool clang_token_is_hash(const struct clang_token *t)
{
    return t->first && t->kind == CLANG_SIGN && (clang_token_is(t, "#") || clang_token_is(t, "%:"));
}
