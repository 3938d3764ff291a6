/* Properties of library nodes. Every getter takes the node, the key and the default of spec/defaults.json for it; null
 * and absent give the default, anything of the wrong kind is recorded at the node and gives false. */
#ifndef IR_LIBRARY_H
#define IR_LIBRARY_H

#include "ir/graph.h"

/* A number (format.md 2.15): JSON number, text such as "(1+2j)", or symbolic text. */
struct library_number {
    double re, im;
    bool is_integer;          /* written without a point: `re` is exact */
    const struct sym *symbol; /* not a literal: its value is this expression; NULL for literals */
};

bool library_bool(const struct library *l, const char *key, bool otherwise, bool *out);
bool library_int(const struct library *l, const char *key, int64_t otherwise, int64_t *out);
bool library_number(const struct library *l, const char *key, double otherwise, struct library_number *out);
bool library_symbolic(const struct library *l, const char *key, const struct sym *otherwise, const struct sym **out);
/* `*out` is NULL if the list is absent or null. */
bool library_symbolic_list(const struct library *l, const char *key, const struct sym ***out, uint32_t *count);
/* Text; numbers and booleans are given as they are written. `otherwise` may be NULL. */
bool library_string(const struct library *l, const char *key, const char *otherwise, const char **out);
/* `*out` is NULL if the list is absent or null. */
bool library_ints(const struct library *l, const char *key, int64_t **out, uint32_t *count);
bool library_strings(const struct library *l, const char *key, const char ***out, uint32_t *count);
/* A type, or NULL if absent or null. */
bool library_type(const struct library *l, const char *key, const struct type **out);

/* The property of this name holds symbolic text in some class. */
bool library_is_symbolic(const char *key);
/* "dace.libraries.blas.nodes.gemm.Gemm" -> "Gemm" */
const char *library_class(const struct library *l);

#endif
