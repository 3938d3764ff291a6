/* Measured choice of passes: what it must not change, what is kept, and what is refused. How fast anything is does not
 * matter. */
#include "cache/entry.h"
#include "engine/tune/own.h"

#include "tests/unit/api.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 48 };

static char folder[64];

static void begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/sdfg-test-tune-XXXXXX");
    CHECK(mkdtemp(folder));
}

static void end(void)
{
    char path[400];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    CHECK(!rmdir(folder));
}

struct heard {
    int trials, compiled, adopted;
    bool right;
};

static void hear_trial(void *user, const sdfg_trial *t)
{
    struct heard *h = user;
    h->trials++;
    h->adopted += t->adopted;
    h->right = h->right && t->change && (t->ratio > 0 ? t->low <= t->ratio && t->ratio <= t->high : !t->adopted);
}

static void hear_event(void *user, const sdfg_event *e)
{
    struct heard *h = user;
    h->compiled += e->kind == SDFG_EVENT_COMPILED;
}

static sdfg_engine *engine_of(int level, double seconds, struct heard *h, void (*change)(sdfg_options *))
{
    sdfg_options o;
    sdfg_engine *engine;
    sdfg_options_init(&o, sizeof o);
    o.opt_level = level;
    o.tune_seconds = seconds;
    o.num_threads = 2;
    o.cache_dir = *folder ? folder : NULL;
    o.event = hear_event;
    o.event_user = h;
    if (change)
        change(&o);
    CHECK(good(sdfg_engine_new(&engine, &o)));
    return engine;
}

/* ---- what it must not change ---- */

TEST(trials_leave_the_arguments_alone)
{
    struct heard h = { .right = true };
    double x[N], y[N];
    sdfg_tuning how = SDFG_TUNING_INIT;
    sdfg_tuned found = SDFG_TUNED_INIT;
    *folder = 0;
    sdfg_engine *engine = engine_of(-1, 0, &h, NULL);
    sdfg_program *p = axpy_load(engine);
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i;
    sdfg_args *args = axpy_arguments(p, x, y, N);
    how.seconds = 60;
    how.trial = hear_trial;
    how.user = &h;
    CHECK(good(sdfg_tune(&found, p, args, &how)));
    for (int i = 0; i < N; i++)
        CHECK(x[i] == i && y[i] == i);
    CHECK(h.right && found.complete && found.text && found.ratio > 0);
    CHECK(found.passes ? found.high < 1 && h.adopted > 0 : found.ratio == 1);
    CHECK(good(sdfg_call(p, args)));
    for (int i = 0; i < N; i++)
        CHECK(y[i] == 3 * i);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

TEST(arguments_that_overlap_do_so_in_trials)
{
    struct heard h = { 0 };
    double x[N];
    *folder = 0;
    sdfg_engine *engine = engine_of(SDFG_OPT_MAX, 60, &h, NULL);
    sdfg_program *p = axpy_load(engine);
    for (int i = 0; i < N; i++)
        x[i] = i;
    sdfg_args *args = axpy_arguments(p, x, x, N);
    CHECK(good(sdfg_call(p, args)));
    for (int i = 0; i < N; i++)
        CHECK(x[i] == 3 * i);
    CHECK(h.compiled >= 2); /* trials of code for arguments that overlap, and what was chosen */
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* ---- what is kept ---- */

static int compiled_for_a_call(int level)
{
    struct heard h = { 0 };
    sdfg_engine *engine = engine_of(level, 60, &h, NULL);
    sdfg_program *p = axpy_load(engine);
    CHECK(axpy_call(p, N));
    CHECK(axpy_call(p, N));
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    return h.compiled;
}

TEST(the_next_process_takes_what_was_found)
{
    begin();
    CHECK(compiled_for_a_call(SDFG_OPT_MAX) >= 2); /* the trial of the default, and what was chosen */
    CHECK_INT(compiled_for_a_call(SDFG_OPT_MAX), 0);
    end();
}

/* Writes another choice into the entry that holds one. False: there is none. */
static bool replace_choice(const char *payload)
{
    char path[400];
    bool found = false;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct arena *a = arena_new();
        unsigned char *bytes = arena_alloc(a, 1 << 20);
        struct entry entry;
        const char *why;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = fopen(path, "rb+");
        size_t size = f ? fread(bytes, 1, 1 << 20, f) : 0;
        if (size && entry_parse(bytes, size, &entry, &why) && !memcmp(entry.key, "choice ", 7)) {
            entry.payload = (const unsigned char *)payload;
            entry.payload_bytes = strlen(payload);
            bytes = entry_build(a, &entry, &size);
            rewind(f);
            found = fwrite(bytes, 1, size, f) == size && !ftruncate(fileno(f), (off_t)size);
        }
        if (f)
            fclose(f);
        arena_free(a);
    }
    if (d)
        closedir(d);
    return found;
}

/* What a new engine says of the choice that lies in the folder. */
static void check_choice(const char *payload, const char *said)
{
    struct heard h = { 0 };
    _Alignas(64) double x[N] = { 0 }, y[N] = { 0 }; /* as those of axpy_call */
    char *text;
    CHECK(replace_choice(payload));
    sdfg_engine *engine = engine_of(SDFG_OPT_MAX, 60, &h, NULL);
    sdfg_program *p = axpy_load(engine);
    sdfg_args *args = axpy_arguments(p, x, y, N);
    CHECK(good(sdfg_args_explain_cache(&text, args)));
    CHECK(strstr(text, said));
    if (!strstr(text, said))
        printf("%s: %s", payload, text);
    sdfg_text_free(text);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

TEST(choices_of_others_are_taken_if_they_can_be_read)
{
    begin();
    compiled_for_a_call(SDFG_OPT_MAX);
    check_choice("-licm\n0.5 0.4 0.6 1\n", "-licm: 0.500 of the time of the default, 0.400 .. 0.600\n");
    check_choice("-licm\n0.5 0.4 0.6 0\n", "0.400 .. 0.600; time was up before all was tried\n");
    check_choice("\n1 1 1 0\n", "the default is best; time was up before all was tried\n");
    check_choice("\n1 1 1 1\n", "the default is best\n");
    check_choice("-licm\n0.5 0.4 0.6\n", "nothing was measured"); /* which removes the entry */
    CHECK(!replace_choice(""));
    CHECK(compiled_for_a_call(SDFG_OPT_MAX) >= 2);
    check_choice("-licm 0.5 0.4 0.6 1", "nothing was measured");
    end();
}

TEST(what_is_explained_is_what_was_measured)
{
    struct heard h = { 0 };
    double x[N] = { 0 }, y[N] = { 0 };
    char *text;
    *folder = 0;
    sdfg_engine *engine = engine_of(SDFG_OPT_MAX, 60, &h, NULL);
    sdfg_program *p = axpy_load(engine);
    sdfg_args *args = axpy_arguments(p, x, y, N);
    CHECK(good(sdfg_args_explain_cache(&text, args)));
    CHECK(strstr(text, "choice for 2 threads: nothing was measured"));
    sdfg_text_free(text);
    CHECK(good(sdfg_call(p, args)));
    CHECK(good(sdfg_args_explain_cache(&text, args)));
    CHECK(strstr(text, "of the default") || strstr(text, "the default is best"));
    sdfg_text_free(text);
    CHECK(good(sdfg_args_emit(&text, NULL, args, SDFG_EMIT_REMARKS)));
    CHECK(strstr(text, "was measured: "));
    sdfg_text_free(text);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* ---- what is refused ---- */

static void checked(sdfg_options *o) { o->check = SDFG_CHECK_BOUNDS; }

/* Is the reason `why`, and does a call under SDFG_OPT_MAX run all the same? */
static void refused(sdfg_program *(*load)(sdfg_engine *engine), void (*change)(sdfg_options *), const char *why)
{
    struct heard h = { 0 };
    double x[N] = { 0 }, y[N] = { 0 };
    *folder = 0;
    sdfg_engine *engine = engine_of(SDFG_OPT_MAX, 0, &h, change);
    sdfg_program *p = load(engine);
    sdfg_args *args = axpy_arguments(p, x, y, N);
    sdfg_error *e = sdfg_tune(NULL, p, args, NULL);
    CHECK(e && strstr(sdfg_error_text(e), why));
    if (e)
        CHECK_STR(sdfg_error_code(e), "TUNE_REFUSED");
    sdfg_error_free(e);
    CHECK(good(sdfg_call(p, args)));
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* axpy with something beside it. */
static sdfg_program *load_with(sdfg_engine *engine, const char *lifetime, const char *code)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "beside");
    build_array(s, "X", "float64", "N");
    build_array(s, "Y", "float64", "N");
    build_scalar(s, "alpha", "float64");
    struct state *st = build_state(&s->region, "main");
    struct container *c = build_array(s, "kept", "float64", "N");
    c->transient = true;
    c->lifetime = enum_by_name(ir, ENUM_LIFETIME, lifetime);
    struct map_entry *m = build_map(st, "m", "i = 0:N");
    struct access *kept = build_access(st, "kept");
    struct tasklet *first = build_tasklet(st, "first", "x, a", "t", code);
    build_path("X[i]", NULL, NULL, "x", &build_access(st, "X")->node, &m->node, &first->node, NULL);
    build_path("alpha", NULL, NULL, "a", &build_access(st, "alpha")->node, &m->node, &first->node, NULL);
    build_path("kept[i]", NULL, "t", NULL, &first->node, m->exit, &kept->node, NULL);
    struct map_entry *n = build_map(st, "n", "i = 0:N");
    struct tasklet *second = build_tasklet(st, "second", "t", "y", "y = t");
    build_path("kept[i]", NULL, NULL, "t", &kept->node, &n->node, &second->node, NULL);
    build_path("Y[i]", NULL, "y", NULL, &second->node, n->exit, &build_access(st, "Y")->node, NULL);
    sdfg_program *p = program_of(engine, s);
    ir_free(ir);
    return p;
}

static sdfg_program *load_persistent(sdfg_engine *e) { return load_with(e, "Persistent", "t = a * x"); }
static sdfg_program *load_printing(sdfg_engine *e) { return load_with(e, "Scope", "printf(\"\"); t = a * x"); }

TEST(what_trials_would_change_is_not_tuned)
{
    refused(axpy_load, checked, "its calls are checked");
    refused(load_persistent, NULL, "it keeps memory between calls");
    refused(load_printing, NULL, "it calls 'printf'");
}

/* What keeps arguments from being copied: looked at before anything is compiled. */
static void not_copied(sdfg_program *p, sdfg_args *a, const char *why)
{
    struct arena *arena = arena_new();
    CHECK(good(sdfg_args_solve(a)));
    if (why)
        CHECK_STR(own_refuses(a, arena), why);
    else
        CHECK(!own_refuses(a, arena));
    arena_free(arena);
    sdfg_args_free(a);
    sdfg_program_free(p);
}

static const char several[] =
    "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"nothing\", \"_arrays\": {"
    "\"A\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"4\"], \"optional\": true, "
    "\"total_size\": \"4\"}},"
    "\"P\": {\"type\": \"Array\", \"attributes\": {\"dtype\": {\"type\": \"pointer\", \"dtype\": \"float64\"}, "
    "\"shape\": [\"4\"], \"optional\": true, \"total_size\": \"4\"}},"
    "\"Q\": {\"type\": \"Stream\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"1\"]}},"
    "\"B\": {\"type\": \"Structure\", \"attributes\": {\"dtype\": {\"type\": \"pointer\", \"dtype\": {\"type\": "
    "\"struct\", \"name\": \"pair\", \"data\": [[\"x\", \"float64\"]], \"length\": {}, \"bytes\": 8}}, "
    "\"shape\": [\"1\"], \"members\": [[\"x\", {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"float64\", "
    "\"shape\": [\"1\"]}}]]}}}, \"symbols\": {}}, \"start_block\": 0, \"edges\": [], \"nodes\": [{\"type\": "
    "\"SDFGState\", \"label\": \"empty\", \"id\": 0, \"attributes\": {}, \"scope_dict\": {}, \"nodes\": [], "
    "\"edges\": []}]}";

static void begin_several(sdfg_engine *engine, sdfg_program **p, sdfg_args **a)
{
    CHECK(good(sdfg_program_load(p, engine, several, strlen(several), NULL)));
    CHECK(good(sdfg_args_new(a, *p)));
}

static void timed(void *user, const sdfg_timing *timings, size_t count) { (void)user, (void)timings, (void)count; }

static void set_check(sdfg_options *o) { o->check = SDFG_CHECK_BOUNDS; }
static void set_timing(sdfg_options *o) { o->timing = timed; }
static void set_instrument(sdfg_options *o) { o->instrument = SDFG_INSTRUMENT_ALL; }
static void set_save(sdfg_options *o) { o->save_data = "/tmp"; }
static void set_restore(sdfg_options *o) { o->restore_data = "/tmp"; }

TEST(calls_that_are_watched_are_not_tried)
{
    void (*const rows[])(sdfg_options * o) = { set_check, set_timing, set_instrument, set_save, set_restore };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sdfg_options o;
        sdfg_engine *engine;
        sdfg_program *p;
        sdfg_args *a;
        sdfg_options_init(&o, sizeof o);
        rows[i](&o);
        CHECK(good(sdfg_engine_new(&engine, &o)));
        begin_several(engine, &p, &a);
        not_copied(p, a, "its calls are checked or measured");
        sdfg_engine_free(engine);
    }
}

TEST(arguments_that_cannot_be_copied)
{
    double memory[8];
    sdfg_engine *engine, *device;
    sdfg_options o;
    sdfg_program *p;
    sdfg_args *a;
    sdfg_stream *stream;
    sdfg_options_init(&o, sizeof o);
    o.device = "cuda";
    CHECK(good(sdfg_engine_new(&engine, NULL)) && good(sdfg_engine_new(&device, &o)));
    begin_several(engine, &p, &a);
    CHECK(good(sdfg_args_pointer(a, "A", memory)) && good(sdfg_args_null(a, "P")));
    not_copied(p, a, NULL);
    begin_several(engine, &p, &a);
    CHECK(good(sdfg_stream_new(&stream, sizeof(double), 1)) && good(sdfg_args_stream(a, "Q", stream)));
    not_copied(p, a, "'Q' is a stream");
    begin_several(engine, &p, &a);
    CHECK(good(sdfg_args_pointer(a, "B", memory)));
    not_copied(p, a, "'B' is a pointer to something whose size is not known");
    begin_several(engine, &p, &a);
    CHECK(good(sdfg_args_pointer(a, "P", memory)));
    not_copied(p, a, "'P' holds structures or pointers");
    begin_several(device, &p, &a);
    not_copied(p, a, "it may run on a GPU");
    sdfg_stream_free(stream);
    sdfg_engine_free(engine);
    sdfg_engine_free(device);
}

TEST(what_is_asked_wrongly)
{
    struct {
        sdfg_tuning known;
        int later;
    } how = { .known = SDFG_TUNING_INIT, .later = 1 };
    double x[N] = { 0 }, y[N] = { 0 };
    sdfg_engine *engine;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = axpy_load(engine), *other = axpy_load(engine);
    sdfg_args *args = axpy_arguments(p, x, y, N);
    how.known.struct_size = sizeof how;
    sdfg_error *e = sdfg_tune(NULL, p, args, &how.known);
    CHECK(e && strstr(sdfg_error_text(e), "struct sdfg_tuning uses a field that this version"));
    sdfg_error_free(e);
    e = sdfg_tune(NULL, other, args, NULL);
    CHECK_STR(sdfg_error_code(e), "ARGUMENT_PROGRAM");
    sdfg_error_free(e);
    CHECK(good(sdfg_args_null(args, "X")));
    e = sdfg_tune(NULL, p, args, NULL);
    CHECK_STR(sdfg_error_code(e), "ARGUMENT_NULL");
    sdfg_error_free(e);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_program_free(other);
    sdfg_engine_free(engine);
}

TEST(wrong_options_are_named)
{
    sdfg_options o;
    sdfg_engine *engine;
    sdfg_options_init(&o, sizeof o);
    o.tune_seconds = -1;
    sdfg_error *e = sdfg_engine_new(&engine, &o);
    CHECK(e && strstr(sdfg_error_text(e), "tune_seconds"));
    sdfg_error_free(e);
    o.tune_seconds = 0;
    o.opt_level = SDFG_OPT_MAX + 1;
    e = sdfg_engine_new(&engine, &o);
    CHECK(e && strstr(sdfg_error_text(e), "opt_level"));
    sdfg_error_free(e);
}

CHECK_MAIN
