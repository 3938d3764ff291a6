#include "ir/read/read.h"

#include <string.h>

static void read_dimension(struct reader *r, const struct place *at, const struct json *record, struct range *out)
{
    static const char *const keys[] = { "start", "end", "step", "tile" };
    const struct sym **parts[] = { &out->begin, &out->end, &out->step, &out->tile };
    for (int i = 0; i < 4; i++) {
        const struct json *v = json_get(record, keys[i]);
        *parts[i] = read_symbolic(r, at, v);
        if (!*parts[i]) {
            if (i < 2) /* step and tile are 1 wherever they are left out */
                diag_error(r->ir->diags, at, DIAG_READ_MISSING, keys[i]);
            *parts[i] = sym_int(r->ir, 1);
        }
    }
}

void read_subset(struct reader *r, const struct place *at, const struct json *record, struct subset *out)
{
    const char *type = json_string(json_get(record, "type"));
    bool indices = type && !strcmp(type, "Indices");
    if (!type || (strcmp(type, "Range") && !indices)) {
        diag_error(r->ir->diags, at, DIAG_READ_SUBSET, type ? type : "");
        return;
    }
    const struct json *list = read_required(r, at, record, indices ? "indices" : "ranges", JSON_ARRAY);
    if (!list)
        return;
    out->rank = list->count;
    out->dims = NEW_ARRAY(r->ir->arena, struct range, list->count);
    struct range *dim = out->dims;
    for (const struct json *v = list->first; v; v = v->next, dim++) {
        if (!indices) {
            read_dimension(r, at, v, dim);
            continue;
        }
        dim->begin = read_symbolic(r, at, v);
        if (!dim->begin) {
            diag_error(r->ir->diags, at, DIAG_READ_KIND, "indices", "an array of expressions");
            dim->begin = sym_int(r->ir, 0);
        }
        dim->end = dim->begin;
        dim->step = dim->tile = sym_int(r->ir, 1);
    }
}

static struct subset *read_optional_subset(struct reader *r, const struct place *at, const struct json *attributes,
                                           const char *key)
{
    const struct json *v = json_get(attributes, key);
    if (!v || v->kind == JSON_NULL)
        return NULL;
    struct subset *s = NEW(r->ir->arena, struct subset);
    read_subset(r, at, v, s);
    return s;
}

/* 0.9 has `num_accesses`, -1 for dynamic; later files repeat it. */
static void read_volume(struct reader *r, struct memlet *m, const struct place *at, const struct json *attributes)
{
    bool old = !json_get(attributes, "volume");
    m->dynamic = read_flag(r, at, attributes, "dynamic", false);
    m->volume = read_symbolic_at(r, at, attributes, old ? "num_accesses" : "volume", 0);
    if (old && sym_is_int(m->volume, -1)) {
        m->dynamic = true;
        m->volume = sym_int(r->ir, 0);
    }
}

static void read_wcr(struct reader *r, struct memlet *m, const struct place *at, const struct json *attributes)
{
    const char *text = read_string(r, at, attributes, "wcr", NULL);
    m->wcr_nonatomic =
        read_flag(r, at, attributes, "wcr_nonatomic", !read_flag(r, at, attributes, "wcr_conflict", true));
    if (!text)
        return;
    m->wcr_text = text;
    m->wcr = python_parse_expression(r->ir, at, text);
    if (!m->wcr)
        return;
    if (m->wcr->kind != CODE_LAMBDA || m->wcr->count != 3)
        diag_error(r->ir->diags, at, DIAG_READ_LAMBDA, text);
    else
        m->wcr_kind = wcr_detect(m->wcr);
}

void read_memlet(struct reader *r, struct sdfg *s, struct edge *e, const struct json *record)
{
    struct memlet *m = &e->memlet;
    struct place *at = &e->place;
    m->volume = sym_int(r->ir, 0);
    m->flag_is_data_src = true;
    const char *type = json_string(json_get(record, "type"));
    if (!type || (strcmp(type, "Memlet") && strcmp(type, "EmptyMemlet"))) {
        diag_error(r->ir->diags, at, DIAG_READ_MEMLET, type ? type : "");
        return;
    }
    const struct json *attributes = read_attributes(r, at, record);
    if (!attributes || !strcmp(type, "EmptyMemlet"))
        return;
    read_debug_info(r, at, attributes);
    const char *name = read_string(r, at, attributes, "data", NULL);
    m->name = name ? intern(r->ir->names, name) : NULL;
    at->label = m->name;
    m->data = name ? sdfg_find_container(s, m->name) : NULL;
    if (name && !m->data)
        diag_error(r->ir->diags, at, DIAG_READ_CONTAINER, name);
    m->subset = read_optional_subset(r, at, attributes, "subset");
    m->other = read_optional_subset(r, at, attributes, "other_subset");
    m->allow_oob = read_flag(r, at, attributes, "allow_oob", false);
    m->flag_is_data_src = read_flag(r, at, attributes, "is_data_src", true);
    read_volume(r, m, at, attributes);
    read_wcr(r, m, at, attributes);
    int64_t lanes;
    if (json_int(json_get(attributes, "veclen"), &lanes) && lanes != 1)
        diag_error(r->ir->diags, at, DIAG_READ_VECLEN, (long long)lanes);
}
