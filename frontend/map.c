/* Maps and consume scopes: around a nested SDFG, which uses the containers of outer levels through its connectors. */
#include "frontend/lower.h"

#include <string.h>

/* What is around the body in the graph; NULL while types are found. */
struct fe_around {
    struct state *state;
    struct node *entry, *exit;
};

static struct fe_around build_around(struct fe *f, const struct fe_scoped *s)
{
    struct fe_around a = { .state = fe_state(f, s->what) };
    const char *label = fe_unique(f, fe_format(f, "%s_%u", s->what, fe_label_line(f)));
    if (s->stream) {
        struct consume_entry *c =
            build_consume(a.state, label, s->parameters.items[0].symbol, s->workers, s->condition);
        c->chunksize = s->chunk;
        a.entry = &c->node;
        a.exit = c->exit;
    } else {
        struct map_entry *m = build_map(a.state, label, s->ranges);
        a.entry = &m->node;
        a.exit = m->exit;
    }
    fe_mark(f, &a.entry->place);
    fe_mark(f, &a.exit->place);
    return a;
}

/* What is taken from the stream goes into a container in the scope, of which the body sees what there is. */
static void build_elements(struct fe *f, const struct fe_scoped *s, const struct fe_around *a, struct node *body,
                           const struct fe_container *element)
{
    const char *region = fe_region(f, s->stream, false), *name = element->name, *type = element->type->name;
    struct node *stream = fe_access(f, a->state, s->stream->view.container, false);
    if (element->scalar)
        build_scalar(f->level->sdfg, name, type)->transient = true;
    else
        build_transient(f->level->sdfg, name, type, fe_format(f, "%lld", (long long)s->chunk));
    struct node *taken = &build_access(a->state, name)->node;
    struct edge *edges[3] = {
        build_edge(stream, NULL, a->entry, "IN_stream", region, NULL),
        build_edge(a->entry, "OUT_stream", taken, NULL, region, NULL),
        build_edge(taken, NULL, body, name, fe_whole_text(f, element), NULL),
    };
    edges[0]->memlet.dynamic = true;
    fe_mark(f, &taken->place);
    for (int i = 0; i < 3; i++)
        fe_mark(f, &edges[i]->place);
}

/* ---- how much an iteration moves ---- */

struct volume {
    struct fe *f;
    uint32_t symbols; /* of f->symbols, that are known around the body */
    bool unknown;
};

static void is_known(void *volume, const struct sym *name)
{
    struct volume *v = volume;
    v->unknown |= !fe_has_name(v->f->symbols.items, v->symbols, name->name) &&
                  !fe_has_name(v->f->program_symbols.items, v->f->program_symbols.count, name->name);
}

/* Elements of the container that the body reads or writes, where that does not depend on data: its states follow each
 * other, and each runs once. */
static const struct sym *moved(struct volume *v, const struct sdfg *body, const char *name, bool write)
{
    const struct sym *sum = sym_int(v->f->ir, 0);
    for (uint32_t b = 0; b < body->region.blocks.count; b++) {
        const struct state *st = as_state(body->region.blocks.items[b]);
        v->unknown |= !st;
        for (uint32_t i = 0; st && i < st->edges.count; i++) {
            const struct edge *e = st->edges.items[i];
            const struct access *a = as_access(write ? e->dst : e->src);
            if (!a || a->name != name || !e->memlet.data)
                continue;
            bool view = (e->dst_conn && strcmp(e->dst_conn, "views") == 0) ||
                        (e->src_conn && strcmp(e->src_conn, "views") == 0);
            v->unknown |= e->memlet.dynamic || view;
            sym_visit_names(e->memlet.volume, is_known, v);
            sum = sym_add(v->f->ir, sum, e->memlet.volume);
        }
    }
    return sum;
}

/* Of the edge of a body and the one around the scope. Which elements the body writes is not known: that stays dynamic.
 */
static void set_volume(struct volume *v, const struct sdfg *body, struct edge *inner, struct edge *outer, bool write)
{
    struct fe *f = v->f;
    const struct map_entry *m = as_map_entry(write ? scope_entry(inner->dst) : inner->src);
    v->unknown = !m;
    const struct sym *volume = moved(v, body, inner->memlet.name, write);
    struct memlet around;
    inner->memlet.dynamic = write || v->unknown;
    inner->memlet.volume = v->unknown ? sym_int(f->ir, 0) : volume;
    outer->memlet.dynamic = inner->memlet.dynamic;
    outer->memlet.volume = inner->memlet.volume;
    if (!m)
        return;
    build_propagate(f->ir, &inner->memlet, m, &around);
    outer->memlet.dynamic = around.dynamic;
    outer->memlet.volume = around.volume;
}

static void close_level(struct fe *f, const struct fe_scoped *s, const struct fe_around *a,
                        const struct fe_container *element, uint32_t symbols)
{
    struct fe_level *l = f->level;
    struct text in = text_new(f->arena), out = text_new(f->arena), mapping = text_new(f->arena);
    text_add(&in, element ? element->name : "");
    for (uint32_t i = 0; i < l->imports.count; i++) {
        if (l->imports.items[i].read)
            text_printf(&in, "%s%s", in.length ? ", " : "", l->imports.items[i].container->name);
        if (l->imports.items[i].written)
            text_printf(&out, "%s%s", out.length ? ", " : "", l->imports.items[i].container->name);
    }
    for (uint32_t i = 0; i < symbols + f->program_symbols.count; i++) {
        const char *name = i < symbols ? f->symbols.items[i] : f->program_symbols.items[i - symbols];
        if (map_has(&l->sdfg->symbol_by_name, name))
            continue;
        build_symbol(l->sdfg, name, "int64");
        text_printf(&mapping, "%s%s = %s", mapping.length ? ", " : "", name, name);
    }
    struct nested *n =
        build_nested(a->state, l->sdfg->name, l->sdfg, text_get(&in), text_get(&out), text_get(&mapping));
    fe_mark(f, &n->node.place);
    f->level = l->outer;
    bool reads = element != NULL, writes = false;
    struct volume v = { .f = f, .symbols = symbols };
    if (element)
        build_elements(f, s, a, &n->node, element);
    for (uint32_t i = 0; i < l->imports.count; i++) {
        const struct fe_import *im = &l->imports.items[i];
        const char *whole = fe_whole_text(f, im->container), *name = im->container->name;
        reads |= im->read;
        writes |= im->written;
        if (im->read) {
            struct edge *e = build_path(whole, NULL, NULL, name, fe_access(f, a->state, im->container, false), a->entry,
                                        &n->node, NULL);
            set_volume(&v, l->sdfg, e, path_first_edge(e), false);
            fe_mark(f, &e->place);
        }
        if (im->written) {
            struct edge *e = build_path(whole, NULL, name, NULL, &n->node, a->exit,
                                        fe_access(f, a->state, im->container, true), NULL);
            set_volume(&v, l->sdfg, e, path_last_edge(e), true);
            fe_mark(f, &e->place);
        }
    }
    if (!reads)
        fe_mark(f, &build_edge(a->entry, NULL, &n->node, NULL, NULL, NULL)->place);
    if (!writes)
        fe_mark(f, &build_edge(&n->node, NULL, a->exit, NULL, NULL, NULL)->place);
}

static void bind_parameter(struct fe *f, const struct fe_parameter *p, const struct value *v)
{
    struct fe_binding *b = fe_bind(f, f->scope, p->name, v);
    b->storage = NULL;
    fe_typed(f, p->node, b->name, b->value);
}

/* The container that has the element, or at most as many as there is room for, which the body gets. */
static struct fe_container *bind_element(struct fe *f, const struct fe_scoped *s, const struct fe_around *a)
{
    const struct sym *room[1] = { sym_int(f->ir, s->chunk) }, **count = NEW_ARRAY(f->arena, const struct sym *, 1);
    struct fe_container *c =
        fe_container(f, fe_format(f, "%s_taken", s->element.name), s->stream->type, room, s->chunk > 1);
    c->argument = true;
    if (f->level->sdfg)
        sdfg_find_container(f->level->sdfg, c->name)->transient = false;
    struct value *element = (struct value *)fe_whole(f, c);
    if (s->chunk > 1) { /* those that are there */
        const char *symbol = a->entry ? consume_count_name(as_consume_entry(a->entry)) : fe_unique(f, "count");
        vec_push(f->arena, &f->symbols, symbol);
        count[0] = sym_name(f->ir, symbol);
        element->shape = count;
    }
    bind_parameter(f, &s->element, element);
    return c;
}

/* What iterations bind ends with them. */
static void forget(struct fe *f, const struct fe_snapshot *start, const char *what)
{
    struct fe_changed changed = fe_changed(f, start);
    uint32_t fresh = f->scope->names.count - start->count;
    for (uint32_t i = 0; i < changed.list.count + fresh; i++) {
        const struct fe_change *c = i < changed.list.count ? &changed.list.items[i] : NULL;
        struct fe_binding *b = &f->scope->names.items[c ? c->place : start->count + i - changed.list.count];
        if (c && (b->value == c->before.value || (b->storage && b->storage == c->before.storage)))
            continue;
        fe_change(f, f->scope, b)->value = NULL;
        b->storage = c ? c->before.storage : NULL;
        b->gone = fe_format(f, "was assigned in the iterations of a %s, which have no last one", what);
    }
}

static bool run(struct fe *f, const void *user)
{
    const struct fe_scoped *s = user;
    struct fe_around a = { 0 };
    struct fe_snapshot start = fe_snapshot(f);
    fe_at(f, s->node);
    struct place place = f->place;
    struct fe_level *level = NEW(f->arena, struct fe_level);
    level->outer = f->level;
    if (!f->dry) {
        a = build_around(f, s);
        level->sdfg = build_sdfg(f->ir, fe_unique(f, fe_format(f, "body_%u", fe_label_line(f))));
        fe_mark(f, &level->sdfg->region.block.place);
    }
    f->level = level;
    struct fe_region kept = fe_enter(f, level->sdfg ? &level->sdfg->region : NULL);
    struct fe_known known = fe_known(f);
    for (uint32_t i = 0; i < s->parameters.count; i++) {
        const struct fe_parameter *p = &s->parameters.items[i];
        vec_push(f->arena, &level->params, p->symbol);
        vec_push(f->arena, &f->symbols, p->symbol);
        if (p->least || p->most)
            fe_know(f, p->symbol, p->least, p->most);
        if (p->name)
            bind_parameter(f, p, fe_symbol(f, sym_name(f->ir, p->symbol)));
    }
    const struct fe_container *element = s->stream ? bind_element(f, s, &a) : NULL;
    uint32_t symbols = f->symbols.count;
    uint32_t map_loops = f->map_loops;
    f->map_loops = ++f->loops;
    bool good = fe_block(f, s->body);
    f->loops--;
    f->map_loops = map_loops;
    f->ended = false;
    f->symbols.count = symbols;
    fe_forget(f, known);
    if (!f->dry && !f->region->blocks.count)
        fe_state(f, "empty");
    f->place = place;
    if (good && !f->dry)
        close_level(f, s, &a, element, symbols);
    f->level = level->outer;
    fe_leave(f, &kept);
    forget(f, &start, s->stream ? "consume scope" : "map");
    return good;
}

bool fe_scoped(struct fe *f, struct fe_scoped *s)
{
    const struct py_list *bodies[1] = { s->body };
    return fe_with_storage(f, bodies, 1, true, run, s);
}

/* ---- maps whose iterations make calls of the interpreter, which keep their order ---- */

static bool has_call(void *found, struct py *n)
{
    *(bool *)found |= n->kind == PY_CALL;
    return true;
}

/* A tuple without its first element; of two the second. */
static struct py *without_first(struct fe *f, const struct py *tuple)
{
    if (tuple->tuple.elts.count == 2)
        return tuple->tuple.elts.items[1];
    struct py *rest = arena_copy(f->arena, tuple, py_info[PY_TUPLE].size);
    rest->tuple.elts.items++;
    rest->tuple.elts.count--;
    return rest;
}

static bool needs_order(struct fe *f, const struct fe_scoped *s)
{
    struct fe_host *h = fe_live_host(f);
    bool calls = false;
    for (uint32_t i = 0; h && i < s->body->count; i++)
        py_visit(s->body->items[i], has_call, &calls);
    if (!calls || f->level->outer)
        return false;
    struct fe_snapshot start = fe_snapshot(f);
    struct fe_trial t = fe_trial_begin(f, h);
    struct fe_scoped copy = *s;
    bool good = fe_scoped(f, &copy);
    fe_trial_end(f, &t, good);
    fe_restore(f, &start);
    return !good && t.ordered;
}

/* The loop over the first range around a map over the others. */
static bool in_order(struct fe *f, const struct py *n, const struct value *ranges)
{
    bool several = ranges->kind == FE_TUPLE && ranges->count > 1;
    const struct py *targets = n->for_.target;
    struct py *outer = arena_copy(f->arena, n, py_info[PY_FOR].size),
              *inner = arena_copy(f->arena, n, py_info[PY_FOR].size);
    const struct value *slice = ranges->kind == FE_TUPLE ? ranges->items[0] : ranges;
    const struct value *items[3] = { fe_int(f, 0), slice->items[1], fe_int(f, 1) };
    for (int i = 0; i < 3; i += 2)
        items[i] = slice->items[i]->kind == FE_NONE ? items[i] : slice->items[i];
    struct value *range = fe_new(f, FE_RANGE);
    range->items = arena_copy(f->arena, items, sizeof items);
    range->count = 3;
    if (targets->kind == PY_TUPLE)
        outer->for_.target = targets->tuple.elts.items[0];
    if (several) {
        const struct py *iter = n->for_.iter->kind == PY_BIN_OP ? n->for_.iter->bin_op.left : n->for_.iter;
        struct py *rest = arena_copy(f->arena, iter, py_info[PY_SUBSCRIPT].size);
        rest->subscript.slice = without_first(f, iter->subscript.slice);
        inner->for_.target = without_first(f, targets);
        inner->for_.iter = rest;
        outer->for_.body.count = 1;
        outer->for_.body.items = NEW_ARRAY(f->arena, struct py *, 1);
        outer->for_.body.items[0] = inner;
    }
    return fe_for_range(f, outer, range);
}

bool fe_map(struct fe *f, const struct py *n, const struct value *ranges)
{
    if (!ranges)
        return false;
    const struct value *const *items = ranges->kind == FE_TUPLE ? ranges->items : &ranges;
    uint32_t count = ranges->kind == FE_TUPLE ? ranges->count : 1;
    const struct py *target = n->for_.target;
    uint32_t names = target->kind == PY_TUPLE ? target->tuple.elts.count : 1;
    if (names != count)
        return fe_error(f, target, "%u variables for a map of %u ranges", names, count) != NULL;
    struct fe_scoped s = { .node = n, .body = &n->for_.body, .what = "map" };
    struct text t = text_new(f->arena);
    for (uint32_t i = 0; i < count; i++) {
        const struct py *name = target->kind == PY_TUPLE ? target->tuple.elts.items[i] : target;
        if (name->kind != PY_NAME || items[i]->kind != FE_SLICE || items[i]->items[1]->kind == FE_NONE)
            return fe_error(f, name, "a map has a name and a range begin:end for each dimension") != NULL;
        const char *symbol = fe_loop_symbol(f, name->name.id), *part[3] = { "0", NULL, "1" };
        const struct sym *range[3] = { sym_int(f->ir, 0), NULL, sym_int(f->ir, 1) };
        for (int k = 0; k < 3; k++) {
            if (items[i]->items[k]->kind == FE_NONE)
                continue;
            const struct value *v = fe_as_symbol(f, n->for_.iter, items[i]->items[k]);
            if (!v)
                return false;
            range[k] = fe_sym(f, v);
            part[k] = fe_text(f, range[k]);
        }
        bool up = range[2]->op == SYM_INT && range[2]->i > 0;
        const struct sym *most = up ? sym_sub(f->ir, range[1], sym_int(f->ir, 1)) : NULL;
        struct fe_parameter p = { name, name->name.id, symbol, up ? range[0] : NULL, most };
        vec_push(f->arena, &s.parameters, p);
        text_printf(&t, "%s%s = %s:%s:%s", i ? ", " : "", symbol, part[0], part[1], part[2]);
    }
    s.ranges = text_get(&t);
    return needs_order(f, &s) ? in_order(f, n, ranges) : fe_scoped(f, &s);
}
