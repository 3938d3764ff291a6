/* Arithmetic in tasklets: C semantics under Python's syntax. */
#include "tests/run/corner.h"

const struct corner_arithmetic corner_arithmetic[] = {
    /* No promotion to floating point. */
    { "001_integer_division", "o = a / b", "int32 a = -7, int32 b = 2", "float64 o = -3", NULL },
    /* Towards zero, unlike Python. */
    { "002_integer_floor_division", "o = a // b", "int32 a = -7, int32 b = 2", "int32 o = -3", NULL },
    /* The floor; DaCe goes through a 32-bit integer, which is the same as long as that fits. */
    { "003_real_floor_division", "o = a // b\np = c // b", "float64 a = 7.5, float64 b = 2, float64 c = -7.5",
      "float64 o = 3, float64 p = -4", NULL },
    { "004_remainder", "o = a % b", "int32 a = -7, int32 b = 2", "int32 o = -1", NULL },
    { "005_negative_power", "o = a ** -1\np = a ** b", "int32 a = 3, int32 b = -2", "int32 o = 0, int32 p = 0", NULL },
    { "006_folded_power", "o = 2 ** 31", "int32 a = 0", "int64 o = -2147483648", NULL },
    /* Functions of the math module have the type of their argument. */
    { "007_math_module", "o = math.sqrt(b)\np = sqrt(b)", "int32 b = 2",
      "float64 o = 1, float64 p = 1.4142135623730951", NULL },
    { "008_float_cast", "o = float(x)", "float64 x = 0.1", "float64 o = 0.100000001490116119384765625", "0" },
    { "009_int_cast", "o = int(x)\np = int(y)", "float64 x = 3.75, float64 y = -3.75", "int64 o = 3, int64 p = -3",
      NULL },
    { "010_unsigned_literal", "o = a * 2147483648", "int32 a = -1", "int64 o = 2147483648", NULL },
    { "011_chained_comparison", "o = 7.5 < a < 3", "int32 a = -2", "int32 o = 1", NULL },
    { "012_small_integers", "o = a * b", "int8 a = 100, int8 b = 100", "int32 o = 10000", NULL },
    { "013_unsigned_comparison", "o = a > -1", "uint32 a = 7", "int32 o = 0", NULL },
    { "014_unsigned_difference", "o = a - b", "uint32 a = 7, uint32 b = 9", "float64 o = 4294967294", NULL },
    { "015_integer_and_float32", "o = a + b", "int64 a = 16777217, float32 b = 0", "float64 o = 16777216", "0" },
    { "016_logical_or", "o = a or b\np = a and b", "int32 a = 0, int32 b = 7", "int32 o = 1, int32 p = 0", NULL },
    /* The upper-case forms have the type of their first argument. */
    { "017_minimum_types", "o = Min(a, b)\np = min(a, b)\nq = Max(a, c)",
      "int32 a = 3, float64 b = 2.5, float64 c = 4.5", "float64 o = 2, float64 p = 2.5, float64 q = 4", NULL },
    /* The second operand, if either is NaN. */
    { "018_minimum_of_nan", "o = min(a, b)\np = min(b, a)\nq = max(a, b)\nr = max(b, a)",
      "float64 a = NaN, float64 b = 1", "float64 o = 1, float64 p = nan, float64 q = 1, float64 r = nan", NULL },
    { "019_round", "o = round(a)\np = round(b)", "float64 a = 2.5, float64 b = -2.5", "float64 o = 3, float64 p = -3",
      NULL },
    /* Python's ranges; in DaCe these do not end. */
    { "020_range",
      "s = 0\nfor i in range(0, 5, 2):\n    s = s + i\no = s\nt = 0\nfor i in range(3, 1):\n    t = t + 1\np = t",
      "int32 a = 0", "int32 o = 6, int32 p = 0", NULL },
    { "022_first_assignment", "x = 0\nx = x + 0.5\no = x", "int32 a = 0", "float64 o = 0", NULL },
    /* Computed as float32, rounded once when stored; rounding each operation gives 0. */
    { "024_float16", "o = a * b + c", "float16 a = 1.0009765625, float16 b = 1.0009765625, float16 c = -1.001953125",
      "float16 o = 9.5367431640625e-07", "0" },
    /* May or may not be contracted. */
    { "025_multiply_add", "o = a * b + c", "float64 a = 0.1, float64 b = 0.2, float64 c = 0.3", "float64 o = 0.32",
      "1e-14" },
    { "026_complex_and_integer", "o = z + n\np = z * n\nq = z - n\nr = z / n\ns = n * z",
      "complex128 z = [1, 2], int32 n = 2",
      "complex128 o = 3 2, complex128 p = 2 4, complex128 q = -1 2, complex128 r = 0.5 1, complex128 s = 2 4",
      "1e-15" },
    { "027_infinity", "m = -inf\nm = max(m, a)\nm = max(m, b)\no = m\np = inf", "float64 a = -3, float64 b = -1",
      "float64 o = -1, float64 p = inf", NULL },
    /* A statement in the syntax of old memlets is no code. */
    { "028_old_memlet_syntax", "a << A[0]\no = a + 1\no >> B[0]", "int32 a = 4", "int32 o = 5", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};
