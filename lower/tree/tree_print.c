#include "lower/tree/tree_print.h"

#include <inttypes.h>

static const char *const wcr_names[] = { "=",   "+=", "*=", "min=", "max=",      "&&=",    "||=",
                                         "^^=", "&=", "|=", "^=",   "exchange=", "custom=" };

static void print_indent(uint32_t indent, struct text *out)
{
    for (uint32_t i = 0; i < indent; i++)
        text_add(out, "    ");
}

static void print_body(const struct tree_stmt *body, uint32_t indent, struct text *out)
{
    text_add(out, " {\n");
    stmt_print(body, indent + 1, out);
    print_indent(indent, out);
    text_addc(out, '}');
}

/* "word expression" */
static void print_word(const char *word, const struct tree_expr *e, struct text *out)
{
    text_add(out, word);
    expr_print(e, out);
}

static void print_for(const struct tree_stmt *s, uint32_t indent, struct text *out)
{
    static const char *const omp[] = { "", " dynamic", " guided" };
    static const char *const vectors[] = { " wide", " wide whole", " wide masked" };
    text_add(out, "for ");
    tree_print_var(s->var, out);
    print_word(" = ", s->begin, out);
    print_word(" to ", s->end, out);
    print_word(" step ", s->step, out);
    if (s->loop.parallel)
        text_printf(out, " parallel%s", omp[s->loop.omp]);
    if (s->loop.chunk)
        text_printf(out, " chunk %d", s->loop.chunk);
    if (s->loop.num_threads)
        text_printf(out, " threads %d", s->loop.num_threads);
    if (s->loop.independent)
        text_add(out, " independent");
    if (s->loop.unroll)
        text_add(out, " unroll");
    if (s->loop.wide)
        text_add(out, vectors[s->loop.vectors]);
    print_body(s->body, indent, out);
}

static void print_if(const struct tree_stmt *s, uint32_t indent, struct text *out)
{
    print_word("if ", s->value, out);
    print_body(s->body, indent, out);
    if (s->otherwise && s->otherwise->items.count) {
        text_add(out, " else");
        print_body(s->otherwise, indent, out);
    }
}

static void print_update(const struct tree_stmt *s, uint32_t indent, struct text *out)
{
    text_add(out, s->atomic ? "atomic update " : "update ");
    tree_print_var(s->var, out);
    text_add(out, " = ");
    tree_print_element(s->pointer, s->index, s->value->type, out);
    print_body(s->body, indent, out);
    print_word(" = ", s->value, out);
}

static void print_alloc(const struct tree_stmt *s, struct text *out)
{
    static const char *const where[] = { "heap", "stack", "state" };
    tree_print_var(s->var, out);
    text_printf(out, " = %s%s ", s->zero ? "zeroed " : "", where[s->where]);
    type_print(s->type, out);
    print_word("[", s->count, out);
    text_addc(out, ']');
    if (s->where == TREE_STATE)
        text_printf(out, " in slot %" PRIu32, s->slot);
}

static void print_memory(const struct tree_stmt *s, struct text *out)
{
    text_add(out, s->kind == STMT_COPY ? "copy " : "zero ");
    text_add(out, s->nontemporal ? "nontemporal " : "");
    type_print(s->type, out);
    print_word("[", s->count, out);
    text_add(out, "] at ");
    expr_print(s->pointer, out);
    if (s->kind == STMT_COPY)
        print_word(" from ", s->pointer2, out);
}

static void print_parallel(const struct tree_stmt *s, uint32_t indent, struct text *out)
{
    text_add(out, "parallel ");
    tree_print_var(s->var, out);
    text_add(out, " of ");
    tree_print_var(s->var2, out);
    if (s->count)
        print_word(" = ", s->count, out);
    print_body(s->body, indent, out);
}

static void print_stmt(const struct tree_stmt *s, uint32_t indent, struct text *out)
{
    switch (s->kind) {
    case STMT_BLOCK:
    case STMT_KIND_COUNT:
        break;
    case STMT_ASSIGN:
        tree_print_var(s->var, out);
        print_word(" = ", s->value, out);
        break;
    case STMT_STORE:
    case STMT_REDUCE:
        if (s->kind == STMT_REDUCE && s->atomic)
            text_add(out, "atomic ");
        tree_print_element(s->pointer, s->index, s->value->type, out);
        text_printf(out, " %s ", s->kind == STMT_STORE ? "=" : wcr_names[s->wcr]);
        expr_print(s->value, out);
        break;
    case STMT_UPDATE:
        print_update(s, indent, out);
        break;
    case STMT_FOR:
        print_for(s, indent, out);
        break;
    case STMT_WHILE:
        print_word("while ", s->value, out);
        print_body(s->body, indent, out);
        break;
    case STMT_DO:
        text_add(out, "do");
        print_body(s->body, indent, out);
        print_word(" while ", s->value, out);
        break;
    case STMT_IF:
        print_if(s, indent, out);
        break;
    case STMT_BREAK:
        text_add(out, "break");
        break;
    case STMT_CONTINUE:
        text_add(out, "continue");
        break;
    case STMT_LABEL:
        tree_print_name(s->label->name, s->label->id, s->label->again, out);
        text_addc(out, ':');
        break;
    case STMT_GOTO:
        text_add(out, "goto ");
        tree_print_name(s->label->name, s->label->id, s->label->again, out);
        break;
    case STMT_ALLOC:
        print_alloc(s, out);
        break;
    case STMT_FREE:
        text_add(out, "free ");
        tree_print_var(s->var, out);
        break;
    case STMT_COPY:
    case STMT_ZERO:
        print_memory(s, out);
        break;
    case STMT_CALL:
        if (s->var) {
            tree_print_var(s->var, out);
            text_add(out, " = ");
        }
        if (s->pointer)
            text_add(out, "callback ");
        text_add(out, s->name);
        tree_print_args((const struct tree_expr *const *)s->args, s->num_args, out);
        break;
    case STMT_PARALLEL:
        print_parallel(s, indent, out);
        break;
    case STMT_BARRIER:
        text_add(out, "barrier");
        break;
    case STMT_CRITICAL:
        text_add(out, "critical");
        print_body(s->body, indent, out);
        break;
    case STMT_RETURN:
        text_add(out, "return");
        break;
    }
}

void stmt_print(const struct tree_stmt *s, uint32_t indent, struct text *out)
{
    if (s->kind == STMT_BLOCK) {
        for (uint32_t i = 0; i < s->items.count; i++)
            stmt_print(s->items.items[i], indent, out);
        return;
    }
    print_indent(indent, out);
    print_stmt(s, indent, out);
    text_addc(out, '\n');
}

void tree_print(const struct tree *t, struct text *out)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        const struct tree_func *f = t->functions.items[i];
        text_printf(out, "%s%s %s(", i ? "\n" : "", t->name, f->name);
        for (uint32_t k = 0; k < f->params.count; k++) {
            const struct tree_param *p = &f->params.items[k];
            if (k)
                text_add(out, ", ");
            tree_print_var(p->var, out);
            text_add(out, ": ");
            type_print(p->var->type, out);
        }
        text_add(out, ") {\n");
        stmt_print(f->body, 1, out);
        text_add(out, "}\n");
    }
}
