/* What programs that measure are asked for on the command line. */
#ifndef BENCH_CHOICES_H
#define BENCH_CHOICES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES_THREADS = 16 };

struct choices {
    const char *only; /* parts of names; NULL: all */
    int threads[CHOICES_THREADS], num_threads;
    bool json;
};

static inline struct choices choices_new(void) { return (struct choices){ .threads = { 1, 2 }, .num_threads = 2 }; }

/* The argument (which it may change) if it is one of --threads=1,2 --only=PART_OF_NAME,... --json; else false. */
static inline bool choices_take(struct choices *c, char *argument)
{
    if (!strncmp(argument, "--threads=", 10)) {
        c->num_threads = 0;
        for (char *rest = argument + 10, *part;
             c->num_threads < CHOICES_THREADS && (part = strsep(&rest, ",")) != NULL;)
            c->threads[c->num_threads++] = atoi(part);
        return true;
    }
    if (!strncmp(argument, "--only=", 7)) {
        c->only = argument + 7;
        return true;
    }
    bool json = !strcmp(argument, "--json");
    c->json |= json;
    return json;
}

static inline bool choices_want(const struct choices *c, const char *name)
{
    if (!c->only)
        return true;
    char names[512];
    snprintf(names, sizeof names, "%s", c->only);
    for (char *rest = names, *part; (part = strsep(&rest, ",")) != NULL;)
        if (strstr(name, part))
            return true;
    return false;
}

#endif
