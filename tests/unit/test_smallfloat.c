#include "base/smallfloat.h"

#include "tests/unit/check.h"

#include <math.h>

static const int bits_of[] = { 16, 16, 8, 8 };

TEST(every_pattern_reads_back)
{
    for (int format = SMALLFLOAT_F16; format <= SMALLFLOAT_F8E5M2; format++)
        for (uint32_t bits = 0; bits < 1u << bits_of[format]; bits++) {
            double value = smallfloat_decode((enum smallfloat)format, bits);
            if (isnan(value))
                CHECK(isnan(
                    smallfloat_decode((enum smallfloat)format, smallfloat_encode((enum smallfloat)format, value))));
            else
                CHECK_INT(smallfloat_encode((enum smallfloat)format, value), bits);
        }
}

TEST(known_values)
{
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, 1.0), 0x3c00);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, 65504.0), 0x7bff);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, 65520.0), 0x7c00);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, -1e9), 0xfc00);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_BF16, 1.0), 0x3f80);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F8E4M3, 448.0), 0x7e);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F8E4M3, 480.0), 0x7f);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F8E5M2, 57344.0), 0x7b);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F8E5M2, 1e6), 0x7c);
}

TEST(ties_go_to_even)
{
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, 1.0 + 1.0 / 2048), 0x3c00);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, 1.0 + 3.0 / 2048), 0x3c02);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, ldexp(1, -25)), 0);
    CHECK_INT(smallfloat_encode(SMALLFLOAT_F16, ldexp(3, -25)), 2);
}

CHECK_MAIN
