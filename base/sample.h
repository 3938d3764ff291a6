/* What a set of measured times says. */
#ifndef BASE_SAMPLE_H
#define BASE_SAMPLE_H

struct samples {
    double *values; /* in the order in which they were measured */
    int count;
};

/* The interval holds the median of what is measured with 95 % confidence, whatever its distribution: its ends are
 * order statistics. With fewer than 6 samples it reaches from the least to the largest, which is less sure. */
struct estimate {
    int count; /* 0: nothing was measured, the rest is 0 */
    double median, low, high, least;
    double spread; /* distance of the quartiles by the median */
};

struct estimate samples_estimate(const struct samples *s);
/* How many samples are left out at each end of the interval. */
int samples_outside(int count);

#endif
