/* Writes the corner cases of this folder:
 *
 *     generate-corner FOLDER
 *
 * FOLDER/cases/<name> gets a program, its arguments and results, FOLDER/transcripts/<name> a program and what
 * sdfg-run says to it. The files are kept in the repository. */
#include "tests/run/corner.h"

#include "engine/cli/npy.h"
#include "ir/json/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool complain(struct corner *c, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", c->name, what, why);
    c->good = false;
    return false;
}

static void make_folder(struct corner *c, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        complain(c, folder, strerror(errno));
}

/* ---- values ---- */

struct values {
    struct arena *arena;
    sdfg_dtype dtype;
    size_t parts; /* numbers per element: 2 for complex types */
    VEC(const char *) numbers;
};

static void add_number(struct values *v, const char *text, size_t length)
{
    const char *number = arena_strndup(v->arena, text, length);
    vec_push(v->arena, &v->numbers, number);
}

/* "20*7", "0:20" and "19:-1" in place of many numbers. */
static void add_item(struct values *v, const char *text, size_t length)
{
    const char *star = memchr(text, '*', length), *colon = memchr(text, ':', length);
    if (star)
        for (long i = strtol(text, NULL, 10); i-- > 0;)
            add_number(v, star + 1, (size_t)(text + length - star - 1));
    else if (colon)
        for (long i = strtol(text, NULL, 10), end = strtol(colon + 1, NULL, 10), step = i < end ? 1 : -1; i != end;
             i += step) {
            const char *number = arena_printf(v->arena, "%ld", i);
            add_number(v, number, strlen(number));
        }
    else
        add_number(v, text, length);
}

static void set_element(const struct values *v, size_t index, unsigned char *memory)
{
    const char *re = v->numbers.items[index * v->parts];
    if (dtype_is_integer(v->dtype))
        element_set_integer(v->dtype, memory, strtoll(re, NULL, 10));
    else
        element_set(v->dtype, memory, strtod(re, NULL),
                    v->parts == 2 ? strtod(v->numbers.items[index * 2 + 1], NULL) : 0);
}

static bool write_values(struct corner *c, const char *part, const char *name, sdfg_dtype dtype, int rank,
                         const int64_t *shape, const char *text)
{
    const char *folder = arena_printf(c->ir->arena, "%s/%s", c->folder, part);
    const char *path = arena_printf(c->ir->arena, "%s/%s.npy", folder, name);
    struct values v = { .arena = c->ir->arena, .dtype = dtype, .parts = dtype_is_complex(dtype) ? 2 : 1 };
    struct tensor t;
    char why[200];
    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        size_t length = strcspn(text, ", ");
        add_item(&v, text, length);
        text += length;
    }
    if (!tensor_alloc(&t, dtype, sdfg_dtype_size(dtype), rank, shape))
        return complain(c, path, "out of memory");
    make_folder(c, folder);
    size_t count = (size_t)tensor_count(&t);
    bool fits = count * v.parts == v.numbers.count;
    for (size_t i = 0; fits && i < count; i++)
        set_element(&v, i, (unsigned char *)t.data + i * t.item_bytes);
    bool good = fits ? npy_write(&t, path, why, sizeof why) || complain(c, path, why)
                     : complain(c, path, "not as many values as the array has elements");
    tensor_free(&t);
    return good;
}

/* ---- arguments ---- */

struct declaration {
    const char *type, *name, *shape; /* shape NULL: none */
    uint32_t lanes;                  /* 0: no vector */
};

static struct declaration declared(struct corner *c, const char *text)
{
    struct declaration d = { 0 };
    size_t type = strcspn(text, " "), name = strcspn(text + type + 1, "[");
    const char *open = text + type + 1 + name;
    size_t element = strcspn(text, ": ");
    d.type = arena_strndup(c->ir->arena, text, element);
    d.lanes = element < type ? (uint32_t)strtoul(text + element + 1, NULL, 10) : 0;
    d.name = arena_strndup(c->ir->arena, text + type + 1, name);
    if (*open)
        d.shape = arena_strndup(c->ir->arena, open + 1, strlen(open) - 2);
    return d;
}

void corner_entry(struct corner *c, const char *json)
{
    text_printf(&c->args, "%s\n  %s", c->args.length ? "," : "", json);
}

/* The number that a symbol given before has. */
static bool given_value(struct corner *c, const char *name, int64_t *out)
{
    const char *found =
        strstr(text_get(&c->args), arena_printf(c->ir->arena, "{\"name\": \"%s\", \"kind\": \"symbol\"", name));
    found = found ? strstr(found, "\"in\": ") : NULL;
    *out = found ? strtoll(found + 6, NULL, 10) : 0;
    return found != NULL;
}

static int actual_shape(struct corner *c, const char *text, int64_t *shape)
{
    build_list parts = { 0 };
    build_split(c->ir, text, ',', &parts);
    for (uint32_t i = 0; i < parts.count; i++) {
        char *end;
        shape[i] = strtoll(parts.items[i], &end, 10);
        if (*end && !given_value(c, parts.items[i], &shape[i]))
            complain(c, parts.items[i], "a shape names symbols given before");
    }
    return (int)parts.count;
}

static void give_array(struct corner *c, const char *declaration, const char *strides, const char *before,
                       const char *after)
{
    struct declaration d = declared(c, declaration);
    struct arena *a = c->ir->arena;
    int64_t shape[SDFG_MAX_RANK];
    int rank = actual_shape(c, d.shape, shape);
    sdfg_dtype dtype = sdfg_dtype_by_name(d.type);
    struct text dims = text_new(a), entry = text_new(a);
    struct container *known = sdfg_find_container(c->s, d.name);
    if (!known)
        known = build_array(c->s, d.name, d.type, d.shape);
    const char *type = d.type;
    if (d.lanes) { /* the last dimension of the values */
        known->type = type_vector(c->ir, type_by_name(c->ir, d.type), d.lanes, NULL);
        type = arena_printf(a, "vector(%s,%u)", d.type, d.lanes);
        shape[rank++] = d.lanes;
    }
    for (int i = 0; i < rank; i++)
        text_printf(&dims, "%s%lld", i ? ", " : "", (long long)shape[i]);
    text_printf(&entry, "{\"name\": \"%s\", \"kind\": \"array\", \"dtype\": \"%s\", \"shape\": [%s]", d.name, type,
                text_get(&dims));
    if (strides) {
        build_strides(c->s, known, strides);
        text_printf(&entry, ", \"strides\": [%s]", strides);
    }
    text_printf(&entry, ", \"in\": \"in/%s.npy\"", d.name);
    if (after)
        text_printf(&entry, ", \"out\": \"out/%s.npy\"", d.name);
    text_addc(&entry, '}');
    corner_entry(c, text_get(&entry));
    write_values(c, "in", d.name, dtype, rank, shape, before);
    if (after)
        write_values(c, "out", d.name, dtype, rank, shape, after);
}

void corner_array(struct corner *c, const char *declaration, const char *before, const char *after)
{
    give_array(c, declaration, NULL, before, after);
}

void corner_strided(struct corner *c, const char *declaration, const char *strides, const char *before,
                    const char *after)
{
    give_array(c, declaration, strides, before, after);
}

void corner_values(struct corner *c, const char *declaration, const char *values)
{
    struct declaration d = declared(c, declaration);
    int64_t shape[SDFG_MAX_RANK];
    int rank = actual_shape(c, d.shape, shape);
    write_values(c, "in", d.name, sdfg_dtype_by_name(d.type), rank, shape, values);
}

static void give_value(struct corner *c, struct declaration d, const char *kind, const char *value)
{
    bool plain = strspn(value, "[-0123456789") > 0;
    const char *quote = plain ? "" : "\"";
    corner_entry(c,
                 arena_printf(c->ir->arena, "{\"name\": \"%s\", \"kind\": \"%s\", \"dtype\": \"%s\", \"in\": %s%s%s}",
                              d.name, kind, d.type, quote, value, quote));
}

void corner_scalar(struct corner *c, const char *declaration, const char *value)
{
    struct declaration d = declared(c, declaration);
    if (!sdfg_find_container(c->s, d.name))
        build_scalar(c->s, d.name, d.type);
    give_value(c, d, "scalar", value);
}

void corner_symbol(struct corner *c, const char *declaration, const char *value)
{
    struct declaration d = declared(c, declaration);
    if (!sdfg_symbol_type(c->s, d.name))
        build_symbol(c->s, d.name, d.type);
    give_value(c, d, "symbol", value);
}

void corner_says(struct corner *c, const char *transcript) { c->transcript = transcript; }

/* ---- programs ---- */

struct state *corner_state(struct corner *c)
{
    struct state *st = build_state(&c->s->region, arena_printf(c->ir->arena, "s%u", c->s->region.blocks.count));
    if (c->last)
        build_transition(c->last, &st->block, NULL, NULL);
    c->last = &st->block;
    return st;
}

/* "a = A[i]": the parts on both sides. */
static void split_pair(struct ir *ir, const char *text, const char **left, const char **right)
{
    const char *equals = strchr(text, '=');
    *left = intern_n(ir->names, text, strcspn(text, " ="));
    *right = equals + 1 + strspn(equals + 1, " ");
}

struct operands {
    build_list connectors, memlets;
    const char *names; /* of the connectors, with commas */
};

static struct operands operands_of(struct ir *ir, const char *list)
{
    struct operands o = { 0 };
    struct text names = text_new(ir->arena);
    build_list pairs = { 0 };
    build_split(ir, list, ',', &pairs);
    for (uint32_t i = 0; i < pairs.count; i++) {
        const char *connector, *memlet;
        split_pair(ir, pairs.items[i], &connector, &memlet);
        vec_push(ir->arena, &o.connectors, connector);
        vec_push(ir->arena, &o.memlets, memlet);
        text_printf(&names, "%s%s", i ? ", " : "", connector);
    }
    o.names = text_get(&names);
    return o;
}

static struct access *access_for(struct state *st, uint32_t first, const char *memlet)
{
    const char *name = intern_n(st->sdfg->ir->names, memlet, strcspn(memlet, " ["));
    for (uint32_t i = first; i < st->nodes.count; i++)
        if (as_access(st->nodes.items[i]) && as_access(st->nodes.items[i])->name == name)
            return as_access(st->nodes.items[i]);
    return build_access(st, name);
}

struct corner_body corner_body(struct state *st, const char *ranges, const char *code, const char *inputs,
                               const char *outputs, const char *wcr)
{
    struct ir *ir = st->sdfg->ir;
    struct operands in = operands_of(ir, inputs), out = operands_of(ir, outputs);
    const char *label = arena_printf(ir->arena, "t%u", st->nodes.count);
    struct corner_body b = { 0 };
    uint32_t first = st->nodes.count;
    for (uint32_t i = 0; i < in.memlets.count; i++)
        access_for(st, first, in.memlets.items[i]);
    b.map = ranges ? build_map(st, arena_printf(ir->arena, "m%u", st->nodes.count), ranges) : NULL;
    b.tasklet = build_tasklet(st, label, in.names, out.names, code);
    struct node *t = &b.tasklet->node, *entry = b.map ? &b.map->node : NULL;
    for (uint32_t i = 0; i < in.memlets.count; i++) {
        struct node *source = &access_for(st, first, in.memlets.items[i])->node;
        build_path(in.memlets.items[i], NULL, NULL, in.connectors.items[i], source, entry ? entry : t, entry ? t : NULL,
                   NULL);
    }
    if (entry && !in.memlets.count)
        build_edge(entry, NULL, t, NULL, NULL, NULL);
    first = st->nodes.count;
    for (uint32_t i = 0; i < out.memlets.count; i++) {
        struct node *target = &access_for(st, first, out.memlets.items[i])->node;
        build_path(out.memlets.items[i], wcr, out.connectors.items[i], NULL, t, entry ? b.map->exit : target,
                   entry ? target : NULL, NULL);
    }
    return b;
}

struct edge *corner_in(const struct corner_body *b, const char *connector)
{
    return node_in_edge(&b->tasklet->node, intern(b->tasklet->node.state->sdfg->ir->names, connector));
}

struct edge *corner_out(const struct corner_body *b, const char *connector)
{
    return node_out_edge(&b->tasklet->node, intern(b->tasklet->node.state->sdfg->ir->names, connector));
}

struct edge *corner_copy(struct state *st, const char *from, const char *to, const char *memlet)
{
    return build_edge(&build_access(st, from)->node, NULL, &build_access(st, to)->node, NULL, memlet, NULL);
}

void corner_schedule(const struct corner_body *b, enum enum_row schedule)
{
    b->map->schedule = enum_builtin(b->map->node.state->sdfg->ir, schedule);
}

/* ---- files ---- */

static bool write_file(struct corner *c, const char *name, const char *text)
{
    const char *path = arena_printf(c->ir->arena, "%s/%s", c->folder, name);
    FILE *file = fopen(path, "wb");
    bool good = file && fputs(text, file) >= 0;
    good = file && fclose(file) == 0 && good;
    return good || complain(c, path, strerror(errno));
}

static void begin_call(struct corner *c)
{
    struct arena *a = c->ir->arena;
    c->folder =
        c->call ? arena_printf(a, "%s/%s__%d", c->root, c->name, c->call) : arena_printf(a, "%s/%s", c->root, c->name);
    c->args = text_new(a);
    make_folder(c, c->folder);
}

static void end_call(struct corner *c)
{
    struct text json = text_new(c->ir->arena);
    text_addc(&json, '{');
    if (c->call)
        text_printf(&json, "\"stateful\": true, \"call_index\": %d, ", c->call);
    if (c->rtol)
        text_printf(&json, "\"rtol\": %s, ", c->rtol);
    if (c->uninit)
        text_printf(&json, "\"uninit_suspect\": [\"%s\"], ", c->uninit);
    text_printf(&json, "\"args\": [%s%s]}\n", text_get(&c->args), c->args.length ? "\n" : "");
    if (c->args.length || !c->transcript)
        write_file(c, "case.json", text_get(&json));
}

void corner_next_call(struct corner *c)
{
    end_call(c);
    c->call++;
    begin_call(c);
}

/* The program of all calls, and what is said to it. */
static void write_program(struct corner *c)
{
    struct ir *ir = c->ir;
    struct text compact = text_new(ir->arena), out = text_new(ir->arena);
    bool good = build_finish(c->s) && (c->transcript || sdfg_validate(c->s));
    for (uint32_t i = 0; !good && i < diags_count(ir->diags); i++)
        diag_print(diags_get(ir->diags, i), &out);
    if (!good) {
        complain(c, "prog.sdfg", text_get(&out));
        return;
    }
    sdfg_write(c->s, &compact);
    json_write_indented(ir->arena, json_parse(ir->arena, ir->diags, text_get(&compact), compact.length), &out);
    if (c->transcript)
        write_file(c, "transcript.txt", c->transcript);
    for (; c->call >= 0; c->call--) {
        c->folder = c->call ? arena_printf(ir->arena, "%s/%s__%d", c->root, c->name, c->call)
                            : arena_printf(ir->arena, "%s/%s", c->root, c->name);
        write_file(c, "prog.sdfg", text_get(&out));
    }
}

/* ---- cases ---- */

static bool write_case(const char *root, const struct corner_row *row)
{
    struct corner c = { .ir = ir_new(), .name = row->name, .root = root, .good = true };
    c.s = build_sdfg(c.ir, "corner");
    begin_call(&c);
    row->build(&c);
    end_call(&c);
    write_program(&c);
    ir_free(c.ir);
    return c.good;
}

/* "int32 a = -7": inputs become scalars a_in, outputs arrays a_out of one element. */
static void arithmetic_operands(struct corner *c, const char *list, bool input, struct text *memlets)
{
    build_list items = { 0 };
    build_split(c->ir, list, ',', &items);
    for (uint32_t i = 0; i < items.count; i++) {
        const char *left = items.items[i], *equals = strchr(left, '=');
        struct declaration d = declared(c, arena_strndup(c->ir->arena, left, (size_t)(equals - left) - 1));
        const char *container = arena_printf(c->ir->arena, "%s_%s", d.name, input ? "in" : "out");
        const char *value = equals + 2;
        text_printf(memlets, "%s%s = %s[0]", i ? ", " : "", d.name, container);
        if (input)
            corner_scalar(c, arena_printf(c->ir->arena, "%s %s", d.type, container), value);
        else
            corner_array(c, arena_printf(c->ir->arena, "%s %s[1]", d.type, container),
                         dtype_is_complex(sdfg_dtype_by_name(d.type)) ? "0 0" : "0", value);
    }
}

static bool write_arithmetic(const char *root, const struct corner_arithmetic *row)
{
    struct corner c = { .ir = ir_new(), .name = row->name, .root = root, .good = true, .rtol = row->rtol };
    struct text inputs = text_new(c.ir->arena), outputs = text_new(c.ir->arena);
    c.s = build_sdfg(c.ir, "corner");
    begin_call(&c);
    arithmetic_operands(&c, row->inputs, true, &inputs);
    arithmetic_operands(&c, row->outputs, false, &outputs);
    corner_body(corner_state(&c), NULL, row->code, text_get(&inputs), text_get(&outputs), NULL);
    end_call(&c);
    write_program(&c);
    ir_free(c.ir);
    return c.good;
}

int main(int argc, char **argv)
{
    static const struct corner_row *const tables[] = {
        corner_connectors, corner_copies, corner_conflicts, corner_control, corner_symbols, corner_calls, corner_scopes,
        corner_types,      corner_memory, corner_order,     corner_teams,   corner_devices, corner_clocks
    };
    if (argc != 2) {
        fprintf(stderr, "usage: generate-corner FOLDER\n");
        return 2;
    }
    struct arena *arena = arena_new();
    const char *cases = arena_printf(arena, "%s/cases", argv[1]);
    const char *transcripts = arena_printf(arena, "%s/transcripts", argv[1]);
    bool good = (mkdir(cases, 0777) == 0 || errno == EEXIST) && (mkdir(transcripts, 0777) == 0 || errno == EEXIST);
    for (const struct corner_arithmetic *row = corner_arithmetic; row->name; row++)
        good &= write_arithmetic(cases, row);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct corner_row *row = tables[i]; row->name; row++)
            good &= write_case(row->says ? transcripts : cases, row);
    arena_free(arena);
    return good ? 0 : 1;
}
