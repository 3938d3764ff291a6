/* The host's side: memory on the device, transfers, and control that the host decides. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

static const struct type *int64_type(struct offload *o) { return type_basic(o->tree->ir, TYPE_I64); }

/* ---- memory ---- */

static struct memory *memory_of_var(struct offload *o, const struct tree_var *v)
{
    return v->type->kind == TYPE_POINTER && v->id < o->num_vars ? offload_same(&o->by_var[v->id]) : NULL;
}

static struct origin *origin_of(struct memory *m, const struct tree_var *v)
{
    for (struct origin *x = m->origins; x; x = x->next)
        if (x->address->op == EXPR_VAR && x->address->var == v)
            return x;
    return NULL;
}

/* All that the memory may be, from one side to the other. */
static void copy_all(struct offload *o, struct tree_stmt *out, struct memory *m, enum tree_direction direction,
                     const struct place *place)
{
    for (struct origin *x = m->origins; x; x = x->next) {
        if (!x->live) {
            offload_refuse(o, place,
                           "memory of the device that only the host can work on, where it is not known to be there");
            return;
        }
        struct tree_stmt *s = offload_transfer(o, out, direction, x->type, x->count, place);
        struct tree_expr *twin = offload_twins(o, x->address);
        s->pointer = direction == TREE_IN ? twin : x->address;
        s->pointer2 = direction == TREE_IN ? x->address : twin;
        s->alias = s->alias2 = x->alias;
    }
}

/* Arguments have a place on the device from the beginning to the end. */
static void mirror(struct offload *o, struct origin *x)
{
    struct tree *t = o->tree;
    struct tree_expr *twin = offload_twins(o, x->address);
    struct tree_stmt *s = stmt_new(t, o->prologue, STMT_MIRROR);
    x->count = stmt_variable(t, o->prologue, "count", x->count);
    struct tree_stmt *last = vec_last(&o->prologue->items);
    if (last != s) { /* the variable comes first */
        o->prologue->items.items[o->prologue->items.count - 2] = last;
        o->prologue->items.items[o->prologue->items.count - 1] = s;
    }
    s->var = twin->var;
    s->type = x->type;
    s->count = x->count;
    s->pointer2 = x->address;
    s->alias = s->alias2 = x->alias;
    x->live = true;
}

static void mirror_all(struct offload *o)
{
    struct tree *t = o->tree;
    for (uint32_t i = 0; i < o->main->params.count + t->num_slots; i++) {
        struct memory *m = i < o->main->params.count ? &o->by_var[o->main->params.items[i].var->id]
                                                     : &o->by_slot[i - o->main->params.count];
        m = offload_same(m);
        if (m->device && m->origins && !m->origins->live)
            m->overwritten = offload_is_overwritten(o, m);
        for (struct origin *x = m->device ? m->origins : NULL; x; x = x->next)
            if (x->argument && !x->live)
                mirror(o, x);
    }
}

static void copy_arguments(struct offload *o, struct tree_stmt *out, enum tree_direction direction)
{
    struct tree *t = o->tree;
    for (uint32_t i = 0; i < o->main->params.count + t->num_slots; i++) {
        bool param = i < o->main->params.count;
        struct tree_expr *address = NULL;
        struct memory *m;
        if (param) {
            struct tree_var *v = o->main->params.items[i].var;
            if (v->type->kind != TYPE_POINTER)
                continue;
            m = memory_of_var(o, v);
        } else {
            m = offload_same(&o->by_slot[i - o->main->params.count]);
        }
        if (!m->device || (direction == TREE_OUT && !m->written))
            continue;
        if (m->overwritten && (direction == TREE_IN || !param)) /* nobody needs a slot behind the call, then */
            continue;
        for (struct origin *x = m->origins; x; x = x->next) {
            bool this =
                x->argument && (param ? x->address->op == EXPR_VAR && x->address->var == o->main->params.items[i].var
                                      : x->address->op == EXPR_SLOT && x->address->i == i - o->main->params.count);
            if (!this)
                continue;
            address = x->address;
            struct tree_stmt *s = offload_transfer(o, out, direction, x->type, x->count, NULL);
            struct tree_expr *twin = offload_twins(o, address);
            s->pointer = direction == TREE_IN ? twin : address;
            s->pointer2 = direction == TREE_IN ? address : twin;
            s->alias = s->alias2 = x->alias;
        }
    }
}

/* ---- statements of the host ---- */

struct sides {
    struct offload *offload;
    struct tree_stmt *out;
    const struct place *place;
    struct map seen;
    bool writes; /* ask for memory that is written */
};

static void bring(void *user, struct memory *m, bool write)
{
    struct sides *w = user;
    if (!m->device || map_has(&w->seen, m) || (w->writes && !write))
        return;
    map_put(w->offload->tree->scratch, &w->seen, m, m);
    copy_all(w->offload, w->out, m, w->writes ? TREE_IN : TREE_OUT, w->place);
}

static void host_values(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree_expr **const values[] = { &s->index, &s->value, &s->begin, &s->end, &s->step, &s->count };
    s->pointer = offload_value(o, out, s->pointer, s->place);
    s->pointer2 = offload_value(o, out, s->pointer2, s->place);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = offload_value(o, out, *values[i], s->place);
    for (uint32_t i = 0; i < s->num_args; i++)
        s->args[i] = offload_value(o, out, s->args[i], s->place);
}

/* What only the host can do with memory of the device. */
static void host_leaf(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct sides before = { .offload = o, .out = out, .place = s->place };
    struct sides after = { .offload = o, .out = out, .place = s->place, .writes = true };
    struct tree_stmt *original = offload_beside_message(o, s);
    host_values(o, out, s);
    uint32_t at = out->items.count;
    offload_each_touch(o, offload_beside_message(o, s), bring, &before);
    if (out->items.count > at)
        offload_wait(o, out);
    offload_message(o, out, s);
    stmt_append(o->tree, out, s);
    offload_each_touch(o, original, bring, &after);
    offload_send(o, out, s->var, s->place);
}

static void write_copy(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct memory *to = offload_memory(o, s->pointer), *from = s->pointer2 ? offload_memory(o, s->pointer2) : NULL;
    bool to_device = to && to->device, from_device = from && from->device;
    host_values(o, out, s);
    stmt_append(o->tree, out, s);
    if (!to_device && !from_device)
        return;
    s->nontemporal = false;
    s->direction = to_device && from_device ? TREE_WITHIN : to_device ? TREE_IN : TREE_OUT;
    s->kind = s->kind == STMT_ZERO ? STMT_CLEAR : STMT_TRANSFER;
    if (to_device)
        s->pointer = offload_twins(o, s->pointer);
    if (from_device)
        s->pointer2 = offload_twins(o, s->pointer2);
    if (!to_device)
        offload_wait(o, out);
}

static void write_alloc(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = o->tree;
    struct memory *m = memory_of_var(o, s->var);
    host_values(o, out, s);
    if (!m->device || s->where == TREE_STATE) {
        stmt_append(t, out, s);
        return;
    }
    struct origin *x = origin_of(m, s->var);
    struct tree_var *twin = offload_twins(o, x->address)->var;
    bool stack = s->where == TREE_STACK; /* the same memory each time */
    x->count = stmt_variable(t, out, "count", s->count);
    x->live = true;
    if (m->host)
        stmt_append(t, out, s);
    struct tree_stmt *d =
        stmt_alloc(t, stack ? o->prologue : out, twin, s->type, stack ? s->count : x->count, TREE_DEVICE);
    d->alias = s->alias;
    d->place = s->place;
    d->zero = s->zero && !stack;
    if (s->zero && stack) {
        struct tree_stmt *clear = stmt_new(t, out, STMT_CLEAR);
        clear->type = s->type;
        clear->count = s->count;
        clear->pointer = expr_var(t, twin);
        clear->alias = s->alias;
    }
    if (stack)
        stmt_free(t, o->epilogue, twin)->where = TREE_DEVICE;
}

static void write_free(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct memory *m = memory_of_var(o, s->var);
    if (!m->device || m->host)
        stmt_append(o->tree, out, s);
    if (!m->device)
        return;
    struct origin *x = origin_of(m, s->var);
    if (x)
        x->live = false;
    struct tree_stmt *d = stmt_free(o->tree, out, offload_twins(o, expr_var(o->tree, s->var))->var);
    d->where = TREE_DEVICE;
    d->place = s->place;
}

/* The twin follows its pointer. */
static void write_pointer(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct memory *m = memory_of_var(o, s->var);
    host_values(o, out, s);
    if (!m->device || m->host)
        stmt_append(o->tree, out, s);
    if (m->device)
        stmt_assign(o->tree, out, offload_twins(o, expr_var(o->tree, s->var))->var, offload_twins(o, s->value))->place =
            s->place;
}

static void write_leaf(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = o->tree;
    switch (s->kind) {
    case STMT_COPY:
    case STMT_ZERO:
        write_copy(o, out, s);
        break;
    case STMT_ALLOC:
        write_alloc(o, out, s);
        break;
    case STMT_FREE:
        write_free(o, out, s);
        break;
    case STMT_RETURN:
        o->leave = o->leave ? o->leave : tree_label(t, "leave");
        stmt_goto(t, out, o->leave)->place = s->place;
        break;
    case STMT_ASSIGN:
        if (s->var->type->kind == TYPE_POINTER) {
            write_pointer(o, out, s);
            break;
        }
        /* fall through */
    default:
        host_leaf(o, out, s);
    }
}

/* ---- control ---- */

static void write_items(struct offload *o, struct tree_stmt *out, struct tree_stmt *block);

/* Conditions that device code computes are evaluated in the body: `continue` must come by. */
static void write_while(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = o->tree;
    struct tree_stmt *body = stmt_block(t);
    bool fetched = offload_on_device(o, s->value);
    struct tree_var *again = NULL;
    if (fetched) {
        struct tree_stmt *test = body;
        if (s->kind == STMT_DO) {
            again = tree_var(t, "again", type_basic(t->ir, TYPE_BOOL));
            stmt_assign(t, out, again, expr_bool(t, false));
            test = stmt_if(t, body, expr_var(t, again))->body;
        }
        struct tree_expr *c = offload_value(o, test, s->value, s->place);
        stmt_new(t, stmt_if(t, test, expr_unary(t, EXPR_NOT, c))->body, STMT_BREAK);
        if (again)
            stmt_assign(t, body, again, expr_bool(t, true));
        s->kind = STMT_WHILE;
        s->value = expr_bool(t, true);
    }
    write_items(o, body, s->body);
    s->body = body;
    stmt_append(t, out, s);
}

static void write_control(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = o->tree;
    if (s->kind == STMT_WHILE || s->kind == STMT_DO) {
        write_while(o, out, s);
        return;
    }
    host_values(o, out, s);
    struct tree_stmt *body = stmt_block(t), *otherwise = s->otherwise ? stmt_block(t) : NULL;
    if (s->kind == STMT_FOR)
        offload_send(o, body, s->var, s->place);
    write_items(o, body, s->body);
    if (otherwise)
        write_items(o, otherwise, s->otherwise);
    s->body = body;
    s->otherwise = otherwise;
    stmt_append(t, out, s);
    if (s->kind == STMT_FOR)
        offload_send(o, out, s->var, s->place);
}

/* Two versions: one kernel, or the host's loop with the launches in it. */
static void write_small(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree_stmt *region = stmt_block(o->tree), *large = stmt_block(o->tree);
    stmt_append(o->tree, region, stmt_clone(o->tree, s));
    write_control(o, large, s);
    offload_region(o, out, region, large);
}

static enum placement placed(struct offload *o, const struct tree_stmt *s)
{
    return (enum placement)(uintptr_t)map_get(&o->placed, s);
}

static void write_item(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    switch (placed(o, s)) {
    case PLACE_KERNEL:
        offload_nest(o, out, s);
        break;
    case PLACE_CONTROL:
        write_control(o, out, s);
        break;
    case PLACE_SMALL:
        write_small(o, out, s);
        break;
    case PLACE_LIBRARY:
        offload_product(o, out, s);
        break;
    case PLACE_SOLVER:
        offload_solver(o, out, s);
        break;
    case PLACE_FFT:
        offload_fft(o, out, s);
        break;
    default:
        if (s->body && s->kind != STMT_UPDATE)
            stmt_append(o->tree, out, s);
        else
            write_leaf(o, out, s);
    }
}

/* ---- runs of serial statements, and of regions ---- */

struct serial_run {
    struct tree_stmt *serial; /* what one kernel is going to do */
    bool region;              /* it has several threads */
    struct tree_stmt *after;  /* memory that is given back then */
    struct tree_scan scan;    /* of the serial statements */
};

static void flush(struct offload *o, struct tree_stmt *out, struct serial_run *r)
{
    if (r->region)
        offload_region(o, out, r->serial, NULL);
    else if (r->serial->items.count)
        offload_serial(o, out, r->serial);
    r->region = false;
    for (uint32_t i = 0; i < r->after->items.count; i++)
        write_item(o, out, r->after->items.items[i]);
    r->serial = stmt_block(o->tree);
    r->after = stmt_block(o->tree);
    r->scan = (struct tree_scan){ .arena = o->tree->scratch };
}

/* May the host do it before the statements that wait? It computes variables that they do not mention, from values that
 * they do not change. */
static bool passes(struct offload *o, struct serial_run *r, struct tree_stmt *s)
{
    bool scalar = s->kind == STMT_ASSIGN && s->var->type->kind != TYPE_POINTER && !o->in_cell[s->var->id] &&
                  !offload_on_device(o, s->value) && tree_scan_invariant(&r->scan, s->value);
    bool alloc = s->kind == STMT_ALLOC && s->where != TREE_STACK && !offload_on_device(o, s->count);
    return (scalar || alloc) && !map_has(&r->scan.uses, s->var);
}

static void write_items(struct offload *o, struct tree_stmt *out, struct tree_stmt *block)
{
    struct serial_run r = { 0 };
    r.serial = stmt_block(o->tree);
    r.after = stmt_block(o->tree);
    r.scan.arena = o->tree->scratch;
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        bool region = placed(o, s) == PLACE_REGION;
        if (placed(o, s) == PLACE_SERIAL || region) {
            if ((region || r.region) && r.serial->items.count && !offload_is_longer_region(o, r.serial, s))
                flush(o, out, &r);
            r.region |= region;
            stmt_append(o->tree, r.serial, s);
            tree_scan_add(&r.scan, s);
        } else if (s->kind == STMT_FREE && r.serial->items.count) {
            stmt_append(o->tree, r.after, s);
        } else {
            if (!passes(o, &r, s))
                flush(o, out, &r);
            write_item(o, out, s);
        }
    }
    flush(o, out, &r);
}

/* ---- the function ---- */

static void take_cells(struct offload *o)
{
    struct tree *t = o->tree;
    if (!o->num_cells)
        return;
    struct tree_stmt *block = stmt_block(t);
    stmt_alloc(t, block, o->cells, int64_type(o), expr_i64(t, o->num_cells), TREE_DEVICE)->alias = o->cell_class;
    stmt_alloc(t, block, o->copies, int64_type(o), expr_i64(t, o->num_cells), TREE_STACK)->alias = o->copy_class;
    for (uint32_t i = 0; i < o->main->params.count; i++) {
        struct tree_var *v = o->main->params.items[i].var;
        offload_send(o, block, v, NULL);
    }
    for (uint32_t i = 0; i < o->prologue->items.count; i++)
        stmt_append(t, block, o->prologue->items.items[i]);
    o->prologue = block;
    stmt_free(t, o->epilogue, o->cells)->where = TREE_DEVICE;
}

void offload_write(struct offload *o)
{
    struct tree *t = o->tree;
    struct tree_stmt *body = stmt_block(t), *all = stmt_block(t);
    o->twins = NEW_ARRAY(t->arena, struct tree_var *, o->num_vars);
    o->slot_twins = NEW_ARRAY(t->arena, struct tree_var *, t->num_slots + 1);
    o->cell_of = NEW_ARRAY(t->arena, uint32_t, o->num_vars);
    o->prologue = stmt_block(t);
    o->epilogue = stmt_block(t);
    o->cells = tree_var(t, "cells", type_pointer(t->ir, int64_type(o)));
    o->copies = tree_var(t, "copies", type_pointer(t->ir, int64_type(o)));
    o->cell_class = t->num_aliases++;
    o->copy_class = t->num_aliases++;
    mirror_all(o);
    copy_arguments(o, o->prologue, TREE_IN);
    write_items(o, body, o->main->body);
    take_cells(o);
    stmt_append(t, all, o->prologue);
    stmt_append(t, all, body);
    if (o->leave)
        stmt_label(t, all, o->leave);
    copy_arguments(o, all, TREE_OUT);
    stmt_append(t, all, o->epilogue);
    o->main->body = all;
    stmt_flatten(t, all);
}
