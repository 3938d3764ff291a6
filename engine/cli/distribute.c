#include "engine/cli/distribute.h"

#include "engine/cli/ranks.h"
#include "engine/cli/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line ---- */

static int usage(const struct pair *p, const char *why)
{
    fprintf(stderr, "sdfg-run: --distribute=%s=%s: %s\n", p->name, p->value, why);
    return EXIT_USAGE;
}

/* "block:0,1", "block:-,0" */
static int parse(struct split_array *a, const struct pair *p, int rank)
{
    const char *at = p->value;
    bool seen[SDFG_MAX_RANK] = { false };
    if (strncmp(at, "block:", 6))
        return usage(p, "expected block: and, for each dimension of the grid of processes, the dimension of the array "
                        "that it splits, or '-', as in block:0,1");
    for (at += 6;; at++) {
        char *end = (char *)(uintptr_t)at + 1;
        long dim = *at == '-' ? -1 : strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || (*at != '-' && (*at < '0' || *at > '9')))
            return usage(p, "expected numbers of dimensions, or '-', with commas between");
        if (dim >= rank)
            return usage(p, "the array has no dimension of that number");
        if (a->used == SDFG_MAX_RANK || (dim >= 0 && seen[dim]))
            return usage(p, "a dimension is split twice");
        if (dim >= 0)
            seen[dim] = true;
        a->dims[a->used++] = (int)dim;
        at = end;
        if (!*at)
            return EXIT_GOOD;
    }
}

/* "2x2"; false if it is something else. */
static bool parse_grid(struct distributions *d, const char *text)
{
    for (const char *at = text;; at++) {
        char *end;
        long n = strtol(at, &end, 10);
        if (end == at || n < 1 || n > INT32_MAX || d->rank == SDFG_MAX_RANK || (*end && *end != 'x'))
            return false;
        d->grid[d->rank++] = n;
        at = end;
        if (!*at)
            return true;
    }
}

/* As equal extents as possible, the largest first: prime factors, the largest first, go to the smallest extent. */
static void square_grid(struct distributions *d, int rank)
{
    int left = ranks_size();
    d->rank = rank;
    for (int i = 0; i < rank; i++)
        d->grid[i] = 1;
    for (int factor = left; factor > 1; factor--) {
        bool prime = true;
        for (int k = 2; prime && k * k <= factor; k++)
            prime = factor % k != 0;
        for (; prime && left % factor == 0; left /= factor) {
            int least = rank - 1;
            for (int i = rank - 1; i >= 0; i--)
                least = d->grid[i] <= d->grid[least] ? i : least;
            d->grid[least] *= factor;
        }
    }
}

static int make_grid(struct distributions *d, const char *text)
{
    int most = 1, all = 1;
    for (size_t i = 0; i < d->count; i++)
        most = d->items[i].used > most ? d->items[i].used : most;
    if (text && !parse_grid(d, text)) {
        fprintf(stderr, "sdfg-run: --grid=%s: expected numbers of processes, as in 4x2\n", text);
        return EXIT_USAGE;
    }
    if (!text)
        square_grid(d, most);
    for (int i = 0; i < d->rank && all <= ranks_size(); i++)
        all *= (int)d->grid[i];
    if (text && all != ranks_size()) {
        fprintf(stderr, "sdfg-run: --grid=%s: there are %d processes\n", text, ranks_size());
        return EXIT_USAGE;
    }
    if (most > d->rank) {
        fprintf(stderr, "sdfg-run: --grid=%s: an array is split along %d dimensions of the grid\n", text, most);
        return EXIT_USAGE;
    }
    int rank = ranks_rank();
    for (int i = d->rank - 1; i >= 0; rank /= (int)d->grid[i--])
        d->at[i] = rank % d->grid[i];
    return EXIT_GOOD;
}

int distribute_begin(struct distributions *d, const struct command *c, sdfg_program *program)
{
    const struct pairs *list = &c->distributes;
    *d = (struct distributions){ .rank = 0 };
    d->items = calloc(list->count + 1, sizeof *d->items);
    if (!d->items)
        return EXIT_MISSING;
    for (size_t i = 0; i < list->count; i++) {
        const struct pair *p = &list->items[i];
        sdfg_argument info = SDFG_ARGUMENT_INIT;
        if (distribute_find(d, p->name))
            return usage(p, "the array is distributed already");
        if (!sdfg_program_lookup(program, p->name, &info) || info.kind != SDFG_KIND_ARRAY || info.lanes > 1)
            return usage(p, "the program has no array of that name that can be split");
        d->items[d->count].name = p->name;
        int code = parse(&d->items[d->count++], p, info.rank);
        if (code)
            return code;
    }
    return make_grid(d, c->grid);
}

void distribute_release(struct distributions *d) { free(d->items); }

const struct split_array *distribute_find(const struct distributions *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++)
        if (!strcmp(d->items[i].name, name))
            return &d->items[i];
    return NULL;
}

/* ---- blocks ---- */

/* The whole array to which a block of these extents belongs, and where the block begins. */
static void whole_of(const struct distributions *d, const struct split_array *a, int rank, const int64_t *block,
                     int64_t *whole, int64_t *first)
{
    for (int i = 0; i < rank; i++) {
        whole[i] = block[i];
        first[i] = 0;
    }
    for (int i = 0; i < a->used; i++)
        if (a->dims[i] >= 0) {
            whole[a->dims[i]] *= d->grid[i];
            first[a->dims[i]] = block[a->dims[i]] * d->at[i];
        }
}

bool distribute_read(const struct distributions *d, const struct split_array *a, struct tensor *out, const char *path,
                     char *why, size_t why_size)
{
    struct npy_part part;
    sdfg_dtype dtype;
    int rank;
    int64_t whole[SDFG_MAX_RANK];
    if (!npy_shape(path, &dtype, &rank, whole)) { /* which does not say why */
        struct tensor t;
        bool read = npy_read(&t, path, why, why_size);
        if (read)
            tensor_free(&t);
        if (read)
            snprintf(why, why_size, "records cannot be split");
        return false;
    }
    memcpy(part.count, whole, sizeof whole);
    for (int i = 0; i < a->used; i++) {
        int dim = a->dims[i];
        if (dim >= rank || (dim >= 0 && whole[dim] % d->grid[i])) {
            snprintf(why, why_size,
                     dim >= rank ? "the file has no dimension %d"
                                 : "dimension %d has %lld elements, not a multiple of "
                                   "%lld processes",
                     dim, dim >= rank ? 0 : (long long)whole[dim], (long long)d->grid[i]);
            return false;
        }
        if (dim >= 0)
            part.count[dim] /= d->grid[i];
    }
    whole_of(d, a, rank, part.count, whole, part.first);
    return npy_read_part(out, path, &part, why, why_size);
}

void distribute_fill(const struct distributions *d, const struct split_array *a, const struct fill *f,
                     const struct view *v)
{
    int64_t whole[SDFG_MAX_RANK], first[SDFG_MAX_RANK], count = view_count(v);
    whole_of(d, a, v->rank, v->shape, whole, first);
    for (int64_t n = 0; n < count; n++) {
        int64_t place = 0, stride = 1, rest = n;
        for (int i = v->rank - 1; i >= 0; i--) {
            place += (first[i] + rest % v->shape[i]) * stride;
            rest /= v->shape[i];
            stride *= whole[i];
        }
        fill_element(f, v->dtype, view_at(v, n), place);
    }
}

/* ---- results ---- */

/* Of the processes that have the same block, the first one writes it. */
static bool writes(const struct distributions *d, const struct split_array *a)
{
    for (int i = 0; i < d->rank; i++)
        if (d->at[i] && (i >= a->used || a->dims[i] < 0))
            return false;
    return true;
}

static int said(const char *name, const char *path, const char *why)
{
    fprintf(stderr, "sdfg-run: --output=%s=@%s: %s\n", name, path, why);
    return EXIT_FILE;
}

static int write_blocks(const struct distributions *d, const struct split_array *a, const struct tensor *block,
                        const char *path, const char *unfinished)
{
    char why[256] = "";
    int64_t first[SDFG_MAX_RANK];
    struct tensor whole = { .dtype = block->dtype, .item_bytes = block->item_bytes, .rank = block->rank };
    whole_of(d, a, block->rank, block->shape, whole.shape, first);
    bool good = ranks_rank() || npy_begin_parts(&whole, unfinished, why, sizeof why);
    int code = ranks_agree(good ? EXIT_GOOD : said(a->name, path, why));
    if (code)
        return code;
    good = !writes(d, a) || npy_write_part(block, unfinished, &whole, first, why, sizeof why);
    code = ranks_agree(good ? EXIT_GOOD : said(a->name, path, why));
    if (!ranks_rank() && !code && rename(unfinished, path))
        code = said(a->name, path, strerror(errno));
    if (!ranks_rank() && code)
        unlink(unfinished);
    return ranks_agree(code);
}

int distribute_write(const struct distributions *d, const struct split_array *a, const struct view *v, const char *path)
{
    struct tensor block = { .rank = 0 };
    char *unfinished = NULL;
    bool good = asprintf(&unfinished, "%s.unfinished", path) >= 0 && view_gather(v, &block);
    int code = ranks_agree(good ? EXIT_GOOD : said(a->name, path, "out of memory"));
    if (!code)
        code = write_blocks(d, a, &block, path, unfinished);
    free(unfinished);
    tensor_free(&block);
    return code;
}
