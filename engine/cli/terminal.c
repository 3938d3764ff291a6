#include "engine/cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* Columns; 0: lines may have any length. */
static size_t width_of(FILE *f)
{
    struct winsize size;
    return terminal_is(f) && !ioctl(fileno(f), TIOCGWINSZ, &size) ? size.ws_col : 0;
}

/* How many bytes of a line fit into so many columns: up to a blank behind its first word, unless there is none. A
 * character counts once. */
static size_t fitting(const char *line, size_t length, size_t columns)
{
    size_t begin = strspn(line, " "), blank = 0;
    for (size_t end = 0, used = 0; end < length; end++) {
        used += (line[end] & 0xc0) != 0x80;
        if (used > columns)
            return line[end] == ' ' || !blank ? end : blank;
        if (line[end] == ' ' && end > begin)
            blank = end;
    }
    return length;
}

static void fold(FILE *f, const char *line, size_t length, size_t columns)
{
    enum { DEEPER = 4, LEAST = 20 };
    size_t inwards = strspn(line, " ") + DEEPER;
    if (columns < inwards + LEAST)
        columns = inwards + LEAST;
    size_t n = fitting(line, length, columns);
    fwrite(line, 1, n, f);
    for (size_t at = n; at < length; at += n) {
        while (at < length && line[at] == ' ')
            at++;
        n = fitting(line + at, length - at, columns - inwards);
        if (n)
            fprintf(f, "\n%*s%.*s", (int)inwards, "", (int)n, line + at);
    }
}

void terminal_lines(FILE *f, const char *text)
{
    size_t columns = width_of(f);
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\n");
        if (columns)
            fold(f, text, length, columns);
        else
            fwrite(text, 1, length, f);
        if (text[length] == '\n')
            putc(text[length++], f);
    }
}
