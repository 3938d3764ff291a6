/* Messages that go on while the program does other things: what the files of the pass `overlap` share. */
#ifndef LOWER_OPT_MESSAGES_OVERLAP_H
#define LOWER_OPT_MESSAGES_OVERLAP_H

#include "lower/tree/tree_piece.h"

/* What messages under way read and write, as loops over their regions that are in no program. */
struct overlap_set {
    struct tree *tree;
    const struct tree_func *func;
    struct piece_set pieces;
};

/* May the piece not change places with the messages? Element by element. */
bool overlap_meets(const struct overlap_set *set, const struct tree_piece *p);
/* Splits a nest of parallel loops into its interior, which touches nothing of messages under way, and its boundary: the
 * first and the last iteration of its outer loops. NULL if there is no such interior, else a block, of which the first
 * statement is the interior. */
struct tree_stmt *overlap_split(struct overlap_set *set, const struct tree_stmt *loop);

#endif
