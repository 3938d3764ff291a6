/* CPU_Persistent: the body runs once on each thread of a team, which is never larger than the declared range. */
#include "tests/run/corner.h"

static const char sum[] = "lambda x, y: x + y";

#define WARNING(count, label)                                                                                          \
    "warning[invalid]: the body runs once on each thread of a team: iterations beyond the number of threads "          \
    "are left out (the range has " count ")\n  at corner/state[0] \"s0\"/map[0] \"" label "\"\n"

static struct corner_body team(struct corner *c, const char *ranges, const char *code, const char *output)
{
    struct corner_body b = corner_body(corner_state(c), ranges, code, NULL, output, sum);
    corner_schedule(&b, SCHEDULE_CPU_PERSISTENT);
    return b;
}

/* Memlets hold for parameters of the range only; a smaller team leaves iterations out. */
static void of_range(struct corner *c)
{
    build_array(c->s, "B", "int32", "5");
    team(c, "p = 0:3", "o = p + 1", "o = B[p]");
    corner_says(c,
                "$ sdfg-run $HERE/prog.sdfg --threads=256 --B=zero --output=B=- 2>/dev/null\n1 2 3 0 0\n"
                "$ sdfg-run $HERE/prog.sdfg --threads=3 --B=zero --output=B=- 2>/dev/null\n1 2 3 0 0\n"
                "$ sdfg-run $HERE/prog.sdfg --threads=2 --emit=tree 2>&1 >/dev/null\n" WARNING(
                    "3", "m0") "$ sdfg-run $HERE/prog.sdfg --threads=2 --B=zero --output=B=- 2>/dev/null\n1 2 0 0 0\n"
                               "$ sdfg-run $HERE/prog.sdfg --threads=1 --B=zero --output=B=- 2>/dev/null\n1 0 0 0 0\n");
}

/* Nor does the number of threads that the map asks for make it larger; without iterations nothing runs. */
static void of_symbol(struct corner *c)
{
    build_array(c->s, "B", "int32", "5");
    build_symbol(c->s, "N", "int32");
    team(c, "p = 0:N", "o = p + 1", "o = B[p]").map->omp_num_threads = 8;
    corner_says(c, "$ for n in -1 0 1 3; do sdfg-run $HERE/prog.sdfg --N=$n --B=zero --output=B=- 2>/dev/null; done\n"
                   "0 0 0 0 0\n0 0 0 0 0\n1 0 0 0 0\n1 2 3 0 0\n"
                   "$ for n in 0 1 3; do sdfg-run $HERE/prog.sdfg --N=$n --specialize=none --B=zero --output=B=- "
                   "2>/dev/null; done\n"
                   "0 0 0 0 0\n1 0 0 0 0\n1 2 3 0 0\n"
                   "$ sdfg-run $HERE/prog.sdfg --N=3 --threads=2 --emit=tree 2>&1 >/dev/null\n" WARNING("N", "m0"));
}

/* A range of one iteration says nothing where the map gives the number of threads. */
static void of_one(struct corner *c)
{
    build_array(c->s, "B", "int32", "5");
    team(c, "p = 0:1", "o = p + 1", "o = B[p]").map->omp_num_threads = 4;
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --B=zero --output=B=- 2>/dev/null\n1 2 3 4 0\n");
}

/* ... and one thread runs it where it does not; a loop inside has threads of its own. */
static void alone(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 B[3000]", "3000*0", "3000*1");
    struct map_entry *outer = build_map(st, "outer", "p = 0:1"), *inner = build_map(st, "inner", "i = 0:3000");
    outer->schedule = enum_builtin(c->ir, SCHEDULE_CPU_PERSISTENT);
    inner->schedule = enum_builtin(c->ir, SCHEDULE_CPU_MULTICORE);
    struct tasklet *t = build_tasklet(st, "t", NULL, "o", "o = __omp_num_threads + p");
    build_edge(&outer->node, NULL, &inner->node, NULL, NULL, NULL);
    build_edge(&inner->node, NULL, &t->node, NULL, NULL, NULL);
    build_path("B[i]", NULL, "o", NULL, &t->node, inner->exit, outer->exit, &build_access(st, "B")->node, NULL);
}

/* The size of the team as the range. */
static void of_team(struct corner *c)
{
    build_array(c->s, "B", "int32", "5");
    build_symbol(c->s, "__omp_num_threads", "int32");
    team(c, "p = 0:__omp_num_threads", "o = __omp_num_threads - p", "o = B[p]").map->omp_num_threads = 3;
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --__omp_num_threads=1 --B=zero --output=B=- 2>/dev/null\n3 2 1 0 0\n");
}

/* In a scope that has threads already there is a team of one. */
static void inside(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 B[4, 2]", "8*0", "1 0 1 0 1 0 1 0");
    struct map_entry *outer = build_map(st, "outer", "i = 0:4"), *inner = build_map(st, "inner", "p = 0:2");
    outer->schedule = enum_builtin(c->ir, SCHEDULE_CPU_MULTICORE);
    inner->schedule = enum_builtin(c->ir, SCHEDULE_CPU_PERSISTENT);
    struct tasklet *t = build_tasklet(st, "t", NULL, "o", "o = __omp_num_threads");
    build_edge(&outer->node, NULL, &inner->node, NULL, NULL, NULL);
    build_edge(&inner->node, NULL, &t->node, NULL, NULL, NULL);
    build_path("B[i, p]", NULL, "o", NULL, &t->node, inner->exit, outer->exit, &build_access(st, "B")->node, NULL);
}

/* Memory of threads has a part for each thread of the largest team. */
static void parts(struct corner *c)
{
    build_array(c->s, "B", "int64", "6");
    struct container *t = build_array(c->s, "T", "int64", "1");
    t->transient = true;
    t->storage = enum_builtin(c->ir, STORAGE_CPU_THREADLOCAL);
    struct corner_body b = corner_body(corner_state(c), "p = 0:1", "o = p", NULL, "o = T[0]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_PERSISTENT);
    b.map->omp_num_threads = 6;
    b = corner_body(corner_state(c), "p = 0:1", "o = v", "v = T[0]", "o = B[p]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_PERSISTENT);
    b.map->omp_num_threads = 6;
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --B=zero --output=B=- 2>/dev/null\n0 1 2 3 4 5\n");
}

#define REFUSED(message)                                                                                               \
    "$ sdfg-run $HERE/prog.sdfg 2>&1 | grep -A1 error\nerror[unsupported]: " message                                   \
    "\n  at corner/state[0] \"s0\"/map[0] \"m0\"\n"

static void from_one(struct corner *c)
{
    build_array(c->s, "B", "int32", "5");
    team(c, "p = 1:3", "o = 1", "o = B[p]");
    corner_says(c,
                REFUSED("a CPU_Persistent scope whose first range does not begin at 0 with step 1: 'p' is the thread "
                        "number"));
}

static void by_two(struct corner *c)
{
    build_array(c->s, "B", "int32", "5");
    team(c, "p = 0:4:2", "o = 1", "o = B[p]");
    corner_says(c,
                REFUSED("a CPU_Persistent scope whose first range does not begin at 0 with step 1: 'p' is the thread "
                        "number"));
}

static void of_two(struct corner *c)
{
    build_array(c->s, "B", "int32", "5");
    team(c, "p = 0:2, q = 0:2", "o = 1", "o = B[p + q]");
    corner_says(c,
                REFUSED("a CPU_Persistent scope of several dimensions: only the first parameter is the thread number, "
                        "'q' has no value"));
}

const struct corner_row corner_teams[] = {
    { "schedule_team_of_range", of_range, true },
    { "schedule_team_of_symbol", of_symbol, true },
    { "schedule_team_of_one", of_one, true },
    { "schedule_team_alone", alone, false },
    { "schedule_team_of_team", of_team, true },
    { "schedule_team_inside", inside, false },
    { "schedule_team_parts", parts, true },
    { "schedule_team_from_one", from_one, true },
    { "schedule_team_by_two", by_two, true },
    { "schedule_team_of_two", of_two, true },
    { NULL, NULL, false },
};
