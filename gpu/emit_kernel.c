#include "gpu/emit_text.h"

#include <stdlib.h>
#include <string.h>

/* A complex number comes as its two parts, as the host packs it. */
static void add_param(struct gpu_func *f, struct text *out, struct gpu_variable *x)
{
    const struct type *t = x->var->type;
    struct gpu_module *m = f->module;
    if (type_is_complex(t)) {
        const char *part = gpu_type(m, type_part(m->ir, t));
        text_printf(out, "%s %s_re, %s %s_im", part, x->name, part, x->name);
        text_printf(&f->top, "    const %s %s = { %s_re, %s_im };\n", gpu_type(m, t), x->name, x->name, x->name);
        return;
    }
    const char *type = gpu_type(m, t), *space = type[strlen(type) - 1] == '*' ? "" : " ";
    text_printf(out, "%s%s%s%s%s", x->read_only ? "const " : "", type, space, x->restricted ? "__restrict__ " : "",
                x->name);
}

#define BOUNDS "__launch_bounds__("

int64_t gpu_block_threads(const struct tree_stmt *kernel)
{
    int64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        const struct tree_expr *e = kernel->args[KERNEL_BLOCK + i];
        threads = e->op == EXPR_INT && e->i > 0 && e->i <= 1024 ? threads * e->i : 0;
    }
    return threads <= 1024 ? threads : 0;
}

static void add_bounds(const struct tree_stmt *kernel, struct text *out)
{
    int64_t threads = kernel->kernel->most_threads ? kernel->kernel->most_threads : gpu_block_threads(kernel);
    if (threads > 0 && threads <= 1024 && kernel->kernel->least_blocks)
        text_printf(out, BOUNDS "%d, %u) ", (int)threads, kernel->kernel->least_blocks);
    else if (threads > 0 && threads <= 1024)
        text_printf(out, BOUNDS "%d) ", (int)threads);
}

/* The wish for the kernel whose name comes behind the bounds, or NULL. */
static const struct gpu_wish *wish_of(const char *behind, const struct gpu_wish *wishes, uint32_t count)
{
    if (strncmp(behind, ") ", 2) != 0)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(wishes[i].name);
        if (!strncmp(behind + 2, wishes[i].name, length) && behind[2 + length] == '(')
            return &wishes[i];
    }
    return NULL;
}

const char *gpu_text_relax(struct arena *a, const char *text, const struct gpu_wish *wishes, uint32_t count)
{
    enum { ALL = 65536 /* of a multiprocessor */, MOST = 256 /* of a thread */ };
    struct text out = text_new(a);
    bool any = false;
    for (const char *bounds; (bounds = strstr(text, BOUNDS));) {
        char *end;
        unsigned long threads = strtoul(bounds + strlen(BOUNDS), &end, 10);
        const struct gpu_wish *w = threads ? wish_of(end, wishes, count) : NULL;
        unsigned long blocks = w && w->registers <= MOST ? ALL / (threads * w->registers) : 0;
        text_addn(&out, text, (size_t)(end - text));
        if (blocks)
            text_printf(&out, ", %lu", blocks);
        any = any || blocks;
        text = end;
    }
    text_add(&out, text);
    return any ? text_get(&out) : NULL;
}

const char *gpu_kernel_text(struct gpu_func *f)
{
    struct text out = text_new(f->module->arena), code = text_new(f->module->arena);
    f->params = kernel_params(f->module->arena, f->kernel);
    f->top = text_new(f->module->arena);
    f->out = &code;
    f->indent = 1;
    gpu_variables(f);
    gpu_accesses(f);
    text_printf(&out, "extern \"C\" __global__ void ");
    add_bounds(f->kernel, &out);
    text_printf(&out, "%s(", f->name);
    for (uint32_t i = 0; i < f->params.count; i++) {
        text_add(&out, i ? ", " : "");
        add_param(f, &out, gpu_variable(f, f->params.vars[i]));
    }
    if (f->params.faults)
        text_add(&out, f->params.count ? ", void *sd_faults" : "void *sd_faults");
    for (uint32_t i = 0; i < f->order.count; i++) {
        struct gpu_variable *x = f->order.items[i];
        if (!x->on_top || (x->array && x->assignments == 1)) {
            x->declared = x->array && x->assignments == 1;
            continue;
        }
        const char *type = gpu_type(f->module, x->var->type);
        text_printf(&f->top, "    %s%s%s;\n", type, type[strlen(type) - 1] == '*' ? "" : " ", x->name);
        x->declared = true;
    }
    gpu_stmt(f, f->kernel->body);
    text_printf(&out, ")\n{\n%s%s}\n", text_get(&f->top), text_get(&code));
    return text_get(&out);
}
