#include "engine/interface.h"

#include "tests/unit/api.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* A program whose interface was kept answers every question as one whose graph was read. */

static sdfg_program *load(sdfg_engine *engine, const char *name)
{
    char path[256];
    sdfg_program *p;
    snprintf(path, sizeof path, "../examples/%s", name);
    CHECK(good(sdfg_program_load_file(&p, engine, path)));
    return p;
}

static void print_argument(struct text *out, const sdfg_argument *a)
{
    text_printf(out, "%s kind %d dtype %d %s lanes %d total %s storage %s lifetime %s flags %d%d%d%d%d members %zu [",
                a->name, a->kind, a->dtype, a->type, a->lanes, a->total_size, a->storage, a->lifetime, a->transient,
                a->optional, a->returned, a->written, a->solvable, a->num_members);
    for (int i = 0; i < a->rank; i++)
        text_printf(out, "%s:%s,", a->shape[i], a->strides[i]);
    text_add(out, "]\n");
}

/* Everything the interface tells, and what is said about a wrong call. */
static const char *everything(sdfg_program *p, struct arena *a)
{
    struct text out = text_new(a);
    sdfg_argument argument = { .struct_size = sizeof argument };
    text_printf(&out, "%s of %s\n", sdfg_program_name(p), sdfg_program_dace_version(p));
    for (size_t i = 0; sdfg_program_argument(p, i, &argument); i++)
        print_argument(&out, &argument);
    for (size_t i = 0; sdfg_program_transient(p, i, &argument); i++)
        print_argument(&out, &argument);
    for (size_t i = 0; i < sdfg_program_num_constraints(p); i++)
        text_printf(&out, "%s\n", sdfg_program_constraint(p, i));
    static _Alignas(64) double memory[1 << 14]; /* some calls succeed */
    sdfg_args *args;
    char *explained;
    CHECK(good(sdfg_args_new(&args, p)));
    for (size_t i = 0; sdfg_program_argument(p, i, &argument); i++)
        if (argument.kind == SDFG_KIND_ARRAY) {
            sdfg_array array = { .data = memory, .dtype = argument.dtype, .rank = argument.rank };
            for (int k = 0; k < argument.rank; k++)
                array.shape[k] = 12 + k;
            CHECK(good(sdfg_args_array(args, argument.name, &array)));
        }
    sdfg_error *e = sdfg_call(p, args);
    text_add(&out, e ? sdfg_error_text(e) : "no error\n");
    sdfg_error_free(e);
    e = sdfg_args_explain(&explained, args);
    text_printf(&out, "%s", explained ? explained : "");
    sdfg_error_free(e);
    sdfg_text_free(explained);
    sdfg_args_free(args);
    return text_get(&out);
}

/* Keeps the interface as the disk cache does, and reads it into a program without a graph. */
TEST(a_known_program_answers_alike)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/tmp/sdfg-test-interface-XXXXXX");
    CHECK(mkdtemp(folder));
    sdfg_options o;
    sdfg_engine *plain, *keeping;
    sdfg_options_init(&o, sizeof o);
    CHECK(good(sdfg_engine_new(&plain, &o)));
    o.cache_dir = folder;
    CHECK(good(sdfg_engine_new(&keeping, &o)));
    struct arena *a = arena_new();
    DIR *d = opendir("../examples");
    int known = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strstr(e->d_name, ".sdfg") || strstr(e->d_name, ".sdfgz"))
            continue;
        sdfg_program *first = load(plain, e->d_name), *second = load(keeping, e->d_name);
        sdfg_kernel *k;
        CHECK(second->tree);
        sdfg_error *unsupported = sdfg_specialize(&k, second, NULL, 0); /* and writes what it is */
        sdfg_error_free(unsupported);
        sdfg_kernel_free(k);
        sdfg_program_free(second);
        sdfg_cache_info info = { .struct_size = sizeof info };
        sdfg_engine_cache(keeping, &info);
        CHECK_INT(info.troubles, 0);
        second = load(keeping, e->d_name);
        known += !second->tree;
        CHECK_STR(everything(second, a), everything(first, a));
        sdfg_program_free(first);
        sdfg_program_free(second);
    }
    CHECK(known >= 4);
    if (d)
        closedir(d);
    d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        unlink(arena_printf(a, "%s/%s", folder, e->d_name));
    closedir(d);
    CHECK(!rmdir(folder));
    arena_free(a);
    sdfg_engine_free(plain);
    sdfg_engine_free(keeping);
}

static struct sdfg_program *empty_program(struct ir *ir)
{
    struct sdfg_program *p = NEW(ir->arena, struct sdfg_program);
    p->ir = ir;
    return p;
}

/* A checksum guards the file; the reader itself survives anything. */
TEST(wrong_bytes_are_refused)
{
    sdfg_engine *engine;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = load(engine, "gemm.sdfg");
    struct ir *ir = ir_new();
    struct text bytes = p->record;
    CHECK(bytes.length > 0);
    CHECK(interface_read(empty_program(ir), bytes.data, bytes.length));
    for (size_t size = 0; size < bytes.length; size++)
        CHECK(!interface_read(empty_program(ir), bytes.data, size));
    for (size_t i = 0; i < bytes.length; i++) {
        struct ir *own = ir_new();
        bytes.data[i] ^= 0x81;
        interface_read(empty_program(own), bytes.data, bytes.length);
        bytes.data[i] ^= 0x81;
        ir_free(own);
    }
    ir_free(ir);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

CHECK_MAIN
