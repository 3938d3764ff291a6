#include "engine/interface.h"

#include "engine/bytes.h"

#include <string.h>

enum { LAYOUT = 1, MOST = 1 << 20 };

/* ---- what can be written ---- */

static bool forms_are_terms(const struct form *f, uint32_t count)
{
    for (uint32_t i = 0; f && i < count; i++)
        if (!f[i].terms)
            return false;
    return true;
}

static bool type_is_plain(const struct type *t)
{
    return t && (type_is_basic(t) || (t->kind == TYPE_VECTOR && type_is_basic(t->elem)));
}

static bool leaf_is_plain(const struct sdfg_program *p, const struct leaf *l)
{
    const struct place *root = &p->root->region.block.place;
    return (l->kind == SDFG_KIND_ARRAY || leaf_is_value(l)) && type_is_plain(l->type) && !l->num_members &&
           (l->place == root || l->place->parent == root) && forms_are_terms(l->shape, l->rank) &&
           forms_are_terms(l->strides, l->rank) && (!l->total_size.text || l->total_size.terms);
}

static bool is_plain(const struct sdfg_program *p)
{
    bool plain = p->root && !p->warnings && !p->workspaces.count && !p->external && !p->root->region.block.place.parent;
    for (uint32_t i = 0; i < p->num_variables && plain; i++)
        plain = p->variables[i].type && type_is_basic(p->variables[i].type);
    for (uint32_t i = 0; i < p->num_arguments && plain; i++)
        plain = leaf_is_plain(p, &p->arguments[i]);
    for (uint32_t i = 0; i < p->num_transients && plain; i++)
        plain = leaf_is_plain(p, &p->transients[i]);
    return plain;
}

/* ---- writing ---- */

static void put_place(struct text *out, const struct place *at)
{
    bytes_put_text(out, at->noun ? at->noun : "");
    bytes_put_text(out, at->label ? at->label : "");
    bytes_put_text(out, at->file ? at->file : "");
    bytes_put_number(out, at->id);
    bytes_put_number(out, at->line);
    bytes_put_number(out, at->column);
}

static void put_form(struct text *out, const struct form *f)
{
    bytes_put_text(out, f->text);
    bytes_put_number(out, f->num_names);
    for (uint32_t i = 0; i < f->num_names; i++)
        bytes_put_number(out, f->names[i].variable);
    bytes_put_number(out, f->num_terms);
    for (uint32_t i = 0; i < f->num_terms; i++) {
        bytes_put_number(out, (uint64_t)f->terms[i].coefficient);
        bytes_put_number(out, f->terms[i].num_factors);
        for (uint32_t k = 0; k < f->terms[i].num_factors; k++)
            bytes_put_number(out, f->terms[i].factors[k]);
    }
}

static void put_type(struct text *out, const struct type *t)
{
    bool vector = t->kind == TYPE_VECTOR;
    bytes_put_number(out, vector ? t->elem->kind : t->kind);
    bytes_put_number(out, vector ? t->lanes : 0);
    bytes_put_text(out, vector && t->lanes_text ? t->lanes_text : "");
}

enum leaf_flag {
    LEAF_WRITTEN = 1,
    LEAF_OPTIONAL = 2,
    LEAF_RETURNED = 4,
    LEAF_TRANSIENT = 8,
    LEAF_SOLVABLE = 16,
    LEAF_STRIDES = 32,
    LEAF_TOTAL = 64,
    LEAF_AT_ROOT = 128,
    LEAF_ALL = 255
};

static void put_leaf(struct text *out, const struct sdfg_program *p, const struct leaf *l)
{
    bool at_root = l->place == &p->root->region.block.place;
    bytes_put_text(out, l->name);
    bytes_put_number(out, l->kind);
    bytes_put_number(out, (l->written ? LEAF_WRITTEN : 0) | (l->optional ? LEAF_OPTIONAL : 0) |
                              (l->returned ? LEAF_RETURNED : 0) | (l->transient ? LEAF_TRANSIENT : 0) |
                              (l->solvable ? LEAF_SOLVABLE : 0) | (l->strides ? LEAF_STRIDES : 0) |
                              (l->total_size.text ? LEAF_TOTAL : 0) | (at_root ? LEAF_AT_ROOT : 0));
    if (!at_root)
        put_place(out, l->place);
    put_type(out, l->type);
    bytes_put_text(out, l->type_text);
    bytes_put_text(out, l->storage);
    bytes_put_text(out, l->lifetime);
    bytes_put_number(out, (uint64_t)(l->variable + 1));
    bytes_put_number(out, l->rank);
    for (uint32_t i = 0; i < l->rank; i++)
        put_form(out, &l->shape[i]);
    for (uint32_t i = 0; l->strides && i < l->rank; i++)
        put_form(out, &l->strides[i]);
    if (l->total_size.text)
        put_form(out, &l->total_size);
}

enum variable_flag {
    VARIABLE_SCALAR = 1,
    VARIABLE_CONSTANT = 2,
    VARIABLE_REQUIRED = 4,
    VARIABLE_BINDABLE = 8,
    VARIABLE_IN_KEY = 16,
    VARIABLE_ALL = 31
};

static void put_variable(struct text *out, const struct variable *v, bool in_key)
{
    bytes_put_text(out, v->name);
    put_type(out, v->type);
    bytes_put_number(out, (v->is_scalar ? VARIABLE_SCALAR : 0) | (v->is_constant ? VARIABLE_CONSTANT : 0) |
                              (v->required ? VARIABLE_REQUIRED : 0) | (v->bindable ? VARIABLE_BINDABLE : 0) |
                              (in_key ? VARIABLE_IN_KEY : 0));
    bytes_put_number(out, (uint64_t)v->constant);
}

bool interface_write(const struct sdfg_program *p, struct text *out)
{
    if (!is_plain(p))
        return false;
    bytes_put_number(out, LAYOUT);
    bytes_put_text(out, p->name);
    bytes_put_text(out, p->dace_version);
    put_place(out, &p->root->region.block.place);
    bytes_put_number(out, p->num_variables);
    bytes_put_number(out, p->num_arguments);
    bytes_put_number(out, p->num_transients);
    for (uint32_t i = 0; i < p->num_variables; i++)
        put_variable(out, &p->variables[i], p->in_key[i]);
    for (uint32_t i = 0; i < p->num_arguments; i++)
        put_leaf(out, p, &p->arguments[i]);
    for (uint32_t i = 0; i < p->num_transients; i++)
        put_leaf(out, p, &p->transients[i]);
    return true;
}

/* ---- reading ---- */

struct reader {
    struct sdfg_program *program;
    struct arena *arena;
    struct bytes bytes;
    const struct place *root;
};

static const char *text_or_null(struct reader *r)
{
    const char *text = bytes_take_text(&r->bytes, r->arena);
    return *text ? text : NULL;
}

static const struct place *take_place(struct reader *r)
{
    struct place *at = NEW(r->arena, struct place);
    at->parent = r->root;
    at->noun = text_or_null(r);
    at->label = text_or_null(r);
    at->file = text_or_null(r);
    at->id = (uint32_t)bytes_take_number(&r->bytes, UINT32_MAX);
    at->line = (uint32_t)bytes_take_number(&r->bytes, UINT32_MAX);
    at->column = (uint32_t)bytes_take_number(&r->bytes, UINT32_MAX);
    return at;
}

static void take_term(struct reader *r, const struct form *f, struct form_term *t)
{
    t->coefficient = bytes_take_signed(&r->bytes);
    t->num_factors = (uint32_t)bytes_take_number(&r->bytes, FORM_FACTORS);
    for (uint32_t k = 0; k < t->num_factors && !r->bytes.failed; k++)
        t->factors[k] = (uint32_t)bytes_take_number(&r->bytes, f->num_names ? f->num_names - 1 : 0);
    r->bytes.failed |= t->num_factors && !f->num_names;
}

static void take_form(struct reader *r, struct form *f)
{
    struct bytes *b = &r->bytes;
    uint32_t most = r->program->num_variables;
    f->text = bytes_take_text(b, r->arena);
    f->num_names = (uint32_t)bytes_take_number(b, most);
    f->names = NEW_ARRAY(r->arena, struct form_name, f->num_names);
    for (uint32_t i = 0; i < f->num_names && !b->failed; i++)
        f->names[i].variable = (uint32_t)bytes_take_number(b, most - 1);
    f->num_terms = (uint32_t)bytes_take_number(b, MOST);
    f->terms = NEW_ARRAY(r->arena, struct form_term, b->failed ? 0 : f->num_terms);
    for (uint32_t i = 0; i < f->num_terms && !b->failed; i++)
        take_term(r, f, &f->terms[i]);
    if (!b->failed)
        form_find_kind(f);
}

static struct form *take_forms(struct reader *r, uint32_t count, const char *const **texts)
{
    struct form *forms = NEW_ARRAY(r->arena, struct form, count);
    const char **all = NEW_ARRAY(r->arena, const char *, count);
    for (uint32_t i = 0; i < count && !r->bytes.failed; i++) {
        take_form(r, &forms[i]);
        all[i] = forms[i].text;
    }
    *texts = all;
    return forms;
}

/* A basic type, or a vector of one; NULL after a failure. */
static const struct type *take_type(struct reader *r)
{
    struct ir *ir = r->program->ir;
    uint64_t kind = bytes_take_number(&r->bytes, TYPE_C128), lanes = bytes_take_number(&r->bytes, MOST);
    const char *lanes_text = text_or_null(r);
    r->bytes.failed |= kind < TYPE_BOOL;
    const struct type *t = r->bytes.failed ? NULL : type_basic(ir, (enum type_kind)kind);
    return t && lanes ? type_vector(ir, t, (uint32_t)lanes, lanes_text) : t;
}

static void take_leaf(struct reader *r, struct leaf *l)
{
    struct bytes *b = &r->bytes;
    l->name = bytes_take_text(b, r->arena);
    l->kind = (enum sdfg_argument_kind)bytes_take_number(b, SDFG_KIND_SYMBOL);
    uint64_t flags = bytes_take_number(b, LEAF_ALL);
    l->place = flags & LEAF_AT_ROOT ? r->root : take_place(r);
    l->type = take_type(r);
    if (!l->type)
        return;
    const struct type *base = l->type->kind == TYPE_VECTOR ? l->type->elem : l->type;
    l->dtype = (sdfg_dtype)base->kind;
    l->lanes = base == l->type ? 1 : l->type->lanes;
    l->item_bytes = l->type->size;
    l->type_text = bytes_take_text(b, r->arena);
    l->storage = bytes_take_text(b, r->arena);
    l->lifetime = bytes_take_text(b, r->arena);
    l->variable = (int32_t)bytes_take_number(b, r->program->num_variables) - 1;
    l->rank = (uint32_t)bytes_take_number(b, MOST);
    l->written = flags & LEAF_WRITTEN;
    l->optional = flags & LEAF_OPTIONAL;
    l->returned = flags & LEAF_RETURNED;
    l->transient = flags & LEAF_TRANSIENT;
    l->solvable = flags & LEAF_SOLVABLE;
    if (b->failed)
        return;
    if (l->rank)
        l->shape = take_forms(r, l->rank, &l->shape_texts);
    if (flags & LEAF_STRIDES)
        l->strides = take_forms(r, l->rank, &l->strides_texts);
    if (flags & LEAF_TOTAL)
        take_form(r, &l->total_size);
}

static void take_variable(struct reader *r, struct variable *v, bool *in_key)
{
    v->name = bytes_take_text(&r->bytes, r->arena);
    v->type = take_type(r);
    uint64_t flags = bytes_take_number(&r->bytes, VARIABLE_ALL);
    v->is_scalar = flags & VARIABLE_SCALAR;
    v->is_constant = flags & VARIABLE_CONSTANT;
    v->required = flags & VARIABLE_REQUIRED;
    v->bindable = flags & VARIABLE_BINDABLE;
    *in_key = flags & VARIABLE_IN_KEY;
    v->constant = bytes_take_signed(&r->bytes);
}

bool interface_read(struct sdfg_program *p, const void *bytes, size_t size)
{
    struct arena *a = p->ir->arena;
    struct reader r = { .program = p, .arena = a, .bytes = { .at = bytes, .left = size } };
    struct bytes *b = &r.bytes;
    b->failed = bytes_take_number(b, LAYOUT) != LAYOUT;
    p->name = bytes_take_text(b, a);
    p->dace_version = bytes_take_text(b, a);
    r.root = take_place(&r);
    p->num_variables = (uint32_t)bytes_take_number(b, MOST);
    p->num_arguments = (uint32_t)bytes_take_number(b, MOST);
    p->num_transients = (uint32_t)bytes_take_number(b, MOST);
    if (b->failed)
        return false;
    p->variables = NEW_ARRAY(a, struct variable, p->num_variables);
    p->in_key = NEW_ARRAY(a, bool, p->num_variables);
    p->arguments = NEW_ARRAY(a, struct leaf, p->num_arguments);
    p->transients = NEW_ARRAY(a, struct leaf, p->num_transients);
    for (uint32_t i = 0; i < p->num_variables && !b->failed; i++)
        take_variable(&r, &p->variables[i], &p->in_key[i]);
    for (uint32_t i = 0; i < p->num_arguments && !b->failed; i++)
        take_leaf(&r, &p->arguments[i]);
    for (uint32_t i = 0; i < p->num_transients && !b->failed; i++)
        take_leaf(&r, &p->transients[i]);
    if (b->failed || b->left)
        return false;
    program_constraints(p);
    return true;
}
