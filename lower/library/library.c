#include "lower/library/library.h"

#include "lower/library/operand.h"

#include <string.h>

static const struct {
    const char *library, *class;
    bool (*lower)(struct scope *, struct library *);
} ops[] = {
#define LIBRARY_OP(function, folder, class) { folder, class, lower_##function },
#include "lower/library/ops.def"
#undef LIBRARY_OP
};

/* "dace.libraries.blas.nodes.gemm.Gemm": library "blas", class "Gemm". */
static bool path_matches(const char *path, const char *library, const char *class)
{
    const char *last = strrchr(path, '.');
    if (strcmp(last ? last + 1 : path, class) != 0)
        return false;
    const char *at = strstr(path, "libraries.");
    size_t n = strlen(library);
    return at && !strncmp(at + strlen("libraries."), library, n) && at[strlen("libraries.") + n] == '.';
}

bool lower_library(struct scope *sc, struct node *node)
{
    struct library *n = as_library(node);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (!path_matches(n->classpath, ops[i].library, ops[i].class))
            continue;
        struct library_memory memory = { .results = { 0 } };
        struct scope own = *sc;
        own.library = &memory;
        return ops[i].lower(&own, n) && library_deliver(&own, n);
    }
    return diag_error(sc->act->lw->diags, &node->place, DIAG_UNKNOWN_LIBRARY, n->classpath);
}
