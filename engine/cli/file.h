#ifndef ENGINE_CLI_FILE_H
#define ENGINE_CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of a file, followed by a zero; the caller frees them. NULL with the reason in `why`. */
char *file_bytes(const char *path, size_t *size, char *why, size_t why_size);
/* False with the reason in `why`. */
bool file_write(const char *path, const char *bytes, size_t size, char *why, size_t why_size);
bool file_exists(const char *path);

#endif
