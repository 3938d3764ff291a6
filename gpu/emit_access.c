/* Memory: addresses, elements, and what is known of the memory behind the parameters of a kernel. */
#include "gpu/emit_text.h"
#include "lower/tree/tree_callee.h"

#include <string.h>

/* ---- which accesses may be to the same memory ---- */

/* All accesses that begin at one variable, or that of unknown ones. */
struct place_in_memory {
    struct gpu_variable *variable; /* NULL: not known */
    VEC(uint32_t) classes;
    uint32_t mentions; /* as the beginning of an address */
    bool written;
};

struct accesses {
    struct gpu_func *f;
    bool barriers;     /* behind which memory has what other threads wrote: `__restrict__` would deny that */
    struct map places; /* struct gpu_variable * -> struct place_in_memory * */
    VEC(struct place_in_memory *) all;
    struct map begins; /* pointer variables of the kernel -> where they lead, if that is one variable */
    struct map visited;
};

static struct place_in_memory *place_of(struct accesses *a, struct gpu_variable *x)
{
    struct arena *arena = a->f->module->arena;
    struct place_in_memory *p = map_get(&a->places, x);
    if (p)
        return p;
    p = NEW(arena, struct place_in_memory);
    *p = (struct place_in_memory){ .variable = x };
    map_put(arena, &a->places, x, p);
    vec_push(arena, &a->all, p);
    return p;
}

static const struct tree_var unknown;

/* The variable of an address, by way of those that were given another one. NULL: not known. */
static const struct tree_var *begin_of(struct accesses *a, const struct tree_expr *pointer)
{
    const struct tree_var *v = expr_root_var(pointer);
    for (int i = 0; v && i < 16; i++) {
        const struct tree_var *next = map_get(&a->begins, v);
        if (!next)
            return v;
        v = next == &unknown ? NULL : next;
    }
    return NULL;
}

static bool find_begin(void *user, struct tree_stmt *s)
{
    struct accesses *a = user;
    if (!s->var || s->var->type->kind != TYPE_POINTER || s->kind == STMT_ALLOC)
        return true;
    const struct tree_var *v = s->kind == STMT_ASSIGN ? expr_root_var(s->value) : NULL,
                          *old = map_get(&a->begins, s->var);
    if (v)
        place_of(a, gpu_variable(a->f, v))->mentions++;
    map_put(a->f->module->arena, &a->begins, s->var, (void *)(v && (!old || old == v) && v != s->var ? v : &unknown));
    return true;
}

static void access_of(struct accesses *a, struct place_in_memory *p, uint32_t alias, bool written)
{
    p->written = p->written || written;
    for (uint32_t i = 0; i < p->classes.count; i++)
        if (p->classes.items[i] == alias)
            return;
    vec_push(a->f->module->arena, &p->classes, alias);
}

static void access_at(struct accesses *a, const struct tree_expr *pointer, uint32_t alias, bool written)
{
    const struct tree_var *direct = expr_root_var(pointer), *v = begin_of(a, pointer);
    if (direct)
        place_of(a, gpu_variable(a->f, direct))->mentions++;
    access_of(a, place_of(a, v ? gpu_variable(a->f, v) : NULL), alias, written);
}

static void find_loads(struct accesses *a, const struct tree_expr *e)
{
    if (!e->num_args || map_has(&a->visited, e))
        return;
    map_put(a->f->module->arena, &a->visited, e, (void *)(uintptr_t)1);
    if (e->op == EXPR_LOAD)
        access_at(a, e->args[0], e->alias, false);
    for (uint32_t i = 0; i < e->num_args; i++)
        find_loads(a, e->args[i]);
}

static void find_loads_root(void *user, struct tree_expr **e) { find_loads(user, *e); }

static bool find_accesses(void *user, struct tree_stmt *s)
{
    struct accesses *a = user;
    unsigned flags = stmt_rows[s->kind].flags;
    a->barriers = a->barriers || s->kind == STMT_BARRIER;
    stmt_each_expr(s, find_loads_root, a);
    if (s->pointer && flags & STMT_WRITES)
        access_at(a, s->pointer, s->alias, true);
    if (s->pointer2 && flags & STMT_READS_SOURCE)
        access_at(a, s->pointer2, s->alias2, false);
    if (s->kind == STMT_CALL) /* what it is given it may write */
        access_of(a, place_of(a, NULL), 0, true);
    return true;
}

static bool may_overlap(const struct place_in_memory *p, const struct place_in_memory *q)
{
    for (uint32_t i = 0; i < p->classes.count; i++)
        for (uint32_t k = 0; k < q->classes.count; k++)
            if (p->classes.items[i] == q->classes.items[k] || !p->classes.items[i] || !q->classes.items[k])
                return true;
    return false;
}

/* Its own memory, which no other pointer leads to. */
static bool is_own(const struct place_in_memory *p) { return p->variable && p->variable->array; }

void gpu_accesses(struct gpu_func *f)
{
    struct accesses a = { .f = f };
    stmt_visit(f->kernel->body, find_begin, &a);
    stmt_visit(f->kernel->body, find_accesses, &a);
    for (uint32_t i = 0; i < a.all.count; i++) {
        struct place_in_memory *p = a.all.items[i];
        struct gpu_variable *x = p->variable;
        if (!x || !x->param || x->var->type->kind != TYPE_POINTER || x->mentions != p->mentions)
            continue;
        bool alone = !(p->written && a.barriers), unwritten = !p->written;
        for (uint32_t k = 0; k < a.all.count; k++) {
            const struct place_in_memory *q = a.all.items[k];
            if (q == p || is_own(q) || !may_overlap(p, q))
                continue;
            alone = alone && !p->written && !q->written;
            unwritten = unwritten && !q->written;
        }
        x->restricted = alone;
        x->read_only = unwritten;
    }
}

/* ---- values in memory ---- */

struct cuda gpu_to_memory(struct gpu_func *f, const struct type *t, struct cuda v)
{
    return t->kind == TYPE_BOOL ? gpu_print(f, CUDA_UNARY, "(u8)%s", gpu_at(f, CUDA_UNARY, v)) : v;
}

struct cuda gpu_from_memory(struct gpu_func *f, const struct type *t, struct cuda v)
{
    if (t->kind == TYPE_BOOL)
        return gpu_print(f, CUDA_EQUAL, "%s != 0", gpu_at(f, CUDA_SUM, v));
    if (t->kind == TYPE_VECTOR && t->elem->kind == TYPE_BOOL)
        return gpu_print(f, CUDA_POSTFIX, "sd_map<bool>(%s, [](u8 x) { return x != 0; })", v.s);
    return v;
}

/* ---- addresses ---- */

/* The text of a pointer to elements of `elem`. */
static struct cuda pointer_to(struct gpu_func *f, const struct type *elem, const struct tree_expr *pointer)
{
    struct cuda c = gpu_expr(f, pointer);
    const struct type *t = pointer->type;
    if (t->kind == TYPE_POINTER && t->elem == elem)
        return c;
    return gpu_print(f, CUDA_UNARY, "(%s *)%s", gpu_memory(f->module, elem), gpu_at(f, CUDA_UNARY, c));
}

struct cuda gpu_address(struct gpu_func *f, const struct tree_expr *e)
{
    if (e->op == EXPR_OFFSET && e->type->elem->size) {
        struct cuda at = pointer_to(f, e->type->elem, e->args[0]);
        struct cuda index = gpu_index(f, e->args[1]);
        return gpu_print(f, CUDA_SUM, "%s + %s", gpu_at(f, CUDA_SUM, at), gpu_at(f, CUDA_PRODUCT, index));
    }
    struct cuda at = gpu_expr(f, e->args[0]);
    struct cuda bytes = e->op == EXPR_OFFSET
                            ? gpu_index(f, e->args[1])
                            : gpu_print(f, CUDA_POSTFIX, "%u", e->args[0]->type->elem->fields[e->i].offset);
    return gpu_print(f, CUDA_UNARY, "(%s)((char *)%s + %s)", gpu_type(f->module, e->type), gpu_at(f, CUDA_UNARY, at),
                     gpu_at(f, CUDA_PRODUCT, bytes));
}

struct cuda gpu_data(struct gpu_func *f, const struct tree_expr *e)
{
    struct gpu_module *m = f->module;
    uintptr_t number = (uintptr_t)map_get(&m->data, e->data);
    if (!number) {
        number = m->data.count + 1;
        map_put(m->arena, &m->data, e->data, (void *)number);
        text_printf(&m->declarations, "alignas(16) __device__ const u8 d%u[%u] = {", (unsigned)number,
                    e->i > 0 ? (unsigned)e->i : 1);
        for (int64_t i = 0; i < e->i; i++)
            text_printf(&m->declarations, i % 32 ? " %u," : "\n    %u,", ((const unsigned char *)e->data)[i]);
        text_add(&m->declarations, " };\n");
    }
    return gpu_print(f, CUDA_UNARY, "(%s)d%u", gpu_type(m, e->type), (unsigned)number);
}

/* Whole elements of 16 bytes begin at multiples of 16 where the memory itself does. */
static bool is_aligned(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer)
{
    if (t->size != 8 && t->size != 16)
        return false;
    while (pointer->op == EXPR_OFFSET && pointer->type->elem->size % t->size == 0)
        pointer = pointer->args[0];
    while (pointer->op == EXPR_CAST)
        pointer = pointer->args[0];
    return pointer->op == EXPR_VAR && gpu_variable(f, pointer->var)->alignment >= t->size;
}

/* Addresses of complex numbers may be multiples of half their size only where they come from something else. */
static bool is_part_aligned(const struct type *t, const struct tree_expr *pointer)
{
    while (pointer->op == EXPR_OFFSET)
        pointer = pointer->args[0];
    return pointer->op == EXPR_FIELD || pointer->type->kind != TYPE_POINTER || pointer->type->elem != t;
}

struct cuda gpu_element(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer,
                        const struct tree_expr *index)
{
    struct cuda at = pointer_to(f, t, pointer);
    if (expr_is_int(index, 0) && at.level < CUDA_POSTFIX)
        return gpu_print(f, CUDA_UNARY, "*%s", gpu_at(f, CUDA_POSTFIX, at));
    struct cuda i = gpu_index(f, index);
    return gpu_print(f, CUDA_POSTFIX, "%s[%s]", gpu_at(f, CUDA_POSTFIX, at), i.s);
}

static const char *address_of(struct gpu_func *f, struct cuda element)
{
    return *element.s == '*' ? element.s + 1 : arena_printf(f->module->arena, "&%s", element.s);
}

/* How an element is to be accessed: NULL if as it is. */
static const char *by_function(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer)
{
    if (t->kind == TYPE_VECTOR)
        return is_aligned(f, t, pointer) ? "whole" : NULL;
    return type_is_complex(t) && is_part_aligned(t, pointer) ? "parts" : NULL;
}

struct cuda gpu_load(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer,
                     const struct tree_expr *index)
{
    const char *by = by_function(f, t, pointer);
    struct cuda element = gpu_element(f, t, pointer, index);
    if (by) {
        gpu_need(f->module, PIECE_ACCESS);
        element = gpu_print(f, CUDA_POSTFIX, "sd_load_%s(%s)", by, address_of(f, element));
    }
    return gpu_from_memory(f, t, element);
}

void gpu_store(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer, const struct tree_expr *index,
               struct cuda value)
{
    const char *by = by_function(f, t, pointer);
    struct cuda element = gpu_element(f, t, pointer, index);
    if (t->kind == TYPE_VECTOR && t->elem->kind == TYPE_BOOL)
        value = gpu_print(f, CUDA_POSTFIX, "sd_map<u8>(%s, [](bool x) { return (u8)x; })", value.s);
    if (by) {
        gpu_need(f->module, PIECE_ACCESS);
        gpu_line(f, "sd_store_%s(%s, %s);", by, address_of(f, element), value.s);
    } else {
        gpu_line(f, "%s = %s;", element.s, value.s);
    }
}
