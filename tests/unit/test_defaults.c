/* What Default means in scopes of registered schedules (ir/passes/defaults.c). */
#include "ir/build/build.h"
#include "ir/passes/passes.h"
#include "tests/unit/check.h"

/* In scopes of Grid, scopes get Lanes and transients Memory; Lanes has no rows. */
static struct ir *extended(void)
{
    static struct enum_member items[] = {
        { .kind = ENUM_SCHEDULE,
          .name = "Grid",
          .plugin = "p",
          .storage_inside = "Memory",
          .schedule_inside = "Lanes" },
        { .kind = ENUM_SCHEDULE, .name = "Lanes", .plugin = "p" },
        { .kind = ENUM_STORAGE, .name = "Memory", .plugin = "p" },
    };
    static const enum_members members = { items, 3, 3 };
    struct ir *ir = ir_new();
    enums_extend(ir, &members);
    return ir;
}

/* map outer -> map middle -> T -> map inner; returns the container T. */
static struct container *program(struct ir *ir, const char *outer, const char *middle, struct map_entry *maps[3])
{
    struct sdfg *s = build_sdfg(ir, "p");
    build_array(s, "A", "float64", "8");
    build_array(s, "B", "float64", "8");
    struct container *t = build_transient(s, "T", "float64", "1");
    struct state *st = build_state(&s->region, "s");
    maps[0] = build_map(st, "outer", "i = 0:8");
    maps[1] = build_map(st, "middle", "j = 0:1");
    maps[2] = build_map(st, "inner", "k = 0:1");
    maps[0]->schedule = enum_by_name(ir, ENUM_SCHEDULE, outer);
    maps[1]->schedule = enum_by_name(ir, ENUM_SCHEDULE, middle);
    struct tasklet *first = build_tasklet(st, "first", "a", "b", "b = a"),
                   *second = build_tasklet(st, "second", "a", "b", "b = a");
    struct access *x = build_access(st, "T");
    build_path("A[i]", NULL, NULL, "a", &build_access(st, "A")->node, &maps[0]->node, &maps[1]->node, &first->node,
               NULL);
    build_edge(&first->node, "b", &x->node, NULL, "T[0]", NULL);
    build_path("T[0]", NULL, NULL, "a", &x->node, &maps[2]->node, &second->node, NULL);
    build_path("B[i]", NULL, "b", NULL, &second->node, maps[2]->exit, maps[1]->exit, maps[0]->exit,
               &build_access(st, "B")->node, NULL);
    CHECK(build_finish(s));
    CHECK(sdfg_settle_defaults(s));
    return t;
}

static void expect(const char *outer, const char *middle, const char *middle_after, const char *inner_after,
                   const char *storage_after)
{
    struct ir *ir = extended();
    struct map_entry *maps[3];
    struct container *t = program(ir, outer, middle, maps);
    CHECK_STR(maps[0]->schedule->name, outer);
    CHECK_STR(maps[1]->schedule->name, middle_after);
    CHECK_STR(maps[2]->schedule->name, inner_after);
    CHECK_STR(t->storage->name, storage_after);
    ir_free(ir);
}

TEST(rows_decide)
{
    expect("Default", "Default", "Default", "Default", "Default");
    expect("Grid", "Default", "Lanes", "Default", "Default");        /* Lanes decides inside, and has no rows */
    expect("Grid", "Sequential", "Sequential", "Default", "Memory"); /* passed over for storage only */
    expect("Default", "Grid", "Grid", "Lanes", "Memory");
    expect("CPU_Multicore", "Default", "Default", "Default", "Default");
    expect("Grid", "CPU_Multicore", "CPU_Multicore", "Default", "Default");
}

CHECK_MAIN
