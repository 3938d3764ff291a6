#include "engine/cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RED    "\033[1;31m"
#define YELLOW "\033[1;33m"
#define GREEN  "\033[32m"
#define PLAIN  "\033[0m"

bool terminal_is(FILE *f)
{
    const char *terminal = getenv("TERM");
    return isatty(fileno(f)) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool has_colours(FILE *f)
{
    const char *without = getenv("NO_COLOR");
    return terminal_is(f) && (!without || !*without);
}

static bool begins(const char *line, const char *word) { return strncmp(line, word, strlen(word)) == 0; }

/* Bytes of a line that are coloured: the class before a message, and carets. */
static size_t coloured(const char *line, size_t length, const char **colour)
{
    const char *colon = memchr(line, ':', length);
    *colour = begins(line, "error[") ? RED : begins(line, "warning[") ? YELLOW : NULL;
    if (*colour)
        return colon ? (size_t)(colon - line) : 0;
    bool caret = length && strspn(line, " ^~") >= length && memchr(line, '^', length);
    *colour = GREEN;
    return caret ? length : 0;
}

void terminal_messages(FILE *f, const char *text)
{
    if (!has_colours(f)) {
        fputs(text, f);
        return;
    }
    for (size_t length; *text; text += length) {
        const char *colour;
        length = strcspn(text, "\n");
        size_t n = coloured(text, length, &colour);
        if (n)
            fprintf(f, "%s%.*s" PLAIN, colour, (int)n, text);
        length += text[length] == '\n';
        fwrite(text + n, 1, length - n, f);
    }
}
