#ifndef ENGINE_CLI_FILE_H
#define ENGINE_CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The usual limits: of texts, and of arrays. */
#define FILE_TEXT_BYTES  ((uint64_t)1 << 30)
#define FILE_ARRAY_BYTES ((uint64_t)64 << 30)

/* Instead of the usual limits, for all files that are read from now on; 0: those. */
void file_set_limit(uint64_t bytes);
uint64_t file_limit(void);
/* The bytes of a file, followed by a zero; the caller frees them. NULL with the reason in `why`, also if there are more
 * than `most`. */
char *file_bytes(const char *path, uint64_t most, size_t *size, char *why, size_t why_size);
bool file_exists(const char *path);

/* A file that is written beside its place and put there when it is whole: what was there before stays until then, also
 * if the disk is full. Devices and pipes are written as they are. */
struct file_out {
    FILE *file; /* NULL: errno says why */
    const char *path;
    char *target, *temporary; /* NULL: the file is written in place */
};
FILE *file_begin(struct file_out *o, const char *path);
/* Closes it, and puts it in place if `good` and all has been written; false with errno set otherwise. */
bool file_end(struct file_out *o, bool good);
/* False with the reason in `why`. */
bool file_write(const char *path, const char *bytes, size_t size, char *why, size_t why_size);

/* At the end of a tool: `code`, or EXIT_FILE after a message if standard output could not be written. With the code
 * EXIT_FILE there has been one. */
int file_end_output(const char *tool, int code);

#endif
