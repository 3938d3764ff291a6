#include "lower/graph/library/library.h"

#include "lower/graph/check.h"
#include "lower/graph/library/operand.h"

#include <string.h>

static const struct {
    const char *library, *class;
    bool (*lower)(struct scope *, struct library *);
} ops[] = {
#define LIBRARY_OP(function, folder, class, text) { folder, class, lower_##function },
#include "lower/graph/library/ops.def"
#undef LIBRARY_OP
};

/* DaCe 2.0.0b1 gave the library of MPI nodes another name. */
static bool is_named(const char *path, const char *library)
{
    size_t n = strlen(library);
    return (!strncmp(path, library, n) && path[n] == '.') ||
           (!strcmp(library, "mpi") && !strncmp(path, "comm.", strlen("comm.")));
}

/* "dace.libraries.blas.nodes.gemm.Gemm": library "blas", class "Gemm". */
static bool path_matches(const char *path, const char *library, const char *class)
{
    const char *last = strrchr(path, '.');
    if (strcmp(last ? last + 1 : path, class) != 0)
        return false;
    const char *at = strstr(path, "libraries.");
    return at && is_named(at + strlen("libraries."), library);
}

static bool (*find(const struct lower *lw, const struct library *n))(struct scope *, struct library *)
{
    if (library_is_custom(lw, n))
        return lower_custom;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (path_matches(n->classpath, ops[i].library, ops[i].class))
            return ops[i].lower;
    return NULL;
}

bool library_around(struct scope *sc, struct library *n, bool (*lower)(struct scope *, struct library *, void *),
                    void *user)
{
    struct library_memory memory = { .results = { 0 } };
    struct scope own = *sc;
    own.library = &memory;
    return lower_check_edges(&own, &n->node) && lower(&own, n, user) && library_deliver(&own, n);
}

static bool lower_by(struct scope *sc, struct library *n, void *function)
{
    bool (**lower)(struct scope *, struct library *) = function;
    return (*lower)(sc, n);
}

bool lower_library(struct scope *sc, struct node *node)
{
    struct library *n = as_library(node);
    bool (*lower)(struct scope *, struct library *) = find(sc->act->lw, n);
    if (!lower)
        return diag_error(sc->act->lw->diags, &node->place, DIAG_UNKNOWN_LIBRARY, n->classpath);
    return library_around(sc, n, lower_by, &lower);
}
