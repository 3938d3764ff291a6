/* Facts about statements, kept from pass to pass.
 *
 * A fact is kept under the content of what it is about, not under its place in the tree or the pass that asked: a pass
 * that changes nothing breaks nothing, and one that changes a loop breaks what was known of that loop and of those
 * around it. Expressions do not change once made, so the content of a statement is which ones it has.
 *
 * Values live in the arena of the tree. Builds for developers find out every fact that was kept once more, and compare
 * (tree_scan.c, lower/opt/iterations.c). */
#ifndef LOWER_TREE_FACTS_H
#define LOWER_TREE_FACTS_H

#include "lower/tree/tree.h"

enum tree_fact {
    TREE_FACT_SCAN,      /* of a function: variables and labels, how often they are used (tree_scan.h) */
    TREE_FACT_VARIABLES, /* of a loop: those it assigns (lower/opt/iterations.h) */
    TREE_FACT_APART,     /* of a loop in its frame: whether its iterations have to do with each other */
    TREE_FACTS
};

/* Two hashes of a content. */
struct tree_key {
    uint64_t a, b;
};

void tree_key_add(struct tree_key *k, uint64_t word);
void tree_key_pointer(struct tree_key *k, const void *p);
/* All of a statement that facts may depend on: not its place in the source, nor marks that only say how it is to run
 * (`parallel`, `wide`, `unroll`, ...). */
void tree_key_stmt(struct tree_key *k, const struct tree_stmt *s);

/* NULL: not known, or not of this content. */
void *tree_fact_find(struct tree *t, enum tree_fact kind, const struct tree_key *key);
void tree_fact_keep(struct tree *t, enum tree_fact kind, const struct tree_key *key, void *value);

/* How often a fact was asked for, and how often it was known already. */
struct tree_fact_count {
    uint32_t asked, found;
};
struct tree_fact_count tree_fact_count(const struct tree *t, enum tree_fact kind);
const char *tree_fact_name(enum tree_fact kind);

#endif
