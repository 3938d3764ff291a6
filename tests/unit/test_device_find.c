/* Where libraries of CUDA are looked for, in which order. */
#include "runtime/device_find.h"

#include "tests/unit/check.h"

#include <stdlib.h>
#include <sys/stat.h>

static char root[] = "/tmp/sdfg-find-XXXXXX";

/* All that is seen, until one that holds `wanted`. */
struct seen {
    const char *wanted;
    int count;
    char last[400];
};

static bool see(void *user, const char *file)
{
    struct seen *s = user;
    s->count++;
    snprintf(s->last, sizeof s->last, "%s", file);
    return s->wanted && strstr(file, s->wanted);
}

static void make(const char *path)
{
    char command[1000];
    snprintf(command, sizeof command, "mkdir -p '%s/%s' && : >'%s/%s/libfound.so.13' && : >'%s/%s/libfound.so.12'",
             root, path, root, path, root, path);
    CHECK(!system(command));
}

static void set(const char *variable, const char *below)
{
    char value[400];
    snprintf(value, sizeof value, "%s/%s", root, below);
    setenv(variable, value, 1);
}

TEST(folders_of_variables)
{
    static const char *const names[] = { "libfound.so.13", "libfound.so.12", NULL };
    static const struct {
        const char *variable, *value, *made;
    } rows[] = {
        { "CUDA_HOME", "home", "home/lib64" },
        { "CUDA_HOME", "home32", "home32/lib" },
        { "CUDA_PATH", "path", "path/lib64" },
        { "CUDA_PATH", "path32", "path32/lib" },
        { "LD_LIBRARY_PATH", "listed", "listed" },
        { "VIRTUAL_ENV", "venv", "venv/lib/python3.11/site-packages/nvidia/cu13/lib" },
        { "VIRTUAL_ENV", "venv12", "venv12/lib/python3.11/site-packages/nvidia/found/lib" },
        { "CONDA_PREFIX", "conda", "conda/lib/python3.11/site-packages/nvidia/found/lib" },
        { "CONDA_PREFIX", "conda64", "conda64/lib" },
        { "HOME", "user", "user/.local/lib/python3.11/site-packages/nvidia/cu13/lib" },
    };
    const struct sdfg_rt_files f = { "SDFG_TEST_FOUND", names, "found" };
    char expected[400];
    CHECK(mkdtemp(root));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        unsetenv(rows[i].variable);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen s = { .wanted = root };
        make(rows[i].made);
        set(rows[i].variable, rows[i].value);
        CHECK(sdfg_rt_find_files(&f, see, &s));
        snprintf(expected, sizeof expected, "%s/%s/libfound.so.13", root, rows[i].made);
        CHECK_STR(s.last, expected);
        s = (struct seen){ .wanted = "so.12" }; /* an older major behind it, in the folder or as a name */
        CHECK(sdfg_rt_find_files(&f, see, &s));
        unsetenv(rows[i].variable);
    }
}

TEST(one_file_or_all_places)
{
    static const char *const names[] = { "libfound.so.13", NULL };
    const struct sdfg_rt_files f = { "SDFG_TEST_FOUND", names, "found" };
    char list[1000];
    struct seen s = { 0 };
    CHECK(!sdfg_rt_find_files(&f, see, &s));
    CHECK_INT(s.count, 1); /* the name, which the dynamic linker may know */
    CHECK_STR(s.last, "libfound.so.13");
    setenv("SDFG_TEST_FOUND", "/no/such/file", 1);
    s = (struct seen){ 0 };
    CHECK(!sdfg_rt_find_files(&f, see, &s));
    CHECK_STR(s.last, "/no/such/file");
    setenv("SDFG_TEST_FOUND", "", 1);
    snprintf(list, sizeof list, ":%s/none::%s/listed:%s/path/lib64", root, root, root);
    setenv("LD_LIBRARY_PATH", list, 1);
    setenv("CUDA_HOME", "", 1);
    set("CUDA_PATH", "path");
    s = (struct seen){ 0 };
    CHECK(!sdfg_rt_find_files(&f, see, &s));
    CHECK_INT(s.count, 4); /* of CUDA_PATH, two of the list, the name */
    unsetenv("LD_LIBRARY_PATH");
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", root);
    CHECK(!system(command));
}

CHECK_MAIN
