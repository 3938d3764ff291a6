#include "engine/cli/python_options.h"
#include "engine/cli/memory.h"
#include "engine/cli/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_python(const char *program)
{
    if (program[0] == '-')
        return true;
    const char *colon = strrchr(program, ':');
    const char *end = colon && !strchr(colon, '/') ? colon : program + strlen(program);
    return end - program > 3 && strncmp(end - 3, ".py", 3) == 0;
}

/* "float64[100,N]" or "float64": the name of a type, and extents. */
static bool is_type(const char *value)
{
    char name[32];
    size_t length = strcspn(value, "[");
    if (length >= sizeof name)
        return false;
    memcpy(name, value, length);
    name[length] = 0;
    return sdfg_dtype_by_name(name) != SDFG_NONE && (!value[length] || value[strlen(value) - 1] == ']');
}

static void print_file(FILE *out, const char *name, const char *path)
{
    sdfg_dtype dtype;
    int rank;
    int64_t shape[SDFG_MAX_RANK];
    if (!npy_shape(path, &dtype, &rank, shape)) /* the run says what is wrong with it */
        return;
    fprintf(out, "; %s=%s", name, sdfg_dtype_name(dtype));
    for (int i = 0; i < rank; i++)
        fprintf(out, "%s%lld", i ? ", " : "[", (long long)shape[i]);
    fputs(rank ? "]" : "", out);
}

static void print_number(FILE *out, const char *name, const char *value)
{
    char *end;
    strtoll(value, &end, 0);
    if (end != value && !*end) {
        fprintf(out, "; %s=int64", name);
        return;
    }
    strtod(value, &end);
    if (end != value && !*end)
        fprintf(out, "; %s=float64", name);
    else if (!strcmp(value, "true") || !strcmp(value, "false"))
        fprintf(out, "; %s=bool", name);
}

void python_options(struct command *c)
{
    size_t size, kept = 0;
    if (!c->program || !is_python(c->program))
        return;
    FILE *out = open_memstream(&c->python, &size);
    if (!out)
        fatal_memory();
    fputs(c->drop_assertions ? "assert=drop" : "", out);
    fputs(c->no_warnings ? "; warn=none" : "", out);
    fputs(c->trust_indices ? "; index=trust" : "", out);
    for (size_t i = 0; i < c->values.count; i++) {
        const struct pair *p = &c->values.items[i];
        if (is_type(p->value)) {
            fprintf(out, "; %s=%s", p->name, p->value);
            continue;
        }
        if (*p->value == '@')
            print_file(out, p->name, p->value + 1);
        else
            print_number(out, p->name, p->value);
        c->values.items[kept++] = *p;
    }
    c->values.count = kept;
    if (fclose(out))
        fatal_memory();
    c->options.python = c->python;
}
