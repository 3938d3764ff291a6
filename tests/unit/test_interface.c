#include "engine/program/interface.h"

#include "engine/call/handle.h"
#include "engine/program/workspace.h"

#include "tests/unit/api.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* A program whose interface was kept answers every question as one whose graph was read. */

static sdfg_program *load(sdfg_engine *engine, const char *path)
{
    sdfg_program *p;
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
    text_printf(&out, "%s of %s, %s\n", sdfg_program_name(p), sdfg_program_dace_version(p), sdfg_program_hash(p));
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
            sdfg_array array = {
                .struct_size = sizeof array, .data = memory, .dtype = argument.dtype, .rank = argument.rank
            };
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

/* ---- what is written is what is read: all about a program but its graph, printed ---- */

static void print_form(struct text *out, const struct form *f, const struct sdfg_program *p)
{
    struct symbol_value values[64] = { { .origin = VALUE_UNKNOWN } };
    struct solver s = { .variables = p->variables, .num_variables = p->num_variables, .values = values };
    int64_t n;
    text_printf(out, " %s kind %d name %u number %lld%s", f->text, (int)f->kind, f->name, (long long)f->number,
                f->opaque ? " opaque" : "");
    for (uint32_t i = 0; i < f->num_names && p->num_variables <= 64; i++)
        text_printf(out, " of %u: %d", f->names[i].variable, form_coefficient(&s, f, &f->names[i], &n));
    for (uint32_t i = 0; i < p->num_variables && i < 64; i++)
        values[i] = (struct symbol_value){ .origin = VALUE_GIVEN, .value = 7 + 3 * i };
    if (p->num_variables <= 64)
        text_printf(out, " is %lld", form_value(f, p->variables, values, &n) ? (long long)n : -1);
}

static void print_leaf(struct text *out, const struct leaf *l, const struct sdfg_program *p)
{
    text_printf(out, "%s kind %d type %s dtype %d lanes %u item %zu storage %s lifetime %s variable %d rank %u",
                l->name, (int)l->kind, l->type_text, (int)l->dtype, l->lanes, l->item_bytes, l->storage, l->lifetime,
                l->variable, l->rank);
    text_printf(out, " flags %d%d%d%d%d%d size %zu at %zu place ", l->written, l->optional, l->returned, l->transient,
                l->solvable, l->placed, l->memory_size, l->offset);
    for (const struct place *at = l->place; at; at = at->parent)
        text_printf(out, "/%s %s %u", at->noun ? at->noun : "", at->label ? at->label : "", at->line);
    if (l->type)
        type_print(l->type, out);
    for (uint32_t i = 0; l->type && i < l->type->num_fields; i++)
        text_printf(out, " field %s at %u", l->type->fields[i].name ? l->type->fields[i].name : "",
                    l->type->fields[i].offset);
    for (uint32_t i = 0; i < l->rank; i++)
        print_form(out, &l->shape[i], p);
    for (uint32_t i = 0; l->strides && i < l->rank; i++)
        print_form(out, &l->strides[i], p);
    if (l->total_size.text)
        print_form(out, &l->total_size, p);
    text_add(out, "\n");
    for (uint32_t i = 0; i < l->num_members; i++)
        print_leaf(out, &l->members[i], p);
}

static const char *print_program(const struct sdfg_program *p, struct arena *a)
{
    struct text out = text_new(a);
    text_printf(&out, "%s of %s, %s\n", p->name, p->dace_version, p->hash);
    for (uint32_t i = 0; i < p->num_variables; i++) {
        const struct variable *v = &p->variables[i];
        text_printf(&out, "%s %d%d%d%d%d %lld ", v->name, v->is_scalar, v->is_constant, v->required, v->bindable,
                    p->in_key[i], (long long)v->constant);
        if (v->type)
            type_print(v->type, &out);
    }
    for (uint32_t i = 0; i < p->num_arguments; i++)
        print_leaf(&out, &p->arguments[i], p);
    for (uint32_t i = 0; i < p->num_transients; i++)
        print_leaf(&out, &p->transients[i], p);
    for (uint32_t i = 0; i < p->workspaces.count; i++)
        text_printf(&out, "memory %s %u\n", p->workspaces.items[i]->name, p->workspaces.items[i]->row);
    for (uint32_t i = 0; i < p->constraints.count; i++)
        text_printf(&out, "%s\n", p->constraints.items[i]);
    text_add(&out, p->warnings ? sdfg_error_json(p->warnings) : "");
    return text_get(&out);
}

static struct sdfg_program *empty_program(struct ir *ir)
{
    struct sdfg_program *p = NEW(ir->arena, struct sdfg_program);
    p->ir = ir;
    return p;
}

/* With the graph, which the interface is taken from; NULL if there is something wrong with the file. */
static struct sdfg_program *described(const char *path)
{
    struct ir *ir = ir_new();
    struct sdfg_program *p = empty_program(ir);
    p->json = file_read(ir->arena, ir->diags, path, &p->json_size);
    CHECK(p->json);
    p->root = sdfg_read(ir, p->json, p->json_size, NULL);
    if (!p->root || !sdfg_validate(p->root) || !program_describe(p)) {
        ir_free(ir);
        return NULL;
    }
    p->name = p->root->name;
    p->dace_version = p->root->dace_version ? p->root->dace_version : "";
    p->hash = "0123abcd";
    p->in_key = handles_key(p);
    workspace_find(p);
    p->warnings = error_from_diags(ir->diags, SDFG_STAGE_LOAD);
    return p;
}

static void release(struct sdfg_program *p)
{
    sdfg_error_free(p->warnings);
    ir_free(p->ir);
}

/* How many programs had what cannot be told by names, numbers and sums of products. */
static struct {
    int structures, other_forms, warnings, workspaces, programs;
} seen;

static void count_leaf(const struct leaf *l)
{
    seen.structures += l->num_members > 0;
    for (uint32_t i = 0; i < l->rank; i++)
        seen.other_forms += !l->shape[i].terms && !l->shape[i].opaque;
}

static void check_file(const char *path)
{
    struct sdfg_program *p = described(path);
    if (!p)
        return;
    struct ir *ir = ir_new();
    struct sdfg_program *q = empty_program(ir);
    struct text bytes = text_new(ir->arena);
    interface_write(p, &bytes);
    CHECK(interface_read(q, bytes.data, bytes.length));
    CHECK_STR(print_program(q, ir->arena), print_program(p, ir->arena));
    seen.programs++;
    seen.warnings += p->warnings != NULL;
    seen.workspaces += p->workspaces.count > 0;
    for (uint32_t i = 0; i < p->num_arguments; i++)
        count_leaf(&p->arguments[i]);
    release(q);
    release(p);
}

/* The files below a folder. */
static void check_folder(const char *folder)
{
    DIR *d = opendir(folder);
    CHECK(d);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[1024];
        size_t n = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (n > 5 && !strcmp(e->d_name + n - 5, ".sdfg"))
            check_file(path);
        else if (e->d_type == DT_DIR && *e->d_name != '.')
            check_folder(path);
    }
    closedir(d);
}

TEST(everything_of_an_interface_is_kept)
{
    check_folder("../examples");
    check_folder("read");
    check_folder("run");
    check_folder("fuzz/corpus/read");
    check_folder("unit/interface");
    CHECK(seen.programs > 300);
    CHECK(seen.structures && seen.other_forms && seen.warnings && seen.workspaces);
}

/* ---- the disk cache ---- */

/* Reads a program in two engines, one without a cache and one that has met it before. */
static void check_known(sdfg_engine *plain, sdfg_engine *keeping, const char *path, struct arena *a)
{
    sdfg_program *first = load(plain, path), *second = load(keeping, path);
    sdfg_kernel *k;
    CHECK(second->tree);
    sdfg_error *unsupported = sdfg_specialize(&k, second, NULL, 0); /* and writes what it is */
    CHECK(good(unsupported));
    sdfg_kernel_free(k);
    sdfg_program_free(second);
    sdfg_cache_info info = { .struct_size = sizeof info };
    sdfg_engine_cache(keeping, &info);
    CHECK_INT(info.troubles, 0);
    second = load(keeping, path);
    CHECK(!second->tree); /* the file was not parsed */
    CHECK_STR(everything(second, a), everything(first, a));
    sdfg_program_free(first);
    sdfg_program_free(second);
}

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
    const char *const others[] = {
        "run/library/memory_external/prog.sdfg",             /* memory of the caller */
        "run/corner/cases/memory_container_array/prog.sdfg", /* members */
        "run/corner/cases/086_transient_structure/prog.sdfg",
        "unit/interface/root.sdfg", /* a size that is no sum of products, and a warning */
    };
    DIR *d = opendir("../examples");
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".sdfg") && !strstr(e->d_name, ".sdfgz") && strcmp(e->d_name, "clip.sdfg"))
            check_known(plain, keeping, arena_printf(a, "../examples/%s", e->d_name), a);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_known(plain, keeping, others[i], a);
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

/* ---- wrong bytes ---- */

static void use(const struct sdfg_program *p)
{
    struct arena *a = arena_new();
    CHECK(print_program(p, a));
    arena_free(a);
}

/* A checksum guards the file; the reader itself survives anything, and what it takes can be used. */
static void check_mutations(const char *path, int rounds)
{
    struct sdfg_program *p = described(path);
    CHECK(p);
    struct ir *ir = ir_new();
    struct text good_bytes = text_new(ir->arena);
    interface_write(p, &good_bytes);
    size_t size = good_bytes.length;
    uint64_t random = 1;
    int taken = 0;
    for (int round = 0; round < rounds; round++) {
        struct ir *own = ir_new();
        struct sdfg_program *q = empty_program(own);
        char *bytes = arena_copy(own->arena, good_bytes.data, size);
        size_t length = size;
        for (int changes = round % 3; changes >= 0; changes--) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[(random >> 33) % size] ^= (char)(round % 2 ? 1 << (random >> 60) % 8 : (int)(random >> 40));
        }
        if (round % 5 == 4)
            length = (random >> 20) % size;
        if (interface_read(q, bytes, length)) {
            use(q);
            taken++;
        }
        release(q);
    }
    CHECK(taken < rounds);
    ir_free(ir);
    release(p);
}

/* A vector of vectors is in no record: the program keeps its graph, and questions are answered. */
TEST(what_no_record_holds_stays_with_the_graph)
{
    static const char text[] =
        "{\"type\": \"SDFG\", \"start_block\": 0, \"attributes\": {\"name\": \"p\", \"symbols\": {\"N\": \"int64\"}, "
        "\"_arrays\": {\"V\": {\"type\": \"Array\", \"attributes\": {\"shape\": [\"N\"], \"dtype\": {\"type\": "
        "\"vector\", "
        "\"elements\": \"4\", \"dtype\": {\"type\": \"vector\", \"dtype\": \"float32\", \"elements\": \"2\"}}}}}}, "
        "\"nodes\": [{\"type\": \"SDFGState\", \"label\": \"s\", \"attributes\": {}, \"nodes\": [], \"edges\": []}], "
        "\"edges\": []}";
    sdfg_engine *engine;
    sdfg_program *p;
    sdfg_argument argument = { .struct_size = sizeof argument };
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    CHECK(good(sdfg_program_load(&p, engine, text, strlen(text), NULL)));
    CHECK(p->root && !p->record.length && !atomic_load(&p->graph));
    CHECK(sdfg_program_argument(p, 0, &argument));
    CHECK_STR(argument.name, "V");
    CHECK_STR(argument.shape[0], "N");
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

TEST(wrong_bytes_are_survived)
{
    check_mutations("../examples/gemm.sdfg", 3000);
    check_mutations("fuzz/corpus/read/structure.sdfg", 3000);
    check_mutations("unit/interface/root.sdfg", 3000);
}

TEST(short_bytes_are_refused)
{
    struct sdfg_program *p = described("unit/interface/root.sdfg");
    CHECK(p);
    struct ir *ir = ir_new();
    struct text bytes = text_new(ir->arena);
    interface_write(p, &bytes);
    for (size_t size = 0; size < bytes.length; size++)
        CHECK(!interface_read(empty_program(ir), bytes.data, size));
    ir_free(ir);
    release(p);
}

CHECK_MAIN
