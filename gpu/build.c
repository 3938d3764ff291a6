#include "gpu/build.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct gpu_build {
    struct arena *arena;
    struct diags *diags;
    const struct nvrtc *nvrtc;
    const struct gpu_text *text;
    struct nvrtc_source source;
    struct nvrtc_job *job;
    bool quick;
};

const char *const *gpu_build_options(enum gpu_fp fp, uint32_t *count)
{
    static const char *const usual[] = { "--std=c++17", "--ptxas-options=-v", "--fmad=true" };
    static const char *const strict[] = { "--std=c++17",     "--ptxas-options=-v", "--fmad=false",
                                          "--prec-div=true", "--prec-sqrt=true",   "--ftz=false" };
    static const char *const fast[] = { "--std=c++17", "--ptxas-options=-v", "--use_fast_math" };
    *count = fp == GPU_FP_STRICT ? 6 : 3;
    return fp == GPU_FP_STRICT ? strict : fp == GPU_FP_FAST ? fast : usual;
}

/* NVRTC 13 compiles several kernels side by side, in half of the time or less; registers may differ by some. It leaves
 * out declarations that nothing here uses (textures, the runtime library): 5 of the 23 ms of an empty text. Quick code
 * takes half of the time of all NPBench kernels; it may run slower. */
static void add_newer(struct arena *a, const struct nvrtc *n, struct nvrtc_source *s, bool quick)
{
    int major, minor;
    nvrtc_version(n, &major, &minor);
    if (major < 13)
        return;
    const char **options = NEW_ARRAY(a, const char *, s->num_options + 3);
    memcpy(options, s->options, s->num_options * sizeof *options);
    options[s->num_options++] = "--split-compile=0"; /* as many threads as there are processors */
    options[s->num_options++] = "--minimal";
    if (quick)
        options[s->num_options++] = "--Ofast-compile=min";
    s->options = options;
}

struct gpu_build *gpu_build_begin(struct arena *a, struct diags *d, const struct nvrtc *n, const char *name,
                                  const struct gpu_text *text, int arch, enum nvrtc_form form, enum gpu_fp fp,
                                  bool quick)
{
    struct gpu_build *b = NEW(a, struct gpu_build);
    *b = (struct gpu_build){ a, d, n, text, { name, text->text, arch, form, NULL, 0 }, NULL, quick };
    b->source.options = gpu_build_options(fp, &b->source.num_options);
    add_newer(a, n, &b->source, quick);
    b->job = nvrtc_begin(n, d, &b->source);
    return b->job ? b : NULL;
}

/* ---- the log ---- */

/* The number in front of `word` on the line, or 0. */
static uint32_t number_before(const char *line, const char *end, const char *word)
{
    const char *at = strstr(line, word);
    if (!at || at > end)
        return 0;
    while (at > line && at[-1] == ' ')
        at--;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return (uint32_t)strtoul(at, NULL, 10);
}

/* ptxas announces each kernel ("Compiling entry function 'k0_axpy' for ...") before it says what that takes; lines
 * about functions that kernels call stand between. */
static void read_log(struct arena *a, const char *log, struct gpu_code *out)
{
    VEC(struct gpu_usage) usage = { 0 };
    bool of_kernel = false;
    for (const char *line = log, *end; *line; line = end + (*end != 0)) {
        end = line + strcspn(line, "\n");
        const char *entry = strstr(line, "Compiling entry function '"),
                   *function = strstr(line, "Function properties for ");
        if (entry && entry < end) {
            entry = strchr(entry, '\'') + 1;
            struct gpu_usage u = { .name = arena_strndup(a, entry, strcspn(entry, "'\n")) };
            vec_push(a, &usage, u);
        } else if (function && function < end && usage.count) {
            const char *name = function + strlen("Function properties for ");
            of_kernel = !strncmp(name, vec_last(&usage).name, strlen(vec_last(&usage).name));
        } else if (usage.count) {
            struct gpu_usage *u = &vec_last(&usage);
            u->spilled +=
                number_before(line, end, "bytes spill stores") + number_before(line, end, "bytes spill loads");
            u->stack += of_kernel ? number_before(line, end, "bytes stack frame") : 0;
            if (!u->registers) {
                u->registers = number_before(line, end, "registers");
                u->shared = number_before(line, end, "bytes smem");
            }
        }
    }
    out->usage = usage.items;
    out->num_usage = usage.count;
}

/* ---- what does not compile ---- */

/* The line of the first error, "name(12): error: ...", or 0. */
static uint32_t error_line(const char *log)
{
    const char *error = strstr(log, "): error");
    const char *begin = error;
    while (begin && begin > log && begin[-1] >= '0' && begin[-1] <= '9')
        begin--;
    return begin ? (uint32_t)strtoul(begin, NULL, 10) : 0;
}

static const char *numbered(struct arena *a, const char *text, uint32_t around)
{
    enum { AROUND = 3 };
    struct text out = text_new(a);
    uint32_t number = 1;
    for (const char *line = text; *line; number++) {
        size_t length = strcspn(line, "\n");
        if (number + AROUND >= around && number <= around + AROUND)
            text_printf(&out, "%c %5u  %.*s\n", number == around ? '>' : ' ', number, (int)length, line);
        line += length + (line[length] != 0);
    }
    return text_get(&out);
}

/* ---- kernels that spill registers ---- */

static uint32_t spilled(const struct gpu_code *code)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < code->num_usage; i++)
        bytes += code->usage[i].spilled;
    return bytes;
}

/* Registers for a kernel and for the values that it spills, each of which is stored and loaded about once. They are
 * given in pieces of 8. */
static uint32_t wanted_registers(const struct gpu_usage *u)
{
    enum { VALUE = 2 * 4, PIECE = 8 };
    return (u->registers + u->spilled / VALUE + PIECE) / PIECE * PIECE;
}

/* The text that lets kernels which spill have more registers, or NULL if none can. */
static const char *relaxed_text(const struct gpu_build *b, const struct gpu_code *code)
{
    VEC(struct gpu_wish) wishes = { 0 };
    for (uint32_t i = 0; i < code->num_usage; i++) {
        struct gpu_wish w = { code->usage[i].name, wanted_registers(&code->usage[i]) };
        if (code->usage[i].spilled)
            vec_push(b->arena, &wishes, w);
    }
    return wishes.count ? gpu_text_relax(b->arena, b->source.text, wishes.items, wishes.count) : NULL;
}

static bool take(struct gpu_build *b, struct nvrtc_job *job, struct nvrtc_code *code, struct gpu_code *out)
{
    if (!nvrtc_end(job, b->arena, b->diags, code))
        return false;
    *out =
        (struct gpu_code){ .bytes = code->bytes, .size = code->size, .form = b->source.form, .arch = b->source.arch };
    read_log(b->arena, code->log, out);
    return true;
}

/* Where bounds name no number of blocks, ptxas aims at 32, 40, 48 or 64 registers for the sake of occupancy, and spills
 * some bytes to get there. So those that spill are compiled again with a number of blocks that leaves some registers
 * more, once; without such a limit some take three times as many. What fails then is no error: there is code. */
static void compile_again(struct gpu_build *b, struct gpu_code *out)
{
    struct nvrtc_source source = b->source;
    struct nvrtc_code code;
    struct gpu_code second;
    uint32_t before = diags_count(b->diags);
    if (b->quick || !(source.text = relaxed_text(b, out)))
        return;
    struct nvrtc_job *job = nvrtc_begin(b->nvrtc, b->diags, &source);
    if (job && take(b, job, &code, &second) && second.num_usage == out->num_usage && spilled(&second) < spilled(out))
        *out = second;
    diags_reset(b->diags, before);
}

bool gpu_build_end(struct gpu_build *b, struct gpu_code *out)
{
    struct nvrtc_code code;
    uint32_t before = diags_count(b->diags);
    *out = (struct gpu_code){ .form = b->source.form, .arch = b->source.arch };
    if (take(b, b->job, &code, out)) {
        compile_again(b, out);
        return true;
    }
    uint32_t line = error_line(code.log);
    if (!line || diags_get(b->diags, before)->code != DIAG_NVRTC_FAILED)
        return false;
    diags_reset(b->diags, before);
    return diag_error(b->diags, gpu_text_place(b->text, line), DIAG_DEVICE_TEXT, b->source.name, code.log,
                      numbered(b->arena, b->text->text, line));
}

void gpu_build_drop(struct gpu_build *b) { nvrtc_drop(b->job); }
