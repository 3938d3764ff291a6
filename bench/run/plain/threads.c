#include "plain.h"

void omp_set_num_threads(int count); /* omp.h comes with a package that nothing else needs */

void plain_threads(int count) { omp_set_num_threads(count); }
