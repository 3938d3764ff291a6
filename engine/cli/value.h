/* Single values as command lines give them: 5, 1.5, true, 1.5,-2 (complex). */
#ifndef ENGINE_CLI_VALUE_H
#define ENGINE_CLI_VALUE_H

#include "engine/include/sdfg.h"

enum single_kind { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_REAL, VALUE_COMPLEX };

struct single {
    enum single_kind kind;
    int64_t i;     /* VALUE_SIGNED */
    uint64_t u;    /* VALUE_UNSIGNED: above INT64_MAX */
    double re, im; /* the others */
};

bool value_parse(struct single *out, const char *text);
sdfg_error *value_give(sdfg_args *a, const char *name, const struct single *v);
/* False if the type cannot hold it: no number is rounded to an integer or loses a part. */
bool value_store(const struct single *v, sdfg_dtype dtype, void *memory);

#endif
