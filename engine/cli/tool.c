#include "engine/cli/tool.h"

#include "engine/cli/file.h"
#include "engine/cli/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int tool_main(enum tool tool, int argc, char **argv, int (*work)(const struct command *c))
{
    memory_begin(tool_name(tool));
    struct command c;
    int code = EXIT_USAGE;
    bool parsed = command_parse(&c, tool, argc, argv);
    if (parsed && c.help) {
        command_help(tool);
        code = EXIT_GOOD;
    } else if (parsed && c.version) {
        printf("%s %s\n", tool_name(tool), sdfg_version());
        code = EXIT_GOOD;
    } else if (parsed) {
        code = work(&c);
    }
    command_release(&c);
    return file_end_output(tool_name(tool), code);
}

int tool_out_of_memory(const struct command *c)
{
    fprintf(stderr, "%s: out of memory\n", tool_name(c->tool));
    return EXIT_MISSING;
}

int tool_symbols(const struct command *c, sdfg_symbol *symbols)
{
    for (size_t i = 0; i < c->values.count; i++) {
        const struct pair *p = &c->values.items[i];
        char *end;
        errno = 0;
        symbols[i] = (sdfg_symbol){ p->name, strtoll(p->value, &end, 10) };
        if (!*p->value || *end || errno) {
            fprintf(stderr, "%s: --%s=%s: expected a whole number: the value of a symbol\n", tool_name(c->tool),
                    p->name, p->value);
            return EXIT_USAGE;
        }
    }
    return EXIT_GOOD;
}

int tool_write(const struct command *c, const char *path, const char *bytes, size_t size)
{
    char why[256];
    if (!path) {
        fwrite(bytes, 1, size, stdout); /* file_end_output looks whether that went well */
        return EXIT_GOOD;
    }
    if (file_write(path, bytes, size, why, sizeof why))
        return EXIT_GOOD;
    fprintf(stderr, "%s: cannot write '%s': %s\n", tool_name(c->tool), path, why);
    return EXIT_FILE;
}
