/* Work that is abandoned when memory ends: guards, cleanups, arenas. */
#include "base/arena.h"
#include "base/fatal.h"
#include "tests/unit/check.h"

#include <string.h>

static char order[32];

static void note(void *letter) { strncat(order, letter, 1); }

static int fails(int inside)
{
    GUARDED(-1);
    struct cleanup a, b;
    cleanup_push(&a, note, "a");
    arena_new();
    cleanup_push(&b, note, "b");
    if (inside)
        fatal_memory();
    cleanup_pop(&b);
    cleanup_pop(&a);
    return 1;
}

TEST(the_function_that_set_the_guard_returns)
{
    *order = 0;
    CHECK_INT(fails(1), -1);
    CHECK_STR(order, "ba");
    CHECK(!guard_innermost());
}

static void fail_with_message(void *text) { fatal(text); }

TEST(the_message_is_kept)
{
    struct guard g;
    char text[] = "no way back";
    CHECK(!guard_run(fail_with_message, text, &g));
    memset(text, 'x', sizeof text - 1);
    CHECK_STR(g.message, "no way back");
    CHECK(!g.memory);
}

/* The sanitizers say whether arenas are freed, and only once. */
static void use_two_arenas(void *out)
{
    struct arena *mine = arena_new();
    arena_alloc(mine, 100);
    *(struct arena **)out = mine;
    arena_alloc(arena_new(), 1 << 20);
    fatal_memory();
}

TEST(arenas_of_the_work_are_freed)
{
    struct guard g;
    struct arena *gone;
    CHECK(!guard_run(use_two_arenas, &gone, &g));
    CHECK(g.memory);
    CHECK_STR(g.message, "out of memory");
}

static void make_and_keep(void *out)
{
    struct arena *a = arena_new(), *between = arena_new();
    arena_keep(a);
    arena_free(between);
    *(struct arena **)out = a;
    fatal_memory();
}

TEST(an_arena_that_is_kept_is_not)
{
    struct arena *a;
    CHECK(!guard_run(make_and_keep, &a, NULL));
    arena_alloc(a, 10);
    arena_free(a);
}

static void make(void *out) { *(struct arena **)out = arena_new(); }

static void make_inside(void *out)
{
    CHECK(guard_run(make, out, NULL));
    fatal_memory(); /* frees what the inner guard had let through */
}

TEST(arenas_go_from_an_inner_guard_to_the_outer_one)
{
    struct arena *a;
    CHECK(!guard_run(make_inside, &a, NULL));
    CHECK(guard_run(make, &a, NULL));
    arena_free(a);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fail_with_lock(void *unused)
{
    struct cleanup locked;
    (void)unused;
    guard_lock(&locked, &lock);
    fatal_memory();
}

TEST(locks_are_released)
{
    CHECK(!guard_run(fail_with_lock, NULL, NULL));
    CHECK(!pthread_mutex_trylock(&lock));
    pthread_mutex_unlock(&lock);
}

static void fail_in_turn(void *unused)
{
    (void)unused;
    fatal("again");
}

static void fail_twice(void *unused)
{
    struct cleanup a, b;
    (void)unused;
    cleanup_push(&a, note, "a");
    cleanup_push(&b, fail_in_turn, NULL);
    fatal("first");
}

TEST(a_cleanup_that_fails_does_not_stop_the_others)
{
    *order = 0;
    CHECK(!guard_run(fail_twice, NULL, NULL));
    CHECK_STR(order, "a");
}

CHECK_MAIN
