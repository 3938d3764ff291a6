#include "engine/program/python.h"

#include "base/stack.h"
#include "engine/program/python_cache.h"

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

/* JSON or gzip data. No Python program of functions begins with these. */
static bool is_graph(const char *text, size_t size)
{
    size_t blank = 0;
    while (blank < size && text[blank] && strchr(" \t\r\n", text[blank]))
        blank++;
    return blank < size && (text[blank] == '{' || (unsigned char)text[0] == 0x1f);
}

static void lower(struct python_reading *r, const char *source, size_t size, const char *function)
{
    struct frontend_options options = { 0 };
    const char *wrong;
    if (r->options && !frontend_read_options(r->ir->arena, r->options, &options, &wrong)) {
        diag_error(r->ir->diags, NULL, DIAG_OPTION_VALUE, "python",
                   arena_printf(r->ir->arena, "has '%s', which is neither a type of a parameter nor an option", wrong));
        return;
    }
    r->parsed = true;
    r->built = frontend_program(r->graph_ir, r->file, source, size, function, &options, &r->imports);
    if (!r->built)
        return;
    struct text t = text_new(r->ir->arena);
    sdfg_write(r->built, &t);
    r->json = t.data;
    r->size = t.length;
}

static void read_now(void *reading)
{
    struct python_reading *r = reading;
    const char *end = behind_suffix(r->path);
    bool stdin_named = r->path[0] == '-';
    const char *file = stdin_named ? "/dev/stdin" : arena_strndup(r->ir->arena, r->path, (size_t)(end - r->path));
    size_t size;
    char *source = file_read_most(r->ir->arena, r->ir->diags, file, &size, r->most);
    r->file = stdin_named ? "<stdin>" : file;
    if (!source)
        return;
    if (stdin_named && !*end && is_graph(source, size)) {
        r->json = source;
        r->size = size;
        r->graph = true;
        return;
    }
    struct disk *d = r->disk;
    const char *key = d ? python_cache_key(d, r->ir->arena, r->path, r->options, source, size) : NULL;
    r->json = key ? python_cache_look(d, key, r->ir, &r->imports, &r->size) : NULL;
    if (r->json)
        return;
    lower(r, source, size, *end ? end + 1 : NULL);
    if (r->json && key)
        python_cache_leave(d, key, r->ir->arena, &r->imports, r->json, r->size);
}

bool python_read(struct python_reading *r) { return stack_call(read_now, r); }
