#include "ir/read/read.h"

#include "base/fatal.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_EXTERNAL_FILES = 256 };

/* ---- gzip ---- */

/* What a member says about its length (modulo 2^32); deflate cannot shrink text to less than a thousandth. */
static size_t expected_size(const char *data, size_t size, uint64_t most)
{
    const unsigned char *end = (const unsigned char *)data + size;
    size_t said = size < 18 ? 0 : end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
    return said < size * 1040 && said < most ? said + 1 : 4096;
}

static const char too_large[] = "too large";

/* NULL, or what is wrong. */
static const char *inflate_all(struct arena *a, z_stream *z, size_t capacity, uint64_t most, unsigned char **text,
                               size_t *size)
{
    *text = arena_alloc(a, capacity);
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            if (capacity > most)
                return too_large;
            capacity = capacity <= most / 2 ? 2 * capacity : (size_t)most + 1;
            unsigned char *larger = arena_alloc(a, capacity);
            memcpy(larger, *text, *size);
            *text = larger;
        }
        z->next_out = *text + *size;
        z->avail_out = (uInt)(capacity - *size);
        int status = inflate(z, Z_NO_FLUSH);
        *size = capacity - z->avail_out;
        if (status == Z_STREAM_END && z->avail_in && z->next_in[0] == 0x1f)
            status = inflateReset(z); /* another member follows */
        else if (status == Z_STREAM_END)
            return NULL;
        if (status != Z_OK)
            return status == Z_BUF_ERROR ? "the data ends early" : z->msg ? z->msg : "damaged data";
    }
}

static void end_inflate(void *z) { inflateEnd(z); }

static char *decompress(struct arena *a, struct diags *d, const char *data, size_t *size, uint64_t most)
{
    z_stream z = { .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)*size };
    unsigned char *text;
    if (*size > UINT32_MAX)
        return diag_error(d, NULL, DIAG_JSON_SIZE), NULL;
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        fatal_memory();
    struct cleanup begun;
    cleanup_push(&begun, end_inflate, &z);
    const char *problem = inflate_all(a, &z, expected_size(data, *size, most), most, &text, size);
    cleanup_pop(&begun);
    inflateEnd(&z);
    if (problem == too_large)
        return diag_error(d, NULL, DIAG_FILE_TEXT_SIZE, (unsigned long long)most), NULL;
    if (problem)
        return diag_error(d, NULL, DIAG_READ_GZIP, problem), NULL;
    return (char *)text;
}

/* Decides between gzip and plain text by the first bytes (format.md 1.1). */
const struct json *sdfg_parse(struct arena *a, struct diags *d, char *text, size_t size,
                              const struct read_limits *limits)
{
    uint64_t most = limits->text_bytes ? limits->text_bytes : READ_BYTES;
    if (size >= 2 && (unsigned char)text[0] == 0x1f && (unsigned char)text[1] == 0x8b) {
        text = decompress(a, d, text, &size, most);
        if (!text)
            return NULL;
    }
    if (size > most)
        return diag_error(d, NULL, DIAG_FILE_TEXT_SIZE, (unsigned long long)most), NULL;
    size_t blank = 0;
    while (blank < size && strchr(" \t\r\n", text[blank]) && text[blank])
        blank++;
    if (blank < size && text[blank] != '{')
        return diag_error(d, NULL, DIAG_READ_CONTENT, (unsigned char)text[blank]), NULL;
    return json_parse_in_place(a, d, text, size);
}

/* ---- the syntax of symbolic texts (format.md 1.3) ---- */

struct sniffer {
    bool is_new, is_old;
};

static bool is_symbolic_key(const char *key)
{
    static const char *const keys[] = { "shape",       "strides", "offset",  "total_size",
                                        "start",       "end",     "volume",  "num_accesses",
                                        "buffer_size", "num_pes", "indices", "symbol_mapping" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static bool is_history(const char *key) { return !strcmp(key, "orig_sdfg") || !strcmp(key, "transformation_hist"); }

/* `symbolic`: strings at this place are symbolic texts. */
static void sniff(struct sniffer *f, const struct json *v, bool symbolic)
{
    if (v->kind == JSON_STRING && symbolic) {
        f->is_new |= sym_text_is_new(v->text);
        f->is_old = f->is_old || sym_text_is_old(v->text);
    } else if (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT) {
        for (const struct json *m = v->first; m && !f->is_new; m = m->next)
            if (!m->key || !is_history(m->key))
                sniff(f, m, m->key ? is_symbolic_key(m->key) || (symbolic && v->kind == JSON_OBJECT) : symbolic);
    }
}

/* Files without any symbol are read by their version: names of constants differ between the two. */
static enum sym_syntax find_syntax(const struct json *root)
{
    struct sniffer f = { 0 };
    sniff(&f, root, false);
    if (f.is_new || f.is_old)
        return f.is_new ? SYM_SYNTAX_NEW : SYM_SYNTAX_OLD;
    const char *version = json_string(json_get(root, "dace_version"));
    bool old = !version || (*version < '2' && version[1] == '.') || !strncmp(version, "2.0.0a1", 7) ||
               !strncmp(version, "2.0.0a2", 7);
    return old ? SYM_SYNTAX_OLD : SYM_SYNTAX_NEW;
}

/* ---- files ---- */

static bool is_since_beta(const struct json *root)
{
    const char *version = json_string(json_get(root, "dace_version"));
    return version && *version >= '2' && strncmp(version, "2.0.0a", 6);
}

static struct sdfg *read_root(struct ir *ir, const struct json *json, const char *folder, const char *top,
                              uint32_t *external, struct nested *parent)
{
    struct reader r = { .ir = ir, .json = json, .folder = folder, .top = top, .external = external };
    r.syntax = find_syntax(json);
    if (!parent) /* DaCe means the same everywhere that it means in the outermost file */
        ir->floored_mod = ir->whole_connectors = is_since_beta(json);
    return read_sdfg(&r, parent, json);
}

struct sdfg *read_external(struct reader *r, struct nested *parent, const char *path)
{
    struct ir *ir = r->ir;
    if (!r->folder || !*r->folder)
        return NULL;
    if (*path != '/')
        path = arena_printf(ir->arena, "%s%s%s", r->folder, r->folder[strlen(r->folder) - 1] == '/' ? "" : "/", path);
    if (access(path, F_OK)) {
        diag_warning(ir->diags, &parent->node.place, DIAG_READ_EXTERNAL, path);
        return NULL;
    }
    if (++*r->external > MOST_EXTERNAL_FILES)
        return diag_error(ir->diags, &parent->node.place, DIAG_READ_EXTERNAL_COUNT, MOST_EXTERNAL_FILES, path), NULL;
    const struct read_limits *l = &ir->limits;
    const char *why = "external files are not allowed (option external_files)";
    const char *within = l->external == READ_EXTERNAL_FOLDER ? r->top : NULL;
    uint64_t most = l->file_bytes ? l->file_bytes : READ_BYTES;
    size_t size;
    char *text = l->external == READ_EXTERNAL_NONE
                     ? NULL
                     : file_read_named(ir->arena, ir->diags, path, within, &size, most, &why);
    if (!text && why)
        diag_error(ir->diags, &parent->node.place, DIAG_READ_EXTERNAL_REFUSED, path, why);
    const struct json *json = text ? sdfg_parse(ir->arena, ir->diags, text, size, l) : NULL;
    if (!json)
        return NULL;
    const char *folder = arena_strndup(ir->arena, path, (size_t)(strrchr(path, '/') - path));
    return read_root(ir, json, *folder ? folder : "/", r->top, r->external, parent);
}

struct sdfg *sdfg_read_json(struct ir *ir, const struct json *json, const char *folder, uint32_t *external)
{
    uint32_t errors = diags_errors(ir->diags);
    *external = 0;
    struct sdfg *s = read_root(ir, json, folder, folder, external, NULL);
    return diags_errors(ir->diags) == errors ? s : NULL;
}

struct sdfg *sdfg_read(struct ir *ir, const char *text, size_t size, const char *folder)
{
    uint32_t external;
    const struct json *json = sdfg_parse(ir->arena, ir->diags, arena_strndup(ir->arena, text, size), size, &ir->limits);
    return json ? sdfg_read_json(ir, json, folder, &external) : NULL;
}

/* ---- parts of files ---- */

static struct reader part_reader(struct sdfg *s)
{
    return (struct reader){ .ir = s->ir, .root = s, .sdfg = s, .syntax = SYM_SYNTAX_NEW };
}

struct container *sdfg_read_container(struct sdfg *s, const char *name, const struct json *record)
{
    struct reader r = part_reader(s);
    return read_container(&r, &s->region.block.place, intern(s->ir->names, name), record);
}

const struct type *sdfg_read_type(struct sdfg *s, const struct json *record)
{
    struct reader r = part_reader(s);
    return read_type(&r, record);
}
