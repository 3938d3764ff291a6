/* What the library has once more: one of its passes at another place, one of its operations for another class, one of
 * its targets for another schedule; or, chosen by FAULT, something that it does not have. */
#include "engine/include/sdfg_plugin.h"

#define NO_PASS   1
#define OF_TREES  2
#define TWO       3 /* functions */
#define NO_OP     4
#define NO_TARGET 5
#define NO_RULE   6
#define CODE      7
#define OWN       8 /* functions of a target */
#define NAME      9

static bool run(void *user, const sdfg_pass_run *what, sdfg_give *give, void *to)
{
    (void)user, (void)what, (void)give, (void)to;
    return true;
}

static enum sdfg_answer begin(void *user, sdfg_code *code)
{
    (void)user, (void)code;
    return SDFG_DONE;
}

SDFG_PLUGIN("again", "1", "passes, operations and targets of the library for other purposes");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const grids[] = { "Acme_Grid", NULL }, *const registers[] = { "Register", NULL };
    const sdfg_member grid = { .struct_size = sizeof grid, .enumeration = SDFG_ENUM_SCHEDULE, .name = "Acme_Grid" };
    const sdfg_pass pass = {
        .struct_size = sizeof pass,
        .name = FAULT == NAME ? "fuse" : "dead-code-first",
        .text = "dead-code once more",
        .kind = FAULT == OF_TREES ? SDFG_PASS_GRAPH : SDFG_PASS_TREE,
        .library = FAULT == NO_PASS ? "rotate" : "dead-code",
        .run = FAULT == TWO ? run : NULL,
        .code = FAULT == CODE ? (enum sdfg_pass_code)3 : SDFG_PASS_HOST,
    };
    const sdfg_claim claims[] = {
        { .kind = SDFG_CLAIM_SCHEDULE, .names = grids },
        { .kind = SDFG_CLAIM_STORAGE, .names = registers, .rule = "for-threads" },
    };
    const sdfg_target target = {
        .struct_size = sizeof target,
        .name = "grids",
        .text = "grids on threads of the host",
        .library = FAULT == NO_TARGET ? "vulkan" : "openmp",
        .claims = claims,
        .num_claims = FAULT == NO_RULE ? 2 : 1,
        .begin = FAULT == OWN ? begin : NULL,
    };
    return api->member(api->plugin, &grid) && api->pass(api->plugin, &pass) && api->target(api->plugin, &target) &&
           api->operation(api->plugin, "acme.nodes.Product", "the product of two matrices",
                          FAULT == NO_OP ? "blas.Cut" : "blas.MatMul");
}
