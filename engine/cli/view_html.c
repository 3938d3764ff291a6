#include "engine/cli/view_page.h"

#include "ir/json/json.h"

#include <stdlib.h>
#include <zlib.h>

/* engine/cli/viewer/, by cmake/embed.cmake: the page until the data, and from there on. */
extern const unsigned char viewer_head[], viewer_tail[];
extern const unsigned long viewer_head_size, viewer_tail_size;

static void add_base64(struct text *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        unsigned bits = bytes[i] << 16 | (n > 1 ? bytes[i + 1] << 8 : 0) | (n > 2 ? bytes[i + 2] : 0);
        text_addc(out, digits[bits >> 18]);
        text_addc(out, digits[bits >> 12 & 63]);
        text_addc(out, n > 1 ? digits[bits >> 6 & 63] : '=');
        text_addc(out, n > 2 ? digits[bits & 63] : '=');
    }
}

/* What the specialization looks like, or the error instead: the graph can be looked at in any case. */
static void add_emitted(struct json_writer *w, const char *key, const struct inputs *in, enum sdfg_emit what)
{
    char *text;
    sdfg_error *e = sdfg_args_emit(&text, NULL, in->args, what);
    json_write_string(w, key, e ? what == SDFG_EMIT_TREE ? sdfg_error_text(e) : "" : text);
    sdfg_error_free(e);
    sdfg_text_free(text);
}

static void add_raw(struct text *out, const char *key, const char *json, size_t size)
{
    text_printf(out, ",\"%s\":", key);
    text_addn(out, json, size);
}

bool view_html(struct text *out, const struct inputs *in, const char *sdfg, size_t size, const char *report)
{
    struct text data = text_new(out->arena);
    struct json_writer w = { .out = &data };
    json_begin(&w, NULL, '{');
    json_write_string(&w, "name", sdfg_program_name(in->program));
    add_emitted(&w, "tree", in, SDFG_EMIT_TREE);
    add_emitted(&w, "remarks", in, SDFG_EMIT_REMARKS);
    add_raw(&data, "sdfg", sdfg, size);
    add_raw(&data, "report", report ? report : "null", strlen(report ? report : "null"));
    json_end(&w, '}');

    uLongf packed = compressBound(data.length);
    unsigned char *bytes = malloc(packed);
    bool good =
        bytes && compress2(bytes, &packed, (const Bytef *)text_get(&data), data.length, Z_BEST_COMPRESSION) == Z_OK;
    if (good) {
        text_addn(out, (const char *)viewer_head, viewer_head_size);
        add_base64(out, bytes, packed);
        text_addn(out, (const char *)viewer_tail, viewer_tail_size);
    }
    free(bytes);
    return good;
}
