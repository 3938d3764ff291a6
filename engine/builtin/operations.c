/* The library nodes of DaCe's libraries that there is code for, in lower/graph/library/. */
#include "engine/builtin/builtin.h"

bool builtin_operations(const sdfg_plugin_api *api)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
#define LIBRARY_OP(function, library, class, what) { library "." class, what },
#include "lower/graph/library/ops.def"
#undef LIBRARY_OP
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!api->operation(api->plugin, rows[i].name, rows[i].text, rows[i].name))
            return false;
    return true;
}
