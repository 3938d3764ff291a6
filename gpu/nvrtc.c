#include "gpu/nvrtc.h"

#include "base/text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *program;

/* F(name, result, (parameters)): nvrtc<name>, as nvrtc.h of CUDA 11.2 to 13 declares it; results are nvrtcResult. */
#define NVRTC_FUNCTIONS(F)                                                                                             \
    F(Version, int, (int *major, int *minor))                                                                          \
    F(GetErrorString, const char *, (int result))                                                                      \
    F(GetNumSupportedArchs, int, (int *count))                                                                         \
    F(GetSupportedArchs, int, (int *archs))                                                                            \
    F(CreateProgram, int,                                                                                              \
      (program * out, const char *text, const char *name, int num_headers, const char *const *headers,                 \
       const char *const *names))                                                                                      \
    F(DestroyProgram, int, (program * p))                                                                              \
    F(CompileProgram, int, (program p, int num_options, const char *const *options))                                   \
    F(GetCUBINSize, int, (program p, size_t * size))                                                                   \
    F(GetCUBIN, int, (program p, char *bytes))                                                                         \
    F(GetPTXSize, int, (program p, size_t * size))                                                                     \
    F(GetPTX, int, (program p, char *bytes))                                                                           \
    F(GetProgramLogSize, int, (program p, size_t * size))                                                              \
    F(GetProgramLog, int, (program p, char *text))

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, COMPILATION = 6 }; /* of nvrtcResult */

struct nvrtc {
#define F(name, result, parameters) result(*name) parameters;
    NVRTC_FUNCTIONS(F)
#undef F
    const char *file;
    int major, minor;
    int archs[NVRTC_MOST_ARCHS];
    uint32_t num_archs;
};

/* ---- opening ---- */

/* The first function that the library lacks, or NULL. */
static const char *bind(struct nvrtc *n, void *library)
{
#define F(name, result, parameters)                                                                                    \
    *(void **)&n->name = dlsym(library, "nvrtc" #name);                                                                \
    if (!n->name)                                                                                                      \
        return "nvrtc" #name;
    NVRTC_FUNCTIONS(F)
#undef F
    return NULL;
}

static bool ask(struct nvrtc *n)
{
    int count = 0;
    if (n->Version(&n->major, &n->minor) != SUCCESS || n->GetNumSupportedArchs(&count) != SUCCESS || count < 1 ||
        count > NVRTC_MOST_ARCHS)
        return false;
    n->num_archs = (uint32_t)count;
    return n->GetSupportedArchs(n->archs) == SUCCESS;
}

/* NULL, with the reason added to `why`. */
static struct nvrtc *open_file(struct arena *a, const char *file, struct text *why)
{
    const char *lacks = NULL;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) { /* the dynamic linker names the file, too */
        const char *error = dlerror();
        text_printf(why, "\n  %s", error ? error : file);
        return NULL;
    }
    struct nvrtc *n = NEW(a, struct nvrtc);
    n->file = arena_strdup(a, file);
    if (!(lacks = bind(n, library)) && ask(n))
        return n;
    text_printf(why, "\n  %s: %s%s", file, lacks ? "has no " : "does not say what it is", lacks ? lacks : "");
    dlclose(library);
    return NULL;
}

struct nvrtc *nvrtc_open(struct arena *a, struct diags *d, const char *file)
{
    struct text why = text_new(a);
    uint32_t count = 1;
    const char *const *files = file ? &file : nvrtc_find(a, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct nvrtc *n = open_file(a, files[i], &why);
        if (n)
            return n;
    }
    diag_error(d, NULL, DIAG_NVRTC_MISSING, text_get(&why));
    return NULL;
}

const char *nvrtc_file(const struct nvrtc *n) { return n->file; }

void nvrtc_version(const struct nvrtc *n, int *major, int *minor)
{
    *major = n->major;
    *minor = n->minor;
}

const int *nvrtc_archs(const struct nvrtc *n, uint32_t *count)
{
    *count = n->num_archs;
    return n->archs;
}

/* ---- compiling ---- */

struct nvrtc_job {
    const struct nvrtc *n;
    const struct nvrtc_source *source;
    pthread_t thread;
    char *log, *bytes; /* by malloc: arenas belong to the thread of their owner */
    size_t size;
    int result;
};

static void take_log(struct nvrtc_job *j, program p)
{
    size_t size = 0;
    if (j->n->GetProgramLogSize(p, &size) != SUCCESS || size < 2 || !(j->log = calloc(1, size + 1)))
        return;
    if (j->n->GetProgramLog(p, j->log) != SUCCESS)
        j->log[0] = 0;
}

static int take_code(struct nvrtc_job *j, program p)
{
    bool cubin = j->source->form == NVRTC_CUBIN;
    int result = cubin ? j->n->GetCUBINSize(p, &j->size) : j->n->GetPTXSize(p, &j->size);
    if (result != SUCCESS)
        return result;
    if (!(j->bytes = malloc(j->size)))
        return OUT_OF_MEMORY;
    return cubin ? j->n->GetCUBIN(p, j->bytes) : j->n->GetPTX(p, j->bytes);
}

static void *compile(void *job)
{
    struct nvrtc_job *j = job;
    const struct nvrtc_source *s = j->source;
    program p = NULL;
    char arch[48];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", s->form == NVRTC_CUBIN ? "sm" : "compute", s->arch);
    const char **options = malloc((s->num_options + 1) * sizeof *options);
    if (!options) {
        j->result = OUT_OF_MEMORY;
        return NULL;
    }
    options[0] = arch;
    for (uint32_t i = 0; i < s->num_options; i++)
        options[i + 1] = s->options[i];
    j->result = j->n->CreateProgram(&p, s->text, s->name, 0, NULL, NULL);
    if (j->result == SUCCESS) {
        j->result = j->n->CompileProgram(p, (int)s->num_options + 1, options);
        take_log(j, p);
        if (j->result == SUCCESS)
            j->result = take_code(j, p);
        j->n->DestroyProgram(&p);
    }
    free(options);
    return NULL;
}

static bool knows(const struct nvrtc *n, int arch)
{
    for (uint32_t i = 0; i < n->num_archs; i++)
        if (n->archs[i] == arch)
            return true;
    return false;
}

static const char *list_archs(const struct nvrtc *n, char *out, size_t size)
{
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < n->num_archs && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, i ? ", %d" : "%d", n->archs[i]);
    return out;
}

struct nvrtc_job *nvrtc_begin(const struct nvrtc *n, struct diags *d, const struct nvrtc_source *s)
{
    char archs[4 * NVRTC_MOST_ARCHS];
    if (!knows(n, s->arch)) {
        diag_error(d, NULL, DIAG_NVRTC_ARCH, n->major, n->minor, n->file, s->arch, list_archs(n, archs, sizeof archs));
        return NULL;
    }
    struct nvrtc_job *j = calloc(1, sizeof *j);
    if (j) {
        j->n = n;
        j->source = s;
        if (!pthread_create(&j->thread, NULL, compile, j))
            return j;
        free(j);
    }
    diag_error(d, NULL, DIAG_NVRTC_RESOURCES, s->name);
    return NULL;
}

static void release(struct nvrtc_job *j)
{
    free(j->log);
    free(j->bytes);
    free(j);
}

bool nvrtc_end(struct nvrtc_job *j, struct arena *a, struct diags *d, struct nvrtc_code *out)
{
    pthread_join(j->thread, NULL);
    *out = (struct nvrtc_code){ .log = j->log ? arena_strdup(a, j->log) : "" };
    if (j->result == SUCCESS) {
        char *bytes = arena_alloc(a, j->size);
        memcpy(bytes, j->bytes, j->size);
        out->bytes = bytes;
        out->size = j->size;
    } else if (j->result == OUT_OF_MEMORY) {
        diag_error(d, NULL, DIAG_NVRTC_RESOURCES, j->source->name);
    } else {
        diag_error(d, NULL, DIAG_NVRTC_FAILED, j->source->name, j->n->GetErrorString(j->result), out->log);
    }
    bool good = j->result == SUCCESS;
    release(j);
    return good;
}

void nvrtc_drop(struct nvrtc_job *j)
{
    pthread_join(j->thread, NULL);
    release(j);
}
