/* The graph as short text for people and for tests: one line per container, node and edge. The text depends on the
 * graph alone. */
#include "ir/graph.h"

#include <string.h>

struct printer {
    struct text *out;
    int depth;
};

static void begin_line(struct printer *p)
{
    for (int i = 0; i < p->depth; i++)
        text_add(p->out, "  ");
}

static void print_sym(struct printer *p, const struct sym *s) { sym_print(s, SYM_SYNTAX_PYTHON, p->out); }

static void print_list(struct printer *p, const struct sym *const *items, uint32_t count)
{
    text_addc(p->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        text_add(p->out, i ? ", " : "");
        print_sym(p, items[i]);
    }
    text_addc(p->out, ']');
}

/* One line, whatever the code: line ends as "; ". */
static void print_code(struct printer *p, const char *text)
{
    text += strspn(text, " \t\r\n");
    while (*text) {
        size_t length = strcspn(text, "\n");
        text_addn(p->out, text, length);
        text += length;
        size_t blank = strspn(text, " \t\r\n");
        text += blank;
        if (blank && *text)
            text_add(p->out, "; ");
    }
}

/* Ranges as files have them: the end is inclusive. */
static void print_subset(struct printer *p, const struct subset *s)
{
    text_addc(p->out, '[');
    for (uint32_t i = 0; i < s->rank; i++) {
        const struct range *d = &s->dims[i];
        text_add(p->out, i ? ", " : "");
        print_sym(p, d->begin);
        if (d->begin == d->end && sym_is_int(d->step, 1) && sym_is_int(d->tile, 1))
            continue;
        text_add(p->out, "..");
        print_sym(p, d->end);
        if (!sym_is_int(d->step, 1) || !sym_is_int(d->tile, 1)) {
            text_add(p->out, " step ");
            print_sym(p, d->step);
        }
        if (!sym_is_int(d->tile, 1)) {
            text_add(p->out, " tile ");
            print_sym(p, d->tile);
        }
    }
    text_addc(p->out, ']');
}

static void print_enum(struct printer *p, const struct enum_value *e, const char *standard)
{
    if (e && strcmp(e->name, standard))
        text_printf(p->out, " %s", e->name);
}

/* ---- containers ---- */

static bool all_zero(const struct container *c)
{
    for (uint32_t i = 0; i < c->rank; i++)
        if (!sym_is_int(c->offset[i], 0))
            return false;
    return true;
}

static void print_container(struct printer *p, const struct container *c)
{
    static const char *const names[] = {
#define CONTAINER(K, json) json,
#include "ir/containers.def"
#undef CONTAINER
    };
    begin_line(p);
    text_printf(p->out, "%s: %s ", c->name, c->kind == CONTAINER_UNKNOWN ? c->unknown_type : names[c->kind]);
    if (c->type)
        type_print(c->type, p->out);
    else
        text_addc(p->out, '?');
    if (c->kind != CONTAINER_SCALAR && !c->struct_name) {
        print_list(p, c->shape, c->rank);
        text_add(p->out, " strides ");
        print_list(p, c->strides, c->rank);
    }
    if (!all_zero(c)) {
        text_add(p->out, " offset ");
        print_list(p, c->offset, c->rank);
    }
    if (!sym_is_int(c->start_offset, 0)) {
        text_add(p->out, " start ");
        print_sym(p, c->start_offset);
    }
    text_add(p->out, c->transient ? " transient" : "");
    print_enum(p, c->storage, "Default");
    print_enum(p, c->lifetime, "Scope");
    text_addc(p->out, '\n');
    p->depth++;
    for (uint32_t i = 0; i < c->members.count; i++)
        print_container(p, c->members.items[i]);
    p->depth--;
}

/* ---- states ---- */

static void print_region(struct printer *p, const struct region *r);
static void print_sdfg(struct printer *p, const struct sdfg *s);

static void print_connectors(struct printer *p, const struct connector *items, uint32_t count)
{
    text_addc(p->out, '(');
    for (uint32_t i = 0; i < count; i++) {
        text_printf(p->out, "%s%s", i ? ", " : "", items[i].name);
        if (items[i].type) {
            text_add(p->out, ": ");
            type_print(items[i].type, p->out);
        }
    }
    text_addc(p->out, ')');
}

static void print_map(struct printer *p, const struct map_entry *m)
{
    text_addc(p->out, ' ');
    for (uint32_t i = 0; i < m->params.count; i++)
        text_printf(p->out, "%s%s", i ? ", " : "", m->params.items[i]);
    text_add(p->out, " in ");
    print_subset(p, &m->range);
    print_enum(p, m->schedule, "Default");
    text_add(p->out, m->unroll ? " unroll" : "");
}

static void print_consume(struct printer *p, const struct consume_entry *c)
{
    text_printf(p->out, " %s of ", c->pe_index);
    print_sym(p, c->num_pes);
    if (*c->condition.text) {
        text_add(p->out, " until ");
        print_code(p, c->condition.text);
    }
    print_enum(p, c->schedule, "Default");
}

static void print_nested(struct printer *p, const struct nested *n)
{
    for (uint32_t i = 0; i < n->mapping.count; i++) {
        text_printf(p->out, "%s%s=", i ? ", " : " with ", n->mapping.items[i].name);
        print_sym(p, n->mapping.items[i].value);
    }
    if (!n->sdfg)
        text_printf(p->out, " from %s", n->ext_path);
}

static void print_node(struct printer *p, const struct node *n)
{
    begin_line(p);
    text_printf(p->out, "%u: %s %s", n->index, n->place.noun, n->label);
    if (n->kind == NODE_TASKLET || n->kind == NODE_NESTED || n->kind == NODE_LIBRARY) {
        text_addc(p->out, ' ');
        print_connectors(p, n->in_conns.items, n->in_conns.count);
        text_add(p->out, " -> ");
        print_connectors(p, n->out_conns.items, n->out_conns.count);
    }
    if (as_map_entry(n))
        print_map(p, as_map_entry(n));
    if (as_consume_entry(n))
        print_consume(p, as_consume_entry(n));
    if (as_tasklet(n)) {
        print_enum(p, as_tasklet(n)->code.language, "Python");
        text_add(p->out, ": ");
        print_code(p, as_tasklet(n)->code.text);
    }
    if (as_library(n))
        text_printf(p->out, " %s", as_library(n)->classpath);
    if (as_nested(n))
        print_nested(p, as_nested(n));
    if (as_unknown(n))
        text_printf(p->out, " %s", as_unknown(n)->type_name ? as_unknown(n)->type_name : "?");
    if (node_is_entry(n) && scope_exit(n))
        text_printf(p->out, " to %u", scope_exit(n)->index);
    if (n->scope && !node_is_exit(n))
        text_printf(p->out, " in scope %u", n->scope->index);
    text_addc(p->out, '\n');
    if (as_nested(n) && as_nested(n)->sdfg) {
        p->depth++;
        print_sdfg(p, as_nested(n)->sdfg);
        p->depth--;
    }
}

static void print_memlet(struct printer *p, const struct memlet *m)
{
    if (memlet_is_empty(m)) {
        text_add(p->out, " empty");
        return;
    }
    text_printf(p->out, " %s", m->name);
    if (m->subset)
        print_subset(p, m->subset);
    text_add(p->out, m->subset_is_source ? " (source)" : " (target)");
    if (m->other) {
        text_add(p->out, " other ");
        print_subset(p, m->other);
    }
    if (m->wcr) {
        text_add(p->out, " wcr ");
        code_print(m->wcr, p->out);
    }
    text_add(p->out, m->wcr_nonatomic ? " nonatomic" : "");
    text_add(p->out, m->dynamic ? " dynamic" : "");
}

static void print_edge(struct printer *p, const struct edge *e)
{
    begin_line(p);
    text_printf(p->out, "%u%s%s -> %u%s%s:", e->src->index, e->src_conn ? "." : "", e->src_conn ? e->src_conn : "",
                e->dst->index, e->dst_conn ? "." : "", e->dst_conn ? e->dst_conn : "");
    print_memlet(p, &e->memlet);
    text_addc(p->out, '\n');
}

/* ---- control flow ---- */

static void print_loop(struct printer *p, const struct loop *l)
{
    text_add(p->out, l->inverted ? l->update_before_condition ? " do-while" : " do-while, update last" : "");
    if (*l->init.text) {
        text_add(p->out, " init ");
        print_code(p, l->init.text);
    }
    if (*l->condition.text) {
        text_add(p->out, " while ");
        print_code(p, l->condition.text);
    }
    if (*l->update.text) {
        text_add(p->out, " update ");
        print_code(p, l->update.text);
    }
}

static void print_branches(struct printer *p, const struct conditional *c)
{
    p->depth++;
    for (uint32_t i = 0; i < c->branches.count; i++) {
        begin_line(p);
        text_add(p->out, *c->branches.items[i].condition.text ? "if " : "else");
        print_code(p, c->branches.items[i].condition.text);
        text_addc(p->out, '\n');
        p->depth++;
        print_region(p, c->branches.items[i].region);
        p->depth--;
    }
    p->depth--;
}

static void print_block(struct printer *p, struct block *b)
{
    begin_line(p);
    text_printf(p->out, "%s[%u] %s", b->place.noun, b->index, b->label);
    if (as_loop(b))
        print_loop(p, as_loop(b));
    text_addc(p->out, '\n');
    p->depth++;
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        print_node(p, st->nodes.items[i]);
    for (uint32_t i = 0; st && i < st->edges.count; i++)
        print_edge(p, st->edges.items[i]);
    if (as_region(b))
        print_region(p, as_region(b));
    p->depth--;
    if (as_conditional(b))
        print_branches(p, as_conditional(b));
}

static void print_transition(struct printer *p, const struct transition *t)
{
    begin_line(p);
    text_printf(p->out, "%s -> %s", t->src->label, t->dst->label);
    if (t->condition.tree) {
        text_add(p->out, " if ");
        print_code(p, t->condition.text);
    }
    for (uint32_t i = 0; i < t->assignments.count; i++) {
        text_printf(p->out, "%s%s = ", i ? ", " : " set ", t->assignments.items[i].name);
        print_code(p, t->assignments.items[i].text);
    }
    text_addc(p->out, '\n');
}

static void print_region(struct printer *p, const struct region *r)
{
    if (r->start && r->start->index) {
        begin_line(p);
        text_printf(p->out, "start %s\n", r->start->label);
    }
    for (uint32_t i = 0; i < r->blocks.count; i++)
        print_block(p, r->blocks.items[i]);
    for (uint32_t i = 0; i < r->transitions.count; i++)
        print_transition(p, r->transitions.items[i]);
}

static void print_sdfg(struct printer *p, const struct sdfg *s)
{
    begin_line(p);
    text_printf(p->out, "sdfg %s(", s->name);
    for (uint32_t i = 0; i < s->arg_names.count; i++)
        text_printf(p->out, "%s%s", i ? ", " : "", s->arg_names.items[i]);
    text_add(p->out, ")\n");
    p->depth++;
    for (uint32_t i = 0; i < s->symbols.count; i++) {
        begin_line(p);
        text_printf(p->out, "symbol %s: ", s->symbols.items[i].name);
        if (s->symbols.items[i].type)
            type_print(s->symbols.items[i].type, p->out);
        else
            text_addc(p->out, '?');
        text_addc(p->out, '\n');
    }
    for (uint32_t i = 0; i < s->constants.count; i++) {
        begin_line(p);
        text_printf(p->out, "constant %s\n", s->constants.items[i].name);
    }
    for (uint32_t i = 0; i < s->containers.count; i++)
        print_container(p, s->containers.items[i]);
    print_region(p, &s->region);
    p->depth--;
}

void sdfg_print(const struct sdfg *s, struct text *out)
{
    struct printer p = { .out = out };
    print_sdfg(&p, s);
}
