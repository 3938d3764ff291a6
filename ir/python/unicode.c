#include "ir/python/unicode.h"

#include "base/arena.h"
#include "base/vec.h"

/* What the rows of unicode.def mean; each table is sorted. */
static const struct character_range {
    uint32_t first, last, value;
} names[] = {
/* NAME(first, last, value): characters of names; 2 if a name may begin with them */
#define NAME(first, last, value) { first, last, value },
#include "ir/python/unicode.def"
}, classes[] = {
/* CLASS(first, last, class): canonical combining classes */
#define CLASS(first, last, value) { first, last, value },
#include "ir/python/unicode.def"
};

/* SPLIT(first, last, at, part): characters with a compatible decomposition: their `lengths` begin at `at`, their
 * `parts` at `part` */
static const struct split {
    uint32_t first, last;
    uint16_t at, part;
} splits[] = {
#define SPLIT(first, last, at, part) { first, last, at, part },
#include "ir/python/unicode.def"
};

static const uint8_t lengths[] = {
#define LENGTHS
#include "ir/python/unicode.def"
};

static const uint32_t parts[] = {
#define PARTS
#include "ir/python/unicode.def"
};

/* JOIN(a, b, c): a followed by b is c */
static const struct join {
    uint32_t first, second, joined;
} joins[] = {
#define JOIN(first, second, joined) { first, second, joined },
#include "ir/python/unicode.def"
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Hangul syllables are composed by arithmetic: of a leading consonant, a vowel, and maybe a trailing consonant. */
enum { HANGUL = 0xac00, LEAD = 0x1100, VOWEL = 0x1161, TRAIL = 0x11a7, LEADS = 19, VOWELS = 21, TRAILS = 28 };

uint32_t py_character(const char *text, size_t left, uint32_t *length)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
    *length = 1;
    if (n == 0 || n > left)
        return 0xfffd;
    uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (uint32_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0xfffd;
        c = c << 6 | (s[i] & 0x3f);
    }
    *length = n;
    return c;
}

void py_add_character(struct text *t, uint32_t c)
{
    if (c < 0x80) {
        text_addc(t, (char)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; /* bytes behind the first */
    text_addc(t, (char)((0xff00 >> (more + 1) & 0xff) | c >> 6 * more));
    while (more--)
        text_addc(t, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

static uint32_t value_in(const struct character_range *table, size_t count, uint32_t c)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && table[low].first <= c ? table[low].value : 0;
}

bool py_in_name(uint32_t c) { return value_in(names, COUNT(names), c) > 0; }
bool py_starts_name(uint32_t c) { return value_in(names, COUNT(names), c) == 2; }

typedef VEC(uint32_t) characters;

static void decompose(struct arena *a, characters *out, uint32_t c)
{
    if (c >= HANGUL && c < HANGUL + LEADS * VOWELS * TRAILS) {
        uint32_t index = c - HANGUL;
        vec_push(a, out, LEAD + index / (VOWELS * TRAILS));
        vec_push(a, out, VOWEL + index / TRAILS % VOWELS);
        if (index % TRAILS)
            vec_push(a, out, TRAIL + index % TRAILS);
        return;
    }
    size_t low = 0, high = COUNT(splits);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (splits[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == COUNT(splits) || splits[low].first > c) {
        vec_push(a, out, c);
        return;
    }
    const uint8_t *length = lengths + splits[low].at;
    const uint32_t *part = parts + splits[low].part;
    for (uint32_t k = splits[low].first; k < c; k++)
        part += *length++;
    for (uint32_t i = 0; i < *length; i++)
        vec_push(a, out, part[i]);
}

/* Marks that follow a character in the order of their classes. */
static void sort_marks(characters *text)
{
    for (uint32_t i = 1; i < text->count; i++) {
        uint32_t c = text->items[i], class = value_in(classes, COUNT(classes), c), k = i;
        for (; class && k && value_in(classes, COUNT(classes), text->items[k - 1]) > class; k--)
            text->items[k] = text->items[k - 1];
        text->items[k] = c;
    }
}

/* The character for two that follow each other, 0 if there is none. */
static uint32_t joined(uint32_t first, uint32_t second)
{
    if (first - LEAD < LEADS && second - VOWEL < VOWELS)
        return HANGUL + ((first - LEAD) * VOWELS + second - VOWEL) * TRAILS;
    if (first - HANGUL < LEADS * VOWELS * TRAILS && (first - HANGUL) % TRAILS == 0 && second - TRAIL - 1 < TRAILS - 1)
        return first + second - TRAIL;
    size_t low = 0, high = COUNT(joins);
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct join *j = &joins[middle];
        if (j->first < first || (j->first == first && j->second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT(joins) && joins[low].first == first && joins[low].second == second ? joins[low].joined : 0;
}

/* Marks join the character before them unless one of their class stands between. */
static void compose(characters *text)
{
    uint32_t count = 0, last_class = 0;
    int64_t base = -1;
    for (uint32_t i = 0; i < text->count; i++) {
        uint32_t c = text->items[i], class = value_in(classes, COUNT(classes), c);
        bool touches = base >= 0 && (base == (int64_t)count - 1 || last_class < class);
        uint32_t one = touches ? joined(text->items[base], c) : 0;
        if (one) {
            text->items[base] = one;
            continue;
        }
        if (!class)
            base = count;
        last_class = class;
        text->items[count++] = c;
    }
    text->count = count;
}

const char *py_normal_name(struct arena *a, const char *name, size_t length, size_t *normal_length)
{
    characters text = { 0 };
    for (size_t at = 0; at < length;) {
        uint32_t n;
        decompose(a, &text, py_character(name + at, length - at, &n));
        at += n;
    }
    sort_marks(&text);
    compose(&text);
    struct text out = text_new(a);
    for (uint32_t i = 0; i < text.count; i++)
        py_add_character(&out, text.items[i]);
    *normal_length = out.length;
    return text_get(&out);
}
