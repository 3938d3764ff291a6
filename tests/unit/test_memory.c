#include "cache/memory.h"

#include "tests/unit/check.h"

static struct memory_list memory;
static struct memory_item items[8];

static void begin(size_t limit)
{
    memory = (struct memory_list){ .limit = limit };
    for (int i = 0; i < 8; i++)
        memory_add(&memory, &items[i], 10);
}

/* The next to be dropped, or -1. */
static int drop(void)
{
    struct memory_item *item = memory_drop(&memory);
    return item ? (int)(item - items) : -1;
}

TEST(the_one_used_longest_ago_goes_first)
{
    begin(60);
    memory_use(&memory, &items[0]);
    memory_use(&memory, &items[7]); /* the newest already, but one */
    memory_use(&memory, &items[7]);
    CHECK_INT(drop(), 1);
    CHECK_INT(drop(), 2);
    CHECK_INT(drop(), -1);
    CHECK_INT(memory.bytes, 60);
    memory.limit = 0;
    int order[] = { 3, 4, 5, 6, 0, 7, -1 };
    for (int i = 0; i < 7; i++)
        CHECK_INT(drop(), order[i]);
    CHECK_INT(memory.bytes, 0);
    CHECK(!memory.newest && !memory.oldest);
}

TEST(what_is_pinned_stays)
{
    begin(0);
    for (int i = 0; i < 8; i++)
        items[i].pins = i != 3;
    CHECK_INT(drop(), 3);
    CHECK_INT(drop(), -1);
    CHECK_INT(memory.bytes, 70);
    items[7].pins--;
    CHECK_INT(drop(), 7);
}

TEST(what_is_taken_out_does_not_count)
{
    begin(60);
    memory_remove(&memory, &items[0]);
    memory_remove(&memory, &items[4]);
    CHECK_INT(drop(), -1);
    memory_remove(&memory, &items[7]);
    memory.limit = 40;
    CHECK_INT(drop(), 1);
    CHECK(memory.newest == &items[6] && memory.oldest == &items[2]);
}

CHECK_MAIN
