/* The passes of the library between those that turn a program from one form into another (engine/compile/pipeline.c).
 * Their code is in ir/passes/ and lower/opt/. */
#include "engine/builtin/builtin.h"

typedef const char *const names[];

/* Facts as rows name them (engine/compile/compile.h). */
static names statements = { "statements", NULL };
static names nontemporal = { "nontemporal", NULL };
static names regions = { "threads", NULL };
#define FACT_STATEMENTS  statements
#define FACT_NONTEMPORAL nontemporal
#define FACT_THREADS     regions

#define CODE_BOTH SDFG_PASS_ANY
#define CODE_CPU  SDFG_PASS_HOST
#define CODE_GPU  SDFG_PASS_DEVICE

static bool add(const sdfg_plugin_api *api, enum sdfg_pass_kind kind, const char *before, sdfg_pass p)
{
    p.struct_size = sizeof p;
    p.kind = kind;
    p.where = SDFG_PASS_BEFORE;
    p.other = before;
    p.library = p.name;
    return api->pass(api->plugin, &p);
}

bool builtin_passes(const sdfg_plugin_api *api)
{
    static const sdfg_pass of_graphs[] = {
#define GRAPH_PASS(pass, run, function, condition, what) { .name = pass, .text = what },
#include "ir/passes/passes.def"
    };
    static const sdfg_pass of_trees[] = {
#define TREE_PASS(pass, function, device, facts_needed, facts_made, facts_broken, what)                                \
    { .name = pass,                                                                                                    \
      .text = what,                                                                                                    \
      .needs = facts_needed,                                                                                           \
      .makes = facts_made,                                                                                             \
      .breaks = facts_broken,                                                                                          \
      .code = CODE_##device },
#include "lower/opt/passes.def"
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof of_graphs / sizeof *of_graphs; i++)
        good = add(api, SDFG_PASS_GRAPH, "infer-types", of_graphs[i]);
    for (size_t i = 0; good && i < sizeof of_trees / sizeof *of_trees; i++)
        good = add(api, SDFG_PASS_TREE, "tier", of_trees[i]);
    return good;
}
