/* What the two files about messages share. */
#ifndef FRONTEND_MPI_H
#define FRONTEND_MPI_H

#include "frontend/functions.h"

/* Where a message is received. */
struct fe_received {
    const struct value *to;   /* a region that a memlet can name */
    const struct value *then; /* where it goes from there, or NULL */
};
/* The array of a message that is sent, in a region that a memlet can name; NULL with an error. */
const struct value *fe_sent(struct fe *f, const struct py *n, const struct value *v);
/* `reads`: what is there before counts. */
bool fe_receives(struct fe *f, const struct py *n, const struct value *v, bool reads, struct fe_received *r);
/* After the node: the value of the call, None; NULL with an error. */
const struct value *fe_after(struct fe *f, const struct py *n, const struct fe_received *r);

/* The grid that a value is, NULL for none and for all processes; false with an error. */
bool fe_grid_of(struct fe *f, const struct py *n, const struct value *v, const struct fe_grid **out);
const char *fe_grid_name(struct fe *f, const struct fe_grid *g); /* its descriptor on this level */

#endif
