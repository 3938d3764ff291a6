/* Single values of any element type: conversion with range checks, and text for messages. */
#ifndef ENGINE_SCALAR_H
#define ENGINE_SCALAR_H

#include "engine/include/sdfg.h"

struct scalar {
    sdfg_dtype dtype;
    union {
        int64_t i;   /* BOOL, I8 .. I64 */
        uint64_t u;  /* U8 .. U64 */
        double f[2]; /* everything else; the imaginary part is 0 for real types */
    };
};

/* Reads a value of a basic type from memory. */
struct scalar scalar_load(sdfg_dtype dtype, const void *memory);
/* Writes it as `dtype`: integers must fit, a fraction or an imaginary part is not dropped silently. False if it does
 * not fit. */
bool scalar_store(const struct scalar *s, sdfg_dtype dtype, void *memory);
bool scalar_integer(const struct scalar *s, int64_t *out); /* the value as an integer, if it is one */
void scalar_print(const struct scalar *s, char *out, size_t size);

#endif
