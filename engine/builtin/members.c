/* The members that the file format has itself. Code names them by their rows (ir/enums.h). */
#include "engine/builtin/builtin.h"

bool builtin_members(const sdfg_plugin_api *api)
{
    static const sdfg_member rows[] = {
#define ENUM(kind, member, text) { .struct_size = sizeof(sdfg_member), .enumeration = SDFG_ENUM_##kind, .name = text },
#include "ir/enums.def"
#undef ENUM
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!api->member(api->plugin, &rows[i]))
            return false;
    return true;
}
