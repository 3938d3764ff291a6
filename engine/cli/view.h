/* A strided look at memory, as arguments of programs lie in it: walking, comparing, copying, printing. */
#ifndef ENGINE_CLI_VIEW_H
#define ENGINE_CLI_VIEW_H

#include "engine/cli/tensor.h"

#include <stdio.h>

struct view {
    sdfg_dtype dtype;
    size_t item_bytes;
    int rank;
    int64_t shape[SDFG_MAX_RANK], strides[SDFG_MAX_RANK]; /* in elements of dtype */
    unsigned char *data;
};

struct view view_of_tensor(const struct tensor *t);
int64_t view_count(const struct view *v);
/* Address of the n-th element in C order. */
unsigned char *view_at(const struct view *v, int64_t n);
/* First and one past the last element that is touched, relative to data; 0 and 0 if there is none. */
void view_extent(const struct view *v, int64_t *begin, int64_t *end);
void view_scatter(const struct view *v, const struct tensor *from); /* equal counts */
/* A packed copy; false if there is no memory. */
bool view_gather(const struct view *v, struct tensor *out);

/* Tolerances of a comparison; negative ones are chosen by element type and magnitude (the corpus' rules). */
struct tolerance {
    double rtol, atol;
    bool skip_uninitialised; /* reference elements that consist of bytes 0xA5 were never written */
};

/* True if equal enough; else says where and how much in `text`. Integers exactly; NaN equals NaN. Records bytewise. */
bool view_compare(const struct view *v, const struct tensor *reference, struct tolerance t, char *text, size_t size);
/* "float64 [3, 4]  min 0.0  max 1.0  mean 0.5" */
void view_summary(const struct view *v, char *text, size_t size);
/* One line per row of the last dimension. */
void view_print(const struct view *v, FILE *f);

#endif
