#include "tests/run/evaluate.h"

#include "ir/ir.h"

#include <string.h>

enum { MOST_NAMES = 64, MOST_RANK = 3, MOST_CONNECTORS = 8 };
static const uint64_t longest = 1500000; /* tasklets */

/* A number with its type in C: one of int32, uint32 and int64 once promoted. */
struct number {
    enum type_kind kind;
    int64_t v;
};

struct memory {
    enum type_kind kind;
    uint32_t rank;
    int64_t shape[MOST_RANK], strides[MOST_RANK];
    char *data;
};

struct name {
    const char *name;
    int64_t value;
};

/* One SDFG that is being run: its symbols, parameters of maps on top, and its memory. */
struct frame {
    struct name names[MOST_NAMES];
    uint32_t num_names;
    struct map memory; /* interned name -> struct memory * */
};

struct evaluator {
    struct ir *ir;
    struct arena *arena;
    struct frame *frame;
    struct map bodies; /* const struct tasklet * -> struct code * */
    uint64_t tasklets;
    enum evaluation failed; /* EVALUATED: go on */
};

/* The first reason stays. What is evaluated afterwards has no meaning, but does no harm and comes to an end. */
static void give_up(struct evaluator *v, enum evaluation why) { v->failed = v->failed ? v->failed : why; }

static void unknown(struct evaluator *v) { give_up(v, EVALUATION_UNKNOWN); }

/* ---- numbers ---- */

static int64_t wrapped(enum type_kind kind, int64_t v)
{
    switch (kind) {
    case TYPE_I8:
        return (int8_t)v;
    case TYPE_I16:
        return (int16_t)v;
    case TYPE_U8:
        return (uint8_t)v;
    case TYPE_U16:
        return (uint16_t)v;
    case TYPE_I32:
        return (int32_t)v;
    case TYPE_U32:
        return (uint32_t)v;
    default:
        return v;
    }
}

/* Doubles and floats hold integers. */
static struct number number(enum type_kind kind, int64_t v)
{
    enum type_kind promoted = kind;
    if (kind == TYPE_I8 || kind == TYPE_I16 || kind == TYPE_U8 || kind == TYPE_U16 || kind == TYPE_BOOL)
        promoted = TYPE_I32;
    else if (kind == TYPE_F64 || kind == TYPE_F32)
        promoted = TYPE_I64;
    return (struct number){ promoted, wrapped(kind, v) };
}

static struct number nothing(struct evaluator *v)
{
    unknown(v);
    return number(TYPE_I32, 0);
}

static enum type_kind common(struct number a, struct number b)
{
    if (a.kind == TYPE_I64 || b.kind == TYPE_I64)
        return TYPE_I64;
    return a.kind == TYPE_U32 || b.kind == TYPE_U32 ? TYPE_U32 : TYPE_I32;
}

static struct number binary(struct evaluator *v, enum code_op op, struct number a, struct number b)
{
    enum type_kind kind = common(a, b);
    int64_t x = wrapped(kind, a.v), y = wrapped(kind, b.v);
    switch (op) {
    case CODE_ADD:
        return number(kind, (int64_t)((uint64_t)x + (uint64_t)y));
    case CODE_SUB:
        return number(kind, (int64_t)((uint64_t)x - (uint64_t)y));
    case CODE_MUL:
        return number(kind, (int64_t)((uint64_t)x * (uint64_t)y));
    case CODE_BITXOR:
        return number(kind, x ^ y);
    case CODE_FLOORDIV: /* truncates, as C does */
    case CODE_MOD:
        if (y < 1)
            return nothing(v);
        return number(kind, op == CODE_MOD ? x % y : x / y);
    case CODE_LT:
        return number(TYPE_BOOL, x < y);
    case CODE_GT:
        return number(TYPE_BOOL, x > y);
    case CODE_EQ:
        return number(TYPE_BOOL, x == y);
    default:
        return nothing(v);
    }
}

static struct number smaller(struct number a, struct number b, bool larger)
{
    enum type_kind kind = common(a, b);
    int64_t x = wrapped(kind, a.v), y = wrapped(kind, b.v);
    return number(kind, larger ? x > y ? x : y : x < y ? x : y);
}

/* ---- memory ---- */

static size_t size_of(enum type_kind kind)
{
    switch (kind) {
    case TYPE_I8:
    case TYPE_U8:
        return 1;
    case TYPE_I16:
    case TYPE_U16:
        return 2;
    case TYPE_I64:
    case TYPE_F64:
        return 8;
    default:
        return 4;
    }
}

static int64_t load(const struct memory *m, int64_t at)
{
    int64_t v = 0;
    double d;
    float f;
    const char *from = m->data + at * (int64_t)size_of(m->kind);
    switch (m->kind) {
    case TYPE_F64:
        memcpy(&d, from, sizeof d);
        return (int64_t)d;
    case TYPE_F32:
        memcpy(&f, from, sizeof f);
        return (int64_t)f;
    default:
        memcpy(&v, from, size_of(m->kind)); /* the lower bytes */
        return wrapped(m->kind, v);
    }
}

static void store(const struct memory *m, int64_t at, int64_t v)
{
    double d = (double)v;
    float f = (float)v;
    const void *from = m->kind == TYPE_F64 ? (const void *)&d : m->kind == TYPE_F32 ? (const void *)&f : &v;
    memcpy(m->data + at * (int64_t)size_of(m->kind), from, size_of(m->kind));
}

static void combine(struct evaluator *v, const struct memory *m, int64_t at, enum wcr_kind wcr, struct number new)
{
    struct number old = number(m->kind, load(m, at)), value = number(m->kind, new.v);
    switch (wcr) {
    case WCR_NONE:
        break;
    case WCR_SUM:
        value = binary(v, CODE_ADD, old, value);
        break;
    case WCR_BIT_XOR:
        value = binary(v, CODE_BITXOR, old, value);
        break;
    case WCR_MIN:
    case WCR_MAX:
        value = smaller(old, value, wcr == WCR_MAX);
        break;
    default:
        unknown(v);
    }
    store(m, at, value.v);
}

/* One element, for what goes on after a failure. */
static struct memory *no_memory(struct evaluator *v)
{
    struct memory *m = NEW(v->arena, struct memory);
    unknown(v);
    *m = (struct memory){ .kind = TYPE_I64, .data = NEW_ARRAY(v->arena, char, sizeof(int64_t)) };
    return m;
}

static struct memory *memory_of(struct evaluator *v, const char *name)
{
    struct memory *m = map_get(&v->frame->memory, intern(v->ir->names, name));
    return m ? m : no_memory(v);
}

/* ---- symbols ---- */

static bool value_of(void *user, const char *name, int64_t *value)
{
    struct evaluator *v = user;
    for (uint32_t i = v->frame->num_names; i-- > 0;)
        if (v->frame->names[i].name == name) {
            *value = v->frame->names[i].value;
            return true;
        }
    return false;
}

static int64_t sym_value(struct evaluator *v, const struct sym *s)
{
    int64_t value;
    const char *name;
    if (s->op == SYM_INT)
        return s->i;
    if (sym_eval(s, value_of, v, &value, &name) == SYM_EVAL_OK)
        return value;
    unknown(v);
    return 0;
}

static void push_name(struct evaluator *v, const char *name, int64_t value)
{
    if (v->frame->num_names == MOST_NAMES)
        unknown(v);
    else
        v->frame->names[v->frame->num_names++] = (struct name){ intern(v->ir->names, name), value };
}

static void set_name(struct evaluator *v, const char *name, int64_t value)
{
    name = intern(v->ir->names, name);
    for (uint32_t i = v->frame->num_names; i-- > 0;)
        if (v->frame->names[i].name == name) {
            v->frame->names[i].value = value;
            return;
        }
    push_name(v, name, value);
}

/* ---- layouts ---- */

/* What a container says of memory that is not there yet. */
static struct memory *layout_of(struct evaluator *v, const struct container *c)
{
    struct memory *m = NEW(v->arena, struct memory);
    if (c->rank > MOST_RANK)
        return no_memory(v);
    *m = (struct memory){ .kind = c->type->kind, .rank = c->rank };
    for (uint32_t i = 0; i < c->rank; i++) {
        m->shape[i] = sym_value(v, c->shape[i]);
        m->strides[i] = sym_value(v, c->strides[i]);
    }
    return m;
}

static struct memory *new_memory(struct evaluator *v, const struct container *c)
{
    struct memory *m = layout_of(v, c);
    m->data = NEW_ARRAY(v->arena, char, (size_t)sym_value(v, c->total_size) * size_of(m->kind));
    return m;
}

/* ---- regions ---- */

/* Elements that a memlet names: of each dimension the first index, how many, and the distance in memory. */
struct region_of {
    struct memory *memory;
    int64_t base, sizes[MOST_RANK], steps[MOST_RANK], count;
    uint32_t rank;
};

static struct region_of region_of(struct evaluator *v, struct memory *m, const struct subset *s)
{
    struct region_of r = { .memory = m, .count = 1, .rank = m->rank };
    for (uint32_t i = 0; i < m->rank; i++) {
        int64_t begin = s ? sym_value(v, s->dims[i].begin) : 0,
                end = s ? sym_value(v, s->dims[i].end) : m->shape[i] - 1;
        int64_t step = s ? sym_value(v, s->dims[i].step) : 1;
        r.base += begin * m->strides[i];
        r.sizes[i] = end < begin || step < 1 ? 0 : (end - begin) / step + 1;
        r.steps[i] = step * m->strides[i];
        r.count *= r.sizes[i];
        bool inside = begin >= 0 && begin + (r.sizes[i] - 1) * step < m->shape[i];
        if (step < 1 || (r.sizes[i] && !inside))
            return (struct region_of){ .memory = no_memory(v), .count = 1 };
    }
    return r;
}

/* Element number `n` in row-major order. */
static int64_t element(const struct region_of *r, int64_t n)
{
    int64_t at = r->base;
    for (uint32_t i = r->rank; i-- > 0; n /= r->sizes[i])
        at += n % r->sizes[i] * r->steps[i];
    return at;
}

/* A view or a reference stands for what the edge says at its other end. */
static void point(struct evaluator *v, const struct access *a, const struct edge *e)
{
    const struct memlet *m = &e->memlet;
    const struct access *other = as_access(e->dst == &a->node ? e->src : e->dst);
    bool named = m->data && m->data != a->data;
    if (!named && !other) {
        unknown(v);
        return;
    }
    struct region_of r = region_of(v, memory_of(v, named ? m->name : other->name), named ? m->subset : m->other);
    struct memory *own = layout_of(v, a->data);
    own->data = r.memory->data + r.base * (int64_t)size_of(r.memory->kind);
    map_put(v->arena, &v->frame->memory, a->data->name, own);
}

static void point_view(struct evaluator *v, struct access *a)
{
    struct edge *e = view_edge(a);
    struct access *viewed = e ? as_access(e->dst == &a->node ? e->src : e->dst) : NULL;
    if (viewed && container_is_view(viewed->data))
        point_view(v, viewed);
    if (e)
        point(v, a, e);
    else
        unknown(v);
}

/* Views follow the variables around: they are set whenever their scope begins. */
static void point_views(struct evaluator *v, struct state *st, struct node *entry)
{
    for (struct node *n = scope_first(st, entry); n; n = n->beside)
        if (as_access(n) && as_access(n)->data && container_is_view(as_access(n)->data))
            point_view(v, as_access(n));
}

static bool is_pointing(const struct edge *e)
{
    struct access *src = as_access(e->src), *dst = as_access(e->dst);
    return (src && container_is_view(src->data) && view_edge(src) == e) ||
           (dst && container_is_view(dst->data) && view_edge(dst) == e);
}

static void copy(struct evaluator *v, const struct edge *e)
{
    if (is_pointing(e))
        return;
    if (e->dst_conn && !strcmp(e->dst_conn, "set")) {
        point(v, as_access(e->dst), e);
        return;
    }
    const struct memlet *m = &e->memlet;
    struct region_of from = region_of(v, memory_of(v, as_access(e->src)->name), memlet_source_subset(m));
    struct region_of to = region_of(v, memory_of(v, as_access(e->dst)->name), memlet_target_subset(m));
    if (from.count != to.count)
        unknown(v);
    for (int64_t i = 0; !v->failed && i < from.count; i++)
        combine(v, to.memory, element(&to, i), m->wcr_kind,
                number(from.memory->kind, load(from.memory, element(&from, i))));
}

/* ---- code ---- */

struct connector_value {
    const char *name;
    bool pointer;
    struct region_of region;
    struct number value;
};

struct code_frame {
    struct connector_value items[MOST_CONNECTORS + MOST_CONNECTORS]; /* connectors, then local variables */
    uint32_t count;
};

static struct connector_value *find_local(struct code_frame *c, const char *name)
{
    for (uint32_t i = 0; c && i < c->count; i++)
        if (!strcmp(c->items[i].name, name))
            return &c->items[i];
    return NULL;
}

static struct number value(struct evaluator *v, struct code_frame *f, const struct code *c);

static struct number subscript(struct evaluator *v, struct code_frame *f, const struct code *c)
{
    const char *name = c->items[0]->name;
    const struct connector_value *local = find_local(f, name);
    const struct code *const *index = (const struct code *const *)(c->items + 1);
    uint32_t count = c->count - 1, next = 0;
    if (count == 1 && index[0]->kind == CODE_TUPLE) {
        count = index[0]->count;
        index = (const struct code *const *)index[0]->items;
    }
    struct memory *m = local ? local->region.memory : memory_of(v, name);
    struct region_of all = local ? local->region : region_of(v, m, NULL);
    int64_t at = all.base;
    for (uint32_t i = 0; i < all.rank; i++) { /* dimensions of one element have no index in tasklets */
        if (local && all.sizes[i] == 1)
            continue;
        int64_t n = next < count ? value(v, f, index[next++]).v : -1;
        if (n < 0 || n >= all.sizes[i])
            return nothing(v);
        at += n * all.steps[i];
    }
    return number(m->kind, load(m, at));
}

static struct number call(struct evaluator *v, struct code_frame *f, const struct code *c)
{
    const struct code *callee = c->items[0];
    if (callee->kind == CODE_MEMBER && !strcmp(callee->name, "int64"))
        return number(TYPE_I64, value(v, f, c->items[1]).v);
    if (callee->kind != CODE_NAME || c->count < 2)
        return nothing(v);
    struct number a = value(v, f, c->items[1]);
    if (!strcmp(callee->name, "abs"))
        return a.kind == TYPE_U32 || a.v >= 0 ? a : number(a.kind, (int64_t) - (uint64_t)a.v);
    bool largest = !strcmp(callee->name, "max");
    if (c->count != 3 || (!largest && strcmp(callee->name, "min") != 0))
        return nothing(v);
    return smaller(a, value(v, f, c->items[2]), largest);
}

static struct number name_value(struct evaluator *v, struct code_frame *f, const struct code *c)
{
    int64_t symbol;
    const struct connector_value *local = find_local(f, c->name);
    if (local && !local->pointer)
        return local->value;
    if (!local && value_of(v, intern(v->ir->names, c->name), &symbol))
        return number(TYPE_I64, symbol);
    return nothing(v);
}

static struct number value(struct evaluator *v, struct code_frame *f, const struct code *c)
{
    switch (c->kind) {
    case CODE_INT:
        return number(c->i == (int32_t)c->i ? TYPE_I32 : TYPE_I64, c->i);
    case CODE_NAME:
        return name_value(v, f, c);
    case CODE_INDEX:
        return subscript(v, f, c);
    case CODE_CALL:
        return call(v, f, c);
    case CODE_CAST:
        return number(c->type->kind, value(v, f, c->items[0]).v);
    case CODE_BINARY: {
        struct number a = value(v, f, c->items[0]);
        return binary(v, c->op, a, value(v, f, c->items[1]));
    }
    case CODE_UNARY:
        return c->op == CODE_NEG ? binary(v, CODE_SUB, number(TYPE_I32, 0), value(v, f, c->items[0])) : nothing(v);
    case CODE_SELECT: {
        bool first = value(v, f, c->items[0]).v;
        struct number a = value(v, f, c->items[1]), b = value(v, f, c->items[2]);
        return number(common(a, b), first ? a.v : b.v);
    }
    default:
        return nothing(v);
    }
}

static void assign(struct evaluator *v, struct code_frame *f, const char *name, struct number n)
{
    struct connector_value *local = find_local(f, name);
    bool full = f->count == sizeof f->items / sizeof *f->items;
    if (local ? local->pointer : full) {
        unknown(v);
        return;
    }
    if (!local) {
        local = &f->items[f->count++];
        *local = (struct connector_value){ .name = name, .value = n };
    }
    local->value = number(local->value.kind == TYPE_VOID ? n.kind : local->value.kind, n.v);
}

static void run(struct evaluator *v, struct code_frame *f, const struct code *c)
{
    switch (c->kind) {
    case CODE_BLOCK:
        for (uint32_t i = 0; i < c->count; i++)
            run(v, f, c->items[i]);
        return;
    case CODE_ASSIGN: {
        struct number n = value(v, f, c->items[0]);
        const char *name = c->items[1]->name;
        if (c->count != 2 || c->items[1]->kind != CODE_NAME) {
            unknown(v);
            return;
        }
        assign(v, f, name, c->op ? binary(v, c->op, name_value(v, f, c->items[1]), n) : n);
        return;
    }
    case CODE_IF:
        if (value(v, f, c->items[0]).v)
            run(v, f, c->items[1]);
        else if (c->count > 2 && c->items[2])
            run(v, f, c->items[2]);
        return;
    case CODE_FOR_RANGE: {
        int64_t begin = c->items[0] ? value(v, f, c->items[0]).v : 0, end = value(v, f, c->items[1]).v;
        for (int64_t i = begin; !v->failed && i < end; i++) {
            assign(v, f, c->name, number(TYPE_I64, i));
            run(v, f, c->items[3]);
        }
        return;
    }
    default:
        unknown(v);
    }
}

/* ---- nodes ---- */

/* The text is parsed once. */
static const struct code *body_of(struct evaluator *v, const struct tasklet *t)
{
    struct code *tree = map_get(&v->bodies, t);
    if (!tree) {
        tree = python_parse(v->ir, &t->node.place, t->code.text);
        map_put(v->arena, &v->bodies, t, tree);
    }
    return tree;
}

static void run_tasklet(struct evaluator *v, const struct tasklet *t)
{
    struct code_frame f = { .count = 0 };
    if (++v->tasklets > longest)
        give_up(v, EVALUATION_TOO_LONG);
    if (v->failed || t->node.in.count > MOST_CONNECTORS)
        return;
    for (uint32_t i = 0; i < t->node.in.count; i++) {
        const struct edge *e = t->node.in.items[i];
        if (memlet_is_empty(&e->memlet))
            continue;
        struct connector_value *c = &f.items[f.count++];
        *c = (struct connector_value){ .name = e->dst_conn };
        c->region = region_of(v, memory_of(v, e->memlet.name), e->memlet.subset);
        c->pointer = c->region.count != 1;
        if (!c->pointer)
            c->value = number(c->region.memory->kind, load(c->region.memory, c->region.base));
    }
    run(v, &f, body_of(v, t));
    for (uint32_t i = 0; i < t->node.out.count; i++) {
        const struct edge *e = t->node.out.items[i];
        const struct connector_value *c = find_local(&f, e->src_conn);
        struct region_of to = region_of(v, memory_of(v, e->memlet.name), e->memlet.subset);
        if (!c || to.count != 1)
            unknown(v);
        else
            combine(v, to.memory, to.base, e->memlet.wcr_kind, c->value);
    }
}

static void run_scope(struct evaluator *v, struct state *st, struct node *entry);

static void run_map(struct evaluator *v, struct map_entry *m, uint32_t dimension)
{
    if (dimension == m->params.count) {
        run_scope(v, m->node.state, &m->node);
        return;
    }
    const struct range *r = &m->range.dims[dimension];
    int64_t begin = sym_value(v, r->begin), end = sym_value(v, r->end), step = sym_value(v, r->step);
    uint32_t place = v->frame->num_names;
    push_name(v, m->params.items[dimension], begin);
    if (step == 0)
        unknown(v);
    for (int64_t i = begin; !v->failed && (step > 0 ? i <= end : i >= end); i += step) {
        v->frame->names[place].value = i;
        run_map(v, m, dimension + 1);
    }
    v->frame->num_names = place;
}

/* Inputs of a map that are no connectors IN_ are symbols inside. */
static void enter_map(struct evaluator *v, struct map_entry *m)
{
    uint32_t names = v->frame->num_names;
    for (uint32_t i = 0; i < m->node.in.count; i++) {
        const struct edge *e = m->node.in.items[i];
        if (!e->dst_conn || !strncmp(e->dst_conn, "IN_", 3))
            continue;
        struct region_of r = region_of(v, memory_of(v, e->memlet.name), e->memlet.subset);
        push_name(v, e->dst_conn, load(r.memory, r.base));
    }
    run_map(v, m, 0);
    v->frame->num_names = names;
}

static void run_sdfg(struct evaluator *v, struct sdfg *s);

/* Inner names stand for the memory from the first element of the memlet on. */
static void call_nested(struct evaluator *v, const struct nested *n)
{
    struct frame *inner = NEW(v->arena, struct frame), *outer = v->frame;
    for (int out = 0; out < 2; out++) {
        uint32_t count = out ? n->node.out.count : n->node.in.count;
        for (uint32_t i = 0; i < count; i++) {
            const struct edge *e = out ? n->node.out.items[i] : n->node.in.items[i];
            const char *conn = intern(v->ir->names, out ? e->src_conn : e->dst_conn);
            struct region_of r = region_of(v, memory_of(v, e->memlet.name), e->memlet.subset);
            struct memory *m = NEW(v->arena, struct memory);
            *m = *r.memory;
            m->data += r.base * (int64_t)size_of(m->kind);
            map_put(v->arena, &inner->memory, conn, m);
        }
    }
    for (uint32_t i = 0; i < n->mapping.count; i++)
        inner->names[inner->num_names++] =
            (struct name){ n->mapping.items[i].name, sym_value(v, n->mapping.items[i].value) };
    v->frame = inner;
    run_sdfg(v, n->sdfg);
    v->frame = outer;
}

static struct region_of operand(struct evaluator *v, const struct library *l, const char *conn)
{
    const struct edge *e = node_in_edge(&l->node, intern(v->ir->names, conn));
    return e ? region_of(v, memory_of(v, e->memlet.name), e->memlet.subset)
             : (struct region_of){ .memory = no_memory(v), .count = 1 };
}

/* A product of two vectors is all there is. */
static void run_library(struct evaluator *v, const struct library *l)
{
    static const char dot[] = ".Dot";
    size_t length = strlen(l->classpath);
    struct region_of x = operand(v, l, "_x"), y = operand(v, l, "_y");
    if (length < sizeof dot || strcmp(l->classpath + length - (sizeof dot - 1), dot) != 0 || x.count != y.count ||
        l->node.out.count != 1)
        unknown(v);
    struct number sum = number(TYPE_I64, 0);
    for (int64_t i = 0; !v->failed && i < x.count; i++) {
        struct number a = number(x.memory->kind, load(x.memory, element(&x, i)));
        struct number b = number(y.memory->kind, load(y.memory, element(&y, i)));
        sum = binary(v, CODE_ADD, sum, binary(v, CODE_MUL, a, b));
    }
    if (!v->failed) {
        const struct memlet *m = &l->node.out.items[0]->memlet;
        struct region_of to = region_of(v, memory_of(v, m->name), m->subset);
        combine(v, to.memory, to.base, WCR_NONE, sum);
    }
}

static void run_node(struct evaluator *v, struct node *n)
{
    if (as_tasklet(n))
        run_tasklet(v, as_tasklet(n));
    else if (as_map_entry(n))
        enter_map(v, as_map_entry(n));
    else if (as_nested(n))
        call_nested(v, as_nested(n));
    else if (as_library(n))
        run_library(v, as_library(n));
    else if (!as_access(n))
        unknown(v);
    for (uint32_t i = 0; as_access(n) && i < n->in.count; i++)
        if (as_access(n->in.items[i]->src))
            copy(v, n->in.items[i]);
}

/* What has to be done before: the node itself, or for an exit the whole scope. */
static bool is_done(const bool *done, const struct node *n, const struct node *entry)
{
    const struct node *before = node_is_exit(n) ? scope_entry(n) : n;
    return before == entry || done[before->index];
}

static void run_scope(struct evaluator *v, struct state *st, struct node *entry)
{
    bool done[256] = { false };
    if (st->nodes.count > sizeof done)
        unknown(v);
    point_views(v, st, entry);
    for (bool again = true; again && !v->failed;) {
        again = false;
        for (struct node *n = scope_first(st, entry); n; n = n->beside) {
            bool ready = !done[n->index] && !node_is_exit(n);
            for (uint32_t i = 0; ready && i < n->in.count; i++)
                ready = is_done(done, n->in.items[i]->src, entry);
            if (!ready)
                continue;
            run_node(v, n);
            done[n->index] = again = true;
        }
    }
}

/* ---- control flow ---- */

static void run_region(struct evaluator *v, struct region *r);

static bool holds(struct evaluator *v, const struct code *c) { return value(v, NULL, c).v != 0; }

/* "i = e", of a loop. */
static void run_statement(struct evaluator *v, const struct code *c)
{
    if (c->kind == CODE_BLOCK)
        c = c->items[0];
    if (c->kind != CODE_ASSIGN || c->op || c->items[1]->kind != CODE_NAME)
        unknown(v);
    else
        set_name(v, c->items[1]->name, value(v, NULL, c->items[0]).v);
}

static void run_loop(struct evaluator *v, struct loop *l)
{
    if (l->inverted)
        unknown(v);
    run_statement(v, l->init.tree);
    for (; !v->failed && holds(v, l->condition.tree); run_statement(v, l->update.tree))
        run_region(v, &l->region);
}

static void run_block(struct evaluator *v, struct block *b)
{
    if (as_state(b))
        run_scope(v, as_state(b), NULL);
    else if (as_loop(b))
        run_loop(v, as_loop(b));
    else if (as_region(b))
        run_region(v, as_region(b));
    else if (!as_conditional(b))
        unknown(v);
    for (uint32_t i = 0; as_conditional(b) && i < as_conditional(b)->branches.count; i++) {
        const struct branch *branch = &as_conditional(b)->branches.items[i];
        if (branch->condition.tree && !holds(v, branch->condition.tree))
            continue;
        run_region(v, branch->region);
        return;
    }
}

static void run_region(struct evaluator *v, struct region *r)
{
    for (struct block *b = r->start; b && !v->failed;) {
        run_block(v, b);
        if (!b->out.count)
            return;
        const struct transition *t = b->out.items[0];
        if (b->out.count > 1 || t->condition.tree)
            unknown(v);
        for (uint32_t i = 0; i < t->assignments.count; i++)
            set_name(v, t->assignments.items[i].name, value(v, NULL, t->assignments.items[i].value).v);
        b = t->dst;
    }
}

/* Transients are new, arguments have the layout that this SDFG gives them. */
static void run_sdfg(struct evaluator *v, struct sdfg *s)
{
    for (uint32_t i = 0; i < s->containers.count; i++) {
        const struct container *c = s->containers.items[i];
        struct memory *given = c->transient ? NULL : map_get(&v->frame->memory, c->name);
        if (container_is_view(c) || container_is_reference(c))
            continue;
        struct memory *m = given ? layout_of(v, c) : new_memory(v, c);
        if (given)
            m->data = given->data;
        if (!c->transient && !given)
            unknown(v);
        map_put(v->arena, &v->frame->memory, c->name, m);
    }
    run_region(v, &s->region);
}

enum evaluation evaluate(struct sdfg *s, const struct evaluate_argument *arguments, uint32_t count)
{
    struct arena *arena = arena_new();
    struct evaluator v = { .ir = s->ir, .arena = arena };
    v.frame = NEW(arena, struct frame);
    for (uint32_t i = 0; i < count; i++)
        if (!arguments[i].data)
            push_name(&v, arguments[i].name, arguments[i].value);
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].data) {
            const struct container *c = sdfg_find_container(s, arguments[i].name);
            struct memory *m = new_memory(&v, c);
            m->data = arguments[i].data;
            map_put(arena, &v.frame->memory, c->name, m);
        }
    run_sdfg(&v, s);
    arena_free(arena);
    return v.failed;
}
