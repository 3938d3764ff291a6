/* Which symbols an SDFG needs and which it sets (semantics.md 1.3). */
#include "ir/graph.h"
#include "ir/json/json.h"
#include "ir/library.h"
#include "ir/memlet_ends.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- assigned symbols ---- */

struct assigned {
    struct arena *arena;
    struct map *out;
};

static void add_target(struct arena *a, struct map *out, const char *name)
{
    if (*name)
        map_put(a, out, name, (void *)(uintptr_t)name);
}

static void add_statement_targets(struct arena *a, struct map *out, const struct code *block)
{
    for (uint32_t i = 0; block && i < block->count; i++) {
        const struct code *c = block->items[i];
        for (uint32_t k = 1; c->kind == CODE_ASSIGN && k < c->count; k++)
            if (c->items[k]->kind == CODE_NAME)
                add_target(a, out, c->items[k]->name);
    }
}

static void add_region_targets(struct assigned *f, const struct region *r)
{
    for (uint32_t i = 0; i < r->transitions.count; i++)
        for (uint32_t k = 0; k < r->transitions.items[i]->assignments.count; k++)
            add_target(f->arena, f->out, r->transitions.items[i]->assignments.items[k].name);
}

static void add_loop_targets(struct assigned *f, const struct loop *l)
{
    add_target(f->arena, f->out, l->variable);
    add_statement_targets(f->arena, f->out, l->init.tree);
    add_statement_targets(f->arena, f->out, l->update.tree);
}

static void add_block_targets(void *user, struct block *b)
{
    struct assigned *f = user;
    if (as_region(b))
        add_region_targets(f, as_region(b));
    if (as_loop(b))
        add_loop_targets(f, as_loop(b));
    struct conditional *c = as_conditional(b);
    for (uint32_t i = 0; c && i < c->branches.count; i++)
        add_region_targets(f, c->branches.items[i].region);
}

void sdfg_assigned_symbols(struct sdfg *s, struct map *out)
{
    struct assigned f = { s->ir->arena, out };
    add_region_targets(&f, &s->region);
    region_each_block(&s->region, add_block_targets, &f);
}

/* ---- free symbols ---- */

struct finder {
    struct sdfg *sdfg;
    struct arena *arena;
    bool shapes_of_arguments;
    struct map assigned, needed;
    struct map bound;         /* names that scopes of this SDFG define */
    struct map used;          /* struct container *: what nodes access and code reads */
    const struct node *scope; /* innermost entry node around what is being looked at */
};

const char *consume_count_name(const struct consume_entry *c)
{
    struct ir *ir = c->node.state->sdfg->ir;
    const char *label = c->node.place.label;
    return intern(ir->names, arena_printf(ir->arena, "__dace_%s_numelems", label ? label : ""));
}

static bool bound_by(const struct node *entry, const char *name)
{
    const struct map_entry *m = as_map_entry(entry);
    for (uint32_t i = 0; m && i < m->params.count; i++)
        if (m->params.items[i] == name)
            return true;
    const struct consume_entry *c = as_consume_entry(entry);
    if (c && (c->pe_index == name || (c->chunksize > 1 && consume_count_name(c) == name)))
        return true;
    for (uint32_t i = 0; i < entry->in_conns.count; i++)
        if (entry->in_conns.items[i].name == name && strncmp(name, "IN_", 3))
            return true;
    return false;
}

/* Modules and constants of Python, and what the machine knows; they are symbols only if declared. */
static bool is_known_name(const char *name)
{
    static const char *const names[] = { "math", "numpy", "np", "dace", "inf", "nan", "pi", SDFG_LANES };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void use_container(struct finder *f, const struct container *c)
{
    if (c)
        map_put(f->arena, &f->used, c, (void *)(uintptr_t)c);
}

static void use_name(struct finder *f, const char *name)
{
    const struct sdfg *s = f->sdfg;
    use_container(f, sdfg_find_container(s, name));
    if (map_has(&f->needed, name) || map_has(&f->assigned, name) || map_has(&s->container_by_name, name) ||
        strchr(name, '.'))
        return;
    for (const struct node *n = f->scope; n; n = n->scope)
        if (bound_by(n, name))
            return;
    if (sdfg_find_constant(s, name) || (is_known_name(name) && !map_has(&s->symbol_by_name, name)))
        return;
    map_put(f->arena, &f->needed, name, (void *)(uintptr_t)name);
}

static void visit_sym(void *user, const struct sym *s) { use_name(user, s->name); }

static void visit_code(void *user, const char *name) { use_name(user, name); }

static void use_sym(struct finder *f, const struct sym *s)
{
    if (s)
        sym_visit_names(s, visit_sym, f);
}

static void use_code(struct finder *f, const struct code *c)
{
    if (c)
        code_free_names((struct code *)(uintptr_t)c, visit_code, f);
}

/* Bit i of `ends`: the end of dimension i counts, too. */
static void use_subset(struct finder *f, const struct subset *s, uint64_t ends)
{
    for (uint32_t i = 0; s && i < s->rank; i++) {
        use_sym(f, s->dims[i].begin);
        if (!(ends >> (i < 63 ? i : 63) & 1))
            continue;
        use_sym(f, s->dims[i].end);
        use_sym(f, s->dims[i].step);
        use_sym(f, s->dims[i].tile);
    }
}

static bool is_connector(const struct node *n, const char *name)
{
    return n && (node_in_conn(n, name) || node_out_conn(n, name));
}

/* An identifier behind another one is being declared ("int i"), unless that is a word of an expression. */
static bool is_operator_word(const char *name)
{
    static const char *const words[] = { "and", "or",    "not", "if",     "else", "elif",   "in",
                                         "is",  "while", "for", "return", "case", "assert", "lambda" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i]))
            return true;
    return false;
}

/* Code that is not parsed here: every identifier that is a declared symbol, no connector and no local variable. */
static void use_text(struct finder *f, const struct node *n, const char *text)
{
    struct map locals = { 0 };
    const char *before = NULL; /* the identifier before this one, if only blanks lie between them */
    for (const char *c = text; *c;) {
        if (!isalpha((unsigned char)*c) && *c != '_') {
            before = isspace((unsigned char)*c) ? before : NULL;
            c++;
            continue;
        }
        const char *begin = c;
        while (isalnum((unsigned char)*c) || *c == '_')
            c++;
        bool inside = begin > text && (begin[-1] == '.' || isdigit((unsigned char)begin[-1]));
        const char *name = intern_n(f->sdfg->ir->names, begin, (size_t)(c - begin));
        if (before && !is_operator_word(before))
            map_put(f->arena, &locals, name, (void *)(uintptr_t)name);
        before = name;
        if (!inside && map_has(&f->sdfg->symbol_by_name, name) && !map_has(&locals, name) && !is_connector(n, name))
            use_name(f, name);
    }
}

static void use_library(struct finder *f, const struct library *l)
{
    for (const struct json *m = l->attributes ? l->attributes->first : NULL; m; m = m->next) {
        const char *code = json_string(json_get(m, "string_data"));
        if (m->kind == JSON_STRING &&
            (library_is_symbolic(m->key) || !strcmp(m->key, "identity") || !strcmp(m->key, "fcomm")))
            use_text(f, NULL, m->text);
        else if (code)
            use_text(f, &l->node, code);
        bool listed = m->kind == JSON_ARRAY && library_is_symbolic(m->key);
        for (const struct json *v = listed ? m->first : NULL; v; v = v->next)
            if (v->kind == JSON_STRING)
                use_text(f, NULL, v->text);
    }
    if (!strcmp(library_class(l), "Axpy") && !json_get(l->attributes, "a"))
        use_text(f, NULL, "a"); /* the default of the factor is a symbol */
    if (strstr(l->classpath, ".pblas."))
        use_text(f, NULL, "Px, Py"); /* the process grid */
}

static void use_nested(struct finder *f, const struct nested *n)
{
    const char **inner = NULL;
    uint32_t count = n->sdfg ? sdfg_free_symbols(n->sdfg, f->shapes_of_arguments, &inner) : 0;
    for (uint32_t i = 0; i < n->mapping.count; i++) {
        bool used = !n->sdfg;
        for (uint32_t k = 0; k < count && !used; k++)
            used = inner[k] == n->mapping.items[i].name;
        if (used)
            use_sym(f, n->mapping.items[i].value);
    }
}

static void bind_names(struct finder *f, const struct node *entry)
{
    const struct map_entry *m = as_map_entry(entry);
    const struct consume_entry *c = as_consume_entry(entry);
    for (uint32_t i = 0; m && i < m->params.count; i++)
        add_target(f->arena, &f->bound, m->params.items[i]);
    if (c) {
        add_target(f->arena, &f->bound, c->pe_index);
        if (c->chunksize > 1)
            add_target(f->arena, &f->bound, consume_count_name(c));
    }
    for (uint32_t i = 0; i < entry->in_conns.count; i++)
        add_target(f->arena, &f->bound, entry->in_conns.items[i].name);
}

static void use_node(struct finder *f, const struct node *n)
{
    const struct map_entry *m = as_map_entry(n);
    const struct consume_entry *c = as_consume_entry(n);
    const struct tasklet *t = as_tasklet(n);
    f->scope = m || c ? n : n->scope; /* later dimensions may use earlier parameters, and ranges the dynamic inputs */
    if (m || c)
        bind_names(f, n);
    if (m)
        use_subset(f, &m->range, UINT64_MAX);
    if (c) {
        use_sym(f, c->num_pes);
        use_code(f, c->condition.tree);
    }
    if (t) {
        use_text(f, n, t->code.text);
        use_text(f, n, t->code_init.text);
        use_text(f, n, t->code_exit.text);
    }
    if (as_access(n))
        use_container(f, as_access(n)->data);
    if (as_nested(n))
        use_nested(f, as_nested(n));
    if (as_library(n))
        use_library(f, as_library(n));
}

/* Memlets between scopes are hints; only the innermost edge of a path addresses memory. */
static bool is_leaf(const struct edge *e)
{
    bool from_exit = node_is_exit(e->src) && e->src_conn && !strncmp(e->src_conn, "OUT_", 4);
    bool to_entry = node_is_entry(e->dst) && e->dst_conn && !strncmp(e->dst_conn, "IN_", 3);
    return !from_exit && !to_entry;
}

static void use_state(struct finder *f, const struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++)
        use_node(f, st->nodes.items[i]);
    for (uint32_t i = 0; i < st->edges.count; i++) {
        const struct edge *e = st->edges.items[i];
        if (!is_leaf(e))
            continue;
        f->scope = node_is_entry(e->src)                   ? e->src
                   : node_is_exit(e->src) && e->src->scope ? e->src->scope->scope
                                                           : e->src->scope;
        uint64_t ends = f->shapes_of_arguments ? UINT64_MAX : memlet_needed_ends(e);
        use_subset(f, e->memlet.subset, ends);
        use_subset(f, e->memlet.other, ends);
    }
    f->scope = NULL;
}

/* ---- control flow ---- */

/* Blocks behind their predecessors as far as cycles allow (reverse postorder from the start), then the unreachable
 * ones. */
static struct block **order_blocks(struct finder *f, const struct region *r)
{
    uint32_t count = r->blocks.count, depth = 0, last = count, unreached = 0;
    struct block **order = NEW_ARRAY(f->arena, struct block *, count),
                 **stack = NEW_ARRAY(f->arena, struct block *, count);
    uint32_t *next = NEW_ARRAY(f->arena, uint32_t, count);
    bool *seen = NEW_ARRAY(f->arena, bool, count);
    if (r->start) {
        stack[depth++] = r->start;
        seen[r->start->index] = true;
    }
    while (depth) {
        struct block *b = stack[depth - 1];
        if (next[b->index] == b->out.count) {
            order[--last] = b;
            depth--;
            continue;
        }
        struct block *to = b->out.items[next[b->index]++]->dst;
        if (!seen[to->index]) {
            seen[to->index] = true;
            stack[depth++] = to;
        }
    }
    memmove(order, order + last, (count - last) * sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        if (!seen[i])
            order[count - last + unreached++] = r->blocks.items[i];
    return order;
}

static void use_region(struct finder *f, const struct region *r);

static void use_block(struct finder *f, struct block *b)
{
    struct loop *l = as_loop(b);
    struct conditional *c = as_conditional(b);
    if (as_state(b))
        use_state(f, as_state(b));
    if (l) {
        use_code(f, l->init.tree);
        if (*l->init.text)
            add_target(f->arena, &f->assigned, l->variable);
        add_statement_targets(f->arena, &f->assigned, l->init.tree);
        use_code(f, l->condition.tree);
    }
    if (as_region(b))
        use_region(f, as_region(b));
    if (l)
        use_code(f, l->update.tree);
    for (uint32_t i = 0; c && i < c->branches.count; i++) {
        use_code(f, c->branches.items[i].condition.tree);
        use_region(f, c->branches.items[i].region);
    }
}

static void use_region(struct finder *f, const struct region *r)
{
    struct block **order = order_blocks(f, r);
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        struct block *b = order[i];
        use_block(f, b);
        for (uint32_t k = 0; k < b->out.count; k++) {
            const struct transition *t = b->out.items[k];
            use_code(f, t->condition.tree);
            for (uint32_t n = 0; n < t->assignments.count; n++)
                use_code(f, t->assignments.items[n].value);
        }
        for (uint32_t k = 0; k < b->out.count; k++)
            for (uint32_t n = 0; n < b->out.items[k]->assignments.count; n++)
                add_target(f->arena, &f->assigned, b->out.items[k]->assignments.items[n].name);
    }
}

static void use_descriptor_name(void *user, const struct sym *s)
{
    struct finder *f = user;
    bool of_scope = map_has(&f->bound, s->name) && !map_has(&f->sdfg->symbol_by_name, s->name);
    if (!of_scope)
        use_name(f, s->name);
}

static void use_size(struct finder *f, const struct sym *s) { sym_visit_names(s, use_descriptor_name, f); }

static void use_layout(struct finder *f, const struct container *c, bool size)
{
    for (uint32_t i = 0; i < c->rank; i++) {
        use_size(f, c->strides[i]);
        use_size(f, c->offset[i]);
        if (size)
            use_size(f, c->shape[i]);
    }
    use_size(f, c->start_offset);
    if (size)
        use_size(f, c->total_size);
    for (uint32_t i = 0; f->shapes_of_arguments && i < c->members.count; i++)
        use_layout(f, c->members.items[i], size);
}

/* Descriptors count last: what a transition sets may size a transient that is allocated behind it, and so may the
 * parameter of a map that lies around all its uses. Code needs the strides of what it uses and the sizes of what it
 * allocates. */
static void use_layouts(struct finder *f)
{
    for (uint32_t i = 0; i < f->sdfg->containers.count; i++) {
        const struct container *c = f->sdfg->containers.items[i];
        if (f->shapes_of_arguments)
            use_layout(f, c, true);
    }
    for (uint32_t i = 0; !f->shapes_of_arguments && i < f->used.count; i++) {
        const struct container *c = f->used.slots[i].value;
        use_layout(f, c, c->transient && !container_is_view(c) && !container_is_reference(c));
    }
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

uint32_t sdfg_free_symbols(struct sdfg *s, bool shapes_of_arguments, const char ***out)
{
    struct finder f = { .sdfg = s, .arena = s->ir->arena, .shapes_of_arguments = shapes_of_arguments };
    use_region(&f, &s->region);
    use_layouts(&f);
    for (uint32_t i = 0; i < s->init_code.count; i++)
        use_text(&f, NULL, s->init_code.items[i].text);
    for (uint32_t i = 0; i < s->exit_code.count; i++)
        use_text(&f, NULL, s->exit_code.items[i].text);
    *out = NEW_ARRAY(f.arena, const char *, f.needed.count);
    for (uint32_t i = 0; i < f.needed.count; i++)
        (*out)[i] = f.needed.slots[i].key;
    qsort(*out, f.needed.count, sizeof **out, by_name);
    return f.needed.count;
}
