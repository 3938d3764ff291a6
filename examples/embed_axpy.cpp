/* One call of one program in C++: Y = alpha * X + Y, and an error.
 *
 *     c++ -std=c++20 embed_axpy.cpp -lsdfg -o embed_axpy && ./embed_axpy axpy.sdfg */
#include "sdfg.hpp"

#include <cstdio>
#include <vector>

int main(int argc, char **argv)
{
    std::vector<double> x(1000), y(1000, 1);
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<double>(i);
    try {
        sdfg::engine engine;
        sdfg::program axpy(engine, argc > 1 ? argv[1] : "axpy.sdfg");
        sdfg::arguments a(axpy);
        a.set("alpha", 2.0).set("X", std::span<const double>(x)).set("Y", std::span(y));
        axpy.call(a); // N is solved from the shapes, the program is compiled for it and runs
        axpy.bind(a)();
        std::printf("N = %lld, Y[999] = %g\n", static_cast<long long>(a.value("N")), y[999]);
        try {
            a.set("X", std::span(x).first(10));
            axpy.call(a);
        } catch (const sdfg::error &e) {
            std::printf("%s\n", e.code.c_str());
        }
    } catch (const sdfg::error &e) {
        std::fputs(e.what(), stderr);
        return 1;
    }
    return y[999] != 2 * 2 * 999.0 + 1;
}
