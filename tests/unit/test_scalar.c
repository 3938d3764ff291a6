/* Single values: what fits into which type, and as text. */
#include "engine/args/scalar.h"

#include "tests/unit/check.h"

#include <math.h>

TEST(scalars)
{
    int8_t i8;
    uint64_t u64 = UINT64_MAX;
    float f32;
    uint16_t f16;
    struct scalar s = scalar_load(SDFG_U64, &u64);
    CHECK(!scalar_store(&s, SDFG_I8, &i8));
    CHECK(scalar_store(&s, SDFG_U64, &u64) && u64 == UINT64_MAX);
    CHECK(scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { -3, 0 } }, SDFG_I8, &i8) && i8 == -3);
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { 3.5, 0 } }, SDFG_I8, &i8));
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { NAN, 0 } }, SDFG_I8, &i8));
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { 1e300, 0 } }, SDFG_F32, &f32));
    CHECK(scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { INFINITY, 0 } }, SDFG_F32, &f32) && isinf(f32));
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_C128, .f = { 1, 1 } }, SDFG_F32, &f32));
    CHECK(scalar_store(&(struct scalar){ .dtype = SDFG_I64, .i = 1 }, SDFG_F16, &f16) && f16 == 0x3c00);
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_I64, .i = 2 }, SDFG_BOOL, &i8));
}

/* Each end of the integers fits, one beyond it does not. */
TEST(integers_fit_or_not)
{
    static const struct {
        sdfg_dtype dtype;
        int64_t least, most;
    } rows[] = {
        { SDFG_BOOL, 0, 1 },         { SDFG_I8, INT8_MIN, INT8_MAX },    { SDFG_I16, INT16_MIN, INT16_MAX },
        { SDFG_U8, 0, UINT8_MAX },   { SDFG_I32, INT32_MIN, INT32_MAX }, { SDFG_U16, 0, UINT16_MAX },
        { SDFG_U32, 0, UINT32_MAX }, { SDFG_I64, INT64_MIN, INT64_MAX }, { SDFG_U64, 0, INT64_MAX },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sdfg_dtype dtype = rows[i].dtype;
        int64_t memory = 0;
        const struct scalar least = { .dtype = SDFG_I64, .i = rows[i].least },
                            most = { .dtype = SDFG_I64, .i = rows[i].most },
                            below = { .dtype = SDFG_I64, .i = (int64_t)((uint64_t)rows[i].least - 1) },
                            above = { .dtype = SDFG_U64, .u = (uint64_t)rows[i].most + 1 };
        CHECK(scalar_store(&least, dtype, &memory));
        CHECK_INT(scalar_load(dtype, &memory).i, rows[i].least);
        CHECK(scalar_store(&most, dtype, &memory));
        CHECK_INT(scalar_load(dtype, &memory).i, rows[i].most);
        if (dtype != SDFG_I64) /* there is no integer below */
            CHECK(!scalar_store(&below, dtype, &memory));
        CHECK_INT(scalar_store(&above, dtype, &memory), dtype == SDFG_U64);
    }
}

/* As floating point, and as text. */
TEST(values_of_other_types)
{
    static const struct {
        struct scalar value;
        sdfg_dtype dtype;
        bool fits;
        const char *text;
    } rows[] = {
        { { .dtype = SDFG_U64, .u = UINT64_MAX }, SDFG_F64, true, "18446744073709551615" },
        { { .dtype = SDFG_I8, .i = -3 }, SDFG_C64, true, "-3" },
        { { .dtype = SDFG_C64, .f = { 1, 2 } }, SDFG_C128, true, "(1.0, 2.0)" },
        { { .dtype = SDFG_C128, .f = { 1, 2 } }, SDFG_F64, false, "(1.0, 2.0)" },
        { { .dtype = SDFG_C128, .f = { 1, 2 } }, SDFG_I64, false, "(1.0, 2.0)" },
        { { .dtype = SDFG_C128, .f = { 1, 1e300 } }, SDFG_C64, false, "(1.0, 1e+300)" },
        { { .dtype = SDFG_F64, .f = { 1e300, 0 } }, SDFG_F16, false, "1e+300" },
        { { .dtype = SDFG_F64, .f = { INFINITY, 0 } }, SDFG_F16, true, "inf" },
        { { .dtype = SDFG_F64, .f = { 0x1p63, 0 } }, SDFG_I64, false, "9.223372036854776e+18" },
        { { .dtype = SDFG_F64, .f = { -0x1p64, 0 } }, SDFG_I64, false, "-1.8446744073709552e+19" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[80];
        double memory[2];
        CHECK_INT(scalar_store(&rows[i].value, rows[i].dtype, memory), rows[i].fits);
        scalar_print(&rows[i].value, text, sizeof text);
        CHECK_STR(text, rows[i].text);
    }
    for (int t = SDFG_NONE; t <= SDFG_RECORD; t++)
        CHECK_INT(sdfg_dtype_by_name(sdfg_dtype_name((sdfg_dtype)t)), t == SDFG_RECORD ? SDFG_NONE : t);
    CHECK_INT(sdfg_dtype_by_name(NULL), SDFG_NONE);
    CHECK_STR(sdfg_dtype_name(SDFG_RECORD + 1), "unknown");
    CHECK_INT(sdfg_dtype_size(SDFG_RECORD + 1), 0);
}

CHECK_MAIN
