#include "lower/tree/tree_rows.h"

#include "lower/tree/tree_callee.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

const struct expr_row expr_rows[EXPR_OP_COUNT] = {
#define EXPR(op, text, precedence, form, compares, make, check)                                                        \
    { text, PRECEDENCE_##precedence, FORM_##form, PAYLOAD_##compares, MAKE_##make },
#include "lower/tree/exprs.def"
};

const struct stmt_row stmt_rows[STMT_KIND_COUNT] = {
#define STMT(kind, emit, form, result, flags) { #kind, form, RESULT_##result, flags },
#include "lower/tree/stmts.def"
};

static const struct form_field fields[] = {
#define FORM(name, role, member) { #name, ROLE_##role, offsetof(struct tree_stmt, member) },
#include "lower/tree/form.def"
};

const char *const tree_wcr_words[] = { "=",   "+=", "*=", "min=", "max=",      "&&=",    "||=",
                                       "^^=", "&=", "|=", "^=",   "exchange=", "custom=" };
const char *const tree_where_words[] = { "heap", "stack", "state", "device", "pinned", "shared" };
const char *const tree_level_words[] = { "", "grid", "block", "warp", "persistent", "column" };
const char *const tree_direction_words[] = { "in", "out", "within" };
const char *const tree_thread_words[] = {
    "threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z", "blockDim.x",
    "blockDim.y",  "blockDim.z",  "gridDim.x",   "gridDim.y",  "gridDim.z",  "laneIdx",    "warpIdx",
};
const char *const tree_omp_words[] = { "", "dynamic", "guided" };
const char *const tree_vectors_words[] = { "", "whole", "masked" };

/* The piece at `*at`, which is moved behind it; false at the end. */
static bool next_piece(const char **at, struct form_piece *piece)
{
    const char *text = *at;
    *piece = (struct form_piece){ .first = *text == ' ' };
    text += *text == ' ';
    if (!*text)
        return false;
    bool named = *text == '$' || *text == '?';
    piece->flag = *text == '?';
    piece->text = text + named;
    const char *end = piece->text;
    if (named)
        while (isalnum((unsigned char)*end))
            end++;
    else
        end += strcspn(end, " $");
    piece->length = (size_t)(end - piece->text);
    for (size_t i = 0; named && i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].name) == piece->length && !strncmp(fields[i].name, piece->text, piece->length))
            piece->field = &fields[i];
    *at = end;
    return true;
}

static struct stmt_form forms[STMT_KIND_COUNT];
static pthread_once_t forms_once = PTHREAD_ONCE_INIT;

static void take_forms_apart(void)
{
    for (int kind = 0; kind < STMT_KIND_COUNT; kind++) {
        const char *at = stmt_rows[kind].form;
        while (next_piece(&at, &forms[kind].pieces[forms[kind].count]))
            forms[kind].count++;
    }
}

const struct stmt_form *stmt_form(enum stmt_kind kind)
{
    pthread_once(&forms_once, take_forms_apart);
    return &forms[kind];
}

static const struct type *letter_type(struct ir *ir, char letter)
{
    return letter == 'l'   ? type_basic(ir, TYPE_I64)
           : letter == 'i' ? type_basic(ir, TYPE_I32)
           : letter == 'd' ? type_basic(ir, TYPE_F64)
           : letter == 'f' ? type_basic(ir, TYPE_F32)
                           : NULL;
}

const struct type *stmt_result_type(struct ir *ir, const struct tree_stmt *s, const struct type *element)
{
    const struct tree_callee *callee;
    switch (stmt_rows[s->kind].result) {
    case RESULT_VALUE:
        return s->value->type;
    case RESULT_ELEMENT:
        return element;
    case RESULT_BEGIN:
        return s->begin->type;
    case RESULT_POINTER:
        return type_pointer(ir, s->type);
    case RESULT_CALL:
        callee = stmt_callee(s);
        return callee->signature ? letter_type(ir, *callee->signature) : NULL;
    case RESULT_I64:
        return type_basic(ir, TYPE_I64);
    default:
        return NULL;
    }
}

void *form_pointer(const struct tree_stmt *s, const struct form_field *f)
{
    switch (f->role) {
    case ROLE_WHERE:
    case ROLE_HELD:
    case ROLE_LEVEL:
    case ROLE_DIRECTION:
    case ROLE_SLOT:
    case ROLE_WCR:
    case ROLE_LOOP:
    case ROLE_FLAG:
        return NULL;
    default:
        return *(void *const *)form_member(s, f);
    }
}
