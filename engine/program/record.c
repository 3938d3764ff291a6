#include "engine/program/record.h"

#include "base/intern.h"

#include <string.h>

enum mention { NOTHING, NEW_ONE, FIRST_KNOWN };

enum {
    MOST_ARGS = 1 << 20,
    DEEPEST = 4200, /* above what expressions may have (ir/sym/sym.h) */
};

/* True if what it is must follow. */
static bool put_mention(struct record_writer *w, const struct map *known, const void *thing)
{
    uintptr_t number = thing ? (uintptr_t)map_get(known, thing) : 0;
    bytes_put_number(w->out, !thing ? NOTHING : number ? FIRST_KNOWN + number - 1 : NEW_ONE);
    return thing && !number;
}

static void remember(struct record_writer *w, struct map *known, const void *thing)
{
    map_put(w->arena, known, thing, (void *)(uintptr_t)(known->count + 1));
}

/* ---- types ---- */

static void put_optional_text(struct text *out, const char *text)
{
    bytes_put_number(out, text != NULL);
    if (text)
        bytes_put_text(out, text);
}

static void put_fields(struct record_writer *w, const struct type *t)
{
    bytes_put_number(w->out, t->num_fields);
    for (uint32_t i = 0; i < t->num_fields; i++) {
        put_optional_text(w->out, t->fields[i].name);
        put_optional_text(w->out, t->fields[i].length_text);
        record_put_type(w, t->fields[i].type);
    }
}

void record_put_type(struct record_writer *w, const struct type *t)
{
    if (!put_mention(w, &w->types, t))
        return;
    bytes_put_number(w->out, t->kind);
    switch (t->kind) {
    case TYPE_POINTER:
        record_put_type(w, t->elem);
        break;
    case TYPE_VECTOR:
        record_put_type(w, t->elem);
        bytes_put_number(w->out, t->lanes);
        put_optional_text(w->out, t->lanes_text);
        break;
    case TYPE_STRUCT:
        bytes_put_text(w->out, t->name);
        put_fields(w, t);
        break;
    case TYPE_OPAQUE:
        bytes_put_text(w->out, t->name);
        break;
    case TYPE_CALLBACK:
        put_fields(w, t);
        bytes_put_number(w->out, t->num_results);
        for (uint32_t i = 0; i < t->num_results; i++)
            record_put_type(w, t->results[i]);
        break;
    default:
        break;
    }
    remember(w, &w->types, t);
}

static const char *take_optional_text(struct record_reader *r)
{
    return bytes_take_number(&r->bytes, 1) ? bytes_look_text(&r->bytes) : NULL;
}

const char *record_take_name(struct record_reader *r) { return intern(r->ir->names, bytes_look_text(&r->bytes)); }

static const struct type_field *take_fields(struct record_reader *r, uint32_t *count)
{
    *count = (uint32_t)bytes_take_number(&r->bytes, r->bytes.left);
    struct type_field *fields = NEW_ARRAY(r->ir->arena, struct type_field, *count);
    for (uint32_t i = 0; i < *count && !r->bytes.failed; i++) {
        bool named = bytes_take_number(&r->bytes, 1);
        fields[i].name = named ? record_take_name(r) : NULL;
        fields[i].length_text = take_optional_text(r);
        fields[i].type = record_take_type(r);
    }
    return fields;
}

static const struct type *take_callback(struct record_reader *r)
{
    uint32_t num_args;
    const struct type_field *args = take_fields(r, &num_args);
    uint32_t num_results = (uint32_t)bytes_take_number(&r->bytes, r->bytes.left);
    const struct type **results = NEW_ARRAY(r->ir->arena, const struct type *, num_results);
    for (uint32_t i = 0; i < num_results && !r->bytes.failed; i++)
        results[i] = record_take_type(r);
    return r->bytes.failed ? NULL : type_callback(r->ir, args, num_args, results, num_results);
}

static const struct type *take_vector(struct record_reader *r)
{
    const struct type *elem = record_take_type(r);
    uint32_t lanes = (uint32_t)bytes_take_number(&r->bytes, 1 << 20);
    const char *text = take_optional_text(r);
    r->bytes.failed |= !elem || !type_is_basic(elem);
    return r->bytes.failed ? NULL : type_vector(r->ir, elem, lanes, text);
}

static const struct type *take_struct(struct record_reader *r)
{
    uint32_t count;
    const char *name = record_take_name(r);
    const struct type_field *fields = take_fields(r, &count);
    for (uint32_t i = 0; i < count && !r->bytes.failed; i++)
        r->bytes.failed |= !fields[i].name;
    return r->bytes.failed ? NULL : type_struct(r->ir, name, fields, count);
}

static const struct type *new_type(struct record_reader *r)
{
    enum type_kind kind = (enum type_kind)bytes_take_number(&r->bytes, TYPE_COUNT - 1);
    const struct type *elem;
    switch (kind) {
    case TYPE_POINTER:
        elem = record_take_type(r);
        r->bytes.failed |= !elem;
        return elem ? type_pointer(r->ir, elem) : NULL;
    case TYPE_VECTOR:
        return take_vector(r);
    case TYPE_STRUCT:
        return take_struct(r);
    case TYPE_OPAQUE:
        return type_opaque(r->ir, record_take_name(r));
    case TYPE_CALLBACK:
        return take_callback(r);
    default:
        return type_basic(r->ir, kind);
    }
}

/* What stands for a mention: NEW_ONE, or what is known (or NULL) in *out. */
static bool is_new(struct record_reader *r, const void *const *known, uint32_t count, const void **out)
{
    uint64_t n = bytes_take_number(&r->bytes, (uint64_t)count + FIRST_KNOWN - 1);
    if (n == NEW_ONE && r->depth == DEEPEST)
        r->bytes.failed = true;
    *out = n >= FIRST_KNOWN && !r->bytes.failed ? known[n - FIRST_KNOWN] : NULL;
    return n == NEW_ONE && !r->bytes.failed;
}

const struct type *record_take_type(struct record_reader *r)
{
    const void *known;
    if (!is_new(r, r->types.items, r->types.count, &known))
        return known;
    r->depth++;
    const struct type *t = new_type(r);
    r->depth--;
    r->bytes.failed |= !t;
    if (!r->bytes.failed)
        vec_push(r->ir->arena, &r->types, t);
    return r->bytes.failed ? NULL : t;
}

/* ---- expressions ---- */

static bool has_name(enum sym_op op)
{
    return op == SYM_NAME || op == SYM_STRING || op == SYM_SUBSCRIPT || op == SYM_ATTR || op == SYM_CALL;
}

void record_put_sym(struct record_writer *w, const struct sym *s)
{
    if (!put_mention(w, &w->syms, s))
        return;
    bytes_put_number(w->out, s->op);
    record_put_type(w, s->type);
    if (has_name(s->op)) {
        bytes_put_text(w->out, s->name);
    } else if (s->op == SYM_FLOAT) {
        uint64_t bits;
        memcpy(&bits, &s->f, sizeof bits);
        bytes_put_number(w->out, bits);
    } else if (s->op <= SYM_BOOL) {
        bytes_put_signed(w->out, s->i);
        bytes_put_signed(w->out, s->den);
    }
    bytes_put_number(w->out, s->num_args);
    for (uint32_t i = 0; i < s->num_args; i++)
        record_put_sym(w, s->args[i]);
    remember(w, &w->syms, s);
}

/* How many arguments an operation has; ANY: as many as there are, MANY: one or more. */
enum { ANY = -1, MANY = -2 };

static int arity(enum sym_op op)
{
    switch (op) {
    case SYM_SUBSCRIPT:
    case SYM_CALL:
        return ANY;
    case SYM_ADD:
    case SYM_MUL:
    case SYM_MIN:
    case SYM_MAX:
    case SYM_AND:
    case SYM_OR:
        return MANY;
    case SYM_FLOOR:
    case SYM_CEIL:
    case SYM_ABS:
    case SYM_ROUND:
    case SYM_NOT:
    case SYM_BIT_NOT:
    case SYM_CAST:
    case SYM_ATTR:
        return 1;
    case SYM_SELECT:
        return 3;
    default:
        return op < SYM_ADD ? 0 : 2;
    }
}

static const struct sym *take_operation(struct record_reader *r, enum sym_op op, const struct type *type)
{
    const char *name = has_name(op) ? record_take_name(r) : NULL;
    uint32_t count = (uint32_t)bytes_take_number(&r->bytes, r->bytes.left < MOST_ARGS ? r->bytes.left : MOST_ARGS);
    const struct sym **args = NEW_ARRAY(r->ir->arena, const struct sym *, count);
    for (uint32_t i = 0; i < count && !r->bytes.failed; i++) {
        args[i] = record_take_sym(r);
        r->bytes.failed |= !args[i];
    }
    int wanted = arity(op);
    r->bytes.failed |= wanted == MANY ? !count : wanted != ANY && count != (uint32_t)wanted;
    r->bytes.failed |= op == SYM_CAST && (!type || !type_is_basic(type));
    return r->bytes.failed ? NULL : sym_make(r->ir, op, type, name, args, count);
}

static const struct sym *take_number(struct record_reader *r, enum sym_op op)
{
    int64_t i = bytes_take_signed(&r->bytes), den = bytes_take_signed(&r->bytes);
    bytes_take_number(&r->bytes, 0);
    r->bytes.failed |= op == SYM_RATIONAL && (den < 2 || i == INT64_MIN);
    if (r->bytes.failed)
        return NULL;
    return op == SYM_INT ? sym_int(r->ir, i) : op == SYM_BOOL ? sym_bool(r->ir, i != 0) : sym_rational(r->ir, i, den);
}

static const struct sym *take_float(struct record_reader *r)
{
    uint64_t bits = bytes_take_number(&r->bytes, UINT64_MAX);
    double value;
    memcpy(&value, &bits, sizeof value);
    bytes_take_number(&r->bytes, 0);
    return sym_float(r->ir, value);
}

const struct sym *record_take_sym(struct record_reader *r)
{
    const void *known;
    if (!is_new(r, r->syms.items, r->syms.count, &known))
        return known;
    r->depth++;
    enum sym_op op = (enum sym_op)bytes_take_number(&r->bytes, SYM_OP_COUNT - 1);
    const struct type *type = record_take_type(r);
    const struct sym *s = r->bytes.failed   ? NULL
                          : op == SYM_FLOAT ? take_float(r)
                          : op <= SYM_BOOL  ? take_number(r, op)
                                            : take_operation(r, op, type);
    r->depth--;
    r->bytes.failed |= !s;
    if (!r->bytes.failed)
        vec_push(r->ir->arena, &r->syms, s);
    return r->bytes.failed ? NULL : s;
}
