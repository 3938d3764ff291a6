/* Parts of the tools: queues that are arguments, graphs for Graphviz, messages on a terminal, patterns, reports, files.
 */
#include "engine/cli/file.h"
#include "engine/cli/fill.h"
#include "engine/cli/scratch.h"
#include "engine/cli/streams.h"
#include "engine/cli/terminal.h"
#include "engine/cli/timings.h"
#include "engine/cli/value.h"
#include "engine/cli/view_page.h"

#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char why[256];

/* ---- values ---- */

/* The text as an element of the type, as it is printed; "" if it is no number, "-" if the type cannot hold it. */
static const char *stored(const char *text, sdfg_dtype dtype)
{
    static char buffer[100];
    struct single v;
    unsigned char memory[16] = { 0 };
    if (!value_parse(&v, text))
        return "";
    return value_store(&v, dtype, memory) ? element_text(dtype, memory, buffer, sizeof buffer) : "-";
}

TEST(values_fit_their_types_or_are_refused)
{
    static const struct {
        const char *text, *expected;
        sdfg_dtype dtype;
    } rows[] = {
        { "127", "127", SDFG_I8 },
        { "0x7f", "127", SDFG_I8 },
        { "128", "-", SDFG_I8 },
        { "-128", "-128", SDFG_I8 },
        { "-129", "-", SDFG_I8 },
        { "-1", "-", SDFG_U8 },
        { "-1", "-", SDFG_U64 },
        { "255", "255", SDFG_U8 },
        { "9223372036854775807", "9223372036854775807", SDFG_I64 },
        { "9223372036854775808", "-", SDFG_I64 },
        { "9223372036854775808", "9223372036854775808", SDFG_U64 },
        { "9223372036854775808", "-", SDFG_U32 },
        { "9223372036854775808", "9.223372036854776e+18", SDFG_F64 },
        { "18446744073709551616", "-", SDFG_U64 },
        { "18446744073709551616", "1.8446744073709552e+19", SDFG_F64 },
        { "-9223372036854775809", "-9.223372036854776e+18", SDFG_F64 },
        { "true", "true", SDFG_BOOL },
        { "false", "0", SDFG_I32 },
        { "2", "-", SDFG_BOOL },
        { "2.0", "2", SDFG_I32 },
        { "2.5", "-", SDFG_I32 },
        { "nan", "-", SDFG_I32 },
        { "2.5", "2.5", SDFG_F16 },
        { "1e6", "-", SDFG_F16 },
        { "inf", "inf", SDFG_F16 },
        { "1e39", "-", SDFG_F32 },
        { "3", "3.0", SDFG_F64 },
        { "3", "(3.0, 0.0)", SDFG_C128 },
        { "1.5,-2", "(1.5, -2.0)", SDFG_C64 },
        { "1.5,-2", "-", SDFG_F64 },
        { "1.5,0", "1.5", SDFG_F64 },
        { "1,2", "-", SDFG_I64 },
        { "1,1e39", "-", SDFG_C64 },
        { "one", "", SDFG_F64 },
        { "1,two", "", SDFG_C64 },
        { "one,2", "", SDFG_C64 },
        { "", "", SDFG_I64 },
        { "0000000000000000000000000000000000000000000000000000000000000000000000000000000000001.5,2", "", SDFG_C64 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(stored(rows[i].text, rows[i].dtype), rows[i].expected);
}

/* ---- streams ---- */

#define QUEUES(name, dtype, shape)                                                                                     \
    "\"" name "\": {\"type\": \"Stream\", \"attributes\": {\"dtype\": " dtype ", \"shape\": [\"" shape                 \
    "\"], \"total_size\": \"" shape "\"}}"

static const char queues[] = "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"queues\", \"_arrays\": {" //
    QUEUES("one", "\"float64\"", "1") "," QUEUES("three", "\"float64\"", "3") "," QUEUES(
        "vectors", "{\"type\": \"vector\", \"dtype\": \"float32\", \"elements\": \"4\"}",
        "1") "}, \"symbols\": {}}, \"start_block\": 0, \"edges\": [], \"nodes\": [{\"type\": \"SDFGState\", \"label\": "
             "\"empty\", \"id\": 0, \"attributes\": {}, \"scope_dict\": {}, \"nodes\": [], \"edges\": []}]}";

static bool good(sdfg_error *e)
{
    bool ok = !e;
    if (e)
        printf("%s", sdfg_error_text(e));
    sdfg_error_free(e);
    return ok;
}

static bool fill(const struct streams *s, sdfg_dtype dtype, int64_t count, void *data)
{
    struct tensor t = {
        .dtype = dtype, .item_bytes = sdfg_dtype_size(dtype), .rank = 1, .shape = { count }, .data = data
    };
    return streams_fill(s, &t, why, sizeof why);
}

TEST(streams_hold_what_files_have)
{
    double values[] = { 1, 2, 3 };
    float lanes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    struct streams s = { 0 };
    struct tensor t;
    sdfg_engine *engine;
    sdfg_program *p;
    sdfg_args *a;
    sdfg_argument info = SDFG_ARGUMENT_INIT;
    bool made, memory;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    CHECK(good(sdfg_program_load(&p, engine, queues, strlen(queues), NULL)));
    CHECK(good(sdfg_args_new(&a, p)));
    CHECK(sdfg_program_lookup(p, "one", &info) && good(streams_make(&s, a, "one", &info, &made, &memory)));
    CHECK(made && memory && fill(&s, SDFG_F64, 3, values));
    CHECK(!fill(&s, SDFG_F32, 3, lanes));
    CHECK_STR(why, "its elements are of type float64, those of the file of type float32");
    CHECK(sdfg_program_lookup(p, "three", &info) && good(streams_make(&s, a, "three", &info, &made, &memory)));
    CHECK(!fill(&s, SDFG_F64, 3, values));
    CHECK_STR(why, "it has 3 queues, and a file fills one");
    CHECK(sdfg_program_lookup(p, "vectors", &info) && good(streams_make(&s, a, "vectors", &info, &made, &memory)));
    CHECK(!fill(&s, SDFG_F32, 7, lanes)); /* no whole vectors */
    CHECK(fill(&s, SDFG_F32, 8, lanes));
    CHECK(streams_have(&s, "one") && !streams_have(&s, "one[0]") && !streams_have(&s, "on") &&
          !streams_have(&s, "ones"));
    CHECK(streams_have(&s, "three[0]") && streams_have(&s, "three[2]") && !streams_have(&s, "three[3]"));
    CHECK(!streams_have(&s, "three") && !streams_have(&s, "three[1") && !streams_have(&s, "three[x]"));
    CHECK(streams_take(&s.items[0], 0, &t) && t.rank == 1 && t.shape[0] == 3 && ((double *)t.data)[2] == 3);
    tensor_free(&t);
    CHECK(streams_take(&s.items[0], 0, &t) && t.shape[0] == 0);
    tensor_free(&t);
    CHECK(streams_take(&s.items[2], 0, &t) && t.rank == 2 && t.shape[0] == 2 && t.shape[1] == 4);
    CHECK(((float *)t.data)[7] == 8);
    tensor_free(&t);
    CHECK(good(sdfg_args_solve(a)));
    sdfg_args_free(a);
    streams_release(&s);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* ---- graphs ---- */

static const char *dot(struct arena *a, const char *json)
{
    struct text out = text_new(a);
    struct diags *d = diags_new(a);
    return view_dot(&out, d, json, strlen(json)) ? text_get(&out) : diags_get(d, 0)->message;
}

#define HEAD "digraph \"g\" {\ncompound=true; node [style=filled, fillcolor=white];\n"
#define CLUSTER(path, fill, label)                                                                                     \
    "subgraph \"cluster_" path "\" {\nstyle=\"rounded,filled\"; fillcolor=\"" fill "\"; label=\"" label "\";\n\"" path \
    "\" [shape=point, style=invis, width=0, height=0];\n"
#define STATE(content)                                                                                                 \
    "{\"attributes\": {\"name\": \"g\"}, \"nodes\": [{\"type\": \"SDFGState\", \"id\": 0, \"label\": \"s\", " content  \
    "}]}"
#define IN_STATE(text) HEAD CLUSTER("sdfg_b0", "#e7f5ff", "s") text "}\n}\n"

TEST(graphs_for_graphviz)
{
    static const struct {
        const char *json, *dot;
    } rows[] = {
        { "{", "not JSON: line 1, column 2: unexpected end of the file" },
        { "{\"attributes\": {\"name\": \"g\"}}", HEAD "}\n" },
        { "{\"attributes\": {\"name\": \"g\"}, \"nodes\": [], \"edges\": []}", HEAD "}\n" },
        { "{\"attributes\": {\"name\": \"g\"}, \"nodes\": [{\"label\": \"a\\\\b\\\"c\\nd $N $ $_x\"}]}",
          HEAD CLUSTER("sdfg_b-1", "#e5dbff", "a\\\\b\\\"c\\nd N $ _x") "}\n}\n" },
        { STATE("\"nodes\": [{\"id\": 1, \"type\": \"AccessNode\", \"label\": \"A\"}, {\"id\": \"2\", \"type\": "
                "\"ConsumeEntry\"}, {\"id\": 3, \"type\": \"Reduce\"}]"),
          IN_STATE("\"sdfg_b0_n1\" [shape=ellipse, label=\"A\"];\n\"sdfg_b0_n2\" [shape=trapezium, label=\"\"];\n"
                   "\"sdfg_b0_n3\" [shape=box, label=\"\"];\n") },
        { STATE("\"nodes\": [], \"edges\": [{\"src\": 1, \"dst\": 2}, {\"src\": 1, \"dst\": 2, \"attributes\": "
                "{\"data\": "
                "{\"attributes\": {\"data\": \"A\", \"wcr\": \"lambda a, b: a + b\"}}}}]"),
          IN_STATE("\"sdfg_b0_n1\" -> \"sdfg_b0_n2\" [label=\"\"];\n"
                   "\"sdfg_b0_n1\" -> \"sdfg_b0_n2\" [label=\"A (lambda a, b: a + b)\"];\n") },
        { STATE("\"edges\": [{\"src\": 1, \"dst\": 2, \"attributes\": {\"data\": {\"attributes\": {\"data\": \"A\", "
                "\"subset\": "
                "{\"ranges\": [{\"start\": \"0\", \"end\": \"0\", \"step\": \"1\"}, {\"start\": \"0\", \"end\": \"N\", "
                "\"step\": "
                "\"2\"}, {\"start\": \"i\", \"end\": \"i\"}]}}}}}, {\"src\": 3, \"dst\": 4, \"attributes\": {\"data\": "
                "{\"attributes\": {\"data\": \"A\", \"subset\": {}}}}}]"),
          IN_STATE("\"sdfg_b0_n1\" -> \"sdfg_b0_n2\" [label=\"A[0, 0..N by 2, i]\"];\n"
                   "\"sdfg_b0_n3\" -> \"sdfg_b0_n4\" [label=\"A[]\"];\n") },
        { STATE("\"nodes\": [{\"id\": 1, \"label\": \"n\", \"attributes\": {\"sdfg\": {\"nodes\": []}}}]"),
          IN_STATE(CLUSTER("sdfg_b0_n1", "#fff0f6", "n") "}\n") },
        { "{\"attributes\": {\"name\": \"g\"}, \"nodes\": [{\"type\": \"ConditionalBlock\", \"id\": 0, \"label\": "
          "\"c\", "
          "\"branches\": [[{\"string_data\": \"a > b\"}, {}], [null, {}]]}, {\"type\": \"LoopRegion\", \"id\": 1, "
          "\"label\": "
          "\"l\", \"attributes\": {\"loop_condition\": \"i < 3\"}}]}",
          HEAD CLUSTER("sdfg_b0", "#fff3bf", "c") CLUSTER("sdfg_b0_0", "#fff9db", "if a > b") "}\n" //
          CLUSTER("sdfg_b0_1", "#fff9db", "else") "}\n}\n" CLUSTER("sdfg_b1", "#e5dbff", "l: while i < 3") "}\n}\n" },
        { "{\"attributes\": {\"name\": \"g\"}, \"edges\": [{\"src\": 0, \"dst\": 1, \"attributes\": {\"data\": "
          "{\"attributes\": "
          "{\"condition\": {\"string_data\": \"1\"}, \"assignments\": {\"i\": \"0\", \"j\": 1}}}}}, {\"src\": 0, "
          "\"dst\": 1, "
          "\"attributes\": {\"data\": {\"attributes\": {\"condition\": \"True\", \"assignments\": {}}}}}, {\"src\": 0, "
          "\"dst\": 1, "
          "\"attributes\": {\"data\": {\"attributes\": {\"condition\": \"i < N\"}}}}]}",
          HEAD "\"sdfg_b0\" -> \"sdfg_b1\" [ltail=\"cluster_sdfg_b0\", lhead=\"cluster_sdfg_b1\", label=\"i = 0\\nj = "
               "\\n\"];\n"
               "\"sdfg_b0\" -> \"sdfg_b1\" [ltail=\"cluster_sdfg_b0\", lhead=\"cluster_sdfg_b1\", label=\"\"];\n"
               "\"sdfg_b0\" -> \"sdfg_b1\" [ltail=\"cluster_sdfg_b0\", lhead=\"cluster_sdfg_b1\", label=\"if i < "
               "N\\n\"];\n}\n" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *a = arena_new();
        CHECK_STR(dot(a, rows[i].json), rows[i].dot);
        arena_free(a);
    }
}

/* ---- terminals ---- */

/* What a terminal is sent. */
static void show(const char *text, const char *terminal, const char *no_color, char *out, size_t size)
{
    int outer = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(outer >= 0 && !grantpt(outer) && !unlockpt(outer));
    int inner = open(ptsname(outer), O_RDWR | O_NOCTTY);
    FILE *f = fdopen(inner, "w");
    if (terminal)
        setenv("TERM", terminal, 1);
    else
        unsetenv("TERM");
    setenv("NO_COLOR", no_color, 1);
    terminal_messages(f, text);
    fclose(f);
    size_t length = 0;
    for (ssize_t n; (n = read(outer, out + length, size - 1 - length)) > 0;) /* it comes in pieces, then EIO */
        length += (size_t)n;
    out[length] = 0;
    close(outer);
}

TEST(messages_have_colours_on_terminals)
{
    static const char text[] = "error[invalid]: a: b\nwarning[invalid]: c\n  at d\n    x\n    ^~\nerror[none\n\nend";
    char out[300];
    show(text, "xterm", "", out, sizeof out);
    CHECK_STR(out,
              "\033[1;31merror[invalid]\033[0m: a: b\r\n\033[1;33mwarning[invalid]\033[0m: c\r\n  at d\r\n    x\r\n"
              "\033[32m    ^~\033[0m\r\nerror[none\r\n\r\nend");
    show("error[invalid]: a", "xterm", "1", out, sizeof out);
    CHECK_STR(out, "error[invalid]: a");
    show("error[invalid]: a", "dumb", "", out, sizeof out);
    CHECK_STR(out, "error[invalid]: a");
    show("error[invalid]: a", NULL, "", out, sizeof out);
    CHECK_STR(out, "error[invalid]: a");
    unsetenv("NO_COLOR");
}

/* ---- patterns ---- */

TEST(patterns_of_each_type)
{
    struct fill f;
    int64_t i[50];
    bool b[50];
    double z[2], again[2], reals[50], real;
    float near;
    CHECK(fill_parse(&f, "random:3"));
    fill_memory(&f, SDFG_I64, i, 50);
    fill_memory(&f, SDFG_BOOL, b, 50);
    for (int k = 0; k < 50; k++)
        CHECK(i[k] >= 0 && i[k] < 10 && (b[k] == 0 || b[k] == 1));
    fill_memory(&f, SDFG_F64, reals, 50);
    for (int k = 0; k < 50; k++) {
        fill_element(&f, SDFG_F64, &real, k);
        CHECK(reals[k] == real && real >= 0 && real < 1);
    }
    CHECK(fill_parse(&f, "normal:3"));
    fill_memory(&f, SDFG_I64, i, 50);
    bool below = false, above = false;
    for (int k = 0; k < 50; k++) {
        below |= i[k] < 0;
        above |= i[k] > 9;
    }
    CHECK(below && above);
    fill_element(&f, SDFG_C128, z, 7);
    fill_element(&f, SDFG_C128, again, 7);
    CHECK(z[0] == again[0] && z[1] == again[1] && z[0] != z[1]);
    CHECK(fill_parse(&f, "zeros"));
    fill_element(&f, SDFG_C128, z, 7);
    CHECK(z[0] == 0 && z[1] == 0);
    CHECK(fill_parse(&f, "constant:2.5"));
    fill_element(&f, SDFG_F32, &near, 0);
    CHECK(near == 2.5F);
    CHECK(fill_parse(&f, "-1e3") && f.value == -1000);
    CHECK(!fill_parse(&f, "constant") && !fill_parse(&f, "constants:1") && !fill_parse(&f, "onesies"));
    CHECK(!fill_parse(&f, "iota:2") && !fill_parse(&f, "random:2x") && !fill_parse(&f, ""));
}

/* ---- reports ---- */

TEST(reports_are_json_whatever_names_are)
{
    static const char long_counter[] = { [0 ... 599] = 'x', 0 };
    static const sdfg_counter counter = { "L1 \"misses\"", 3 }, longer = { long_counter, 4 }, none = { "none", NAN };
    static const char long_name[] = "a name that is longer than sixty-four characters, which is more than any file has";
    char path[] = "/tmp/test_tools_XXXXXX";
    struct timings t = { .kept = true };
    const sdfg_timing timings[] = {
        { .name = "Map \"m\\\n",
          .provider = "Timer",
          .begin = 1,
          .seconds = 2,
          .thread = 1,
          .region = 0,
          .state = -1,
          .node = -1 },
        { .name = long_name,
          .provider = "Timer",
          .begin = 1,
          .seconds = 2,
          .thread = 1,
          .state = 3,
          .node = 4,
          .bytes = 5 },
        { .name = "Map n", .provider = "\"PAPI\"", .counter = &counter, .thread = 1, .state = -1, .node = -1 },
        { .name = "Map n", .provider = long_counter, .counter = &longer, .thread = 1, .state = -1, .node = -1 },
        { .name = "Map n", .provider = "PAPI", .counter = &none, .thread = 1, .state = -1, .node = -1 },
    };
    size_t size;
    int file = mkstemp(path);
    CHECK(file >= 0 && !close(file));
    timings_add(&t, timings, sizeof timings / sizeof *timings);
    CHECK(timings_write(&t, path));
    char *text = file_bytes(path, 1 << 20, &size, why, sizeof why);
    CHECK(text && strstr(text, "{\"traceEvents\": [\n{\"name\": \"Map m\", \"cat\": \"Timer\", \"ph\": \"X\", \"ts\": "
                               "1000000.000, \"dur\": 2000000.000, "));
    CHECK(text &&
          strstr(text,
                 "\"cfg_id\": 0}},\n{\"name\": \"a name that is longer than sixty-four characters, which is more\", "));
    CHECK(text && strstr(text, "\"state_id\": 3, \"id\": 4, \"bytes\": 5}}"));
    CHECK(text && strstr(text, "\"cat\": \"PAPI\", \"ph\": \"C\", ") && strstr(text, "\"args\": {\"L1 misses\": 3, "));
    CHECK(text && strstr(text, "xxx\": 4, \"cfg_id\": 0}},\n"));
    CHECK(text && strstr(text, "\"args\": {\"cfg_id\": 0}}\n], \"sdfgHash\": \"\"}\n"));
    free(text);
    t.failed = true;
    CHECK(!timings_write(&t, path)); /* as there was no memory */
    unlink(path);
}

/* ---- files ---- */

static char *content(const char *path)
{
    size_t size;
    return file_bytes(path, 1 << 20, &size, why, sizeof why);
}

TEST(files_are_replaced_when_they_are_whole)
{
    struct scratch s;
    char path[4200], link[4200], *text;
    struct stat info;
    CHECK(scratch_make(&s, "test-tools"));
    snprintf(path, sizeof path, "%s/file", s.path);
    snprintf(link, sizeof link, "%s/link", s.path);
    CHECK(file_write(path, "one", 3, why, sizeof why) && !chmod(path, 0640));
    CHECK(!symlink(path, link) && file_write(link, "two", 3, why, sizeof why));
    text = content(path);
    CHECK_STR(text, "two"); /* what the link leads to */
    free(text);
    CHECK(!stat(path, &info) && (info.st_mode & 0777) == 0640 && !lstat(link, &info) && S_ISLNK(info.st_mode));
    CHECK(!unlink(path) && file_write(link, "three", 5, why, sizeof why)); /* a link that leads nowhere */
    text = content(path);
    CHECK_STR(text, "three");
    free(text);
    struct file_out o;
    FILE *f = file_begin(&o, path);
    CHECK(f && fputs("half of", f) >= 0 && !file_end(&o, false));
    text = content(path);
    CHECK_STR(text, "three");
    free(text);
    CHECK(!file_write(s.path, "x", 1, why, sizeof why));
    CHECK_STR(why, "Is a directory");
    CHECK(!file_write("/dev/full", "x", 1, why, sizeof why));
    CHECK_STR(why, "No space left on device");
    CHECK(!content(s.path));
    CHECK_STR(why, "Is a directory");
    file_set_limit(4);
    CHECK(!content(path));
    CHECK_STR(why, "it is larger than the limit of 4 bytes (--input-limit)");
    file_set_limit(0);
    scratch_remove(&s);
    CHECK(stat(s.path, &info) && !*s.path);
    setenv("TMPDIR", "/no/such/folder", 1);
    CHECK(!scratch_make(&s, "test-tools") && errno == ENOENT && !*s.path);
    scratch_remove(&s);
    setenv("TMPDIR", "", 1);
    CHECK(scratch_make(&s, "test-tools") && !strncmp(s.path, "/tmp/test-tools.", 16));
    scratch_remove(&s);
    unsetenv("TMPDIR");
}

CHECK_MAIN
