/* Remarks: their order, repetitions, what is taken back, numbers. */
#include "base/remark.h"

#include "tests/unit/check.h"

static const struct place root = { .noun = "sdfg", .label = "p", .id = PLACE_NO_ID };

static struct place place_of(const char *label, uint32_t id, const char *file, uint32_t line)
{
    return (struct place){ .parent = &root, .noun = "state", .label = label, .id = id, .file = file, .line = line };
}

static const char *printed(const struct remarks *r, struct arena *a)
{
    struct text t = text_new(a);
    remarks_print(r, &t);
    return text_get(&t);
}

TEST(order)
{
    struct arena *a = arena_new();
    struct remarks *r = remarks_new(a);
    struct place ten = place_of("ten", 10, NULL, 0), two = place_of("two", 2, NULL, 0);
    struct place late = place_of("late", 0, "b.py", 7), early = place_of("early", 1, "b.py", 5);
    struct place other = place_of("other", 3, "a.py", 9);
    CHECK_STR(printed(r, a), "");
    remark(r, &ten, "loop i", REMARK_INDEPENDENT);
    remark(r, &two, NULL, REMARK_REMOVED, "8 bytes");
    remark(r, &late, "loop j", REMARK_DEPENDENT, "so it is");
    remark(r, &early, NULL, REMARK_THREADS_VARIABLE);
    remark(r, &other, "loop k", REMARK_INTERCHANGED, "loop l");
    remark(r, &two, NULL, REMARK_REMOVED, "4 bytes");
    remark(r, &two, NULL, REMARK_REMOVED, "8 bytes");
    remark(r, NULL, NULL, REMARK_LIBRARY_CALL, "gemm");
    CHECK_STR(printed(r, a),
              "done   interchange state[3] \"other\" (a.py:9), loop k: is interchanged with loop l\n"
              "missed parallelize state[1] \"early\" (b.py:5): stays sequential: it is left by a jump, or "
              "variables it changes are used outside\n"
              "missed independent state[0] \"late\" (b.py:7), loop j: stays sequential: so it is\n"
              "done   library     becomes a call of gemm\n"
              "done   memory      state[2] \"two\": 8 bytes are not allocated: the array is unused\n"
              "done   memory      state[2] \"two\": 4 bytes are not allocated: the array is unused\n"
              "done   independent state[10] \"ten\", loop i: has independent iterations\n");
    arena_free(a);
}

/* What takes longest comes first, also of elements around and inside; what is not known comes last. */
TEST(by_time)
{
    struct arena *a = arena_new();
    struct remarks *r = remarks_new(a);
    struct place little = place_of("little", 0, NULL, 0), much = place_of("much", 1, NULL, 0);
    struct place unknown = place_of("unknown", 2, NULL, 0);
    struct place map = { .parent = &much, .noun = "map", .label = "m", .id = 7 };
    struct place tasklet = { .parent = &map, .noun = "tasklet", .label = "t", .id = 8 };
    remark(r, &unknown, NULL, REMARK_INDEPENDENT);
    remark(r, &little, NULL, REMARK_INDEPENDENT);
    remark(r, &much, NULL, REMARK_INDEPENDENT);
    remark(r, &tasklet, NULL, REMARK_INDEPENDENT);
    remarks_time(r, &little, 0.25);
    remarks_time(r, &map, 0.1);
    remarks_time(r, &map, 0.75);
    remarks_time(r, &map, 0.5);
    remarks_time(r, NULL, 9);
    remarks_total(r, 1);
    CHECK_STR(printed(r, a), "done   independent state[1] \"much\": has independent iterations [75 %]\n"
                             "done   independent state[1] \"much\"/map[7] \"m\"/tasklet[8] \"t\": has independent "
                             "iterations [75 %]\n"
                             "done   independent state[0] \"little\": has independent iterations [25 %]\n"
                             "done   independent state[2] \"unknown\": has independent iterations\n");
    arena_free(a);
}

TEST(again)
{
    struct arena *a = arena_new();
    struct remarks *r = remarks_new(a);
    remark(r, &root, "loop i", REMARK_FUSE_ITERATIONS, "loop j", "there");
    remark(r, &root, "loop i", REMARK_DEPENDENT, "so it is");
    remark(r, &root, "loop i", REMARK_FUSED, "loop k", "there");
    remarks_again(r, REMARK_FUSED);
    CHECK_STR(printed(r, a), "missed independent loop i: stays sequential: so it is\n"
                             "done   fuse        loop i: is fused with loop k of there\n");
    arena_free(a);
}

TEST(numbers)
{
    struct arena *a = arena_new();
    struct remarks *r = remarks_new(a);
    struct place p = place_of("s", 0, NULL, 0);
    const struct place *at;
    const char *subject;
    uint32_t first = remarks_number(r, &p, "loop i"), second = remarks_number(r, NULL, NULL);
    CHECK(first != second && first > 0 && second > 0);
    CHECK(remarks_numbered(r, first, &at, &subject) && at == &p);
    CHECK_STR(subject, "loop i");
    CHECK(remarks_numbered(r, second, &at, &subject) && !at && !subject);
    CHECK(!remarks_numbered(r, 0, &at, &subject) && !remarks_numbered(r, second + 1, &at, &subject));
    arena_free(a);
}

/* Nobody asks: nothing happens. */
TEST(nobody)
{
    remark(NULL, &root, "loop i", REMARK_DEPENDENT, "so it is");
    remarks_again(NULL, REMARK_FUSED);
}

CHECK_MAIN
