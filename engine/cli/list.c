#include "engine/cli/list.h"

#include "base/text.h"
#include "engine/cli/report.h"
#include "engine/cli/terminal.h"

#include <stdio.h>

/* A line for the row, one for its values, and why it cannot be used. */
static void print_row(const sdfg_list_row *row)
{
    struct arena *arena = arena_new();
    struct text t = text_new(arena);
    bool any = false;
    text_printf(&t, "%s: %s\n", row->name, row->text);
    for (size_t i = 0; i < row->num_values; i++) {
        if (!*row->values[i])
            continue;
        text_printf(&t, "%s%s: %s", any ? "; " : "  ", row->names[i], row->values[i]);
        any = true;
    }
    text_add(&t, any ? "\n" : "");
    if (row->unusable) {
        text_add(&t, "  not usable here: ");
        for (const char *at = row->unusable; *at; at++)
            text_printf(&t, *at == '\n' ? "%c  " : "%c", *at);
        text_addc(&t, '\n');
    }
    terminal_lines(stdout, text_get(&t));
    arena_free(arena);
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
