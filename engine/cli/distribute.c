#include "engine/cli/distribute.h"

#include "engine/cli/options.h"
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

/* The size of a cyclic block behind a dimension: "/64". */
static bool parse_block(const char **end, int64_t *out)
{
    char *behind;
    if (**end != '/')
        return false;
    *out = strtoll(*end + 1, &behind, 10);
    bool good = behind != *end + 1 && *out > 0 && *out <= INT32_MAX;
    *end = behind;
    return good;
}

/* "block:0,1", "block:-,0", "cyclic:0/32,1/64" */
static int parse(struct split_array *a, const struct pair *p, int rank)
{
    const char *at = p->value;
    bool seen[SDFG_MAX_RANK] = { false }, cyclic = !strncmp(at, "cyclic:", 7);
    if (!cyclic && strncmp(at, "block:", 6))
        return usage(p, "expected block: and, for each dimension of the grid of processes, the dimension of the array "
                        "that it splits, or '-', as in block:0,1; or cyclic: and with each dimension the size of its "
                        "blocks, as in cyclic:0/32,1/32");
    for (at += cyclic ? 7 : 6;; at++) {
        char *behind = (char *)(uintptr_t)at + 1;
        long dim = *at == '-' ? -1 : strtol(at, &behind, 10);
        const char *end = behind;
        bool number = *at == '-' || (*at >= '0' && *at <= '9');
        if (cyclic && number && dim >= 0 && !parse_block(&end, &a->blocks[a->used]))
            return usage(p, "expected the size of blocks behind each dimension, as in cyclic:0/32");
        if (!number || (*end && *end != ','))
            return usage(p, "expected numbers of dimensions, or '-', with commas between");
        if (dim >= rank)
            return usage(p, "the array has no dimension of that number");
        if (a->used == SDFG_MAX_RANK)
            return usage(p, "grids of processes have 32 dimensions at most");
        if (dim >= 0 && seen[dim])
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
        if (n < 1 || n > INT32_MAX || d->rank == SDFG_MAX_RANK || (*end && *end != 'x'))
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
    int most = 1;
    int64_t all = 1;
    for (size_t i = 0; i < d->count; i++)
        most = d->items[i].used > most ? d->items[i].used : most;
    if (text && !parse_grid(d, text)) {
        fprintf(stderr, "sdfg-run: --grid=%s: expected numbers of processes, as in 4x2\n", text);
        return EXIT_USAGE;
    }
    if (!text)
        square_grid(d, most);
    for (int i = 0; i < d->rank && all <= ranks_size(); i++)
        all *= d->grid[i];
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
    if (!d->items) {
        fprintf(stderr, "%s: out of memory\n", tool_name(c->tool));
        return EXIT_MISSING;
    }
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

void distribute_release(struct distributions *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->items[i].loaded)
            tensor_free(d->items[i].loaded);
        free(d->items[i].loaded);
    }
    free(d->items);
}

static struct split_array *find(const struct distributions *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++)
        if (!strcmp(d->items[i].name, name))
            return &d->items[i];
    return NULL;
}

const struct split_array *distribute_find(const struct distributions *d, const char *name) { return find(d, name); }

/* ---- parts ---- */

/* What a process has of an array. */
struct share {
    int rank;
    int64_t whole[SDFG_MAX_RANK];
    struct npy_part part; /* of a block there is one run */
};

/* part: its extents. */
static struct share share_of(const struct distributions *d, const struct split_array *a, int rank, const int64_t *part)
{
    struct share s = { .rank = rank };
    for (int i = 0; i < rank; i++) {
        s.whole[i] = s.part.run[i] = part[i];
        s.part.runs[i] = 1;
    }
    for (int i = 0; i < a->used; i++) {
        int dim = a->dims[i];
        if (dim < 0)
            continue;
        int64_t block = a->blocks[i] ? a->blocks[i] : part[dim];
        s.whole[dim] = part[dim] * d->grid[i];
        s.part.first[dim] = block * d->at[i];
        s.part.run[dim] = block;
        s.part.runs[dim] = block ? part[dim] / block : 0;
        s.part.apart[dim] = block * d->grid[i];
    }
    return s;
}

/* Which element of the whole array, along a dimension, the element `i` of the part is. */
static int64_t place_of(const struct npy_part *p, int dim, int64_t i)
{
    return p->run[dim] ? p->first[dim] + i / p->run[dim] * p->apart[dim] + i % p->run[dim] : 0;
}

/* What this process has of the array in a file. */
static bool share_in_file(const struct distributions *d, const struct split_array *a, struct share *out,
                          const char *path, char *why, size_t why_size)
{
    sdfg_dtype dtype;
    int rank;
    int64_t whole[SDFG_MAX_RANK], mine[SDFG_MAX_RANK];
    if (!npy_shape(path, &dtype, &rank, whole)) { /* which does not say why */
        struct tensor t;
        bool read = npy_read(&t, path, why, why_size);
        if (read)
            tensor_free(&t);
        if (read)
            snprintf(why, why_size, "records cannot be split");
        return false;
    }
    memcpy(mine, whole, sizeof whole);
    for (int i = 0; i < a->used; i++) {
        int dim = a->dims[i];
        int64_t parts = d->grid[i] * (a->blocks[i] ? a->blocks[i] : 1);
        if (dim >= rank || (dim >= 0 && whole[dim] % parts)) {
            snprintf(why, why_size,
                     dim >= rank    ? "the file has no dimension %d"
                     : a->blocks[i] ? "dimension %d has %lld elements, not a multiple of %lld, of a block "
                                      "for each process"
                                    : "dimension %d has %lld elements, not a multiple of "
                                      "%lld processes",
                     dim, dim >= rank ? 0 : (long long)whole[dim], (long long)parts);
            return false;
        }
        if (dim >= 0)
            mine[dim] /= d->grid[i];
    }
    *out = share_of(d, a, rank, mine);
    return true;
}

/* The part of this process of a file that all use, by MPI's input and output if it can that. `rows` NULL: this one has
 * none. */
static bool transfer_together(const char *path, const struct npy_rows *rows, void *memory, bool writes, char *why,
                              size_t why_size)
{
    int64_t counts[2 * SDFG_MAX_RANK + 1] = { 0 }, strides[2 * SDFG_MAX_RANK + 1] = { 1 };
    int rank = rows ? rows->rank : 0;
    bool done = false;
    for (int i = 0; i < rank; i++) {
        counts[i] = rows->count[i];
        strides[i] = rows->stride[i];
    }
    if (rows) {
        counts[rank] = (int64_t)rows->bytes;
        strides[rank] = 1;
    }
    sdfg_error *e = NULL;
    if (ranks_size() > 1 && !ranks_own(path))
        e = sdfg_mpi_transfer(&done, path, writes, rows ? rows->begin : 0, rank + 1, counts, strides, memory);
    if (e) {
        int code = report_exit_code(e);
        fputs(sdfg_error_text(e), stderr);
        sdfg_error_free(e);
        ranks_fail(code); /* others may wait for this one */
    }
    return done || !rows || npy_transfer(path, rows, memory, writes, why, why_size);
}

static int load(const struct distributions *d, struct split_array *a, const struct pair *p)
{
    char why[256] = "";
    struct share s;
    struct npy_reading r;
    struct tensor *t = calloc(1, sizeof *t);
    const char *path = p->value + 1;
    bool good =
        t && share_in_file(d, a, &s, path, why, sizeof why) && npy_begin_reading(&r, t, path, &s.part, why, sizeof why);
    bool begun = good;
    if (!ranks_any(!good)) {
        good = transfer_together(path, &r.rows, r.memory, false, why, sizeof why);
        npy_end_reading(&r, good);
    } else if (begun) {
        npy_end_reading(&r, false);
    }
    if (!good) {
        fprintf(stderr, "sdfg-run: --%s=%s: %s\n", p->name, p->value, t ? why : "out of memory");
        free(t);
        return EXIT_FILE;
    }
    if (a->loaded)
        tensor_free(a->loaded);
    free(a->loaded);
    a->loaded = t;
    a->path = path;
    return EXIT_GOOD;
}

int distribute_load(struct distributions *d, const struct command *c)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; !code && ranks_size() > 1 && i < c->values.count; i++) {
        const struct pair *p = &c->values.items[i];
        struct split_array *a = find(d, p->name);
        if (a && *p->value == '@' && !ranks_own(p->value))
            code = ranks_agree(load(d, a, p));
    }
    return code;
}

bool distribute_read(const struct distributions *d, const struct split_array *a, struct tensor *out, const char *path,
                     char *why, size_t why_size)
{
    struct share s;
    struct npy_reading r;
    if (a->loaded && !strcmp(a->path, path)) {
        *out = *a->loaded;
        *a->loaded = (struct tensor){ 0 };
        return true;
    }
    if (!share_in_file(d, a, &s, path, why, why_size) || !npy_begin_reading(&r, out, path, &s.part, why, why_size))
        return false;
    bool good = npy_transfer(path, &r.rows, r.memory, false, why, why_size);
    npy_end_reading(&r, good);
    return good;
}

/* Patterns know the extents of a part from the program: are they whole blocks? */
int distribute_check(const struct split_array *a, int rank, const int64_t *part)
{
    for (int i = 0; i < a->used; i++) {
        int dim = a->dims[i];
        if (dim < 0 || dim >= rank || !a->blocks[i] || part[dim] % a->blocks[i] == 0)
            continue;
        fprintf(stderr, "sdfg-run: --distribute=%s: dimension %d of a part has %lld elements, not a multiple of %lld\n",
                a->name, dim, (long long)part[dim], (long long)a->blocks[i]);
        return EXIT_USAGE;
    }
    return EXIT_GOOD;
}

void distribute_fill(const struct distributions *d, const struct split_array *a, const struct fill *f,
                     const struct view *v)
{
    struct share s = share_of(d, a, v->rank, v->shape);
    int64_t count = view_count(v);
    for (int64_t n = 0; n < count; n++) {
        int64_t place = 0, stride = 1, rest = n;
        for (int i = v->rank - 1; i >= 0; i--) {
            place += place_of(&s.part, i, rest % v->shape[i]) * stride;
            rest /= v->shape[i];
            stride *= s.whole[i];
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

static int write_blocks(const struct distributions *d, const struct split_array *a, struct tensor *block,
                        const char *path, const char *unfinished)
{
    char why[256] = "";
    struct tensor whole = { .dtype = block->dtype, .item_bytes = block->item_bytes, .rank = block->rank };
    struct share s = share_of(d, a, block->rank, block->shape);
    memcpy(whole.shape, s.whole, sizeof s.whole);
    bool good = ranks_rank() || npy_begin_parts(&whole, unfinished, why, sizeof why);
    int code = ranks_agree(good ? EXIT_GOOD : said(a->name, path, why));
    if (code)
        return code;
    struct npy_rows rows;
    npy_rows_to_write(&rows, &whole, &s.part);
    good = transfer_together(unfinished, writes(d, a) ? &rows : NULL, block->data, true, why, sizeof why);
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
    int code = ranks_agree(distribute_check(a, v->rank, v->shape));
    if (code)
        return code;
    bool good = asprintf(&unfinished, "%s.unfinished", path) >= 0 && view_gather(v, &block);
    code = ranks_agree(good ? EXIT_GOOD : said(a->name, path, "out of memory"));
    if (!code)
        code = write_blocks(d, a, &block, path, unfinished);
    free(unfinished);
    tensor_free(&block);
    return code;
}
