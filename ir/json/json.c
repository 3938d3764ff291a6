#include "ir/json/json.h"

#include "base/vec.h"

#include <string.h>

enum { MAX_DEPTH = 4000, NODES_PER_BLOCK = 256, SPACE = 2048 };

struct open {
    struct json *value;
    const struct json **tail; /* where the next child is linked */
    uint64_t seen;            /* keys by 6 bits of their marks */
    bool collision;           /* two keys have the same bits */
};

struct parser {
    struct arena *arena;
    struct diags *diags;
    char *text, *end;
    struct json *nodes; /* free nodes */
    uint32_t num_nodes;
    char *space; /* free, for texts that cannot stay where they are */
    size_t space_left;
    VEC(struct open) stack;
};

/* Zeros in front of `at` become the quotes again that ended strings: messages show the line. */
static void restore(struct parser *p, const char *at)
{
    for (char *c = p->text; (c = memchr(c, 0, (size_t)(at - c))); c++)
        *c = '"';
}

static bool fail_as(struct parser *p, const char *at, enum diag_code code, const char *what)
{
    uint32_t line = 1, column = 1;
    restore(p, at);
    for (const char *c = p->text; c < at; c++) {
        column++;
        if (*c == '\n') {
            line++;
            column = 1;
        }
    }
    return diag_error_in(p->diags, NULL, p->text, (size_t)(p->end - p->text), (size_t)(at - p->text), code, line,
                         column, what);
}

static bool fail_at(struct parser *p, const char *at, const char *what)
{
    return fail_as(p, at, DIAG_JSON_SYNTAX, what);
}

static char *fail(struct parser *p, const char *at, const char *what)
{
    fail_at(p, at, at < p->end ? what : "unexpected end of the file");
    return NULL;
}

static char *skip_run_of_blanks(char *c, const char *end)
{
    for (; c < end && (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t'); c++)
        while (end - c > 8 && !memcmp(c + 1, "        ", 8)) /* indentation */
            c += 8;
    return c;
}

static inline char *skip_blanks(char *c, const char *end)
{
    if (c < end && *c == ' ')
        c++;
    return c < end && (unsigned char)*c <= ' ' ? skip_run_of_blanks(c, end) : c;
}

/* ---- strings ---- */

/* `size` bytes and a zero. */
static char *take_space(struct parser *p, size_t size)
{
    if (size >= p->space_left) {
        p->space_left = size >= SPACE ? size + 1 : SPACE;
        p->space = arena_alloc(p->arena, p->space_left);
    }
    char *taken = p->space;
    p->space += size + 1;
    p->space_left -= size + 1;
    return taken;
}

/* Length of the valid UTF-8 sequence at `c` (first byte >= 0x80), or 0. */
static unsigned utf8_length(const char *c, const char *end)
{
    const unsigned char *u = (const unsigned char *)c;
    unsigned length = u[0] >= 0xf0 && u[0] <= 0xf4  ? 4
                      : u[0] >= 0xe0 && u[0] < 0xf0 ? 3
                      : u[0] >= 0xc2 && u[0] < 0xe0 ? 2
                                                    : 0;
    if (!length || (size_t)(end - c) < length)
        return 0;
    for (unsigned i = 1; i < length; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
    bool surrogate = u[0] == 0xed && u[1] >= 0xa0;
    bool beyond = u[0] == 0xf4 && u[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

static bool hex4(const char *c, const char *end, uint32_t *out)
{
    if (end - c < 4)
        return false;
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        char h = c[i];
        uint32_t digit = h >= '0' && h <= '9'   ? (uint32_t)(h - '0')
                         : h >= 'a' && h <= 'f' ? (uint32_t)(h - 'a' + 10)
                         : h >= 'A' && h <= 'F' ? (uint32_t)(h - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        v = v * 16 + digit;
    }
    *out = v;
    return true;
}

static char *put_utf8(char *out, uint32_t u)
{
    if (u < 0x80) {
        *out++ = (char)u;
    } else if (u < 0x800) {
        *out++ = (char)(0xc0 | u >> 6);
        *out++ = (char)(0x80 | (u & 63));
    } else if (u < 0x10000) {
        *out++ = (char)(0xe0 | u >> 12);
        *out++ = (char)(0x80 | (u >> 6 & 63));
        *out++ = (char)(0x80 | (u & 63));
    } else {
        *out++ = (char)(0xf0 | u >> 18);
        *out++ = (char)(0x80 | (u >> 12 & 63));
        *out++ = (char)(0x80 | (u >> 6 & 63));
        *out++ = (char)(0x80 | (u & 63));
    }
    return out;
}

/* At the backslash of an escape; unescaped text is never longer than its source. */
static char *parse_escape(struct parser *p, char *at, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (p->end - at < 2)
        return fail_at(p, p->end, "unexpected end of the file"), NULL;
    char kind = at[1];
    const char *simple = kind ? strchr(from, kind) : NULL;
    if (simple) {
        *(*out)++ = to[simple - from];
        return at + 2;
    }
    uint32_t u, low;
    if (kind != 'u' || !hex4(at + 2, p->end, &u))
        return fail_at(p, at, "invalid escape"), NULL;
    unsigned length = 6;
    if (u >= 0xd800 && u < 0xdc00 && p->end - at >= 12 && at[6] == '\\' && at[7] == 'u' && hex4(at + 8, p->end, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
        length = 12;
    }
    if (u >= 0xd800 && u < 0xe000)
        return fail_at(p, at, "half of a surrogate pair"), NULL;
    if (!u)
        return fail_at(p, at, "NUL character in a string"), NULL;
    *out = put_utf8(*out, u);
    return at + length;
}

/* Bytes in front of the first one of the word at `c` that is a quote, a backslash, a control character or not ASCII; 8:
 * there is none. Differences borrow from bytes behind the first such one only. */
static unsigned plain_bytes(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    uint64_t special = ((quote - ones) | (backslash - ones) | (word - ones * 0x20) | word) & high;
    return special ? (unsigned)__builtin_ctzll(special) / 8 : 8;
}

/* Up to the quote or backslash that comes next in the string that begins at `quote`. NULL on failure. */
static char *skip_text(struct parser *p, const char *quote, char *c)
{
    const char *end = p->end;
    for (;;) {
        uint64_t word;
        unsigned count = 8;
        while (count == 8 && end - c >= 8) {
            memcpy(&word, c, 8);
            count = plain_bytes(word);
            c += count;
        }
        while (count == 8 && c < end && *c != '"' && *c != '\\' && (unsigned char)*c >= 0x20 &&
               (unsigned char)*c < 0x80)
            c++;
        if (c < end && (*c == '"' || *c == '\\'))
            return c;
        unsigned bytes = c < end && (unsigned char)*c >= 0x80 ? utf8_length(c, end) : 0;
        if (!bytes)
            break;
        c += bytes;
    }
    if (c == end)
        return fail_at(p, quote, "string without an end"), NULL;
    return fail_at(p, c, (unsigned char)*c < 0x20 ? "control character in a string" : "invalid UTF-8"), NULL;
}

/* The string from `text` on has its first escape at `at`: it is unescaped into other memory. */
static char *parse_escaped(struct parser *p, char *text, char *at, const char **out, uint32_t *length)
{
    const char *end = at;
    while (end < p->end && *end != '"')
        end += *end == '\\' ? 2 : 1;
    char *unescaped = take_space(p, (size_t)(end - text)), *to = unescaped;
    for (char *from = text; (at = skip_text(p, text - 1, from)); from = at) {
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        if (*at == '"') {
            *out = unescaped;
            *length = (uint32_t)(to - unescaped);
            return at + 1;
        }
        at = parse_escape(p, at, &to);
        if (!at)
            break;
    }
    return NULL;
}

/* At the opening quote; gives the place behind the closing one, or NULL. The text stays where it is: a zero replaces
 * the closing quote. */
static char *parse_string(struct parser *p, char *at, const char **out, uint32_t *length)
{
    char *text = at + 1;
    at = skip_text(p, text - 1, text);
    if (!at)
        return NULL;
    if (*at == '\\')
        return parse_escaped(p, text, at, out, length);
    *out = text;
    *length = (uint32_t)(at - text);
    *at = 0;
    return at + 1;
}

/* ---- other values: each gives the place behind it, or NULL ---- */

static bool is_digit(const struct parser *p, const char *c) { return c < p->end && *c >= '0' && *c <= '9'; }

static char *parse_number(struct parser *p, char *at, struct json *v)
{
    char *c = at;
    v->kind = JSON_INT;
    if (*c == '-')
        c++;
    if (!is_digit(p, c))
        return fail(p, at, "invalid number");
    if (*c == '0' && is_digit(p, c + 1))
        return fail(p, at, "number with a leading zero");
    while (is_digit(p, c))
        c++;
    if (c < p->end && *c == '.') {
        v->kind = JSON_REAL;
        if (!is_digit(p, ++c))
            return fail(p, at, "digit expected after the decimal point");
        while (is_digit(p, c))
            c++;
    }
    if (c < p->end && (*c == 'e' || *c == 'E')) {
        v->kind = JSON_REAL;
        c++;
        if (c < p->end && (*c == '+' || *c == '-'))
            c++;
        if (!is_digit(p, c))
            return fail(p, at, "digit expected in the exponent");
        while (is_digit(p, c))
            c++;
    }
    v->length = (uint32_t)(c - at);
    v->text = memcpy(take_space(p, v->length), at, v->length);
    return c;
}

static char *parse_word(struct parser *p, char *at, struct json *v)
{
    static const struct {
        const char *text;
        enum json_kind kind;
    } words[] = {
        { "null", JSON_NULL }, { "true", JSON_TRUE },     { "false", JSON_FALSE },
        { "NaN", JSON_REAL },  { "Infinity", JSON_REAL }, { "-Infinity", JSON_REAL },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].text);
        if (*at != *words[i].text || (size_t)(p->end - at) < length || memcmp(at, words[i].text, length))
            continue;
        v->kind = words[i].kind;
        if (v->kind == JSON_REAL) {
            v->text = words[i].text;
            v->length = (uint32_t)length;
        }
        return at + length;
    }
    return fail(p, at, "value expected");
}

static struct json *new_node(struct parser *p)
{
    if (!p->num_nodes) {
        p->nodes = NEW_ARRAY(p->arena, struct json, NODES_PER_BLOCK);
        p->num_nodes = NODES_PER_BLOCK;
    }
    p->num_nodes--;
    return p->nodes++;
}

/* ---- objects ---- */

/* The object ends at `end`. */
static bool report_duplicate(struct parser *p, const struct json *second, const char *end)
{
    struct text what = text_new(p->arena);
    text_printf(&what, "key \"%s\" occurs twice in this object", second->key);
    restore(p, end);
    return fail_at(p, p->text + second->offset, text_get(&what));
}

static bool check_many_keys(struct parser *p, const struct json *object, const char *end)
{
    uint32_t size = 64;
    while (size < object->count * 2)
        size *= 2;
    const struct json **table = NEW_ARRAY(p->arena, const struct json *, size);
    for (const struct json *m = object->first; m; m = m->next) {
        uint32_t i = 5381;
        for (const char *c = m->key; *c; c++)
            i = (i ^ (unsigned char)*c) * 0x01000193u;
        for (i = (i ^ i >> 15) & (size - 1); table[i]; i = (i + 1) & (size - 1))
            if (!strcmp(table[i]->key, m->key))
                return report_duplicate(p, m, end);
        table[i] = m;
    }
    return true;
}

/* Python keeps the last of equal keys, other readers the first: a file with equal keys has no clear meaning. */
static bool check_keys(struct parser *p, const struct json *object, const char *end)
{
    if (object->count > 24)
        return check_many_keys(p, object, end);
    for (const struct json *m = object->first; m; m = m->next)
        for (const struct json *other = object->first; other != m; other = other->next)
            if (other->mark == m->mark && !strcmp(other->key, m->key))
                return report_duplicate(p, m, end);
    return true;
}

/* One value that is not a container, or the opening bracket of one, which is pushed. */
static char *parse_value(struct parser *p, char *at, struct json *v)
{
    v->offset = (uint32_t)(at - p->text);
    if (at == p->end)
        return fail(p, at, "value expected");
    switch (*at) {
    case '{':
    case '[':
        if (p->stack.count == MAX_DEPTH)
            return fail_as(p, at, DIAG_JSON_DEPTH, "nesting of more than 4000 levels"), NULL;
        v->kind = *at == '{' ? JSON_OBJECT : JSON_ARRAY;
        vec_push(p->arena, &p->stack, ((struct open){ .value = v, .tail = &v->first }));
        return at + 1;
    case '"':
        v->kind = JSON_STRING;
        return parse_string(p, at, &v->text, &v->length);
    case '-':
        if (p->end - at > 1 && at[1] == 'I')
            return parse_word(p, at, v);
        return parse_number(p, at, v);
    default:
        return *at >= '0' && *at <= '9' ? parse_number(p, at, v) : parse_word(p, at, v);
    }
}

static char *parse_key(struct parser *p, char *at, struct open *o, struct json *v)
{
    uint32_t length;
    if (at == p->end || *at != '"')
        return fail(p, at, "key expected");
    at = parse_string(p, at, &v->key, &length);
    if (!at)
        return NULL;
    v->mark = json_mark(v->key, length);
    uint64_t bit = (uint64_t)1 << (v->mark * 0x9e3779b9u >> 26);
    o->collision |= (o->seen & bit) != 0;
    o->seen |= bit;
    at = skip_blanks(at, p->end);
    if (at == p->end || *at != ':')
        return fail(p, at, "':' expected");
    return skip_blanks(at + 1, p->end);
}

/* Reads what may stand next in the innermost open container: one element with what leads to it, or the end of the
 * container. */
static char *parse_next(struct parser *p, char *at)
{
    struct open *o = &p->stack.items[p->stack.count - 1];
    bool object = o->value->kind == JSON_OBJECT;
    at = skip_blanks(at, p->end);
    if (at < p->end && *at == (object ? '}' : ']')) {
        p->stack.count--;
        return o->collision && !check_keys(p, o->value, at) ? NULL : at + 1;
    }
    if (o->value->count) {
        if (at == p->end || *at != ',')
            return fail(p, at, object ? "',' or '}' expected" : "',' or ']' expected");
        at = skip_blanks(at + 1, p->end);
    }
    struct json *v = new_node(p);
    if (object && !(at = parse_key(p, at, o, v)))
        return NULL;
    *o->tail = v;
    o->tail = &v->next;
    o->value->count++;
    return parse_value(p, at, v);
}

const struct json *json_parse_in_place(struct arena *a, struct diags *d, char *text, size_t size)
{
    struct parser *p = NEW(a, struct parser);
    p->arena = a;
    p->diags = d;
    p->text = text;
    p->end = text + size;
    if (size >= UINT32_MAX)
        return diag_error(d, NULL, DIAG_JSON_SIZE), NULL;
    struct json *root = new_node(p);
    char *at = parse_value(p, skip_blanks(text, p->end), root);
    while (at && p->stack.count)
        at = parse_next(p, at);
    if (!at)
        return NULL;
    at = skip_blanks(at, p->end);
    return at == p->end ? root : (fail(p, at, "text after the end of the value"), NULL);
}

const struct json *json_parse(struct arena *a, struct diags *d, const char *text, size_t size)
{
    return json_parse_in_place(a, d, arena_strndup(a, text, size), size);
}
