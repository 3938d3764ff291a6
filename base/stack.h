/* Threads with a stack of known size. Whatever walks over what a user has nested (readers, passes, LLVM) recurses;
 * readers limit the depth, and such a stack is large enough for that depth however small the stack of the caller is. */
#ifndef BASE_STACK_H
#define BASE_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of such a stack; pages that nobody touches take no memory. */
extern const size_t stack_bytes;

/* As pthread_create with default attributes, but with such a stack. The thread takes no signals: they are for the
 * threads of the program. 0 or an error number. */
int stack_thread(pthread_t *thread, void *(*f)(void *), void *argument);

/* Calls `f` on a thread with such a stack and waits for it: a new one, or the caller's own if that was made by
 * stack_thread. What abandons `f` (base/fatal.h) abandons the caller. False with errno set if there can be none; `f`
 * has not been called then. */
bool stack_call(void (*f)(void *), void *argument);

#endif
