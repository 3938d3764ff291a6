#include "ir/python/ast.h"

#include "base/text.h"

#include <iconv.h>
#include <string.h>
#include <strings.h>

/* The encoding that a comment in one of the first two lines declares: "coding[:=]\s*([-\w.]+)". */
static const char *declared(struct arena *a, const char *text, size_t length)
{
    size_t at = 0;
    for (int line = 0; line < 2 && at < length; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t stop = end ? (size_t)(end - text) : length;
        size_t i = at;
        while (i < stop && (text[i] == ' ' || text[i] == '\t' || text[i] == '\f'))
            i++;
        if (i < stop && text[i] != '#' && text[i] != '\r')
            return NULL;
        for (; i + 7 < stop; i++) {
            if (memcmp(text + i, "coding", 6) != 0 || (text[i + 6] != ':' && text[i + 6] != '='))
                continue;
            size_t begin = i + 7;
            while (begin < stop && (text[begin] == ' ' || text[begin] == '\t'))
                begin++;
            size_t n = strspn(text + begin, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
            if (n)
                return arena_strndup(a, text + begin, n);
        }
        at = stop + 1;
    }
    return NULL;
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(name, *list) == 0)
            return true;
    return false;
}

/* Behind a byte order mark CPython takes "utf-8" with "_" for "-" and "utf-8-..." only, not "utf8". */
static bool spelt_utf8(const char *name)
{
    return strncasecmp(name, "utf", 3) == 0 && (name[3] == '-' || name[3] == '_') && name[4] == '8' &&
           (!name[5] || name[5] == '-' || name[5] == '_');
}

/* The first byte that is no UTF-8, or the length. */
static size_t not_utf8(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < length;) {
        uint32_t n = s[i] < 0x80 ? 1 : s[i] < 0xc2 ? 0 : s[i] < 0xe0 ? 2 : s[i] < 0xf0 ? 3 : s[i] < 0xf5 ? 4 : 0;
        if (n == 0 || n > length - i)
            return i;
        for (uint32_t k = 1; k < n; k++)
            if ((s[i + k] & 0xc0) != 0x80)
                return i;
        if ((s[i] == 0xe0 && s[i + 1] < 0xa0) || (s[i] == 0xed && s[i + 1] >= 0xa0) ||
            (s[i] == 0xf0 && s[i + 1] < 0x90) || (s[i] == 0xf4 && s[i + 1] >= 0x90))
            return i;
        i += n;
    }
    return length;
}

/* Any other encoding that the C library knows. */
static const char *convert(struct arena *a, const char *name, const char *bytes, size_t length, size_t *decoded,
                           struct py_error *error)
{
    iconv_t c = iconv_open("UTF-8", name);
    size_t room = length * 4 + 16, left = room, in_left = length;
    char *out = arena_alloc(a, room + 1), *at = out, *in = (char *)(uintptr_t)bytes;
    if (c == (iconv_t)-1) {
        *error = (struct py_error){ .message = arena_printf(a, "unknown encoding '%s'", name) };
        return NULL;
    }
    bool good = iconv(c, &in, &in_left, &at, &left) != (size_t)-1;
    iconv_close(c);
    *decoded = (size_t)(at - out);
    if (good)
        return out;
    *error = (struct py_error){ .offset = (uint32_t)(length - in_left),
                                .message = arena_printf(a, "the text is not in encoding '%s'", name) };
    return NULL;
}

const char *py_decode(struct arena *a, const char *bytes, size_t length, size_t *decoded, struct py_error *error)
{
    static const char *const utf8[] = { "utf-8", "utf8", "utf_8", "utf-8-sig", "u8", "ascii", "us-ascii", NULL };
    static const char *const latin1[] = { "latin-1",     "latin1",  "iso-8859-1", "iso8859-1",
                                          "iso-latin-1", "latin_1", "l1",         NULL };
    bool mark = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    bytes += mark ? 3 : 0;
    length -= mark ? 3 : 0;
    const char *name = declared(a, bytes, length);
    *decoded = length;
    if (name && !mark && is_one_of(name, latin1)) {
        struct text t = text_new(a);
        for (size_t i = 0; i < length; i++) {
            unsigned char c = (unsigned char)bytes[i];
            if (c >= 0x80)
                text_addc(&t, (char)(0xc0 | c >> 6));
            text_addc(&t, (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c));
        }
        *decoded = t.length;
        return text_get(&t);
    }
    bool plain = name && is_one_of(name, utf8);
    if (name && (!plain || (mark && !spelt_utf8(name))))
        return mark
                   ? (*error = (struct py_error){ .message = "a byte order mark of UTF-8 with another encoding" }, NULL)
                   : convert(a, name, bytes, length, decoded, error);
    size_t bad = not_utf8(bytes, length);
    if (bad == length)
        return bytes;
    *error = (struct py_error){
        .offset = (uint32_t)bad,
        .message = arena_printf(a, "byte 0x%02x is no UTF-8, and no encoding is declared", (unsigned char)bytes[bad]),
    };
    return NULL;
}
