/* What stored code depends on: build ids in files that are as they should be and others, the NVRTC that is named, and
 * the number of threads that OpenMP will have. */
#include "base/arena.h"
#include "engine/host.h"
#include "tests/unit/check.h"

#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- build ids ---- */

enum { MOST_NOTES = 3 };

/* A file with the program headers of a segment that is loaded and of its notes. */
struct file {
    ElfW(Ehdr) head;
    ElfW(Phdr) segments[2];
    struct {
        ElfW(Nhdr) head;
        char name[4];
        unsigned char id[4];
    } notes[MOST_NOTES];
};

static struct file good_file(void)
{
    struct file f = {
        .head = { .e_phoff = offsetof(struct file, segments), .e_phnum = 2 },
        .segments = { { .p_type = PT_LOAD },
                      { .p_type = PT_NOTE, .p_offset = offsetof(struct file, notes), .p_filesz = sizeof f.notes } },
    };
    for (int i = 0; i < MOST_NOTES; i++) {
        f.notes[i].head = (ElfW(Nhdr)){ .n_namesz = 4, .n_descsz = 4, .n_type = NT_GNU_BUILD_ID };
        memcpy(f.notes[i].name, "GNU", 4);
        memcpy(f.notes[i].id, "\xde\xad\xbe\x0f", 4);
    }
    return f;
}

/* The line of a code generator whose file has these bytes, or why there is none. */
static const char *line_of(const void *bytes, size_t size)
{
    static char line[200];
    char path[] = "/tmp/test_host-XXXXXX";
    const char *why = NULL, *at;
    struct arena *a = arena_new();
    struct text out = text_new(a);
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size && !close(file));
    bool good = host_builds(&out, path, &why);
    at = strstr(text_get(&out), "code generator");
    CHECK(at != NULL && !strncmp(text_get(&out), "engine ", 7));
    snprintf(line, sizeof line, "%.*s", good ? (int)strcspn(at, "\n") : 200, good ? at : why);
    CHECK(!good || strstr(at, "\nlibc "));
    unlink(path);
    arena_free(a);
    return line;
}

#define ABSENT "the code generator is not there, or was built without a build id"
#define FOUND  "code generator deadbe0f"

TEST(build_ids_are_found_among_other_notes)
{
    struct file f = good_file();
    CHECK_STR(line_of(&f, sizeof f), FOUND);
    f.notes[0].head.n_type = NT_GNU_ABI_TAG;
    memcpy(f.notes[1].name, "XYZ", 4);
    CHECK_STR(line_of(&f, sizeof f), FOUND);
    f.notes[2].head.n_descsz = 0; /* an empty one */
    CHECK_STR(line_of(&f, sizeof f), ABSENT);
    f = good_file();
    f.notes[0].head.n_namesz = 3; /* is as long, with what fills it up */
    CHECK_STR(line_of(&f, sizeof f), FOUND);
    f.segments[1].p_filesz = sizeof f.notes[0];
    CHECK_STR(line_of(&f, sizeof f), ABSENT);
}

TEST(files_that_are_cut_off_or_wrong_have_none)
{
    struct file f = good_file();
    CHECK_STR(line_of("", 0), ABSENT);
    CHECK_STR(line_of(&f, sizeof f.head - 1), ABSENT);
    CHECK_STR(line_of(&f, sizeof f.head + sizeof *f.segments), ABSENT);
    CHECK_STR(line_of(&f, offsetof(struct file, notes) + 4), ABSENT);
    f.segments[1].p_offset = sizeof f + 1;
    CHECK_STR(line_of(&f, sizeof f), ABSENT);
    f.segments[1].p_type = PT_LOAD;
    CHECK_STR(line_of(&f, sizeof f), ABSENT);
    f = good_file();
    f.head.e_phoff = 1 << 20;
    CHECK_STR(line_of(&f, sizeof f), ABSENT);
    f = good_file();
    f.notes[0].head.n_descsz = UINT32_MAX; /* ends behind the others */
    CHECK_STR(line_of(&f, sizeof f), ABSENT);
    f = good_file();
    f.segments[1].p_filesz = sizeof(ElfW(Nhdr)) - 1;
    CHECK_STR(line_of(&f, sizeof f), ABSENT);
    const char *why = NULL;
    struct arena *a = arena_new();
    struct text out = text_new(a);
    CHECK(!host_builds(&out, NULL, &why));
    CHECK_STR(why, ABSENT);
    CHECK(!host_builds(&out, "/no/such/file", &why));
    CHECK_STR(why, ABSENT);
    arena_free(a);
}

/* ---- what the environment says ---- */

static const char *nvrtc(const char *value)
{
    static char line[200];
    struct arena *a = arena_new();
    struct text out = text_new(a);
    if (value)
        setenv("SDFG_NVRTC", value, 1);
    else
        unsetenv("SDFG_NVRTC");
    host_nvrtc(&out);
    snprintf(line, sizeof line, "%s", text_get(&out));
    arena_free(a);
    return line;
}

TEST(the_nvrtc_that_is_named_counts)
{
    struct stat s;
    char expected[200];
    CHECK_STR(nvrtc(NULL), "");
    CHECK_STR(nvrtc(""), "");
    CHECK_STR(nvrtc("/no/such/file"), "");
    CHECK(!stat("/proc/self/exe", &s));
    snprintf(expected, sizeof expected, "nvrtc /proc/self/exe %lld %lld.%09ld\n", (long long)s.st_size,
             (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    CHECK_STR(nvrtc("/proc/self/exe"), expected);
}

static int threads(const char *value)
{
    if (value)
        setenv("OMP_NUM_THREADS", value, 1);
    else
        unsetenv("OMP_NUM_THREADS");
    return host_threads();
}

TEST(threads_are_those_of_openmp)
{
    cpu_set_t set;
    CHECK(!sched_getaffinity(0, sizeof set, &set));
    int all = CPU_COUNT(&set);
    CHECK_INT(threads("3"), 3);
    CHECK_INT(threads("4,2"), 4); /* of regions in regions */
    CHECK_INT(threads(NULL), all);
    CHECK_INT(threads(""), all);
    CHECK_INT(threads("0"), all);
    CHECK_INT(threads("-2"), all);
    CHECK_INT(threads("many"), all);
}

CHECK_MAIN
