#include "engine/program/python_cache.h"

#include "cache/hash.h"

#include <string.h>
#include <unistd.h>

/* An entry is a line for each file, an empty line, and the text of the graph:
 *
 *     file 0123456789abcdef0123456789abcdef folder/helper.py
 *     none folder/helper/__init__.py
 */
enum { LAYOUT_OF_GRAPHS = 1 };

const char *python_cache_key(struct disk *d, struct arena *a, const char *path, const char *options, const char *source,
                             size_t size)
{
    const char *why, *host = disk_host(d, &why);
    char content[CACHE_HASH_TEXT];
    if (!host || strchr(path, '\n'))
        return NULL;
    cache_hash_text(cache_hash(source, size), content);
    return arena_printf(a, "python %d\n%spath %s\noptions %s\nprogram %s %zu\n", LAYOUT_OF_GRAPHS, host, path,
                        options ? options : "", content, size);
}

/* Whether the file of a line is what it was. */
static bool is_unchanged(struct ir *ir, const char *line, struct frontend_imports *imports)
{
    char content[CACHE_HASH_TEXT];
    size_t size;
    if (strncmp(line, "none ", 5) == 0)
        return access(line + 5, R_OK) != 0;
    if (strncmp(line, "file ", 5) != 0 || strlen(line) < 5 + CACHE_HASH_TEXT)
        return false;
    const char *path = line + 5 + CACHE_HASH_TEXT;
    uint32_t before = diags_count(ir->diags);
    char *bytes = file_read(ir->arena, ir->diags, path, &size);
    diags_reset(ir->diags, before);
    if (!bytes)
        return false;
    cache_hash_text(cache_hash(bytes, size), content);
    vec_push(ir->arena, &imports->files, ((struct frontend_file){ path, bytes, size }));
    return strncmp(line + 5, content, CACHE_HASH_TEXT - 1) == 0;
}

char *python_cache_look(struct disk *d, const char *key, struct ir *ir, struct frontend_imports *imports, size_t *size)
{
    size_t length;
    const char *text = cache_look(disk_store_of(d), key, strlen(key), ir->arena, &length);
    const char *end = text ? text + length : NULL, *line = text;
    while (line && line < end && *line != '\n') {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next || !is_unchanged(ir, arena_strndup(ir->arena, line, (size_t)(next - line)), imports)) {
            imports->files.count = 0;
            return NULL;
        }
        line = next + 1;
    }
    if (!line || line >= end)
        return NULL;
    *size = (size_t)(end - line) - 1;
    return arena_strndup(ir->arena, line + 1, *size);
}

void python_cache_leave(struct disk *d, const char *key, struct arena *a, const struct frontend_imports *imports,
                        const char *json, size_t size)
{
    struct text t = text_new(a);
    for (uint32_t i = 0; i < imports->files.count; i++) {
        const struct frontend_file *f = &imports->files.items[i];
        char content[CACHE_HASH_TEXT];
        if (strchr(f->path, '\n'))
            return;
        if (!f->bytes) {
            text_printf(&t, "none %s\n", f->path);
            continue;
        }
        cache_hash_text(cache_hash(f->bytes, f->size), content);
        text_printf(&t, "file %s %s\n", content, f->path);
    }
    text_addc(&t, '\n');
    text_addn(&t, json, size);
    cache_leave(disk_store_of(d), key, strlen(key), text_get(&t), t.length);
}
