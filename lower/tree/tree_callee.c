#include "lower/tree/tree_callee.h"

#include "runtime/abi.h"

#include <string.h>

const struct tree_callee tree_callees[CALLEE_COUNT] = {
#define RT_FUNCTION(name, signature, roles, flags) { #name, signature, roles, flags, 0 },
#include "runtime/abi.def"
#define C_FUNCTION(name, fixed, roles, flags) { #name, NULL, roles, flags, fixed },
#include "ir/code/functions.def"
    [CALLEE_UNKNOWN] = { NULL, NULL, "k", RT_ORDERS, 0 },
};

const struct tree_callee *tree_callee(const char *name)
{
    for (int i = 0; i < CALLEE_UNKNOWN; i++)
        if (!strcmp(tree_callees[i].name, name))
            return &tree_callees[i];
    return &tree_callees[CALLEE_UNKNOWN];
}

const struct tree_callee *stmt_callee(const struct tree_stmt *call)
{
    return call->pointer ? &tree_callees[CALLEE_UNKNOWN] : call->callee;
}

bool callee_is_pure(const struct tree_callee *c) { return c->flags & RT_PURE; }

static char letter(const struct tree_callee *c, uint32_t argument)
{
    size_t count = strlen(c->roles);
    return argument < count ? c->roles[argument] : count ? c->roles[count - 1] : '.';
}

bool callee_reaches_devices(const struct tree_callee *c, uint32_t argument)
{
    char role = letter(c, argument);
    return role == 'R' || role == 'B' || role == 'K';
}

char callee_role(const struct tree_callee *c, uint32_t argument)
{
    char role = letter(c, argument);
    return callee_reaches_devices(c, argument) ? (char)(role - 'A' + 'a') : role;
}

bool callee_writes(const struct tree_callee *c, uint32_t argument)
{
    char role = callee_role(c, argument);
    return role == 'w' || role == 'b' || role == 'k' || role == 's';
}

bool callee_is_for_devices(const struct tree_callee *c) { return c->flags & RT_DEVICE; }

bool callee_multiplies(const struct tree_callee *c) { return c->roles && strchr(c->roles, 'n'); }

bool callee_forgets(const struct tree_callee *c, uint32_t argument) { return callee_role(c, argument) != 'k'; }

/* Values that lead to memory. */
static bool is_memory(const struct tree_expr *e) { return !type_is_basic(e->type) && e->type->kind != TYPE_VECTOR; }

bool callee_orders(const struct tree_callee *c) { return c->flags & RT_ORDERS; }

bool callee_is_noticed(const struct tree_callee *c) { return callee_orders(c) && !(c->flags & RT_ONLY_WITHIN); }

static bool has_role(const struct tree_callee *c, const char *roles, struct tree_expr *const *args, uint32_t num_args)
{
    for (uint32_t i = 0; i < num_args; i++)
        if (is_memory(args[i]) && strchr(roles, callee_role(c, i)))
            return true;
    return false;
}

bool callee_touches(const struct tree_callee *c, struct tree_expr *const *args, uint32_t num_args)
{
    return callee_orders(c) || has_role(c, "rwbsk", args, num_args);
}

bool callee_conflicts(const struct tree_callee *c, struct tree_expr *const *args, uint32_t num_args)
{
    return callee_orders(c) || has_role(c, "rwbk", args, num_args);
}
