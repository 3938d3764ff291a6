/* Expressions of the text of a tree. They are made as they stand there: nothing is folded. */
#include "lower/tree/tree_read.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_print.h"

#include <ctype.h>
#include <string.h>

static struct tree_expr *make(struct tree_reader *r, enum expr_op op, const struct type *type,
                              struct tree_expr *const *args, uint32_t count)
{
    struct tree_expr *e = arena_alloc(r->tree->arena, sizeof *e + count * sizeof e->args[0]);
    e->op = op;
    e->type = type;
    e->num_args = count;
    for (uint32_t i = 0; i < count; i++)
        e->args[i] = args[i];
    return e;
}

static struct tree_expr *missing(struct tree_reader *r, const char *what)
{
    read_missing(r, what);
    return NULL;
}

/* The characters that follow at once, without a blank. */
static bool follows(const struct tree_reader *r, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(r->end - r->at) >= length && !memcmp(r->at, text, length);
}

bool read_args(struct tree_reader *r, struct tree_expr ***args, uint32_t *count)
{
    VEC(struct tree_expr *) list = { 0 };
    if (!read_expect(r, "("))
        return false;
    while (!read_accept(r, ")")) {
        if (list.count && !read_expect(r, ","))
            return false;
        struct tree_expr *e = read_expr(r, 0);
        if (!e)
            return false;
        vec_push(r->tree->arena, &list, e);
    }
    *args = list.items;
    *count = list.count;
    return true;
}

static const struct type *type_argument(struct tree_reader *r)
{
    const struct type *type = read_expect(r, "<") ? read_tree_type(r) : NULL;
    return type && read_expect(r, ">") ? type : NULL;
}

/* ---- variables ---- */

struct tree_var *read_declare(struct tree_reader *r, const struct tree_named *n, const struct type *type)
{
    struct tree *t = r->tree;
    struct tree_var *v = NEW(t->arena, struct tree_var);
    *v = (struct tree_var){ .name = n->name, .type = type, .id = n->id, .owner = r->region, .again = n->again };
    const char *key = n->again ? intern(t->ir->names, arena_printf(t->arena, "%s#%u", n->name, n->id)) : n->name;
    map_put(t->arena, &r->vars, key, v);
    map_put(t->arena, &t->names, n->name, t);
    if (n->alias)
        map_put(t->arena, &r->classes, v, (void *)(uintptr_t)n->alias);
    if (!n->again)
        vec_push(t->arena, &r->unnumbered, v);
    else if (n->id >= t->num_vars)
        t->num_vars = n->id + 1;
    return v;
}

bool read_declaration(struct tree_reader *r, struct tree_named *n)
{
    int64_t alias = 0;
    read_skip(r);
    if (r->at < r->end && *r->at == ':') {
        r->at++;
        n->type = read_tree_type(r);
        if (!n->type)
            return false;
    }
    if (r->at < r->end && *r->at == '@') {
        r->at++;
        if (!read_number(r, 0, TREE_READ_NUMBER, &alias))
            return false;
        n->alias = (uint32_t)alias;
        r->tree->num_aliases = n->alias >= r->tree->num_aliases ? n->alias + 1 : r->tree->num_aliases;
    }
    return true;
}

/* (name: type@class), NULL if something else stands here; then nothing is taken. */
static struct tree_expr *declared(struct tree_reader *r)
{
    const char *before = r->at, *key;
    struct tree_named n = { 0 };
    bool quoted;
    const char *word = read_accept(r, "(") ? read_word(r, &quoted) : NULL;
    r->at = before + (word != NULL);
    if (!word || !read_tree_name(r, &n.name, &n.again, &n.id, &key) || !follows(r, ":") || map_has(&r->vars, key) ||
        !read_declaration(r, &n) || !read_accept(r, ")")) {
        r->at = before;
        return NULL;
    }
    return expr_var(r->tree, read_declare(r, &n, n.type));
}

static struct tree_expr *variable(struct tree_reader *r)
{
    const char *start = r->at, *name, *key;
    bool again;
    uint32_t id;
    if (!read_tree_name(r, &name, &again, &id, &key))
        return NULL;
    struct tree_var *v = map_get(&r->vars, key);
    if (!v) {
        r->at = start;
        return missing(r, arena_printf(r->tree->arena, "a variable; there is no '%s'", key));
    }
    return expr_var(r->tree, v);
}

/* ---- name(arguments) ---- */

static struct tree_expr *real_part(struct tree_reader *r, enum expr_op op, struct tree_expr **args)
{
    const struct type *type = args[0]->type;
    return make(r, op, type_is_complex(type_scalar(type)) ? type_part(r->tree->ir, type) : type, args, 1);
}

/* A function of the rows; the verifier looks at the rest. */
static struct tree_expr *function(struct tree_reader *r, enum expr_op op, struct tree_expr **args, uint32_t count)
{
    bool lanes = op >= EXPR_LANES_SUM && op <= EXPR_LANES_XOR;
    uint32_t wanted = lanes || op == EXPR_LANES_COUNT || op == EXPR_REAL || op == EXPR_IMAG ? 1
                      : op == EXPR_INSERT                                                   ? 3
                                                                                            : 2;
    if (count != wanted)
        return missing(r, "another number of arguments");
    if (lanes && args[0]->type->kind != TYPE_VECTOR)
        return missing(r, "a vector");
    if (lanes)
        return expr_lanes(r->tree, op, args[0]);
    if (op == EXPR_LANES_COUNT)
        return expr_lanes_count(r->tree, args[0]);
    if (wanted == 1)
        return real_part(r, op, args);
    const struct type *type = args[0]->type;
    if (op == EXPR_COMPLEX) {
        enum type_kind part = type_scalar(type)->kind;
        if (part != TYPE_F32 && part != TYPE_F64)
            return missing(r, "a complex number of float32 or float64");
        return expr_complex(r->tree, args[0], args[1]);
    }
    if ((op == EXPR_LANE || op == EXPR_INSERT) && type->kind != TYPE_VECTOR)
        return missing(r, "a lane of a vector");
    return make(r, op, op == EXPR_LANE ? type->elem : type, args, count);
}

static struct tree_expr *math(struct tree_reader *r, enum tree_math f, struct tree_expr **args, uint32_t count)
{
    if (count != tree_math_arity(f))
        return missing(r, "another number of arguments");
    struct tree_expr *e = make(r, EXPR_MATH, tree_math_type(r->tree, f, args[0]->type), args, count);
    e->math = f;
    return e;
}

/* name(...): a function of the rows or of mathematics; NULL with nothing taken if it is neither. */
static struct tree_expr *plain_function(struct tree_reader *r, const char *name, bool *known)
{
    int op = 0, f = 0;
    while (op < EXPR_OP_COUNT && (expr_rows[op].form != FORM_FUNCTION || strcmp(expr_rows[op].text, name) != 0))
        op++;
    while (f < TREE_MATH_COUNT && strcmp(tree_math_name((enum tree_math)f), name) != 0)
        f++;
    struct tree_expr **args;
    uint32_t count;
    *known = op < EXPR_OP_COUNT || f < TREE_MATH_COUNT;
    if (!*known || !read_args(r, &args, &count))
        return NULL;
    return op < EXPR_OP_COUNT ? function(r, (enum expr_op)op, args, count) : math(r, (enum tree_math)f, args, count);
}

static struct tree_expr *numbered(struct tree_reader *r, bool slot, const struct type *type)
{
    struct tree *t = r->tree;
    int64_t number;
    if (!read_expect(r, "(") || !read_number(r, 0, slot ? TREE_READ_NUMBER : (int64_t)r->data.count - 1, &number) ||
        !read_expect(r, ")"))
        return NULL;
    if (!slot)
        return expr_data(t, type, r->data.items[number].bytes, r->data.items[number].size);
    t->num_slots = number >= t->num_slots ? (uint32_t)number + 1 : t->num_slots;
    return expr_slot(t, (uint32_t)number, type);
}

/* name<type>(...), name<type>; false with nothing taken if it is an access to memory. */
static bool typed_function(struct tree_reader *r, const char *name, struct tree_expr **out)
{
    const char *before = r->at;
    const struct type *type = type_argument(r);
    struct tree_expr **args;
    uint32_t count;
    *out = NULL;
    if (type && !strcmp(name, "null")) {
        *out = expr_null(r->tree, type);
        return true;
    }
    if (type && !follows(r, "(")) {
        r->at = before;
        return false;
    }
    if (!type)
        return true;
    if (!strcmp(name, "slot") || !strcmp(name, "data")) {
        *out = numbered(r, *name == 's', type);
        return true;
    }
    if (!read_args(r, &args, &count))
        return true;
    for (int op = 0; op < EXPR_OP_COUNT; op++) {
        bool typed = expr_rows[op].form == FORM_TYPED || expr_rows[op].form == FORM_CAST;
        if (typed && !strcmp(expr_rows[op].text, name)) {
            uint32_t wanted = op == EXPR_STEPS || op == EXPR_ACTIVE ? 2 : 1;
            *out = count == wanted ? make(r, (enum expr_op)op, type, args, wanted)
                                   : missing(r, wanted == 1 ? "one argument" : "two arguments");
            return true;
        }
    }
    *out = make(r, EXPR_CALL, type, args, count);
    (*out)->name = name;
    (*out)->callee = tree_callee(name);
    return true;
}

static struct tree_expr *word(struct tree_reader *r, const char *name)
{
    if (!strcmp(name, "true") || !strcmp(name, "false"))
        return expr_bool(r->tree, *name == 't');
    if (!strcmp(name, "null"))
        return expr_null(r->tree, type_pointer(r->tree->ir, type_basic(r->tree->ir, TYPE_VOID)));
    for (int i = 0; i < THREAD_COUNT; i++)
        if (!strcmp(name, tree_thread_words[i]))
            return expr_thread(r->tree, (enum tree_thread)i);
    if (!strcmp(name, "vscale"))
        return expr_vscale(r->tree);
    return !strcmp(name, "context") ? expr_context(r->tree) : NULL;
}

static struct tree_expr *primary(struct tree_reader *r)
{
    struct tree_expr *e = declared(r), **args;
    uint32_t count;
    bool quoted, known = false;
    if (e)
        return e;
    if (read_accept(r, "(")) {
        e = read_expr(r, 0);
        return e && read_expect(r, ")") ? e : NULL;
    }
    e = read_constant(r);
    if (e)
        return e;
    const struct type *type = read_basic_type(r);
    if (type)
        return !read_args(r, &args, &count) ? NULL
               : count == 1                 ? make(r, EXPR_CAST, type, args, 1)
                                            : missing(r, "one argument");
    const char *start = r->at, *name = read_word(r, &quoted);
    if (name && !quoted && follows(r, "("))
        e = plain_function(r, name, &known);
    else if (name && !quoted && follows(r, "<"))
        known = typed_function(r, name, &e);
    if (known)
        return e;
    e = name && !quoted ? word(r, name) : NULL;
    if (e)
        return e;
    r->at = start;
    return variable(r);
}

/* ---- memory ---- */

bool read_class(struct tree_reader *r, const struct tree_expr *pointer, uint32_t *alias)
{
    const struct tree_var *root = expr_root_var(pointer);
    int64_t number;
    *alias = root ? (uint32_t)(uintptr_t)map_get(&r->classes, root) : 0;
    if (!follows(r, "@"))
        return true;
    r->at++;
    if (!read_number(r, 0, TREE_READ_NUMBER, &number))
        return false;
    *alias = (uint32_t)number;
    r->tree->num_aliases = *alias >= r->tree->num_aliases ? *alias + 1 : r->tree->num_aliases;
    return true;
}

static bool access_follows(const struct tree_reader *r)
{
    const char *c = r->at;
    if (c < r->end && *c == '@')
        for (c++; c < r->end && isdigit((unsigned char)*c);)
            c++;
    return c < r->end && (*c == '[' || (*c == '<' && c + 1 < r->end && (isalpha((unsigned char)c[1]) || c[1] == '_')));
}

/* `if mask]` behind the index. */
static struct tree_expr *masked(struct tree_reader *r, const struct type *type, struct tree_expr *pointer,
                                struct tree_expr *index, uint32_t alias)
{
    struct tree_expr *mask = read_expr(r, 0);
    if (!mask || !read_expect(r, "]"))
        return NULL;
    return type->kind == TYPE_VECTOR ? expr_masked(r->tree, type, pointer, index, mask, alias)
                                     : missing(r, "a vector in front of a mask");
}

/* @class<type>[index] behind a pointer. */
static struct tree_expr *access(struct tree_reader *r, struct tree_expr *pointer)
{
    uint32_t alias;
    if (pointer->type->kind != TYPE_POINTER)
        return missing(r, "a pointer in front of this");
    const struct type *type = pointer->type->elem;
    if (!read_class(r, pointer, &alias) || (follows(r, "<") && !(type = type_argument(r))) || !read_expect(r, "["))
        return NULL;
    struct tree_expr *index = read_expr(r, 0);
    if (index && read_accept(r, "if"))
        return masked(r, type, pointer, index, alias);
    if (!index || !read_expect(r, "]"))
        return NULL;
    if (type->size == 0)
        return missing(r, "the type of the element");
    struct tree_expr *e = make(r, EXPR_LOAD, type, (struct tree_expr *[]){ pointer, index }, 2);
    e->alias = alias;
    return e;
}

struct tree_expr *read_element(struct tree_reader *r)
{
    struct tree_expr *e = primary(r);
    bool found = false;
    while (e && access_follows(r)) {
        e = access(r, e);
        found = true;
    }
    if (e && !found)
        return missing(r, "'['");
    return e;
}

static struct tree_expr *postfix(struct tree_reader *r)
{
    struct tree_expr *e = primary(r);
    while (e && access_follows(r))
        e = access(r, e);
    return e;
}

static struct tree_expr *field(struct tree_reader *r, struct tree_expr *pointer)
{
    bool quoted;
    const char *name = read_word(r, &quoted);
    const struct type *type = pointer->type->kind == TYPE_POINTER ? pointer->type->elem : NULL;
    for (uint32_t i = 0; name && type && type->kind == TYPE_STRUCT && i < type->num_fields; i++)
        if (!strcmp(type->fields[i].name, name))
            return expr_field(r->tree, pointer, i);
    return missing(r, "a field of the structure");
}

/* &pointer[index], &pointer->field */
static struct tree_expr *address(struct tree_reader *r)
{
    struct tree_expr *e = postfix(r);
    if (e && read_accept(r, "->"))
        return field(r, e);
    if (!e || e->op != EXPR_LOAD)
        return e ? missing(r, "'[' or '->'") : NULL;
    if (e->args[0]->type->elem != e->type)
        return missing(r, "an address of the type that is pointed to");
    return make(r, EXPR_OFFSET, e->args[0]->type, e->args, 2);
}

/* ---- operators ---- */

static struct tree_expr *unary(struct tree_reader *r)
{
    struct tree_expr *e = read_constant(r);
    if (e)
        return e;
    if (read_accept(r, "&"))
        return address(r);
    for (int op = EXPR_NEG; op <= EXPR_BITNOT; op++)
        if (read_accept(r, expr_rows[op].text)) {
            r->depth++;
            e = read_too_deep(r) ? NULL : unary(r);
            r->depth--;
            return e ? make(r, (enum expr_op)op, e->type, &e, 1) : NULL;
        }
    return postfix(r);
}

/* The operator that stands here, the longest of those that fit; 0: none of this level. */
static enum expr_op operator_here(struct tree_reader *r, enum tree_precedence least)
{
    int found = 0;
    read_skip(r);
    for (int op = EXPR_ADD; op < EXPR_OP_COUNT; op++) {
        const struct expr_row *row = &expr_rows[op];
        if (row->form == FORM_OPERATOR && follows(r, row->text) &&
            (!found || strlen(row->text) > strlen(expr_rows[found].text)))
            found = op;
    }
    if (!found || expr_rows[found].precedence < least)
        return 0;
    const char *behind = r->at + strlen(expr_rows[found].text);
    return behind < r->end && *behind == '=' ? 0 : (enum expr_op)found; /* += and the like */
}

static struct tree_expr *binary(struct tree_reader *r, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    const struct type *type = a->type;
    if (op == EXPR_SUB && b->op == EXPR_INT && type_is_integer(a->type)) { /* x - 3 is x + -3 */
        op = EXPR_ADD;
        b = expr_int(r->tree, b->type, (int64_t)(0 - (uint64_t)b->i));
    }
    if (expr_rows[op].precedence == PRECEDENCE_COMPARE)
        type = type->kind == TYPE_VECTOR ? tree_mask_type(r->tree, type) : type_basic(r->tree->ir, TYPE_BOOL);
    return make(r, op, type, (struct tree_expr *[]){ a, b }, 2);
}

static struct tree_expr *operators(struct tree_reader *r, enum tree_precedence least)
{
    struct tree_expr *a = unary(r);
    enum expr_op op;
    while (a && (op = operator_here(r, least))) {
        r->at += strlen(expr_rows[op].text);
        struct tree_expr *b = operators(r, expr_rows[op].precedence + 1);
        a = b ? binary(r, op, a, b) : NULL;
    }
    return a;
}

static struct tree_expr *choice(struct tree_reader *r, struct tree_expr *condition)
{
    struct tree_expr *a = operators(r, PRECEDENCE_OR);
    struct tree_expr *b = a && read_expect(r, ":") ? read_expr(r, PRECEDENCE_SELECT) : NULL;
    return b ? make(r, EXPR_SELECT, a->type, (struct tree_expr *[]){ condition, a, b }, 3) : NULL;
}

struct tree_expr *read_expr(struct tree_reader *r, enum tree_precedence least)
{
    r->depth++;
    struct tree_expr *e = read_too_deep(r) ? NULL : operators(r, least > PRECEDENCE_OR ? least : PRECEDENCE_OR);
    if (e && least <= PRECEDENCE_SELECT && read_accept(r, "?"))
        e = choice(r, e);
    r->depth--;
    return e;
}
