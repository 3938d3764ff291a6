/* Writes the recorded cases below tests/run/library: library nodes, and streams. Every case is a program of one state,
 * its inputs and the results that plain loops compute here, without the engine. The files are kept in the repository; a
 * test runs this program again and compares. */
#ifndef TESTS_RUN_GENERATE_GENERATE_H
#define TESTS_RUN_GENERATE_GENERATE_H

#include "engine/include/sdfg.h"
#include "ir/build/build.h"

#include <complex.h>

enum { GEN_MAX_RANK = 6, GEN_MAX_ITEMS = 16, GEN_MAX_ARRAYS = 48 };

/* An array argument. Elements are kept in row-major order, whatever the layout in memory. */
struct gen_array {
    const char *name;
    sdfg_dtype dtype;
    int rank;
    int64_t shape[GEN_MAX_RANK], strides[GEN_MAX_RANK], count;
    double complex *in, *out; /* before and after the call */
};

/* A program and its arguments. */
struct gen {
    const char *name;
    struct ir *ir;
    struct sdfg *sdfg;
    struct state *state;
    struct gen_array arrays[GEN_MAX_ARRAYS];
    struct {
        const char *name;
        int64_t value;
    } symbols[GEN_MAX_ITEMS];
    int num_arrays, num_symbols;
    uint64_t random;
    double rtol; /* of the comparison; 0: its default */
};

struct gen *gen_begin(const char *name);
void gen_symbol(struct gen *g, const char *name, int64_t value);
/* Shape and strides (NULL: packed) are lists of numbers and symbols. The contents are small multiples of 1/4, integers
 * for integer types; `out` starts as a copy of them. */
struct gen_array *gen_array(struct gen *g, const char *name, const char *type, const char *shape, const char *strides);
/* A library node with an access node per operand: "_a = A, _b = B[0:3, 1:8:2]". An operand without connector is written
 * "= A". `wcr` (or NULL) is the conflict resolution of every output. */
struct library *gen_node(struct gen *g, const char *classpath, const char *attributes, const char *inputs,
                         const char *outputs, const char *wcr);
/* The same with a tasklet in C++. */
void gen_tasklet(struct gen *g, const char *text, const char *inputs, const char *outputs);
/* Writes the case and releases everything. */
void gen_end(struct gen *g);

/* Element number `k` in row-major order of an index. */
int64_t gen_at(const struct gen_array *a, const int64_t *index);
#define GEN_IN(a, ...)  ((a)->in[gen_at(a, (const int64_t[]){ __VA_ARGS__ })])
#define GEN_OUT(a, ...) ((a)->out[gen_at(a, (const int64_t[]){ __VA_ARGS__ })])

void gen_products(void); /* blas: products of matrices and vectors */
void gen_vectors(void);  /* blas: dot, axpy, ger */
void gen_tensors(void);  /* einsum, tensordot, transpositions */
void gen_reductions(void);
void gen_standard(void); /* copy, fill, gearbox */
void gen_streams(void);  /* streams, consume scopes, kinds of memory */
void gen_linalg(void);   /* linalg and lapack */
void gen_fft(void);
void gen_sparse(void);
void gen_stencil(void);
void gen_cuda(void); /* tasklets that call CUDA's libraries */

#endif
