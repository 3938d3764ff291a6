/* What the runtime refuses in this process: files of saved data, accesses that race, programs compiled ahead of time.
 */
#include "runtime/check.h"
#include "runtime/data.h"
#include "runtime/program.h"

#include "tests/fail/interpose.h"
#include "tests/unit/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void refused(struct sdfg_rt_context *context, int error)
{
    CHECK_INT(context->error, error);
    context->error = SDFG_RT_OK;
}

/* ---- data that cannot be saved or restored: the text names the file and what is wrong with it ---- */

#define OF(container, element) container "\0" element

static const char *trouble_of(struct sdfg_rt_context *context)
{
    static char text[512];
    sdfg_rt_data_trouble(context->data, text, sizeof text);
    refused(context, SDFG_RT_DATA);
    return text;
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
}

TEST(files_of_data)
{
    static const int64_t layout[] = { 8, 3, 1, 3, 1 };
    struct sdfg_rt_context context = { .num_threads = 1 };
    char folder[] = "/tmp/fail-runtime-XXXXXX", command[256];
    double values[3] = { 1, 2, 3 };
    uint32_t head[] = { 1, 3, 1, 0, 0, 0, 0, 0, 0, 9 };
    CHECK(mkdtemp(folder));
    sdfg_rt_save(&context, OF("A", "0"), layout, values); /* nobody wants it */
    refused(&context, SDFG_RT_OK);
    snprintf(command, sizeof command, "cd %s && mkdir A n x && echo > file", folder);
    CHECK(!system(command));
    context.data = sdfg_rt_data_new(NULL, folder);
    sdfg_rt_save_int(&context, OF("n", "0"), 1); /* no folder for it */
    refused(&context, SDFG_RT_OK);
    sdfg_rt_restore(&context, OF("A", "0"), layout, values);
    CHECK(strstr(trouble_of(&context), "A/0_0.bin: No such file"));
    write_file(folder, "A/0_1.bin", head, 2);
    write_file(folder, "A/0_2.bin", head, 8);
    write_file(folder, "A/0_3.bin", head, 30);
    write_file(folder, "A/0_4.bin", head, 40);
    for (int i = 0; i < 4; i++) { /* cut off in the rank, the shape, the elements; too long */
        sdfg_rt_restore(&context, OF("A", "0"), layout, values);
        CHECK(strstr(trouble_of(&context), "does not hold the 3 elements of 8 bytes"));
    }
    write_file(folder, "A/0_5.bin", head, 36);
    sdfg_rt_restore(&context, OF("A", "0"), layout, values);
    refused(&context, SDFG_RT_OK);
    CHECK(values[0] == 0);
    write_file(folder, "n/0_0", "many", 4);
    write_file(folder, "x/0_0", "many", 4);
    write_file(folder, "x/0_1", "", 0);
    CHECK_INT(sdfg_rt_restore_int(&context, OF("n", "0"), 7), 7);
    CHECK(strstr(trouble_of(&context), "holds no whole number"));
    CHECK(sdfg_rt_restore_real(&context, OF("x", "0"), 7) == 7);
    CHECK(strstr(trouble_of(&context), "holds no number"));
    CHECK(sdfg_rt_restore_real(&context, OF("x", "0"), 7) == 7);
    CHECK(strstr(trouble_of(&context), "x/0_1: holds no number"));
    CHECK(sdfg_rt_restore_real(&context, OF("x", "0"), 7) == 7 && sdfg_rt_restore_int(&context, OF("n", "0"), 8) == 8);
    CHECK(strstr(trouble_of(&context), "x/0_2: No such file")); /* the first one is told */
    context.error = SDFG_RT_BAD_VALUE;
    CHECK_INT(sdfg_rt_restore_int(&context, OF("n", "0"), 9), 9); /* nothing is done any more */
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_data_free(context.data);
    snprintf(command, sizeof command, "%s/file", folder);
    context.data = sdfg_rt_data_new(command, NULL);
    sdfg_rt_save(&context, OF("A", "0"), layout, values);
    CHECK(strstr(trouble_of(&context), "file/A: Not a directory"));
    sdfg_rt_restore(&context, OF("A", "0"), layout, values);
    refused(&context, SDFG_RT_OK);
    sdfg_rt_data_free(context.data);
    sdfg_rt_data_free(NULL);
    if (!symlink("/dev/full", strcat(command, "/../A/1_0.bin"))) {
        context.data = sdfg_rt_data_new(folder, NULL);
        sdfg_rt_save(&context, OF("A", "1"), layout, values);
        CHECK(strstr(trouble_of(&context), "No space left"));
        sdfg_rt_data_free(context.data);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(!system(command));
}

/* What does not fit into a file any more, whether it is still in a buffer or not, is told of each kind of data. */
TEST(files_that_may_not_grow)
{
    enum { MANY = 1 << 14 };
    static double values[MANY];
    static const int64_t large[] = { 8, MANY, 1, MANY, 1 }, small[] = { 8, 1, 1, 1, 1 };
    struct sdfg_rt_context context = { .num_threads = 1 };
    struct rlimit before, none = { 0, 0 };
    char folder[] = "/tmp/fail-runtime-XXXXXX", command[256];
    CHECK(mkdtemp(folder) && !getrlimit(RLIMIT_FSIZE, &before));
    none.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    fflush(stdout);
    CHECK(!setrlimit(RLIMIT_FSIZE, &none));
    for (int i = 0; i < 4; i++) {
        context.data = sdfg_rt_data_new(folder, NULL);
        if (i < 2)
            sdfg_rt_save(&context, OF("A", "0"), i ? large : small, values);
        else if (i == 2)
            sdfg_rt_save_int(&context, OF("n", "0"), 5);
        else
            sdfg_rt_save_real(&context, OF("x", "0"), 5);
        bool told = strstr(trouble_of(&context), "File too large");
        sdfg_rt_data_free(context.data);
        CHECK(!setrlimit(RLIMIT_FSIZE, &before)); /* messages may be written */
        CHECK(told);
        CHECK(!setrlimit(RLIMIT_FSIZE, &none));
    }
    CHECK(!setrlimit(RLIMIT_FSIZE, &before));
    signal(SIGXFSZ, SIG_DFL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(!system(command));
}

/* ---- races of iterations ---- */

static int64_t races(struct sdfg_rt_faults *f, struct sdfg_rt_context *context, const int64_t (*steps)[2], int count)
{
    static const struct sdfg_rt_access access = { .rank = 1 };
    static double place[4];
    f->count = 0;
    int64_t epoch = sdfg_rt_race_begin(context);
    for (int i = 0; i < count; i++) { /* elements 0 and 2 */
        const int64_t list[] = { epoch, steps[i][0], steps[i][1], 1, 8, 0, 2, 4, 1, 2 };
        sdfg_rt_race(context, &access, place, list);
    }
    context->error = SDFG_RT_OK;
    return f->count;
}

TEST(races_between_iterations)
{
    enum { READ, WRITE, UPDATE };
    static const struct sdfg_rt_access access = { .rank = 1 };
    struct sdfg_rt_faults f = { 0 };
    struct sdfg_rt_context context = { .num_threads = 1 };
    CHECK_INT(sdfg_rt_race_begin(&context), 0); /* nobody looks */
    sdfg_rt_race(&context, &access, &f, NULL);
    sdfg_rt_fault(&context, &access, (const int64_t[]){ 1, 2, 3 });
    refused(&context, SDFG_RT_FAULT);
    context.faults = &f;
    fail_at(1, false);
    CHECK_INT(sdfg_rt_race_begin(&context), 0);
    fail_at(1, true);
    CHECK_INT(races(&f, &context, (const int64_t[][2]){ { 1, WRITE }, { 2, WRITE } }, 2), 0);
    fail_at(0, false);
    static const int64_t same[][2] = { { 1, READ }, { 1, WRITE }, { 1, UPDATE }, { 1, READ } };
    static const int64_t reads[][2] = { { 1, READ }, { 2, READ }, { 1, READ } };
    static const int64_t updates[][2] = { { 1, UPDATE }, { 2, UPDATE } };
    CHECK_INT(races(&f, &context, same, 4) + races(&f, &context, reads, 3) + races(&f, &context, updates, 2), 0);
    for (int64_t first = READ; first <= UPDATE; first++)
        for (int64_t second = READ; second <= UPDATE; second++) {
            const int64_t steps[][2] = { { 1, first }, { 2, second } };
            bool ordered = first == second && first != WRITE;
            CHECK_INT(races(&f, &context, steps, 2), ordered ? 0 : 2);
        }
    int64_t index[] = { 0, 0, 2, 1, 8, 0, 5999, 6000, 1, 1 }; /* the table grows; a half of the elements is looked at */
    static double many[6000];
    index[0] = sdfg_rt_race_begin(&context);
    for (int64_t iteration = 1; iteration < 3; iteration++) {
        index[1] = iteration;
        index[2] = WRITE;
        index[3] = 1;
        f.count = 0;
        sdfg_rt_race(&context, &access, many, index);
        CHECK_INT(f.count, iteration == 1 ? 0 : 6000);
    }
    index[1] = 3;
    index[3] = 2;
    f.count = 0;
    sdfg_rt_race(&context, &access, many, index);
    CHECK(f.count > 2000 && f.count < 4000);
    sdfg_rt_races_free(f.races);
    sdfg_rt_races_free(NULL);
}

/* ---- programs compiled ahead of time ---- */

static int begun;

static void init(struct sdfg_rt_context *context, void *const *args)
{
    (void)args;
    ((void **)context->slots)[0] = sdfg_rt_alloc(context, 100);
    begun++;
    if (begun == 2)
        sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
}

static void run(struct sdfg_rt_context *context, void *const *args)
{
    if (*(const int32_t *)args[0] < 0)
        sdfg_rt_fail(context, SDFG_RT_SINGULAR);
}

static void leave(struct sdfg_rt_context *context, void *const *args)
{
    (void)args;
    sdfg_rt_free(context, ((void **)context->slots)[0]);
}

TEST(programs_ahead_of_time)
{
    static const int64_t keys[] = { 0, 4 };
    struct sdfg_rt_program p = {
        .num_slots = 1, .num_keys = 1, .keys = keys, .init = init, .main = run, .exit = leave, .num_threads = 1
    };
    int32_t five = 5, six = 6;
    void *args[] = { &five };
    void *h = sdfg_rt_program_begin(&p, args);
    CHECK(h && !sdfg_rt_program_run(h, args));
    args[0] = &six;
    CHECK_INT(sdfg_rt_program_run(h, args), SDFG_RT_OTHER_SYMBOL);
    CHECK_INT(sdfg_rt_program_external_size(h, 0, args), 0);
    CHECK_INT(sdfg_rt_program_end(h), 0);
    CHECK(!sdfg_rt_program_begin(&p, args)); /* its init says so */
    for (int k = 1; k < 7; k++) {
        long before = fail_live();
        fail_at(k, false);
        h = sdfg_rt_program_begin(&p, args);
        fail_at(0, false);
        sdfg_rt_program_end(h);
        CHECK_INT(fail_live(), before);
    }
    p.num_keys = 0;
    five = -1;
    args[0] = &five;
    h = sdfg_rt_program_begin(&p, args);
    CHECK_INT(sdfg_rt_program_run(h, args), SDFG_RT_SINGULAR);
    sdfg_rt_program_end(h);
    CHECK_INT(sdfg_rt_program_end(NULL), 0);
    sdfg_rt_program_check("none", 0);
    CHECK_STR(sdfg_rt_error_text(SDFG_RT_SINGULAR), "a matrix to be inverted or factored is singular");
    CHECK_STR(sdfg_rt_error_text(-1), "an unknown error");
    CHECK_STR(sdfg_rt_error_text(10000), "an unknown error");
    CHECK_STR(sdfg_rt_error_text(SDFG_RT_DEVICE), "there is no device, or it failed");
}

CHECK_MAIN
