/* Prints the trees of Python files as ir/python reads them: python-dump FILE... ("-": names from the standard input,
 * one a line). Per file a line "FILE name", then the tree or "error LINE COLUMN MESSAGE" ("limit ..." for what is right
 * but beyond a limit). Columns of errors count characters from 1, as CPython's do. */
#include "ir/python/ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *slurp(struct arena *a, const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    struct text t = text_new(a);
    char buffer[1 << 16];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        text_addn(&t, buffer, n);
    fclose(f);
    *length = t.length;
    return t.length ? t.data : arena_strdup(a, "");
}

static void print_error(const struct py_lines *lines, const struct py_error *e)
{
    uint32_t line, column, characters = 1;
    py_place(lines, e->offset, &line, &column);
    for (uint32_t i = e->offset - column; i < e->offset; i++)
        characters += (lines->text[i] & 0xc0) != 0x80;
    printf("%s %u %u %s\n", e->limit ? "limit" : "error", line, characters, e->message);
}

static void dump(const char *path)
{
    struct arena *a = arena_new();
    size_t length, decoded;
    char *bytes = slurp(a, path, &length);
    printf("FILE %s\n", path);
    if (!bytes) {
        printf("cannot read\n");
        arena_free(a);
        return;
    }
    struct py_error error = { 0 };
    const char *text = py_decode(a, bytes, length, &decoded, &error);
    struct py *n = text ? py_parse(a, intern_new(a), text, decoded, PY_MODE_MODULE, &error) : NULL;
    struct py_lines lines = py_lines(a, text ? text : bytes, text ? decoded : length);
    if (n) {
        struct text out = text_new(a);
        py_dump(n, &lines, &out);
        puts(text_get(&out));
    } else {
        print_error(&lines, &error);
    }
    arena_free(a);
}

int main(int argc, char **argv)
{
    char name[4096];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-") != 0)
            dump(argv[i]);
        while (strcmp(argv[i], "-") == 0 && fgets(name, sizeof name, stdin)) {
            name[strcspn(name, "\n")] = 0;
            dump(name);
        }
    }
    return 0;
}
