/* What Python's print and format write, as generated code asks for it. */
#include "runtime/runtime.h"

#include "tests/unit/check.h"

#include <math.h>
#include <stdlib.h>

#define PRINTS(expected, ...)                                                                                          \
    do {                                                                                                               \
        char *printed;                                                                                                 \
        size_t size;                                                                                                   \
        FILE *usual = stdout;                                                                                          \
        stdout = open_memstream(&printed, &size);                                                                      \
        int length = sdfg_rt_print(__VA_ARGS__);                                                                       \
        fclose(stdout);                                                                                                \
        stdout = usual;                                                                                                \
        CHECK_STR(printed, expected);                                                                                  \
        CHECK_INT(length, strlen(expected));                                                                           \
        free(printed);                                                                                                 \
    } while (0)

TEST(numbers_have_the_digits_that_read_back)
{
    PRINTS("0.1 1.0 -2.5", "%r %r %r", 0.1, 1.0, -2.5);
    PRINTS("1e+16 1000000000000000.0 1.5e-05 0.0001", "%r %r %r %r", 1e16, 1e15, 1.5e-5, 1e-4);
    PRINTS("0.1 0.30000000000000004", "%h %r", (double)0.1F, 0.1 + 0.2);
    PRINTS("nan inf -inf -0.0", "%r %r %r %r", NAN, INFINITY, -INFINITY, -0.0);
    PRINTS("1.7976931348623157e+308 5e-324", "%r %r", 1.7976931348623157e308, 5e-324);
}

TEST(texts_and_formats)
{
    PRINTS("", "%s", "");
    PRINTS("a True False 7\n", "%s %b %b %d\n", "a", 1, 0, 7LL);
    PRINTS("100% of %z", "100%% of %z");
    PRINTS("to the end %", "to the end %");
    PRINTS("to the end %", "to the end %-5");
    PRINTS("[   7] [7   ] [+7] [0007] [ff] [0xff] [17]", "[%4d] [%-4d] [%+d] [%04i] [%x] [%#x] [%o]", 7LL, 7LL, 7LL,
           7LL, 255LL, 255LL, 15LL);
    PRINTS("[ 1.50] [2e+00] [0.5]", "[%5.2f] [%.0e] [%g]", 1.5, 2.0, 0.5);
    PRINTS("[  ab] [ab] [  True] [ 1.0]", "[%4s] [%.2s] [%6b] [%4r]", "ab", "abc", 1, 1.0);
}

/* A text of its own has any length; with a width it is cut behind 511 characters. */
TEST(long_texts)
{
    static char text[2001], cut[512];
    memset(text, 'x', sizeof text - 1);
    memset(cut, 'x', sizeof cut - 1);
    PRINTS(text, "%s", text);
    PRINTS(cut, "%1s", text);
}

CHECK_MAIN
