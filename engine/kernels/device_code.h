/* Device code that an engine has made, by what it was made from: the text of kernels does not depend on the sizes of a
 * program, so that many of its specializations share it. It is kept in memory and in the disk cache. */
#ifndef ENGINE_DEVICE_CODE_H
#define ENGINE_DEVICE_CODE_H

#include "engine/engine.h"

#include "runtime/device.h"

struct device_codes *device_codes_new(struct sdfg_engine *e);
void device_codes_free(struct device_codes *c); /* NULL is allowed */

/* What was stored under the key, in `a`; NULL if there is nothing. Any thread; `engine` is a struct sdfg_engine. */
const void *device_code_load(void *engine, const char *key, size_t key_size, struct arena *a, size_t *size);
void device_code_store(void *engine, const char *key, size_t key_size, const void *code, size_t size);

/* The compute capability that an engine's device code is for: what its options say, else that of its device. False with
 * the reason in `trouble`, of SDFG_RT_DEVICE_TROUBLE bytes. */
bool device_arch(struct sdfg_engine *e, int *arch, char *trouble);
/* The file of a library that code for the engine's device may count on. False: there is none on this machine. */
bool device_library(struct sdfg_engine *e, enum sdfg_rt_library which, struct sdfg_rt_device_file *out);
/* The lines of a key that say for which device code is, by which compiler, and with which libraries; appended. */
bool device_key(struct sdfg_engine *e, struct text *out);

#endif
