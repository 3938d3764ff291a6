/* Loops over dace.map: a map around a nested SDFG, which uses the containers of outer levels through its connectors. */
#include "frontend/value.h"

#include <string.h>

struct mapping {
    const struct py *node;
    const char *ranges;
    VEC(const char *) params;
};

static void close_level(struct fe *f, struct state *st, struct map_entry *m, uint32_t symbols)
{
    struct fe_level *l = f->level;
    struct text in = text_new(f->arena), out = text_new(f->arena), mapping = text_new(f->arena);
    for (uint32_t i = 0; i < l->imports.count; i++) {
        if (l->imports.items[i].read)
            text_printf(&in, "%s%s", in.length ? ", " : "", l->imports.items[i].container->name);
        if (l->imports.items[i].written)
            text_printf(&out, "%s%s", out.length ? ", " : "", l->imports.items[i].container->name);
    }
    for (uint32_t i = 0; i < symbols + f->program_symbols.count; i++) {
        const char *s = i < symbols ? f->symbols.items[i] : f->program_symbols.items[i - symbols];
        if (map_has(&l->sdfg->symbol_by_name, s))
            continue;
        build_symbol(l->sdfg, s, "int64");
        text_printf(&mapping, "%s%s = %s", mapping.length ? ", " : "", s, s);
    }
    struct nested *n = build_nested(st, l->sdfg->name, l->sdfg, text_get(&in), text_get(&out), text_get(&mapping));
    fe_mark(f, &n->node.place);
    f->level = l->outer;
    for (uint32_t i = 0; i < l->imports.count; i++) {
        const struct fe_import *im = &l->imports.items[i];
        const char *whole = fe_whole_text(f, im->container), *name = im->container->name;
        if (im->read)
            fe_mark(f, &build_path(whole, NULL, NULL, name, fe_access(f, st, im->container, false), &m->node, &n->node,
                                   NULL)
                            ->place);
        if (im->written) {
            struct edge *e =
                build_path(whole, NULL, name, NULL, &n->node, m->exit, fe_access(f, st, im->container, true), NULL);
            e->memlet.dynamic = true;
            fe_mark(f, &e->place);
        }
    }
    bool reads = false, writes = false;
    for (uint32_t i = 0; i < l->imports.count; i++) {
        reads |= l->imports.items[i].read;
        writes |= l->imports.items[i].written;
    }
    if (!reads)
        build_edge(&m->node, NULL, &n->node, NULL, NULL, NULL);
    if (!writes)
        build_edge(&n->node, NULL, m->exit, NULL, NULL, NULL);
}

static bool run_map(struct fe *f, const void *user)
{
    const struct mapping *mp = user;
    struct state *st = NULL;
    struct map_entry *m = NULL;
    struct fe_snapshot start = fe_snapshot(f);
    fe_at(f, mp->node);
    struct place place = f->place;
    struct fe_level *level = NEW(f->arena, struct fe_level);
    level->outer = f->level;
    if (!f->dry) {
        st = fe_state(f, "map");
        m = build_map(st, fe_format(f, "map_%u", f->place.line), mp->ranges);
        fe_mark(f, &m->node.place);
        fe_mark(f, &m->exit->place);
        level->sdfg = build_sdfg(f->ir, fe_unique(f, fe_format(f, "body_%u", f->place.line)));
        fe_mark(f, &level->sdfg->region.block.place);
    }
    for (uint32_t i = 0; i < mp->params.count; i++)
        vec_push(f->arena, &level->params, mp->params.items[i]);
    const struct py *target = mp->node->for_.target;
    for (uint32_t i = 0; i < mp->params.count; i++) {
        const struct py *t = target->kind == PY_TUPLE ? target->tuple.elts.items[i] : target;
        struct fe_binding *b = fe_bind(f, f->scope, t->name.id, fe_symbol(f, sym_name(f->ir, mp->params.items[i])));
        b->storage = NULL;
        fe_typed(f, t, b->name, b->value);
    }
    f->level = level;
    struct fe_region kept = fe_enter(f, level->sdfg ? &level->sdfg->region : NULL);
    for (uint32_t i = 0; i < mp->params.count; i++)
        vec_push(f->arena, &f->symbols, mp->params.items[i]);
    uint32_t symbols = f->symbols.count;
    f->loops++;
    bool good = fe_block(f, &mp->node->for_.body);
    f->loops--;
    f->ended = false;
    f->symbols.count = symbols;
    if (!f->dry && !f->region->blocks.count)
        fe_state(f, "empty");
    f->place = place;
    if (good && !f->dry)
        close_level(f, st, m, symbols);
    f->level = level->outer;
    fe_leave(f, &kept);
    uint32_t now = f->scope->names.count;
    for (uint32_t i = 0; i < now; i++) { /* what iterations bind ends with them */
        struct fe_binding *b = &f->scope->names.items[i];
        if (i < start.count && b->value == start.names[i].value)
            continue;
        if (i < start.count && b->storage && b->storage == start.names[i].storage)
            continue;
        b->value = NULL;
        b->storage = i < start.count ? start.names[i].storage : NULL;
        b->gone = "was assigned in the iterations of a map, which have no last one";
    }
    return good;
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
    struct mapping mp = { .node = n };
    struct text t = text_new(f->arena);
    for (uint32_t i = 0; i < count; i++) {
        const struct py *name = target->kind == PY_TUPLE ? target->tuple.elts.items[i] : target;
        if (name->kind != PY_NAME || items[i]->kind != FE_SLICE || items[i]->items[1]->kind == FE_NONE)
            return fe_error(f, name, "a map has a name and a range begin:end for each dimension") != NULL;
        const char *param = fe_loop_symbol(f, name->name.id), *part[3] = { "0", NULL, "1" };
        for (int k = 0; k < 3; k++) {
            if (items[i]->items[k]->kind == FE_NONE)
                continue;
            const struct value *v = fe_as_symbol(f, n->for_.iter, items[i]->items[k]);
            if (!v)
                return false;
            part[k] = fe_text(f, fe_sym(f, v));
        }
        vec_push(f->arena, &mp.params, param);
        text_printf(&t, "%s%s = %s:%s:%s", i ? ", " : "", param, part[0], part[1], part[2]);
    }
    mp.ranges = text_get(&t);
    const struct py_list *bodies[1] = { &n->for_.body };
    return fe_with_storage(f, bodies, 1, true, run_map, &mp);
}
