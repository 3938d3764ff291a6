/* A stand-in for NVRTC: CUDA C goes through the host's C++ compiler with cuda_on_host.h in front. What it calls a cubin
 * is a shared library for the stand-in for a device; its PTX is the same, as text.
 *   $SDFG_STANDIN_NVRTC_FAIL=K        call number K fails
 *   $SDFG_STANDIN_SPILLS=NAME:M:N     kernels whose names begin so spill M bytes, or N if their bounds name a number of
 *                                     blocks, as the log says */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, COMPILATION = 6, INTERNAL = 11 };

struct program {
    char *text, *name, *log, *code;
    size_t code_size;
};

typedef struct program *program;

extern char **environ;

API int nvrtcVersion(int *major, int *minor);
API const char *nvrtcGetErrorString(int result);
API int nvrtcGetNumSupportedArchs(int *count);
API int nvrtcGetSupportedArchs(int *archs);
API int nvrtcCreateProgram(program *out, const char *text, const char *name, int n, const char *const *headers,
                           const char *const *names);
API int nvrtcDestroyProgram(program *p);
API int nvrtcCompileProgram(program p, int n, const char *const *options);
API int nvrtcGetCUBINSize(program p, size_t *size);
API int nvrtcGetCUBIN(program p, char *out);
API int nvrtcGetPTXSize(program p, size_t *size);
API int nvrtcGetPTX(program p, char *out);
API int nvrtcGetProgramLogSize(program p, size_t *size);
API int nvrtcGetProgramLog(program p, char *out);
API long standin_nvrtc_compilations(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls, compilations;

/* Not 0 if this call is to fail. */
static int enter(void)
{
    const char *fail = getenv("SDFG_STANDIN_NVRTC_FAIL");
    pthread_mutex_lock(&lock);
    long number = ++calls;
    pthread_mutex_unlock(&lock);
    return fail && atol(fail) == number ? INTERNAL : SUCCESS;
}
#define ENTER                                                                                                          \
    do {                                                                                                               \
        int failed = enter();                                                                                          \
        if (failed)                                                                                                    \
            return failed;                                                                                             \
    } while (0)

static const int archs[] = { 75, 80, 86, 90, 100, 120 };

long standin_nvrtc_compilations(void) { return compilations; }

int nvrtcVersion(int *major, int *minor)
{
    ENTER;
    *major = 12;
    *minor = 9;
    return SUCCESS;
}

const char *nvrtcGetErrorString(int result)
{
    return result == SUCCESS         ? "NVRTC_SUCCESS"
           : result == OUT_OF_MEMORY ? "NVRTC_ERROR_OUT_OF_MEMORY"
           : result == COMPILATION   ? "NVRTC_ERROR_COMPILATION"
           : result == INVALID_INPUT ? "NVRTC_ERROR_INVALID_INPUT"
                                     : "NVRTC_ERROR_INTERNAL_ERROR";
}

int nvrtcGetNumSupportedArchs(int *count)
{
    ENTER;
    *count = sizeof archs / sizeof *archs;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *out)
{
    ENTER;
    memcpy(out, archs, sizeof archs);
    return SUCCESS;
}

int nvrtcCreateProgram(program *out, const char *text, const char *name, int n, const char *const *headers,
                       const char *const *names)
{
    (void)headers;
    (void)names;
    ENTER;
    if (n)
        return INVALID_INPUT;
    program p = calloc(1, sizeof *p);
    p->text = strdup(text);
    p->name = strdup(name ? name : "default_program");
    p->log = strdup("");
    *out = p;
    return SUCCESS;
}

int nvrtcDestroyProgram(program *p)
{
    free((*p)->text);
    free((*p)->name);
    free((*p)->log);
    free((*p)->code);
    free(*p);
    *p = NULL;
    return enter();
}

/* ---- compiling ---- */

/* The kernels of a text: names in front of a parenthesis behind __global__, and their launch bounds. */
struct kernel {
    char name[256];
    long threads, blocks /* 0: not named */;
};

static const char *skip_space(const char *c)
{
    while (*c == ' ' || *c == '\t' || *c == '\n')
        c++;
    return c;
}

static const char *find_kernel(const char *text, struct kernel *out)
{
    const char *c = strstr(text, "__global__");
    if (!c)
        return NULL;
    out->threads = 1024;
    out->blocks = 0;
    for (c += strlen("__global__"); *c;) {
        c = skip_space(c);
        size_t length = strspn(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (!length)
            return NULL;
        const char *end = skip_space(c + length);
        if (length == strlen("__launch_bounds__") && !strncmp(c, "__launch_bounds__", length)) {
            char *behind;
            out->threads = strtol(skip_space(end + 1), &behind, 10);
            out->blocks = *behind == ',' ? strtol(behind + 1, NULL, 10) : 0;
            c = strchr(end, ')') + 1;
        } else if (*end == '(') {
            snprintf(out->name, sizeof out->name, "%.*s", (int)length, c);
            return end;
        } else {
            c = end;
        }
    }
    return NULL;
}

static int write_source(const char *file, const struct program *p)
{
    FILE *f = fopen(file, "w");
    struct kernel k;
    if (!f)
        return -1;
    fprintf(f, "#include \"%s\"\n#line 1 \"%s\"\n%s\n", STANDIN_HEADER, p->name, p->text);
    fprintf(
        f, "__attribute__((weak)) extern char __start_standin_shared[], __stop_standin_shared[];\n"
           "extern \"C\" __attribute__((visibility(\"default\"))) char *const standin_shared_memory[] = {\n"
           "    __start_standin_shared, __stop_standin_shared };\n"
           "extern \"C\" __attribute__((visibility(\"default\"))) const struct standin_kernel standin_kernels[] = {\n");
    for (const char *c = p->text; (c = find_kernel(c, &k));)
        fprintf(f, "    STANDIN_KERNEL(%s, %ld)\n", k.name, k.threads);
    fprintf(f, "    { nullptr, nullptr, 0, 0 } };\n");
    return fclose(f);
}

static char *read_file(const char *file, size_t *size)
{
    FILE *f = fopen(file, "r");
    struct stat s;
    if (!f || fstat(fileno(f), &s))
        return NULL;
    char *out = calloc(1, (size_t)s.st_size + 1);
    *size = out ? fread(out, 1, (size_t)s.st_size, f) : 0;
    fclose(f);
    return out;
}

static int run_compiler(const char *source, const char *object, const char *log)
{
    const char *const arguments[] = { "c++",
                                      "-std=c++17",
                                      "-O1",
                                      "-w",
                                      "-shared",
                                      "-fPIC",
                                      "-fvisibility=hidden",
                                      "-fno-strict-aliasing",
                                      "-ffp-contract=off",
                                      "-fno-math-errno",
                                      "-fwrapv",
                                      "-fno-exceptions",
                                      "-fno-threadsafe-statics",
                                      "-o",
                                      object,
                                      source,
                                      "-lm",
                                      NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
    int failed = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed || waitpid(child, &status, 0) < 0)
        return INTERNAL;
    return status ? COMPILATION : SUCCESS;
}

static long spills_of(const struct kernel *k)
{
    const char *wanted = getenv("SDFG_STANDIN_SPILLS");
    size_t length = wanted ? strcspn(wanted, ":") : 0;
    long bytes[2] = { 0, 0 };
    if (length && !strncmp(k->name, wanted, length))
        sscanf(wanted + length, ":%ld:%ld", &bytes[0], &bytes[1]);
    return bytes[k->blocks > 0];
}

/* As ptxas says it with --ptxas-options=-v; numbers of no meaning, but the same each time: 64 registers where bounds
 * name a number of blocks. */
static void add_statistics(struct program *p, int n, const char *const *options)
{
    struct kernel k;
    int wanted = 0;
    for (int i = 0; i < n; i++)
        wanted |= strstr(options[i], "-v") != NULL;
    for (const char *c = p->text; wanted && (c = find_kernel(c, &k));) {
        char *more = NULL;
        if (asprintf(&more,
                     "%sptxas info    : Compiling entry function '%s' for 'sm_90'\n"
                     "ptxas info    : Function properties for %s\n"
                     "    %ld bytes stack frame, %ld bytes spill stores, 0 bytes spill loads\n"
                     "ptxas info    : Used %d registers, used 0 barriers\n",
                     p->log, k.name, k.name, spills_of(&k), spills_of(&k), k.blocks ? 64 : 32) < 0)
            return;
        free(p->log);
        p->log = more;
    }
}

int nvrtcCompileProgram(program p, int n, const char *const *options)
{
    char folder[] = "/tmp/standin-nvrtc-XXXXXX", source[64], object[64], log[64];
    size_t size;
    ENTER;
    pthread_mutex_lock(&lock);
    compilations++;
    pthread_mutex_unlock(&lock);
    if (!mkdtemp(folder))
        return INTERNAL;
    snprintf(source, sizeof source, "%s/text.cpp", folder);
    snprintf(object, sizeof object, "%s/code.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    int result = write_source(source, p) ? INTERNAL : run_compiler(source, object, log);
    char *text = read_file(log, &size);
    if (text) {
        free(p->log);
        p->log = text;
    }
    if (result == SUCCESS && !(p->code = read_file(object, &p->code_size)))
        result = INTERNAL;
    if (result == SUCCESS)
        add_statistics(p, n, options);
    unlink(source);
    unlink(object);
    unlink(log);
    rmdir(folder);
    return result;
}

int nvrtcGetCUBINSize(program p, size_t *size)
{
    ENTER;
    *size = p->code_size;
    return SUCCESS;
}

int nvrtcGetCUBIN(program p, char *out)
{
    ENTER;
    memcpy(out, p->code, p->code_size);
    return SUCCESS;
}

static const char ptx[] = "// stand-in\n";

int nvrtcGetPTXSize(program p, size_t *size)
{
    ENTER;
    *size = sizeof ptx + 2 * p->code_size;
    return SUCCESS;
}

int nvrtcGetPTX(program p, char *out)
{
    static const char digits[] = "0123456789abcdef";
    ENTER;
    out += snprintf(out, sizeof ptx, "%s", ptx);
    for (size_t i = 0; i < p->code_size; i++) {
        unsigned char c = (unsigned char)p->code[i];
        *out++ = digits[c >> 4];
        *out++ = digits[c & 15];
    }
    *out = 0;
    return SUCCESS;
}

int nvrtcGetProgramLogSize(program p, size_t *size)
{
    ENTER;
    *size = strlen(p->log) + 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(program p, char *out)
{
    ENTER;
    memcpy(out, p->log, strlen(p->log) + 1);
    return SUCCESS;
}
