/* Python code from anywhere: no input crashes the parser, and what it accepts prints to a text that reads back. As a
 * file, the input gives a tree whose nodes lie within it, or an error that does. */
#include "ir/code/code.h"
#include "ir/python/ast.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *user, const char *name)
{
    (void)user;
    (void)name;
}

static const struct type *no_type(void *user, const char *name)
{
    (void)user;
    (void)name;
    return NULL;
}

static void try_text(struct ir *ir, const char *text,
                     struct code *(*parse)(struct ir *, const struct place *, const char *))
{
    uint32_t before = diags_count(ir->diags);
    struct code *c = parse(ir, NULL, text);
    if (!c != (diags_count(ir->diags) > before))
        abort();
    if (!c)
        return;
    struct text once = text_new(ir->arena), twice = text_new(ir->arena);
    code_print(c, &once);
    code_free_names(c, ignore, NULL);
    wcr_detect(c);
    code_infer(ir, c, no_type, NULL);
    struct code *again = parse(ir, NULL, text_get(&once));
    if (!again)
        abort();
    code_print(again, &twice);
    if (strcmp(text_get(&once), text_get(&twice)) != 0)
        abort();
}

static bool check_node(void *user, struct py *n)
{
    size_t length = *(size_t *)user;
    if (n->begin > n->end || n->end > length)
        abort();
    return true;
}

static void try_file(struct ir *ir, const char *bytes, size_t size)
{
    struct py_error error = { 0 };
    size_t length;
    const char *text = py_decode(ir->arena, bytes, size, &length, &error);
    struct py *n = text ? py_parse(ir->arena, ir->names, text, length, PY_MODE_MODULE, &error) : NULL;
    if (!n) {
        if (!error.message || error.offset > (text ? length : size))
            abort();
        return;
    }
    struct py_lines lines = py_lines(ir->arena, text, length);
    struct text out = text_new(ir->arena);
    py_dump(n, &lines, &out);
    py_visit(n, check_node, &length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ir *ir = ir_new();
    char *text = arena_strndup(ir->arena, (const char *)data, size);
    try_text(ir, text, python_parse);
    try_text(ir, text, python_parse_expression);
    try_file(ir, (const char *)data, size);
    ir_free(ir);
    return 0;
}
