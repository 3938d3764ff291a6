/* Passes with one fault each, chosen by FAULT. */
#include "engine/include/sdfg_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN     1
#define PLACE       2
#define NEEDED      3 /* takes the place of a pass that others need */
#define NO_FUNCTION 4
#define FAILS       5
#define NO_JSON     6
#define INVALID     7
#define ARGUMENTS   8
#define NO_TREE     9
#define BROKEN      10
#define PARAMETERS  11
#define NEEDS       12 /* a fact that nobody makes */
#define BREAKS      13 /* a fact that others need */
#define FACTS       14 /* no fault: one makes a fact that the other needs, and takes the place of a pass */
#define BOUND       15 /* a group without a bound */
#define GROUP_MAKES 16 /* a group around a pass that cannot run again */
#define GROUP_MIXED 17 /* over graphs and trees */
#define GROUPS      18 /* one begins in the other */
#define ROUND       19 /* breaks a fact that its group needs in the next round */

/* The text with the first `from` replaced. */
static void give_changed(const sdfg_pass_run *p, const char *from, const char *into, sdfg_give *give, void *to)
{
    const char *at = strstr(p->text, from);
    size_t length = p->size + strlen(into) + 1;
    char *out = malloc(length);
    if (!out || !at)
        return;
    int size = snprintf(out, length, "%.*s%s%s", (int)(at - p->text), p->text, into, at + strlen(from));
    give(to, out, (size_t)size);
    free(out);
}

static bool run(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    static const char why[] = "the weather is bad";
    if (user)
        fprintf(stderr, "%s\n", (const char *)user);
    switch (FAULT) {
    case FAILS:
        give(to, why, sizeof why - 1);
        return false;
    case NO_JSON:
    case NO_TREE:
        give(to, why, sizeof why - 1);
        break;
    case INVALID:
        give_changed(p, "\"i\"", "\"1\"", give, to);
        break;
    case ARGUMENTS:
        give_changed(p, "\"dtype\":\"float64\"", "\"dtype\":\"float32\"", give, to);
        break;
    case BROKEN:
        give_changed(p, "for i", "for (i: float64)", give, to);
        break;
    case ROUND:
        give_changed(p, "\"label\":\"compute", "\"label\":\"more_compute", give, to);
        break;
    case PARAMETERS:
        give_changed(p, "Y: float64*", "Y: float32*", give, to);
        break;
    }
    return true;
}

static bool add(const sdfg_plugin_api *api, sdfg_pass p, const char *name, const char *before, const char *group)
{
    p.name = name;
    p.where = SDFG_PASS_BEFORE;
    p.other = before;
    p.group = group;
    p.rounds = 3;
    return api->pass(api->plugin, &p);
}

static bool add_group(const sdfg_plugin_api *api, sdfg_pass p)
{
    static const char *const valid[] = { "valid", NULL };
    sdfg_pass graph = p;
    graph.kind = SDFG_PASS_GRAPH;
    switch (FAULT) {
    case BOUND:
        p.group = "endless";
        return api->pass(api->plugin, &p);
    case GROUP_MAKES:
        return add(api, p, "first", "licm", "g") && add(api, p, "last", "sections", "g");
    case GROUP_MIXED:
        return add(api, graph, "first", "infer-types", "g") && add(api, p, "last", "licm", "g");
    case GROUPS:
        return add(api, p, "first", "licm", "g") && add(api, p, "other", "fuse", "h") &&
               add(api, p, "last", "dead-code", "g");
    default:
        p.breaks = valid;
        return add(api, p, "strange", "infer-types", "g");
    }
}

SDFG_PLUGIN("fault", "1", "has a fault");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const own[] = { "counted", NULL }, *const tree[] = { "tree", NULL };
    bool of_tree = FAULT >= NO_TREE && FAULT != ROUND;
    sdfg_pass p = { .struct_size = sizeof p,
                    .name = "strange",
                    .text = "has a fault",
                    .kind = of_tree ? SDFG_PASS_TREE : SDFG_PASS_GRAPH,
                    .where = FAULT == NEEDED || FAULT == FACTS ? SDFG_PASS_INSTEAD : SDFG_PASS_AFTER,
                    .other = FAULT == UNKNOWN  ? "nothing"
                             : FAULT == PLACE  ? "lower"
                             : FAULT == NEEDED ? "validate"
                             : FAULT == FACTS  ? "licm"
                                               : NULL,
                    .needs = FAULT == NEEDS || FAULT == FACTS ? own : NULL,
                    .breaks = FAULT == BREAKS ? tree : NULL,
                    .run = FAULT == NO_FUNCTION ? NULL : run };
    sdfg_pass first = p;
    if (FAULT == FACTS) {
        first.name = "first";
        first.where = SDFG_PASS_BEFORE;
        first.needs = NULL;
        first.makes = own;
        first.user = "first";
        p.user = "then";
    }
    if (FAULT >= BOUND)
        return add_group(api, p);
    return (FAULT != FACTS || api->pass(api->plugin, &first)) && api->pass(api->plugin, &p);
}
