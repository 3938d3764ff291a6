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

/* A call that begins a message, or does all of it. Arguments by their numbers. */
struct overlap_message {
    struct {
        uint8_t buffer, layout;
        bool written;
    } regions[2];
    uint8_t num_regions;
    uint8_t request;    /* 0: it waits by itself */
    uint8_t goes_on;    /* the flag of operations of all processes, the last argument; or 0 */
    const char *starts; /* the function that begins the same, with a request behind, or in the place of the flag */
};
const struct overlap_message *overlap_message_of(const struct tree_stmt *s); /* NULL: no message */

/* What such a call does with memory; false if that is not known. */
bool overlap_piece(struct overlap_set *set, const struct tree_stmt *call, struct tree_piece *p);
/* Its message is under way from now on. */
bool overlap_add(struct overlap_set *set, const struct tree_stmt *call);
/* A call of a library that touches nothing of messages under way? */
bool overlap_call_passes(const struct overlap_set *set, const struct tree_stmt *s);
/* May the piece not change places with the messages? Element by element. */
bool overlap_meets(const struct overlap_set *set, const struct tree_piece *p);
/* Splits a nest of parallel loops into its interior, which touches nothing of messages under way, and its boundary: the
 * first and the last iteration of its outer loops. NULL if there is no such interior, else a block, of which the first
 * statement is the interior. */
struct tree_stmt *overlap_split(struct overlap_set *set, const struct tree_stmt *loop);

#endif
