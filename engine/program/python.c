#include "engine/program/python.h"

#include "base/stack.h"
#include "frontend/frontend.h"

#include <string.h>

/* Behind ".py": the end, or the colon before the function. NULL: it is no Python file. */
static const char *behind_suffix(const char *path)
{
    const char *colon = strrchr(path, ':');
    const char *end = colon && !strchr(colon, '/') ? colon : path + strlen(path);
    return end - path > 3 && memcmp(end - 3, ".py", 3) == 0 ? end : NULL;
}

bool python_names(const char *path) { return behind_suffix(path) != NULL; }

struct reading {
    struct ir *ir;
    const char *path;
    char *json;
    size_t size;
};

static void read_now(void *reading)
{
    struct reading *r = reading;
    const char *end = behind_suffix(r->path);
    const char *file = arena_strndup(r->ir->arena, r->path, (size_t)(end - r->path));
    size_t size;
    char *source = file_read(r->ir->arena, r->ir->diags, file, &size);
    struct sdfg *s = source ? frontend_program(r->ir, file, source, size, *end ? end + 1 : NULL, NULL) : NULL;
    if (!s)
        return;
    struct text t = text_new(r->ir->arena);
    sdfg_write(s, &t);
    r->json = t.data;
    r->size = t.length;
}

char *python_json(struct ir *ir, const char *path, size_t *size, bool *stack)
{
    struct reading r = { .ir = ir, .path = path };
    *stack = stack_call(read_now, &r);
    *size = r.size;
    return r.json;
}
