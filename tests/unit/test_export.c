/* Programs compiled ahead of time: shared libraries are written, opened and called; objects for other machines are
 * looked at. Linkers and compilers come in with tests/export.sh. */
#include "tests/unit/api.h"

#include <complex.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 32 };

struct trial {
    struct ir *ir;
    struct sdfg *s;
    struct state *st;
    sdfg_engine *engine;
    sdfg_program *program;
    void *library;
};

static struct node *data(struct trial *t, const char *name) { return &build_access(t->st, name)->node; }

static void begin(struct trial *t, const char *name)
{
    *t = (struct trial){ .ir = ir_new() };
    t->s = build_sdfg(t->ir, name);
    t->st = build_state(&t->s->region, "main");
}

static void load(struct trial *t)
{
    CHECK(good(sdfg_engine_new(&t->engine, NULL)));
    t->program = program_of(t->engine, t->s);
}

static sdfg_export form(enum sdfg_export_form f)
{
    return (sdfg_export){ .struct_size = sizeof(sdfg_export), .form = f };
}

/* Writes the library, opens it and removes the file. */
static void open_with(struct trial *t, const sdfg_symbol *symbols, size_t count)
{
    char path[] = "/tmp/sdfg-export-XXXXXX", *bytes;
    size_t size;
    sdfg_export x = form(SDFG_EXPORT_SHARED);
    x.symbols = symbols;
    x.num_symbols = count;
    load(t);
    if (!good(sdfg_program_export(&bytes, &size, t->program, &x))) {
        CHECK(false);
        return;
    }
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
    sdfg_text_free(bytes);
    t->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    if (!t->library)
        printf("%s\n", dlerror());
    CHECK(t->library);
}

static void end(struct trial *t)
{
    if (t->library)
        dlclose(t->library);
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
    ir_free(t->ir);
}

/* A function of the library; the caller knows its type. */
typedef void function(void);
static function *find(const struct trial *t, const char *name)
{
    void *address = t->library ? dlsym(t->library, name) : NULL;
    function *f = NULL;
    memcpy(&f, &address, sizeof f);
    if (!f) {
        printf("%s is missing\n", name);
        exit(1);
    }
    return f;
}

/* ---- values ---- */

static void put(struct trial *t, const char *scalar, const char *type, int at)
{
    char place[16], code[64];
    bool is_complex = !strncmp(type, "complex", 7);
    build_scalar(t->s, scalar, type);
    for (int part = 0; part <= is_complex; part++) {
        snprintf(place, sizeof place, "out[%d]", at + part);
        snprintf(code, sizeof code, "o = x%s", is_complex ? part ? ".imag" : ".real" : "");
        struct tasklet *k = build_tasklet(t->st, "put", "x", "o", code);
        build_edge(data(t, scalar), NULL, &k->node, "x", scalar, NULL);
        build_edge(&k->node, "o", data(t, "out"), NULL, place, NULL);
    }
}

/* More complex values than there are registers: the third and fourth do not fit, the last real one does. */
typedef void values_function(void *handle, double *out, bool a, int8_t b, uint16_t c, int32_t d, uint64_t e, float f,
                             double g, float complex h, double complex i, double complex j, double complex k,
                             double complex l, double m);

TEST(values_of_every_kind_arrive)
{
    static const char *const types[] = { "bool",       "int8",       "uint16",    "int32",      "uint64",
                                         "float32",    "float64",    "complex64", "complex128", "complex128",
                                         "complex128", "complex128", "float64" };
    struct trial t;
    double out[MOST] = { 0 };
    begin(&t, "values");
    build_array(t.s, "out", "float64", "32");
    for (int i = 0; i < 13; i++)
        put(&t, (char[]){ (char)('a' + i), 0 }, types[i], 2 * i);
    open_with(&t, NULL, 0);
    void *handle = ((void *(*)(void))find(&t, "__dace_init_values"))();
    CHECK(handle);
    ((values_function *)find(&t, "__program_values"))(handle, out, true, -3, 65535, -70000, 1ull << 40, 0.5f, 0.25,
                                                      1 + 2 * (float complex)I, 3 + 4 * (double complex)I,
                                                      5 + 6 * (double complex)I, 7 + 8 * (double complex)I,
                                                      9 + 10 * (double complex)I, 11);
    const double expected[] = { 1, 0, -3, 0, 65535, 0, -70000, 0, 1099511627776, 0, 0.5, 0, 0.25, 0, 1, 2, 3,
                                4, 5, 6,  7, 8,     9, 10,     11 };
    for (int i = 0; i < 25; i++)
        if (out[i] != expected[i]) {
            printf("value %d is %g, expected %g\n", i, out[i], expected[i]);
            CHECK(false);
        }
    CHECK_INT(((int (*)(void *))find(&t, "__dace_exit_values"))(handle), 0);
    end(&t);
}

/* ---- order, symbols ---- */

/* out[i] = in[i] + N for i < N: containers first, then scalars and symbols together. */
static void add_size(struct trial *t)
{
    begin(t, "add_size");
    build_symbol(t->s, "N", "int32");
    build_array(t->s, "in", "float64", "N");
    build_array(t->s, "out", "float64", "N");
    build_scalar(t->s, "B", "float64");
    struct map_entry *m = build_map(t->st, "each", "i = 0:N");
    struct tasklet *k = build_tasklet(t->st, "add", "x, b", "o", "o = x + N + b");
    build_path("in[i]", NULL, NULL, "x", data(t, "in"), &m->node, &k->node, NULL);
    build_path("B", NULL, NULL, "b", data(t, "B"), &m->node, &k->node, NULL);
    build_path("out[i]", NULL, "o", NULL, &k->node, m->exit, data(t, "out"), NULL);
}

typedef int add_function(void *handle, double *in, double *out, double B, int N);

TEST(arguments_come_in_the_order_of_DaCe)
{
    struct trial t;
    double in[4] = { 1, 2, 3, 4 }, out[5] = { 0 };
    add_size(&t);
    open_with(&t, NULL, 0);
    void *handle = ((void *(*)(int))find(&t, "__dace_init_add_size"))(4);
    CHECK_INT(((add_function *)find(&t, "__sdfg_call_add_size"))(handle, in, out, 0.5, 4), 0);
    CHECK(out[0] == 5.5 && out[3] == 8.5 && out[4] == 0);
    CHECK_INT(((int (*)(void *))find(&t, "__dace_exit_add_size"))(handle), 0);
    CHECK_INT(((int (*)(void *))find(&t, "__dace_exit_add_size"))(NULL), 0);
    end(&t);
}

TEST(code_for_one_value_refuses_others)
{
    struct trial t;
    double in[4] = { 1, 2, 3, 4 }, out[4] = { 0 };
    add_size(&t);
    open_with(&t, &(sdfg_symbol){ "N", 3 }, 1);
    void *(*init)(int) = (void *(*)(int))find(&t, "__dace_init_add_size");
    add_function *call = (add_function *)find(&t, "__sdfg_call_add_size");
    CHECK(!init(4));
    void *handle = init(3);
    CHECK(handle);
    CHECK(call(handle, in, out, 0, 4) != 0);
    CHECK(out[0] == 0);
    CHECK_INT(call(handle, in, out, 0, 3), 0);
    CHECK(out[0] == 4 && out[2] == 6 && out[3] == 0);
    ((int (*)(void *))find(&t, "__dace_exit_add_size"))(handle);
    end(&t);
}

/* ---- memory ---- */

/* sum += in[0]; out[0] = sum, in memory that lives as long as the handle, or is the caller's. */
static void accumulate(struct trial *t, uint32_t lifetime)
{
    begin(t, "accumulate");
    build_symbol(t->s, "N", "int64");
    build_array(t->s, "in", "int64", "1");
    build_array(t->s, "out", "int64", "1");
    build_transient(t->s, "sum", "int64", "N")->lifetime = enum_builtin(t->ir, lifetime);
    struct tasklet *add = build_tasklet(t->st, "add", "x, y", "o", "o = x + y");
    struct node *sum = data(t, "sum");
    build_edge(data(t, "in"), NULL, &add->node, "x", "in[0]", NULL);
    build_edge(data(t, "sum"), NULL, &add->node, "y", "sum[N - 1]", NULL);
    build_edge(&add->node, "o", sum, NULL, "sum[N - 1]", NULL);
    build_edge(sum, NULL, data(t, "out"), NULL, "sum[N - 1]", NULL);
}

typedef int accumulate_function(void *handle, int64_t *in, int64_t *out, int64_t N);

TEST(persistent_memory_belongs_to_the_handle)
{
    struct trial t;
    int64_t in = 0, first = 0, again = 0, other = 0;
    accumulate(&t, LIFETIME_PERSISTENT);
    open_with(&t, NULL, 0);
    void *(*init)(int64_t) = (void *(*)(int64_t))find(&t, "__dace_init_accumulate");
    int (*leave)(void *) = (int (*)(void *))find(&t, "__dace_exit_accumulate");
    accumulate_function *call = (accumulate_function *)find(&t, "__sdfg_call_accumulate");
    void *one = init(3), *two = init(5);
    CHECK_INT(call(one, &in, &first, 3), 0);
    in = 2;
    CHECK_INT(call(one, &in, &again, 3), 0);
    CHECK_INT(call(two, &in, &other, 5), 0);
    CHECK(again == first + 2);
    CHECK(call(one, &in, &again, 4) != 0); /* the handle's memory is smaller */
    CHECK_INT(leave(one), 0);
    CHECK_INT(leave(two), 0);
    end(&t);
}

TEST(external_memory_is_given_by_the_caller)
{
    struct trial t;
    int64_t in = 2, out = 0;
    _Alignas(64) int64_t memory[4] = { 0, 0, 40, 7 };
    accumulate(&t, LIFETIME_EXTERNAL);
    open_with(&t, NULL, 0);
    accumulate_function *call = (accumulate_function *)find(&t, "__sdfg_call_accumulate");
    void *handle = ((void *(*)(int64_t))find(&t, "__dace_init_accumulate"))(3);
    CHECK(call(handle, &in, &out, 3) != 0);
    size_t (*size)(void *, int64_t) = (size_t(*)(void *, int64_t))find(&t, "__dace_get_external_memory_size_CPU_Heap");
    CHECK_INT(size(handle, 3), 3 * sizeof(int64_t));
    ((void (*)(void *, char *, int64_t))find(&t, "__dace_set_external_memory_CPU_Heap"))(handle, (char *)memory, 3);
    CHECK_INT(call(handle, &in, &out, 3), 0);
    CHECK(out == 42 && memory[2] == 42 && memory[3] == 7);
    CHECK(call(handle, &in, &out, 4) != 0); /* more than was given */
    ((int (*)(void *))find(&t, "__dace_exit_accumulate"))(handle);
    end(&t);
}

/* ---- files ---- */

static Elf64_Ehdr header_of(struct trial *t, const sdfg_export *x)
{
    char *bytes;
    size_t size;
    Elf64_Ehdr h = { 0 };
    CHECK(good(sdfg_program_export(&bytes, &size, t->program, x)));
    if (bytes && size >= sizeof h)
        memcpy(&h, bytes, sizeof h);
    sdfg_text_free(bytes);
    return h;
}

TEST(other_machines_can_be_meant)
{
    static const struct {
        const char *target;
        int machine;
    } machines[] = { { "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 }, { "aarch64-linux-gnu", EM_AARCH64 } };
    struct trial t;
    add_size(&t);
    load(&t);
    for (int i = 0; i < 3; i++) {
        sdfg_export x = form(SDFG_EXPORT_OBJECT);
        x.target = machines[i].target;
        Elf64_Ehdr h = header_of(&t, &x);
        CHECK_INT(h.e_machine, machines[i].machine);
        CHECK_INT(h.e_type, ET_REL);
        x.form = SDFG_EXPORT_SHARED;
        h = header_of(&t, &x);
        CHECK_INT(h.e_machine, machines[i].machine);
        CHECK_INT(h.e_type, ET_DYN);
    }
    end(&t);
}

/* AArch64's way through a slot: adrp x16, page; ldr x17, [x16, offset]; br x17; nop. The address of the slot, or 0. */
static uint64_t jump_slot(const char *bytes, uint64_t at)
{
    uint32_t code[4];
    memcpy(code, bytes + at, sizeof code);
    bool jump = (code[0] & 0x9f00001f) == 0x90000010 && (code[1] & 0xffc003ff) == 0xf9400211 && code[2] == 0xd61f0220 &&
                code[3] == 0xd503201f;
    if (!jump)
        return 0;
    uint64_t pages = (code[0] >> 5 & 0x7ffff) << 2 | (code[0] >> 29 & 3);
    return (at & ~(uint64_t)0xfff) + (pages << 12) + ((code[1] >> 10 & 0xfff) << 3);
}

static bool is_filled(const char *bytes, size_t size, uint64_t slot)
{
    Elf64_Ehdr h;
    Elf64_Shdr s;
    memcpy(&h, bytes, sizeof h);
    for (unsigned i = 0; i < h.e_shnum; i++) {
        memcpy(&s, bytes + h.e_shoff + i * sizeof s, sizeof s);
        for (uint64_t at = s.sh_offset; s.sh_type == SHT_RELA && at < s.sh_offset + s.sh_size;
             at += sizeof(Elf64_Rela)) {
            Elf64_Rela r;
            CHECK(at + sizeof r <= size);
            memcpy(&r, bytes + at, sizeof r);
            if (r.r_offset == slot)
                return ELF64_R_TYPE(r.r_info) == R_AARCH64_GLOB_DAT;
        }
    }
    return false;
}

TEST(calls_on_aarch64_go_through_slots_that_the_loader_fills)
{
    struct trial t;
    char *bytes;
    size_t size;
    int jumps = 0;
    sdfg_export x = form(SDFG_EXPORT_SHARED);
    x.target = "aarch64";
    add_size(&t);
    load(&t);
    CHECK(good(sdfg_program_export(&bytes, &size, t.program, &x)));
    for (uint64_t at = 0; bytes && at + 16 <= size; at += 4) {
        uint64_t slot = jump_slot(bytes, at);
        jumps += slot != 0;
        CHECK(!slot || is_filled(bytes, size, slot));
    }
    CHECK(jumps >= 4); /* the four functions of the runtime for programs at least */
    sdfg_text_free(bytes);
    end(&t);
}

TEST(equal_programs_give_equal_files)
{
    struct trial t;
    add_size(&t);
    load(&t);
    for (int f = SDFG_EXPORT_OBJECT; f <= SDFG_EXPORT_REMARKS; f++) {
        char *one, *two;
        size_t size_one, size_two;
        sdfg_export x = form((enum sdfg_export_form)f);
        CHECK(good(sdfg_program_export(&one, &size_one, t.program, &x)));
        CHECK(good(sdfg_program_export(&two, &size_two, t.program, &x)));
        CHECK(size_one == size_two && size_one > 100 && !memcmp(one, two, size_one));
        sdfg_text_free(one);
        sdfg_text_free(two);
    }
    end(&t);
}

/* ---- what cannot be exported ---- */

static const char *refused(struct trial *t, const sdfg_export *x, char *code, size_t size)
{
    char *bytes;
    sdfg_error *e = sdfg_program_export(&bytes, NULL, t->program, x);
    CHECK(!bytes);
    snprintf(code, size, "%s", e ? sdfg_error_code(e) : "");
    sdfg_error_free(e);
    return code;
}

TEST(what_cannot_be_done_is_said)
{
    struct trial t;
    char code[80];
    add_size(&t);
    load(&t);
    sdfg_export x = form(SDFG_EXPORT_OBJECT);
    x.target = "abacus";
    CHECK_STR(refused(&t, &x, code, sizeof code), "OPTION_NAME");
    x = form(SDFG_EXPORT_SHARED);
    x.target = "x86_64-apple-darwin";
    CHECK_STR(refused(&t, &x, code, sizeof code), "OPTION_VALUE"); /* of no system but Linux */
    x = form((enum sdfg_export_form)9);
    CHECK_STR(refused(&t, &x, code, sizeof code), "OPTION_VALUE");
    x = form(SDFG_EXPORT_C);
    x.symbols = &(sdfg_symbol){ "M", 1 };
    x.num_symbols = 1;
    CHECK_STR(refused(&t, &x, code, sizeof code), "ARGUMENT_UNKNOWN");
    x = form(SDFG_EXPORT_C);
    x.optional = (const char *const[]){ "out" }; /* an array */
    x.num_optional = 1;
    CHECK_STR(refused(&t, &x, code, sizeof code), "EXPORT_OPTIONAL");
    end(&t);

    begin(&t, "vector");
    build_array(t.s, "out", "float64", "1");
    build_scalar(t.s, "v", "float64")->type = type_vector(t.ir, type_basic(t.ir, TYPE_F64), 2, NULL);
    struct tasklet *k = build_tasklet(t.st, "put", "", "o", "o = 1");
    build_edge(&k->node, "o", data(&t, "out"), NULL, "out[0]", NULL);
    load(&t);
    x = form(SDFG_EXPORT_OBJECT);
    CHECK_STR(refused(&t, &x, code, sizeof code), "EXPORT_VALUE");
    end(&t);
}

/* ---- features of processors ---- */

static char *assembly(struct trial *t, const char *cpu, const char *features)
{
    char *text = NULL;
    sdfg_export x = form(SDFG_EXPORT_ASM);
    x.target = "aarch64";
    x.cpu = cpu;
    x.features = features;
    CHECK(good(sdfg_program_export(&text, NULL, t->program, &x)));
    return text;
}

/* Behind the name of a processor, as GCC's -mcpu has them, in front of those that are given for themselves. */
TEST(processors_may_have_features)
{
    struct trial t;
    begin(&t, "twice");
    build_symbol(t.s, "N", "int64");
    build_array(t.s, "x", "float64", "N");
    build_array(t.s, "y", "float64", "N");
    struct map_entry *m = build_map(t.st, "m", "i = 0:N");
    struct tasklet *k = build_tasklet(t.st, "k", "a", "b", "b = 2 * a");
    build_path("x[i]", NULL, NULL, "a", data(&t, "x"), &m->node, &k->node, NULL);
    build_path("y[i]", NULL, "b", NULL, &k->node, m->exit, data(&t, "y"), NULL);
    load(&t);
    char *plain = assembly(&t, "generic", NULL), *wide = assembly(&t, "generic", "+sve2,+bf16");
    char *one = assembly(&t, "generic+sve2+bf16", NULL), *both = assembly(&t, "generic+sve2", "+bf16");
    char *empty = assembly(&t, "generic+sve2+bf16", "");
    CHECK(strcmp(plain, wide) != 0);
    CHECK(!strcmp(one, wide) && !strcmp(both, wide) && !strcmp(empty, wide));
    char *const all[] = { plain, wide, one, both, empty };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sdfg_text_free(all[i]);
    end(&t);
}

/* ---- prototypes ---- */

/* A symbol that nothing depends on is an argument if that is wanted. */
TEST(optional_symbols_are_arguments_where_they_are_named)
{
    static const char *const unused[] = { "unused" }, *const others[] = { "N", "unused" };
    static const struct {
        size_t count;
        const char *const *names, *expected;
    } rows[] = {
        { 0, NULL, "    int64_t N);\n" },
        { 1, unused, "    int64_t N,\n    int64_t unused);\n" },
        { 2, others, "    int64_t N,\n    int64_t unused);\n" },
    };
    struct trial t;
    begin(&t, "sized");
    build_symbol(t.s, "N", "int64");
    build_symbol(t.s, "unused", "int64");
    build_array(t.s, "out", "int64", "unused");
    struct tasklet *k = build_tasklet(t.st, "put", "", "o", "o = N");
    build_edge(&k->node, "o", data(&t, "out"), NULL, "out[0]", NULL);
    load(&t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL;
        sdfg_export x = form(SDFG_EXPORT_C);
        x.optional = rows[i].names;
        x.num_optional = rows[i].count;
        CHECK(good(sdfg_program_export(&text, NULL, t.program, &x)));
        CHECK(text && strstr(text, rows[i].expected));
        sdfg_text_free(text);
    }
    char code[80];
    sdfg_export x = form(SDFG_EXPORT_C);
    x.optional = (const char *const[]){ NULL };
    x.num_optional = 1;
    CHECK_STR(refused(&t, &x, code, sizeof code), "EXPORT_OPTIONAL");
    end(&t);
}

#define CONTAINER(name, kind, shape, more)                                                                             \
    "\"" name "\": {\"type\": \"" kind "\", \"attributes\": {\"shape\": [" shape "], " more "}}"
#define POINT                                                                                                          \
    "{\"type\": \"struct\", \"name\": \"point\", \"data\": [[\"x\", \"float32\"], [\"next\", {\"type\": \"pointer\", " \
    "\"dtype\": \"float64\"}], [\"v\", {\"type\": \"vector\", \"dtype\": \"int8\", \"elements\": \"4\"}]], "           \
    "\"length\": {}, "                                                                                                 \
    "\"bytes\": 24}"

static const char all_kinds[] =
    "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"kinds\", \"arg_names\": [], \"_arrays\": {" //
    CONTAINER("A", "Array", "\"N\", \"M\"",
              "\"dtype\": \"float16\", \"strides\": [\"1\", \"N\"], \"total_size\": \"N*M\"") "," //
    CONTAINER("P", "Array", "\"N\"", "\"dtype\": " POINT ", \"total_size\": \"N\"") ","           //
    CONTAINER(
        "V", "Array", "\"N\"",
        "\"dtype\": {\"type\": \"vector\", \"dtype\": \"uint16\", \"elements\": \"4\"}, \"total_size\": \"N\"") "," //
    CONTAINER("a", "Scalar", "\"1\"", "\"dtype\": \"complex64\"") ","                                               //
    CONTAINER("_b", "Scalar", "\"1\"", "\"dtype\": \"bool\"") ","                                                   //
    CONTAINER("handle", "Scalar", "\"1\"", "\"dtype\": \"uint32\"") ","                                             //
    CONTAINER("_1", "Scalar", "\"1\"", "\"dtype\": \"float8_e5m2\"") ","                                            //
    CONTAINER("text", "Scalar", "\"1\"", "\"dtype\": {\"type\": \"string\"}") ","                                   //
    CONTAINER("f", "Scalar", "\"1\"",
              "\"dtype\": {\"type\": \"callback\", \"arguments\": [\"int32\"], \"returntypes\": []}") "," //
    CONTAINER(
        "any", "Scalar", "\"1\"",
        "\"dtype\": {\"type\": \"pointer\", \"dtype\": \"float64\"}") "}, \"symbols\": {\"N\": \"int64\", \"M\": "
                                                                      "\"int64\"}}, \"start_block\": 0, \"edges\": [], "
                                                                      "\"nodes\": [{\"type\": "
                                                                      "\"SDFGState\", \"label\": \"empty\", \"id\": 0, "
                                                                      "\"attributes\": {}, \"scope_dict\": {}, "
                                                                      "\"nodes\": [], \"edges\": []}]}";

#define RECORD                                                                                                         \
    "{\"type\": \"struct\", \"name\": \"pair\", \"data\": [[\"x\", \"float64\"]], \"length\": {}, \"bytes\": 8}"

static const char parts[] =
    "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"parts\", \"arg_names\": [], \"_arrays\": {" //
    CONTAINER("S", "Structure", "\"1\"",
              "\"name\": \"pair\", \"dtype\": {\"type\": \"pointer\", \"dtype\": " RECORD
              "}, \"members\": [[\"x\", {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"float64\", \"shape\": "
              "[\"1\"]}}]]") "," //
    CONTAINER("L", "ContainerArray", "\"3\"",
              "\"dtype\": {\"type\": \"pointer\", \"dtype\": \"float32\"}, \"strides\": [\"1\"], \"total_size\": "
              "\"3\", \"stype\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float32\", \"shape\": "
              "[\"4\"], \"strides\": [\"1\"], \"total_size\": \"4\"}}") "," //
    CONTAINER("W", "Array", "\"2\"",
              "\"dtype\": {\"type\": \"struct\", \"name\": \"odd\", \"data\": [[\"v\", {\"type\": \"vector\", "
              "\"dtype\": \"int8\", \"elements\": \"3\"}]], \"length\": {}, \"bytes\": 3}, \"total_size\": "
              "\"2\"") "," //
    CONTAINER("c", "Scalar", "\"1\"",
              "\"dtype\": {\"type\": \"opaque\", \"ctype\": \"MPI_Comm\"}") "}, \"symbols\": {}}, \"start_block\": 0, "
                                                                            "\"edges\": [], \"nodes\": [{\"type\": "
                                                                            "\"SDFGState\", \"label\": \"empty\", "
                                                                            "\"id\": 0, \"attributes\": {}, "
                                                                            "\"scope_dict\": {}, \"nodes\": [], "
                                                                            "\"edges\": []}]}";

TEST(prototypes_of_structures)
{
    sdfg_engine *engine;
    sdfg_program *p;
    char *text;
    const sdfg_export c = form(SDFG_EXPORT_C), fortran = form(SDFG_EXPORT_FORTRAN);
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    CHECK(good(sdfg_program_load(&p, engine, parts, strlen(parts), NULL)));
    CHECK(good(sdfg_program_export(&text, NULL, p, &c)));
    CHECK(strstr(text, "struct pair {\n    double x;\n};\n"));
    CHECK(strstr(text, "struct odd {\n    int8_t v[3];\n};\n")); /* of no size that vectors have in C */
    CHECK(strstr(text, "void __program_parts(partsHandle_t handle,\n    float **L, /* [3] */\n    struct pair *S,\n"
                       "    struct odd *W, /* [2] */\n    void *c);\n"));
    sdfg_text_free(text);
    CHECK(good(sdfg_program_export(&text, NULL, p, &fortran)));
    CHECK(strstr(text, "      type(c_ptr), value :: handle\n      type(c_ptr), value :: L ! [3]\n"
                       "      type(c_ptr), value :: S\n      type(c_ptr), value :: W ! [2]\n"
                       "      type(c_ptr), value :: c\n    end subroutine\n"));
    sdfg_text_free(text);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

TEST(prototypes_of_all_kinds)
{
    sdfg_engine *engine;
    sdfg_program *p;
    char *text;
    const sdfg_export c = form(SDFG_EXPORT_C), fortran = form(SDFG_EXPORT_FORTRAN);
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    CHECK(good(sdfg_program_load(&p, engine, all_kinds, strlen(all_kinds), NULL)));
    CHECK(good(sdfg_program_export(&text, NULL, p, &c)));
    CHECK(strstr(
        text, "struct point {\n    float x;\n    double * next;\n    int8_t v[4] __attribute__((aligned(4)));\n};\n"));
    CHECK(strstr(text, "kindsHandle_t __dace_init_kinds(void);\n"));
    CHECK(strstr(text,
                 "void __program_kinds(kindsHandle_t handle_,\n    uint16_t *A, /* [N, M], strides [1, N] */\n"
                 "    struct point *P, /* [N] */\n    uint16_t *V, /* [N] */\n    uint8_t _1,\n    bool _b,\n"
                 "    float _Complex a,\n    double *any,\n    void *f,\n    uint32_t handle,\n    char *text);\n"));
    CHECK(strstr(text, "int __dace_exit_kinds(kindsHandle_t handle_);\n"));
    sdfg_text_free(text);
    CHECK(good(sdfg_program_export(&text, NULL, p, &fortran)));
    CHECK(strstr(
        text,
        "    subroutine kinds_run(handle, &\n        A, &\n        P, &\n        V, &\n        v1, &\n        b, &\n"
        "        a_2, &\n        any, &\n        f, &\n        handle_2, &\n        text) &\n"
        "        bind(c, name=\"__program_kinds\")\n      import\n      type(c_ptr), value :: handle\n"
        "      integer(c_int16_t), intent(inout) :: A(*) ! [N, M], strides [1, N]\n"
        "      type(c_ptr), value :: P ! [N]\n      integer(c_int16_t), intent(inout) :: V(*) ! [N]\n"
        "      integer(c_int8_t), value :: v1\n      logical(c_bool), value :: b\n"
        "      complex(c_float_complex), value :: a_2\n      type(c_ptr), value :: any\n"
        "      type(c_funptr), value :: f\n      integer(c_int32_t), value :: handle_2\n"
        "      type(c_ptr), value :: text\n    end subroutine\n"));
    sdfg_text_free(text);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

CHECK_MAIN
