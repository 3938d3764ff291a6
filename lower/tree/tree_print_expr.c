#include "lower/tree/tree_print.h"

#include "base/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *expr_op_name(enum expr_op op) { return expr_rows[op].text; }

/* ---- names ---- */

bool tree_is_reserved(const char *name)
{
    static const char *const words[] = { "true", "false", "null", "context", "slot", "data", "vscale" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name))
            return true;
    for (int i = 0; i < THREAD_COUNT; i++)
        if (!strcmp(tree_thread_words[i], name))
            return true;
    return !strncmp(name, "nan", 3) || !strncmp(name, "inf", 3);
}

bool tree_is_function(const char *name)
{
    for (int i = 0; i < TREE_MATH_COUNT; i++)
        if (!strcmp(tree_math_name(i), name))
            return true;
    for (int i = 0; i < EXPR_OP_COUNT; i++)
        if (expr_rows[i].form == FORM_FUNCTION && !strcmp(expr_rows[i].text, name))
            return true;
    return false;
}

static bool is_word(const char *name)
{
    const char *c = name;
    if (!isalpha((unsigned char)*c) && *c != '_')
        return false;
    while (isalnum((unsigned char)*c) || *c == '_' || *c == '.')
        c++;
    return !*c && c[-1] != '.';
}

void tree_print_name(const char *name, uint32_t id, bool again, struct text *out)
{
    bool plain = is_word(name) && !tree_is_reserved(name);
    text_printf(out, plain ? "%s" : "`%s`", name);
    if (again)
        text_printf(out, "#%" PRIu32, id);
}

void tree_print_var(const struct tree_var *v, struct text *out) { tree_print_name(v->name, v->id, v->again, out); }

/* ---- types ---- */

static void note_type(struct tree_marks *m, const struct type *type)
{
    bool named = type->kind == TYPE_STRUCT || type->kind == TYPE_OPAQUE;
    for (uint32_t i = 0; named && i < m->types.count; i++)
        if (m->types.items[i] == type)
            return;
    for (uint32_t i = 0; i < type->num_fields; i++)
        note_type(m, type->fields[i].type);
    for (uint32_t i = 0; i < type->num_results; i++)
        note_type(m, type->results[i]);
    if (type->elem)
        note_type(m, type->elem);
    if (named)
        vec_push(m->arena, &m->types, type);
}

/* Structures may have the same name: the others are name#1, name#2, ... */
static void print_struct(struct tree_printer *p, const struct type *type)
{
    const struct tree_marks *m = p->marks;
    unsigned before = 0;
    for (uint32_t i = 0; i < m->types.count && m->types.items[i] != type; i++)
        before += m->types.items[i]->kind == TYPE_STRUCT && !strcmp(m->types.items[i]->name, type->name);
    text_add(p->out, "struct ");
    tree_print_name(type->name, before, before > 0, p->out);
}

static void print_callback(struct tree_printer *p, const struct type *type)
{
    text_add(p->out, "callback(");
    for (uint32_t i = 0; i < type->num_fields; i++) {
        text_add(p->out, i ? ", " : "");
        tree_print_type(p, type->fields[i].type);
    }
    text_addc(p->out, ')');
    for (uint32_t i = 0; i < type->num_results; i++) {
        text_add(p->out, i ? ", " : " -> ");
        tree_print_type(p, type->results[i]);
    }
}

void tree_print_type(struct tree_printer *p, const struct type *type)
{
    if (p->marks)
        note_type(p->marks, type);
    if (!p->marks || type_is_basic(type)) {
        type_print(type, p->out);
    } else if (type->kind == TYPE_POINTER) {
        tree_print_type(p, type->elem);
        text_addc(p->out, '*');
    } else if (type->kind == TYPE_STRUCT) {
        print_struct(p, type);
    } else if (type->kind == TYPE_CALLBACK) {
        print_callback(p, type);
    } else {
        type_print(type, p->out);
    }
}

/* ---- variables ---- */

static uint32_t class_of(const struct tree_marks *m, const struct tree_var *v)
{
    return v ? (uint32_t)(uintptr_t)map_get(&m->classes, v) : 0;
}

static bool is_new(struct tree_printer *p, const struct tree_var *v)
{
    if (!p->marks || map_has(&p->marks->declared, v))
        return false;
    map_put(p->marks->arena, &p->marks->declared, v, (void *)(uintptr_t)v);
    return true;
}

void tree_print_declared(struct tree_printer *p, const struct tree_var *v, const struct type *known)
{
    tree_print_var(v, p->out);
    if (is_new(p, v))
        tree_print_declaration(p, v, known);
}

void tree_print_declaration(struct tree_printer *p, const struct tree_var *v, const struct type *known)
{
    uint32_t alias = class_of(p->marks, v);
    if (v->type != known) {
        text_add(p->out, ": ");
        tree_print_type(p, v->type);
    }
    if (alias)
        text_printf(p->out, "@%" PRIu32, alias);
}

/* In an expression: what no statement before gave a value. */
static void print_variable(struct tree_printer *p, const struct tree_expr *e)
{
    bool parens = p->marks && !map_has(&p->marks->declared, e->var);
    text_add(p->out, parens ? "(" : "");
    tree_print_declared(p, e->var, NULL);
    text_add(p->out, parens ? ")" : "");
}

/* ---- constants ---- */

static const char *literal_suffix(const struct type *type)
{
    static const char *const suffixes[] = {
#define TYPE(kind, name, bytes, ctype, suffix) [TYPE_##kind] = suffix,
#include "ir/types.def"
#undef TYPE
    };
    return type->kind < sizeof suffixes / sizeof *suffixes && suffixes[type->kind] ? suffixes[type->kind] : "";
}

static void print_constant(struct tree_printer *p, const struct tree_expr *e)
{
    char number[NUMBER_TEXT_SIZE];
    if (e->op == EXPR_FLOAT) {
        text_add(p->out, number_print(e->f, number));
        if (e->type->kind == TYPE_F64)
            return;
    } else if (e->type->kind == TYPE_BOOL) {
        text_add(p->out, e->i ? "true" : "false");
        return;
    } else if (type_is_unsigned(e->type)) {
        text_printf(p->out, "%" PRIu64, (uint64_t)e->i);
    } else {
        text_printf(p->out, "%" PRId64, e->i);
    }
    if (e->type->kind != TYPE_I64)
        text_add(p->out, literal_suffix(e->type));
}

static void print_type_argument(struct tree_printer *p, const struct type *type)
{
    text_addc(p->out, '<');
    tree_print_type(p, type);
    text_addc(p->out, '>');
}

static void print_null(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, "null");
    if (p->marks && !(e->type->kind == TYPE_POINTER && e->type->elem->kind == TYPE_VOID))
        print_type_argument(p, e->type);
}

static void print_word(struct tree_printer *p, const struct tree_expr *e) { text_add(p->out, expr_rows[e->op].text); }

static void print_thread(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, tree_thread_words[e->i]);
}

static void print_slot(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, "slot");
    print_type_argument(p, e->type);
    text_printf(p->out, "(%" PRId64 ")", e->i);
}

/* The bytes stand at the end of the text. */
static void print_data(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, "data");
    print_type_argument(p, e->type->elem);
    if (!p->marks) {
        text_printf(p->out, "[%" PRId64 " bytes]", e->i);
        return;
    }
    uint32_t at = 0;
    while (at < p->marks->data.count &&
           (p->marks->data.items[at]->data != e->data || p->marks->data.items[at]->i != e->i))
        at++;
    if (at == p->marks->data.count)
        vec_push(p->marks->arena, &p->marks->data, e);
    text_printf(p->out, "(%" PRIu32 ")", at);
}

/* ---- memory ---- */

void tree_print_class(struct tree_printer *p, const struct tree_expr *pointer, uint32_t alias)
{
    if (p->marks && class_of(p->marks, expr_root_var(pointer)) != alias)
        text_printf(p->out, "@%" PRIu32, alias);
}

static void print_place(struct tree_printer *p, const struct tree_expr *pointer, const struct tree_expr *index,
                        const struct type *type)
{
    if (pointer->type->elem != type)
        print_type_argument(p, type);
    text_addc(p->out, '[');
    tree_print_expr(p, index, 0);
    text_addc(p->out, ']');
}

void tree_print_element(struct tree_printer *p, const struct tree_expr *pointer, const struct tree_expr *index,
                        const struct type *type, uint32_t alias)
{
    tree_print_expr(p, pointer, PRECEDENCE_POSTFIX);
    tree_print_class(p, pointer, alias);
    print_place(p, pointer, index, type);
}

/* The index is in elements of the vector, whatever the pointer is to. */
void tree_print_masked(struct tree_printer *p, const struct tree_expr *pointer, const struct tree_expr *index,
                       const struct tree_expr *mask, const struct type *type, uint32_t alias)
{
    tree_print_expr(p, pointer, PRECEDENCE_POSTFIX);
    tree_print_class(p, pointer, alias);
    print_type_argument(p, type);
    text_addc(p->out, '[');
    tree_print_expr(p, index, 0);
    text_add(p->out, " if ");
    tree_print_expr(p, mask, 0);
    text_addc(p->out, ']');
}

static void print_masked(struct tree_printer *p, const struct tree_expr *e)
{
    tree_print_masked(p, e->args[0], e->args[1], e->args[2], e->type, e->alias);
}

static void print_element(struct tree_printer *p, const struct tree_expr *e)
{
    tree_print_element(p, e->args[0], e->args[1], e->type, e->alias);
}

static void print_address(struct tree_printer *p, const struct tree_expr *e)
{
    text_addc(p->out, '&');
    tree_print_expr(p, e->args[0], PRECEDENCE_POSTFIX);
    print_place(p, e->args[0], e->args[1], e->type->elem);
}

static void print_field(struct tree_printer *p, const struct tree_expr *e)
{
    text_addc(p->out, '&');
    tree_print_expr(p, e->args[0], PRECEDENCE_POSTFIX);
    text_add(p->out, "->");
    tree_print_name(e->args[0]->type->elem->fields[e->i].name, 0, false, p->out);
}

/* ---- operators and functions ---- */

void tree_print_args(struct tree_printer *p, struct tree_expr *const *args, uint32_t count)
{
    text_addc(p->out, '(');
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_add(p->out, ", ");
        tree_print_expr(p, args[i], 0);
    }
    text_addc(p->out, ')');
}

static void print_operator(struct tree_printer *p, const struct tree_expr *e)
{
    const struct expr_row *row = &expr_rows[e->op];
    if (e->num_args == 1) {
        text_add(p->out, row->text);
        tree_print_expr(p, e->args[0], PRECEDENCE_UNARY);
        return;
    }
    tree_print_expr(p, e->args[0], row->precedence);
    const struct tree_expr *b = e->args[1];
    if (e->op == EXPR_ADD && b->op == EXPR_INT && type_is_signed(b->type) && b->i < 0 && b->i > INT64_MIN) {
        text_printf(p->out, " - %" PRId64 "%s", -b->i, b->type->kind == TYPE_I64 ? "" : literal_suffix(b->type));
        return;
    }
    text_printf(p->out, " %s ", row->text);
    tree_print_expr(p, b, row->precedence + 1);
}

static void print_choice(struct tree_printer *p, const struct tree_expr *e)
{
    tree_print_expr(p, e->args[0], PRECEDENCE_OR);
    text_add(p->out, " ? ");
    tree_print_expr(p, e->args[1], PRECEDENCE_OR);
    text_add(p->out, " : ");
    tree_print_expr(p, e->args[2], PRECEDENCE_SELECT);
}

/* Types of other names could be functions as well. */
static void print_cast(struct tree_printer *p, const struct tree_expr *e)
{
    const struct type *base = e->type;
    while (base->kind == TYPE_POINTER)
        base = base->elem;
    if (type_is_basic(base) || base->kind == TYPE_VOID || base->kind == TYPE_VECTOR) {
        tree_print_type(p, e->type);
    } else {
        text_add(p->out, expr_rows[e->op].text);
        print_type_argument(p, e->type);
    }
    tree_print_args(p, e->args, e->num_args);
}

static void print_typed(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, expr_rows[e->op].text);
    print_type_argument(p, e->type);
    tree_print_args(p, e->args, e->num_args);
}

static void print_math(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, tree_math_name(e->math));
    tree_print_args(p, e->args, e->num_args);
}

static void print_call(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, e->name);
    if (p->marks)
        print_type_argument(p, e->type);
    tree_print_args(p, e->args, e->num_args);
}

static void print_function(struct tree_printer *p, const struct tree_expr *e)
{
    text_add(p->out, expr_rows[e->op].text);
    tree_print_args(p, e->args, e->num_args);
}

static void (*const print_form[FORM_COUNT])(struct tree_printer *p, const struct tree_expr *e) = {
    [FORM_CONSTANT] = print_constant, [FORM_NULL] = print_null,       [FORM_WORD] = print_word,
    [FORM_VARIABLE] = print_variable, [FORM_ELEMENT] = print_element, [FORM_ADDRESS] = print_address,
    [FORM_FIELD] = print_field,       [FORM_SLOT] = print_slot,       [FORM_DATA] = print_data,
    [FORM_OPERATOR] = print_operator, [FORM_CHOICE] = print_choice,   [FORM_CAST] = print_cast,
    [FORM_TYPED] = print_typed,       [FORM_MATH] = print_math,       [FORM_CALL] = print_call,
    [FORM_FUNCTION] = print_function, [FORM_THREAD] = print_thread,   [FORM_MASKED] = print_masked,
};

static enum tree_precedence precedence_of(const struct tree_expr *e)
{
    const struct expr_row *row = &expr_rows[e->op];
    if (row->precedence)
        return row->precedence;
    bool sign = row->form == FORM_ADDRESS || row->form == FORM_FIELD ||
                (e->op == EXPR_INT && !type_is_unsigned(e->type) && e->i < 0) || (e->op == EXPR_FLOAT && signbit(e->f));
    return sign ? PRECEDENCE_UNARY : PRECEDENCE_POSTFIX;
}

void tree_print_expr(struct tree_printer *p, const struct tree_expr *e, enum tree_precedence outer)
{
    bool parens = precedence_of(e) < outer;
    if (parens)
        text_addc(p->out, '(');
    print_form[expr_rows[e->op].form](p, e);
    if (parens)
        text_addc(p->out, ')');
}

void expr_print(const struct tree_expr *e, struct text *out)
{
    tree_print_expr(&(struct tree_printer){ .out = out }, e, 0);
}
