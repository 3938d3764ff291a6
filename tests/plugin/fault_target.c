/* Targets with one fault each, chosen by FAULT. They claim what examples/backend/simulator.c claims. */
#include "engine/include/sdfg_plugin.h"

#include <stdio.h>
#include <string.h>

#define TAKEN        1 /* another plug-in claims it: to be loaded behind the simulator */
#define BASE         2
#define MEMBER       3
#define NO_SYMBOL    4
#define INIT         5
#define PARAMETER    6
#define END          7
#define NO_FUNCTION  8
#define FAILS        9
#define SILENT       10
#define ATTRIBUTE    11
#define EXPRESSION   12
#define ENVIRONMENT  13
#define NO_MEMORY    14
#define OUT_OF_ORDER 15 /* no fault: environments begin and end in the order of their needs, and functions inherit */

static bool begin(void *state, void *const *symbols, sdfg_give *give, void *to)
{
    static const char why[] = "the accelerator does not answer";
    (void)symbols;
    if (FAULT == INIT)
        give(to, why, sizeof why - 1);
    *(char *)state = (char)(*(char *)state + 1);
    return FAULT != INIT;
}

static bool begin_second(void *state, void *const *symbols, sdfg_give *give, void *to)
{
    *(char *)state = 1;
    return begin(state, symbols, give, to);
}

static void end(void *state) { fprintf(stderr, "end, state %d\n", *(char *)state); }

static bool fails(sdfg_target_call *call)
{
    call->result = 8;
    return FAULT != FAILS;
}

static bool nothing(sdfg_target_call *call)
{
    call->result = 0;
    return true;
}

static enum sdfg_answer enter(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user;
    switch (FAULT) {
    case PARAMETER:
        return SDFG_DONE;
    case END:
        code->end(code);
        return SDFG_INHERITED;
    case NO_FUNCTION:
        code->call(code, "nothing of that name", NULL, 0);
        return SDFG_INHERITED;
    case FAILS:
        code->call(code, "fails", NULL, 0);
        return SDFG_INHERITED;
    case SILENT:
        return SDFG_FAILED;
    case ATTRIBUTE:
        code->number(code, code->attribute(code, "colour"));
        return SDFG_INHERITED;
    case EXPRESSION: /* the second one is not looked at any more */
        code->expression(code, "N + nobody_knows");
        code->expression(code, "((");
        return SDFG_DONE;
    }
    (void)map;
    return SDFG_INHERITED;
}

static enum sdfg_answer allocate(void *user, sdfg_code *code, sdfg_memory *memory)
{
    (void)user;
    if (FAULT != NO_MEMORY)
        return SDFG_INHERITED;
    memory->address = code->call(code, "nothing", NULL, 0);
    return SDFG_DONE;
}

static bool register_members(const sdfg_plugin_api *api)
{
    static const sdfg_attribute size[] = { { .name = "size", .type = SDFG_ATTRIBUTE_INTEGER } };
    static const sdfg_member members[] = {
        { sizeof *members, SDFG_ENUM_STORAGE, "Sim_Global", NULL, 0, NULL, NULL },
        { sizeof *members, SDFG_ENUM_STORAGE, "Sim_Shared", NULL, 0, NULL, NULL },
        { sizeof *members, SDFG_ENUM_SCHEDULE, "Sim_Threads", size, 1, NULL, NULL },
        { sizeof *members, SDFG_ENUM_SCHEDULE, "Sim_Grid", NULL, 0, NULL, NULL },
    };
    bool good = true;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        good = good && api->member(api->plugin, &members[i]);
    return good;
}

static bool register_environments(const sdfg_plugin_api *api)
{
    static const char *const libraries[] = { "libnowhere.so.7", "libc.so.6", NULL };
    static const char *const symbols[] = { FAULT == NO_SYMBOL ? "nobody_has_this" : "malloc", NULL };
    static const char *const needs[] = { FAULT == ENVIRONMENT ? "fault.nobody" : "fault.first", NULL };
    sdfg_environment first = { .struct_size = sizeof first,
                               .name = "fault.first",
                               .libraries = libraries,
                               .symbols = symbols,
                               .state_bytes = 1,
                               .init = begin,
                               .exit = end };
    sdfg_environment second = first;
    second.name = "fault.second";
    second.needs = needs;
    second.init = begin_second;
    return api->environment(api->plugin, &first) && api->environment(api->plugin, &second);
}

SDFG_PLUGIN("fault", "1", "has a fault");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const schedules[] = { FAULT == MEMBER ? "Fault_Grid" : "Sim_Grid", "Sim_Threads", NULL };
    static const char *const storages[] = { "Sim_Global", "Sim_Shared", NULL };
    static const char *const environments[] = { "fault.second", NULL };
    static const sdfg_claim claims[] = {
        { .kind = SDFG_CLAIM_SCHEDULE, .names = schedules },
        { .kind = SDFG_CLAIM_STORAGE, .names = storages },
        { .kind = SDFG_CLAIM_COPY, .names = storages },
        { .kind = SDFG_CLAIM_COPY, .to = storages },
    };
    static const sdfg_target_entry functions[] = { { "fails", fails }, { "nothing", nothing } };
    sdfg_target t = { .struct_size = sizeof t,
                      .name = "fault",
                      .text = "has a fault",
                      .extends = FAULT == BASE ? "nobody" : NULL,
                      .claims = claims,
                      .num_claims = sizeof claims / sizeof *claims,
                      .functions = functions,
                      .num_functions = sizeof functions / sizeof *functions,
                      .environments = environments,
                      .enter = enter,
                      .allocate = allocate,
                      .release = NULL };
    return (FAULT == TAKEN || register_members(api)) && register_environments(api) && api->target(api->plugin, &t);
}
