#include "lower/tree/tree_facts.h"

enum { FIRST_SIZE = 64 }; /* a power of two */

struct kept_fact {
    struct tree_key key;
    enum tree_fact kind;
    void *value; /* NULL: an empty place */
};

struct tree_facts {
    struct kept_fact *slots; /* open addressing */
    uint32_t count, size;
    struct tree_fact_count counts[TREE_FACTS];
};

/* ---- contents ---- */

void tree_key_add(struct tree_key *k, uint64_t word)
{
    k->a = (k->a ^ word) * 0x9e3779b97f4a7c15u;
    k->a ^= k->a >> 29;
    k->b = (k->b + word + 1) * 0xd6e8feb86659fd93u;
    k->b ^= k->b >> 32;
}

void tree_key_pointer(struct tree_key *k, const void *p) { tree_key_add(k, (uintptr_t)p); }

void tree_key_stmt(struct tree_key *k, const struct tree_stmt *s)
{
    const void *const parts[] = { s->var, s->var2, s->pointer, s->index, s->value, s->pointer2, s->mask,   s->begin,
                                  s->end, s->step, s->count,   s->type,  s->label, s->name,     s->callee, s->product };
    unsigned marks = (unsigned)s->atomic | (unsigned)s->zero << 1 | (unsigned)s->isolated << 2 |
                     (unsigned)s->reassociate << 3 | (unsigned)s->loop.independent << 4 |
                     (unsigned)(s->body != NULL) << 5 | (unsigned)(s->otherwise != NULL) << 6;
    tree_key_add(k, (uint64_t)s->kind | (uint64_t)s->where << 8 | (uint64_t)s->wcr << 16 | (uint64_t)marks << 24);
    tree_key_add(k, (uint64_t)s->alias | (uint64_t)s->alias2 << 32);
    tree_key_add(k, (uint64_t)s->slot | (uint64_t)s->items.count << 32);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            tree_key_add(k, (uintptr_t)parts[i] + i);
    for (uint32_t i = 0; i < s->num_args; i++)
        tree_key_pointer(k, s->args[i]);
    if (s->body)
        tree_key_stmt(k, s->body);
    if (s->otherwise)
        tree_key_stmt(k, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        tree_key_stmt(k, s->items.items[i]);
}

/* ---- the table ---- */

static struct kept_fact *slot_of(const struct tree_facts *f, enum tree_fact kind, const struct tree_key *key)
{
    uint32_t at = (uint32_t)key->a & (f->size - 1);
    for (;; at = (at + 1) & (f->size - 1)) {
        struct kept_fact *k = &f->slots[at];
        if (!k->value || (k->kind == kind && k->key.a == key->a && k->key.b == key->b))
            return k;
    }
}

static void grow(struct tree *t, struct tree_facts *f)
{
    struct tree_facts old = *f;
    f->size = old.size ? 2 * old.size : FIRST_SIZE;
    f->slots = NEW_ARRAY(t->arena, struct kept_fact, f->size);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].value)
            *slot_of(f, old.slots[i].kind, &old.slots[i].key) = old.slots[i];
}

void *tree_fact_find(struct tree *t, enum tree_fact kind, const struct tree_key *key)
{
    if (!t->facts) {
        t->facts = NEW(t->arena, struct tree_facts);
        grow(t, t->facts);
    }
    void *value = slot_of(t->facts, kind, key)->value;
    t->facts->counts[kind].asked++;
    t->facts->counts[kind].found += value != NULL;
    return value;
}

void tree_fact_keep(struct tree *t, enum tree_fact kind, const struct tree_key *key, void *value)
{
    struct tree_facts *f = t->facts;
    if (2 * (f->count + 1) > f->size)
        grow(t, f);
    struct kept_fact *k = slot_of(f, kind, key);
    f->count += !k->value;
    *k = (struct kept_fact){ *key, kind, value };
}

struct tree_fact_count tree_fact_count(const struct tree *t, enum tree_fact kind)
{
    return t->facts ? t->facts->counts[kind] : (struct tree_fact_count){ 0 };
}

const char *tree_fact_name(enum tree_fact kind)
{
    static const char *const names[TREE_FACTS] = {
        [TREE_FACT_SCAN] = "variables and labels of functions",
        [TREE_FACT_VARIABLES] = "variables of loops",
        [TREE_FACT_APART] = "iterations that are apart",
    };
    return names[kind];
}
