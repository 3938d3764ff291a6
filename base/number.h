/* Floating-point numbers as text, independent of the locale of the process. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_TEXT_SIZE = 40 };

/* The whole text must be one number: decimal with optional exponent, or nan, inf, infinity in any case, optionally
 * signed. */
bool number_parse(const char *text, double *out);
/* As Python prints complex numbers: "(1+2j)", "2j", or a real number. */
bool number_parse_complex(const char *text, double *re, double *im);
/* The shortest decimal text that reads back equal, with a point or an exponent; "nan", "inf", "-inf". */
const char *number_print(double value, char buffer[NUMBER_TEXT_SIZE]);

#endif
