#include "runtime/linalg/lapack_parts.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#define SIZE_OF_COMPLEX(x)   (fabs((double)creal(x)) + fabs((double)cimag(x)))
#define SQUARE_OF_COMPLEX(x) ((double)creal(x) * (double)creal(x) + (double)cimag(x) * (double)cimag(x))

/* C's own product also checks for infinities, which takes most of the time. */
#define TIMES_OF_COMPLEX(make, x, y, re, im) make(re(x) * re(y) - im(x) * im(y), re(x) * im(y) + im(x) * re(y))

#define T           float
#define LEAST       FLT_MIN
#define SIZE(x)     fabsf(x)
#define SQUARE(x)   ((double)(x) * (double)(x))
#define CONJ(x)     (x)
#define TIMES(x, y) ((x) * (y))
#define NAME(x)     x##_f32
#include "runtime/linalg/lapack_loops.inc"

#define T           double
#define LEAST       DBL_MIN
#define SIZE(x)     fabs(x)
#define SQUARE(x)   ((x) * (x))
#define CONJ(x)     (x)
#define TIMES(x, y) ((x) * (y))
#define NAME(x)     x##_f64
#include "runtime/linalg/lapack_loops.inc"

#define T           float complex
#define LEAST       FLT_MIN
#define SIZE(x)     SIZE_OF_COMPLEX(x)
#define SQUARE(x)   SQUARE_OF_COMPLEX(x)
#define CONJ(x)     conjf(x)
#define TIMES(x, y) TIMES_OF_COMPLEX(CMPLXF, x, y, crealf, cimagf)
#define NAME(x)     x##_c64
#include "runtime/linalg/lapack_loops.inc"

#define T           double complex
#define LEAST       DBL_MIN
#define SIZE(x)     SIZE_OF_COMPLEX(x)
#define SQUARE(x)   SQUARE_OF_COMPLEX(x)
#define CONJ(x)     conj(x)
#define TIMES(x, y) TIMES_OF_COMPLEX(CMPLX, x, y, creal, cimag)
#define NAME(x)     x##_c128
#include "runtime/linalg/lapack_loops.inc"

#define PARTS_OF(name)                                                                                                 \
    {                                                                                                                  \
        swaps_##name, factor_##name, solve_lower_##name, solve_upper_##name, cholesky_##name, divide_##name,           \
            less_square_##name, conjugate_##name, singular_##name, identity_##name                                     \
    }

const struct lapack_parts *sdfg_rt_lapack_parts(int32_t type)
{
    static const struct lapack_parts parts[SDFG_RT_TYPE_COUNT] = {
        [SDFG_RT_F32] = PARTS_OF(f32),
        [SDFG_RT_F64] = PARTS_OF(f64),
        [SDFG_RT_C64] = PARTS_OF(c64),
        [SDFG_RT_C128] = PARTS_OF(c128),
    };
    return &parts[type];
}
