#include "tests/unit/api.h"

#include <stdlib.h>

/* Clients that were compiled with an older sdfg.h, whose structs are shorter, and with a newer one. */

enum { N = 8 };

/* A struct of `size` bytes, which the compiler does not see through, whose later bytes belong to somebody else. */
__attribute__((noipa)) static void *shortened(const void *whole, size_t size)
{
    char *s = malloc(size); /* the address sanitizer sees who touches more */
    CHECK(s);
    memcpy(s, whole, size);
    memcpy(s, &size, sizeof size);
    return s;
}

static double x[N], y[N];

static void give(sdfg_args *args, const char *name, double *data, size_t size)
{
    sdfg_array whole = *SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 1, .shape = { N });
    sdfg_array *s = shortened(&whole, size);
    CHECK(good(sdfg_args_array(args, name, s)));
    free(s);
}

TEST(older_structs_are_taken)
{
    sdfg_engine *engine;
    sdfg_args *args;
    sdfg_options options = SDFG_OPTIONS_INIT;
    sdfg_limits limits = SDFG_LIMITS_INIT, *short_limits;
    limits.file_bytes = 10;
    short_limits = shortened(&limits, offsetof(sdfg_limits, text_bytes));
    options.limits = short_limits;
    sdfg_options *o = shortened(&options, offsetof(sdfg_options, cache_dir));
    CHECK(good(sdfg_engine_new(&engine, o)));
    sdfg_program *p;
    sdfg_error *e = sdfg_program_load_file(&p, engine, "../examples/axpy.sdfg");
    CHECK(e && !p); /* the limits are heard */
    sdfg_error_free(e);
    sdfg_engine_free(engine);
    free(o);
    free(short_limits);
    o = shortened(&options, offsetof(sdfg_options, fp));
    CHECK(good(sdfg_engine_new(&engine, o)));
    free(o);
    p = axpy_load(engine);
    CHECK(good(sdfg_args_new(&args, p)));
    for (int i = 0; i < N; i++)
        x[i] = i, y[i] = 1;
    give(args, "X", x, offsetof(sdfg_array, device));
    give(args, "Y", y, offsetof(sdfg_array, item_bytes));
    CHECK(good(sdfg_args_f64(args, "alpha", 2)));
    CHECK(good(sdfg_call(p, args)));
    for (int i = 0; i < N; i++)
        CHECK(y[i] == 2.0 * i + 1);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* What is asked for is filled as far as the struct goes; what the library does not know is zero. */
TEST(older_and_newer_structs_are_filled)
{
    sdfg_engine *engine = NULL;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = axpy_load(engine);
    sdfg_argument whole = SDFG_ARGUMENT_INIT, *a = shortened(&whole, offsetof(sdfg_argument, kind));
    CHECK(sdfg_program_argument(p, 0, a));
    CHECK_STR(a->name, "X");
    free(a);
    struct {
        sdfg_stats known;
        uint64_t later;
    } s = { .known = SDFG_STATS_INIT, .later = 7 };
    s.known.struct_size = sizeof s;
    sdfg_engine_stats(engine, &s.known);
    CHECK(s.later == 0 && s.known.struct_size == sizeof s);
    char *few = calloc(1, offsetof(sdfg_stats, found));
    memcpy(few, &(size_t){ offsetof(sdfg_stats, found) }, sizeof(size_t));
    sdfg_program_stats(p, (sdfg_stats *)few);
    free(few);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

static void expect(sdfg_error *e, enum sdfg_error_class class_id, const char *message)
{
    CHECK(e && sdfg_error_class_of(e) == class_id);
    CHECK_STR(sdfg_error_message(e), message);
    sdfg_error_free(e);
}

TEST(structs_that_are_not_known_are_refused)
{
    sdfg_engine *engine = NULL;
    sdfg_args *args;
    sdfg_options none = { .opt_level = 1 };
    expect(sdfg_engine_new(&engine, &none), SDFG_ERROR_INVALID,
           "struct sdfg_options has no struct_size; it begins as SDFG_..._INIT");
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = axpy_load(engine);
    CHECK(good(sdfg_args_new(&args, p)));
    expect(sdfg_args_array(args, "X", &(sdfg_array){ .data = x, .dtype = SDFG_F64, .rank = 1, .shape = { N } }),
           SDFG_ERROR_INVALID, "struct sdfg_array has no struct_size; it begins as SDFG_..._INIT");
    struct {
        sdfg_array known;
        uint64_t later;
    } a = { .known = *SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { N }) };
    a.known.struct_size = sizeof a;
    CHECK(good(sdfg_args_array(args, "X", &a.known)));
    a.later = 1;
    expect(sdfg_args_array(args, "X", &a.known), SDFG_ERROR_INVALID,
           "struct sdfg_array uses a field that this version of the library does not know");
    char *out = NULL;
    expect(sdfg_program_export(&out, NULL, p, &(sdfg_export){ .form = SDFG_EXPORT_C }), SDFG_ERROR_INVALID,
           "struct sdfg_export has no struct_size; it begins as SDFG_..._INIT");
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

TEST(memory_of_devices)
{
    sdfg_engine *engine = NULL;
    sdfg_args *args;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = axpy_load(engine);
    CHECK(good(sdfg_args_new(&args, p)));
    sdfg_array a = *SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { N });
    a.device = (sdfg_device){ SDFG_DEVICE_CPU, 0 };
    CHECK(good(sdfg_args_array(args, "X", &a)));
    a.device = (sdfg_device){ SDFG_DEVICE_CUDA, 1 };
    expect(sdfg_args_array(args, "X", &a), SDFG_ERROR_UNSUPPORTED,
           "'X' is memory of CUDA device 1, and programs run on the CPU");
    a.device = (sdfg_device){ (enum sdfg_device_kind)8, 2 };
    expect(sdfg_args_array(args, "X", &a), SDFG_ERROR_UNSUPPORTED,
           "'X' is memory of a device of another kind, number 2, and programs run on the CPU");
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

TEST(versions)
{
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", SDFG_VERSION_MAJOR, SDFG_VERSION_MINOR, SDFG_VERSION_PATCH);
    CHECK_STR(sdfg_version(), text);
    CHECK_INT(sdfg_version_number(), SDFG_VERSION);
    CHECK(SDFG_VERSION >= SDFG_VERSION_NUMBER(0, 1, 0));
    CHECK(good(SDFG_VERSION_CHECK()));
    CHECK(good(sdfg_version_check(SDFG_VERSION_MAJOR, SDFG_VERSION_MINOR, 0)));
    sdfg_error *e = sdfg_version_check(SDFG_VERSION_MAJOR + 1, 2, 3);
    snprintf(text, sizeof text, "sdfg.h %d.2.3", SDFG_VERSION_MAJOR + 1);
    CHECK(e && sdfg_error_class_of(e) == SDFG_ERROR_ENVIRONMENT && strstr(sdfg_error_message(e), text));
    sdfg_error_free(e);
    e = sdfg_version_check(SDFG_VERSION_MAJOR, SDFG_VERSION_MINOR + 1, 0);
    CHECK(e);
    sdfg_error_free(e);
}

CHECK_MAIN
