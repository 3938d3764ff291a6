#include "base/sample.h"
#include "engine/cli/bench_code.h"

#include "tests/unit/check.h"

#include <math.h>
#include <string.h>

/* Ranks of textbooks: the interval goes from the 10th to the 22nd of 31, from the 1st to the 6th of 6. */
TEST(interval_is_of_order_statistics)
{
    double values[31];
    for (int i = 0; i < 31; i++)
        values[i] = (i * 7) % 31 + 1;
    struct estimate e = samples_estimate(&(struct samples){ values, 31 });
    CHECK(e.count == 31 && e.median == 16 && e.low == 10 && e.high == 22 && e.least == 1);
    CHECK(fabs(e.spread - 15.0 / 16) < 1e-12);
    CHECK(samples_outside(6) == 0 && samples_outside(5) == 0 && samples_outside(9) == 1 && samples_outside(100) == 39);
    e = samples_estimate(&(struct samples){ values, 1 });
    CHECK(e.median == 1 && e.low == 1 && e.high == 1);
    CHECK(samples_estimate(&(struct samples){ NULL, 0 }).count == 0);
}

TEST(prototypes_are_found_in_code)
{
    struct arena *a = arena_new();
    struct bench_prototype p;
    const char *source = "/* void f(int a) { */ int f(int b); \"f(int c) {\"\n"
                         "void gf(int d) { f(1); }\n"
                         "static void f (const double *restrict A,\n double B[N][3 * (2)], int64_t N)\n{ }";
    const char *list = prototype_find(a, source, "f");
    CHECK(list && prototype_parse(a, list, &p) && p.count == 3);
    CHECK(!strcmp(p.params[0].name, "A") && p.params[0].pointer);
    CHECK(!strcmp(p.params[1].name, "B") && p.params[1].pointer);
    CHECK(!strcmp(p.params[2].name, "N") && !p.params[2].pointer);
    CHECK(!prototype_find(a, source, "g") && !prototype_find(a, "f(", "f") && !prototype_find(a, "", "f"));
    CHECK(prototype_parse(a, "void", &p) && p.count == 0);
    CHECK(prototype_parse(a, " ", &p) && p.count == 0);
    CHECK(!prototype_parse(a, "int a,", &p) && !prototype_parse(a, "int 3", &p));
    CHECK(prototype_find(a, "// void f(int a) {\nvoid f(int b) {", "f") &&
          !prototype_find(a, "// void f(int a) {", "f"));
    CHECK(!prototype_find(a, "/* void f(int a) {", "f") && !prototype_find(a, "int f; int f = 3;", "f"));
    list = prototype_find(a, "char q = '\\'', *s = \"\\\"f(\"; char e = 'x\n void f ( int a[(2)] , int b ) {", "f");
    CHECK(list && prototype_parse(a, list, &p) && p.count == 2 && !strcmp(p.params[1].name, "b"));
    CHECK(!prototype_find(a, "f(int a) \"not closed", "g") && !prototype_find(a, "f(a) '", "g"));
    CHECK(prototype_parse(a, "void *p", &p) && p.count == 1 && prototype_parse(a, "voids v", &p) && p.count == 1);
    arena_free(a);
}

CHECK_MAIN
