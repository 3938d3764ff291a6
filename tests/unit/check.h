/* A unit test is one program: TEST(name) { CHECK(...); } as often as wanted, and CHECK_MAIN at the end. The exit status
 * is 1 if a check failed; every failure prints file, line and the values. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <stdio.h>
#include <string.h>

struct check_test {
    const char *name;
    void (*run)(void);
    struct check_test *next;
};

static struct check_test *check_tests;
static int check_failures;

__attribute__((unused)) static void check_add(struct check_test *t)
{
    struct check_test **at = &check_tests;
    while (*at)
        at = &(*at)->next;
    *at = t;
}

#define TEST(id)                                                                                                       \
    static void test_##id(void);                                                                                       \
    __attribute__((constructor)) static void add_##id(void)                                                            \
    {                                                                                                                  \
        static struct check_test t = { #id, test_##id, NULL };                                                         \
        check_add(&t);                                                                                                 \
    }                                                                                                                  \
    static void test_##id(void)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            check_failures++;                                                                                          \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                             \
        }                                                                                                              \
    } while (0)

#define CHECK_INT(actual, expected)                                                                                    \
    do {                                                                                                               \
        long long check_a = (long long)(actual), check_b = (long long)(expected);                                      \
        if (check_a != check_b) {                                                                                      \
            check_failures++;                                                                                          \
            printf("%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, #actual, check_a, check_b);               \
        }                                                                                                              \
    } while (0)

#define CHECK_STR(actual, expected)                                                                                    \
    do {                                                                                                               \
        const char *check_a = (actual), *check_b = (expected);                                                         \
        if (!check_a || !check_b || strcmp(check_a, check_b) != 0) {                                                   \
            check_failures++;                                                                                          \
            printf("%s:%d: %s is\n    %s\nexpected\n    %s\n", __FILE__, __LINE__, #actual,                            \
                   check_a ? check_a : "NULL", check_b ? check_b : "NULL");                                            \
        }                                                                                                              \
    } while (0)

/* Runs all tests. What main returns: 1 if any failed. */
static inline int check_run_tests(void)
{
    for (struct check_test *t = check_tests; t; t = t->next) {
        int before = check_failures;
        t->run();
        if (check_failures != before)
            printf("test %s failed\n", t->name);
    }
    return check_failures ? 1 : 0;
}

#define CHECK_MAIN                                                                                                     \
    int main(void) { return check_run_tests(); }

#endif
