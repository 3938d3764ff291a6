#include "engine/program/python.h"

#include "base/stack.h"
#include "frontend/frontend.h"

#include <string.h>

/* Behind ".py": the end, or the colon before the function. NULL: it is no Python file. */
static const char *behind_suffix(const char *path)
{
    if (path[0] == '-' && (!path[1] || path[1] == ':')) /* standard input */
        return path + 1;
    const char *colon = strrchr(path, ':');
    const char *end = colon && !strchr(colon, '/') ? colon : path + strlen(path);
    return end - path > 3 && memcmp(end - 3, ".py", 3) == 0 ? end : NULL;
}

bool python_names(const char *path) { return behind_suffix(path) != NULL; }

struct reading {
    struct ir *ir;
    const char *path, *options;
    uint64_t most; /* bytes of the file */
    char *json;
    size_t size;
    bool graph; /* standard input holds an SDFG */
};

/* JSON or gzip data. No Python program of functions begins with these. */
static bool is_graph(const char *text, size_t size)
{
    size_t blank = 0;
    while (blank < size && text[blank] && strchr(" \t\r\n", text[blank]))
        blank++;
    return blank < size && (text[blank] == '{' || (unsigned char)text[0] == 0x1f);
}

static void read_now(void *reading)
{
    struct reading *r = reading;
    const char *end = behind_suffix(r->path);
    bool stdin_named = r->path[0] == '-';
    const char *file = stdin_named ? "/dev/stdin" : arena_strndup(r->ir->arena, r->path, (size_t)(end - r->path));
    size_t size;
    char *source = file_read_most(r->ir->arena, r->ir->diags, file, &size, r->most);
    if (source && stdin_named && !*end && is_graph(source, size)) {
        *r = (struct reading){ .json = source, .size = size, .graph = true };
        return;
    }
    struct frontend_options options = { 0 };
    const char *wrong;
    if (r->options && !frontend_read_options(r->ir->arena, r->options, &options, &wrong)) {
        diag_error(r->ir->diags, NULL, DIAG_OPTION_VALUE, "python",
                   arena_printf(r->ir->arena, "has '%s', which is neither a type of a parameter nor an option", wrong));
        return;
    }
    struct sdfg *s =
        source ? frontend_program(r->ir, stdin_named ? "<stdin>" : file, source, size, *end ? end + 1 : NULL, &options)
               : NULL;
    if (!s)
        return;
    struct text t = text_new(r->ir->arena);
    sdfg_write(s, &t);
    r->json = t.data;
    r->size = t.length;
}

char *python_json(struct ir *ir, const char *path, const char *options, uint64_t most, size_t *size, bool *graph,
                  bool *stack)
{
    struct reading r = { .ir = ir, .path = path, .options = options, .most = most };
    *stack = stack_call(read_now, &r);
    *size = r.size;
    *graph = r.graph;
    return r.json;
}
