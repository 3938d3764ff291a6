/* Words, numbers, names and types of the text of a tree. */
#include "lower/tree/tree_read.h"

#include "base/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool read_missing(struct tree_reader *r, const char *what)
{
    if (!r->furthest || r->at > r->furthest) {
        r->furthest = r->at;
        r->missing = what;
    }
    return false;
}

bool read_too_deep(struct tree_reader *r) { return r->depth > TREE_READ_DEPTH && !read_missing(r, "less nesting"); }

void read_skip(struct tree_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool read_accept(struct tree_reader *r, const char *token)
{
    size_t length = strlen(token);
    read_skip(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, token, length) != 0)
        return false;
    if (in_word(token[length - 1]) && r->at + length < r->end && in_word(r->at[length]))
        return false;
    r->at += length;
    return true;
}

bool read_expect(struct tree_reader *r, const char *token)
{
    if (read_accept(r, token))
        return true;
    return read_missing(r, arena_printf(r->tree->arena, "'%s'", token));
}

const char *read_word(struct tree_reader *r, bool *quoted)
{
    read_skip(r);
    const char *start = r->at, *end = start;
    *quoted = start < r->end && *start == '`';
    if (*quoted) {
        for (end = ++start; end < r->end && *end != '`' && *end != '\n';)
            end++;
        if (end == r->end || *end != '`' || end == start)
            return NULL;
        r->at = end + 1;
    } else {
        if (start == r->end || !(isalpha((unsigned char)*start) || *start == '_'))
            return NULL;
        while (end < r->end && (in_word(*end) || (*end == '.' && end + 1 < r->end && in_word(end[1]))))
            end++;
        r->at = end;
    }
    return intern(r->tree->ir->names, arena_strndup(r->tree->arena, start, (size_t)(end - start)));
}

bool read_number(struct tree_reader *r, int64_t least, int64_t most, int64_t *out)
{
    char digits[24];
    size_t length = 0;
    read_skip(r);
    const char *start = r->at;
    bool negative = start < r->end && *start == '-';
    for (const char *c = start + negative; c < r->end && isdigit((unsigned char)*c) && length < sizeof digits - 2; c++)
        digits[length++] = *c;
    digits[length] = '\0';
    unsigned long long value = length < 20 ? strtoull(digits, NULL, 10) : UINT64_MAX;
    *out = negative ? -(int64_t)value : (int64_t)value;
    if (!length || value > INT64_MAX || *out < least || *out > most)
        return read_missing(r, "a number in range");
    r->at += negative + length;
    return true;
}

bool read_tree_name(struct tree_reader *r, const char **name, bool *again, uint32_t *id, const char **key)
{
    bool quoted;
    int64_t number = 0;
    *name = read_word(r, &quoted);
    if (!*name)
        return read_missing(r, "a name");
    *again = r->at < r->end && *r->at == '#';
    if (*again) {
        r->at++;
        if (!read_number(r, 0, TREE_READ_NUMBER, &number))
            return false;
    }
    *id = (uint32_t)number;
    *key = *again ? intern(r->tree->ir->names, arena_printf(r->tree->arena, "%s#%u", *name, *id)) : *name;
    return true;
}

/* ---- types ---- */

static const struct type *pointers_to(struct tree_reader *r, const struct type *type)
{
    while (type && r->at < r->end && *r->at == '*') {
        r->at++;
        type = type_pointer(r->tree->ir, type);
    }
    return type;
}

/* vec<float64,4>, vec<float64,N>, vec<float64,vscale*2> */
static const struct type *read_vector(struct tree_reader *r)
{
    bool quoted;
    int64_t lanes = 0;
    const char *text = NULL;
    const struct type *elem = read_expect(r, "<") ? read_tree_type(r) : NULL;
    if (!elem || !read_expect(r, ","))
        return NULL;
    if (!type_is_basic(elem)) {
        read_missing(r, "a vector of numbers");
        return NULL;
    }
    bool scalable = read_accept(r, "vscale");
    if (scalable && (!read_expect(r, "*") || !read_number(r, 1, 4096, &lanes)))
        return NULL;
    if (scalable)
        return read_expect(r, ">") ? type_scalable(r->tree->ir, elem, (uint32_t)lanes) : NULL;
    if (r->at < r->end && !isdigit((unsigned char)*r->at))
        text = read_word(r, &quoted);
    else if (!read_number(r, 1, 4096, &lanes))
        return NULL;
    return read_expect(r, ">") ? type_vector(r->tree->ir, elem, (uint32_t)lanes, text) : NULL;
}

/* callback(int32, float64*) -> float64 */
static const struct type *read_callback(struct tree_reader *r)
{
    VEC(struct type_field) args = { 0 };
    VEC(const struct type *) results = { 0 };
    struct arena *a = r->tree->arena;
    if (!read_expect(r, "("))
        return NULL;
    while (!read_accept(r, ")")) {
        if (args.count && !read_expect(r, ","))
            return NULL;
        struct type_field field = { .name = "", .type = read_tree_type(r) };
        if (!field.type)
            return NULL;
        vec_push(a, &args, field);
    }
    for (const char *before = r->at; read_accept(r, results.count ? "," : "->"); before = r->at) {
        const struct type *type = read_tree_type(r);
        if (!type && !results.count)
            return NULL;
        if (!type || (r->at < r->end && *r->at == ':')) { /* the next parameter of a function */
            r->at = before;
            break;
        }
        vec_push(a, &results, type);
    }
    return type_callback(r->tree->ir, args.items, args.count, results.items, results.count);
}

static const struct type *basic_by_name(const struct ir *ir, const char *name)
{
    if (!strcmp(name, "void"))
        return type_basic(ir, TYPE_VOID);
    if (!strcmp(name, type_basic(ir, TYPE_STRING)->name))
        return type_basic(ir, TYPE_STRING);
    const struct type *type = type_by_name(ir, name);
    return type && !strcmp(type->name, name) ? type : NULL;
}

const struct type *read_tree_type(struct tree_reader *r)
{
    bool quoted;
    read_skip(r);
    const char *start = r->at, *word = read_word(r, &quoted);
    const struct type *type = NULL;
    if (r->depth++ > TREE_READ_DEPTH)
        word = NULL;
    if (word && !strcmp(word, "vec") && r->at < r->end && *r->at == '<') {
        type = read_vector(r);
    } else if (word && !strcmp(word, "callback") && r->at < r->end && *r->at == '(') {
        type = read_callback(r);
    } else if (word && !strcmp(word, "struct")) {
        const char *name;
        bool again;
        uint32_t number;
        type = read_tree_name(r, &name, &again, &number, &word) ? map_get(&r->types, word) : NULL;
    } else if (word) {
        type = basic_by_name(r->tree->ir, word);
        type = type ? type : map_get(&r->types, word);
    }
    r->depth--;
    if (!type) {
        r->at = start;
        read_missing(r, "a type");
    }
    return pointers_to(r, type);
}

const struct type *read_basic_type(struct tree_reader *r)
{
    struct tree_reader before = *r;
    bool quoted;
    const char *word = read_word(r, &quoted);
    bool basic = word && !quoted && (basic_by_name(r->tree->ir, word) || !strcmp(word, "vec"));
    r->at = before.at;
    const struct type *type = basic ? read_tree_type(r) : NULL;
    if (type && r->at < r->end && *r->at == '(')
        return type;
    *r = before;
    return NULL;
}

/* ---- constants ---- */

static const struct {
    const char *suffix;
    enum type_kind kind;
} suffixes[] = {
#define TYPE(kind, name, bytes, ctype, suffix) { suffix, TYPE_##kind },
#include "ir/types.def"
#undef TYPE
};

/* Digits, a point, an exponent and a suffix: as far as it may go. */
static size_t literal_length(const struct tree_reader *r, const char *start)
{
    const char *c = start;
    while (c < r->end &&
           (in_word(*c) || *c == '.' ||
            ((*c == '-' || *c == '+') && (c[-1] == 'e') && c + 1 < r->end && isdigit((unsigned char)c[1]))))
        c++;
    return (size_t)(c - start);
}

static struct tree_expr *literal(struct tree *t, enum type_kind kind, const char *digits)
{
    const struct type *type = type_basic(t->ir, kind);
    char *end;
    double value;
    if (type_is_float(type))
        return number_parse(digits, &value) ? expr_float(t, type, value) : NULL;
    if (!type_is_integer(type) || !isdigit((unsigned char)digits[*digits == '-']))
        return NULL;
    long long i = (long long)strtoull(digits, &end, 10);
    return *end ? NULL : expr_int(t, type, i);
}

/* The number and its suffix, of which a part may look like an exponent. */
static struct tree_expr *typed_literal(struct tree *t, char *text, size_t length)
{
    struct tree_expr *e = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !e; i++) {
        size_t n = strlen(suffixes[i].suffix);
        if (!n || n >= length || strcmp(text + length - n, suffixes[i].suffix) != 0)
            continue;
        char last = text[length - n];
        text[length - n] = '\0';
        e = literal(t, suffixes[i].kind, text);
        text[length - n] = last;
    }
    return e;
}

struct tree_expr *read_constant(struct tree_reader *r)
{
    enum { MOST = 400 };
    struct tree *t = r->tree;
    read_skip(r);
    const char *start = r->at, *digits = start + (start < r->end && *start == '-');
    size_t length = literal_length(r, digits) + (size_t)(digits - start);
    if (digits == r->end || length >= MOST ||
        !(isdigit((unsigned char)*digits) ||
          (length - (size_t)(digits - start) >= 3 && (!strncmp(digits, "nan", 3) || !strncmp(digits, "inf", 3)))))
        return NULL;
    char text[MOST];
    memcpy(text, start, length);
    text[length] = '\0';
    bool real = strpbrk(text, ".n") || strchr(text, 'e');
    struct tree_expr *e = typed_literal(t, text, length);
    if (!e)
        e = literal(t, real ? TYPE_F64 : TYPE_I64, text);
    if (e)
        r->at += length;
    return e;
}
