/* Calls what sdfg-cc has compiled. */
#include "axpy.h"

int main(void)
{
    double X[3] = { 1, 2, 3 }, Y[3] = { 1, 1, 1 };
    axpyHandle_t handle = __dace_init_axpy(3);
    __program_axpy(handle, X, Y, 3, 2);
    return __dace_exit_axpy(handle) || Y[0] != 3 || Y[2] != 7;
}
