/* A plug-in in C++: an accelerator's kinds of storage and schedules, so that files which use them are read with their
 * attributes checked, and listed. Code for them is a matter of a target.
 *
 *     c++ -shared -fPIC plugin_members.cpp $(pkg-config --cflags sdfg) -o libmembers.so
 *     sdfg-run --list=enums --plugin=./libmembers.so */
#include <sdfg_plugin.h>

SDFG_PLUGIN("members", "1.0", "storage and schedules of an accelerator");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    sdfg_member memory = {};
    memory.struct_size = sizeof memory;
    memory.enumeration = SDFG_ENUM_STORAGE;
    memory.name = "Example_Memory";

    /* {"type": "ScheduleType.Example_Grid", "block": [8, 8]} */
    static const sdfg_attribute attributes[] = { { "block", SDFG_ATTRIBUTE_INTEGERS, {} } };
    sdfg_member grid = {};
    grid.struct_size = sizeof grid;
    grid.enumeration = SDFG_ENUM_SCHEDULE;
    grid.name = "Example_Grid";
    grid.attributes = attributes;
    grid.num_attributes = 1;
    grid.storage_inside = "Example_Memory"; /* registered before */
    grid.schedule_inside = "Sequential";

    return api->member(api->plugin, &memory) && api->member(api->plugin, &grid);
}
