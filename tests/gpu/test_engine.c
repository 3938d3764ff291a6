/* Programs of the C interface on a GPU, for which the stand-ins are: what a call costs, what is compiled when, and what
 * goes wrong. The argument is the folder of examples. */
#include "engine/include/sdfg.h"

#include "tests/gpu/standins.h"

enum { N = 1000, LONGEST = 4096 };

static const char *axpy, *jacobi;
static char *open_histogram; /* the text of an example without the limits of its index */
static char cache[] = "/tmp/device-engine-XXXXXX";

struct host {
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    double x[N], y[N];
};

/* Class and text of an error, "" if there is none. */
static const char *said(sdfg_error *error)
{
    static char text[LONGEST];
    snprintf(text, sizeof text, "%s", error ? sdfg_error_message(error) : "");
    if (error)
        CHECK(sdfg_error_class_of(error) == SDFG_ERROR_ENVIRONMENT);
    sdfg_error_free(error);
    return text;
}

static long timings = -1, of_kernels; /* that were told; -1: nobody hears of them */

static void hear(void *user, const sdfg_timing *t, size_t count)
{
    (void)user;
    timings += (long)count;
    for (size_t i = 0; i < count; i++) {
        of_kernels += !strncmp(t[i].name, "Kernel ", 7);
        CHECK(t[i].seconds >= 0 && (t[i].thread == 0) != !strcmp(t[i].name, "Wait"));
        CHECK((t[i].bytes == N * sizeof(double)) == !strncmp(t[i].name, "Transfer ", 9));
    }
}

static enum sdfg_tier tier = SDFG_TIER_FULL;

static void open_program(struct host *h, const char *folder)
{
    sdfg_options o = SDFG_OPTIONS_INIT;
    o.timing = timings < 0 ? NULL : hear;
    o.device = "cuda";
    o.tier = tier;
    o.cache_dir = folder;
    CHECK_STR(said(sdfg_engine_new(&h->engine, &o)), "");
    CHECK_STR(said(sdfg_program_load_file(&h->program, h->engine, axpy)), "");
    CHECK_STR(said(sdfg_args_new(&h->args, h->program)), "");
}

static void close_program(struct host *h)
{
    sdfg_args_free(h->args);
    sdfg_program_free(h->program);
    sdfg_engine_free(h->engine);
}

static void give(struct host *h, int n)
{
    for (int i = 0; i < n; i++) {
        h->x[i] = i;
        h->y[i] = 1;
    }
    sdfg_args_clear(h->args);
    CHECK_STR(said(sdfg_args_f64(h->args, "alpha", 2)), "");
    CHECK_STR(
        said(sdfg_args_array(h->args, "X", SDFG_ARRAY(.data = h->x, .dtype = SDFG_F64, .rank = 1, .shape = { n }))),
        "");
    CHECK_STR(
        said(sdfg_args_array(h->args, "Y", SDFG_ARRAY(.data = h->y, .dtype = SDFG_F64, .rank = 1, .shape = { n }))),
        "");
}

static bool is_right(const struct host *h, int n)
{
    for (int i = 0; i < n; i++)
        if (h->y[i] != 2.0 * i + 1)
            return false;
    return true;
}

static const char *call(struct host *h, int n)
{
    give(h, n);
    return said(sdfg_call(h->program, h->args));
}

static bool has_opened(const char *library)
{
    char line[LONGEST];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found = found || strstr(line, library);
    if (maps)
        fclose(maps);
    return found;
}

/* From the second call on nothing is allocated or looked up: two arrays in, one launch, one array out, one wait. */
OWN_PROCESS(calls_are_launches_and_transfers)
{
    struct host h;
    open_program(&h, NULL);
    for (int round = 0; round < 3; round++) {
        long all = round ? calls_of(NULL) : 0, asked = round ? calls_of("cuPointerGetAttributes") : 0;
        CHECK_STR(call(&h, N), "");
        CHECK(is_right(&h, N));
        asked = calls_of("cuPointerGetAttributes") - asked;
        if (round) /* beside these the context is made current, and arguments are looked at */
            CHECK_INT(calls_of(NULL) - all - asked, 2 + 2 + 1 + 1 + 1);
    }
    CHECK_INT(calls_of("cuLaunchKernel"), 3);
    CHECK_INT(calls_of("cuMemAlloc_v2"), 2);
    close_program(&h);
    CHECK_INT(objects(), 0);
}

/* The text of kernels does not depend on sizes. */
OWN_PROCESS(another_size_compiles_nothing)
{
    struct host h;
    open_program(&h, NULL);
    for (int n = 100; n <= N; n += 300) {
        CHECK_STR(call(&h, n), "");
        CHECK(is_right(&h, n));
    }
    CHECK_INT(compilations(), 1);
    close_program(&h);
}

/* How often NVRTC has been asked when a program of that tier has run with n elements. */
static long compilations_of(enum sdfg_tier which, const char *folder, int n)
{
    struct host h;
    tier = which;
    open_program(&h, folder);
    CHECK_STR(call(&h, n), "");
    CHECK(is_right(&h, n));
    close_program(&h);
    return compilations();
}

/* Optimized kernels are taken where quick ones would do, not the other way round. */
OWN_PROCESS(quick_kernels_are_others)
{
    char first[LONGEST], second[LONGEST];
    snprintf(first, sizeof first, "%s/quick-first", cache);
    snprintf(second, sizeof second, "%s/quick-second", cache);
    CHECK_INT(compilations_of(SDFG_TIER_QUICK, first, 100), 1);
    CHECK_INT(compilations_of(SDFG_TIER_QUICK, first, 200), 1);
    CHECK_INT(compilations_of(SDFG_TIER_FULL, first, 100), 2);
    CHECK_INT(compilations_of(SDFG_TIER_FULL, second, 100), 3);
    CHECK_INT(compilations_of(SDFG_TIER_QUICK, second, 200), 3);
}

/* Kernels that spill are compiled twice, and kept: not for another size, and not where code is to be there soon. */
OWN_PROCESS(kernels_that_spill_are_compiled_again)
{
    char folder[LONGEST];
    snprintf(folder, sizeof folder, "%s/spills", cache);
    setenv("SDFG_STANDIN_SPILLS", "k0:8:0", 1);
    CHECK_INT(compilations_of(SDFG_TIER_QUICK, folder, 100), 1);
    CHECK_INT(compilations_of(SDFG_TIER_FULL, folder, 100), 3);
    CHECK_INT(compilations_of(SDFG_TIER_FULL, folder, 200), 3);
}

static void run_warm(void)
{
    struct host h;
    open_program(&h, cache);
    CHECK_STR(call(&h, N), "");
    CHECK(is_right(&h, N));
    CHECK(!has_opened("libsdfg-codegen.so"));
    CHECK(!has_opened(strrchr(getenv("SDFG_NVRTC"), '/')));
    close_program(&h);
    CHECK_INT(objects(), 0);
}

static void run_cold(void)
{
    struct host h;
    open_program(&h, cache);
    CHECK_STR(call(&h, N), "");
    CHECK(has_opened("libsdfg-codegen.so") && has_opened(strrchr(getenv("SDFG_NVRTC"), '/')));
    sdfg_engine_wait(h.engine);
    close_program(&h);
}

TEST(a_warm_start_opens_no_compiler)
{
    CHECK(in_child(run_cold));
    CHECK(in_child(run_warm));
}

/* Two arrays in, one kernel, one array out, one wait; between events of the driver that are used again. */
OWN_PROCESS(kernels_and_transfers_are_timed)
{
    struct host h;
    timings = 0;
    open_program(&h, NULL);
    for (int round = 0; round < 3; round++) {
        CHECK_STR(call(&h, N), "");
        CHECK(is_right(&h, N));
    }
    CHECK_INT(of_kernels, 3);
    CHECK_INT(timings, 3 * 5);
    CHECK_INT(calls_of("cuEventCreate"), 1 + 2 * 4);
    close_program(&h);
    CHECK_INT(objects(), 0);
}

/* Every call of the driver fails once: an error that names it or the right result, and then all is well again. */
static void fail_every_call(void)
{
    struct host h;
    open_program(&h, NULL);
    CHECK_STR(call(&h, N), "");
    for (long k = 1, done = 0; k < 100 && !done; k++) {
        fail_at(k, 999);
        long before = calls_of(NULL);
        const char *error = call(&h, N);
        CHECK(*error ? strstr(error, "(999)") != NULL : is_right(&h, N));
        done = calls_of(NULL) - before < k;
        fail_at(0, 0);
        CHECK_STR(call(&h, N), "");
        CHECK(is_right(&h, N));
    }
    CHECK_INT(calls_of("cuMemAlloc_v2"), 2);
    close_program(&h);
    CHECK_INT(objects(), 0);
}

OWN_PROCESS(every_call_of_the_driver_fails) { fail_every_call(); }

OWN_PROCESS(every_call_of_the_driver_fails_that_is_timed)
{
    timings = 0;
    fail_every_call();
}

/* ---- graphs ---- */

#ifdef __SANITIZE_ADDRESS__
enum { STEPS = 20 };
#else
enum { STEPS = 520 };
#endif
enum {
    GRID = 370,
    OTHER_GRID = 366 /* more elements than regions have */,
    FEW_STEPS = 2,
    CALLS = 3,
    GRAPH_NODES = 1024
};

struct stencil {
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
};

/* The first process that opens it compiles it, for all. */
static void open_stencil(struct stencil *s)
{
    sdfg_options o = SDFG_OPTIONS_INIT;
    o.device = "cuda";
    o.cache_dir = cache;
    CHECK_STR(said(sdfg_engine_new(&s->engine, &o)), "");
    CHECK_STR(said(sdfg_program_load_file(&s->program, s->engine, jacobi)), "");
    CHECK_STR(said(sdfg_args_new(&s->args, s->program)), "");
}

static void close_stencil(struct stencil *s)
{
    sdfg_engine_wait(s->engine);
    sdfg_args_free(s->args);
    sdfg_program_free(s->program);
    sdfg_engine_free(s->engine);
    CHECK_INT(objects(), 0);
}

/* Sum of the result; the CPU has the same arithmetic. */
static double diffuse(struct stencil *s, int n, int steps)
{
    static double a[GRID * GRID], b[GRID * GRID];
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        a[i] = b[i] = i % 7;
    sdfg_args_clear(s->args);
    sdfg_error_free(
        sdfg_args_array(s->args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 2, .shape = { n, n })));
    sdfg_error_free(
        sdfg_args_array(s->args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 2, .shape = { n, n })));
    sdfg_error_free(sdfg_args_i64(s->args, "T", steps));
    CHECK_STR(said(sdfg_call(s->program, s->args)), "");
    for (int i = 0; i < n * n; i++)
        sum += a[i] * (i % 5);
    return sum;
}

static double diffused_on_host(int n, int steps)
{
    static double a[GRID][GRID], b[GRID][GRID];
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        a[i / n][i % n] = b[i / n][i % n] = i % 7;
    for (int t = 0; t < steps; t++)
        for (int half = 0; half < 2; half++) {
            double(*to)[GRID] = half ? a : b, (*from)[GRID] = half ? b : a;
            for (int i = 1; i < n - 1; i++)
                for (int k = 1; k < n - 1; k++)
                    to[i][k] = 0.2 * (from[i][k] + from[i][k - 1] + from[i][k + 1] + from[i + 1][k] + from[i - 1][k]);
        }
    for (int i = 0; i < n * n; i++)
        sum += a[i / n][i % n] * (i % 5);
    return sum;
}

static bool is_near(double a, double b) { return a - b < 1e-9 * b && b - a < 1e-9 * b; }

/* A sequence that comes again is one call of the driver, whatever its length; what differs is updated. */
OWN_PROCESS(equal_calls_become_graphs)
{
    struct stencil s;
    open_stencil(&s);
    double small = diffused_on_host(OTHER_GRID, STEPS), large = diffused_on_host(GRID, STEPS);
    for (int round = 0; round < CALLS; round++) {
        long launches = round ? calls_of("cuLaunchKernel") : 0, graphs = round ? calls_of("cuGraphLaunch") : 0,
             updates = round ? calls_of("cuGraphExecKernelNodeSetParams") : 0;
        bool other = round == CALLS - 1;
        CHECK(is_near(diffuse(&s, other ? OTHER_GRID : GRID, STEPS), other ? small : large));
        launches = calls_of("cuLaunchKernel") - launches;
        graphs = calls_of("cuGraphLaunch") - graphs;
        updates = calls_of("cuGraphExecKernelNodeSetParams") - updates;
        /* 1040 launches: 1024 and 16, which are graphs from the second time on */
        CHECK_INT(launches, round ? 0 : 2 * STEPS);
        CHECK_INT(graphs, round ? 1 + 2 * STEPS / GRAPH_NODES : 0);
        CHECK_INT(updates, other ? 2 * STEPS : 0);
    }
    close_stencil(&s);
}

/* A driver without graphs, and one that fails to make them at each of the calls. */
OWN_PROCESS(without_graphs)
{
    struct stencil s;
    double right = diffused_on_host(GRID, FEW_STEPS);
    setenv("SDFG_STANDIN_GRAPHS", "0", 1);
    open_stencil(&s);
    for (int round = 0; round < CALLS; round++)
        CHECK(is_near(diffuse(&s, GRID, FEW_STEPS), right));
    CHECK_INT(calls_of("cuGraphCreate"), 1);
    CHECK_INT(calls_of("cuGraphLaunch"), 0);
    CHECK_INT(calls_of("cuLaunchKernel"), CALLS * 2 * FEW_STEPS);
    close_stencil(&s);
}

enum { OF_CALL = 72 }; /* context, transfers through pinned memory, graph, four nodes */

static long refused_at; /* which call of the driver behind the first program call fails */

static void refuse_graph(void)
{
    struct stencil s;
    double right = diffused_on_host(GRID, FEW_STEPS);
    open_stencil(&s);
    CHECK(is_near(diffuse(&s, GRID, FEW_STEPS), right));
    sdfg_args_clear(s.args);
    fail_at(refused_at, 801);
    static double a[GRID * GRID], b[GRID * GRID];
    sdfg_error_free(
        sdfg_args_array(s.args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 2, .shape = { GRID, GRID })));
    sdfg_error_free(
        sdfg_args_array(s.args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 2, .shape = { GRID, GRID })));
    sdfg_error_free(sdfg_args_i64(s.args, "T", FEW_STEPS));
    long before = calls_of(NULL);
    sdfg_error *error = sdfg_call(s.program, s.args); /* if it fails, the next ones do not */
    CHECK(calls_of(NULL) - before <= OF_CALL);
    CHECK(!error || strstr(sdfg_error_message(error), "(801)"));
    sdfg_error_free(error);
    fail_at(0, 0);
    for (int round = 0; round < 2; round++)
        CHECK(is_near(diffuse(&s, GRID, FEW_STEPS), right));
    close_stencil(&s);
}

TEST(each_call_that_makes_a_graph_fails)
{
    for (refused_at = 1; refused_at <= OF_CALL; refused_at++)
        CHECK(in_child(refuse_graph));
}

/* ---- checked mode ---- */

static sdfg_fault fault;

static void hear_fault(void *user, const sdfg_fault *f)
{
    snprintf(user, LONGEST, "%s %s", f->container, f->kernel);
    fault = *f;
    CHECK_INT(f->rank, 1);
    CHECK_INT(f->low[0], 16);
    CHECK_INT(f->extent[0], 16);
}

static sdfg_error *count_pixels(sdfg_program *p, sdfg_args *a, double last, int64_t *histogram)
{
    double image[4][8] = { { 0 } };
    image[3][7] = last;
    memset(histogram, 0, 16 * sizeof *histogram);
    sdfg_args_clear(a);
    sdfg_error_free(
        sdfg_args_array(a, "image", SDFG_ARRAY(.data = image, .dtype = SDFG_F64, .rank = 2, .shape = { 4, 8 })));
    sdfg_error_free(
        sdfg_args_array(a, "histogram", SDFG_ARRAY(.data = histogram, .dtype = SDFG_I64, .rank = 1, .shape = { 16 })));
    return sdfg_call(p, a);
}

/* The callback hears of the thread that found a fault; the call gives back what it had on the device, and the next one
 * is as good as any. */
OWN_PROCESS(faults_name_their_threads)
{
    static char heard[LONGEST];
    int64_t histogram[16];
    sdfg_options o = SDFG_OPTIONS_INIT;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    o.device = "cuda";
    o.check = SDFG_CHECK_DEFAULT;
    o.fault = hear_fault;
    o.fault_user = heard;
    CHECK_STR(said(sdfg_engine_new(&engine, &o)), "");
    CHECK_STR(said(sdfg_program_load(&program, engine, open_histogram, strlen(open_histogram), NULL)), "");
    CHECK_STR(said(sdfg_args_new(&args, program)), "");
    CHECK_STR(said(count_pixels(program, args, 0.5, histogram)), "");
    CHECK_INT(histogram[8], 1);
    long blocks = calls_of("cuMemAlloc_v2");
    for (int round = 0; round < 2; round++) {
        sdfg_error *error = count_pixels(program, args, 1, histogram);
        CHECK(error && sdfg_error_class_of(error) == SDFG_ERROR_INVALID);
        sdfg_error_free(error);
        CHECK_STR(heard, "histogram k0_nest_0");
        CHECK_INT(fault.count, 1);
        CHECK_INT(fault.block[0], 0);
        CHECK_INT(fault.thread_of_block[0], 3);
        CHECK_STR(said(count_pixels(program, args, 0.5, histogram)), "");
        CHECK_INT(histogram[8], 1);
    }
    CHECK_INT(calls_of("cuMemAlloc_v2"), blocks);
    sdfg_args_free(args);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    CHECK_INT(objects(), 0);
}

static void lacks(const char *variable, const char *part)
{
    struct host h;
    setenv(variable, "/nowhere/library.so", 1);
    open_program(&h, NULL);
    const char *error = call(&h, N);
    CHECK(strstr(error, part) && strstr(error, "/nowhere/library.so"));
    CHECK(!is_right(&h, N)); /* and nothing ran on the CPU instead */
    close_program(&h);
}
OWN_PROCESS(no_driver) { lacks("SDFG_CUDA", "the driver of CUDA cannot be opened"); }
OWN_PROCESS(no_compiler) { lacks("SDFG_NVRTC", "NVRTC"); }

/* Two engines share the device; the second one is still good when the first is gone. */
OWN_PROCESS(two_engines)
{
    static struct host a, b;
    open_program(&a, NULL);
    open_program(&b, NULL);
    CHECK_STR(call(&a, N), "");
    CHECK_STR(call(&b, N), "");
    close_program(&a);
    CHECK_STR(call(&b, N), "");
    CHECK(is_right(&b, N));
    close_program(&b);
    CHECK_INT(objects(), 0);
}

static char *read_file(const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(name, "r");
    CHECK(f && getdelim(&text, &size, 0, f) > 0);
    if (f)
        fclose(f);
    return text;
}

/* Blanks are as good as what stood there. */
static void blank(char *text, const char *what)
{
    char *at = strstr(text, what);
    CHECK(at != NULL);
    if (at)
        memset(at, ' ', strlen(what));
}

int main(int argc, char **argv)
{
    static char file[LONGEST], stencil[LONGEST], remove[LONGEST];
    if (argc < 2 || !getenv("SDFG_CUDA") || !getenv("SDFG_NVRTC"))
        return 77;
    snprintf(file, sizeof file, "%s/axpy.sdfg", argv[1]);
    axpy = file;
    snprintf(stencil, sizeof stencil, "%s/jacobi_2d.sdfg", argv[1]);
    jacobi = stencil;
    snprintf(remove, sizeof remove, "%s/histogram.sdfg", argv[1]);
    open_histogram = read_file(remove);
    blank(open_histogram, "max(0, min(15, ");
    blank(open_histogram, "))");
    CHECK(mkdtemp(cache) != NULL);
    check_run_tests();
    free(open_histogram);
    snprintf(remove, sizeof remove, "rm -r %s", cache);
    CHECK(system(remove) == 0);
    return check_failures ? 1 : 0;
}
