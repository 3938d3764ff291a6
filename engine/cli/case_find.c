#include "engine/cli/case_find.h"

#include "engine/cli/file.h"
#include "ir/json/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(struct case_list *l, const char *name, const char *folder, const char *sdfg)
{
    if (!file_exists(sdfg)) {
        l->without_program++;
        return;
    }
    vec_push(l->arena, &l->items, ((struct case_entry){ .name = name, .folder = folder, .sdfg = sdfg }));
}

/* case.json of a folder of old programs: {"programs": {NAME: {"sdfg": FILE, "case": PATH/case.json}}}. */
static void add_programs(struct case_list *l, const char *name, const char *folder, const struct json *programs)
{
    for (const struct json *p = programs->first; p; p = p->next) {
        const char *sdfg = json_string(json_get(p, "sdfg")), *file = json_string(json_get(p, "case"));
        const char *slash = file ? strrchr(file, '/') : NULL;
        if (sdfg && slash)
            add(l, arena_printf(l->arena, "%s%s%s", name, *name ? "/" : "", p->key),
                arena_printf(l->arena, "%s/%.*s", folder, (int)(slash - file), file),
                arena_printf(l->arena, "%s/%s", folder, sdfg));
    }
}

static void add_folder(struct case_list *l, const char *name, const char *folder, const char *sdfg_name)
{
    size_t size;
    char why[200];
    char *bytes = file_bytes(arena_printf(l->arena, "%s/case.json", folder), FILE_TEXT_BYTES, &size, why, sizeof why);
    if (!bytes)
        return;
    struct arena *scratch = arena_new();
    const struct json *root = json_parse(scratch, diags_new(scratch), bytes, size);
    const struct json *programs = root ? json_get(root, "programs") : NULL;
    if (json_is(programs, JSON_OBJECT))
        add_programs(l, name, folder, programs);
    else
        add(l, *name ? name : folder, folder, arena_printf(l->arena, "%s/%s", folder, sdfg_name));
    arena_free(scratch);
    free(bytes);
}

static void walk(struct case_list *l, const char *name, const char *folder, const char *sdfg_name, int depth)
{
    enum { DEEPEST = 16 };
    DIR *d = depth < DEEPEST ? opendir(folder) : NULL;
    if (!d)
        return;
    add_folder(l, name, folder, sdfg_name);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat s;
        const char *path = arena_printf(l->arena, "%s/%s", folder, e->d_name);
        if (*e->d_name != '.' && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
            walk(l, arena_printf(l->arena, "%s%s%s", name, *name ? "/" : "", e->d_name), path, sdfg_name, depth + 1);
    }
    closedir(d);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct case_entry *)a)->name, ((const struct case_entry *)b)->name);
}

bool case_find(struct case_list *list, const char *folder, const char *sdfg_name)
{
    struct stat s;
    if (stat(folder, &s) || !S_ISDIR(s.st_mode)) {
        fprintf(stderr, "sdfg-run: '%s' is no folder\n", folder);
        return false;
    }
    walk(list, "", folder, sdfg_name, 0);
    if (list->items.count)
        qsort(list->items.items, list->items.count, sizeof *list->items.items, by_name);
    return true;
}

/* A line names a case by its whole name or by the end of it. */
static bool names(const char *line, size_t length, const char *name)
{
    size_t n = strlen(name);
    return n >= length && !strncmp(name + n - length, line, length) && (n == length || name[n - length - 1] == '/');
}

bool case_expect_failures(struct case_list *list, const char *path)
{
    size_t size;
    char why[200];
    char *text = file_bytes(path, FILE_TEXT_BYTES, &size, why, sizeof why);
    if (!text) {
        fprintf(stderr, "sdfg-run: --list=%s: %s\n", path, why);
        return false;
    }
    for (char *line = text, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        size_t length = strcspn(line, "\t\n");
        const char *reason = line[length] == '\t' ? line + length + 1 : "";
        if (!length || *line == '#')
            continue;
        for (uint32_t i = 0; i < list->items.count; i++)
            if (names(line, length, list->items.items[i].name)) {
                list->items.items[i].may_pass = !strncmp(reason, "sometimes", strlen("sometimes"));
                list->items.items[i].reason = arena_strndup(list->arena, reason, *reason ? (size_t)(end - reason) : 0);
            }
    }
    free(text);
    return true;
}
