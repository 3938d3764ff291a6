/* ^C (SIGINT) and SIGTERM: a call that runs is stopped, a file that is being written becomes whole or is not there;
 * then the process ends by the signal, as it does at once if there is nothing of that kind to end. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "engine/include/sdfg.h"

void interrupt_begin(void); /* once, at the start; a signal that is ignored stays ignored */
/* The call that runs from now on, which has a second to stop. NULL: none, and the process ends here if there was a
 * signal meanwhile. */
void interrupt_call(sdfg_bound *b);
/* Between these the process does not end. They nest. */
void interrupt_hold(void);
void interrupt_release(void);
void interrupt_end(void); /* ends the process if there was one */

#endif
