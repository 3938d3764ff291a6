#include "plain.h"

#include <omp.h>

void plain_threads(int count) { omp_set_num_threads(count); }
