#include "engine/cli/inputs.h"

#include "base/near.h"
#include "engine/cli/file.h"
#include "engine/cli/fill.h"
#include "engine/cli/npy.h"
#include "engine/cli/options.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"
#include "engine/cli/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *tool_of(const struct inputs *in) { return tool_name(in->command->tool); }

static int out_of_memory(const struct inputs *in)
{
    fprintf(stderr, "%s: out of memory\n", tool_of(in));
    return EXIT_MISSING;
}

static int checked(const struct inputs *in, sdfg_error *e) { return e ? report_error(in->command, e) : 0; }

const struct input *inputs_find(const struct inputs *in, const char *name)
{
    for (size_t i = 0; i < in->count; i++)
        if (!strcmp(in->items[i].name, name))
            return &in->items[i];
    return NULL;
}

static bool find_argument(const struct inputs *in, const char *name, sdfg_argument *out)
{
    out->struct_size = sizeof *out;
    return sdfg_program_lookup(in->program, name, out);
}

/* The argument a name belongs to: "A.data" and "A[2]" belong to A. */
static bool find_root(const struct inputs *in, const char *name, sdfg_argument *out)
{
    char *root = strndup(name, strcspn(name, ".["));
    bool found = root && find_argument(in, root, out);
    free(root);
    return found;
}

static int unknown_name(const struct inputs *in, const char *name)
{
    struct near n = near_begin(name);
    sdfg_argument a = { .struct_size = sizeof a };
    for (size_t i = 0; sdfg_program_argument(in->program, i, &a); i++)
        near_try(&n, a.name);
    options_try(in->command->tool, &n);
    fprintf(stderr, "%s: '%s' is neither an option nor an argument of the program", tool_of(in), name);
    fprintf(stderr, *n.best ? "; did you mean '--%s'?\n" : "; --describe lists them\n", n.best);
    return EXIT_USAGE;
}

/* Takes over `data`. */
static int add_array(struct inputs *in, const char *name, const struct view *v)
{
    sdfg_argument info;
    struct input *items = realloc(in->items, (in->count + 1) * sizeof *items);
    char *copy = strdup(name);
    if (items)
        in->items = items;
    if (!items || !copy) {
        free(v->data);
        free(copy);
        return out_of_memory(in);
    }
    bool known = find_root(in, name, &info);
    in->items[in->count++] = (struct input){ copy, *v, known && info.written, known && info.returned };
    sdfg_array array = { .struct_size = sizeof array,
                         .data = v->data,
                         .dtype = v->dtype,
                         .rank = v->rank,
                         .item_bytes = v->item_bytes,
                         .strides = v->strides };
    memcpy(array.shape, v->shape, sizeof array.shape);
    return checked(in, sdfg_args_array(in->args, name, &array));
}

bool inputs_read(const struct inputs *in, const char *name, struct tensor *out, const char *path, char *why,
                 size_t why_size)
{
    const struct split_array *a = distribute_find(&in->distributions, name);
    return a ? distribute_read(&in->distributions, a, out, path, why, why_size) : npy_read(out, path, why, why_size);
}

static int give_file(struct inputs *in, const struct pair *p)
{
    char why[256];
    struct tensor t;
    if (!inputs_read(in, p->name, &t, p->value + 1, why, sizeof why)) {
        fprintf(stderr, "%s: --%s=%s: %s\n", tool_of(in), p->name, p->value, why);
        return EXIT_FILE;
    }
    struct view v = view_of_tensor(&t);
    return add_array(in, p->name, &v);
}

static int not_a_value(const struct inputs *in, const struct pair *p, const sdfg_argument *info)
{
    fprintf(stderr, "%s: --%s=%s: expected a value of type %s\n", tool_of(in), p->name, p->value, info->type);
    return EXIT_USAGE;
}

/* Members of structures are what the call may change: they have memory. */
static bool is_member(const char *name) { return strpbrk(name, ".[") != NULL; }

static int give_member(struct inputs *in, const struct pair *p, const sdfg_argument *info, const struct single *value)
{
    struct tensor t;
    if (!tensor_alloc(&t, info->dtype, sdfg_dtype_size(info->dtype), 0, NULL))
        return out_of_memory(in);
    if (!value_store(value, info->dtype, t.data)) {
        tensor_free(&t);
        return not_a_value(in, p, info);
    }
    struct view v = view_of_tensor(&t);
    return add_array(in, p->name, &v);
}

/* A number or a text, as the declared type asks. */
static int give_value(struct inputs *in, const struct pair *p, const sdfg_argument *info)
{
    struct single value;
    if (info->dtype == SDFG_NONE)
        return checked(in, sdfg_args_string(in->args, p->name, p->value));
    if (!value_parse(&value, p->value))
        return not_a_value(in, p, info);
    if (is_member(p->name) && info->dtype != SDFG_RECORD && info->lanes == 1)
        return give_member(in, p, info, &value);
    return checked(in, value_give(in->args, p->name, &value));
}

static int not_one_value(const struct inputs *in, const struct pair *p, const sdfg_argument *info)
{
    sdfg_argument member = SDFG_ARGUMENT_INIT;
    bool named = info->kind == SDFG_KIND_STRUCTURE && sdfg_program_member(in->program, p->name, 0, &member);
    fprintf(stderr, "%s: --%s=%s: its parts are given, as in --%s%s%s=VALUE\n", tool_of(in), p->name, p->value, p->name,
            named ? "." : "[0]", named ? member.name : "");
    return EXIT_USAGE;
}

/* It is filled when it is made. */
static int check_stream(const struct inputs *in, const struct pair *p)
{
    if (*p->value == '@')
        return 0;
    fprintf(stderr, "%s: --%s=%s: a stream is empty or holds the elements of a file, @FILE.npy\n", tool_of(in), p->name,
            p->value);
    return EXIT_USAGE;
}

static int make_stream(struct inputs *in, const char *name, const sdfg_argument *a, const struct pair *p)
{
    char why[256];
    struct tensor t;
    bool made, memory;
    int code = checked(in, streams_make(&in->streams, in->args, name, a, &made, &memory));
    if (!memory)
        return out_of_memory(in);
    if (code || !p || !made)
        return code;
    bool read = npy_read(&t, p->value + 1, why, sizeof why);
    bool filled = read && streams_fill(&in->streams, &t, why, sizeof why);
    if (!filled)
        fprintf(stderr, "%s: --%s=%s: %s\n", tool_of(in), p->name, p->value, why);
    if (read)
        tensor_free(&t);
    return filled ? 0 : EXIT_FILE;
}

static const struct pair *given_last(const struct inputs *in, const char *name)
{
    for (size_t i = in->command->values.count; i--;)
        if (!strcmp(in->command->values.items[i].name, name))
            return &in->command->values.items[i];
    return NULL;
}

static bool is_value(const sdfg_argument *a) { return a->kind == SDFG_KIND_SCALAR || a->kind == SDFG_KIND_SYMBOL; }

static bool has_members(const sdfg_argument *a)
{
    return a->kind == SDFG_KIND_STRUCTURE || a->kind == SDFG_KIND_CONTAINER_ARRAY;
}

int inputs_given(struct inputs *in)
{
    const struct pairs *values = &in->command->values;
    int code = ranks_agree(distribute_begin(&in->distributions, in->command, in->program));
    code = code ? code : distribute_load(&in->distributions, in->command);
    for (size_t i = 0; !code && i < values->count; i++) {
        const struct pair *p = &values->items[i];
        sdfg_argument info;
        struct fill f;
        if (!find_argument(in, p->name, &info))
            return unknown_name(in, p->name);
        if (given_last(in, p->name) != p)
            continue;
        if (info.kind == SDFG_KIND_STREAM)
            code = check_stream(in, p);
        else if (*p->value == '@')
            code = give_file(in, p);
        else if (!strcmp(p->value, "null"))
            code = checked(in, sdfg_args_null(in->args, p->name));
        else if (is_value(&info))
            code = give_value(in, p, &info);
        else if (has_members(&info))
            code = not_one_value(in, p, &info);
        else if (!fill_parse(&f, p->value)) {
            fprintf(stderr,
                    "%s: --%s=%s: expected @FILE.npy, zero, ones, iota, random[:SEED], normal[:SEED], constant:X, "
                    "null or a number\n",
                    tool_of(in), p->name, p->value);
            code = EXIT_USAGE;
        }
    }
    return code ? code : checked(in, sdfg_args_solve(in->args));
}

/* The engine, which may load other programs, cannot tell. */
int inputs_specialized(const struct inputs *in)
{
    const char *list = in->command->options.specialize;
    if (!list || !strcmp(list, "auto") || !strcmp(list, "none") || !strcmp(list, "all"))
        return EXIT_GOOD;
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        char *name = strndup(at, length);
        if (!name)
            return out_of_memory(in);
        struct near n = near_begin(name);
        sdfg_argument a = SDFG_ARGUMENT_INIT;
        bool found = false;
        for (size_t i = 0; sdfg_program_argument(in->program, i, &a); i++)
            if (a.kind == SDFG_KIND_SYMBOL) {
                found = found || !strcmp(a.name, name);
                near_try(&n, a.name);
            }
        if (!found)
            fprintf(stderr, "%s: --specialize=%s: the program has no symbol '%s'%s%s%s\n", tool_of(in), list, name,
                    *n.best ? "; did you mean '" : "", n.best, *n.best ? "'?" : "");
        free(name);
        if (!found)
            return EXIT_USAGE;
        at += length + (at[length] == ',');
    }
    return EXIT_GOOD;
}

/* ---- what is missing ---- */

/* The whole argument, once. Nothing is reported if there is no memory for it. */
static void note_filled(struct inputs *in, const char *name)
{
    size_t length = strcspn(name, ".["), n = in->num_filled;
    if (n && !strncmp(in->filled[n - 1], name, length) && !in->filled[n - 1][length])
        return;
    char **filled = realloc(in->filled, (n + 1) * sizeof *filled);
    if (filled)
        in->filled = filled;
    char *copy = filled ? strndup(name, length) : NULL;
    if (copy)
        in->filled[in->num_filled++] = copy;
}

void inputs_print_filled(const struct inputs *in, FILE *f)
{
    enum { WIDTH = 100 };
    static const char title[] = "not given, filled with a pattern:";
    size_t column = sizeof title - 1;
    if (!in->num_filled)
        return;
    fputs(title, f);
    for (size_t i = 0; i < in->num_filled; i++) {
        size_t length = strlen(in->filled[i]);
        if (column + length + 2 > WIDTH) {
            fputs("\n ", f);
            column = 1;
        }
        fprintf(f, " %s%s", in->filled[i], i + 1 < in->num_filled ? "," : "");
        column += length + 2;
    }
    fputc('\n', f);
}

static int missing_symbol(const struct inputs *in, const char *name)
{
    char *lines = NULL;
    size_t length = strlen(name);
    fprintf(stderr, "%s: symbol '%s' has no value; give --%s=VALUE\n", tool_of(in), name, name);
    sdfg_error_free(sdfg_args_explain(&lines, in->args));
    for (char *line = lines; line && *line; line += strcspn(line, "\n") + 1)
        if (!strncmp(line, name, length) && line[length] == ':')
            fprintf(stderr, "  %.*s\n", (int)strcspn(line, "\n") - (int)length - 2, line + length + 2);
    sdfg_text_free(lines);
    return EXIT_USAGE;
}

static int make_value(struct inputs *in, const char *name, const sdfg_argument *a)
{
    int64_t value;
    unsigned char memory[16];
    if (given_last(in, name) || sdfg_args_value(in->args, name, &value) || (a->kind == SDFG_KIND_SYMBOL && a->optional))
        return 0;
    if (a->kind == SDFG_KIND_SYMBOL && dtype_is_integer(a->dtype))
        return missing_symbol(in, name);
    if (a->dtype == SDFG_NONE || a->dtype == SDFG_RECORD || a->lanes != 1)
        return 0; /* the call says that it is missing */
    struct fill f = fill_default(name);
    note_filled(in, name);
    if (dtype_is_integer(a->dtype))
        f = (struct fill){ .kind = FILL_ONES };
    if (is_member(name)) {
        struct tensor t;
        if (!tensor_alloc(&t, a->dtype, sdfg_dtype_size(a->dtype), 0, NULL))
            return out_of_memory(in);
        fill_memory(&f, a->dtype, t.data, 1);
        struct view v = view_of_tensor(&t);
        return add_array(in, name, &v);
    }
    fill_memory(&f, a->dtype, memory, 1);
    return checked(in, sdfg_args_scalar(in->args, name, a->dtype, memory));
}

static void print_list(const char *before, const int64_t *values, int count, const char *behind)
{
    fputs(before, stderr);
    for (int i = 0; i < count; i++)
        fprintf(stderr, "%s%lld", i ? ", " : "", (long long)values[i]);
    fputs(behind, stderr);
}

static int invalid_layout(const struct inputs *in, const char *name, const struct view *v)
{
    fprintf(stderr, "%s: '%s' cannot be made: ", tool_of(in), name);
    print_list("its shape would be [", v->shape, v->rank, "], ");
    print_list("its strides [", v->strides, v->rank, "]\n");
    return EXIT_USAGE;
}

static int no_memory_for(const struct inputs *in, const char *name, const struct view *v)
{
    fprintf(stderr, "%s: out of memory for '%s': ", tool_of(in), name);
    print_list("[", v->shape, v->rank, "] elements");
    fprintf(stderr, " of %zu bytes\n", v->item_bytes);
    return EXIT_MISSING;
}

/* May arrays of so many bytes more be made? Without a limit, as long as the machine's memory would hold them. */
static bool may_make(struct inputs *in, uint64_t bytes)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t limit = file_limit()            ? file_limit()
                     : pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page
                                             : UINT64_MAX;
    if (bytes > limit || in->made > limit - bytes)
        return false;
    in->made += bytes;
    return true;
}

static int too_large(const struct inputs *in, const char *name, const struct view *v)
{
    fprintf(stderr, "%s: '%s' is too large to be made (--input-limit): ", tool_of(in), name);
    print_list("[", v->shape, v->rank, "] elements");
    fprintf(stderr, " of %zu bytes\n", v->item_bytes);
    return EXIT_MISSING;
}

/* Memory for the array `name`, which `a` describes. */
static int make_array(struct inputs *in, const char *name, const sdfg_argument *a, struct fill f)
{
    struct view v = { .dtype = a->dtype, .item_bytes = sdfg_dtype_size(a->dtype) };
    int64_t elements, total;
    int code = checked(in, sdfg_args_layout(in->args, name, &v.rank, v.shape, v.strides, &elements));
    if (code)
        return code;
    if (a->dtype == SDFG_NONE || a->dtype == SDFG_RECORD)
        return 0;
    for (int i = 0; i < v.rank; i++) {
        if (__builtin_mul_overflow(v.strides[i], (int64_t)a->lanes, &total))
            return invalid_layout(in, name, &v);
        v.strides[i] = total;
    }
    if (a->lanes > 1 && v.rank < SDFG_MAX_RANK) {
        v.shape[v.rank] = a->lanes;
        v.strides[v.rank++] = 1;
    }
    int64_t begin, end;
    view_extent(&v, &begin, &end);
    if (begin < 0 || elements < 0 || __builtin_mul_overflow(elements, (int64_t)a->lanes, &total)) {
        return invalid_layout(in, name, &v);
    }
    total = total > end ? total : end;
    size_t bytes;
    if (__builtin_mul_overflow((size_t)total, v.item_bytes, &bytes) || !may_make(in, bytes))
        return too_large(in, name, &v);
    if (!(v.data = memory_aligned(bytes)))
        return no_memory_for(in, name, &v);
    const struct split_array *block = distribute_find(&in->distributions, name);
    if (block && distribute_check(block, v.rank, v.shape))
        return EXIT_USAGE;
    if (block)
        distribute_fill(&in->distributions, block, &f, &v);
    else
        fill_memory(&f, v.dtype, v.data, total);
    return add_array(in, name, &v);
}

static int make_missing(struct inputs *in, const char *name, const sdfg_argument *a);

/* The members of a structure, or the elements of a container array. */
static int make_members(struct inputs *in, const char *name, const sdfg_argument *a)
{
    sdfg_argument m = { .struct_size = sizeof m };
    int64_t shape[SDFG_MAX_RANK], strides[SDFG_MAX_RANK], elements = 1;
    int rank, code = 0;
    bool indexed = a->kind == SDFG_KIND_CONTAINER_ARRAY;
    if (indexed)
        code = checked(in, sdfg_args_layout(in->args, name, &rank, shape, strides, &elements));
    for (int64_t n = 0; !code && n < elements; n++)
        for (size_t i = 0; !code && sdfg_program_member(in->program, name, i, &m); i++) {
            char *member = NULL;
            int length =
                indexed ? asprintf(&member, "%s[%lld]", name, (long long)n) : asprintf(&member, "%s.%s", name, m.name);
            code = length < 0 ? out_of_memory(in) : make_missing(in, member, &m);
            free(member);
        }
    return code;
}

static int make_missing(struct inputs *in, const char *name, const sdfg_argument *a)
{
    const struct pair *p = given_last(in, name);
    if (inputs_find(in, name) || (p && !strcmp(p->value, "null")))
        return 0;
    if (is_value(a))
        return make_value(in, name, a);
    if (has_members(a))
        return make_members(in, name, a);
    if (a->kind == SDFG_KIND_STREAM)
        return make_stream(in, name, a, p);
    if (a->kind != SDFG_KIND_ARRAY)
        return 0;
    struct fill f = a->returned ? (struct fill){ .kind = FILL_ZERO } : fill_default(name);
    if (p)
        fill_parse(&f, p->value);
    else if (!a->returned)
        note_filled(in, name);
    return make_array(in, name, a, f);
}

int inputs_complete(struct inputs *in)
{
    sdfg_argument a = { .struct_size = sizeof a };
    int code = 0;
    for (size_t i = 0; sdfg_program_argument(in->program, i, &a); i++)
        if (is_value(&a)) {
            int failed = make_value(in, a.name, &a);
            code = failed ? failed : code;
        }
    if (!code)
        code = checked(in, sdfg_args_solve(in->args));
    for (size_t i = 0; !code && sdfg_program_argument(in->program, i, &a); i++)
        if (!is_value(&a))
            code = make_missing(in, a.name, &a);
    return code;
}

static int take_queue(struct inputs *in, const struct stream_input *s, size_t queue)
{
    struct tensor t;
    char *name = NULL;
    bool named =
        s->num_queues == 1 ? (name = strdup(s->name)) != NULL : asprintf(&name, "%s[%zu]", s->name, queue) >= 0;
    struct input *items = realloc(in->items, (in->count + 1) * sizeof *items);
    if (items)
        in->items = items;
    if (!named || !items || !streams_take(s, queue, &t)) {
        free(name);
        return out_of_memory(in);
    }
    in->items[in->count++] = (struct input){ name, view_of_tensor(&t), true, false };
    return 0;
}

int inputs_take_streams(struct inputs *in)
{
    int code = 0;
    for (size_t i = 0; !code && i < in->streams.count; i++)
        for (size_t q = 0; !code && q < in->streams.items[i].num_queues; q++)
            code = take_queue(in, &in->streams.items[i], q);
    return code;
}

void inputs_release(struct inputs *in)
{
    streams_release(&in->streams);
    distribute_release(&in->distributions);
    for (size_t i = 0; i < in->count; i++) {
        free(in->items[i].name);
        free(in->items[i].view.data);
    }
    free(in->items);
    for (size_t i = 0; i < in->num_filled; i++)
        free(in->filled[i]);
    free(in->filled);
}
