#include "lower/tree/tree_print.h"

#include "lower/tree/tree_callee.h"

#include <inttypes.h>
#include <string.h>

/* ---- operands of statements ---- */

static void print_indent(const struct tree_printer *p)
{
    for (uint32_t i = 0; i < p->indent; i++)
        text_add(p->out, "    ");
}

static void print_stmt(struct tree_printer *p, const struct tree_stmt *s);

static void print_body(struct tree_printer *p, const struct tree_stmt *body)
{
    text_add(p->out, "{\n");
    p->indent++;
    print_stmt(p, body);
    p->indent--;
    print_indent(p);
    text_addc(p->out, '}');
}

static void print_otherwise(struct tree_printer *p, const struct tree_stmt *otherwise)
{
    if (!otherwise || (otherwise->kind == STMT_BLOCK && !otherwise->items.count))
        return;
    text_add(p->out, "else ");
    print_body(p, otherwise);
}

struct mention {
    const struct tree_var *var;
    bool found;
};

static void find_mention(void *user, struct tree_expr **e)
{
    struct mention *m = user;
    m->found = m->found || expr_mentions(*e, m->var);
}

/* Where the value is computed from the variable itself, a reader must know its type before. */
static void print_variable(struct tree_printer *p, const struct tree_stmt *s, const struct tree_var *v)
{
    struct mention m = { .var = v };
    if (p->marks && !map_has(&p->marks->declared, v))
        stmt_each_expr((struct tree_stmt *)s, find_mention, &m);
    const struct type *element = s->value ? s->value->type : NULL;
    tree_print_declared(p, v, p->marks && !m.found ? stmt_result_type(p->marks->ir, s, element) : NULL);
}

static void print_word(struct tree_printer *p, bool condition, const char *word)
{
    if (condition)
        text_printf(p->out, "%s ", word);
}

static void print_number(struct tree_printer *p, int64_t number, const char *word)
{
    if (number)
        text_printf(p->out, "%s %" PRId64 " ", word, number);
}

static void print_loop(struct tree_printer *p, const struct tree_loop *l)
{
    print_word(p, l->level != TREE_HOST, tree_level_words[l->level]);
    print_word(p, l->parallel, "parallel");
    print_word(p, l->omp != TREE_OMP_STATIC, tree_omp_words[l->omp]);
    print_number(p, l->chunk, "chunk");
    print_number(p, l->num_threads, "threads");
    print_word(p, l->independent, "independent");
    print_word(p, l->unroll, "unroll");
    print_word(p, l->rolled, "rolled");
    print_word(p, l->heavy, "heavy");
    print_word(p, l->near, "near");
    print_number(p, l->wide, "wide");
    print_word(p, l->vectors != TREE_VECTORS_ANY, tree_vectors_words[l->vectors]);
    print_number(p, l->tiles, "tiles");
    print_number(p, l->different, "different");
    if (p->out->length && p->out->data[p->out->length - 1] == ' ')
        p->out->data[--p->out->length] = '\0';
}

/* name grid(x, y, z) block(x, y, z) */
static void print_kernel(struct tree_printer *p, const struct tree_stmt *s)
{
    tree_print_name(s->name, 0, false, p->out);
    text_add(p->out, " grid");
    tree_print_args(p, s->args + KERNEL_GRID, 3);
    text_add(p->out, " block");
    tree_print_args(p, s->args + KERNEL_BLOCK, 3);
    text_addc(p->out, ' ');
    print_number(p, s->kernel->most_threads, "bounds");
    print_number(p, s->kernel->least_blocks, "blocks");
    print_word(p, s->kernel->cooperative, "cooperative");
    p->out->data[--p->out->length] = '\0';
}

static void print_call(struct tree_printer *p, const struct tree_stmt *s)
{
    if (s->pointer)
        text_add(p->out, "callback ");
    else if (tree_is_function(s->name))
        text_add(p->out, "call ");
    text_add(p->out, s->name);
    if (s->pointer && p->marks) {
        text_addc(p->out, '[');
        tree_print_expr(p, s->pointer, 0);
        text_addc(p->out, ']');
    }
    tree_print_args(p, s->args, s->num_args);
}

static void print_product(struct tree_printer *p, const struct tree_product *x)
{
    if (!x || !p->marks)
        return;
    text_add(p->out, "product ");
    tree_print_type(p, x->type);
    text_printf(p->out, " @%" PRIu32 " @%" PRIu32 " @%" PRIu32, x->a, x->b, x->c);
    const struct tree_expr *const factors[] = { x->alpha, x->beta };
    for (int i = 0; i < 2; i++)
        if (factors[i]) {
            text_add(p->out, i ? " beta " : " alpha ");
            tree_print_expr(p, factors[i], PRECEDENCE_UNARY);
        }
}

static void print_memory(struct tree_printer *p, const struct tree_expr *pointer, uint32_t alias)
{
    tree_print_expr(p, pointer, PRECEDENCE_UNARY);
    tree_print_class(p, pointer, alias);
}

static void print_field(struct tree_printer *p, const struct tree_stmt *s, const struct form_field *f)
{
    void *const *member = form_member(s, f);
    switch (f->role) {
    case ROLE_ASSIGNED:
    case ROLE_COUNTER:
    case ROLE_OWNED:
        print_variable(p, s, *member);
        break;
    case ROLE_RESULT:
        if (*member) {
            print_variable(p, s, *member);
            text_add(p->out, " =");
        }
        break;
    case ROLE_NUMBER:
        if (*member)
            text_add(p->out, "= ");
        /* fall through */
    case ROLE_VALUE:
    case ROLE_CONDITION:
    case ROLE_BOUND:
    case ROLE_COUNT:
        if (*member)
            tree_print_expr(p, *member, 0);
        break;
    case ROLE_ELEMENT:
        tree_print_element(p, s->pointer, s->index, s->value->type, s->alias);
        break;
    case ROLE_MASKED:
        tree_print_masked(p, s->pointer, s->index, s->mask, s->value->type, s->alias);
        break;
    case ROLE_TARGET:
        print_memory(p, s->pointer, s->alias);
        break;
    case ROLE_SOURCE:
        print_memory(p, s->pointer2, s->alias2);
        break;
    case ROLE_TYPE:
        tree_print_type(p, *member);
        break;
    case ROLE_WHERE:
        text_add(p->out, tree_where_words[s->where]);
        break;
    case ROLE_HELD:
        text_add(p->out, s->where == TREE_HEAP ? "" : tree_where_words[s->where]);
        break;
    case ROLE_KERNEL:
        print_kernel(p, s);
        break;
    case ROLE_LEVEL:
        text_add(p->out, tree_level_words[s->loop.level]);
        break;
    case ROLE_DIRECTION:
        text_add(p->out, tree_direction_words[s->direction]);
        break;
    case ROLE_SLOT:
        if (s->where == TREE_STATE)
            text_printf(p->out, "in slot %" PRIu32, s->slot);
        break;
    case ROLE_WCR:
        text_add(p->out, tree_wcr_words[s->wcr]);
        break;
    case ROLE_LABEL:
        tree_print_name(s->label->name, s->label->id, s->label->again, p->out);
        break;
    case ROLE_BODY:
        print_body(p, *member);
        break;
    case ROLE_OTHERWISE:
        print_otherwise(p, *member);
        break;
    case ROLE_CALL:
        print_call(p, s);
        break;
    case ROLE_PRODUCT:
        print_product(p, *member);
        break;
    case ROLE_LOOP:
        print_loop(p, form_member(s, f));
        break;
    case ROLE_FLAG:
    case ROLE_ROLES:
        break;
    }
}

/* ---- statements ---- */

/* A word that turns out to be empty takes the blank in front of it along. */
static void print_form(struct tree_printer *p, const struct tree_stmt *s)
{
    const struct stmt_form *form = stmt_form(s->kind);
    size_t start = p->out->length;
    for (uint32_t i = 0; i < form->count; i++) {
        const struct form_piece *piece = &form->pieces[i];
        size_t before = p->out->length;
        if (piece->first && before > start)
            text_addc(p->out, ' ');
        size_t blank = p->out->length;
        if (!piece->field)
            text_addn(p->out, piece->text, piece->length);
        else if (!piece->flag)
            print_field(p, s, piece->field);
        else if (*(bool *)form_member(s, piece->field))
            text_addn(p->out, piece->text, piece->length);
        if (p->out->length == blank && blank > before) {
            p->out->length = before;
            p->out->data[before] = '\0';
        }
    }
}

static void print_place(struct tree_printer *p, const struct place *place)
{
    if (place == p->place)
        return;
    p->place = place;
    print_indent(p);
    text_add(p->out, "// ");
    size_t before = p->out->length;
    if (place)
        place_print_inner(place, p->out);
    text_add(p->out, p->out->length == before ? "-\n" : "\n");
}

static void print_stmt(struct tree_printer *p, const struct tree_stmt *s)
{
    if (s->kind == STMT_BLOCK) {
        for (uint32_t i = 0; i < s->items.count; i++)
            print_stmt(p, s->items.items[i]);
        return;
    }
    if (p->places)
        print_place(p, s->place);
    print_indent(p);
    print_form(p, s);
    text_addc(p->out, '\n');
}

void stmt_print(const struct tree_stmt *s, uint32_t indent, struct text *out)
{
    print_stmt(&(struct tree_printer){ .out = out, .indent = indent }, s);
}

/* ---- whole trees ---- */

static void note_class(struct tree_marks *m, const struct tree_expr *pointer, uint32_t alias)
{
    const struct tree_var *root = expr_root_var(pointer);
    if (root && !map_has(&m->classes, root))
        map_put(m->arena, &m->classes, root, (void *)(uintptr_t)alias);
}

static void note_expr(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_MASKED)
        note_class(user, e->args[0], e->alias);
}

static void note_operand(void *user, struct tree_expr **e) { expr_visit(*e, note_expr, user); }

static bool note_stmt(void *user, struct tree_stmt *s)
{
    struct tree_marks *m = user;
    unsigned flags = stmt_rows[s->kind].flags;
    stmt_each_expr(s, note_operand, user);
    if (stmt_rows[s->kind].result == RESULT_POINTER && s->alias)
        map_put(m->arena, &m->classes, s->var, (void *)(uintptr_t)s->alias);
    if (flags & STMT_WRITES)
        note_class(user, s->pointer, s->alias);
    if (flags & STMT_READS_SOURCE)
        note_class(user, s->pointer2, s->alias2);
    return true;
}

/* What a caller passes is as expected unless it says otherwise: arrays by address, apart from each other, aligned as
 * their elements. */
static void print_param(struct tree_printer *p, const struct tree_param *x)
{
    bool pointer = x->var->type->kind == TYPE_POINTER;
    uint32_t natural = pointer ? x->var->type->elem->align : x->var->type->align;
    tree_print_var(x->var, p->out);
    tree_print_declaration(p, x->var, NULL);
    map_put(p->marks->arena, &p->marks->declared, x->var, x->var);
    if (x->by_value == pointer)
        text_add(p->out, x->by_value ? " by value" : " by address");
    if (x->device)
        text_add(p->out, " device");
    if (pointer && !x->no_alias)
        text_add(p->out, " aliased");
    if (x->alignment > natural)
        text_printf(p->out, " align %" PRIu32, x->alignment);
    if (x->count)
        text_printf(p->out, " count %" PRId64, x->count);
}

/* where A N * N, B N */
static void print_elements(struct tree_printer *p, const struct tree_func *f)
{
    const char *before = " where ";
    for (uint32_t i = 0; i < f->params.count; i++) {
        if (!f->params.items[i].elements)
            continue;
        text_add(p->out, before);
        tree_print_var(f->params.items[i].var, p->out);
        text_addc(p->out, ' ');
        tree_print_expr(p, f->params.items[i].elements, 0);
        before = ", ";
    }
}

static void print_func(struct tree_printer *p, const struct tree *t, const struct tree_func *f)
{
    tree_print_name(t->name ? t->name : "tree", 0, false, p->out);
    text_addc(p->out, ' ');
    tree_print_name(f->name, 0, false, p->out);
    text_addc(p->out, '(');
    for (uint32_t k = 0; k < f->params.count; k++) {
        if (k)
            text_add(p->out, ", ");
        print_param(p, &f->params.items[k]);
    }
    text_addc(p->out, ')');
    print_elements(p, f);
    text_addc(p->out, ' ');
    print_body(p, f->body);
    text_addc(p->out, '\n');
}

static void print_bytes(struct tree_printer *p, uint32_t number, const struct tree_expr *e)
{
    const unsigned char *bytes = e->data;
    text_printf(p->out, "data %" PRIu32 " = ", number);
    for (int64_t i = 0; i < e->i; i++)
        text_printf(p->out, "%02x", bytes[i]);
    text_addc(p->out, '\n');
}

/* struct S { x: float64, p: float64* } */
static void print_types(struct tree_printer *p)
{
    for (uint32_t i = 0; i < p->marks->types.count; i++) {
        const struct type *type = p->marks->types.items[i];
        text_add(p->out, type->kind == TYPE_OPAQUE ? "opaque " : "");
        tree_print_type(p, type);
        for (uint32_t k = 0; k < type->num_fields; k++) {
            text_add(p->out, k ? ", " : " { ");
            tree_print_name(type->fields[k].name, 0, false, p->out);
            text_add(p->out, ": ");
            tree_print_type(p, type->fields[k].type);
        }
        text_add(p->out, type->kind == TYPE_OPAQUE ? "\n" : type->num_fields ? " }\n" : " { }\n");
    }
}

static void print_tree(const struct tree *t, bool places, struct text *out)
{
    struct tree_marks marks = { .arena = t->arena, .ir = t->ir };
    struct tree_printer p = { .out = out, .marks = &marks, .places = places };
    for (uint32_t i = 0; i < t->functions.count; i++) {
        const struct tree_func *f = t->functions.items[i];
        for (uint32_t k = 0; k < f->params.count; k++)
            map_put(t->arena, &marks.classes, f->params.items[k].var, (void *)(uintptr_t)f->params.items[k].alias);
        stmt_visit(f->body, note_stmt, &marks);
    }
    struct text text = text_new(t->arena);
    p.out = &text;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        if (i)
            text_addc(p.out, '\n');
        print_func(&p, t, t->functions.items[i]);
    }
    p.out = out;
    print_types(&p);
    text_addn(out, text_get(&text), text.length);
    for (uint32_t i = 0; i < marks.data.count; i++)
        print_bytes(&p, i, marks.data.items[i]);
}

void tree_print(const struct tree *t, struct text *out) { print_tree(t, false, out); }

void tree_print_places(const struct tree *t, struct text *out) { print_tree(t, true, out); }
