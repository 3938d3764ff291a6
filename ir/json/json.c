#include "ir/json/json.h"

#include <string.h>

enum { MAX_DEPTH = 4000, NODES_PER_BLOCK = 256 };

struct open {
    struct json *value;
    const struct json **tail; /* where the next child is linked */
};

struct parser {
    struct arena *arena;
    struct diags *diags;
    const char *text, *at, *end;
    char *strings;      /* free space for unescaped text; as large as the input, which is always enough, and a word */
    struct json *nodes; /* free nodes */
    uint32_t num_nodes;
    uint32_t depth;
    struct open stack[MAX_DEPTH];
};

static bool fail_at(struct parser *p, const char *at, const char *what)
{
    uint32_t line = 1, column = 1;
    for (const char *c = p->text; c < at; c++) {
        column++;
        if (*c == '\n') {
            line++;
            column = 1;
        }
    }
    return diag_error_in(p->diags, NULL, p->text, (size_t)(p->end - p->text), (size_t)(at - p->text), DIAG_JSON_SYNTAX,
                         line, column, what);
}

static bool fail(struct parser *p, const char *what)
{
    return fail_at(p, p->at, p->at < p->end ? what : "unexpected end of the file");
}

static void skip_run_of_blanks(struct parser *p)
{
    const char *c = p->at;
    for (; c < p->end && (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t'); c++)
        while (p->end - c > 8 && !memcmp(c + 1, "        ", 8)) /* indentation */
            c += 8;
    p->at = c;
}

static inline void skip_blanks(struct parser *p)
{
    if (p->at < p->end && (unsigned char)*p->at <= ' ')
        skip_run_of_blanks(p);
}

/* ---- strings ---- */

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
static bool parse_escape(struct parser *p, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (p->end - p->at < 2)
        return fail_at(p, p->end, "unexpected end of the file");
    char kind = p->at[1];
    const char *simple = kind ? strchr(from, kind) : NULL;
    if (simple) {
        *(*out)++ = to[simple - from];
        p->at += 2;
        return true;
    }
    uint32_t u, low;
    if (kind != 'u' || !hex4(p->at + 2, p->end, &u))
        return fail(p, "invalid escape");
    unsigned length = 6;
    if (u >= 0xd800 && u < 0xdc00 && p->end - p->at >= 12 && p->at[6] == '\\' && p->at[7] == 'u' &&
        hex4(p->at + 8, p->end, &low) && low >= 0xdc00 && low < 0xe000) {
        u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
        length = 12;
    }
    if (u >= 0xd800 && u < 0xe000)
        return fail(p, "half of a surrogate pair");
    if (!u)
        return fail(p, "NUL character in a string");
    *out = put_utf8(*out, u);
    p->at += length;
    return true;
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

/* Copies up to the next byte that is not plain text, or the end. */
static const char *copy_plain(const char *c, const char *end, char **out)
{
    while (end - c >= 8) {
        uint64_t word;
        memcpy(&word, c, 8);
        memcpy(*out, &word, 8);
        unsigned count = plain_bytes(word);
        c += count;
        *out += count;
        if (count < 8)
            return c;
    }
    while (c < end && *c != '"' && *c != '\\' && (unsigned char)*c >= 0x20 && (unsigned char)*c < 0x80)
        *(*out)++ = *c++;
    return c;
}

/* At the opening quote. The text is copied, zero-terminated. */
static const char *parse_string(struct parser *p, uint32_t *length)
{
    char *start = p->strings, *out = start;
    const char *quote = p->at++;
    for (;;) {
        const char *c = p->at = copy_plain(p->at, p->end, &out);
        if (c == p->end)
            return fail_at(p, quote, "string without an end"), NULL;
        if (*c == '"')
            break;
        if (*c == '\\') {
            if (!parse_escape(p, &out))
                return NULL;
            continue;
        }
        unsigned bytes = (unsigned char)*c >= 0x80 ? utf8_length(c, p->end) : 0;
        if (!bytes)
            return fail(p, (unsigned char)*c < 0x20 ? "control character in a string" : "invalid UTF-8"), NULL;
        memcpy(out, c, bytes);
        out += bytes;
        p->at += bytes;
    }
    p->at++;
    *out = 0;
    *length = (uint32_t)(out - start);
    p->strings = out + 1;
    return start;
}

/* ---- other values ---- */

static bool is_digit(const struct parser *p, const char *c) { return c < p->end && *c >= '0' && *c <= '9'; }

static bool parse_number(struct parser *p, struct json *v)
{
    const char *c = p->at;
    v->kind = JSON_INT;
    if (*c == '-')
        c++;
    if (!is_digit(p, c))
        return fail(p, "invalid number");
    if (*c == '0' && is_digit(p, c + 1))
        return fail(p, "number with a leading zero");
    while (is_digit(p, c))
        c++;
    if (c < p->end && *c == '.') {
        v->kind = JSON_REAL;
        if (!is_digit(p, ++c))
            return fail(p, "digit expected after the decimal point");
        while (is_digit(p, c))
            c++;
    }
    if (c < p->end && (*c == 'e' || *c == 'E')) {
        v->kind = JSON_REAL;
        c++;
        if (c < p->end && (*c == '+' || *c == '-'))
            c++;
        if (!is_digit(p, c))
            return fail(p, "digit expected in the exponent");
        while (is_digit(p, c))
            c++;
    }
    v->length = (uint32_t)(c - p->at);
    memcpy(p->strings, p->at, v->length);
    p->strings[v->length] = 0;
    v->text = p->strings;
    p->strings += v->length + 1;
    p->at = c;
    return true;
}

static bool parse_word(struct parser *p, struct json *v)
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
        if ((size_t)(p->end - p->at) < length || memcmp(p->at, words[i].text, length))
            continue;
        v->kind = words[i].kind;
        if (v->kind == JSON_REAL) {
            v->text = words[i].text;
            v->length = (uint32_t)length;
        }
        p->at += length;
        return true;
    }
    return fail(p, "value expected");
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

static bool report_duplicate(struct parser *p, const struct json *second)
{
    struct text what = text_new(p->arena);
    text_printf(&what, "key \"%s\" occurs twice in this object", second->key);
    return fail_at(p, p->text + second->offset, text_get(&what));
}

static bool check_many_keys(struct parser *p, const struct json *object)
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
                return report_duplicate(p, m);
        table[i] = m;
    }
    return true;
}

/* Python keeps the last of equal keys, other readers the first: a file with equal keys has no clear meaning. */
static bool check_keys(struct parser *p, const struct json *object)
{
    if (object->count > 24)
        return check_many_keys(p, object);
    uint64_t seen = 0; /* keys by two of their bytes; only a collision is looked at closely */
    for (const struct json *m = object->first; m; m = m->next) {
        uint64_t bit =
            (uint64_t)1 << ((unsigned char)m->key[0] * 7u + (m->key[0] ? (unsigned char)m->key[1] : 0u)) % 64;
        if (seen & bit)
            for (const struct json *other = object->first; other != m; other = other->next)
                if (!strcmp(other->key, m->key))
                    return report_duplicate(p, m);
        seen |= bit;
    }
    return true;
}

/* One value that is not a container, or the opening bracket of one, which is pushed. */
static bool parse_value(struct parser *p, struct json *v)
{
    v->offset = (uint32_t)(p->at - p->text);
    if (p->at == p->end)
        return fail(p, "value expected");
    switch (*p->at) {
    case '{':
    case '[':
        if (p->depth == MAX_DEPTH)
            return fail(p, "nesting is too deep");
        v->kind = *p->at == '{' ? JSON_OBJECT : JSON_ARRAY;
        p->stack[p->depth++] = (struct open){ v, &v->first };
        p->at++;
        return true;
    case '"':
        v->kind = JSON_STRING;
        v->text = parse_string(p, &v->length);
        return v->text;
    case '-':
        if (p->end - p->at > 1 && p->at[1] == 'I')
            return parse_word(p, v);
        return parse_number(p, v);
    default:
        return *p->at >= '0' && *p->at <= '9' ? parse_number(p, v) : parse_word(p, v);
    }
}

static bool parse_key(struct parser *p, struct json *v)
{
    uint32_t length;
    if (p->at == p->end || *p->at != '"')
        return fail(p, "key expected");
    v->key = parse_string(p, &length);
    if (!v->key)
        return false;
    skip_blanks(p);
    if (p->at == p->end || *p->at != ':')
        return fail(p, "':' expected");
    p->at++;
    skip_blanks(p);
    return true;
}

/* Reads what may stand next in the innermost open container: one element with what leads to it, or the end of the
 * container. */
static bool parse_next(struct parser *p)
{
    struct open *o = &p->stack[p->depth - 1];
    bool object = o->value->kind == JSON_OBJECT;
    skip_blanks(p);
    if (p->at < p->end && *p->at == (object ? '}' : ']')) {
        p->at++;
        p->depth--;
        return !object || check_keys(p, o->value);
    }
    if (o->value->count) {
        if (p->at == p->end || *p->at != ',')
            return fail(p, object ? "',' or '}' expected" : "',' or ']' expected");
        p->at++;
        skip_blanks(p);
    }
    struct json *v = new_node(p);
    if (object && !parse_key(p, v))
        return false;
    *o->tail = v;
    o->tail = &v->next;
    o->value->count++;
    return parse_value(p, v);
}

const struct json *json_parse(struct arena *a, struct diags *d, const char *text, size_t size)
{
    struct parser *p = NEW(a, struct parser);
    p->arena = a;
    p->diags = d;
    p->at = p->text = text;
    p->end = text + size;
    if (size >= UINT32_MAX)
        return diag_error(d, NULL, DIAG_JSON_SIZE), NULL;
    p->strings = arena_alloc(a, size + 2 + sizeof(uint64_t));
    skip_blanks(p);
    struct json *root = new_node(p);
    if (!parse_value(p, root))
        return NULL;
    while (p->depth)
        if (!parse_next(p))
            return NULL;
    skip_blanks(p);
    if (p->at != p->end)
        return fail(p, "text after the end of the value"), NULL;
    return root;
}
