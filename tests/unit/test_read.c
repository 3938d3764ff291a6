/* Reading. tests/read/x.sdfg are small files of several vintages, x.txt what sdfg_print says about them; SDFG_BLESS=1
 * rewrites the latter. */
#include "ir/graph.h"
#include "ir/library.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <zlib.h>

static struct sdfg *read_file(struct ir *ir, const char *path)
{
    size_t size;
    char *text = file_read(ir->arena, ir->diags, path, &size);
    return text ? sdfg_read(ir, text, size, "read") : NULL;
}

static void check_golden(const char *name)
{
    struct ir *ir = ir_new();
    const char *golden = arena_printf(ir->arena, "read/%s.txt", name);
    struct sdfg *s = read_file(ir, arena_printf(ir->arena, "read/%s.sdfg", name));
    struct text printed = text_new(ir->arena);
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        diag_print(diags_get(ir->diags, i), &printed);
    if (s)
        sdfg_print(s, &printed);
    if (getenv("SDFG_BLESS")) {
        FILE *f = fopen(golden, "w");
        fputs(text_get(&printed), f);
        fclose(f);
    }
    size_t size = 0;
    char *expected = file_read(ir->arena, ir->diags, golden, &size);
    CHECK(expected);
    if (expected) {
        expected = arena_strndup(ir->arena, expected, size);
        CHECK_STR(text_get(&printed), expected);
    }
    ir_free(ir);
}

TEST(vintages)
{
    check_golden("v0.9");
    check_golden("v0.13");
    check_golden("v0.16");
    check_golden("v2.0");
    check_golden("types");
    check_golden("nested-alone");
    check_golden("external");
}

TEST(source_lines)
{
    struct ir *ir = ir_new();
    struct sdfg *s = read_file(ir, "read/v2.0.sdfg");
    struct text path = text_new(ir->arena), source = text_new(ir->arena);
    const struct conditional *c = as_conditional(as_region(s->region.blocks.items[0])->blocks.items[0]);
    const struct block *work = c->branches.items[2].region->blocks.items[0];
    place_print(&work->place, &path);
    place_print_source(&work->place, &source);
    CHECK_STR(text_get(&path), "flow/loop[0] \"loop\"/conditional[0] \"pick\"/branch[2] \"go\"/state[0] \"work\"");
    CHECK_STR(text_get(&source), "flow.py:9:2");
    CHECK_INT(s->containers.items[0]->place.line, 7);
    CHECK_STR(s->dace_version, "2.0.0a6");
    ir_free(ir);
}

/* Init code is that of every file and of the main file, in this order; what other files run stays in the JSON. */
TEST(code_of_files)
{
    static const char json[] =
        "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"p\", \"_arrays\": {}, \"symbols\": {}, "
        "\"constants_prop\": {}, \"global_code\": {}, \"exit_code\": {\"string_data\": \"end();\", \"language\": "
        "\"CPP\"}, \"init_code\": {\"frame\": {\"string_data\": \"first();\", \"language\": \"CPP\"}, \"cuda\": "
        "{\"string_data\": \"device();\", \"language\": \"CPP\"}, \"null\": {\"string_data\": \"all();\", "
        "\"language\": \"CPP\"}}}, \"nodes\": [], \"edges\": []}";
    struct ir *ir = ir_new();
    struct sdfg *s = sdfg_read(ir, json, strlen(json), NULL);
    CHECK(s && s->init_code.count == 2 && s->exit_code.count == 1);
    if (s && s->init_code.count == 2) {
        CHECK_STR(s->init_code.items[0].text, "all();");
        CHECK_STR(s->init_code.items[1].text, "first();");
        struct text out = text_new(ir->arena);
        sdfg_write(s, &out);
        CHECK(strstr(text_get(&out), "device();"));
    }
    ir_free(ir);
}

TEST(gzip)
{
    struct ir *ir = ir_new();
    size_t size;
    char *text = file_read(ir->arena, ir->diags, "read/v0.9.sdfg", &size);
    unsigned char *packed = arena_alloc(ir->arena, size + 100);
    z_stream z = {
        .next_in = (Bytef *)text, .avail_in = (uInt)size, .next_out = packed, .avail_out = (uInt)size + 100
    };
    CHECK(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    size_t packed_size = z.total_out;
    deflateEnd(&z);
    struct sdfg *s = sdfg_read(ir, (char *)packed, packed_size, NULL);
    CHECK(s && !strcmp(s->name, "rowsum"));
    char *two = arena_alloc(ir->arena, packed_size * 2); /* members are joined; here that is one object too many */
    memcpy(two, packed, packed_size);
    memcpy(two + packed_size, packed, packed_size);
    CHECK(sdfg_read(ir, two, packed_size * 2, NULL) == NULL);
    CHECK_STR(diag_name(diags_get(ir->diags, 0)->code), "JSON_SYNTAX");
    diags_reset(ir->diags, 0);
    CHECK(sdfg_read(ir, (char *)packed, packed_size / 2, NULL) == NULL);
    CHECK_STR(diags_get(ir->diags, 0)->message, "cannot decompress: the data ends early");
    packed[packed_size / 2] ^= 0x55;
    CHECK(sdfg_read(ir, (char *)packed, packed_size, NULL) == NULL);
    CHECK_STR(diag_name(diags_get(ir->diags, 1)->code), "READ_GZIP");
    ir_free(ir);
}

/* ---- faults ---- */

#define ATTRIBUTES                                                                                                     \
    "\"attributes\":{\"name\":\"p\",\"symbols\":{\"n\":\"int64\"},\"_arrays\":{\"A\":{\"type\":\"Array\","             \
    "\"attributes\":{\"shape\":[\"$n\"]}}}}"
#define WITH(attributes)     "{\"type\":\"SDFG\",\"attributes\":{\"name\":\"p\"," attributes "},\"nodes\":[],\"edges\":[]}"
#define CONTAINER(record)    WITH("\"_arrays\":{\"X\":" record "}")
#define BLOCKS(nodes, edges) "{\"type\":\"SDFG\"," ATTRIBUTES ",\"nodes\":[" nodes "],\"edges\":[" edges "]}"
#define STATE(nodes, edges)                                                                                            \
    BLOCKS("{\"type\":\"SDFGState\",\"label\":\"s\",\"attributes\":{},\"nodes\":[" nodes "],\"edges\":[" edges "]}", "")
#define EMPTY(label) "{\"type\":\"SDFGState\",\"label\":\"" label "\",\"attributes\":{},\"nodes\":[],\"edges\":[]}"
#define JUMP(src, dst, attributes)                                                                                     \
    "{\"type\":\"Edge\",\"src\":" src ",\"dst\":" dst ",\"attributes\":{\"data\":{\"type\":\"InterstateEdge\","        \
    "\"attributes\":{" attributes "}}}}"
#define NODE(type, attributes) "{\"type\":\"" type "\",\"label\":\"x\",\"attributes\":{" attributes "}}"
#define ACCESS                 NODE("AccessNode", "\"data\":\"A\"")
#define EDGE(src, dst, memlet)                                                                                         \
    "{\"type\":\"MultiConnectorEdge\",\"src\":" src ",\"dst\":" dst ",\"src_connector\":null,\"dst_connector\":null,"  \
    "\"attributes\":{\"data\":" memlet "}}"
#define MEMLET(attributes) "{\"type\":\"Memlet\",\"attributes\":{" attributes "}}"
#define RANGE(start, end)                                                                                              \
    "{\"type\":\"Range\",\"ranges\":[{\"start\":\"" start "\",\"end\":\"" end "\",\"step\":\"1\",\"tile\":\"1\"}]}"

static const struct {
    const char *text, *code, *path;
} faults[] = {
    { "\x80\x04pickle", "READ_CONTENT", "" },
    { "", "JSON_SYNTAX", "" },
    { "{\"type\":\"Graph\"}", "READ_ROOT", "sdfg" },
    { "{\"type\":\"SDFG\",\"nodes\":[],\"edges\":[]}", "READ_MISSING", "sdfg" },
    { "{\"type\":\"SDFG\",\"attributes\":{},\"nodes\":[],\"edges\":[]}", "READ_MISSING", "sdfg" },
    { "{\"type\":\"SDFG\",\"attributes\":{\"name\":\"1p\"},\"nodes\":[],\"edges\":[]}", "READ_NAME", "1p" },
    { "{\"type\":\"SDFG\",\"attributes\":{\"name\":\"p.q\"},\"edges\":[]}", "READ_MISSING", "p.q" },
    { "{\"type\":\"SDFG\",\"attributes\":{\"name\":\"p\"},\"nodes\":{},\"edges\":[]}", "READ_KIND", "p" },
    { WITH("\"_arrays\":[]"), "READ_KIND", "p" },
    { WITH("\"arg_names\":[1]"), "READ_KIND", "p" },
    { WITH("\"constants_prop\":{\"c\":3}"), "READ_CONSTANT", "p" },
    { CONTAINER("{\"attributes\":{}}"), "READ_MISSING", "p/container \"X\"" },
    { CONTAINER("{\"type\":\"Array\",\"attributes\":{\"shape\":[\"-2\"]}}"), "READ_NEGATIVE", "p/container \"X\"" },
    { CONTAINER("{\"type\":\"Array\",\"attributes\":{\"shape\":[\"2\"],\"strides\":[\"2\",\"1\"]}}"), "READ_RANK",
      "p/container \"X\"" },
    { CONTAINER("{\"type\":\"Array\",\"attributes\":{\"shape\":[\"2\"],\"offset\":[\"0\",\"1\"]}}"), "READ_RANK",
      "p/container \"X\"" },
    { CONTAINER("{\"type\":\"Array\",\"attributes\":{\"shape\":[\"2 +\"]}}"), "SYM_SYNTAX", "p/container \"X\"" },
    { CONTAINER("{\"type\":\"Array\",\"attributes\":{\"shape\":[true]}}"), "READ_SYMBOLIC", "p/container \"X\"" },
    { CONTAINER("{\"type\":\"Array\",\"attributes\":{\"shape\":[\"2\"],\"transient\":1}}"), "READ_KIND",
      "p/container \"X\"" },
    { CONTAINER("{\"type\":\"ArrayView\",\"attributes\":{\"shape\":[\"2\"],\"lifetime\":\"SDFG\"}}"), "READ_LIFETIME",
      "p/container \"X\"" },
    { CONTAINER("{\"type\":\"StructureReference\",\"attributes\":{\"members\":[[\"set\",{\"type\":\"Scalar\","
                "\"attributes\":{}}]]}}"),
      "READ_MEMBER_SET", "p/container \"X\"" },
    { CONTAINER("{\"type\":\"Structure\",\"attributes\":{\"members\":[[\"a\",\"1\"],[\"a\",\"2\"]]}}"), "READ_TWICE",
      "p/container \"X\"" },
    { CONTAINER("{\"type\":\"ProcessGrid\",\"attributes\":{\"is_subgrid\":true}}"), "READ_GRID_PARENT",
      "p/container \"X\"" },
    { CONTAINER("{\"type\":\"ProcessGrid\",\"attributes\":{\"color\":[2]}}"), "READ_GRID_COLOR", "p/container \"X\"" },
    { CONTAINER("{\"type\":\"SubArray\",\"attributes\":{\"shape\":[\"4\"],\"subshape\":[\"2\",\"2\"]}}"),
      "READ_SUBARRAY", "p/container \"X\"" },
    { BLOCKS("{\"type\":\"SDFGState\",\"attributes\":{},\"nodes\":[],\"edges\":[]}", ""), "READ_MISSING",
      "p/block[0]" },
    { BLOCKS("{\"type\":\"SDFGState\",\"label\":\"s\",\"attributes\":{},\"edges\":[]}", ""), "READ_MISSING",
      "p/state[0] \"s\"" },
    { BLOCKS(EMPTY("s"), JUMP("0", "1", "")), "READ_INDEX", "p/transition[0]" },
    { BLOCKS(EMPTY("s"), JUMP("\"x\"", "0", "")), "READ_KIND", "p/transition[0]" },
    { BLOCKS(EMPTY("s") "," EMPTY("t"), JUMP("0", "1", "") "," JUMP("\"0\"", "\"1\"", "")), "READ_TRANSITION_TWICE",
      "p/transition[1]" },
    { BLOCKS(EMPTY("s"), JUMP("0", "0", "\"condition\":{\"string_data\":\"n <\"}")), "PYTHON_SYNTAX",
      "p/transition[0] \"s -> s\"" },
    { BLOCKS(EMPTY("s"), JUMP("0", "0", "\"condition\":{\"string_data\":\"n > 2\",\"language\":\"CPP\"}")),
      "READ_LANGUAGE", "p/transition[0] \"s -> s\"" },
    { BLOCKS(EMPTY("s"), JUMP("0", "0", "\"condition\":[]")), "READ_CODE", "p/transition[0] \"s -> s\"" },
    { BLOCKS(EMPTY("s"), JUMP("0", "0", "\"assignments\":{\"n\":\" \"}")), "READ_KIND", "p/transition[0] \"s -> s\"" },
    { BLOCKS("{\"type\":\"ConditionalBlock\",\"label\":\"c\",\"attributes\":{},\"branches\":[[null,{\"type\":"
             "\"LoopRegion\"}]]}",
             ""),
      "READ_BRANCH", "p/conditional[0] \"c\"" },
    { STATE(NODE("AccessNode", "\"data\":\"Z\""), ""), "READ_CONTAINER", "p/state[0] \"s\"/access[0] \"Z\"" },
    { STATE(NODE("AccessNode", "\"data\":\"A.x\""), ""), "READ_CONTAINER", "p/state[0] \"s\"/access[0] \"A.x\"" },
    { STATE(NODE("AccessNode", ""), ""), "READ_MISSING", "p/state[0] \"s\"/access[0] \"x\"" },
    { STATE(NODE("Tasklet", "\"in_connectors\":{\"a\":\"int7\"}"), ""), "READ_CONNECTOR",
      "p/state[0] \"s\"/tasklet[0] \"x\"" },
    { STATE(NODE("Tasklet", "\"in_connectors\":3"), ""), "READ_KIND", "p/state[0] \"s\"/tasklet[0] \"x\"" },
    { STATE(NODE("PipelineEntry", "\"init_size\":\"2\""), ""), "READ_PIPELINE", "p/state[0] \"s\"/map[0] \"x\"" },
    { STATE(NODE("LibraryNode", ""), ""), "READ_MISSING", "p/state[0] \"s\"/library[0] \"x\"" },
    { STATE(NODE("NestedSDFG", ""), ""), "READ_MISSING", "p/state[0] \"s\"/nested[0] \"x\"" },
    { STATE(NODE("NestedSDFG", "\"sdfg\":{\"type\":\"x\"}"), ""), "READ_ROOT",
      "p/state[0] \"s\"/nested[0] \"x\"/sdfg" },
    { STATE(NODE("MapEntry", "\"label\":\"m\""), ""), "SCOPE_EXIT", "p/state[0] \"s\"/map[0] \"m\"" },
    { STATE(NODE("MapExit", ""), ""), "SCOPE_ENTRY", "p/state[0] \"s\"/map exit[0] \"x\"" },
    { STATE(ACCESS "," ACCESS, EDGE("0", "1", MEMLET("")) "," EDGE("1", "0", MEMLET(""))), "SCOPE_CYCLE",
      "p/state[0] \"s\"/access[0] \"A\"" },
    { STATE(NODE("MapEntry", "") "," NODE("MapExit", "") "," NODE("MapExit", ""),
            EDGE("0", "1", MEMLET("")) "," EDGE("0", "2", MEMLET(""))),
      "SCOPE_TWO_EXITS", "p/state[0] \"s\"/map exit[2] \"x\"" },
    { STATE(ACCESS, "{\"src\":0,\"dst\":0,\"src_connector\":null,\"attributes\":{}}"), "READ_MISSING",
      "p/state[0] \"s\"/edge[0]" },
    { STATE(ACCESS "," ACCESS, EDGE("0", "1", "{\"type\":\"Letter\"}")), "READ_MEMLET", "p/state[0] \"s\"/edge[0]" },
    { STATE(ACCESS "," ACCESS, EDGE("0", "1", MEMLET("\"data\":\"Z\""))), "READ_CONTAINER",
      "p/state[0] \"s\"/edge[0] \"Z\"" },
    { STATE(ACCESS "," ACCESS, EDGE("0", "1", MEMLET("\"data\":\"A\",\"subset\":{\"type\":\"Cloud\"}"))), "READ_SUBSET",
      "p/state[0] \"s\"/edge[0] \"A\"" },
    { STATE(ACCESS "," ACCESS,
            EDGE("0", "1", MEMLET("\"data\":\"A\",\"subset\":{\"type\":\"Range\",\"ranges\":[{\"start\":\"0\"}]}"))),
      "READ_MISSING", "p/state[0] \"s\"/edge[0] \"A\"" },
    { STATE(ACCESS "," ACCESS, EDGE("0", "1", MEMLET("\"data\":\"A\",\"wcr\":\"lambda a: a\""))), "READ_LAMBDA",
      "p/state[0] \"s\"/edge[0] \"A\"" },
    { STATE(ACCESS "," ACCESS, EDGE("0", "1", MEMLET("\"data\":\"A\",\"veclen\":4"))), "READ_VECLEN",
      "p/state[0] \"s\"/edge[0] \"A\"" },
};

TEST(every_fault_has_code_and_place)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct ir *ir = ir_new();
        CHECK(sdfg_read(ir, faults[i].text, strlen(faults[i].text), NULL) == NULL);
        CHECK(diags_errors(ir->diags) > 0);
        if (diags_count(ir->diags)) {
            CHECK_STR(diag_name(diags_get(ir->diags, 0)->code), faults[i].code);
            CHECK_STR(diags_get(ir->diags, 0)->path, faults[i].path);
        }
        ir_free(ir);
    }
}

TEST(all_faults_at_once)
{
    static const char text[] =
        "{\"type\":\"SDFG\",\"attributes\":{\"name\":\"p\",\"_arrays\":{\"X\":{\"type\":\"Array\",\"attributes\":"
        "{\"shape\":[\"-1\"]}}}},\"nodes\":[{\"type\":\"SDFGState\",\"label\":\"s\",\"attributes\":{},\"nodes\":[" NODE(
            "AccessNode", "\"data\":\"Y\"") "," NODE("AccessNode", "\"data\":\"Z\"") "],\"edges\":[]}],"
                                                                                     "\"edges\":[" JUMP("7", "0",
                                                                                                        "") "]}";
    struct ir *ir = ir_new();
    CHECK(sdfg_read(ir, text, strlen(text), NULL) == NULL);
    CHECK_INT(diags_errors(ir->diags), 4);
    ir_free(ir);
}

TEST(closed_enumerations_warn)
{
    static const char text[] =
        CONTAINER("{\"type\":\"Array\",\"attributes\":{\"shape\":[\"2\"],\"lifetime\":\"Forever\","
                  "\"storage\":\"Moon\"}}");
    struct ir *ir = ir_new();
    struct sdfg *s = sdfg_read(ir, text, strlen(text), NULL);
    CHECK(s && s->containers.items[0]->lifetime->row == LIFETIME_SCOPE);
    CHECK_STR(s->containers.items[0]->lifetime->name, "Forever");
    CHECK_INT(s->containers.items[0]->storage->row, STORAGE_UNDEFINED);
    CHECK_INT(diags_count(ir->diags), 1);
    CHECK_STR(diags_get(ir->diags, 0)->message, "unknown lifetime 'Forever'; the default is used");
    ir_free(ir);
}

/* Any piece of a good file is refused without a crash. */
TEST(truncated_files)
{
    struct ir *ir = ir_new();
    size_t size;
    char *text = file_read(ir->arena, ir->diags, "read/v0.13.sdfg", &size);
    for (size_t length = 0; length + 2 < size; length += 97) {
        struct ir *other = ir_new();
        CHECK(sdfg_read(other, text, length, NULL) == NULL && diags_errors(other->diags));
        ir_free(other);
    }
    ir_free(ir);
}

TEST(missing_file)
{
    struct ir *ir = ir_new();
    size_t size;
    CHECK(file_read(ir->arena, ir->diags, "read/absent.sdfg", &size) == NULL);
    CHECK(file_read(ir->arena, ir->diags, "read", &size) == NULL);
    CHECK_STR(diag_name(diags_get(ir->diags, 0)->code), "FILE_OPEN");
    CHECK_STR(diag_name(diags_get(ir->diags, 1)->code), "FILE_READ");
    ir_free(ir);
}

/* A file that contains itself. */
TEST(endless_external_files)
{
    struct ir *ir = ir_new();
    CHECK(read_file(ir, "read/endless.sdfg") == NULL);
    CHECK_STR(diag_name(diags_get(ir->diags, 0)->code), "READ_EXTERNAL_COUNT");
    ir_free(ir);
}

TEST(external_file_not_there)
{
    static const char text[] = STATE(NODE("NestedSDFG", "\"ext_sdfg_path\":\"nowhere.sdfg\""), "");
    struct ir *ir = ir_new();
    struct sdfg *s = sdfg_read(ir, text, strlen(text), "read");
    CHECK(s && as_nested(as_state(s->region.blocks.items[0])->nodes.items[0])->sdfg == NULL);
    CHECK_STR(diag_name(diags_get(ir->diags, 0)->code), "READ_EXTERNAL");
    ir_free(ir);
}

CHECK_MAIN
