/* FFTW's planner is not thread-safe, its transforms are. Plans are estimated, which takes microseconds and does not
 * touch the data, and live for one call. */
#include "runtime/linalg/fft.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { ESTIMATE = 1 << 6, UNALIGNED = 1 << 1 }; /* of FFTW */

struct fftw {
    const char *name;
    void *(*plan)(int rank, const int *n, void *in, void *out, int sign, unsigned flags);
    void (*execute)(void *plan);
    void (*destroy)(void *plan);
};

/* Once per process, as the libraries themselves: single and double precision. */
static struct fftw libraries[2];
static pthread_once_t libraries_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static void open_one(struct fftw *f, const char *name, const char *plan, const char *execute, const char *destroy)
{
    void *library = dlopen(name, RTLD_NOW);
    if (!library)
        return;
    *(void **)&f->plan = dlsym(library, plan);
    *(void **)&f->execute = dlsym(library, execute);
    *(void **)&f->destroy = dlsym(library, destroy);
    if (f->plan && f->execute && f->destroy)
        f->name = name;
}

static void open_libraries(void)
{
    open_one(&libraries[0], "libfftw3f.so.3", "fftwf_plan_dft", "fftwf_execute", "fftwf_destroy_plan");
    open_one(&libraries[1], "libfftw3.so.3", "fftw_plan_dft", "fftw_execute", "fftw_destroy_plan");
}

static const struct fftw *library_of(int32_t type)
{
    pthread_once(&libraries_once, open_libraries);
    const struct fftw *f = &libraries[type == SDFG_RT_C128];
    return f->name ? f : NULL;
}

const char *sdfg_rt_fft_name(int32_t type)
{
    const struct fftw *f = library_of(type);
    return f ? f->name : NULL;
}

/* ---- elements ---- */

static double complex get(int32_t type, const void *data, int64_t i)
{
    return type == SDFG_RT_C64 ? ((const float complex *)data)[i] : ((const double complex *)data)[i];
}

static void set(int32_t type, void *data, int64_t i, double complex value)
{
    if (type == SDFG_RT_C64)
        ((float complex *)data)[i] = (float complex)value;
    else
        ((double complex *)data)[i] = value;
}

struct shape {
    int64_t rank, count;
    const int64_t *sizes;
    int64_t packed[SDFG_RT_FFT_MAX_RANK]; /* row-major strides */
};

/* to[...] = factor * from[...] for every element. */
static void move(int32_t type, const struct shape *s, const void *from, const int64_t *from_strides, void *to,
                 const int64_t *to_strides, double complex factor)
{
    int64_t index[SDFG_RT_FFT_MAX_RANK] = { 0 }, i = 0, k = 0;
    for (int64_t n = 0; n < s->count; n++) {
        double complex value = get(type, from, i);
        set(type, to, k, factor == 1 ? value : factor * value);
        for (int64_t d = s->rank - 1; d >= 0; d--) {
            i += from_strides[d];
            k += to_strides[d];
            if (++index[d] < s->sizes[d])
                break;
            i -= from_strides[d] * s->sizes[d];
            k -= to_strides[d] * s->sizes[d];
            index[d] = 0;
        }
    }
}

static bool is_packed(const struct shape *s, const int64_t *strides)
{
    for (int64_t d = 0; d < s->rank; d++)
        if (s->sizes[d] > 1 && strides[d] != s->packed[d])
            return false;
    return true;
}

/* ---- transforms of packed memory in place ---- */

static bool by_library(const struct fftw *f, const struct shape *s, int32_t sign, void *data)
{
    int sizes[SDFG_RT_FFT_MAX_RANK];
    for (int64_t d = 0; d < s->rank; d++) {
        if (s->sizes[d] > INT32_MAX)
            return false;
        sizes[d] = (int)s->sizes[d];
    }
    pthread_mutex_lock(&planner);
    void *plan = f->plan((int)s->rank, sizes, data, data, sign, ESTIMATE | UNALIGNED);
    pthread_mutex_unlock(&planner);
    if (!plan)
        return false;
    f->execute(plan);
    pthread_mutex_lock(&planner);
    f->destroy(plan);
    pthread_mutex_unlock(&planner);
    return true;
}

/* Line by line along every dimension. */
static bool by_lines(int32_t type, const struct shape *s, int32_t sign, void *data)
{
    int64_t longest = 1;
    for (int64_t d = 0; d < s->rank; d++)
        longest = s->sizes[d] > longest ? s->sizes[d] : longest;
    double complex *line = malloc(sizeof *line * (size_t)longest);
    bool good = line != NULL;
    for (int64_t d = 0; d < s->rank && good; d++) {
        int64_t n = s->sizes[d], step = s->packed[d];
        for (int64_t first = 0; first < s->count && good; first++) {
            if (first / step % n != 0)
                continue;
            for (int64_t i = 0; i < n; i++)
                line[i] = get(type, data, first + i * step);
            good = sdfg_rt_fft_line(line, n, sign);
            for (int64_t i = 0; i < n; i++)
                set(type, data, first + i * step, line[i]);
        }
    }
    free(line);
    return good;
}

void sdfg_rt_fft(struct sdfg_rt_context *context, int32_t type, int32_t sign, int64_t rank, const int64_t *sizes,
                 const void *in, const int64_t *in_strides, void *out, const int64_t *out_strides, const void *factor)
{
    struct shape s = { .rank = rank, .count = 1, .sizes = sizes };
    if ((type != SDFG_RT_C64 && type != SDFG_RT_C128) || rank > SDFG_RT_FFT_MAX_RANK) {
        sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
        return;
    }
    for (int64_t d = rank - 1; d >= 0; d--) {
        s.packed[d] = s.count;
        s.count *= sizes[d] > 0 ? sizes[d] : 0;
    }
    if (s.count == 0)
        return;
    size_t size = type == SDFG_RT_C64 ? sizeof(float complex) : sizeof(double complex);
    bool direct = in == out && is_packed(&s, in_strides) && is_packed(&s, out_strides);
    void *work = direct ? NULL : malloc(size * (size_t)s.count), *data = direct ? out : work;
    if (!data) {
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
        return;
    }
    if (!direct)
        move(type, &s, in, in_strides, work, s.packed, 1);
    const struct fftw *f = library_of(type);
    if (!(f && by_library(f, &s, sign, data)) && !by_lines(type, &s, sign, data))
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    double complex scale = get(type, factor, 0);
    if (!direct || scale != 1)
        move(type, &s, data, direct ? out_strides : s.packed, out, out_strides, scale);
    free(work);
}
