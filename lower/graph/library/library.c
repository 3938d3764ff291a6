#include "lower/graph/library/library.h"

#include "lower/graph/check.h"
#include "lower/graph/library/operand.h"

#include <string.h>

static const struct op {
    const char *name, *library, *class;
    bool (*lower)(struct scope *, struct library *);
} ops[] = {
#define LIBRARY_OP(function, folder, class, text) { folder "." class, folder, class, lower_##function },
#include "lower/graph/library/ops.def"
#undef LIBRARY_OP
};

enum { NUM_OPS = sizeof ops / sizeof *ops };

uint32_t library_row(const char *name, uint32_t first)
{
    uint32_t i = first < NUM_OPS ? first : 0;
    for (uint32_t tried = 0; tried < NUM_OPS && strcmp(ops[i].name, name) != 0; tried++)
        i = (i + 1) % NUM_OPS;
    return i;
}

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
    for (uint32_t i = 0; i < lw->options->num_operations; i++) {
        const struct lower_operation *o = &lw->options->operations[i];
        const struct op *op = &ops[o->row];
        if (o->class_path ? !strcmp(n->classpath, o->class_path) : path_matches(n->classpath, op->library, op->class))
            return op->lower;
    }
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
