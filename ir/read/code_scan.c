#include "ir/read/code_scan.h"

#include <ctype.h>
#include <string.h>

bool code_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

const char *code_skip_inert(const char *c)
{
    if (c[0] == '/' && c[1] == '/')
        return c + strcspn(c, "\n");
    if (c[0] == '/' && c[1] == '*') {
        const char *end = strstr(c + 2, "*/");
        return end ? end + 2 : c + strlen(c);
    }
    if (*c != '"' && *c != '\'')
        return c;
    char quote = *c++;
    while (*c && *c != quote)
        c += c[0] == '\\' && c[1] ? 2 : 1;
    return *c ? c + 1 : c;
}

const char *code_skip_blanks(const char *c)
{
    for (;;) {
        const char *next = code_skip_inert(c);
        if (next == c && !isspace((unsigned char)*c))
            return c;
        c = next == c ? c + 1 : next;
    }
}
