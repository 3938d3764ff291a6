/* What a tasklet sees of MKL's sparse matrices: those of DaCe's expansions, general ones in rows (CSR), as loops. */
#include "ir/code/clang/clang_walk.h"

static const char sparse[] =
    "#define SPARSE_INDEX_BASE_ZERO 0\n"
    "#define SPARSE_INDEX_BASE_ONE 1\n"
    "#define SPARSE_OPERATION_NON_TRANSPOSE 10\n"
    "#define SPARSE_OPERATION_TRANSPOSE 11\n"
    "#define SPARSE_MATRIX_TYPE_GENERAL 20\n"
    "#define SPARSE_FILL_MODE_LOWER 40\n"
    "#define SPARSE_FILL_MODE_UPPER 41\n"
    "#define SPARSE_DIAG_NON_UNIT 50\n"
    "#define SPARSE_LAYOUT_ROW_MAJOR 101\n"
    "#define SPARSE_LAYOUT_COLUMN_MAJOR 102\n"
    "#define SPARSE_STATUS_SUCCESS 0\n"
    "struct matrix_descr { int type, mode, diag; };\n"
    "struct sparse_matrix_t { int base, rows, columns; const int *begin, *end, *at; const void *values; };\n"
    "inline int mkl_sparse_destroy(sparse_matrix_t) { return 0; }\n"
    "template <class T> int __sparse_create(sparse_matrix_t *m, int base, int rows, int columns, const int *begin,\n"
    "    const int *end, const int *at, const T *values) {\n"
    "  m->base = base; m->rows = rows; m->columns = columns; m->begin = begin; m->end = end; m->at = at;\n"
    "  m->values = values; return 0; }\n"
    "template <class T> int __sparse_product(int op, T alpha, const sparse_matrix_t &m, int layout, const T *x, int "
    "count,\n"
    "    int ldx, T beta, T *y, int ldy) {\n"
    "  const T *values = (const T *)m.values; bool across = op == SPARSE_OPERATION_TRANSPOSE;\n"
    "  long xr = layout == 101 ? ldx : 1, xc = layout == 101 ? 1 : ldx, yr = layout == 101 ? ldy : 1;\n"
    "  long yc = layout == 101 ? 1 : ldy; int rows = across ? m.columns : m.rows;\n"
    "  for (int i = 0; i < rows; ++i) for (int k = 0; k < count; ++k)\n"
    "    y[i * yr + k * yc] = beta == 0 ? (T)0 : beta * y[i * yr + k * yc];\n"
    "  for (int i = 0; i < m.rows; ++i) for (int e = m.begin[i] - m.base; e < m.end[i] - m.base; ++e) {\n"
    "    int j = m.at[e] - m.base, to = across ? j : i, from = across ? i : j;\n"
    "    for (int k = 0; k < count; ++k) y[to * yr + k * yc] += alpha * values[e] * x[from * xr + k * xc]; }\n"
    "  return 0; }\n"
    "#define S(p, T)\\\n"
    "  inline int mkl_sparse_##p##_create_csr(sparse_matrix_t *m, int base, int rows, int columns, const int "
    "*begin,\\\n"
    "    const int *end, const int *at, const T *v) { return __sparse_create(m, base, rows, columns, begin, end, at, "
    "v); }\\\n"
    "  inline int mkl_sparse_##p##_mm(int op, T alpha, const sparse_matrix_t &m, const matrix_descr &, int layout,\\\n"
    "    const T *x, int count, int ldx, T beta, T *y, int ldy) {\\\n"
    "    return __sparse_product(op, alpha, m, layout, x, count, ldx, beta, y, ldy); }\n"
    "S(s, float) S(d, double)\n"
    "#undef S\n";

void clang_prelude_sparse(struct text *out, const char *text)
{
    static const struct clang_part parts[] = { { sparse, { "mkl_sparse" } } };
    clang_add_parts(out, text, parts, sizeof parts / sizeof *parts);
}
