/* reemit FOLDER...: every .sdfg and .sdfgz below must load, or be refused with an error that says where; what loads is
 * validated and written again, and reading that and writing once more gives the same bytes. Prints what broke and a
 * summary with the slowest rate of reading and validating. */
#include "ir/graph.h"
#include "ir/ir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    unsigned files, loaded, valid, refused, broken;
    double seconds, bytes;
} total;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void broken(const char *path, const char *what)
{
    total.broken++;
    printf("%s: %s\n", path, what);
}

/* The text of a second writing; NULL if the first one does not load. */
static const char *written_again(struct ir *ir, const struct text *first)
{
    struct sdfg *s = sdfg_read(ir, text_get(first), first->length, NULL);
    if (!s)
        return NULL;
    struct text t = text_new(ir->arena);
    sdfg_write(s, &t);
    return text_get(&t);
}

static bool has_place(const struct diags *d)
{
    for (uint32_t i = 0; i < diags_count(d); i++)
        if (!diags_get(d, i)->warning &&
            (*diags_get(d, i)->path || diags_get(d, i)->excerpt || *diags_get(d, i)->message))
            return true;
    return false;
}

static void check(const char *path, struct ir *ir)
{
    size_t size;
    char *text = file_read(ir->arena, ir->diags, path, &size);
    if (!text) {
        broken(path, "cannot be opened");
        return;
    }
    double begin = now();
    struct sdfg *s = sdfg_read(ir, text, size, NULL);
    if (!s) {
        total.refused++;
        if (!has_place(ir->diags))
            broken(path, "refused without a message");
        return;
    }
    total.loaded++;
    total.valid += sdfg_validate(s);
    total.seconds += now() - begin;
    total.bytes += (double)size;
    struct text first = text_new(ir->arena);
    sdfg_write(s, &first);
    struct ir *other = ir_new();
    const char *second = written_again(other, &first);
    if (!second)
        broken(path, "what was written does not load");
    else if (strcmp(second, text_get(&first)) != 0)
        broken(path, "written twice, the texts differ");
    ir_free(other);
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info, (void)position;
    const char *end = strrchr(path, '.');
    if (type != FTW_F || !end || (strcmp(end, ".sdfg") != 0 && strcmp(end, ".sdfgz") != 0))
        return 0;
    total.files++;
    struct ir *ir = ir_new();
    check(path, ir);
    ir_free(ir);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], visit, 64, FTW_PHYS)) {
            printf("cannot walk %s\n", argv[i]);
            return 2;
        }
    printf("%u files: %u loaded (%u valid), %u refused, %u broken; %.1f MB read and validated at %.1f ms per MB\n",
           total.files, total.loaded, total.valid, total.refused, total.broken, total.bytes / 1e6,
           total.bytes > 0 ? 1e9 * total.seconds / total.bytes : 0);
    return total.broken || !total.files ? 1 : 0;
}
