/* Arrays of the tools: compared, shown, and their elements. */
#include "engine/cli/view.h"

#include "tests/unit/check.h"

#include <math.h>
#include <stdlib.h>

TEST(views_are_compared)
{
    static unsigned char never[16] = { [0 ... 15] = 0xa5 };
    static const double nan_value = NAN, inf = INFINITY, one = 1, near_one = 1 + 1e-10, two = 2;
    static const float f_one = 1, f_near = 1.0001F, f_two = 2;
    static const int32_t i_one = 1, i_two = 2;
    static const uint64_t most = UINT64_MAX;
    static const double c_one[] = { 1, 1 }, c_near[] = { 1, 1 + 1e-10 }, c_nan[] = { 1, NAN },
                        c_inf[] = { INFINITY, 1 };
    static const bool yes = true, no = false;
    static const struct {
        sdfg_dtype dtype;
        const void *is, *reference;
        const char *said;
    } rows[] = {
        { SDFG_F64, &one, &near_one, NULL },
        { SDFG_F64, &one, &two, "[0, 0] is 1.0, expected 2.0 (1 of 1 differ, by up to 1.0)" },
        { SDFG_F64, &nan_value, &nan_value, NULL },
        { SDFG_F64, &nan_value, &one, "[0, 0] is nan, expected 1.0 (1 of 1 differ, by up to nan)" },
        { SDFG_F64, &inf, &inf, NULL },
        { SDFG_F64, &one, &inf, "[0, 0] is 1.0, expected inf (1 of 1 differ, by up to inf)" },
        { SDFG_F64, &one, never, NULL },
        { SDFG_F32, &f_one, &f_near, NULL },
        { SDFG_F32, &f_one, &f_two, "[0, 0] is 1.0, expected 2.0 (1 of 1 differ, by up to 1.0)" },
        { SDFG_C128, c_one, c_near, NULL },
        { SDFG_C128, c_one, c_nan, "[0, 0] is (1.0, 1.0), expected (1.0, nan) (1 of 1 differ, by up to nan)" },
        { SDFG_C128, c_nan, c_nan, NULL },
        { SDFG_C128, c_inf, c_inf, NULL },
        { SDFG_I32, &i_one, &i_one, NULL },
        { SDFG_I32, &i_one, &i_two, "[0, 0] is 1, expected 2 (1 of 1 differ, by up to 1.0)" },
        { SDFG_U64, &most, &most, NULL },
        { SDFG_BOOL, &yes, &no, "[0, 0] is true, expected false (1 of 1 differ, by up to 1.0)" },
        { SDFG_RECORD, c_one, c_one, NULL },
        { SDFG_RECORD, c_one, c_near, "[0, 0] is ?, expected ? (1 of 1 differ, by up to 0.0)" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200] = "";
        size_t item = rows[i].dtype == SDFG_RECORD ? 16 : sdfg_dtype_size(rows[i].dtype);
        struct tensor reference = { .dtype = rows[i].dtype,
                                    .item_bytes = item,
                                    .rank = 2,
                                    .shape = { 1, 1 },
                                    .data = (void *)(uintptr_t)rows[i].reference };
        struct view v = view_of_tensor(&reference);
        v.data = (unsigned char *)(uintptr_t)rows[i].is;
        bool same = view_compare(&v, &reference, (struct tolerance){ -1, -1, true }, text, sizeof text);
        CHECK_INT(same, !rows[i].said);
        CHECK_STR(text, rows[i].said ? rows[i].said : "");
    }
}

TEST(views_of_other_types_and_sizes_differ)
{
    char text[100];
    double values[3] = { 0 };
    struct tensor t = { .dtype = SDFG_F64, .item_bytes = 8, .rank = 1, .shape = { 3 }, .data = values };
    struct view v = view_of_tensor(&t);
    struct tolerance strict = { 0 };
    v.shape[0] = 2;
    CHECK(!view_compare(&v, &t, strict, text, sizeof text));
    CHECK_STR(text, "has 2 elements, the reference 3");
    v.dtype = SDFG_I64;
    CHECK(!view_compare(&v, &t, strict, text, sizeof text));
    CHECK_STR(text, "holds int64, the reference float64");
    v.dtype = t.dtype = SDFG_RECORD;
    v.item_bytes = 16;
    CHECK(!view_compare(&v, &t, strict, text, sizeof text));
    CHECK_STR(text, "holds record, the reference record");
}

/* Sizes of files that leave 64 bits stay at their end. */
TEST(extents_of_large_views)
{
    static const struct {
        int64_t shape[2], strides[2], begin, end;
    } rows[] = {
        { { 3, 4 }, { 4, 1 }, 0, 12 },
        { { 3, 4 }, { -4, 1 }, -8, 4 },
        { { 0, 4 }, { 4, 1 }, 0, 0 },
        { { 3, 1 }, { INT64_MAX, 1 }, 0, INT64_MAX },
        { { 3, 1 }, { INT64_MIN, 1 }, INT64_MIN, 1 },
        { { 3, 3 }, { INT64_MAX, INT64_MAX }, 0, INT64_MAX },
        { { 3, 3 }, { INT64_MIN, INT64_MIN }, INT64_MIN, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct view v = { .dtype = SDFG_F64, .item_bytes = 8, .rank = 2 };
        int64_t begin, end;
        memcpy(v.shape, rows[i].shape, sizeof rows[i].shape);
        memcpy(v.strides, rows[i].strides, sizeof rows[i].strides);
        view_extent(&v, &begin, &end);
        CHECK_INT(begin, rows[i].begin);
        CHECK_INT(end, rows[i].end);
    }
}

TEST(views_are_shown)
{
    double values[4] = { 1, NAN, 3, NAN };
    double nans[1] = { NAN };
    double complex_values[2] = { 3, 4 };
    uint64_t large = UINT64_MAX;
    char text[200], short_text[16], *printed;
    size_t size;
    struct tensor t = { .dtype = SDFG_F64, .item_bytes = 8, .rank = 2, .shape = { 2, 2 }, .data = values };
    struct view v = view_of_tensor(&t);
    view_summary(&v, text, sizeof text);
    CHECK_STR(text, "float64 [2, 2]  min 1  max 3  mean 2  NaN 2");
    for (size_t n = 4; n <= sizeof short_text; n++) { /* cut, not overrun */
        view_summary(&v, short_text, n);
        CHECK_INT(strlen(short_text), n - 1);
    }
    FILE *f = open_memstream(&printed, &size);
    view_print(&v, f);
    v = view_of_tensor(&(struct tensor){ .dtype = SDFG_F64, .item_bytes = 8, .rank = 1, .shape = { 1 }, .data = nans });
    view_summary(&v, text, sizeof text);
    CHECK_STR(text, "float64 [1]  NaN 1");
    v = view_of_tensor(&(struct tensor){ .dtype = SDFG_C128, .item_bytes = 16, .data = complex_values });
    view_summary(&v, text, sizeof text);
    CHECK_STR(text, "complex128 []  |min| 5  |max| 5  |mean| 5");
    view_print(&v, f);
    v = view_of_tensor(&(struct tensor){ .dtype = SDFG_U64, .item_bytes = 8, .data = &large });
    view_print(&v, f);
    v = view_of_tensor(
        &(struct tensor){ .dtype = SDFG_RECORD, .item_bytes = 3, .rank = 1, .shape = { 2 }, .data = "\1\2\3\4\5\6" });
    view_summary(&v, text, sizeof text);
    CHECK_STR(text, "record [2]");
    view_print(&v, f);
    fclose(f);
    CHECK_STR(printed, "1.0 nan\n3.0 nan\n(3.0, 4.0)\n18446744073709551615\n010203 040506\n");
    free(printed);
}

TEST(elements_are_rounded_or_wrapped)
{
    int8_t i8;
    uint8_t u8;
    bool yes;
    element_set(SDFG_I8, &i8, 1e300, 0);
    CHECK_INT(i8, 0);
    element_set(SDFG_I8, &i8, -1e300, 0);
    CHECK_INT(i8, 0);
    element_set(SDFG_I8, &i8, -3.7, 0);
    CHECK_INT(i8, -3);
    element_set_integer(SDFG_U8, &u8, 257);
    CHECK_INT(u8, 1);
    element_set_integer(SDFG_BOOL, &yes, 256);
    CHECK(yes);
}

CHECK_MAIN
