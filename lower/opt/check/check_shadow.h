/* One byte for each element of a transient that says whether it was written. */
#ifndef LOWER_OPT_CHECK_CHECK_SHADOW_H
#define LOWER_OPT_CHECK_CHECK_SHADOW_H

#include "lower/opt/check/check.h"

void check_shadow(struct checking *k); /* of the roots that are `shadowed` */

#endif
