/* Room in the heap of a thread. The C library grows the heap of a thread other than the first by a system call for
 * every few pages, and gives pages back whenever the end of it is free: a compiler that makes and drops many small
 * objects spends a tenth of its time on that. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

/* Grows the heap of this thread by a few megabytes, of which pages that nobody touches take no memory. The result is
 * freed when the thread does not need them any more; NULL changes nothing. */
void *heap_room(void);

#endif
