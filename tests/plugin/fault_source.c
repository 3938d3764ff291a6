/* Targets that write code with one fault each, chosen by FAULT, for the node of examples/clip.sdfg. */
#include "engine/include/sdfg_plugin.h"

#include <string.h>

#define SYNTAX    1
#define INVALID   2 /* as the verifier says */
#define FAILS     3
#define NOTHING   4
#define NO_OBJECT 5
#define MACHINE   6 /* an object of another one */
#define RESERVED  7
#define NAME      8
#define INHERITS  9
#define OPERAND   10
#define MISSING   11
#define BROKEN    12 /* an object that breaks off */
#define SIGNATURE 13

static const char *text(void)
{
    switch (FAULT) {
    case SYNTAX:
        return "define i64 @f() { ret i64 %x y }";
    case INVALID:
        return "define i64 @f() {\nentry:\n  br label %entry\n}";
    case RESERVED:
        return "define i64 @sdfg_main() { ret i64 0 }";
    case SIGNATURE:
        return "define i32 @f() { ret i32 0 }";
    case MISSING:
        return "define i64 @g() { ret i64 0 }";
    default:
        return "define i64 @f() { ret i64 0 }";
    }
}

static bool compile(void *user, const sdfg_target_source *source, sdfg_give *give, void *to)
{
    static const char why[] = "the compiler is out of paper";
    char object[128] = "\177ELF\2\1\1";
    (void)user, (void)source;
    object[16] = FAULT == NO_OBJECT ? 3 : 1; /* a shared library, an object */
    object[18] = FAULT == MACHINE ? 8 : 62;
    if (FAULT == FAILS)
        give(to, why, sizeof why - 1);
    if (FAULT == NO_OBJECT || FAULT == MACHINE || FAULT == BROKEN)
        give(to, object, sizeof object);
    return FAULT != FAILS;
}

static enum sdfg_answer node(void *user, sdfg_code *code, const sdfg_claimed_node *n)
{
    (void)user, (void)n;
    code->source(code, text());
    if (FAULT == INHERITS || FAULT == OPERAND)
        code->operand(code, FAULT == OPERAND ? "_z" : "_x", false);
    if (FAULT == INHERITS)
        return SDFG_INHERITED;
    code->invoke(code, FAULT == NAME ? "malloc" : "f", NULL, 0);
    return SDFG_DONE;
}

SDFG_PLUGIN("fault", "1", "has a fault");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const names[] = { "LibraryNode", NULL };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_NODE, .names = names } };
    bool compiles = (FAULT >= FAILS && FAULT <= MACHINE) || FAULT == BROKEN;
    sdfg_target t = { .struct_size = sizeof t,
                      .name = "fault",
                      .text = "has a fault",
                      .claims = claims,
                      .num_claims = 1,
                      .node = node,
                      .compile = compiles ? compile : NULL };
    return api->target(api->plugin, &t);
}
