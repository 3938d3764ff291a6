/* The one way out when memory for the compiler is exhausted: prints the message or calls the handler, then aborts. */
#ifndef BASE_FATAL_H
#define BASE_FATAL_H

/* Installs a handler for the calling process (the handler must not return); NULL restores the default. */
void fatal_set_handler(void (*handler)(void *user, const char *message), void *user);
_Noreturn void fatal(const char *message);

#endif
