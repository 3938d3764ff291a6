#include "engine/cli/bench_code.h"

#include "base/text.h"
#include "engine/cli/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *failed(const struct command *c, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", tool_name(c->tool), what, why);
    return NULL;
}

/* ---- processes ---- */

/* Runs the shell on `script` with these arguments; what it prints on stdout goes to the file `output`, if given. */
static bool run_shell(const char *script, const char *const *arguments, const char *output)
{
    const char *line[16] = { "sh", "-c", script, "sh" };
    int n = 4, status;
    pid_t child;
    for (int i = 0; arguments[i] && n < 15; i++)
        line[n++] = arguments[i];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    else
        posix_spawn_file_actions_adddup2(&actions, 2, 1);
    bool started = !posix_spawnp(&child, "sh", &actions, NULL, (char *const *)line, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!started)
        return false;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    bool good = f && fputs(text, f) >= 0;
    return f && !fclose(f) && good;
}

/* ---- the wrapper: a function of one shape around one of any shape ---- */

static const char *c_type(const char *type)
{
    static const char *const names[][2] = {
        { "bool", "bool" },
        { "int8", "int8_t" },
        { "int16", "int16_t" },
        { "int32", "int32_t" },
        { "int64", "int64_t" },
        { "uint8", "uint8_t" },
        { "uint16", "uint16_t" },
        { "uint32", "uint32_t" },
        { "uint64", "uint64_t" },
        { "float32", "float" },
        { "float64", "double" },
        { "complex64", "float _Complex" },
        { "complex128", "double _Complex" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i][0], type))
            return names[i][1];
    return NULL;
}

static ptrdiff_t find_param(const sdfg_kernel *k, const char *name)
{
    for (size_t i = 0; i < sdfg_kernel_num_params(k); i++)
        if (!strcmp(sdfg_kernel_param(k, i)->name, name))
            return (ptrdiff_t)i;
    return -1;
}

/* "(a[0], *(double *)a[1])" behind `first`; with `types`, instead the types of the parameters. */
static bool add_list(struct text *out, const struct command *c, const struct bench_prototype *p, const sdfg_kernel *k,
                     const char *function, const char *first, bool types)
{
    text_printf(out, "(%s", first);
    for (int i = 0; i < p->count; i++) {
        ptrdiff_t at = find_param(k, p->params[i].name);
        const char *type = at < 0 ? NULL : c_type(sdfg_kernel_param(k, (size_t)at)->type);
        if (at < 0 || (!p->params[i].pointer && !type)) {
            fprintf(stderr, "%s: parameter '%s' of %s is %s\n", tool_name(c->tool), p->params[i].name, function,
                    at < 0 ? "no argument of the program" : "of a type that is not passed by value");
            return false;
        }
        text_add(out, i || *first ? ", " : "");
        if (types)
            text_add(out, p->params[i].pointer ? "void *" : type);
        else if (p->params[i].pointer)
            text_printf(out, "a[%td]", at);
        else
            text_printf(out, "*(%s *)a[%td]", type, at);
    }
    text_add(out, ")");
    return true;
}

static const char *compile(struct arena *a, const struct command *c, const char *folder, const char *name,
                           const char *text, const char *library)
{
    const char *source = arena_printf(a, "%s/%s.c", folder, name), *out = arena_printf(a, "%s/%s.so", folder, name);
    const char *compiler = c->compiler ? c->compiler : "cc";
    const char *flags = c->compiler_flags ? c->compiler_flags : "-O3 -march=native -fopenmp";
    if (!write_file(source, text))
        return failed(c, source, strerror(errno));
    /* the compiler and its flags are split into words */
    const char *const arguments[] = { compiler, flags, out, source, library, NULL };
    if (!run_shell("out=$3 source=$4 library=$5; exec $1 $2 -w -fPIC -shared -o \"$out\" \"$source\" "
                   "${library:+\"$library\" -Wl,-rpath,\"${library%/*}\"} -lm",
                   arguments, NULL))
        return failed(c, compiler, "the wrapper and the C file do not compile");
    return out;
}

static const char prelude[] = "#include <complex.h>\n#include <stdbool.h>\n#include <stdint.h>\n";

const char *code_build_c(struct arena *a, const struct command *c, const char *folder, const char *name,
                         const char *file, const sdfg_bound *b)
{
    char why[256], path[PATH_MAX];
    size_t size;
    struct bench_prototype p;
    struct text out = text_new(a);
    char *source = realpath(file, path) ? file_bytes(path, FILE_TEXT_BYTES, &size, why, sizeof why) : NULL;
    if (!source)
        return failed(c, file, strerror(errno));
    const char *list = prototype_find(a, source, name);
    if (!list) { /* names of programs can be long: that of the file will do */
        const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
        const char *stem = arena_strndup(a, base, strcspn(base, "."));
        list = prototype_find(a, source, stem);
        name = list ? stem : name;
    }
    free(source);
    if (!list || !prototype_parse(a, list, &p)) {
        fprintf(stderr, "%s: %s: no definition of a function '%s' is found\n", tool_name(c->tool), file, name);
        return NULL;
    }
    text_printf(&out, "%s#include \"%s\"\nvoid sdfg_bench_entry(void *const *a);\n", prelude, path);
    text_printf(&out, "void sdfg_bench_entry(void *const *a)\n{\n    %s", name);
    if (!add_list(&out, c, &p, sdfg_bound_kernel(b), name, "", false))
        return NULL;
    text_add(&out, ";\n}\n");
    return compile(a, c, folder, "c_entry", text_get(&out), NULL);
}

/* ---- DaCe: three lines from its own interpreter, then a wrapper as above ---- */

static const char dace_script[] = "import sys\n"
                                  "try:\n"
                                  "    import dace\n"
                                  "except ImportError:\n"
                                  "    sys.exit(0)\n"
                                  "sdfg = dace.SDFG.from_file(sys.argv[1])\n"
                                  "sdfg.build_folder = sys.argv[2]\n"
                                  "print('library', sdfg.compile().filename)\n"
                                  "print('init', sdfg.init_signature())\n"
                                  "print('call', sdfg.signature())\n";

/* The rest of the line that begins with this word. */
static const char *line_of(struct arena *a, const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (!strncmp(at, word, length) && (at[length] == ' ' || at[length] == '\n'))
            return arena_strndup(a, at + length + 1, at[length] == ' ' ? strcspn(at + length + 1, "\n") : 0);
    return NULL;
}

static const char *dace_wrapper(struct arena *a, const struct command *c, const char *name, const char *answer,
                                const sdfg_bound *b)
{
    const char *init = line_of(a, answer, "init"), *call = line_of(a, answer, "call");
    struct bench_prototype pi, pc;
    const sdfg_kernel *k = sdfg_bound_kernel(b);
    struct text out = text_new(a);
    const char *const functions[] = { arena_printf(a, "__dace_init_%s", name), arena_printf(a, "__program_%s", name) };
    if (!init || !call || !prototype_parse(a, init, &pi) || !prototype_parse(a, call, &pc))
        return failed(c, "dace", "its build does not say what its functions take");
    text_printf(&out, "%svoid *%s", prelude, functions[0]);
    bool good = add_list(&out, c, &pi, k, functions[0], "", true);
    text_printf(&out, ";\nvoid %s", functions[1]);
    good = good && add_list(&out, c, &pc, k, functions[1], "void *", true);
    text_add(&out, ";\nvoid sdfg_bench_entry(void *const *a);\nvoid sdfg_bench_entry(void *const *a)\n{\n"
                   "    static void *state;\n    if (!state)\n        state = ");
    text_add(&out, functions[0]);
    good = good && add_list(&out, c, &pi, k, functions[0], "", false);
    text_printf(&out, ";\n    %s", functions[1]);
    good = good && add_list(&out, c, &pc, k, functions[1], "state", false);
    text_add(&out, ";\n}\n");
    return good ? text_get(&out) : NULL;
}

const char *code_build_dace(struct arena *a, const struct command *c, const char *folder, const char *name,
                            const sdfg_bound *b, bool *missing)
{
    char why[256];
    size_t size;
    const char *output = arena_printf(a, "%s/dace.txt", folder);
    const char *const arguments[] = { dace_script, c->program, arena_printf(a, "%s/dace", folder), NULL };
    *missing = false;
    if (!run_shell("exec python3 -c \"$1\" \"$2\" \"$3\"", arguments, output))
        return failed(c, "dace", "its build failed");
    char *bytes = file_bytes(output, FILE_TEXT_BYTES, &size, why, sizeof why);
    const char *answer = bytes ? arena_strndup(a, bytes, size) : "";
    free(bytes);
    const char *library = line_of(a, answer, "library");
    *missing = !library;
    const char *text = library ? dace_wrapper(a, c, name, answer, b) : NULL;
    return text ? compile(a, c, folder, "dace_entry", text, library) : NULL;
}

/* ---- opening ---- */

bool code_open(struct bench_code *code, const struct command *c, const char *path, const sdfg_bound *b)
{
    size_t count = sdfg_kernel_num_params(sdfg_bound_kernel(b));
    code->addresses = calloc(count + 1, sizeof *code->addresses);
    for (size_t i = 0; i < count && code->addresses; i++)
        code->addresses[i] = sdfg_bound_address(b, i);
    /* for good: the library may have brought an OpenMP runtime, whose threads are waiting in it */
    code->library = code->addresses ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    void *found = code->library ? dlsym(code->library, "sdfg_bench_entry") : NULL;
    memcpy(&code->entry, &found, sizeof found);
    if (!found)
        failed(c, path, code->addresses ? dlerror() : "out of memory");
    return found != NULL;
}

void code_close(struct bench_code *code)
{
    if (code->library)
        dlclose(code->library);
    free(code->addresses);
    *code = (struct bench_code){ 0 };
}
