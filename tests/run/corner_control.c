/* Control flow. */
#include "tests/run/corner.h"

/* A state that stores `value` in element `index` of B. */
static struct state *store(struct region *in, const char *label, const char *value, int index)
{
    struct arena *a = in->sdfg->ir->arena;
    struct state *st = build_state(in, label);
    corner_body(st, NULL, arena_printf(a, "o = %s", value), NULL, arena_printf(a, "o = B[%d]", index), NULL);
    return st;
}

/* A loop whose body leaves its states by an edge that is not always taken. */
static void no_true_edge(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int32 B[2]", "0 0", "2 6");
    build_symbol(c->s, "i", "int64");
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < 6", "i = i + 1");
    struct state *check = build_state(&loop->region, "check"), *count = build_state(&loop->region, "count");
    corner_body(count, NULL, "o = b + 1", "b = B[0]", "o = B[0]", NULL);
    build_transition(&check->block, &count->block, "i > 3", NULL);
    build_transition(&loop->region.block, &store(top, "after", "i", 1)->block, NULL, NULL);
}

/* The unconditional edge stands first and is tried last. */
static void unconditional_edge(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_symbol(c, "int32 x", "5");
    corner_array(c, "int32 B[2]", "0 0", "1 0");
    struct state *begin = build_state(top, "begin");
    build_transition(&begin->block, &store(top, "otherwise", "1", 1)->block, NULL, NULL);
    build_transition(&begin->block, &store(top, "greater", "1", 0)->block, "x > 3", NULL);
}

static void racing_assignments(struct corner *c)
{
    struct region *top = &c->s->region;
    build_array(c->s, "B", "int32", "1");
    build_symbol(c->s, "p", "int64");
    build_symbol(c->s, "q", "int64");
    build_symbol(c->s, "i", "int64");
    struct state *init = build_state(top, "init"), *guard = build_state(top, "guard");
    struct state *body = build_state(top, "body");
    build_transition(&init->block, &guard->block, NULL, "p = 1; q = 2; i = 0");
    build_transition(&guard->block, &body->block, "i < 3", NULL);
    build_transition(&body->block, &guard->block, NULL, "p = q; q = p; i = i + 1");
    build_transition(&guard->block, &store(top, "after", "p", 0)->block, "not (i < 3)", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[invalid]: the assignment to 'p' reads 'q', which is set by the same transition\n"
                   "  at corner/transition[2] \"body -> guard\"\n"
                   "error[invalid]: the assignment to 'q' reads 'p', which is set by the same transition\n"
                   "  at corner/transition[2] \"body -> guard\"\n"
                   "sdfg-run: the program is kept in BUILD/cache/libsdfg/failing.sdfg\n"
                   "[4]\n");
}

/* One branch is an edge to the block where both meet, with an assignment on it. */
static void assignment_to_merge(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_symbol(c, "int32 x", "5");
    corner_array(c, "int32 B[1]", "0", "7");
    build_symbol(c->s, "z", "int64");
    struct state *a = build_state(top, "a"), *b = build_state(top, "b"), *merge = store(top, "merge", "z", 0);
    build_transition(&a->block, &merge->block, "x > 3", "z = 7");
    build_transition(&a->block, &b->block, "not (x > 3)", "z = 1");
    build_transition(&b->block, &merge->block, NULL, "z = z + 1");
}

/* The condition sees the values before the assignments of its edge. */
static void condition_first(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int32 B[2]", "0 0", "4 3");
    build_symbol(c->s, "i", "int64");
    struct state *begin = build_state(top, "begin"), *again = build_state(top, "again");
    corner_body(again, NULL, "o = b + 1", "b = B[0]", "o = B[0]", NULL);
    build_transition(&begin->block, &again->block, NULL, "i = 0");
    build_transition(&again->block, &again->block, "i < 3", "i = i + 1");
    build_transition(&again->block, &store(top, "after", "i", 1)->block, "not (i < 3)", NULL);
}

/* A loop with its test at the end: `continue` goes to the update. In DaCe it skips that, here twice. */
static void continue_inverted(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int32 B[2]", "0 0", "10 10");
    build_symbol(c->s, "i", "int64");
    build_symbol(c->s, "n", "int64");
    struct state *begin = build_state(top, "begin");
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < 10", "i = i + 1");
    loop->inverted = true;
    struct state *count = build_state(&loop->region, "count");
    struct conditional *skip = build_conditional(&loop->region, "skip");
    build_jump(build_branch(skip, "n == 3 or n == 5"), BLOCK_CONTINUE, "next");
    struct state *rest = build_state(&loop->region, "rest"), *after = store(top, "after", "n", 0);
    build_transition(&begin->block, &loop->region.block, NULL, "n = 0");
    build_transition(&count->block, &skip->block, NULL, "n = n + 1");
    build_transition(&skip->block, &rest->block, NULL, NULL);
    build_transition(&loop->region.block, &after->block, NULL, NULL);
    build_transition(&after->block, &store(top, "end", "i", 1)->block, NULL, NULL);
}

/* The variable of a loop, undeclared, is a 64-bit integer and outlives the loop. */
static void loop_variable(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int64 B[1]", "0", "5000000000");
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < 5000", "i = i + 1");
    build_state(&loop->region, "body");
    build_transition(&loop->region.block, &store(top, "after", "i * 1000000", 0)->block, NULL, NULL);
}

/* Memory that is in use when a loop returns; what leaks is seen where a leak checker runs. */
static void early_return(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_symbol(c, "int64 N", "1000");
    corner_array(c, "int32 B[1]", "0", "4");
    build_symbol(c->s, "i", "int64");
    build_symbol(c->s, "k", "int64");
    build_transient(c->s, "T", "int32", "N")->storage = enum_builtin(c->ir, STORAGE_CPU_HEAP);
    build_transient(c->s, "U", "int32", "k")->storage = enum_builtin(c->ir, STORAGE_CPU_HEAP);
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < 10", "i = i + 1");
    struct state *begin = build_state(&loop->region, "begin"), *fill = build_state(&loop->region, "fill");
    struct state *use = build_state(&loop->region, "use");
    struct conditional *stop = build_conditional(&loop->region, "stop");
    build_jump(build_branch(stop, "i == 3"), BLOCK_RETURN, "leave");
    build_transition(&begin->block, &fill->block, NULL, "k = N + i");
    build_transition(&fill->block, &use->block, NULL, NULL);
    build_transition(&use->block, &stop->block, NULL, NULL);
    corner_body(fill, "j = 0:N", "t = 1\nu = 2", NULL, "t = T[j], u = U[j]", NULL);
    corner_body(use, NULL, "o = b + u - t", "b = B[0], t = T[N - 1], u = U[0]", "o = B[0]", NULL);
}

/* The condition reads what the body wrote. */
static void data_dependent_loop(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int32 A[1]", "100", "1");
    corner_array(c, "int32 B[1]", "0", "6");
    struct loop *loop = build_loop(top, "loop", NULL, NULL, "A[0] > 1", NULL);
    struct state *body = build_state(&loop->region, "body");
    corner_body(body, NULL, "o = a // 2", "a = A[0]", "o = A[0]", NULL);
    corner_body(body, NULL, "o = b + 1", "b = B[0]", "o = B[0]", NULL);
}

/* Views are followed on transitions. */
static void view_on_transition(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int32 A[4, 4]", "0:16", NULL);
    corner_array(c, "int32 D[8]", "8*0", "4:12");
    corner_array(c, "int32 B[1]", "0", "10");
    build_symbol(c->s, "z", "int64");
    build_view(c->s, "V", "int32", "2, 4");
    struct state *look = build_state(top, "look");
    struct access *view = build_access(look, "V");
    build_edge(&build_access(look, "A")->node, NULL, &view->node, "views", "A[1:3, 0:4]", NULL);
    build_edge(&view->node, NULL, &build_access(look, "D")->node, NULL, "V[0:2, 0:4]", NULL);
    build_transition(&look->block, &store(top, "after", "z", 0)->block, NULL, "z = V[1, 2]");
}

static void optional_argument(struct corner *c, const char *result)
{
    struct region *top = &c->s->region;
    corner_array(c, "int32 B[1]", "0", result);
    struct conditional *given = build_conditional(top, "given");
    store(build_branch(given, "A is None"), "absent", "1", 0);
    corner_body(build_state(build_branch(given, NULL), "present"), NULL, "o = a", "a = A[2]", "o = B[0]", NULL);
}

static void optional_absent(struct corner *c)
{
    build_array(c->s, "A", "int32", "4")->optional = 1;
    corner_entry(c, "{\"name\": \"A\", \"kind\": \"null\"}");
    optional_argument(c, "1");
}

/* The descriptor leaves it open, but the graph looks. */
static void optional_undecided(struct corner *c)
{
    build_array(c->s, "A", "int32", "4");
    corner_entry(c, "{\"name\": \"A\", \"kind\": \"null\"}");
    optional_argument(c, "1");
}

static void optional_present(struct corner *c)
{
    corner_array(c, "int32 A[4]", "10:14", NULL);
    sdfg_find_container(c->s, "A")->optional = 1;
    optional_argument(c, "12");
}

/* for i = 0 to n { T = 71 * A; B += T; A[0] += changed }, or with the sums before T is there */
static void repeated(struct corner *c, const char *n, bool changed, bool late)
{
    struct region *top = &c->s->region;
    corner_symbol(c, "int64 n", n);
    build_symbol(c->s, "i", "int64");
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < n", "i = i + 1");
    struct state *first = build_state(&loop->region, "first"), *second = build_state(&loop->region, "second");
    build_transition(&first->block, &second->block, NULL, NULL);
    corner_body(late ? second : first, "k = 0:6", "t = (105 * a) // 3 + (105 * a) // 5 + (105 * a) // 7", "a = A[k]",
                "t = T[k]", NULL);
    corner_body(late ? first : second, "k = 0:6", "s = b + t", "b = B[k], t = T[k]", "s = B[k]", NULL);
    if (!changed)
        return;
    struct state *third = build_state(&loop->region, "third");
    build_transition(&second->block, &third->block, NULL, NULL);
    corner_body(third, NULL, "o = a + 1", "a = A[0]", "o = A[0]", NULL);
}

static void same_each_time(struct corner *c)
{
    corner_array(c, "int64 A[6]", "0:6", NULL);
    corner_array(c, "int64 T[6]", "6*-1", "0 71 142 213 284 355");
    corner_array(c, "int64 B[6]", "6*0", "0 213 426 639 852 1065");
    repeated(c, "3", false, false);
}

static void same_but_never(struct corner *c)
{
    corner_array(c, "int64 A[6]", "0:6", NULL);
    corner_array(c, "int64 T[6]", "6*-1", NULL);
    corner_array(c, "int64 B[6]", "6*0", NULL);
    repeated(c, "0", false, false);
}

static void not_the_same(struct corner *c)
{
    corner_array(c, "int64 A[6]", "0:6", "3 1:6");
    corner_array(c, "int64 T[6]", "6*-1", "142 71 142 213 284 355");
    corner_array(c, "int64 B[6]", "6*0", "213 213 426 639 852 1065");
    repeated(c, "3", true, false);
}

static void same_but_late(struct corner *c)
{
    corner_array(c, "int64 A[6]", "0:6", NULL);
    corner_array(c, "int64 T[6]", "6*-1", "0 71 142 213 284 355");
    corner_array(c, "int64 B[6]", "6*0", "-1 141 283 425 567 709");
    repeated(c, "3", false, true);
}

const struct corner_row corner_control[] = {
    { "062_no_true_edge", no_true_edge, false },
    { "063_unconditional_edge", unconditional_edge, false },
    { "064_racing_assignments", racing_assignments, true },
    { "065_assignment_to_merge", assignment_to_merge, false },
    { "066_condition_first", condition_first, false },
    { "067_continue_inverted", continue_inverted, false },
    { "068_loop_variable", loop_variable, false },
    { "074_early_return", early_return, false },
    { "075_data_dependent_loop", data_dependent_loop, false },
    { "077_view_on_transition", view_on_transition, false },
    { "078_optional_absent", optional_absent, false },
    { "078_optional_undecided", optional_undecided, false },
    { "078_optional_present", optional_present, false },
    { "loop_same_each_time", same_each_time, false },
    { "loop_same_but_never", same_but_never, false },
    { "loop_not_the_same", not_the_same, false },
    { "loop_same_but_late", same_but_late, false },
    { NULL, NULL, false },
};
