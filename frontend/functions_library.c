/* Functions that are written in Python: library.py is part of the library, and is lowered into the program that calls
 * its functions. Errors and places in it are those of the call. */
#include "frontend/functions.h"

#include <string.h>

extern const unsigned char frontend_library[]; /* library.py */
extern const unsigned long frontend_library_size;

static bool load(struct fe *f)
{
    struct fe_scope *scope = f->scope;
    const struct fe_source *source = f->source;
    struct fe_level *level = f->level;
    if (f->library)
        return true;
    f->source = f->library_source = fe_source(f, "<library>", (const char *)frontend_library, frontend_library_size, 1);
    f->level = NULL;
    struct py *tree = fe_parse(f, f->source, PY_MODE_MODULE);
    f->library = tree ? fe_module(f, tree) : NULL;
    f->scope = scope;
    f->source = source;
    f->level = level;
    return f->library != NULL;
}

const struct value *fe_library(struct fe *f, const char *name, struct fe_args *a)
{
    const struct py *call = f->library_call;
    const struct fe_source *caller = f->library_caller;
    uint32_t depth = f->library_depth;
    bool dace = f->dace;
    if (!f->level)
        return fe_unsupported(f, a->node, "'%s' outside of a program", name);
    if (!load(f))
        return NULL;
    const struct fe_binding *b = fe_find(f->library, intern(f->ir->names, name));
    if (f->source != f->library_source) {
        f->library_call = a->node;
        f->library_caller = f->source;
        f->library_depth = f->calls.count;
    }
    f->dace = false;
    f->wish = NULL;
    const struct value *v = fe_call_function_value(f, b->value->function, a);
    f->dace = dace;
    f->library_call = call;
    f->library_caller = caller;
    f->library_depth = depth;
    return v;
}

/* The row's format names the function of the library; NULL: it has the name of the row. */
const struct value *fn_library(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    return fe_library(f, b->format ? b->format : b->name, a);
}
