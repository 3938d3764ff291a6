/* Floating-point numbers narrower than float, as bit patterns. Rounding is to nearest, ties to even (semantics.md 1.4).
 */
#ifndef BASE_SMALLFLOAT_H
#define BASE_SMALLFLOAT_H

#include <stdint.h>

enum smallfloat { SMALLFLOAT_F16, SMALLFLOAT_BF16, SMALLFLOAT_F8E4M3, SMALLFLOAT_F8E5M2 };

double smallfloat_decode(enum smallfloat format, uint32_t bits);
/* Too large values become infinity, or NaN in F8E4M3, which has no infinity. */
uint32_t smallfloat_encode(enum smallfloat format, double value);

#endif
