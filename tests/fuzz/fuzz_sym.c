/* Any text as a symbolic expression in each syntax: no input crashes the reader or takes long, a refusal is always
 * explained, and what is accepted reads back from its own text as the same expression. */
#include "ir/sym/sym.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(struct ir *ir, const struct place *place, const struct sym *s, enum sym_syntax syntax)
{
    enum { MODEST = 200 }; /* depth up to which the text of an expression never exceeds the limit of the reader */
    struct text out = text_new(ir->arena);
    sym_print(s, syntax, &out);
    if (s->depth < MODEST && sym_parse(ir, place, text_get(&out), syntax) != s)
        abort();
}

static bool any_value(void *user, const char *name, int64_t *value)
{
    (void)user;
    *value = (int64_t)(name[0] % 7) - 1;
    return true;
}

/* Nothing to compare with: these must come to an end without harm. */
static void use(struct ir *ir, const struct sym *s)
{
    const struct sym *a, *b;
    int64_t value;
    sym_eval(s, any_value, NULL, &value, NULL);
    sym_less(ir, s, sym_name(ir, "N"));
    sym_linear_in(ir, s, intern(ir->names, "N"), &a, &b);
    if (sym_common_denominator(ir, s, &a, &value) && value < 1)
        abort();
    sym_termwise(ir, s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int syntax = SYM_SYNTAX_NEW; syntax <= SYM_SYNTAX_PYTHON; syntax++) {
        struct ir *ir = ir_new();
        struct place place = { .noun = "text", .id = PLACE_NO_ID };
        const char *text = arena_strndup(ir->arena, (const char *)data, size);
        sym_text_is_old(text);
        sym_parse(ir, &place, text, syntax); /* declares the types of symbols, on which folding depends */
        uint32_t before = diags_errors(ir->diags);
        const struct sym *s = sym_parse(ir, &place, text, syntax);
        if (!s != (diags_errors(ir->diags) > before))
            abort();
        if (s) {
            check_same(ir, &place, s, SYM_SYNTAX_NEW);
            check_same(ir, &place, s, (enum sym_syntax)syntax);
            use(ir, s);
        }
        ir_free(ir);
    }
    return 0;
}
