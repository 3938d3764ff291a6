#include "engine/cli/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { GRACE = 1 }; /* seconds */

static volatile sig_atomic_t heard; /* the signal, or 0 */
static volatile sig_atomic_t held;
static sdfg_bound *_Atomic running;

/* By the default action of the signal, so that the shell knows. */
static void end(int number)
{
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

static void on_grace(int number)
{
    (void)number;
    end((int)heard);
}

static void on_signal(int number)
{
    sdfg_bound *b = atomic_load(&running);
    bool again = heard != 0;
    heard = number;
    if (again || (!b && !held)) {
        end(number);
        return;
    }
    if (b) {
        signal(SIGALRM, on_grace);
        alarm(GRACE);
        sdfg_bound_cancel(b);
    }
}

void interrupt_begin(void)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, new = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
        sigemptyset(&new.sa_mask);
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &new, NULL);
    }
}

void interrupt_call(sdfg_bound *b)
{
    atomic_store(&running, b);
    if (!b)
        interrupt_end();
}

void interrupt_hold(void) { held++; }

void interrupt_release(void)
{
    if (!--held)
        interrupt_end();
}

void interrupt_end(void)
{
    if (heard)
        end((int)heard);
}
