#include "base/fatal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void (*handler_of_process)(void *user, const char *message);
static void *user_of_handler;

void fatal_set_handler(void (*handler)(void *user, const char *message), void *user)
{
    handler_of_process = handler;
    user_of_handler = user;
}

_Noreturn void fatal(const char *message)
{
    if (handler_of_process)
        handler_of_process(user_of_handler, message);
    fprintf(stderr, "libsdfg: %s\n", message);
    abort();
}
