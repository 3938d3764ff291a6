/* For tests of the C API: errors that print themselves, programs from built graphs, and axpy, which most tests call.
 * The tests run in the folder tests/. */
#ifndef TESTS_UNIT_API_H
#define TESTS_UNIT_API_H

#include "engine/include/sdfg.h"
#include "ir/build/build.h"

#include "tests/unit/check.h"

/* Whether there is no error; one is printed and freed. */
static inline bool good(sdfg_error *e)
{
    if (e)
        printf("%s", sdfg_error_text(e));
    sdfg_error_free(e);
    return !e;
}

static inline sdfg_program *program_of(sdfg_engine *engine, struct sdfg *s)
{
    sdfg_program *p;
    struct text json = text_new(s->ir->arena);
    CHECK(build_finish(s));
    sdfg_write(s, &json);
    CHECK(good(sdfg_program_load(&p, engine, text_get(&json), json.length, NULL)));
    return p;
}

static inline sdfg_stats stats_of(sdfg_program *p)
{
    sdfg_stats s = { .struct_size = sizeof s };
    sdfg_program_stats(p, &s);
    return s;
}

/* ---- axpy: Y = alpha X + Y ---- */

enum { AXPY_LARGEST = 64 };

static inline sdfg_program *axpy_load(sdfg_engine *engine)
{
    sdfg_program *p;
    CHECK(good(sdfg_program_load_file(&p, engine, "../examples/axpy.sdfg")));
    return p;
}

/* alpha = 2, and n elements of each. */
static inline sdfg_args *axpy_arguments(sdfg_program *p, double *x, double *y, int n)
{
    sdfg_args *args;
    CHECK(good(sdfg_args_new(&args, p)));
    CHECK(good(sdfg_args_f64(args, "alpha", 2)));
    CHECK(good(sdfg_args_array(args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    CHECK(good(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    return args;
}

/* Whether a call with n elements, which begin `offset` elements behind a line of the cache, gives the right numbers. */
static inline bool axpy_call_at(sdfg_program *p, int n, int offset)
{
    _Alignas(64) double x[AXPY_LARGEST + 8], y[AXPY_LARGEST + 8];
    for (int i = 0; i < n; i++) {
        x[offset + i] = i;
        y[offset + i] = n;
    }
    sdfg_args *args = axpy_arguments(p, x + offset, y + offset, n);
    bool ok = good(sdfg_call(p, args));
    sdfg_args_free(args);
    for (int i = 0; i < n; i++)
        ok &= y[offset + i] == 2 * i + n;
    return ok;
}

static inline bool axpy_call(sdfg_program *p, int n) { return axpy_call_at(p, n, 0); }

#endif
