/* stencil.Stencil (library-nodes.md 9): code over fields, in which f[o0, o1, ...] is the element at the index plus
 * literal offsets.
 *
 * Accesses become names when the code is read. The points at which no access can leave the domain are a plain loop
 * nest; the slabs around them are nests of the same code with checks. Fields without boundary condition shrink the
 * domain instead: where they would be read outside nothing is written. */
#include "lower/graph/library/library.h"

#include "ir/json/json.h"
#include "ir/library.h"

#include <string.h>

enum { MAX_FIELDS = 32, MAX_ACCESSES = 256 };

enum boundary { BOUNDARY_SHRINK, BOUNDARY_CONSTANT, BOUNDARY_COPY };

struct field {
    const char *name;
    struct area area;
    uint32_t dims[LOWER_MAX_RANK]; /* the dimension of the domain behind each of the field's own */
    bool output;
    enum boundary boundary;
    struct tree_expr *constant;
};

/* One f[offsets] of the code, which has the name `alias` now. */
struct reference {
    const char *alias;
    const struct field *field;
    int64_t offset[LOWER_MAX_RANK]; /* per dimension of the domain */
};

struct stencil {
    struct scope *sc;
    struct library *node;
    struct code *body;
    const char *text;
    struct field fields[MAX_FIELDS];
    struct reference references[MAX_ACCESSES];
    uint32_t num_fields, num_references, rank;
    const struct sym *sizes[LOWER_MAX_RANK];
    bool failed;
    /* where code is being placed */
    struct tree_var *index[LOWER_MAX_RANK];
    bool checked;
};

static bool wrong(struct stencil *s, const char *what)
{
    s->failed = true;
    return library_wrong_shapes(s->sc, s->node, what);
}

/* ---- fields ---- */

static bool add_fields(struct stencil *s, struct edge *const *edges, uint32_t count, bool output)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *conn = output ? edges[i]->src_conn : edges[i]->dst_conn;
        if (memlet_is_empty(&edges[i]->memlet) || !conn)
            continue;
        if (s->num_fields == MAX_FIELDS)
            return lower_unsupported(s->sc, &s->node->node.place, "stencils of more than 32 fields");
        struct field *f = &s->fields[s->num_fields++];
        *f = (struct field){ .name = conn, .output = output };
        if (!(output ? library_update : library_input)(s->sc, s->node, conn, &f->area))
            return false;
        if (f->area.type->kind == TYPE_VECTOR)
            return lower_unsupported(s->sc, &s->node->node.place, "stencils of vectors");
        if (f->area.rank > s->rank) {
            s->rank = f->area.rank;
            for (uint32_t d = 0; d < s->rank; d++)
                s->sizes[d] = f->area.sizes[d];
        }
    }
    return true;
}

/* Which dimensions of the domain a field has. */
static bool map_field(struct stencil *s, struct field *f)
{
    const struct json *mapping = json_get(s->node->attributes, "iterator_mapping"), *own = json_get(mapping, f->name);
    uint32_t rank = 0, at = 0;
    bool single = sym_is_int(area_volume(s->sc->act->lw, &f->area), 1);
    if (!own && f->area.rank != s->rank && !single)
        return wrong(s, "a field of lower rank has no iterator mapping");
    for (uint32_t d = 0; d < s->rank; d++) {
        const struct json *flag = json_at(own, d);
        bool has = own ? flag && json_bool(flag, false) : f->area.rank == s->rank;
        if (has && rank < f->area.rank)
            f->dims[rank] = d;
        rank += has;
    }
    if (rank == 0 && single)
        f->area.rank = 0;
    if (rank != f->area.rank)
        return wrong(s, "an iterator mapping does not fit the rank of its field");
    for (at = 0; at < rank; at++)
        if (library_differ(s->sc->act->lw, f->area.sizes[at], s->sizes[f->dims[at]]))
            return wrong(s, "a field has other extents than the domain");
    return true;
}

/* {"btype": "constant", "value": 0} of a field; the list has an object with one member per field. */
static bool read_boundary(struct stencil *s, struct field *f)
{
    struct lower *lw = s->sc->act->lw;
    const struct json *list = json_get(s->node->attributes, "boundary_conditions"), *rule = NULL;
    if (json_is(list, JSON_OBJECT))
        rule = json_get(list, f->name);
    for (const struct json *o = json_is(list, JSON_ARRAY) ? list->first : NULL; o && !rule; o = o->next)
        rule = json_get(o, f->name);
    const char *kind = rule ? json_string(json_get(rule, "btype")) : NULL;
    f->boundary = BOUNDARY_SHRINK;
    if (!rule || (kind && !strcmp(kind, "shrink")))
        return true;
    if (kind && !strcmp(kind, "copy")) {
        f->boundary = BOUNDARY_COPY;
        return true;
    }
    const struct json *value = json_get(rule, "value");
    double number;
    if (!kind || strcmp(kind, "constant") || !json_real(value, &number))
        return diag_error(lw->diags, &s->node->node.place, DIAG_LIBRARY_PROPERTY, "boundary_conditions");
    struct code_scope cs = lower_code_scope(s->sc, &s->node->node.place, NULL);
    f->boundary = BOUNDARY_CONSTANT;
    f->constant = code_convert(&cs, f->area.type, expr_float(lw->tree, type_basic(lw->ir, TYPE_F64), number));
    return f->constant != NULL;
}

/* ---- accesses ---- */

static const struct field *find_field(const struct stencil *s, const char *name, bool output)
{
    for (uint32_t i = 0; i < s->num_fields; i++)
        if (s->fields[i].output == output && !strcmp(s->fields[i].name, name))
            return &s->fields[i];
    return NULL;
}

static bool literal(const struct code *c, int64_t *out)
{
    if (c->kind == CODE_UNARY && (c->op == CODE_NEG || c->op == CODE_PLUS) && literal(c->items[0], out)) {
        *out = c->op == CODE_NEG ? -*out : *out;
        return true;
    }
    *out = c->i;
    return c->kind == CODE_INT && !c->big;
}

/* Replaces an access by a name of its own. */
static bool name_access(struct stencil *s, struct code *c, const struct field *f)
{
    struct lower *lw = s->sc->act->lw;
    const struct code *first = c->count == 2 && c->items[1]->kind == CODE_TUPLE ? c->items[1] : NULL;
    struct code *const *offsets = first ? first->items : c->items + 1;
    uint32_t count = first ? first->count : c->count - 1;
    struct reference *r = &s->references[s->num_references];
    if (s->num_references == MAX_ACCESSES) {
        s->failed = true;
        return lower_unsupported(s->sc, &s->node->node.place, "stencils of more than 256 accesses");
    }
    if (count != f->area.rank)
        return wrong(s, "an access has another number of offsets than its field has dimensions");
    *r = (struct reference){ .field = f };
    for (uint32_t i = 0; i < count; i++)
        if (!literal(offsets[i], &r->offset[f->dims[i]]))
            return wrong(s, "an offset is no integer literal");
    r->alias = intern(lw->ir->names, arena_printf(lw->arena, "__access_%u", s->num_references++));
    c->kind = CODE_NAME;
    c->name = r->alias;
    c->count = 0;
    return false;
}

static bool visit_read(void *user, struct code *c)
{
    struct stencil *s = user;
    if (s->failed)
        return false;
    const struct field *f = NULL;
    if (c->kind == CODE_INDEX && c->items[0]->kind == CODE_NAME) {
        f = find_field(s, c->items[0]->name, false);
        f = f ? f : find_field(s, c->items[0]->name, true);
    }
    return f ? name_access(s, c, f) : true;
}

/* Written elements come first: a name that is on both sides is written at its target and read elsewhere. */
static bool visit_write(void *user, struct code *c)
{
    struct stencil *s = user;
    for (uint32_t i = 1; c->kind == CODE_ASSIGN && i < c->count && !s->failed; i++) {
        struct code *target = c->items[i];
        bool access = target->kind == CODE_INDEX && target->items[0]->kind == CODE_NAME;
        const struct field *f = access ? find_field(s, target->items[0]->name, true) : NULL;
        if (f)
            name_access(s, target, f);
    }
    return !s->failed;
}

/* All offsets are relative to the written element. */
static bool centre(struct stencil *s, uint32_t num_written)
{
    if (!num_written)
        return wrong(s, "the code writes no field");
    int64_t shift[LOWER_MAX_RANK];
    memcpy(shift, s->references[0].offset, sizeof shift);
    for (uint32_t i = 1; i < num_written; i++)
        for (uint32_t d = 0; d < s->references[i].field->area.rank; d++) {
            uint32_t dim = s->references[i].field->dims[d];
            if (s->references[i].offset[dim] != shift[dim])
                return wrong(s, "fields are written at different offsets");
        }
    for (uint32_t i = 0; i < s->num_references; i++) {
        struct reference *r = &s->references[i];
        for (uint32_t d = 0; d < r->field->area.rank; d++)
            r->offset[r->field->dims[d]] -= shift[r->field->dims[d]];
    }
    return true;
}

/* ---- code at one point ---- */

static struct tree_expr *address(const struct stencil *s, const struct reference *r, bool central)
{
    struct lower *lw = s->sc->act->lw;
    const struct sym *at = sym_int(lw->ir, 0);
    const struct area *a = &r->field->area;
    for (uint32_t d = 0; d < a->rank; d++) {
        uint32_t dim = r->field->dims[d];
        const struct sym *i = lower_var_symbol(lw, s->index[dim]);
        i = sym_add(lw->ir, i, sym_int(lw->ir, central ? 0 : r->offset[dim]));
        at = sym_add(lw->ir, at, sym_mul(lw->ir, i, a->strides[d]));
    }
    return lower_index(lw, &s->node->node.place, at);
}

/* Is the access inside the domain? NULL: always. */
static bool inside(const struct stencil *s, const struct reference *r, struct tree_expr **out)
{
    struct lower *lw = s->sc->act->lw;
    struct tree *t = lw->tree;
    *out = NULL;
    for (uint32_t d = 0; d < r->field->area.rank; d++) {
        uint32_t dim = r->field->dims[d];
        if (!r->offset[dim])
            continue;
        struct tree_expr *i = expr_binary(t, EXPR_ADD, expr_var(t, s->index[dim]), expr_i64(t, r->offset[dim]));
        struct tree_expr *size = lower_index(lw, &s->node->node.place, s->sizes[dim]);
        if (!size)
            return false;
        struct tree_expr *in =
            r->offset[dim] < 0 ? expr_binary(t, EXPR_GE, i, expr_i64(t, 0)) : expr_binary(t, EXPR_LT, i, size);
        *out = *out ? expr_binary(t, EXPR_LOGICAL_AND, *out, in) : in;
    }
    return true;
}

static bool reference_operand(const struct stencil *s, const struct reference *r, struct operand *out)
{
    struct tree *t = s->sc->act->lw->tree;
    const struct area *a = &r->field->area;
    struct tree_expr *at = address(s, r, false), *in = NULL;
    if (!at || (s->checked && r->field->boundary != BOUNDARY_SHRINK && !inside(s, r, &in)))
        return false;
    *out = (struct operand){
        .kind = OPERAND_ARRAY, .type = a->type, .pointer = expr_offset(t, a->pointer, at), .alias = a->alias
    };
    if (!in)
        return true;
    struct tree_expr *otherwise = r->field->constant;
    if (r->field->boundary == BOUNDARY_COPY) {
        struct tree_expr *middle = address(s, r, true);
        if (!middle)
            return false;
        otherwise = expr_load(t, a->type, a->pointer, middle, a->alias);
    }
    *out = (struct operand){ .kind = OPERAND_VALUE, .type = a->type };
    out->value = expr_select(t, in, expr_load(t, a->type, a->pointer, at, a->alias), otherwise);
    return true;
}

static bool lookup(void *user, const char *name, struct operand *out)
{
    struct stencil *s = user;
    for (uint32_t i = 0; i < s->num_references; i++)
        if (s->references[i].alias == name)
            return reference_operand(s, &s->references[i], out);
    const struct field *f = find_field(s, name, false);
    f = f ? f : find_field(s, name, true);
    if (f && f->area.rank == 0) { /* a single value is named without offsets */
        const struct reference r = { .field = f };
        return reference_operand(s, &r, out);
    }
    *out = (struct operand){ .kind = OPERAND_NONE };
    if (f || (!lower_find_symbol(s->sc, name) && !sdfg_find_constant(s->sc->act->sdfg, name)))
        return true;
    return lower_lookup(s->sc, name, out);
}

/* ---- the domain ---- */

struct bounds {
    struct tree_expr *begin[LOWER_MAX_RANK], *end[LOWER_MAX_RANK];
};

/* How far fields of a kind of boundary condition are read beyond the point, per dimension. */
static void reach(const struct stencil *s, bool shrinks, int64_t *before, int64_t *after)
{
    for (uint32_t d = 0; d < s->rank; d++)
        before[d] = after[d] = 0;
    for (uint32_t i = 0; i < s->num_references; i++) {
        const struct reference *r = &s->references[i];
        if ((r->field->boundary == BOUNDARY_SHRINK) != shrinks)
            continue;
        for (uint32_t d = 0; d < s->rank; d++) {
            before[d] = -r->offset[d] > before[d] ? -r->offset[d] : before[d];
            after[d] = r->offset[d] > after[d] ? r->offset[d] : after[d];
        }
    }
}

/* The written fields share memory with those that are read: points depend on each other, in row-major order. */
static bool in_place(const struct stencil *s)
{
    for (uint32_t i = 0; i < s->num_fields; i++)
        for (uint32_t k = 0; k < s->num_fields; k++)
            if (s->fields[i].output && !s->fields[k].output &&
                (s->fields[i].area.alias == s->fields[k].area.alias || !s->fields[k].area.alias))
                return true;
    return false;
}

static bool nest(struct stencil *s, const struct bounds *b, bool checked)
{
    struct tree *t = s->sc->act->lw->tree;
    struct tree_stmt *block = s->sc->block;
    bool free = !in_place(s);
    for (uint32_t d = 0; d < s->rank; d++) {
        s->index[d] = tree_var(t, "i", type_basic(s->sc->act->lw->ir, TYPE_I64));
        struct tree_stmt *loop = stmt_for(t, block, s->index[d], b->begin[d], b->end[d], expr_i64(t, 1));
        loop->place = &s->node->node.place;
        loop->loop.independent = free;
        loop->loop.parallel = free && d == 0 && !s->sc->parallel;
        block = loop->body;
    }
    s->checked = checked;
    struct code_scope cs = lower_code_scope(s->sc, &s->node->node.place, s->text);
    cs.lookup = lookup;
    cs.user = s;
    return code_body(&cs, block, s->body);
}

static struct tree_expr *least(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_MIN, a, b);
}

/* The inner part and, if there are conditions to check, two slabs per dimension around it. */
static bool lower_domain(struct stencil *s)
{
    struct lower *lw = s->sc->act->lw;
    struct tree *t = lw->tree;
    int64_t before[LOWER_MAX_RANK], after[LOWER_MAX_RANK], checked_before[LOWER_MAX_RANK],
        checked_after[LOWER_MAX_RANK];
    struct bounds all, inner;
    bool slabs = false;
    reach(s, true, before, after);
    reach(s, false, checked_before, checked_after);
    for (uint32_t d = 0; d < s->rank; d++) {
        struct tree_expr *size = lower_index(lw, &s->node->node.place, s->sizes[d]);
        if (!size)
            return false;
        int64_t first = checked_before[d] > before[d] ? checked_before[d] : before[d];
        int64_t last = checked_after[d] > after[d] ? checked_after[d] : after[d];
        slabs = slabs || first > before[d] || last > after[d];
        all.begin[d] = expr_i64(t, before[d]);
        all.end[d] = expr_binary(t, EXPR_SUB, size, expr_i64(t, after[d]));
        /* begin <= inner begin <= inner end <= end, also where the domain is narrower than the stencil */
        inner.begin[d] = least(t, expr_i64(t, first), expr_binary(t, EXPR_MAX, all.begin[d], all.end[d]));
        inner.end[d] = expr_binary(t, EXPR_MAX, inner.begin[d], expr_binary(t, EXPR_SUB, size, expr_i64(t, last)));
    }
    if (in_place(s) && slabs)
        return nest(s, &all, true); /* in one order */
    for (uint32_t d = 0; d < s->rank && slabs; d++)
        for (int side = 0; side < 2; side++) {
            struct bounds slab = inner; /* of the dimensions before d */
            for (uint32_t k = d; k < s->rank; k++) {
                slab.begin[k] = all.begin[k];
                slab.end[k] = all.end[k];
            }
            if (side)
                slab.begin[d] = inner.end[d];
            else
                slab.end[d] = inner.begin[d];
            if (!nest(s, &slab, true))
                return false;
        }
    return nest(s, &inner, false);
}

bool lower_stencil(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    const struct json *code = json_get(n->attributes, "code");
    const char *text = json_string(json_get(code, "string_data")), *language = json_string(json_get(code, "language"));
    struct stencil *s = NEW(lw->arena, struct stencil);
    *s = (struct stencil){ .sc = sc, .node = n, .text = text };
    if (!text)
        return diag_error(lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "code");
    if (language && strcmp(language, "Python"))
        return diag_error(lw->diags, &n->node.place, DIAG_TASKLET_LANGUAGE, language);
    s->body = python_parse(lw->ir, &n->node.place, text);
    if (!s->body || !add_fields(s, n->node.out.items, n->node.out.count, true) ||
        !add_fields(s, n->node.in.items, n->node.in.count, false))
        return false;
    for (uint32_t i = 0; i < s->num_fields; i++)
        if (!map_field(s, &s->fields[i]) || !read_boundary(s, &s->fields[i]))
            return false;
    code_visit(s->body, visit_write, s);
    uint32_t written = s->num_references;
    if (!s->failed)
        code_visit(s->body, visit_read, s);
    return !s->failed && centre(s, written) && lower_domain(s);
}
