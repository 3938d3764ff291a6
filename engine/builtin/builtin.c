#include "engine/builtin/builtin.h"

bool builtin_register(const sdfg_plugin_api *api)
{
    return builtin_members(api) && builtin_targets(api) && builtin_passes(api) && builtin_operations(api) &&
           builtin_providers(api);
}
