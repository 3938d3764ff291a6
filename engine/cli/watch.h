/* Calls that take too long: --timeout, and processes under an MPI launcher that wait for messages. */
#ifndef ENGINE_CLI_WATCH_H
#define ENGINE_CLI_WATCH_H

/* Ends this process after so many seconds; generated code cannot be stopped otherwise. Says what message it waits for.
 */
void watch_limit(double seconds);
/* Says on standard error which message this process has waited for in the last ten seconds, once for each. */
void watch_messages(void);

#endif
