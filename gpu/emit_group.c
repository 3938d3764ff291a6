/* Threads: who they are, and where they meet. */
#include "gpu/emit_text.h"

#include <math.h>

enum { WARP = 32 };

struct cuda gpu_thread(struct gpu_func *f, const struct tree_expr *e)
{
    static const char *const groups[] = { "threadIdx", "blockIdx", "blockDim", "gridDim" };
    if (e->i >= THREAD_LANE) {
        gpu_need(f->module, PIECE_THREAD);
        return gpu_text_of(CUDA_POSTFIX, e->i == THREAD_LANE ? "sd_lane()" : "sd_warp()");
    }
    return gpu_print(f, CUDA_UNARY, "(i32)%s.%c", groups[e->i / 3], "xyz"[e->i % 3]);
}

/* x and y; of floats that have no value yet, infinities, nothing comes: a NaN beside them would be lost. */
static struct cuda combined(struct gpu_func *f, enum wcr_kind wcr, const struct type *t)
{
    struct cuda x = gpu_text_of(CUDA_POSTFIX, "x"), y = gpu_text_of(CUDA_POSTFIX, "y");
    struct cuda both = gpu_combine(f, wcr, t, x, y);
    if (!type_is_float(t) || (wcr != WCR_MIN && wcr != WCR_MAX))
        return both;
    const struct tree_expr none = { .op = EXPR_FLOAT, .type = t, .f = wcr == WCR_MIN ? INFINITY : -INFINITY };
    struct cuda empty = gpu_compare(f, EXPR_EQ, t, y, gpu_constant_value(f, &none));
    return gpu_print(f, CUDA_CHOICE, "%s ? x : %s", gpu_at(f, CUDA_OR, empty), gpu_at(f, CUDA_CHOICE, both));
}

/* Groups know how many threads a block has if that is a constant and the warps are whole: they take fewer steps. */
void gpu_stmt_group(struct gpu_func *f, const struct tree_stmt *s)
{
    const struct type *t = s->value->type;
    const char *type = gpu_type(f->module, t);
    const char *level = s->loop.level == TREE_WARP ? "warp" : s->loop.level == TREE_COLUMN ? "column" : "block";
    struct cuda value = gpu_expr(f, s->value);
    if (s->loop.level == TREE_BLOCK && t->kind == TYPE_BOOL && s->wcr == WCR_LOGICAL_OR) {
        gpu_assign(f, s->var, arena_printf(f->module->arena, "(bool)__syncthreads_or(%s)", value.s));
        return;
    }
    struct cuda both = combined(f, s->wcr, t);
    int64_t threads = s->loop.level == TREE_COLUMN ? 0 : gpu_block_threads(f->kernel);
    const char *size = threads % WARP ? "0, " : arena_printf(f->module->arena, "%lld, ", (long long)threads);
    gpu_need(f->module, s->loop.level == TREE_COLUMN ? PIECE_COLUMN : PIECE_GROUP);
    if (t->size > 16)
        gpu_unsupported(f->module, "a reduction of values of more than 16 bytes over threads");
    gpu_assign(f, s->var,
               arena_printf(f->module->arena, "sd_%s_group<%s%s>(%s, [](%s x, %s y) -> %s { return %s; })", level,
                            s->loop.level == TREE_COLUMN ? "" : size, type, value.s, type, type, type, both.s));
}

void gpu_stmt_barrier(struct gpu_func *f, const struct tree_stmt *s)
{
    switch (s->loop.level) {
    case TREE_WARP:
        gpu_line(f, "__syncwarp();");
        break;
    case TREE_GRID:
        gpu_need(f->module, PIECE_GRID);
        gpu_line(f, "sd_grid_barrier(&%s_blocks);", f->name);
        break;
    default:
        gpu_line(f, "__syncthreads();");
    }
}
