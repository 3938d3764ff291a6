#include "engine/cli/watch.h"

#include "engine/cli/ranks.h"
#include "engine/cli/report.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 10 }; /* seconds */

/* The line in one piece: other processes write to the same place. Called from signal handlers. */
static void say(const char *before, const char *text)
{
    char line[1024];
    size_t length = 0;
    const char *const pieces[] = { "sdfg-run: ", before, text, "\n" };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t n = strlen(pieces[i]);
        n = n < sizeof line - 1 - length ? n : sizeof line - 1 - length;
        memcpy(line + length, pieces[i], n);
        length += n;
    }
    line[length - 1] = '\n';
    (void)!write(ranks_terminal(), line, length);
}

static void on_limit(int signal)
{
    char text[512];
    struct timespec until_others_have_said_it = { .tv_nsec = 300000000 };
    (void)signal;
    bool waits = sdfg_mpi_waits(text, sizeof text);
    say(waits ? "time-out: " : "time-out", waits ? text : "");
    if (ranks_size() > 1)
        nanosleep(&until_others_have_said_it, NULL);
    _exit(EXIT_TIMEOUT);
}

void watch_limit(double seconds)
{
    struct itimerval t = { .it_value = { (time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6) } };
    if (!t.it_value.tv_sec && !t.it_value.tv_usec)
        t.it_value.tv_usec = 1;
    signal(SIGALRM, on_limit);
    setitimer(ITIMER_REAL, &t, NULL);
}

static volatile sig_atomic_t seen, said; /* numbers of messages */

static void on_look(int signal)
{
    char text[512];
    (void)signal;
    unsigned number = sdfg_mpi_waits(text, sizeof text);
    if (number && (sig_atomic_t)number == seen && (sig_atomic_t)number != said) {
        say("for ten seconds ", text);
        said = (sig_atomic_t)number;
    }
    seen = (sig_atomic_t)number;
}

void watch_messages(void)
{
    struct itimerval t = { .it_value = { LONG, 0 }, .it_interval = { LONG, 0 } };
    struct sigaction a = { .sa_handler = on_look, .sa_flags = SA_RESTART };
    sigemptyset(&a.sa_mask);
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &t, NULL);
}
