#include "base/smallfloat.h"
#include "lower/llvm/llvm_emit.h"

/* ---- shared nodes: a table from node to value that is emptied by counting the statement up ---- */

void llvm_expr_begin(struct llvm_func *f)
{
    f->statement++;
    f->memo_count = 0;
}

void llvm_branch_begin(struct llvm_func *f) { vec_push(f->emitter->arena, &f->branches, ++f->num_branches); }

void llvm_branch_end(struct llvm_func *f) { f->branches.count--; }

static bool branch_is_open(const struct llvm_func *f, uint32_t branch)
{
    for (uint32_t i = 0; i < f->branches.count; i++)
        if (f->branches.items[i] == branch)
            return true;
    return branch == 0;
}

static struct llvm_memo *memo_find(struct llvm_func *f, const struct tree_expr *e)
{
    uint32_t i = (uint32_t)((uintptr_t)e >> 4) * 2654435761u;
    while (true) {
        struct llvm_memo *m = &f->memo[i++ & (f->memo_size - 1)];
        if (m->statement != f->statement || m->key == e)
            return m;
    }
}

static void memo_grow(struct llvm_func *f)
{
    struct llvm_memo *old = f->memo;
    uint32_t size = f->memo_size;
    f->memo_size = size ? 2 * size : 256;
    f->memo = NEW_ARRAY(f->emitter->arena, struct llvm_memo, f->memo_size);
    for (uint32_t i = 0; i < size; i++)
        if (old[i].statement == f->statement)
            *memo_find(f, old[i].key) = old[i];
}

static void memo_put(struct llvm_func *f, const struct tree_expr *e, struct llvm_value v)
{
    if (2 * f->memo_count >= f->memo_size)
        memo_grow(f);
    struct llvm_memo *m = memo_find(f, e);
    f->memo_count += m->statement != f->statement;
    *m = (struct llvm_memo){ e, v, f->statement, f->branches.count ? vec_last(&f->branches) : 0 };
}

/* ---- operations ---- */

typedef struct llvm_value emit_expr(struct llvm_func *f, const struct tree_expr *e);

static struct llvm_value expr_constant(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMTypeRef type = llvm_type(f->unit, e->type);
    const struct type *scalar = type_scalar(e->type);
    if (e->op == EXPR_NULL)
        return (struct llvm_value){ LLVMConstNull(type), NULL };
    if (e->op == EXPR_INT && type_is_float(scalar))
        return (struct llvm_value){ llvm_const_float(type, (double)e->i), NULL };
    if (e->op == EXPR_INT)
        return (struct llvm_value){ llvm_const_int(type, e->i), NULL };
    if (type_is_complex(scalar))
        return (struct llvm_value){ llvm_const_float(type, e->f), LLVMConstNull(type) };
    if (scalar->kind == TYPE_F16)
        return (struct llvm_value){ llvm_const_float(type, e->f), NULL };
    if (llvm_type_is_small_float(scalar)) {
        uint32_t bits = smallfloat_encode((enum smallfloat)(scalar->kind - TYPE_F16), e->f);
        return (struct llvm_value){ llvm_const_int(type, bits), NULL };
    }
    return (struct llvm_value){ llvm_const_float(type, e->f), NULL };
}

static struct llvm_value expr_the_context(struct llvm_func *f, const struct tree_expr *e)
{
    (void)e;
    return (struct llvm_value){ f->context, NULL };
}

static struct llvm_value expr_variable(struct llvm_func *f, const struct tree_expr *e)
{
    return llvm_variable_read(f, e->var);
}

static struct llvm_value expr_address(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMValueRef pointer = llvm_expr(f, e->args[0]).v;
    return (struct llvm_value){ llvm_address(f, e->type->elem, pointer, llvm_expr(f, e->args[1]).v), NULL };
}

static struct llvm_value expr_member(struct llvm_func *f, const struct tree_expr *e)
{
    const struct type *record = e->args[0]->type->elem;
    LLVMValueRef pointer = llvm_expr(f, e->args[0]).v;
    LLVMValueRef offset = llvm_int(f->unit->i64, record->fields[e->i].offset);
    return (struct llvm_value){ LLVMBuildInBoundsGEP2(f->builder, f->unit->i8, pointer, &offset, 1, ""), NULL };
}

/* A truth value per lane is -1 or 0 in an integer of the lane's size. */
static struct llvm_value truth_of_type(struct llvm_func *f, const struct type *t, LLVMValueRef truth)
{
    if (t->kind == TYPE_VECTOR && t->elem->kind != TYPE_BOOL)
        truth = LLVMBuildSExt(f->builder, truth, llvm_type(f->unit, t), "");
    return (struct llvm_value){ truth, NULL };
}

static struct llvm_value expr_not(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMValueRef truth = llvm_truth(f, e->args[0]->type, llvm_expr(f, e->args[0]));
    return truth_of_type(f, e->type, LLVMBuildNot(f->builder, truth, ""));
}

static struct llvm_value expr_unary_op(struct llvm_func *f, const struct tree_expr *e)
{
    return llvm_unary(f, e->op, e->args[0]->type, llvm_expr(f, e->args[0]));
}

static bool is_count(LLVMValueRef v)
{
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    return op == LLVMSIToFP || op == LLVMUIToFP;
}

/* Also one that a variable was given: DaCe makes a tasklet of every operation of an expression. Not that of a number
 * that counts: points of a grid, `first + i * step`, are to be those of other programs, and 0 in the middle. */
static bool is_product(LLVMValueRef v)
{
    if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFNeg)
        v = LLVMGetOperand(v, 0);
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFMul && !is_count(LLVMGetOperand(v, 0)) &&
           !is_count(LLVMGetOperand(v, 1));
}

static struct llvm_value expr_binary_op(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMValueRef multiple = llvm_multiple(f, e);
    if (multiple)
        return (struct llvm_value){ multiple, NULL };
    struct llvm_value a = llvm_expr(f, e->args[0]), b = llvm_expr(f, e->args[1]);
    f->fuse = is_product(a.v) || is_product(b.v);
    struct llvm_value r = llvm_binary(f, e->op, e->args[0]->type, a, b);
    f->fuse = false;
    return r;
}

static struct llvm_value expr_comparison(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_value a = llvm_expr(f, e->args[0]), b = llvm_expr(f, e->args[1]);
    return truth_of_type(f, e->type, llvm_compare(f, e->op, e->args[0]->type, a, b));
}

static struct llvm_value expr_logical(struct llvm_func *f, const struct tree_expr *e)
{
    if (!llvm_speculatable(e->args[1]) && e->type->kind != TYPE_VECTOR)
        return llvm_flow_logical(f, e);
    LLVMValueRef a = llvm_truth(f, e->args[0]->type, llvm_expr(f, e->args[0]));
    LLVMValueRef b = llvm_truth(f, e->args[1]->type, llvm_expr(f, e->args[1]));
    bool is_and = e->op == EXPR_LOGICAL_AND;
    LLVMValueRef fixed = llvm_const_int(LLVMTypeOf(a), !is_and);
    LLVMValueRef r =
        is_and ? LLVMBuildSelect(f->builder, a, b, fixed, "") : LLVMBuildSelect(f->builder, a, fixed, b, "");
    return truth_of_type(f, e->type, r);
}

static bool is_variable(const struct tree_expr *e, const struct tree_var *v)
{
    return e->op == EXPR_VAR && e->var == v;
}

/* `i >= 0 ? i : i + n`: an index that counts from the end, which few do. */
static bool counts_from_end(const struct tree_expr *e)
{
    const struct tree_expr *c = e->args[0], *sum = e->args[2];
    if (c->op != EXPR_GE || c->args[0]->op != EXPR_VAR || c->args[1]->op != EXPR_INT || c->args[1]->i)
        return false;
    const struct tree_var *index = c->args[0]->var;
    return is_variable(e->args[1], index) && sum->op == EXPR_ADD &&
           (is_variable(sum->args[0], index) || is_variable(sum->args[1], index));
}

static struct llvm_value expr_choice(struct llvm_func *f, const struct tree_expr *e)
{
    const struct tree_expr *c = e->args[0];
    if (c->type->kind != TYPE_VECTOR && !(llvm_speculatable(e->args[1]) && llvm_speculatable(e->args[2])))
        return llvm_flow_select(f, c, e->args[1], e->args[2]);
    LLVMValueRef condition = llvm_truth(f, c->type, llvm_expr(f, c));
    struct llvm_value a = llvm_expr(f, e->args[1]), b = llvm_expr(f, e->args[2]);
    struct llvm_value r = llvm_select(f, condition, a, b);
    if (counts_from_end(e))
        llvm_meta_likely(f, r.v);
    return r;
}

static struct llvm_value expr_conversion(struct llvm_func *f, const struct tree_expr *e)
{
    return llvm_cast(f, e->type, e->args[0]->type, llvm_expr(f, e->args[0]));
}

static struct llvm_value expr_same_bits(struct llvm_func *f, const struct tree_expr *e)
{
    return llvm_bits(f, e->type, e->args[0]->type, llvm_expr(f, e->args[0]));
}

static struct llvm_value expr_function(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_value args[3] = { { NULL, NULL } };
    for (uint32_t i = 0; i < e->num_args; i++)
        args[i] = llvm_expr(f, e->args[i]);
    struct llvm_value r = llvm_math(f, e, args);
    if (e->type->kind == TYPE_BOOL && e->args[0]->type->kind == TYPE_VECTOR)
        llvm_unsupported(f, e->args[0]->type); /* a test of all lanes at once has no type in the tree */
    return e->math >= TREE_MATH_isnan ? truth_of_type(f, e->type, r.v) : r;
}

static struct llvm_value call_lane(struct llvm_func *f, void *user, const struct llvm_value *lanes)
{
    const struct tree_expr *e = user;
    const struct type *types[3] = { NULL };
    for (uint32_t i = 0; i < e->num_args; i++)
        types[i] = e->args[i]->type->elem;
    return llvm_call_pure(f, e->type->elem, e->name, types, lanes, e->num_args);
}

static struct llvm_value expr_c_call(struct llvm_func *f, const struct tree_expr *e)
{
    if (e->type->scalable) {
        struct llvm_value args[3];
        for (uint32_t i = 0; i < e->num_args; i++)
            args[i] = llvm_expr(f, e->args[i]);
        return llvm_each_lane(f, e->type, args, e->num_args, call_lane, (void *)(uintptr_t)e);
    }
    return llvm_call(f, e->type, e->name, NULL, e->args, e->num_args);
}

static struct llvm_value expr_make_complex(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMValueRef re = llvm_expr(f, e->args[0]).v;
    return (struct llvm_value){ re, llvm_expr(f, e->args[1]).v };
}

static struct llvm_value expr_part(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_value v = llvm_expr(f, e->args[0]);
    if (!v.im)
        return e->op == EXPR_REAL ? v : (struct llvm_value){ LLVMConstNull(LLVMTypeOf(v.v)), NULL };
    return (struct llvm_value){ e->op == EXPR_REAL ? v.v : v.im, NULL };
}

static struct llvm_value expr_all_lanes(struct llvm_func *f, const struct tree_expr *e)
{
    return llvm_splat_value(f, e->type, llvm_expr(f, e->args[0]));
}

static struct llvm_value expr_one_lane(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_value vector = llvm_expr(f, e->args[0]);
    LLVMValueRef lane = llvm_expr(f, e->args[1]).v;
    if (e->op == EXPR_LANE)
        return llvm_lane(f, vector, lane);
    struct llvm_value value = llvm_expr(f, e->args[2]);
    vector.v = LLVMBuildInsertElement(f->builder, vector.v, value.v, lane, "");
    if (vector.im)
        vector.im = LLVMBuildInsertElement(f->builder, vector.im, value.im, lane, "");
    return vector;
}

static emit_expr *const by_op[EXPR_OP_COUNT] = {
    [EXPR_INT] = expr_constant,
    [EXPR_FLOAT] = expr_constant,
    [EXPR_NULL] = expr_constant,
    [EXPR_CONTEXT] = expr_the_context,
    [EXPR_VAR] = expr_variable,
    [EXPR_LOAD] = llvm_expr_load,
    [EXPR_OFFSET] = expr_address,
    [EXPR_FIELD] = expr_member,
    [EXPR_SLOT] = llvm_expr_slot,
    [EXPR_DATA] = llvm_expr_data,
    [EXPR_NEG] = expr_unary_op,
    [EXPR_NOT] = expr_not,
    [EXPR_BITNOT] = expr_unary_op,
    [EXPR_ADD] = expr_binary_op,
    [EXPR_SUB] = expr_binary_op,
    [EXPR_MUL] = expr_binary_op,
    [EXPR_DIV] = expr_binary_op,
    [EXPR_REM] = expr_binary_op,
    [EXPR_AND] = expr_binary_op,
    [EXPR_OR] = expr_binary_op,
    [EXPR_XOR] = expr_binary_op,
    [EXPR_SHL] = expr_binary_op,
    [EXPR_SHR] = expr_binary_op,
    [EXPR_MIN] = expr_binary_op,
    [EXPR_MAX] = expr_binary_op,
    [EXPR_EQ] = expr_comparison,
    [EXPR_NE] = expr_comparison,
    [EXPR_LT] = expr_comparison,
    [EXPR_LE] = expr_comparison,
    [EXPR_GT] = expr_comparison,
    [EXPR_GE] = expr_comparison,
    [EXPR_LOGICAL_AND] = expr_logical,
    [EXPR_LOGICAL_OR] = expr_logical,
    [EXPR_SELECT] = expr_choice,
    [EXPR_CAST] = expr_conversion,
    [EXPR_BITS] = expr_same_bits,
    [EXPR_MATH] = expr_function,
    [EXPR_CALL] = expr_c_call,
    [EXPR_COMPLEX] = expr_make_complex,
    [EXPR_REAL] = expr_part,
    [EXPR_IMAG] = expr_part,
    [EXPR_SPLAT] = expr_all_lanes,
    [EXPR_LANE] = expr_one_lane,
    [EXPR_INSERT] = expr_one_lane,
    [EXPR_THREAD] = llvm_expr_thread,
    [EXPR_VSCALE] = llvm_expr_vscale,
    [EXPR_STEPS] = llvm_expr_steps,
    [EXPR_ACTIVE] = llvm_expr_active,
    [EXPR_MASKED] = llvm_expr_masked,
    [EXPR_LANES_SUM] = llvm_expr_lanes,
    [EXPR_LANES_MIN] = llvm_expr_lanes,
    [EXPR_LANES_MAX] = llvm_expr_lanes,
    [EXPR_LANES_AND] = llvm_expr_lanes,
    [EXPR_LANES_OR] = llvm_expr_lanes,
    [EXPR_LANES_XOR] = llvm_expr_lanes,
    [EXPR_LANES_COUNT] = llvm_expr_lanes_count,
    [EXPR_COMPACT] = llvm_expr_compact,
    [EXPR_ORDERED_SUM] = llvm_expr_ordered,
};

struct llvm_value llvm_expr(struct llvm_func *f, const struct tree_expr *e)
{
    bool shared = e->num_args > 0 || e->op == EXPR_CALL;
    if (shared && f->memo_count) {
        struct llvm_memo *m = memo_find(f, e);
        if (m->statement == f->statement && branch_is_open(f, m->branch))
            return m->value;
    }
    bool is_void_call = e->op == EXPR_CALL && e->type->kind == TYPE_VOID;
    if (!llvm_type_usable(e->type) && !is_void_call) {
        llvm_unsupported(f, e->type);
        return (struct llvm_value){ LLVMGetPoison(f->unit->i64), NULL };
    }
    struct llvm_value v = by_op[e->op](f, e);
    if (shared)
        memo_put(f, e, v);
    return v;
}

/* ---- speculation ---- */

enum { SPECULATION_LIMIT = 12 }; /* nodes that cost less than a mispredicted jump */

static bool cheap_math(enum tree_math math)
{
    return math == TREE_MATH_fabs || math == TREE_MATH_floor || math == TREE_MATH_ceil || math == TREE_MATH_trunc ||
           math == TREE_MATH_copysign || math == TREE_MATH_sqrt || math >= TREE_MATH_conj;
}

static bool speculate(const struct tree_expr *e, int *left)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_MASKED || e->op == EXPR_CALL || e->op == EXPR_REM ||
        (e->op == EXPR_MATH && !cheap_math(e->math)))
        return false;
    if (e->op == EXPR_DIV && !type_is_float(type_scalar(e->type)))
        return false;
    if ((*left -= e->num_args > 0) < 0)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!speculate(e->args[i], left))
            return false;
    return true;
}

bool llvm_speculatable(const struct tree_expr *e)
{
    int left = SPECULATION_LIMIT;
    return speculate(e, &left);
}
