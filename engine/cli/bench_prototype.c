#include "engine/cli/bench_code.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Comments, texts and characters become blanks, so that only code is looked at. */
static char *code_only(struct arena *a, const char *source)
{
    char *text = arena_strdup(a, source);
    for (char *at = text; *at;) {
        char *end = at + 1;
        if (at[0] == '/' && at[1] == '*') {
            end = strstr(at + 2, "*/");
            end = end ? end + 2 : at + strlen(at);
        } else if (at[0] == '/' && at[1] == '/') {
            end = at + strcspn(at, "\n");
        } else if (*at == '"' || *at == '\'') {
            while (*end && *end != *at && *end != '\n')
                end += *end == '\\' && end[1] ? 2 : 1;
            end += *end != 0;
        } else {
            at = end;
            continue;
        }
        memset(at, ' ', (size_t)(end - at));
        at = end;
    }
    return text;
}

const char *prototype_find(struct arena *a, const char *source, const char *function)
{
    char *text = code_only(a, source);
    size_t length = strlen(function);
    for (char *at = text; (at = strstr(at, function)) != NULL; at += length) {
        if ((at > text && is_word(at[-1])) || is_word(at[length]))
            continue;
        char *open = at + length + strspn(at + length, " \t\n");
        if (*open != '(')
            continue;
        char *close = open;
        int depth = 0;
        do {
            depth += (*close == '(') - (*close == ')');
            close++;
        } while (*close && depth);
        if (!depth && close[strspn(close, " \t\n")] == '{')
            return arena_strndup(a, open + 1, (size_t)(close - open) - 2);
    }
    return NULL;
}

/* "const double *restrict A", "double A[N][N]", "int64_t N": the last word before the brackets. */
static bool parse_param(struct arena *a, const char *text, size_t length, struct bench_param *out)
{
    const char *bracket = memchr(text, '[', length), *end = bracket ? bracket : text + length;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    const char *begin = end;
    while (begin > text && is_word(begin[-1]))
        begin--;
    *out = (struct bench_param){ arena_strndup(a, begin, (size_t)(end - begin)),
                                 bracket || memchr(text, '*', length) != NULL };
    return end > begin && !isdigit((unsigned char)*begin);
}

bool prototype_parse(struct arena *a, const char *list, struct bench_prototype *out)
{
    int most = 1, depth = 0;
    for (const char *at = list; *at; at++)
        most += *at == ',';
    *out = (struct bench_prototype){ .params = NEW_ARRAY(a, struct bench_param, most) };
    const char *blank = list + strspn(list, " \t\n");
    if (!*blank || (!strncmp(blank, "void", 4) && !blank[4 + strspn(blank + 4, " \t\n")]))
        return true;
    for (const char *start = list, *at = list;; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (*at && (*at != ',' || depth))
            continue;
        if (!parse_param(a, start, (size_t)(at - start), &out->params[out->count++]))
            return false;
        if (!*at)
            return true;
        start = at + 1;
    }
}
