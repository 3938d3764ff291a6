#include "engine/cli/list.h"

#include "engine/cli/report.h"

#include <stdio.h>

/* A line for the row, one for its values, and why it cannot be used. */
static void print_row(const sdfg_list_row *row)
{
    bool any = false;
    printf("%s: %s\n", row->name, row->text);
    for (size_t i = 0; i < row->num_values; i++) {
        if (!*row->values[i])
            continue;
        printf("%s%s: %s", any ? "; " : "  ", row->names[i], row->values[i]);
        any = true;
    }
    if (any)
        putchar('\n');
    if (!row->unusable)
        return;
    printf("  not usable here: ");
    for (const char *at = row->unusable; *at; at++)
        printf(*at == '\n' ? "%c  " : "%c", *at);
    putchar('\n');
}

int list_command(const struct command *c)
{
    sdfg_engine *engine = NULL;
    sdfg_list *list = NULL;
    sdfg_error *e = sdfg_engine_new(&engine, &c->options);
    if (!e)
        e = sdfg_engine_list(&list, engine, c->list);
    for (size_t i = 0; i < sdfg_list_count(list); i++)
        print_row(sdfg_list_get(list, i));
    int code = e ? report_error(c, e) : EXIT_GOOD;
    sdfg_list_free(list);
    sdfg_engine_free(engine);
    return code;
}
