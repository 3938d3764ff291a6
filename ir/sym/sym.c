#include "ir/sym/sym.h"

#include "base/vec.h"
#include "ir/internal.h"
#include "ir/sym/sym_internal.h"

#include <math.h>
#include <string.h>

struct syms *syms_new(struct ir *ir)
{
    struct syms *s = NEW(ir->arena, struct syms);
    s->size = 512;
    s->table = NEW_ARRAY(ir->arena, const struct sym *, s->size);
    return s;
}

/* ---- hash-consing ---- */

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

/* Hashes depend on contents only, never on addresses. */
static uint64_t hash_of(const struct sym *key, const struct sym *const *args, uint64_t contents)
{
    uint64_t h = mix((uint64_t)key->op * 2 + key->raw, contents);
    if (key->type && key->op != SYM_NAME)
        h = mix(h, (uint64_t)key->type->kind + 1);
    for (uint32_t i = 0; i < key->num_args; i++)
        h = mix(h, args[i]->hash);
    return h;
}

static const struct sym **find(const struct syms *t, const struct sym *key, const struct sym *const *args)
{
    uint32_t i = (uint32_t)key->hash & (t->size - 1);
    for (const struct sym *s; (s = t->table[i]); i = (i + 1) & (t->size - 1))
        if (s->hash == key->hash && s->op == key->op && s->num_args == key->num_args && s->i == key->i &&
            s->den == key->den && s->raw == key->raw && (s->type == key->type || s->op == SYM_NAME) &&
            (!s->num_args || !memcmp(s->args, args, s->num_args * sizeof *args)))
            break;
    return &t->table[i];
}

static void grow(struct ir *ir, struct syms *t)
{
    const struct sym **old = t->table;
    uint32_t old_size = t->size;
    t->size *= 2;
    t->table = NEW_ARRAY(ir->arena, const struct sym *, t->size);
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i])
            *find(t, old[i], old[i]->args) = old[i];
}

static bool type_is_whole(const struct type *type) { return !type || type_is_integer(type); }

/* Whether the value is an integer, given that of the arguments. */
static bool is_integer(const struct sym *s)
{
    bool all = true;
    for (uint32_t i = 0; i < s->num_args; i++)
        all = all && s->args[i]->integer;
    switch (s->op) {
    case SYM_INT:
    case SYM_CEIL_DIV:
    case SYM_FLOOR_DIV:
    case SYM_FLOOR:
    case SYM_CEIL:
    case SYM_ROUND:
        return true;
    case SYM_NAME:
    case SYM_CAST:
        return type_is_whole(s->type);
    case SYM_POW:
        return all && s->args[1]->op == SYM_INT && s->args[1]->i >= 0;
    case SYM_SELECT:
        return s->args[1]->integer && s->args[2]->integer;
    case SYM_ADD:
    case SYM_MUL:
    case SYM_MIN:
    case SYM_MAX:
    case SYM_MOD:
    case SYM_ABS:
    case SYM_BIT_AND:
    case SYM_BIT_OR:
    case SYM_BIT_XOR:
    case SYM_BIT_NOT:
    case SYM_SHL:
    case SYM_SHR:
        return all;
    default:
        return false;
    }
}

static const struct sym *intern_node(struct ir *ir, struct sym *key, const struct sym *const *args, uint64_t contents)
{
    struct syms *t = ir->syms;
    key->hash = hash_of(key, args, contents);
    const struct sym **at = find(t, key, args);
    if (*at)
        return *at;
    uint32_t weight = 1;
    uint16_t depth = 0;
    for (uint32_t i = 0; i < key->num_args; i++) {
        weight += args[i]->weight;
        depth = args[i]->depth > depth ? args[i]->depth : depth;
        if (weight > SYM_MAX_WEIGHT || depth >= SYM_MAX_DEPTH) {
            t->too_large++;
            return sym_leaf(ir, SYM_UNDEFINED);
        }
    }
    struct sym *s = arena_alloc(ir->arena, sizeof *s + key->num_args * sizeof *args);
    *s = *key;
    if (key->num_args)
        memcpy(s->args, args, key->num_args * sizeof *args);
    s->id = t->count;
    s->weight = weight;
    s->depth = (uint16_t)(depth + 1);
    s->integer = is_integer(s);
    *at = s;
    if (++t->count * 2 > t->size)
        grow(ir, t);
    return s;
}

const struct sym *sym_node(struct ir *ir, enum sym_op op, const struct type *type, const char *name,
                           const struct sym *const *args, uint32_t num_args)
{
    struct sym key = { .op = op, .type = type, .num_args = num_args };
    for (uint32_t i = 0; i < num_args; i++)
        if (args[i]->op == SYM_UNDEFINED)
            return args[i];
    if (!name)
        return intern_node(ir, &key, args, 0);
    key.name = intern(ir->names, name);
    return intern_node(ir, &key, args, hash_bytes(name, strlen(name), 1));
}

const struct sym *sym_raw(struct ir *ir, enum sym_op op, const struct sym *const *args, uint32_t num_args)
{
    struct sym key = { .op = op, .num_args = num_args, .raw = true };
    return intern_node(ir, &key, args, 0);
}

/* ---- leaves ---- */

const struct sym *sym_leaf(struct ir *ir, enum sym_op op)
{
    struct sym key = { .op = op };
    return intern_node(ir, &key, NULL, 0);
}

const struct sym *sym_typed_int(struct ir *ir, int64_t value, const struct type *type)
{
    struct sym key = { .op = SYM_INT, .type = type };
    key.i = value;
    key.den = 1;
    return intern_node(ir, &key, NULL, (uint64_t)value);
}

const struct sym *sym_int(struct ir *ir, int64_t value)
{
    if (value < 0 || value >= SYM_SMALL_INTS)
        return sym_typed_int(ir, value, NULL);
    const struct sym **small = &ir->syms->small[value];
    if (!*small)
        *small = sym_typed_int(ir, value, NULL);
    return *small;
}

const struct sym *sym_rational(struct ir *ir, int64_t numerator, int64_t denominator)
{
    struct number n;
    if (!number_make(numerator, denominator, &n))
        return sym_div(ir, sym_int(ir, numerator), sym_int(ir, denominator));
    if (n.den == 1)
        return sym_int(ir, n.num);
    struct sym key = { .op = SYM_RATIONAL };
    key.i = n.num;
    key.den = n.den;
    return intern_node(ir, &key, NULL, mix((uint64_t)n.num, (uint64_t)n.den));
}

const struct sym *sym_typed_float(struct ir *ir, double value, const struct type *type)
{
    struct sym key = { .op = SYM_FLOAT, .type = type };
    key.f = value == 0 ? 0.0 : value;
    uint64_t bits;
    memcpy(&bits, &key.f, sizeof bits);
    return intern_node(ir, &key, NULL, bits);
}

const struct sym *sym_float(struct ir *ir, double value)
{
    if (isnan(value))
        return sym_leaf(ir, SYM_NAN);
    if (isinf(value))
        return value > 0 ? sym_leaf(ir, SYM_INFINITY) : sym_neg(ir, sym_leaf(ir, SYM_INFINITY));
    return sym_typed_float(ir, value, NULL);
}

const struct sym *sym_undefined(struct ir *ir) { return sym_leaf(ir, SYM_UNDEFINED); }

const struct sym *sym_bool(struct ir *ir, bool value)
{
    struct sym key = { .op = SYM_BOOL };
    key.i = value;
    return intern_node(ir, &key, NULL, value);
}

const struct sym *sym_name(struct ir *ir, const char *name) { return sym_node(ir, SYM_NAME, NULL, name, NULL, 0); }

const struct sym *sym_typed_name(struct ir *ir, const char *name, const struct type *type)
{
    const struct sym *s = sym_name(ir, name);
    if (type && type_is_whole(s->type)) {
        struct sym *mine = (struct sym *)s; /* identity is the name alone, so every user sees the type */
        mine->type = type;
        mine->integer = type_is_whole(type);
    }
    return s;
}

bool sym_is_boolean(const struct sym *a)
{
    switch (a->op) {
    case SYM_BOOL:
    case SYM_LT:
    case SYM_LE:
    case SYM_EQ:
    case SYM_NE:
    case SYM_AND:
    case SYM_OR:
    case SYM_NOT:
        return true;
    case SYM_NAME:
    case SYM_CAST:
        return a->type && a->type->kind == TYPE_BOOL;
    case SYM_CALL:
        return !strcmp(a->name, "Is") || !strcmp(a->name, "IsNot");
    case SYM_SELECT:
        return sym_is_boolean(a->args[1]) && sym_is_boolean(a->args[2]);
    default:
        return false;
    }
}

/* ---- lists ---- */

void sym_list_init(struct sym_list *l, struct ir *ir)
{
    l->arena = ir->arena;
    l->items = l->small;
    l->count = 0;
    l->capacity = SYM_LIST_INLINE;
}

void sym_list_add(struct sym_list *l, const struct sym *s) { vec_push(l->arena, l, s); }

/* ---- walks ---- */

const struct sym *sym_substitute(struct ir *ir, const struct sym *a, sym_lookup *lookup, void *user)
{
    if (a->op == SYM_NAME) {
        const struct sym *value = lookup(user, a);
        return value ? value : a;
    }
    if (!a->num_args)
        return a;
    struct sym_list args;
    sym_list_init(&args, ir);
    bool changed = false;
    for (uint32_t i = 0; i < a->num_args; i++) {
        sym_list_add(&args, sym_substitute(ir, a->args[i], lookup, user));
        changed = changed || args.items[i] != a->args[i];
    }
    return changed ? sym_make(ir, a->op, a->type, a->name, args.items, args.count) : a;
}

void sym_visit_names(const struct sym *a, void (*visit)(void *user, const struct sym *name), void *user)
{
    if (a->op == SYM_NAME || a->op == SYM_SUBSCRIPT)
        visit(user, a);
    for (uint32_t i = 0; i < a->num_args; i++)
        sym_visit_names(a->args[i], visit, user);
}

bool sym_mentions(const struct sym *a, const char *name)
{
    if ((a->op == SYM_NAME || a->op == SYM_SUBSCRIPT) && a->name == name)
        return true;
    for (uint32_t i = 0; i < a->num_args; i++)
        if (sym_mentions(a->args[i], name))
            return true;
    return false;
}

bool sym_has_undefined(const struct sym *a) { return a->op == SYM_UNDEFINED; }

/* ---- constructors by operation ---- */

const struct sym *sym_make(struct ir *ir, enum sym_op op, const struct type *type, const char *name,
                           const struct sym *const *args, uint32_t num_args)
{
    for (uint32_t i = 0; i < num_args; i++)
        if (args[i]->op == SYM_UNDEFINED)
            return args[i];
    switch (op) {
    case SYM_NAME:
        return type ? sym_typed_name(ir, name, type) : sym_name(ir, name);
    case SYM_ADD:
        return num_args == 2 ? sym_add(ir, args[0], args[1]) : sym_sum(ir, args, num_args);
    case SYM_MUL:
        return num_args == 2 ? sym_mul(ir, args[0], args[1]) : sym_product(ir, args, num_args);
    case SYM_MIN:
    case SYM_MAX:
        return sym_min_max(ir, op, args, num_args);
    case SYM_AND:
    case SYM_OR:
        return sym_and_or(ir, op, args, num_args);
    case SYM_POW:
        return sym_power(ir, args[0], args[1]);
    case SYM_FLOOR_DIV:
        return sym_floor_div(ir, args[0], args[1]);
    case SYM_CEIL_DIV:
        return sym_ceil_div(ir, args[0], args[1]);
    case SYM_MOD:
        return sym_mod(ir, args[0], args[1]);
    case SYM_FLOOR:
    case SYM_CEIL:
    case SYM_ROUND:
        return sym_round_to(ir, op, args[0]);
    case SYM_ABS:
        return sym_abs(ir, args[0]);
    case SYM_NOT:
        return sym_not(ir, args[0]);
    case SYM_LT:
    case SYM_LE:
    case SYM_EQ:
    case SYM_NE:
        return sym_comparison(ir, op, args[0], args[1]);
    case SYM_BIT_AND:
    case SYM_BIT_OR:
    case SYM_BIT_XOR:
    case SYM_BIT_NOT:
    case SYM_SHL:
    case SYM_SHR:
        return sym_bits(ir, op, args);
    case SYM_SELECT:
        return sym_select(ir, args);
    case SYM_CAST:
        return sym_cast(ir, type, args[0]);
    default:
        return sym_node(ir, op, NULL, name, args, num_args);
    }
}
