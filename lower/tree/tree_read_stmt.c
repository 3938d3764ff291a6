/* Statements of the text of a tree, by their forms (stmts.def). Kinds are tried in order; the first whose form fits is
 * meant. What a statement names as its result is declared when its type is known: at the latest in front of a body. */
#include "lower/tree/tree_read.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_print.h"

#include <string.h>

static int find_word(struct tree_reader *r, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*words[i] && read_accept(r, words[i]))
            return (int)i;
    return -1;
}

/* ---- variables ---- */

static bool read_result(struct tree_reader *r, enum form_role role, struct tree_var **out)
{
    struct tree_named n = { .role = role, .out = out };
    const char *key;
    if (!read_tree_name(r, &n.name, &n.again, &n.id, &key) || !read_declaration(r, &n))
        return false;
    *out = map_get(&r->vars, key);
    if (*out && n.type && (*out)->type != n.type)
        return read_missing(r, "another name: this variable has a type already");
    if (!*out && n.type) /* the value may be computed from it */
        *out = read_declare(r, &n, n.type);
    vec_push(r->tree->arena, &r->named, n);
    return true;
}

/* Variables belong to the region where they get a value. */
static bool settle_one(struct tree_reader *r, struct tree_stmt *s, const struct tree_named *n)
{
    struct tree_var *v = *n->out;
    if (!v) {
        const struct type *type = n->type ? n->type : stmt_result_type(r->tree->ir, s, r->element);
        if (!type)
            return read_missing(r, arena_printf(r->tree->arena, "': type' behind '%s'", n->name));
        const char *key =
            n->again ? intern(r->tree->ir->names, arena_printf(r->tree->arena, "%s#%u", n->name, n->id)) : n->name;
        v = map_get(&r->vars, key); /* named twice by this statement */
        v = v ? v : read_declare(r, n, type);
    }
    *n->out = v;
    v->owner = n->role == ROLE_OWNED ? s : r->region;
    if (stmt_rows[s->kind].result == RESULT_POINTER)
        s->alias = (uint32_t)(uintptr_t)map_get(&r->classes, v);
    return true;
}

static bool settle(struct tree_reader *r, struct tree_stmt *s)
{
    for (uint32_t i = 0; i < r->named.count; i++)
        if (!settle_one(r, s, &r->named.items[i]))
            return false;
    r->named.count = 0;
    return true;
}

/* ---- operands ---- */

static bool read_label(struct tree_reader *r, struct tree_label **out)
{
    const char *name, *key;
    bool again;
    uint32_t id;
    struct tree *t = r->tree;
    if (!read_tree_name(r, &name, &again, &id, &key))
        return false;
    *out = map_get(&r->labels, key);
    if (*out)
        return true;
    *out = NEW(t->arena, struct tree_label);
    **out = (struct tree_label){ name, id, again };
    map_put(t->arena, &r->labels, key, *out);
    map_put(t->arena, &t->names, name, t);
    if (!again)
        vec_push(t->arena, &r->unnumbered_labels, *out);
    else if (id >= t->num_labels)
        t->num_labels = id + 1;
    return true;
}

static bool read_flagged(struct tree_reader *r, const char *word, bool *out)
{
    bool found = read_accept(r, word);
    *out |= found;
    return found;
}

static bool read_counted(struct tree_reader *r, const char *word, int64_t most, int64_t *out, bool *good)
{
    bool found = read_accept(r, word);
    *good = *good && (!found || read_number(r, 0, most, out));
    return found;
}

static bool read_loop(struct tree_reader *r, struct tree_loop *l)
{
    bool good = true, found = true;
    int64_t chunk = 0, threads = 0, wide = 0;
    while (good && found) {
        int omp = find_word(r, tree_omp_words, 3), vectors = find_word(r, tree_vectors_words, 3);
        int level = find_word(r, tree_level_words, TREE_LEVELS);
        found = omp >= 0 || vectors >= 0 || level >= 0;
        l->level = level >= 0 ? (enum tree_level)level : l->level;
        l->omp = omp >= 0 ? (enum tree_omp)omp : l->omp;
        l->vectors = vectors >= 0 ? (enum tree_vectors)vectors : l->vectors;
        found |= read_flagged(r, "parallel", &l->parallel) | read_flagged(r, "independent", &l->independent) |
                 read_flagged(r, "unroll", &l->unroll) | read_flagged(r, "heavy", &l->heavy) |
                 read_flagged(r, "near", &l->near) | read_flagged(r, "rolled", &l->rolled);
        found |= read_counted(r, "chunk", INT32_MAX, &chunk, &good) |
                 read_counted(r, "threads", INT32_MAX, &threads, &good) | read_counted(r, "wide", 64, &wide, &good) |
                 read_counted(r, "tiles", INT64_MAX, &l->tiles, &good) |
                 read_counted(r, "different", INT64_MAX, &l->different, &good);
    }
    l->chunk = (int)chunk;
    l->num_threads = (int)threads;
    l->wide = (uint8_t)wide;
    return good;
}

/* name(arguments), callback name[pointer](arguments) */
static bool read_call(struct tree_reader *r, struct tree_stmt *s)
{
    bool quoted;
    bool callback = read_accept(r, "callback"), call = !callback && read_accept(r, "call");
    const char *start = r->at;
    s->name = read_word(r, &quoted);
    if (!s->name)
        return read_missing(r, "a statement");
    if (!callback && !call && tree_is_function(s->name)) {
        r->at = start;
        return read_missing(r, "the end of the expression");
    }
    if (callback && (!read_expect(r, "[") || !(s->pointer = read_expr(r, 0)) || !read_expect(r, "]")))
        return false;
    s->callee = tree_callee(s->name);
    return read_args(r, &s->args, &s->num_args);
}

static bool read_factor(struct tree_reader *r, const char *word, const struct tree_expr **out)
{
    if (read_accept(r, word))
        *out = read_expr(r, PRECEDENCE_UNARY);
    else
        return true;
    return *out != NULL && (expr_is_const(*out) || read_missing(r, "a constant"));
}

/* product float64 @1 @2 @3 alpha 1.0 beta 0.0 */
static bool read_product(struct tree_reader *r, struct tree_stmt *s)
{
    if (!read_accept(r, "product"))
        return true;
    struct tree_product *x = NEW(r->tree->arena, struct tree_product);
    uint32_t *const classes[] = { &x->a, &x->b, &x->c };
    if (!(x->type = read_tree_type(r)))
        return false;
    for (int i = 0; i < 3; i++) {
        int64_t number;
        if (!read_expect(r, "@") || !read_number(r, 0, TREE_READ_NUMBER, &number))
            return false;
        *classes[i] = (uint32_t)number;
        r->tree->num_aliases = *classes[i] >= r->tree->num_aliases ? *classes[i] + 1 : r->tree->num_aliases;
    }
    s->product = x;
    return (stmt_callee(s) == &tree_callees[CALLEE_sdfg_rt_gemm] && s->num_args == PRODUCT_ARGS &&
            read_factor(r, "alpha", &x->alpha) && read_factor(r, "beta", &x->beta)) ||
           read_missing(r, "a call of sdfg_rt_gemm with its arguments");
}

/* The three of grid(x, y, z). */
static bool read_dimensions(struct tree_reader *r, const char *word, struct tree_expr **out)
{
    struct tree_expr **args;
    uint32_t count;
    if (!read_expect(r, word) || !read_args(r, &args, &count))
        return false;
    for (uint32_t i = 0; i < count && i < 3; i++)
        out[i] = args[i];
    return count == 3 || read_missing(r, "three dimensions in front of this");
}

static bool read_kernel(struct tree_reader *r, struct tree_stmt *s)
{
    struct tree_kernel *k = NEW(r->tree->arena, struct tree_kernel);
    int64_t threads = 0, blocks = 0;
    bool quoted, good = true, found = true;
    s->kernel = k;
    s->num_args = KERNEL_ARGS;
    s->args = NEW_ARRAY(r->tree->arena, struct tree_expr *, KERNEL_ARGS);
    s->name = read_word(r, &quoted);
    if (!s->name)
        return read_missing(r, "the name of a kernel");
    if (!read_dimensions(r, "grid", s->args + KERNEL_GRID) || !read_dimensions(r, "block", s->args + KERNEL_BLOCK))
        return false;
    while (good && found)
        found = read_counted(r, "bounds", UINT16_MAX, &threads, &good) |
                read_counted(r, "blocks", UINT16_MAX, &blocks, &good) | read_flagged(r, "cooperative", &k->cooperative);
    k->most_threads = (uint32_t)threads;
    k->least_blocks = (uint32_t)blocks;
    return good;
}

static bool read_memory(struct tree_reader *r, struct tree_expr **pointer, uint32_t *alias)
{
    *pointer = read_expr(r, PRECEDENCE_UNARY);
    return *pointer && read_class(r, *pointer, alias);
}

static bool read_place(struct tree_reader *r, struct tree_stmt *s, bool masked)
{
    struct tree_expr *e = read_element(r);
    if (!e)
        return false;
    if ((e->op == EXPR_MASKED) != masked)
        return read_missing(r, masked ? "a mask" : "an element without a mask");
    s->mask = masked ? e->args[2] : NULL;
    s->pointer = e->args[0];
    s->index = e->args[1];
    s->alias = e->alias;
    r->element = e->type;
    return true;
}

static bool read_body(struct tree_reader *r, struct tree_stmt *s, struct tree_stmt **out)
{
    const struct tree_stmt *region = r->region;
    read_skip(r);
    if (r->at == r->end || *r->at != '{')
        return read_expect(r, "{");
    if (!settle(r, s))
        return false;
    r->fixed = true;
    if (stmt_rows[s->kind].flags & STMT_REGION) {
        s->region = region;
        r->region = s;
    }
    *out = stmt_block(r->tree);
    bool good = read_block(r, *out);
    r->region = region;
    return good;
}

static bool read_otherwise(struct tree_reader *r, struct tree_stmt *s, struct tree_stmt **out)
{
    *out = stmt_block(r->tree);
    return !read_accept(r, "else") || read_body(r, s, out);
}

static bool read_slot(struct tree_reader *r, struct tree_stmt *s)
{
    int64_t number;
    if (s->where != TREE_STATE)
        return true;
    if (!read_expect(r, "in") || !read_expect(r, "slot") || !read_number(r, 0, TREE_READ_NUMBER, &number))
        return false;
    s->slot = (uint32_t)number;
    r->tree->num_slots = s->slot >= r->tree->num_slots ? s->slot + 1 : r->tree->num_slots;
    return true;
}

static bool read_field(struct tree_reader *r, struct tree_stmt *s, const struct form_field *f)
{
    void **member = form_member(s, f);
    const char *before = r->at;
    int word;
    switch (f->role) {
    case ROLE_ASSIGNED:
    case ROLE_COUNTER:
    case ROLE_OWNED:
        return read_result(r, f->role, form_member(s, f));
    case ROLE_RESULT:
        if (read_result(r, f->role, form_member(s, f)) && read_accept(r, "="))
            return true;
        r->named.count = 0;
        *member = NULL;
        r->at = before;
        return true;
    case ROLE_NUMBER:
        return !read_accept(r, "=") || (*member = read_expr(r, 0)) != NULL;
    case ROLE_VALUE:
    case ROLE_CONDITION:
    case ROLE_BOUND:
    case ROLE_COUNT:
        return (*member = read_expr(r, 0)) != NULL;
    case ROLE_ELEMENT:
    case ROLE_MASKED:
        return read_place(r, s, f->role == ROLE_MASKED);
    case ROLE_TARGET:
        return read_memory(r, &s->pointer, &s->alias);
    case ROLE_SOURCE:
        return read_memory(r, &s->pointer2, &s->alias2);
    case ROLE_TYPE:
        return (*member = (void *)(uintptr_t)read_tree_type(r)) != NULL;
    case ROLE_WHERE:
        word = find_word(r, tree_where_words, 6);
        s->where = word < 0 ? TREE_HEAP : (enum tree_memory)word;
        return word >= 0 || read_missing(r, "'heap', 'stack' or another memory");
    case ROLE_HELD:
        word = find_word(r, tree_where_words, 6);
        s->where = word < 0 ? TREE_HEAP : (enum tree_memory)word;
        return true;
    case ROLE_KERNEL:
        return read_kernel(r, s);
    case ROLE_LEVEL:
        word = find_word(r, tree_level_words, TREE_LEVELS);
        s->loop.level = word < 0 ? TREE_HOST : (enum tree_level)word;
        return true;
    case ROLE_DIRECTION:
        word = find_word(r, tree_direction_words, 3);
        s->direction = word < 0 ? TREE_IN : (enum tree_direction)word;
        return word >= 0 || read_missing(r, "'in', 'out' or 'within'");
    case ROLE_SLOT:
        return read_slot(r, s);
    case ROLE_WCR:
        word = find_word(r, tree_wcr_words + WCR_SUM, WCR_CUSTOM - WCR_SUM);
        s->wcr = (enum wcr_kind)(word + WCR_SUM);
        return word >= 0 || read_missing(r, "'='");
    case ROLE_LABEL:
        return read_label(r, form_member(s, f));
    case ROLE_BODY:
        return read_body(r, s, form_member(s, f));
    case ROLE_OTHERWISE:
        return read_otherwise(r, s, form_member(s, f));
    case ROLE_CALL:
        return read_call(r, s);
    case ROLE_PRODUCT:
        return read_product(r, s);
    case ROLE_LOOP:
        return read_loop(r, form_member(s, f));
    default:
        return false;
    }
}

/* ---- statements ---- */

static bool at_end_of_line(struct tree_reader *r)
{
    read_skip(r);
    return r->at == r->end || *r->at == '\n' || (r->end - r->at > 1 && !memcmp(r->at, "//", 2)) || *r->at == '}' ||
           read_missing(r, "the end of the line");
}

static bool read_form(struct tree_reader *r, struct tree_stmt *s)
{
    const struct stmt_form *form = stmt_form(s->kind);
    for (uint32_t i = 0; i < form->count; i++) {
        const struct form_piece *piece = &form->pieces[i];
        if (!piece->field) {
            if (!read_expect(r, arena_strndup(r->tree->arena, piece->text, piece->length)))
                return false;
        } else if (piece->flag) {
            read_flagged(r, piece->field->name, form_member(s, piece->field));
        } else if (!read_field(r, s, piece->field)) {
            return false;
        }
    }
    return at_end_of_line(r) && settle(r, s);
}

/* The first kind whose form fits. */
static bool read_stmt(struct tree_reader *r, struct tree_stmt *block)
{
    const char *start = r->at;
    for (int kind = STMT_BLOCK + 1; kind < STMT_KIND_COUNT; kind++) {
        struct tree_stmt *s = stmt_new(r->tree, NULL, (enum stmt_kind)kind);
        r->at = start;
        r->named.count = 0;
        r->fixed = false;
        if (read_form(r, s)) {
            if (s->kind == STMT_ALLOC)
                tree_var_holds(r->tree, s->var, s->count);
            stmt_append(r->tree, block, s);
            return true;
        }
        if (r->fixed)
            return false;
    }
    return false;
}

static void read_blank_lines(struct tree_reader *r)
{
    for (;;) {
        read_skip(r);
        if (r->end - r->at > 1 && !memcmp(r->at, "//", 2))
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        if (r->at == r->end || *r->at != '\n')
            return;
        r->at++;
    }
}

bool read_block(struct tree_reader *r, struct tree_stmt *block)
{
    r->depth++;
    bool good = !read_too_deep(r) && read_expect(r, "{");
    while (good) {
        read_blank_lines(r);
        if (read_accept(r, "}"))
            break;
        good = r->at < r->end ? read_stmt(r, block) : read_missing(r, "'}'");
    }
    r->depth--;
    return good;
}
