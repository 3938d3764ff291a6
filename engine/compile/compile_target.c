/* A target of a plug-in is a struct target whose functions ask the plug-in: the target itself, then those of plug-ins
 * that it extends, then the one of the library at the end of that chain. */
#include "engine/compile/compile_target.h"

#include "engine/compile/compile_plugin_target.h"
#include "lower/graph/library/library.h"

/* A map that has been entered and not left. */
struct entered {
    struct entered *outer;
    const struct plugin_target *by; /* NULL: the library's target */
    struct code_builder builder;
    sdfg_map map;
};

static struct plugin_target *of(const struct target *t) { return t->user; }

static bool failed(enum sdfg_answer answer, struct code_builder *b)
{
    if (answer == SDFG_FAILED)
        builder_fail(b, NULL);
    else if (answer != SDFG_DONE && answer != SDFG_INHERITED)
        builder_fail(b, "answers are those of enum sdfg_answer");
    return !builder_is_good(b);
}

/* Calls one function of a target, if it has it. */
typedef enum sdfg_answer ask_function(const sdfg_target *t, sdfg_code *code, void *what);

/* Asks the targets of the chain until one has made code at sc->block; SDFG_INHERITED: nobody has. */
static enum sdfg_answer ask(const struct target *t, ask_function *function, void *what, struct scope *sc,
                            const struct place *place, const struct enum_value *member, struct code_builder *b)
{
    enum sdfg_answer answer = SDFG_INHERITED;
    for (struct plugin_target *by = of(t); by && answer == SDFG_INHERITED; by = by->base) {
        builder_begin(b, &by->own, &by->source, sc, place, member);
        answer = function(by->own.target, &b->code, what);
        if (failed(answer, b))
            return SDFG_FAILED;
        builder_close(b);
    }
    return answer;
}

/* ---- begin and end ---- */

static bool is_ready(const struct plugin_target *t, struct lower *lw)
{
    const struct codegen_added *added = t->added;
    const char *why;
    for (; t; t = t->base)
        if (!added->target_is_ready(added->user, t->index, &why))
            return diag_error(lw->diags, NULL, DIAG_TARGET_UNUSABLE, t->own.target->name, t->own.plugin, why);
    return true;
}

static enum sdfg_answer ask_begin(const sdfg_target *t, sdfg_code *code, void *what)
{
    (void)what;
    return t->begin ? t->begin(t->user, code) : SDFG_INHERITED;
}

static bool plugin_begin(const struct target *t, struct lower *lw)
{
    struct scope at = scope_at(lw->root, lw->prologue);
    struct code_builder b;
    return is_ready(of(t), lw) && ask(t, ask_begin, NULL, &at, NULL, NULL, &b) != SDFG_FAILED;
}

static enum sdfg_answer ask_end(const sdfg_target *t, sdfg_code *code, void *what)
{
    (void)what;
    return t->end ? t->end(t->user, code) : SDFG_INHERITED;
}

static bool plugin_end(const struct target *t, struct lower *lw)
{
    struct scope at = scope_at(lw->root, lw->epilogue);
    struct code_builder b;
    return ask(t, ask_end, NULL, &at, NULL, NULL, &b) != SDFG_FAILED;
}

/* ---- maps ---- */

static sdfg_value *bound(struct scope *sc, const struct place *place, const struct sym *s, int64_t more)
{
    struct lower *lw = sc->act->lw;
    const struct sym *value = lower_symbolic(sc, place, s);
    return value ? builder_value(lower_index(lw, place, sym_add(lw->ir, value, sym_int(lw->ir, more)))) : NULL;
}

static bool describe_map(struct scope *sc, struct scope *in, const struct map_entry *m, sdfg_map *out)
{
    struct arena *a = in->act->lw->arena;
    uint32_t rank = m->range.rank;
    sdfg_value **bounds = NEW_ARRAY(a, sdfg_value *, 3 * rank + 1);
    for (uint32_t i = 0; i < rank; i++) {
        const struct range *r = &m->range.dims[i];
        bounds[i] = bound(in, &m->node.place, r->begin, 0);
        bounds[rank + i] = bound(in, &m->node.place, r->end, 1);
        bounds[2 * rank + i] = bound(in, &m->node.place, r->step, 0);
        if (!bounds[i] || !bounds[rank + i] || !bounds[2 * rank + i])
            return false;
    }
    *out = (sdfg_map){
        .struct_size = sizeof *out,
        .label = m->node.label ? m->node.label : "",
        .schedule = m->schedule->name,
        .rank = rank,
        .params = m->params.items,
        .begin = bounds,
        .end = bounds + rank,
        .step = bounds + 2 * rank,
        .threads = sc->parallel,
    };
    return true;
}

/* As `ask`, but what is open stays open for the body. */
static bool enter_by(struct plugin_target *by, struct scope *sc, struct map_entry *m, struct scope *in,
                     struct entered *e, enum sdfg_answer *answer)
{
    const sdfg_target *t = by->own.target;
    struct code_builder *b = &e->builder;
    builder_begin(b, &by->own, &by->source, in, &m->node.place, m->schedule);
    b->map = m;
    b->outside = sc;
    b->known = NEW_ARRAY(sc->act->lw->arena, bool, m->range.rank + 1);
    *answer = t->enter(t->user, &b->code, &e->map);
    if (failed(*answer, b))
        return false;
    if (*answer == SDFG_INHERITED && (b->depth || b->num_parameters))
        return builder_fail(b, "it inherits the loops of a map and opens some");
    if (*answer == SDFG_DONE && b->num_parameters < m->range.rank)
        return builder_fail(b, "a parameter of the map has no value");
    b->known = NULL;
    e->by = by;
    return true;
}

static bool plugin_enter(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    struct plugin_target *asked = of(t);
    struct entered *e = NEW(sc->act->lw->arena, struct entered);
    enum sdfg_answer answer = SDFG_INHERITED;
    e->outer = asked->entered;
    in->block = sc->block;
    if (!describe_map(sc, in, m, &e->map))
        return false;
    for (struct plugin_target *by = asked; by && answer == SDFG_INHERITED; by = by->base)
        if (by->own.target->enter && !enter_by(by, sc, m, in, e, &answer))
            return false;
    asked->entered = e;
    if (answer == SDFG_DONE) {
        in->team = false;
        return true;
    }
    e->by = NULL;
    const struct target *with = TARGET_WITH(asked->library, enter);
    return with->enter(t, sc, m, in);
}

static bool plugin_leave(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    struct plugin_target *asked = of(t);
    struct entered *e = asked->entered;
    asked->entered = e->outer;
    if (!e->by)
        return TARGET_WITH(asked->library, leave)->leave(t, sc, m, in);
    const sdfg_target *own = e->by->own.target;
    struct tree_stmt *body = in->block;
    if (own->leave && failed(own->leave(own->user, &e->builder.code, &e->map), &e->builder))
        return false;
    in->block = body;
    return true;
}

/* ---- memory ---- */

static sdfg_memory memory_of(const struct allocation *a)
{
    return (sdfg_memory){
        .struct_size = sizeof(sdfg_memory),
        .container = a->desc->name,
        .storage = a->desc->storage->name,
        .type = a->type->name ? a->type->name : "",
        .program = a->life == LIFE_PROGRAM,
    };
}

/* Bytes, or more than there are if they do not fit into 64 bits. */
static struct tree_expr *bytes_of(struct tree *t, const struct allocation *a)
{
    int64_t size = (int64_t)a->type->size;
    struct tree_expr *most = expr_i64(t, INT64_MAX / size);
    struct tree_expr *fits = expr_binary(t, EXPR_LOGICAL_AND, expr_binary(t, EXPR_LE, expr_i64(t, 0), a->count),
                                         expr_binary(t, EXPR_LE, a->count, most));
    return expr_select(t, fits, expr_binary(t, EXPR_MUL, a->count, expr_i64(t, size)), expr_i64(t, INT64_MAX));
}

/* The address that a plug-in gave, in the variable of the container. */
static bool take_address(struct scope *sc, struct allocation *a, struct code_builder *b, sdfg_value *address)
{
    struct tree *t = sc->act->lw->tree;
    if (!address)
        return builder_fail(b, "memory has no address");
    if (a->desc->kind == CONTAINER_STREAM)
        return builder_fail(b, "streams are queues of the host");
    struct tree_expr *given[] = { expr_context(t), builder_expr(address) };
    stmt_call(t, sc->block, a->var, "sdfg_rt_target_memory", given, 2)->place = &a->desc->place;
    struct tree_expr *none = expr_binary(t, EXPR_EQ, expr_var(t, a->var), expr_null(t, a->var->type));
    stmt_new(t, stmt_if(t, sc->block, none)->body, STMT_RETURN);
    if (a->zero)
        stmt_zero(t, sc->block, a->type, expr_var(t, a->var), a->binding ? a->binding->alias : 0, a->count);
    if (a->life == LIFE_PROGRAM) {
        struct tree_expr *args[] = { expr_context(t), expr_i64(t, a->slot), expr_var(t, a->var) };
        stmt_call(t, sc->block, NULL, "sdfg_rt_set_slot", args, 3);
    }
    a->where = TREE_HEAP;
    return true;
}

static enum sdfg_answer ask_allocate(const sdfg_target *t, sdfg_code *code, void *what)
{
    return t->allocate ? t->allocate(t->user, code, what) : SDFG_INHERITED;
}

static bool plugin_allocate(const struct target *t, struct scope *sc, struct allocation *a)
{
    sdfg_memory m = memory_of(a);
    struct code_builder b;
    enum sdfg_answer answer;
    m.bytes = builder_value(bytes_of(sc->act->lw->tree, a));
    answer = ask(t, ask_allocate, &m, sc, &a->desc->place, a->desc->storage, &b);
    if (answer == SDFG_FAILED)
        return false;
    return answer == SDFG_DONE ? take_address(sc, a, &b, m.address)
                               : TARGET_WITH(of(t)->library, allocate)->allocate(t, sc, a);
}

static enum sdfg_answer ask_release(const sdfg_target *t, sdfg_code *code, void *what)
{
    return t->release ? t->release(t->user, code, what) : SDFG_INHERITED;
}

static bool plugin_release(const struct target *t, struct lower *lw, const struct allocation *a,
                           struct tree_stmt *block)
{
    struct tree *tree = lw->tree;
    sdfg_memory m = memory_of(a);
    struct code_builder b;
    enum sdfg_answer answer;
    struct tree_expr *there = expr_binary(tree, EXPR_NE, expr_var(tree, a->var), expr_null(tree, a->var->type));
    struct tree_stmt *inside = stmt_if(tree, NULL, there);
    struct scope at = scope_at(lw->root, inside->body);
    m.address = builder_value(expr_cast(tree, type_basic(lw->ir, TYPE_I64), expr_var(tree, a->var)));
    answer = ask(t, ask_release, &m, &at, &a->desc->place, a->desc->storage, &b);
    if (answer == SDFG_FAILED)
        return false;
    if (inside->body->items.count)
        stmt_append(tree, block, inside);
    return answer == SDFG_DONE || TARGET_WITH(of(t)->library, release)->release(t, lw, a, block);
}

/* ---- copies ---- */

static bool same_extents(const struct area *a, const struct area *b)
{
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = a->sizes[i] == b->sizes[i];
    return same;
}

/* *fits: the regions have a form that copies can be described in. */
static bool describe_copy(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                          const struct memlet *m, sdfg_transfer *out, bool *fits)
{
    struct lower *lw = sc->act->lw;
    struct area a = area_copy(lw, from), b = area_copy(lw, to);
    bool gapless = area_is_contiguous(lw, from) && area_is_contiguous(lw, to);
    area_squeeze(&a);
    area_squeeze(&b);
    *fits = gapless || same_extents(&a, &b);
    if (!*fits)
        return true;
    sdfg_value **extents = NEW_ARRAY(lw->arena, sdfg_value *, a.rank + 1);
    extents[0] = region_number(sc, place, area_volume(lw, from), 1);
    for (uint32_t i = 0; !gapless && i < a.rank; i++)
        extents[i] = region_number(sc, place, a.sizes[i], 1);
    for (uint32_t i = 0; i < (gapless ? 1 : a.rank); i++)
        if (!extents[i])
            return false;
    *out = (sdfg_transfer){
        .struct_size = sizeof *out,
        .rank = gapless ? 1 : a.rank,
        .extents = extents,
        .converts = from->type != to->type,
        .reduces = m && m->wcr_text,
    };
    return region_describe(sc, place, &a, gapless, &out->from) && region_describe(sc, place, &b, gapless, &out->to);
}

static enum sdfg_answer ask_copy(const sdfg_target *t, sdfg_code *code, void *what)
{
    return t->copy ? t->copy(t->user, code, what) : SDFG_INHERITED;
}

static bool plugin_copy(const struct target *t, struct scope *sc, const struct place *place, const struct area *from,
                        const struct area *to, const struct memlet *m, bool atomic)
{
    sdfg_transfer c;
    struct code_builder b;
    enum sdfg_answer answer;
    bool fits;
    if (!describe_copy(sc, place, from, to, m, &c, &fits))
        return false;
    if (!fits)
        return lower_unsupported(sc, place, "copies between regions of different shape by a target of a plug-in");
    answer = ask(t, ask_copy, &c, sc, place, NULL, &b);
    if (answer == SDFG_FAILED)
        return false;
    return answer == SDFG_DONE || TARGET_WITH(of(t)->library, copy)->copy(t, sc, place, from, to, m, atomic);
}

/* ---- nodes ---- */

struct question {
    sdfg_claimed_node node;
    struct library *library; /* whose operands may be asked for, or NULL */
    const struct target *target;
    enum sdfg_answer answer;
};

static enum sdfg_answer ask_node(const sdfg_target *t, sdfg_code *code, void *what)
{
    const struct question *q = what;
    struct code_builder *b = (struct code_builder *)code;
    b->library = q->library;
    enum sdfg_answer answer = t->node ? t->node(t->user, code, &q->node) : SDFG_INHERITED;
    if (answer == SDFG_INHERITED && b->asked)
        builder_fail(b, "it has asked for operands of a node that it inherits");
    return answer;
}

static bool ask_of_node(struct scope *sc, struct node *n, struct question *q)
{
    struct code_builder b;
    q->answer = ask(q->target, ask_node, q, sc, &n->place, NULL, &b);
    return q->answer != SDFG_FAILED;
}

static bool ask_of_library(struct scope *sc, struct library *n, void *question)
{
    return ask_of_node(sc, &n->node, question);
}

static bool plugin_node(const struct target *t, struct scope *sc, struct node *n)
{
    struct library *l = as_library(n);
    struct question q = { .node = node_describe(sc->act->lw, n), .library = l, .target = t };
    if (!(l ? library_around(sc, l, ask_of_library, &q) : ask_of_node(sc, n, &q)))
        return false;
    const struct target *with = TARGET_WITH(of(t)->library, node);
    return q.answer == SDFG_DONE || (with ? with->node(t, sc, n) : lower_node_as_usual(sc, n));
}

/* ---- the target ---- */

void plugin_target_fill(struct plugin_target *p)
{
    struct target *t = &p->target;
    t->user = p;
    t->begin = plugin_begin;
    t->end = plugin_end;
    t->enter = plugin_enter;
    t->leave = plugin_leave;
    t->allocate = plugin_allocate;
    t->release = plugin_release;
    t->copy = plugin_copy;
    t->node = plugin_node;
}

struct target_source *compile_target_source(const struct target *t, const struct codegen_target **own)
{
    struct plugin_target *p = t->enter == plugin_enter ? t->user : NULL;
    *own = p ? &p->own : NULL;
    return p && (p->source.text.length || p->source.objects.count) ? &p->source : NULL;
}
