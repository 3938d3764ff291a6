/* What tests of passes compare: trees and remarks as text. */
#ifndef TESTS_UNIT_TREE_TEXT_H
#define TESTS_UNIT_TREE_TEXT_H

#include "base/remark.h"
#include "lower/tree/tree.h"

#include "tests/unit/check.h"

/* The statements of a block; the tree is verified before. */
static inline const char *tree_text(struct tree *t, const struct tree_stmt *body)
{
    CHECK(tree_verify(t, t->ir->diags));
    struct text out = text_new(t->arena);
    stmt_print(body, 0, &out);
    return text_get(&out);
}

static inline const char *remarks_text(struct ir *ir)
{
    struct text out = text_new(ir->arena);
    remarks_print(ir->remarks, &out);
    return text_get(&out);
}

#endif
