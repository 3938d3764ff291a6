/* Python code from anywhere: no input crashes the parser, and what it accepts prints to a text that reads back. */
#include "ir/code/code.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ir *ir = ir_new();
    char *text = arena_strndup(ir->arena, (const char *)data, size);
    try_text(ir, text, python_parse);
    try_text(ir, text, python_parse_expression);
    ir_free(ir);
    return 0;
}
