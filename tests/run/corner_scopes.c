/* Maps, consume scopes and streams. */
#include "tests/run/corner.h"

static const char sum[] = "lambda x, y: x + y";

static void empty_ranges(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_symbol(c, "int64 low", "5");
    corner_symbol(c, "int64 high", "3");
    corner_array(c, "int32 B[10]", "10*7", NULL);
    corner_array(c, "int32 D[10]", "10*7", NULL);
    corner_body(st, "i = 5:3", "o = 1", NULL, "o = B[i]", NULL);
    corner_body(st, "i = low:high", "o = 1", NULL, "o = D[i]", NULL);
}

static void uneven_step(struct corner *c)
{
    corner_array(c, "int32 B[12]", "12*0", "1 0 0 1 0 0 1 0 0 1 0 0");
    corner_body(corner_state(c), "i = 0:10:3", "o = 1", NULL, "o = B[i]", NULL);
}

/* The second range uses the first parameter, and both are collapsed. */
static void triangle(struct corner *c)
{
    corner_array(c, "int32 B[4, 4]", "16*0", "1 0 0 0 1 1 0 0 1 1 1 0 1 1 1 1");
    struct corner_body b = corner_body(corner_state(c), "i = 0:4, j = 0:i + 1", "o = 1", NULL, "o = B[i, j]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
    b.map->collapse = 2;
}

/* The bound is read before the loop; that the body writes to its place has no effect. */
static void dynamic_range(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1]", "4", "0");
    corner_array(c, "int32 B[6]", "6*0", "1 1 1 1 0 0");
    struct corner_body b = corner_body(st, "i = 0:n", "o = 1\np = 0", NULL, "o = B[i], p = A[0]", NULL);
    build_edge(&build_access(st, "A")->node, NULL, &b.map->node, "n", "A[0]", NULL);
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
}

/* In the body the parameter wins over the symbol of the same name, which is as before afterwards. */
static void parameter_hides_symbol(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int64 B[3]", "3*0", "0 4 8");
    corner_array(c, "int64 D[1]", "0", "4");
    build_symbol(c->s, "i", "int64");
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < 4", "i = i + 1");
    corner_body(build_state(&loop->region, "add"), "i = 0:3", "o = i", NULL, "o = B[i]", sum);
    struct state *after = build_state(top, "after");
    corner_body(after, NULL, "o = i", NULL, "o = D[0]", NULL);
    build_transition(&loop->region.block, &after->block, NULL, NULL);
}

/* The range is evaluated outside, where the name is the symbol's. */
static void range_of_hidden_symbol(struct corner *c)
{
    corner_array(c, "int64 B[4]", "4*0", "3 2 1 0");
    build_symbol(c->s, "i", "int64");
    struct loop *loop = build_loop(&c->s->region, "loop", "i", "i = 0", "i < 4", "i = i + 1");
    corner_body(build_state(&loop->region, "add"), "i = 0:i", "o = 1", NULL, "o = B[i]", sum);
}

static void half_range(struct corner *c)
{
    corner_symbol(c, "int64 N", "5");
    corner_array(c, "int32 B[4]", "4*0", "1 1 0 0");
    corner_body(corner_state(c), "i = 0:0.5 * N", "o = 1", NULL, "o = B[i]", NULL);
}

/* Elements of arrays as indices. */
static void indirect_index(struct corner *c)
{
    corner_array(c, "int64 A[3]", "4 0 2", NULL);
    corner_array(c, "int32 B[5]", "10:15", NULL);
    corner_array(c, "int32 D[3]", "3*0", "14 10 12");
    corner_body(corner_state(c), "i = 0:3", "d = b", "b = B[A[i]]", "d = D[i]", NULL);
}

static void indirect_index_2d(struct corner *c)
{
    corner_array(c, "int64 A[2, 2]", "4 0 2 3", NULL);
    corner_array(c, "int32 B[5]", "10:15", NULL);
    corner_array(c, "int32 D[2, 2]", "4*0", "14 10 12 13");
    corner_body(corner_state(c), "i = 0:2, j = 0:2", "d = b", "b = B[A[i, j]]", "d = D[i, j]", NULL);
}

static void nested_parallel(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 B[3, 8000]", "24000*-1", "0:24000");
    struct access *b = build_access(st, "B");
    struct map_entry *rows = build_map(st, "rows", "i = 0:3"), *columns = build_map(st, "columns", "j = 0:8000");
    struct tasklet *t = build_tasklet(st, "t", NULL, "o", "o = 8000 * i + j");
    rows->schedule = columns->schedule = enum_builtin(c->ir, SCHEDULE_CPU_MULTICORE);
    build_edge(&rows->node, NULL, &columns->node, NULL, NULL, NULL);
    build_edge(&columns->node, NULL, &t->node, NULL, NULL, NULL);
    build_path("B[i, j]", NULL, "o", NULL, &t->node, columns->exit, rows->exit, &b->node, NULL);
}

/* Every thread runs the body once, whatever the range; sums of one and the number of threads agree. */
static void persistent_threads(struct corner *c)
{
    corner_array(c, "int32 B[1]", "0", "0");
    struct corner_body b = corner_body(corner_state(c), "p = 0:8", "o = 1\nq = -1", NULL, "o = B[0], q = B[0]", sum);
    corner_schedule(&b, SCHEDULE_CPU_PERSISTENT);
    b.map->omp_num_threads = 2;
}

/* A process that is alone runs all iterations of a map over processes; several: tests/mpi. */
static void mpi_map(struct corner *c)
{
    corner_array(c, "int32 B[4]", "4*-1", "0 1 -1 -1");
    struct corner_body b = corner_body(corner_state(c), "p = 0:2", "o = p", NULL, "o = B[p]", NULL);
    corner_schedule(&b, SCHEDULE_MPI);
}

/* Each element pushes two more, up to 31 in all. */
static void consume_tree(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1]", "1", NULL);
    corner_array(c, "int64 B[2]", "0 0", "31 496");
    build_stream(c->s, "S", "int32", "64");
    struct access *in = build_access(st, "S"), *out = build_access(st, "S"), *b = build_access(st, "B");
    build_edge(&build_access(st, "A")->node, NULL, &in->node, NULL, "S[0]", NULL);
    struct consume_entry *e = build_consume(st, "tree", "p", "2", NULL);
    struct tasklet *t =
        build_tasklet(st, "grow", "x", "s, n, v", "n = 1\nv = x\nif x < 16:\n    s = 2 * x\n    s = 2 * x + 1");
    build_edge(&in->node, NULL, &e->node, "IN_stream", "S[0]", NULL);
    build_edge(&e->node, "OUT_stream", &t->node, "x", "S[0]", NULL);
    build_path("S[0]", NULL, "s", NULL, &t->node, e->exit, &out->node, NULL)->memlet.dynamic = true;
    build_path("B[0]", sum, "n", NULL, &t->node, e->exit, &b->node, NULL);
    build_path("B[1]", sum, "v", NULL, &t->node, e->exit, &b->node, NULL);
}

/* Stops when five of ten elements are counted; the others stay. */
static void consume_until(struct corner *c)
{
    struct state *fill = corner_state(c), *st = corner_state(c);
    corner_symbol(c, "int64 n", "10");
    corner_array(c, "int32 A[10]", "0:10", NULL);
    corner_array(c, "int32 B[1]", "0", "5");
    corner_array(c, "int32 D[10]", "10*-1", "5:10 5*-1");
    build_stream(c->s, "S", "int32", "64");
    corner_copy(fill, "A", "S", "S[0:n]");
    struct access *in = build_access(st, "S"), *b = build_access(st, "B");
    struct consume_entry *e = build_consume(st, "some", "p", "1", "B[0] >= 5");
    struct tasklet *t = build_tasklet(st, "count", "x", "one", "one = 1 + 0 * x");
    build_edge(&in->node, NULL, &e->node, "IN_stream", "S[0]", NULL);
    build_edge(&e->node, "OUT_stream", &t->node, "x", "S[0]", NULL);
    build_path("B[0]", sum, "one", NULL, &t->node, e->exit, &b->node, NULL);
    corner_copy(corner_state(c), "S", "D", "S[0:n]");
}

/* A stream that ends in an array fills it from the front; the count is kept apart. */
static void filter(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[10]", "3 9 1 8 2 7 0 6 4 5", NULL);
    corner_array(c, "int32 B[10]", "10*-1", "9 8 7 6 5 5*-1");
    corner_array(c, "int32 N[1]", "0", "5");
    build_stream(c->s, "S", "int32", "10");
    struct corner_body b = corner_body(st, "i = 0:10", "if a > 4:\n    s = a\n    n = 1", "a = A[i]", "s = S[0]", NULL);
    struct tasklet *t = b.tasklet;
    vec_push(c->ir->arena, &t->node.out_conns,
             ((struct connector){ .name = intern(c->ir->names, "n"), .inferred = true }));
    corner_out(&b, "s")->memlet.dynamic = true;
    build_path("N[0]", sum, "n", NULL, &t->node, b.map->exit, &build_access(st, "N")->node, NULL)->memlet.dynamic =
        true;
    build_edge(b.map->exit->out.items[0]->dst, NULL, &build_access(st, "B")->node, NULL, "S[0]", NULL);
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
}

/* Two parts of a state that write the same element: the last one in the file wins. */
static void two_components(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1]", "0", "2");
    corner_body(st, NULL, "o = 1", NULL, "o = A[0]", NULL);
    corner_body(st, NULL, "o = 2", NULL, "o = A[0]", NULL);
}

/* One event for each execution of what is timed, threads or not; nothing is timed unless it is asked for. */
static void timed_tasklet(struct corner *c)
{
    struct state *st = corner_state(c);
    build_array(c->s, "B", "int32", "20");
    struct corner_body b = corner_body(st, "i = 0:20", "o = i", NULL, "o = B[i]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
    c->s->instrument = st->instrument = b.map->instrument = b.tasklet->instrument =
        enum_builtin(c->ir, INSTRUMENT_TIMER);
    corner_says(
        c,
        "$ sdfg-run $HERE/prog.sdfg --report=r.json >/dev/null 2>&1\n"
        "$ grep -o '\"name.*ph\\|args.*[0-9]' r.json | paste - - | sort | uniq -c\n"
        "      1 \"name\": \"Map m0\", \"cat\": \"Timer\", \"ph\targs\": {\"cfg_id\": 0, \"state_id\": 0, \"id\": 0\n"
        "      1 \"name\": \"SDFG corner\", \"cat\": \"Timer\", \"ph\targs\": {\"cfg_id\": 0\n"
        "      1 \"name\": \"State s0\", \"cat\": \"Timer\", \"ph\targs\": {\"cfg_id\": 0, \"state_id\": 0\n"
        "     20 \"name\": \"Tasklet 0_0_2\", \"cat\": \"Timer\", \"ph\targs\": {\"cfg_id\": 0, \"state_id\": 0, "
        "\"id\": 2\n"
        "$ sdfg-run $HERE/prog.sdfg --emit=tree | grep -c sdfg_rt\n"
        "0\n"
        "[1]\n"
        "$ sdfg-run $HERE/prog.sdfg --report=/dev/null/r >/dev/null\n"
        "load TIME, compile TIME, run TIME\n"
        "not given, filled with a pattern: B\n"
        "sdfg-run: cannot write '/dev/null/r': Not a directory\n"
        "[3]\n");
}

/* Versions count for each node, those of symbols for all states together; what is saved can be restored. */
static void saved_versions(struct corner *c)
{
    struct region *top = &c->s->region;
    const struct enum_value *save = enum_builtin(c->ir, DATA_INSTRUMENT_SAVE);
    build_array(c->s, "A", "int32", "2");
    build_symbol(c->s, "k", "int64");
    struct loop *loop = build_loop(top, "loop", "k", "k = 0", "k < 3", "k = k + 1");
    struct state *in = build_state(&loop->region, "in"), *after = build_state(top, "after");
    build_transition(&loop->region.block, &after->block, NULL, NULL);
    struct corner_body b = corner_body(in, "i = 0:2", "o = 10 * k + i", NULL, "o = A[i]", NULL);
    as_access(b.map->exit->out.items[0]->dst)->instrument = save;
    b = corner_body(after, NULL, "o = -1", NULL, "o = A[0]", NULL);
    struct access *last = as_access(b.tasklet->node.out.items[0]->dst);
    last->instrument = save;
    last->instrument_condition.text = "k == 3 && !(k < 0)";
    in->symbol_instrument = after->symbol_instrument = save;
    corner_says(
        c, "$ sdfg-run $HERE/prog.sdfg --save-data=d --output=A=- 2>/dev/null\n"
           "-1 21\n"
           "$ find d -type f | sort\n"
           "d/A/0_1_1_0.bin\n"
           "d/A/1_0_3_0.bin\n"
           "d/A/1_0_3_1.bin\n"
           "d/A/1_0_3_2.bin\n"
           "d/k/0_0\n"
           "d/k/0_1\n"
           "d/k/0_2\n"
           "d/k/1_3\n"
           "$ cat d/k/0_0 d/k/0_2 d/k/1_3; od -An -i d/A/1_0_3_2.bin; od -An -i d/A/0_1_1_0.bin\n"
           "023           1           2           1          20\n"
           "          21\n"
           "           1           2           1          -1\n"
           "          21\n"
           "$ sed 's/\"Save\"/\"Restore\"/' $HERE/prog.sdfg >r.sdfg\n"
           "$ sdfg-run r.sdfg --restore-data=d --output=A=- 2>/dev/null\n"
           "-1 21\n"
           "$ cp d/A/1_0_3_1.bin d/A/0_1_1_0.bin; sdfg-run r.sdfg --restore-data=d --output=A=- 2>/dev/null\n"
           "10 11\n"
           "$ sdfg-run r.sdfg\n"
           "error[unsupported]: restoring saved symbols without a folder to restore from\n"
           "  at corner/loop[0] \"loop\"/state[0] \"in\"\n"
           "[5]\n"
           "$ rm d/k/0_1; sdfg-run r.sdfg --restore-data=d\n"
           "error[environment]: saved data: d/k/0_1: No such file or directory\n"
           "[8]\n"
           "$ echo x >d/k/0_0; sdfg-run r.sdfg --restore-data=d\n"
           "error[environment]: saved data: d/k/0_0: holds no whole number\n"
           "[8]\n"
           "$ echo 0 >d/k/0_0; echo 1 >d/k/0_1; echo x >>d/A/1_0_3_1.bin; sdfg-run r.sdfg --restore-data=d\n"
           "error[environment]: saved data: d/A/1_0_3_1.bin: does not hold the 2 elements of 4 bytes of the container\n"
           "[8]\n"
           "$ sdfg-run $HERE/prog.sdfg --save-data=/dev/null\n"
           "error[environment]: saved data: /dev/null/k: Not a directory\n"
           "[8]\n");
}

/* Few rows, but enough work for threads: they share out the elements. */
static void few_rows(struct corner *c)
{
    corner_array(c, "int64 B[5, 30000]", "150000*-1", "0:30000 30000*-1 20000:50000 30000*-1 40000:70000");
    struct corner_body b = corner_body(corner_state(c), "i = 1:6:2, j = 3:30003", "b = (i - 1) * 10000 + j - 3", NULL,
                                       "b = B[i - 1, j - 3]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
}

const struct corner_row corner_scopes[] = {
    { "100_empty_ranges", empty_ranges, false },
    { "101_uneven_step", uneven_step, false },
    { "102_triangle", triangle, false },
    { "103_dynamic_range", dynamic_range, false },
    { "104_persistent_threads", persistent_threads, false },
    { "105_mpi_map", mpi_map, false },
    { "106_consume_tree", consume_tree, false },
    { "107_consume_until", consume_until, false },
    { "108_filter", filter, false },
    { "109_parameter_hides_symbol", parameter_hides_symbol, false },
    { "109_range_of_hidden_symbol", range_of_hidden_symbol, false },
    { "110_half_range", half_range, false },
    { "111_indirect_index", indirect_index, false },
    { "111_indirect_index_2d", indirect_index_2d, false },
    { "112_nested_parallel", nested_parallel, false },
    { "113_two_components", two_components, false },
    { "schedule_few_rows", few_rows, false },
    { "114_timed_tasklet", timed_tasklet, true },
    { "115_saved_versions", saved_versions, true },
    { NULL, NULL, false },
};
