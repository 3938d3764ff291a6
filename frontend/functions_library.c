/* Functions that are written in Python: the files of frontend/library/ are one text of the library, whose functions are
 * lowered into the program that calls them. Each is parsed when it is called first. In their text the name of
 * another function there means that one, whatever its file; `np` and `dace` are known without an import. Errors and
 * places in them are those of the call. */
#include "frontend/functions.h"

#include <stdio.h>
#include <string.h>

extern const unsigned char frontend_library[]; /* the files, one behind the other */
extern const unsigned long frontend_library_size;

struct library_host {
    struct fe_host host;
    struct fe *f;
};

/* The text of a function, from its `def` to the next line that is not indented; NULL: there is none. */
static const char *text_of(const char *name, size_t *size)
{
    const char *all = (const char *)frontend_library, *end = all + frontend_library_size;
    char head[64];
    int n = snprintf(head, sizeof head, "\ndef %s(", name);
    const char *text = n < (int)sizeof head ? memmem(all, frontend_library_size, head, (size_t)n) : NULL;
    if (!text)
        return NULL;
    const char *stop = ++text;
    do
        stop = memchr(stop, '\n', (size_t)(end - stop)) + 1; /* each file ends with a line */
    while (stop < end && (*stop == '\n' || *stop == ' '));
    *size = (size_t)(stop - text);
    return text;
}

static const struct value *function(struct fe *f, const char *name)
{
    const struct fe_binding *b = fe_find(f->library, name);
    size_t size;
    const char *text = b ? NULL : text_of(name, &size);
    if (!text)
        return b ? b->value : NULL;
    struct fe_source *source = fe_source(f, "<library>", text, size, 1);
    source->library = true;
    struct py *tree = fe_parse(f, source, PY_MODE_MODULE);
    const struct fe_source *kept = f->source;
    struct fe_scope *scope = f->scope;
    f->source = source;
    f->scope = f->library;
    const struct value *v = tree ? fe_define(f, f->library, tree->module.body.items[0]) : NULL;
    f->source = kept;
    f->scope = scope;
    return v;
}

static const struct value *lookup(struct fe_host *h, const struct py *n, const char *name)
{
    struct fe *f = ((struct library_host *)h)->f;
    (void)n;
    if (strcmp(name, "np") == 0)
        return fe_known_module(f, "numpy");
    if (strcmp(name, "dace") == 0)
        return fe_known_module(f, name);
    const struct value *v = function(f, name);
    return v ? v : fe_python_name(f, name);
}

static void open_library(struct fe *f)
{
    struct library_host *h = NEW(f->arena, struct library_host);
    h->host = (struct fe_host){ .lookup = lookup };
    h->f = f;
    f->library = NEW(f->arena, struct fe_scope);
    f->library->host = &h->host;
    f->library->is_module = true;
}

const struct value *fe_library(struct fe *f, const char *name, struct fe_args *a)
{
    const struct py *call = f->library_call;
    const struct fe_source *caller = f->library_caller;
    uint32_t depth = f->library_depth;
    bool dace = f->dace;
    if (!f->level)
        return fe_unsupported(f, a->node, "'%s' outside of a program", name);
    if (!f->library)
        open_library(f);
    const struct value *v = function(f, intern(f->ir->names, name));
    if (!v)
        return NULL;
    if (!f->source->library) {
        f->library_call = a->node;
        f->library_caller = f->source;
        f->library_depth = f->calls.count;
    }
    f->dace = false;
    f->wish = NULL;
    v = fe_call_function_value(f, v->function, a);
    f->dace = dace;
    f->library_call = call;
    f->library_caller = caller;
    f->library_depth = depth;
    return v;
}

/* The row's format names the function of the library; NULL: it has the name of the row. */
const struct value *fn_library(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    f->has_sized |= b->kind == FE_SIZED;
    return fe_library(f, b->format ? b->format : b->name, a);
}
