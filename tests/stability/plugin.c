/* Compiled with the headers of an earlier version: each kind of registration that they have. */
#include <sdfg_plugin.h>

#include <string.h>

static bool clip(void *user, const sdfg_node *node)
{
    const sdfg_operand *x = NULL, *y = NULL;
    (void)user;
    for (size_t i = 0; i < node->num_operands; i++)
        *(node->operands[i].output ? &y : &x) = &node->operands[i];
    for (int64_t i = 0; x && y && i < y->shape[0]; i++) {
        double v = ((const double *)x->data)[i];
        ((double *)y->data)[i] = v < 0 ? 0 : v > 1 ? 1 : v;
    }
    return x && y;
}

static bool run_pass(void *user, const sdfg_pass_run *what, sdfg_give *give, void *to)
{
    (void)user;
    give(to, what->text, what->size);
    return true;
}

static enum sdfg_answer enter(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user, (void)code, (void)map;
    return SDFG_INHERITED;
}

SDFG_PLUGIN("old", "1.0", "a plug-in of an earlier version");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const schedules[] = { "Old_Map", NULL }, *const environments[] = { "old", NULL };
    static const sdfg_attribute attributes[] = { { "size", SDFG_ATTRIBUTE_INTEGER, { 0, 0 } } };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_SCHEDULE, .names = schedules } };
    const sdfg_member member = { .struct_size = sizeof member,
                                 .enumeration = SDFG_ENUM_SCHEDULE,
                                 .name = "Old_Map",
                                 .attributes = attributes,
                                 .num_attributes = 1 };
    const sdfg_environment environment = { .struct_size = sizeof environment, .name = "old", .state_bytes = 8 };
    const sdfg_target target = { .struct_size = sizeof target,
                                 .name = "old",
                                 .text = "maps as they are",
                                 .claims = claims,
                                 .num_claims = 1,
                                 .environments = environments,
                                 .enter = enter };
    const sdfg_pass pass = { .struct_size = sizeof pass, .name = "old-pass", .kind = SDFG_PASS_TREE, .run = run_pass };
    return api->implement(api->plugin, "example.nodes.Clip", "clips", clip, NULL) &&
           api->member(api->plugin, &member) && api->environment(api->plugin, &environment) &&
           api->target(api->plugin, &target) && api->pass(api->plugin, &pass);
}
