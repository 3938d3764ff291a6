/* The text of a tree from anywhere becomes a verified tree or a diagnostic: no input crashes. What is printed of a tree
 * is read again as the same text. */
#include "lower/tree/tree_read.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct text print(const struct tree *t)
{
    struct text out = text_new(t->arena);
    tree_print(t, &out);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, (const char *)data, size);
    if (!t && !diags_errors(ir->diags))
        abort();
    if (t) {
        struct text first = print(t);
        struct tree *again = tree_read(ir, first.data, first.length);
        if (!again || strcmp(print(again).data, first.data) != 0)
            abort();
    }
    ir_free(ir);
    return 0;
}
