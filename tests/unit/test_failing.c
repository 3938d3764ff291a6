#include "engine/cli/report.h"

#include "engine/error.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sdfg-failing-XXXXXX";
static const char text[] = "{\"type\": \"SDFG\"}\n";

static void path_to(char *out, size_t size, const char *name) { snprintf(out, size, "%s/%s", folder, name); }

static bool kept(const char *name)
{
    char path[128], content[64] = "";
    path_to(path, sizeof path, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    bool same = fread(content, 1, sizeof content, f) == sizeof text - 1 && !memcmp(content, text, sizeof text - 1);
    fclose(f);
    remove(path);
    return same;
}

static int fail(const char *program, const char *cache, enum sdfg_error_stage stage, enum diag_code code)
{
    struct command c = { .tool = TOOL_RUN, .program = program };
    sdfg_options_init(&c.options, sizeof c.options);
    c.options.cache_dir = cache;
    return report_error(&c, error_of(stage, code, "a pass"));
}

/* An error of ours that comes before the program runs keeps it, and only in a cache that is used. Those of plug-ins and
 * the validator: cli/failing.txt. */
TEST(programs_that_fail_are_kept)
{
    char program[128], outside[128], link[128];
    CHECK(mkdtemp(folder));
    path_to(program, sizeof program, "p.sdfg");
    FILE *f = fopen(program, "w");
    CHECK(f && fputs(text, f) >= 0 && !fclose(f));
    CHECK_INT(fail(program, folder, SDFG_STAGE_COMPILE, DIAG_BUG), EXIT_COMPILE);
    CHECK(kept("failing.sdfg"));
    fail(program, "", SDFG_STAGE_COMPILE, DIAG_BUG);
    fail(program, folder, SDFG_STAGE_RUN, DIAG_BUG);
    fail(program, folder, SDFG_STAGE_LOAD, DIAG_READ_NAME);
    fail(folder, folder, SDFG_STAGE_COMPILE, DIAG_BUG);
    fail(NULL, folder, SDFG_STAGE_COMPILE, DIAG_BUG);
    CHECK(!kept("failing.sdfg"));
    path_to(outside, sizeof outside, "outside");
    path_to(link, sizeof link, "failing.sdfg");
    CHECK(!symlink(outside, link)); /* replaced, not followed */
    fail(program, folder, SDFG_STAGE_LOAD, DIAG_BUG);
    CHECK(access(outside, F_OK) != 0);
    CHECK(kept("failing.sdfg"));
    CHECK(!chmod(folder, 0777)); /* others may write it */
    fail(program, folder, SDFG_STAGE_COMPILE, DIAG_BUG);
    CHECK(!kept("failing.sdfg"));
    CHECK(!chmod(folder, 0700) && !remove(program));
    path_to(program, sizeof program, "CACHEDIR.TAG");
    remove(program);
    CHECK(!rmdir(folder));
}

CHECK_MAIN
