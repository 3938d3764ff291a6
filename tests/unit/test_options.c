/* Options of engines that are refused, by their message, and dumps into a folder. */
#include "tests/unit/api.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#define ROW(id, ...)                                                                                                   \
    static void id(sdfg_options *o) { __VA_ARGS__; }

static const sdfg_limits no_size = { 0 };

ROW(opt_level, o->opt_level = -2)
ROW(tune_seconds, o->tune_seconds = 0.0 / 0.0)
ROW(few_threads, o->num_threads = -1)
ROW(many_threads, o->num_threads = 65537)
ROW(tier, o->tier = (enum sdfg_tier)9)
ROW(fp, o->fp = (enum sdfg_fp)9)
ROW(instrument, o->instrument = 16)
ROW(check, o->check = ~0U)
ROW(linker, o->linker = (enum sdfg_linker)9)
ROW(release, o->release = (void (*)(void *, void *, size_t))(uintptr_t)1)
ROW(external_files, o->external_files = (enum sdfg_external_files)9)
ROW(limits, o->limits = &no_size)
ROW(specialize, o->specialize = "N,,M")
ROW(specialize_end, o->specialize = "N,")
ROW(debug, o->debug = "ir,,qqqqqqqq")
ROW(device, o->device = "cuda:1x")
ROW(plugins, o->plugins = ":/no/such/plugin.so:")

TEST(wrong_options)
{
    static const struct {
        void (*set)(sdfg_options *o);
        const char *said;
    } rows[] = {
        { opt_level, "option 'opt_level' is -1 to 3, or SDFG_OPT_MAX" },
        { tune_seconds, "option 'tune_seconds' is not negative" },
        { few_threads, "option 'num_threads' is 0 to 65536" },
        { many_threads, "option 'num_threads' is 0 to 65536" },
        { tier, "option 'tier' is one of enum sdfg_tier" },
        { fp, "option 'fp' is one of enum sdfg_fp" },
        { instrument, "option 'instrument' has bits of enum sdfg_instrument" },
        { check, "option 'check' is made of bits of enum sdfg_check" },
        { linker, "option 'linker' is one of enum sdfg_linker" },
        { release, "option 'allocate' needs option 'release', and the other way round" },
        { external_files, "option 'external_files' is one of enum sdfg_external_files" },
        { limits, "struct sdfg_limits has no struct_size; it begins as SDFG_..._INIT" },
        { specialize, "option 'specialize' is auto, none, all or a list of symbols" },
        { specialize_end, "option 'specialize' is auto, none, all or a list of symbols" },
        { debug, "option 'debug' (SDFG_DEBUG) is made of ir, tree, places, facts, changes and vscale1, 2, 4 or 16: "
                 "there is no word 'qqqqqqqq'" },
        { device, "option 'device' is auto, cpu, cuda or cuda:NUMBER" },
        { plugins, "plug-in '/no/such/plugin.so' cannot be opened: /no/such/plugin.so: cannot open shared object file: "
                   "No such file or directory" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sdfg_options o;
        sdfg_engine *e;
        sdfg_options_init(&o, sizeof o);
        rows[i].set(&o);
        sdfg_error *error = sdfg_engine_new(&e, &o);
        CHECK_STR(error ? sdfg_error_message(error) : "", rows[i].said);
        CHECK(!e);
        sdfg_error_free(error);
    }
}

static sdfg_engine *engine_with(const char *debug, const char *folder, const char *device)
{
    sdfg_options o;
    sdfg_engine *e;
    sdfg_options_init(&o, sizeof o);
    o.debug = debug;
    o.dump_dir = folder;
    o.device = device;
    CHECK(good(sdfg_engine_new(&e, &o)));
    return e;
}

/* Compiles and calls. */
static void call_with(const char *folder)
{
    sdfg_engine *e = engine_with("ir,tree,facts", folder, "cpu");
    sdfg_program *p = axpy_load(e);
    CHECK(axpy_call(p, 8));
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

TEST(dumps_are_files_that_may_not_be_there)
{
    char folder[] = "/tmp/sdfg-options-XXXXXX", path[400];
    int files = 0, right = 0;
    CHECK(mkdtemp(folder));
    call_with(folder);
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (*e->d_name == '.')
            continue;
        files++;
        right += !e->d_name[strcspn(e->d_name, "/\\ \"'*?<>|:")];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        CHECK(!unlink(path));
    }
    if (d)
        closedir(d);
    CHECK(files > 2 && right == files && !rmdir(folder));
    call_with("/no/such/folder"); /* the program runs all the same */
    call_with(NULL);
}

TEST(devices_beyond_any_number)
{
    sdfg_engine *e = engine_with(NULL, NULL, "cuda:99999999999999999999");
    sdfg_engine_free(e);
    e = engine_with(",,", NULL, ""); /* no words */
    sdfg_engine_free(e);
}

CHECK_MAIN
