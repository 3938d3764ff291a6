#include "engine/program/interface.h"

#include "engine/program/bounds.h"
#include "engine/program/record.h"

#include <string.h>

enum { LAYOUT = 5, MOST = 1 << 20, DEEPEST = 1000 };

/* ---- writing ---- */

struct interface_writer {
    struct record_writer record;
    const struct sdfg_program *program;
    const struct place *root;
};

static void put_place(struct text *out, const struct place *at)
{
    bytes_put_text(out, at->noun ? at->noun : "");
    bytes_put_text(out, at->label ? at->label : "");
    bytes_put_text(out, at->file ? at->file : "");
    bytes_put_number(out, at->id);
    bytes_put_number(out, at->line);
    bytes_put_number(out, at->column);
}

/* Those between the root and `at`, the outermost first. */
static void put_places(struct interface_writer *w, const struct place *at, uint32_t inside)
{
    if (at == w->root || !at) {
        bytes_put_number(w->record.out, inside);
        return;
    }
    put_places(w, at->parent, inside + 1);
    put_place(w->record.out, at);
}

enum form_flag { FORM_TERMS = 1, FORM_OPAQUE = 2, FORM_ALL = 3 };

static void put_terms(struct text *out, const struct form *f)
{
    bytes_put_number(out, f->num_terms);
    for (uint32_t i = 0; i < f->num_terms; i++) {
        bytes_put_signed(out, f->terms[i].coefficient);
        bytes_put_number(out, f->terms[i].num_factors);
        for (uint32_t k = 0; k < f->terms[i].num_factors; k++)
            bytes_put_number(out, f->terms[i].factors[k]);
    }
}

static void put_form(struct interface_writer *w, const struct form *f)
{
    struct text *out = w->record.out;
    bytes_put_text(out, f->text);
    bytes_put_number(out, (f->terms ? FORM_TERMS : 0) | (f->opaque ? FORM_OPAQUE : 0));
    bytes_put_number(out, f->num_names);
    for (uint32_t i = 0; i < f->num_names; i++)
        bytes_put_number(out, f->names[i].variable);
    if (f->terms) {
        put_terms(out, f);
        return;
    }
    record_put_sym(&w->record, f->expression);
    for (uint32_t i = 0; i < f->num_names; i++) {
        record_put_sym(&w->record, f->names[i].coefficient);
        record_put_sym(&w->record, f->names[i].rest);
    }
}

enum leaf_flag {
    LEAF_WRITTEN = 1,
    LEAF_OPTIONAL = 2,
    LEAF_RETURNED = 4,
    LEAF_TRANSIENT = 8,
    LEAF_SOLVABLE = 16,
    LEAF_STRIDES = 32,
    LEAF_TOTAL = 64,
    LEAF_PLACED = 128,
    LEAF_MAY_ALIAS = 256,
    LEAF_ALL = 511
};

static void put_leaf(struct interface_writer *w, const struct leaf *l)
{
    struct text *out = w->record.out;
    bytes_put_text(out, l->name);
    bytes_put_number(out, l->kind);
    bytes_put_number(out, (l->written ? LEAF_WRITTEN : 0) | (l->optional ? LEAF_OPTIONAL : 0) |
                              (l->returned ? LEAF_RETURNED : 0) | (l->transient ? LEAF_TRANSIENT : 0) |
                              (l->solvable ? LEAF_SOLVABLE : 0) | (l->strides ? LEAF_STRIDES : 0) |
                              (l->total_size.text ? LEAF_TOTAL : 0) | (l->placed ? LEAF_PLACED : 0) |
                              (l->may_alias ? LEAF_MAY_ALIAS : 0));
    put_places(w, l->place, 0);
    record_put_type(&w->record, l->type);
    bytes_put_number(out, l->dtype);
    bytes_put_number(out, l->lanes);
    bytes_put_number(out, l->item_bytes);
    bytes_put_text(out, l->type_text);
    bytes_put_text(out, l->storage);
    bytes_put_text(out, l->lifetime);
    bytes_put_number(out, (uint64_t)(l->variable + 1));
    bytes_put_number(out, l->rank);
    for (uint32_t i = 0; i < l->rank; i++)
        put_form(w, &l->shape[i]);
    for (uint32_t i = 0; l->strides && i < l->rank; i++)
        put_form(w, &l->strides[i]);
    if (l->total_size.text)
        put_form(w, &l->total_size);
    bytes_put_number(out, l->memory_size);
    bytes_put_number(out, l->offset);
    bytes_put_number(out, l->num_members);
    for (uint32_t i = 0; i < l->num_members; i++)
        put_leaf(w, &l->members[i]);
}

enum variable_flag {
    VARIABLE_SCALAR = 1,
    VARIABLE_CONSTANT = 2,
    VARIABLE_REQUIRED = 4,
    VARIABLE_BINDABLE = 8,
    VARIABLE_IN_KEY = 16,
    VARIABLE_ALL = 31
};

static void put_variable(struct interface_writer *w, const struct variable *v, bool in_key)
{
    struct text *out = w->record.out;
    bytes_put_text(out, v->name);
    record_put_type(&w->record, v->type);
    bytes_put_number(out, (v->is_scalar ? VARIABLE_SCALAR : 0) | (v->is_constant ? VARIABLE_CONSTANT : 0) |
                              (v->required ? VARIABLE_REQUIRED : 0) | (v->bindable ? VARIABLE_BINDABLE : 0) |
                              (in_key ? VARIABLE_IN_KEY : 0));
    bytes_put_signed(out, v->constant);
}

static void put_limit(struct interface_writer *w, const struct limit *l)
{
    struct text *out = w->record.out;
    bytes_put_number(out, l->kind);
    put_places(w, l->place, 0);
    bytes_put_text(out, l->name);
    bytes_put_text(out, l->inner);
    bytes_put_number(out, l->dim);
    bytes_put_number(out, l->num_guards);
    if (l->kind != BOUND_SIZE)
        put_form(w, &l->excess);
    put_form(w, &l->is);
    put_form(w, &l->limit);
    for (uint32_t i = 0; i < l->num_guards; i++)
        put_form(w, &l->guards[i]);
}

void interface_write(const struct sdfg_program *p, struct text *out)
{
    struct arena *a = arena_new();
    struct interface_writer w = { .record = { .out = out, .arena = a },
                                  .program = p,
                                  .root = &p->root->region.block.place };
    bytes_put_number(out, LAYOUT);
    bytes_put_text(out, p->name);
    bytes_put_text(out, p->dace_version);
    bytes_put_text(out, p->hash);
    put_place(out, w.root);
    bytes_put_number(out, p->num_variables);
    bytes_put_number(out, p->num_arguments);
    bytes_put_number(out, p->num_transients);
    bytes_put_number(out, p->num_limits);
    bytes_put_number(out, p->workspaces.count);
    for (uint32_t i = 0; i < p->num_variables; i++)
        put_variable(&w, &p->variables[i], p->in_key[i]);
    for (uint32_t i = 0; i < p->num_arguments; i++)
        put_leaf(&w, &p->arguments[i]);
    for (uint32_t i = 0; i < p->num_transients; i++)
        put_leaf(&w, &p->transients[i]);
    for (uint32_t i = 0; i < p->num_limits; i++)
        put_limit(&w, &p->limits[i]);
    for (uint32_t i = 0; i < p->workspaces.count; i++) {
        bytes_put_number(out, p->workspaces.items[i]->row);
        bytes_put_text(out, p->workspaces.items[i]->name);
    }
    error_put(out, p->warnings);
    arena_free(a);
}

/* ---- reading ---- */

struct interface_reader {
    struct record_reader record;
    struct sdfg_program *program;
    struct arena *arena;
    const struct place *root;
    uint32_t depth;
};

static const char *text_or_null(struct bytes *b)
{
    const char *text = bytes_look_text(b);
    return *text ? text : NULL;
}

static const struct place *take_place(struct interface_reader *r, const struct place *parent)
{
    struct bytes *b = &r->record.bytes;
    struct place *at = NEW(r->arena, struct place);
    at->parent = parent;
    at->noun = text_or_null(b);
    at->label = text_or_null(b);
    at->file = text_or_null(b);
    at->id = (uint32_t)bytes_take_number(b, UINT32_MAX);
    at->line = (uint32_t)bytes_take_number(b, UINT32_MAX);
    at->column = (uint32_t)bytes_take_number(b, UINT32_MAX);
    return at;
}

static const struct place *take_places(struct interface_reader *r)
{
    const struct place *at = r->root;
    for (uint64_t n = bytes_take_number(&r->record.bytes, DEEPEST); n && !r->record.bytes.failed; n--)
        at = take_place(r, at);
    return at;
}

/* A number of things of which each takes at least a byte. */
static uint32_t take_count(struct bytes *b) { return (uint32_t)bytes_take_number(b, b->left < MOST ? b->left : MOST); }

static void take_term(struct bytes *b, const struct form *f, struct form_term *t)
{
    t->coefficient = bytes_take_signed(b);
    t->num_factors = (uint32_t)bytes_take_number(b, FORM_FACTORS);
    for (uint32_t k = 0; k < t->num_factors && !b->failed; k++)
        t->factors[k] = (uint32_t)bytes_take_number(b, f->num_names ? f->num_names - 1 : 0);
    b->failed |= t->num_factors && !f->num_names;
}

static void take_form(struct interface_reader *r, struct form *f)
{
    struct bytes *b = &r->record.bytes;
    uint32_t most = r->program->num_variables;
    f->text = bytes_look_text(b);
    uint64_t flags = bytes_take_number(b, FORM_ALL);
    f->opaque = flags & FORM_OPAQUE;
    f->num_names = (uint32_t)bytes_take_number(b, most);
    f->names = NEW_ARRAY(r->arena, struct form_name, f->num_names);
    for (uint32_t i = 0; i < f->num_names && !b->failed; i++)
        f->names[i].variable = (uint32_t)bytes_take_number(b, most - 1);
    if (flags & FORM_TERMS) {
        f->num_terms = take_count(b);
        f->terms = NEW_ARRAY(r->arena, struct form_term, f->num_terms);
        for (uint32_t i = 0; i < f->num_terms && !b->failed; i++)
            take_term(b, f, &f->terms[i]);
        if (!b->failed)
            form_find_kind(f);
        return;
    }
    f->expression = record_take_sym(&r->record);
    b->failed |= !f->expression;
    for (uint32_t i = 0; i < f->num_names && !b->failed; i++) {
        f->names[i].coefficient = record_take_sym(&r->record);
        f->names[i].rest = record_take_sym(&r->record);
        b->failed |= !f->names[i].coefficient != !f->names[i].rest;
    }
}

static struct form *take_forms(struct interface_reader *r, uint32_t count, const char *const **texts)
{
    struct form *forms = NEW_ARRAY(r->arena, struct form, count);
    const char **all = NEW_ARRAY(r->arena, const char *, count);
    for (uint32_t i = 0; i < count && !r->record.bytes.failed; i++) {
        take_form(r, &forms[i]);
        all[i] = forms[i].text;
    }
    *texts = all;
    return forms;
}

static void take_leaf(struct interface_reader *r, struct leaf *l);

static void take_members(struct interface_reader *r, struct leaf *l)
{
    struct bytes *b = &r->record.bytes;
    l->memory_size = bytes_take_number(b, SIZE_MAX);
    l->offset = bytes_take_number(b, SIZE_MAX);
    l->num_members = take_count(b);
    b->failed |= r->depth == DEEPEST;
    if (b->failed || !l->num_members)
        return;
    l->members = NEW_ARRAY(r->arena, struct leaf, l->num_members);
    r->depth++;
    for (uint32_t i = 0; i < l->num_members && !b->failed; i++)
        take_leaf(r, &l->members[i]);
    r->depth--;
}

/* What the interface says of an element type is of one kind. */
static bool type_agrees(const struct leaf *l)
{
    const struct type *t = l->type && l->type->kind == TYPE_VECTOR ? l->type->elem : l->type;
    sdfg_dtype dtype = !t                       ? SDFG_NONE
                       : type_is_basic(t)       ? (sdfg_dtype)t->kind
                       : t->kind == TYPE_STRUCT ? SDFG_RECORD
                                                : SDFG_NONE;
    return l->dtype == dtype && l->lanes == (l->type && l->type->kind == TYPE_VECTOR ? l->type->lanes : 1) &&
           l->item_bytes == (l->type ? l->type->size : 0);
}

static void take_leaf(struct interface_reader *r, struct leaf *l)
{
    struct bytes *b = &r->record.bytes;
    l->name = bytes_look_text(b);
    l->kind = (enum sdfg_argument_kind)bytes_take_number(b, SDFG_KIND_STREAM);
    uint64_t flags = bytes_take_number(b, LEAF_ALL);
    l->place = take_places(r);
    l->type = record_take_type(&r->record);
    l->dtype = (sdfg_dtype)bytes_take_number(b, SDFG_RECORD);
    l->lanes = (uint32_t)bytes_take_number(b, UINT32_MAX);
    l->item_bytes = bytes_take_number(b, SIZE_MAX);
    l->type_text = bytes_look_text(b);
    l->storage = bytes_look_text(b);
    l->lifetime = bytes_look_text(b);
    l->variable = (int32_t)bytes_take_number(b, r->program->num_variables) - 1;
    l->rank = take_count(b);
    l->written = flags & LEAF_WRITTEN;
    l->optional = flags & LEAF_OPTIONAL;
    l->returned = flags & LEAF_RETURNED;
    l->transient = flags & LEAF_TRANSIENT;
    l->solvable = flags & LEAF_SOLVABLE;
    l->placed = flags & LEAF_PLACED;
    l->may_alias = flags & LEAF_MAY_ALIAS;
    b->failed |= !type_agrees(l);
    if (b->failed)
        return;
    if (l->rank)
        l->shape = take_forms(r, l->rank, &l->shape_texts);
    if (flags & LEAF_STRIDES)
        l->strides = take_forms(r, l->rank, &l->strides_texts);
    if (flags & LEAF_TOTAL)
        take_form(r, &l->total_size);
    take_members(r, l);
}

static void take_variable(struct interface_reader *r, struct variable *v, bool *in_key)
{
    struct bytes *b = &r->record.bytes;
    v->name = record_take_name(&r->record);
    v->type = record_take_type(&r->record);
    uint64_t flags = bytes_take_number(b, VARIABLE_ALL);
    v->is_scalar = flags & VARIABLE_SCALAR;
    v->is_constant = flags & VARIABLE_CONSTANT;
    v->required = flags & VARIABLE_REQUIRED;
    v->bindable = flags & VARIABLE_BINDABLE;
    *in_key = flags & VARIABLE_IN_KEY;
    v->constant = bytes_take_signed(b);
}

static void take_limit(struct interface_reader *r, struct limit *l)
{
    struct bytes *b = &r->record.bytes;
    l->kind = (enum bound_kind)bytes_take_number(b, BOUND_REQUIRED);
    l->place = take_places(r);
    l->name = bytes_look_text(b);
    l->inner = bytes_look_text(b);
    l->dim = (uint32_t)bytes_take_number(b, UINT32_MAX);
    l->num_guards = take_count(b);
    l->guards = NEW_ARRAY(r->arena, struct form, l->num_guards);
    if (l->kind != BOUND_SIZE)
        take_form(r, &l->excess);
    take_form(r, &l->is);
    take_form(r, &l->limit);
    for (uint32_t i = 0; i < l->num_guards && !b->failed; i++)
        take_form(r, &l->guards[i]);
}

static void take_workspace(struct interface_reader *r)
{
    struct enum_value *storage = NEW(r->arena, struct enum_value);
    storage->kind = ENUM_STORAGE;
    storage->row = (uint32_t)bytes_take_number(&r->record.bytes, UINT32_MAX);
    storage->name = bytes_look_text(&r->record.bytes);
    vec_push(r->arena, &r->program->workspaces, storage);
}

/* The numbers of things, and room for them. */
static bool take_head(struct interface_reader *r, uint32_t *num_workspaces)
{
    struct sdfg_program *p = r->program;
    struct bytes *b = &r->record.bytes;
    b->failed |= bytes_take_number(b, LAYOUT) != LAYOUT;
    p->name = bytes_look_text(b);
    p->dace_version = bytes_look_text(b);
    p->hash = bytes_look_text(b);
    r->root = take_place(r, NULL);
    p->num_variables = take_count(b);
    p->num_arguments = take_count(b);
    p->num_transients = take_count(b);
    p->num_limits = take_count(b);
    *num_workspaces = take_count(b);
    if (b->failed)
        return false;
    p->variables = NEW_ARRAY(r->arena, struct variable, p->num_variables);
    p->in_key = NEW_ARRAY(r->arena, bool, p->num_variables);
    p->arguments = NEW_ARRAY(r->arena, struct leaf, p->num_arguments);
    p->transients = NEW_ARRAY(r->arena, struct leaf, p->num_transients);
    p->limits = NEW_ARRAY(r->arena, struct limit, p->num_limits);
    return true;
}

bool interface_read(struct sdfg_program *p, const void *bytes, size_t size)
{
    struct interface_reader r = { .record = { .bytes = { .at = bytes, .left = size }, .ir = p->ir },
                                  .program = p,
                                  .arena = p->ir->arena };
    struct bytes *b = &r.record.bytes;
    uint32_t num_workspaces;
    if (!take_head(&r, &num_workspaces))
        return false;
    for (uint32_t i = 0; i < p->num_variables && !b->failed; i++)
        take_variable(&r, &p->variables[i], &p->in_key[i]);
    for (uint32_t i = 0; i < p->num_arguments && !b->failed; i++)
        take_leaf(&r, &p->arguments[i]);
    for (uint32_t i = 0; i < p->num_transients && !b->failed; i++)
        take_leaf(&r, &p->transients[i]);
    for (uint32_t i = 0; i < p->num_limits && !b->failed; i++)
        take_limit(&r, &p->limits[i]);
    memset(&p->workspaces, 0, sizeof p->workspaces);
    for (uint32_t i = 0; i < num_workspaces && !b->failed; i++)
        take_workspace(&r);
    sdfg_error *warnings = error_take(b);
    if (b->failed || b->left) {
        sdfg_error_free(warnings);
        return false;
    }
    p->warnings = warnings;
    memset(&p->constraints, 0, sizeof p->constraints);
    program_constraints(p);
    return true;
}
