/* libsdfg for C++20: sdfg.h with objects that free what they hold, and exceptions.
 *
 *     sdfg::engine engine;
 *     sdfg::program axpy(engine, "axpy.sdfg");
 *     sdfg::arguments a(axpy);
 *     a.set("alpha", 2.0).set("X", std::span(x)).set("Y", std::span(y));
 *     axpy.call(a);
 *
 * Everything that fails throws sdfg::error. Objects move and do not copy; they may go in any order, and threads use them as sdfg.h says of
 * the handles in them: engines, programs and bound calls from any thread, arguments from one at a time. `get()` gives the handle, for the
 * functions of sdfg.h that have no member here. */
#ifndef SDFG_HPP
#define SDFG_HPP

#include "sdfg.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sdfg {

/* One finding among those of an error; texts as in sdfg_message. */
struct message {
    sdfg_error_class class_id;
    bool warning;
    std::string code, text, path, source, excerpt;
};

/* what() is all of it as a terminal shows it. */
class error : public std::runtime_error {
public:
    /* Takes `e`, which must not be NULL. */
    explicit error(sdfg_error *e) : error(std::unique_ptr<sdfg_error, decltype(&sdfg_error_free)>(e, sdfg_error_free)) {}

    sdfg_error_class class_id; /* the worst of the messages */
    sdfg_error_stage stage;
    std::string code, path; /* of the first message of that class */
    std::vector<message> messages;

private:
    explicit error(const std::unique_ptr<sdfg_error, decltype(&sdfg_error_free)> &e)
        : std::runtime_error(sdfg_error_text(e.get())), class_id(sdfg_error_class_of(e.get())), stage(sdfg_error_stage_of(e.get())),
          code(sdfg_error_code(e.get())), path(sdfg_error_path(e.get()))
    {
        for (std::size_t i = 0; i < sdfg_error_count(e.get()); i++) {
            const sdfg_message *m = sdfg_error_get(e.get(), i);
            messages.push_back({ m->class_id, m->warning, m->code, m->text, m->path, m->source, m->excerpt });
        }
    }
};

/* Throws what a function of sdfg.h has returned. */
inline void check(sdfg_error *e)
{
    if (e)
        throw error(e);
}

namespace detail {

template <auto release> struct releaser {
    template <class T> void operator()(T *handle) const noexcept { release(handle); }
};

template <class T, auto release> class owner {
public:
    T *get() const noexcept { return handle.get(); }

protected:
    std::unique_ptr<T, releaser<release>> handle;
};

inline std::string take(char *text, std::size_t size)
{
    std::unique_ptr<char, releaser<sdfg_text_free>> owned(text);
    return std::string(text, size);
}

template <class T> constexpr sdfg_dtype dtype()
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>)
        return SDFG_BOOL;
    else if constexpr (std::is_integral_v<U>) {
        constexpr int step = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
        return static_cast<sdfg_dtype>((std::is_signed_v<U> ? SDFG_I8 : SDFG_U8) + step);
    } else if constexpr (std::is_same_v<U, float>)
        return SDFG_F32;
    else if constexpr (std::is_same_v<U, double>)
        return SDFG_F64;
    else if constexpr (std::is_same_v<U, std::complex<float>>)
        return SDFG_C64;
    else if constexpr (std::is_same_v<U, std::complex<double>>)
        return SDFG_C128;
    else
        return SDFG_NONE;
}

} // namespace detail

/* Types that elements of containers have; others are given by sdfg_args_array and `get()`. */
template <class T>
concept element = detail::dtype<T>() != SDFG_NONE;

class engine : public detail::owner<sdfg_engine, sdfg_engine_free> {
public:
    /* With what the environment says (SDFG_DEBUG, SDFG_DUMP_DIR, SDFG_PLUGINS). */
    engine()
    {
        sdfg_options o;
        sdfg_options_init(&o, sizeof o);
        *this = engine(o);
    }
    explicit engine(const sdfg_options &o)
    {
        sdfg_engine *e = nullptr;
        check(sdfg_engine_new(&e, &o));
        handle.reset(e);
    }

    /* Waits until nothing is compiled or written in the background. */
    void wait() { sdfg_engine_wait(get()); }
    /* "LLVM 22.1.8"; opens the code generator. */
    std::string backend() const
    {
        const char *text = nullptr;
        check(sdfg_engine_backend(&text, get()));
        return text;
    }
};

using symbols = std::vector<std::pair<std::string, std::int64_t>>;

class arguments;

/* A call whose arguments are looked up and checked. */
class bound : public detail::owner<sdfg_bound, sdfg_bound_free> {
public:
    explicit bound(sdfg_bound *b) { handle.reset(b); }
    void operator()() const { check(sdfg_bound_call(get())); }
    void cancel() const { sdfg_bound_cancel(get()); }
};

class program : public detail::owner<sdfg_program, sdfg_program_free> {
public:
    /* A file, or a function of a Python file ("prog.py:f"). */
    program(const engine &e, const std::filesystem::path &path)
    {
        sdfg_program *p = nullptr;
        check(sdfg_program_load_file(&p, e.get(), path.c_str()));
        handle.reset(p);
    }
    /* JSON, plain or gzip; `folder` is where nested SDFGs in files of their own are looked up. */
    static program from_json(const engine &e, std::string_view json, const char *folder = nullptr)
    {
        sdfg_program *p = nullptr;
        check(sdfg_program_load(&p, e.get(), json.data(), json.size(), folder));
        return program(p);
    }

    std::string name() const { return sdfg_program_name(get()); }
    /* Solves the symbols, compiles what is needed, runs. */
    void call(arguments &a) const;
    /* The same, ready to be run many times. The arrays must stay where they are. */
    bound bind(arguments &a) const;
    /* Text or bytes of one representation, for these values of symbols. */
    std::string emit(sdfg_emit what, const symbols &values = {}) const
    {
        std::vector<sdfg_symbol> table;
        for (const auto &[name, value] : values)
            table.push_back({ name.c_str(), value });
        char *text = nullptr;
        std::size_t size = 0;
        check(sdfg_program_emit(&text, &size, get(), what, table.data(), table.size()));
        return detail::take(text, size);
    }

private:
    explicit program(sdfg_program *p) { handle.reset(p); }
};

/* Values by name. Arrays are used in place, also those of const elements: programs that write them are the caller's mistake. */
class arguments : public detail::owner<sdfg_args, sdfg_args_free> {
public:
    explicit arguments(const program &p)
    {
        sdfg_args *a = nullptr;
        check(sdfg_args_new(&a, p.get()));
        handle.reset(a);
    }

    /* One dimension. */
    template <element T, std::size_t extent> arguments &set(const char *name, std::span<T, extent> values)
    {
        return set(name, values.data(), { static_cast<std::int64_t>(values.size()) });
    }
    /* Any number of dimensions; `strides` in elements, empty: C order, packed. std::invalid_argument: more than SDFG_MAX_RANK, or not as
     * many strides. */
    template <element T> arguments &set(const char *name, T *data, std::initializer_list<std::int64_t> shape,
                                        std::initializer_list<std::int64_t> strides = {})
    {
        return set(name, data, std::span(shape.begin(), shape.size()), std::span(strides.begin(), strides.size()));
    }
    template <element T> arguments &set(const char *name, T *data, std::span<const std::int64_t> shape,
                                        std::span<const std::int64_t> strides = {})
    {
        if (shape.size() > SDFG_MAX_RANK || (!strides.empty() && strides.size() != shape.size()))
            throw std::invalid_argument(std::string(name) + ": its shape or strides have the wrong length");
        sdfg_array a = SDFG_ARRAY_INIT;
        a.data = const_cast<std::remove_cv_t<T> *>(data);
        a.dtype = detail::dtype<T>();
        a.rank = static_cast<int>(shape.size());
        for (std::size_t i = 0; i < shape.size(); i++)
            a.shape[i] = shape[i];
        a.strides = strides.empty() ? nullptr : strides.data();
        check(sdfg_args_array(get(), name, &a));
        return *this;
    }
    /* Single values and symbols; copied. */
    template <element T> arguments &set(const char *name, const T &value)
    {
        if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
            check(sdfg_args_i64(get(), name, value));
        else if constexpr (std::is_same_v<T, double>)
            check(sdfg_args_f64(get(), name, value));
        else
            check(sdfg_args_scalar(get(), name, detail::dtype<T>(), &value));
        return *this;
    }
    arguments &set(const char *name, const char *text)
    {
        check(sdfg_args_string(get(), name, text));
        return *this;
    }
    arguments &set(const char *name, std::nullptr_t)
    {
        check(sdfg_args_null(get(), name));
        return *this;
    }
    /* What `solve` has found, or what was given. std::out_of_range: nothing. */
    std::int64_t value(const char *name) const
    {
        std::int64_t found = 0;
        if (!sdfg_args_value(get(), name, &found))
            throw std::out_of_range(std::string(name) + " has no value");
        return found;
    }
    /* Symbols from the shapes that are given. */
    void solve() { check(sdfg_args_solve(get())); }
    /* Stops a call that runs with these, from any thread. */
    void cancel() { sdfg_call_cancel(get()); }
    void clear() { sdfg_args_clear(get()); }
};

inline void program::call(arguments &a) const
{
    check(sdfg_call(get(), a.get()));
}

inline bound program::bind(arguments &a) const
{
    sdfg_bound *b = nullptr;
    check(sdfg_bind(&b, get(), a.get()));
    return bound(b);
}

} // namespace sdfg

#endif
