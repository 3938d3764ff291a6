/* The translation unit: prelude, structures and global code of the program, then a function for each tasklet. */
#include "ir/code/clang/clang_unit.h"

#include "ir/code/clang/clang_nesting.h"
#include "ir/library.h"

#include <ctype.h>
#include <string.h>

/* ---- what there is to read ---- */

static bool is_blank(const char *text) { return !text[strspn(text, " \t\r\n")]; }

static void add_body(struct clang_unit *u, struct tasklet *t, struct code_text *code, const struct place *place)
{
    if (!code->tree && code->language && code->language->row == LANGUAGE_CPP)
        vec_push(u->arena, &u->bodies, ((struct clang_body){ t, code, place }));
}

static void add_tasklet(struct clang_unit *u, struct node *n)
{
    struct tasklet *t = as_tasklet(n);
    if (!t)
        return;
    add_body(u, t, &t->code, &n->place);
    if (!is_blank(t->code_init.text))
        add_body(u, NULL, &t->code_init, &n->place);
    if (!is_blank(t->code_exit.text))
        add_body(u, NULL, &t->code_exit, &n->place);
    bool runs = !is_blank(t->code_init.text) || !is_blank(t->code_exit.text);
    if (t->state_fields.count || runs || t->code.language->row == LANGUAGE_CPP)
        vec_push(u->arena, &u->tasklets, t);
    u->fields |= t->state_fields.count > 0;
}

/* mpi.Dummy declares what the code that DaCe writes for process grids keeps. */
static void add_grid_fields(struct clang_unit *u, struct node *n)
{
    const struct library *l = as_library(n);
    const char **fields;
    uint32_t count;
    if (!l || strcmp(library_class(l), "Dummy") != 0 || !library_strings(l, "fields", &fields, &count) || !fields)
        return;
    for (uint32_t i = 0; i < count; i++)
        vec_push(u->arena, &u->grids, ((struct clang_field){ &n->place, fields[i] }));
}

static void visit_block(void *user, struct block *b)
{
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        add_tasklet(user, st->nodes.items[i]);
        add_grid_fields(user, st->nodes.items[i]);
    }
}

static void visit_sdfg(void *user, struct sdfg *s)
{
    struct clang_unit *u = user;
    const struct place *place = &s->region.block.place;
    for (uint32_t i = 0; i < s->init_code.count; i++)
        add_body(u, NULL, &s->init_code.items[i], place);
    for (uint32_t i = 0; i < s->exit_code.count; i++)
        add_body(u, NULL, &s->exit_code.items[i], place);
    region_each_block(&s->region, visit_block, u);
}

void clang_find_code(struct clang_unit *u, struct sdfg *root)
{
    u->root = root;
    sdfg_each(root, visit_sdfg, u);
    bool named = false;
    for (uint32_t i = 0; i < u->bodies.count && !named; i++)
        named = strstr(u->bodies.items[i].code->text, CODE_STATE_NAME "->");
    if (!named) /* nobody looks at them */
        u->grids.count = 0;
    u->fields |= u->grids.count > 0;
}

/* ---- text ---- */

/* What the author wrote, without includes: the prelude has what there is. */
static void add_source(struct clang_unit *u, const struct place *place, const char *text)
{
    struct clang_piece p = { .place = place, .text = text, .length = (uint32_t)strlen(text) };
    p.begin = (uint32_t)u->out.length;
    for (const char *at = u->out.data; at && *at; at++)
        p.line += *at == '\n';
    vec_push(u->arena, &u->pieces, p);
    text_addn(&u->out, text, p.length);
    clang_blank_includes(u->out.data + p.begin);
}

static bool is_known(const struct clang_unit *u, const char *text)
{
    for (uint32_t i = 0; i < u->pieces.count; i++)
        if (strcmp(u->pieces.items[i].text, text) == 0)
            return true;
    return false;
}

static void add_global(struct clang_unit *u, const struct place *place, const char *text)
{
    if (!*text || is_known(u, text))
        return;
    add_source(u, place, text);
    text_addc(&u->out, '\n');
}

static void add_globals(void *user, struct sdfg *s)
{
    for (uint32_t i = 0; i < s->global_code.count; i++)
        add_global(user, &s->region.block.place, s->global_code.items[i].text);
}

/* ---- parameters ---- */

/* The type of a symbol or constant that a tasklet may name, NULL if it is none. `pointer`: an array. */
static const struct type *symbol_type(struct clang_unit *u, const struct tasklet *t, const char *name, bool *pointer)
{
    const struct sdfg *s = t ? t->node.state->sdfg : u->root;
    const struct type *i64 = type_basic(u->ir, TYPE_I64);
    *pointer = false;
    for (struct node *n = t ? t->node.scope : NULL; n; n = n->scope) {
        const struct connector *c = node_in_conn(n, name);
        if (c && c->type && node_is_entry(n) && strncmp(name, "IN_", 3) != 0)
            return c->type;
        const struct map_entry *m = as_map_entry(n);
        for (uint32_t i = 0; m && i < m->params.count; i++)
            if (m->params.items[i] == name)
                return i64;
        if (as_consume_entry(n) && as_consume_entry(n)->pe_index == name)
            return i64;
    }
    const struct type *type = sdfg_symbol_type(s, name);
    if (type)
        return type->kind == TYPE_VOID ? i64 : type;
    const struct constant *k = sdfg_find_constant(s, name);
    if (!k)
        return NULL;
    *pointer = k->desc->kind != CONTAINER_SCALAR;
    return k->desc->type;
}

static void add_parameter(struct clang_unit *u, struct map *done, const char *name, const struct type *type,
                          bool pointer)
{
    if (map_has(done, name))
        return;
    map_put(u->arena, done, name, (void *)(uintptr_t)name);
    struct text spelled = text_new(u->arena);
    clang_type_text(&spelled, type);
    if (!spelled.length) /* such a value cannot be used; its name is unknown then */
        return;
    text_printf(&u->out, "%s%s %s%s", u->first ? "" : ", ", text_get(&spelled), pointer ? "*" : "", name);
    u->first = false;
}

static bool add_connectors(struct clang_unit *u, struct map *done, const struct tasklet *t,
                           const struct connector *list, uint32_t count)
{
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].type)
            add_parameter(u, done, list[i].name, list[i].type, false);
        else
            good = diag_error(u->ir->diags, &t->node.place, DIAG_CONNECTOR_TYPE, list[i].name);
    }
    return good;
}

/* The state as a parameter, unless it is there already. */
static void add_state(struct clang_unit *u, struct map *done, const char *name)
{
    if (!u->fields || strcmp(name, CODE_STATE_NAME) != 0 || map_has(done, name))
        return;
    map_put(u->arena, done, name, (void *)(uintptr_t)name);
    text_printf(&u->out, "%s" CLANG_STATE " *%s", u->first ? "" : ", ", name);
    u->first = false;
}

static void add_symbols(struct clang_unit *u, struct map *done, const struct clang_body *b)
{
    for (const char *c = b->code->text; *c;) {
        if (!isalpha((unsigned char)*c) && *c != '_') {
            c++;
            continue;
        }
        const char *begin = c;
        while (isalnum((unsigned char)*c) || *c == '_')
            c++;
        bool pointer, inside = begin > b->code->text && (begin[-1] == '.' || isdigit((unsigned char)begin[-1]));
        const char *name = inside ? NULL : intern_n(u->ir->names, begin, (size_t)(c - begin));
        const struct type *type = name ? symbol_type(u, b->tasklet, name, &pointer) : NULL;
        if (name)
            add_state(u, done, name);
        if (type)
            add_parameter(u, done, name, type, pointer);
    }
}

/* DaCe's expansion of Getrs for cuSOLVER gives the order of the matrix as the number of right-hand sides. What it means
 * is all columns of the connector. */
static bool means_all_columns(const struct clang_unit *u, const struct clang_body *b)
{
    return b->tasklet && node_in_conn(&b->tasklet->node, intern(u->ir->names, "_rhs_in")) &&
           strstr(b->code->text, "cusolverDn");
}

/* Two blocks: a local variable may have the name of a parameter. */
static bool add_function(struct clang_unit *u, uint32_t number)
{
    const struct clang_body *b = &u->bodies.items[number];
    const struct tasklet *t = b->tasklet;
    struct map done = { 0 };
    u->first = true;
    text_addc(&u->out, '\n');
    bool columns = means_all_columns(u, b);
    if (columns)
        text_add(&u->out, "#undef __RHS\n#define __RHS(count, b, ldb) (__sdfg_elements(b) / (ldb))\n");
    text_printf(&u->out, "void " CLANG_FUNCTION "%u(", number);
    bool good = !t || (add_connectors(u, &done, t, t->node.in_conns.items, t->node.in_conns.count) &&
                       add_connectors(u, &done, t, t->node.out_conns.items, t->node.out_conns.count));
    add_symbols(u, &done, b);
    bool libraries = u->libraries && !u->fields && strstr(b->code->text, CODE_STATE_NAME);
    text_add(&u->out,
             libraries ? ") { __cuda_libraries __libraries, *" CODE_STATE_NAME " = &__libraries; {\n" : ") {{\n");
    add_source(u, b->place, b->code->text);
    text_add(&u->out, "\n}}\n");
    if (columns)
        text_add(&u->out, "#undef __RHS\n#define __RHS(count, b, ldb) (count)\n");
    return good;
}

/* ---- all of it ---- */

static void collect(struct text *all, const char *text)
{
    text_add(all, text);
    text_addc(all, '\n');
}

static void collect_globals(void *user, struct sdfg *s)
{
    for (uint32_t i = 0; i < s->global_code.count; i++)
        collect(user, s->global_code.items[i].text);
}

static void collect_types(struct text *all, const struct connector *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].type) {
            clang_type_text(all, list[i].type);
            text_addc(all, '\n');
        }
}

static void declare_structs(struct clang_walk *w, struct clang_unit *u, const struct node *n)
{
    for (uint32_t i = 0; i < n->in_conns.count; i++)
        if (n->in_conns.items[i].type)
            clang_declare_structs(w, &u->out, n->in_conns.items[i].type);
    for (uint32_t i = 0; i < n->out_conns.count; i++)
        if (n->out_conns.items[i].type)
            clang_declare_structs(w, &u->out, n->out_conns.items[i].type);
}

static void add_fields(struct clang_unit *u)
{
    if (!u->fields)
        return;
    text_add(&u->out, "struct " CLANG_STATE " {\n");
    if (u->libraries)
        text_add(&u->out, "__CUDA_LIBRARIES\n");
    for (uint32_t i = 0; i < u->tasklets.count; i++)
        for (uint32_t k = 0; k < u->tasklets.items[i]->state_fields.count; k++)
            add_global(u, &u->tasklets.items[i]->node.place, u->tasklets.items[i]->state_fields.items[k]);
    for (uint32_t i = 0; i < u->grids.count; i++)
        add_global(u, u->grids.items[i].place, u->grids.items[i].text);
    text_add(&u->out, "};\n");
}

/* Everything that may mention parts of the prelude. */
static void collect_all(struct clang_unit *u, struct text *all)
{
    sdfg_each(u->root, collect_globals, all);
    for (uint32_t i = 0; i < u->tasklets.count; i++) {
        collect(all, u->tasklets.items[i]->code_global.text);
        for (uint32_t k = 0; k < u->tasklets.items[i]->state_fields.count; k++)
            collect(all, u->tasklets.items[i]->state_fields.items[k]);
    }
    for (uint32_t i = 0; i < u->grids.count; i++)
        collect(all, u->grids.items[i].text);
    for (uint32_t i = 0; i < u->bodies.count; i++) {
        const struct tasklet *t = u->bodies.items[i].tasklet;
        collect(all, u->bodies.items[i].code->text);
        if (!t)
            continue;
        collect_types(all, t->node.in_conns.items, t->node.in_conns.count);
        collect_types(all, t->node.out_conns.items, t->node.out_conns.count);
    }
}

/* Does the code name handles of CUDA's libraries, which DaCe's environments put into the program's state? */
static bool names_libraries(const char *all)
{
    static const char *const names[] = { "cublas_handle", "cusolverDn_handle", "cutensor_handle" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(all, names[i]))
            return true;
    return false;
}

bool clang_write_unit(struct clang_unit *u, struct clang_walk *w)
{
    struct text all = text_new(u->arena);
    collect_all(u, &all);
    u->libraries = names_libraries(text_get(&all));
    clang_prelude(&u->out, text_get(&all));
    w->prelude = (uint32_t)u->out.length;
    for (uint32_t i = 0; i < u->bodies.count; i++)
        if (u->bodies.items[i].tasklet)
            declare_structs(w, u, &u->bodies.items[i].tasklet->node);
    sdfg_each(u->root, add_globals, u);
    for (uint32_t i = 0; i < u->tasklets.count; i++)
        add_global(u, &u->tasklets.items[i]->node.place, u->tasklets.items[i]->code_global.text);
    add_fields(u);
    u->first_function = u->pieces.count;
    bool good = true;
    for (uint32_t i = 0; i < u->bodies.count; i++)
        good = add_function(u, i) && good;
    return good;
}
