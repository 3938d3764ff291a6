#include "engine/cli/case.h"

#include "engine/cli/case_args.h"
#include "engine/cli/file.h"
#include "engine/cli/report.h"
#include "engine/cli/scratch.h"
#include "engine/cli/workspace.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One line of what went wrong. */
static void one_line(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\t')
            *text = ' ';
}

static void failed(struct case_result *r, int exit_code)
{
    r->verdict = CASE_FAILED;
    r->exit_code = exit_code;
    one_line(r->text);
}

static void failed_with(struct case_result *r, sdfg_error *e, const char *doing)
{
    const char *path = sdfg_error_path(e);
    int n = snprintf(r->text, sizeof r->text, "error[%s]%s: %s", sdfg_error_class_name(sdfg_error_class_of(e)), doing,
                     sdfg_error_message(e));
    if (*path && n > 0 && n < (int)sizeof r->text)
        snprintf(r->text + n, sizeof r->text - (size_t)n, " at %s", path);
    failed(r, report_exit_code(e));
    sdfg_error_free(e);
}

static const struct json *read_case(struct arena *a, const char *folder, struct case_result *r)
{
    size_t size;
    char why[200];
    char *bytes = file_bytes(arena_printf(a, "%s/case.json", folder), FILE_TEXT_BYTES, &size, why, sizeof why);
    const struct json *root = NULL;
    if (bytes) {
        struct diags *d = diags_new(a);
        root = json_parse(a, d, arena_strndup(a, bytes, size), size);
        if (!root)
            snprintf(why, sizeof why, "%s", diags_get(d, 0)->message);
    }
    free(bytes);
    if (root)
        return root;
    snprintf(r->text, sizeof r->text, "case: %s/case.json: %s", folder, why);
    failed(r, EXIT_FILE);
    return NULL;
}

static bool has_inferred(const struct json *root)
{
    const struct json *args = json_get(root, "args");
    for (const struct json *e = json_is(args, JSON_ARRAY) ? args->first : NULL; e; e = e->next)
        if (json_bool(json_get(e, "inferred"), false))
            return true;
    return false;
}

/* One call with the recorded inputs. */
static void call_once(struct arena *arena, sdfg_program *p, const struct json *root, const char *folder, bool infer,
                      bool compare, struct case_result *r)
{
    struct case_args a = {
        .arena = arena, .folder = folder, .program = p, .text = r->text, .text_size = sizeof r->text
    };
    const char *doing = infer ? " (symbols left out)" : "";
    sdfg_error *e = sdfg_args_new(&a.args, p);
    bool given = !e && case_give(&a, json_get(root, "args"), infer, &e);
    struct workspaces workspaces = { 0 };
    if (given)
        e = workspaces_give(&workspaces, p, a.args);
    if (given && !e)
        e = sdfg_call(p, a.args);
    int code = given && !e && compare ? case_compare(&a, root) : EXIT_GOOD;
    if (e)
        failed_with(r, e, doing);
    else if (!given || code)
        failed(r, given ? code : EXIT_FILE);
    workspaces_release(&workspaces);
    case_args_release(&a);
}

/* A later call of a program with persistent memory: the earlier ones lie in the folders of the same name without __k,
 * with __1 ... */
static void earlier_calls(struct arena *arena, sdfg_program *p, const char *folder, int64_t count,
                          struct case_result *r)
{
    const char *suffix = strrchr(folder, '_');
    size_t length = suffix && suffix > folder && suffix[-1] == '_' ? (size_t)(suffix - folder) - 1 : strlen(folder);
    for (int64_t i = 0; i < count && r->verdict == CASE_PASSED; i++) {
        char number[32] = "";
        if (i)
            snprintf(number, sizeof number, "__%lld", (long long)i);
        const char *earlier = arena_printf(arena, "%.*s%s", (int)length, folder, number);
        const struct json *root = read_case(arena, earlier, r);
        if (root)
            call_once(arena, p, root, earlier, false, false, r);
    }
}

static void run_loaded(struct arena *arena, sdfg_program *p, const struct json *root, const char *folder,
                       struct case_result *r)
{
    int64_t earlier = 0;
    bool stateful = json_bool(json_get(root, "stateful"), false);
    if (stateful && json_int(json_get(root, "call_index"), &earlier))
        earlier_calls(arena, p, folder, earlier, r);
    if (r->verdict == CASE_PASSED)
        call_once(arena, p, root, folder, false, true, r);
    if (r->verdict == CASE_PASSED && !stateful && has_inferred(root))
        call_once(arena, p, root, folder, true, true, r);
}

bool case_moves(const struct command *c)
{
    const sdfg_options *o = &c->options;
    const char *const folders[] = { o->save_data, o->restore_data, o->dump_dir, o->cache_dir };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (folders[i] && *folders[i] && *folders[i] != '/' && strcmp(folders[i], "default") != 0)
            return false;
    return true;
}

void case_run(const struct command *c, const char *folder, const char *sdfg, const char *place, struct case_result *out)
{
    struct arena *arena = arena_new();
    char *whole = realpath(folder, NULL); /* for what is read after the folder has changed */
    sdfg_engine *engine = NULL;
    sdfg_program *p = NULL;
    *out = (struct case_result){ .verdict = CASE_PASSED };
    const struct json *root = read_case(arena, folder, out);
    sdfg_error *e = root ? sdfg_engine_new(&engine, &c->options) : NULL;
    if (root && !e)
        e = sdfg_program_load_file(&p, engine, sdfg);
    if (e)
        failed_with(out, e, "");
    else if (p && (!whole || (*place && chdir(place))))
        failed(out, EXIT_FILE);
    else if (p)
        run_loaded(arena, p, root, whole, out);
    free(whole);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    arena_free(arena);
}

int case_command(const struct command *c)
{
    struct case_result r;
    struct arena *arena = arena_new();
    const char *name = c->sdfg_name ? c->sdfg_name : "prog.sdfg";
    bool python = strstr(name, ".py:") || (strlen(name) > 3 && strcmp(name + strlen(name) - 3, ".py") == 0);
    struct scratch place = { "" };
    if (case_moves(c))
        scratch_make(&place, "sdfg-case");
    case_run(c, c->case_folder, python ? name : arena_printf(arena, "%s/%s", c->case_folder, name), place.path, &r);
    scratch_remove(&place);
    if (r.verdict != CASE_PASSED)
        printf("%s: %s\n", c->case_folder, r.text);
    else
        printf("%s: passed\n", c->case_folder);
    arena_free(arena);
    return r.verdict == CASE_PASSED ? EXIT_GOOD : r.exit_code;
}
