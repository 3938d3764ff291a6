/* C functions that generated code calls by name. */
#include "lower/graph/code/code_gen.h"
#include "lower/tree/tree_callee.h"
#include "runtime/abi.h"

#include <string.h>

/* The runtime's form of a library function, which takes the context first, and perhaps the path of the tasklet; NULL if
 * it has none. */
static const char *in_runtime(struct ir *ir, const char *name)
{
    const struct tree_callee *ours = tree_callee(arena_printf(ir->scratch, "sdfg_rt_%s", name));
    return ours->flags & RT_LIBRARY ? ours->name : NULL;
}

/* Products and solvers go through the runtime, which knows the library and the threads of the call. */
struct tree_expr *code_foreign(struct code_gen *g, const struct code *c)
{
    const char *name = c->items[0]->name;
    const char *ours = in_runtime(g->ir, name);
    bool placed = ours && tree_callee(ours)->flags & RT_PLACE;
    uint32_t first = ours ? 1 + placed : 0;
    struct tree_expr **args = NEW_ARRAY(g->arena, struct tree_expr *, c->count + 2);
    if (!code_eval_list(g, c->items + 1, c->count - 1, args + first))
        return NULL;
    if (ours) {
        args[0] = expr_context(g->t);
        name = intern(g->ir->names, ours);
    }
    if (placed) {
        struct text path = text_new(g->arena);
        place_print(g->s->place, &path);
        args[1] = expr_data(g->t, code_basic(g, TYPE_I8), path.data, path.length + 1);
    }
    return expr_call(g->t, c->type, name, args, c->count - 1 + first);
}

bool code_thread_query(struct code_gen *g, const struct code *c, const char *name, struct tree_expr **out)
{
    static const struct {
        const char *name, *function;
    } queries[] = {
        { "omp_get_thread_num", "sdfg_rt_thread_num" },
        { "omp_get_num_threads", "sdfg_rt_num_threads" },
        { "omp_get_max_threads", "sdfg_rt_thread_limit" },
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (c->count == 1 && strcmp(name, queries[i].name) == 0) {
            struct tree_expr *context = expr_context(g->t);
            const char *function = intern(g->ir->names, queries[i].function);
            struct tree_expr *number = expr_call(g->t, code_basic(g, TYPE_I64), function, &context, 1);
            *out = expr_cast(g->t, code_basic(g, TYPE_I32), number);
            return true;
        }
    return false;
}
