#include "base/intern.h"
#include "gpu/emit_text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
    enum gpu_piece needs[4]; /* PIECE_TYPES: none */
} pieces[PIECE_COUNT] = {
#define NEEDS_(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define PIECE(name, needs, text) [PIECE_##name] = { #name, text, needs },
#include "gpu/pieces.def"
};

void gpu_need(struct gpu_module *m, enum gpu_piece piece)
{
    if (m->needs[piece])
        return;
    m->needs[piece] = true;
    for (int i = 0; i < 4; i++)
        gpu_need(m, pieces[piece].needs[i]);
}

void gpu_unsupported(struct gpu_module *m, const char *what)
{
    if (!m->failed)
        diag_error(m->ir->diags, m->place, DIAG_DEVICE_CODE, what);
    m->failed = true;
}

/* ---- kernels ---- */

static const char *kernel_text(struct gpu_module *m, const struct tree_stmt *kernel, const char *name, bool plain)
{
    struct gpu_func f = { .module = m, .kernel = kernel, .name = name, .plain = plain };
    m->place = kernel->place;
    return gpu_kernel_text(&f);
}

/* Equal bodies are one function, by the name of the first kernel. */
static void add_kernel(struct gpu_module *m, const struct tree_stmt *kernel, struct text *out)
{
    const char *plain = intern(m->ir->names, kernel_text(m, kernel, "k", true));
    const char *name = map_get(&m->functions, plain);
    if (!name) {
        struct gpu_func naming = { .module = m };
        name = gpu_name(&naming, 'k', m->num_functions++, kernel->name);
        map_put(m->arena, &m->functions, plain, (void *)name);
        const char *text = kernel_text(m, kernel, name, false);
        if (kernel->place) {
            text_add(out, "\n/* ");
            struct text path = text_new(m->arena);
            place_print(kernel->place, &path);
            for (const char *c = text_get(&path); *c; c++)
                text_addc(out, *c == '*' || (unsigned char)*c < ' ' ? '.' : *c);
            text_add(out, " */\n");
        } else {
            text_add(out, "\n");
        }
        if (kernel->kernel->cooperative)
            text_printf(out, "__device__ u32 %s_blocks;\n", name);
        text_add(out, text);
    }
    struct kernel_params params = kernel_params(m->arena, kernel);
    struct gpu_kernel k = { kernel, name, params.bytes, params.faults };
    vec_push(m->arena, &m->kernels, k);
}

/* Takes the marks out of the text and notes on which lines they were. */
static void finish(struct gpu_module *m, const char *marked, struct gpu_text *out)
{
    struct text text = text_new(m->arena);
    VEC(struct gpu_line) lines = { 0 };
    uint32_t line = 1;
    for (const char *c = marked; *c; c++) {
        if (*c == 1) {
            struct gpu_line l = { line, m->places.items[strtoul(c + 1, (char **)&c, 10)] };
            vec_push(m->arena, &lines, l);
            continue; /* the end of the mark */
        }
        line += *c == '\n';
        text_addc(&text, *c);
    }
    out->text = text_get(&text);
    out->length = text.length;
    out->lines = lines.items;
    out->num_lines = lines.count;
}

const struct gpu_text *gpu_emit(const struct tree *t, enum gpu_fp fp)
{
    struct gpu_module m = { .tree = t, .ir = t->ir, .arena = t->arena, .fp = fp };
    struct text kernels = text_new(t->arena), all = text_new(t->arena);
    m.declarations = text_new(t->arena);
    m.needs[PIECE_TYPES] = true;
    struct tree_kernels list = tree_kernels(t);
    for (uint32_t i = 0; i < list.count && !m.failed; i++)
        add_kernel(&m, list.kernels[i], &kernels);
    if (m.failed)
        return NULL;
    if (m.needs[PIECE_PRODUCT])
        m.needs[fp == GPU_FP_DEFAULT ? PIECE_PRODUCT_ROUNDED : PIECE_PRODUCT_FREE] = true;
    for (int i = 0; i < PIECE_COUNT; i++)
        if (m.needs[i])
            text_add(&all, pieces[i].text);
    text_add(&all, text_get(&m.declarations));
    text_add(&all, text_get(&kernels));
    struct gpu_text *out = NEW(t->arena, struct gpu_text);
    *out = (struct gpu_text){ .kernels = m.kernels.items,
                              .num_kernels = m.kernels.count,
                              .num_functions = m.num_functions,
                              .accesses = m.accesses.items,
                              .num_accesses = m.accesses.count };
    finish(&m, text_get(&all), out);
    return out;
}

const struct place *gpu_text_place(const struct gpu_text *text, uint32_t line)
{
    const struct place *place = NULL;
    for (uint32_t i = 0; i < text->num_lines && text->lines[i].line <= line; i++)
        place = text->lines[i].place;
    return place;
}
