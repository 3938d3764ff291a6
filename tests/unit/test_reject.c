/* tests/reject: files that must be refused or warned about. Beside x.sdfg lies x.err with every diagnostic it gives:
 * class and name, element path, message. SDFG_BLESS=1 writes the .err files anew. Every rule of the validator needs a
 * file. */
#include "ir/graph.h"

#include "tests/unit/check.h"

#include <dirent.h>
#include <stdlib.h>

static bool shown[DIAG_COUNT];

static void describe(const struct diags *d, struct text *out)
{
    for (uint32_t i = 0; i < diags_count(d); i++) {
        const struct diag *g = diags_get(d, i);
        shown[g->code] = true;
        text_printf(out, "%s[%s] %s\n", g->warning ? "warning" : "error", diag_class_name(diag_class_of(g->code)),
                    diag_name(g->code));
        text_printf(out, "  at %s\n  %s\n", *g->path ? g->path : "the file", g->message);
    }
}

static void write_file(const char *path, const char *content)
{
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (!f)
        return;
    fputs(content, f);
    fclose(f);
}

static void check_file(const char *name)
{
    struct ir *ir = ir_new();
    size_t size, expected_size;
    const char *path = arena_printf(ir->arena, "reject/%s", name);
    const char *expected_path = arena_printf(ir->arena, "%.*s.err", (int)(strlen(path) - 5), path);
    char *content = file_read(ir->arena, ir->diags, path, &size);
    struct sdfg *s = content ? sdfg_read(ir, content, size, NULL) : NULL;
    if (s)
        sdfg_validate(s);
    struct text actual = text_new(ir->arena);
    describe(ir->diags, &actual);
    CHECK(diags_count(ir->diags) > 0);
    if (getenv("SDFG_BLESS")) {
        write_file(expected_path, text_get(&actual));
    } else {
        char *expected = file_read(ir->arena, ir->diags, expected_path, &expected_size);
        if (!expected || strcmp(expected, text_get(&actual)) != 0)
            printf("%s:\n", path);
        CHECK_STR(text_get(&actual), expected ? expected : "");
    }
    ir_free(ir);
}

static int is_sdfg(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".sdfg") == 0;
}

TEST(files)
{
    struct dirent **entries;
    int count = scandir("reject", &entries, is_sdfg, alphasort);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        check_file(entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

TEST(every_rule_is_shown)
{
    for (int code = 0; code < DIAG_COUNT; code++) {
        if (strncmp(diag_name((enum diag_code)code), "RULE_", 5) != 0 || shown[code])
            continue;
        printf("no file in tests/reject gives %s\n", diag_name((enum diag_code)code));
        CHECK(shown[code]);
    }
}

CHECK_MAIN
