"""Work that may take long, such as compiling: ^C is heard while it lasts."""

import threading


def interruptible(work, finished=None):
    """The result of work(). On the main thread, which is the one that hears of signals, the work is done by another thread; what is
    raised here meanwhile, such as KeyboardInterrupt, leaves the work to itself. finished() is called behind it in any case."""
    finished = finished or (lambda: None)
    outcome = []

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as error: # it belongs to who waits
            outcome.append((None, error))
        finally:
            finished()

    if threading.current_thread() is threading.main_thread():
        try:
            thread = threading.Thread(target=run, name="sdfg", daemon=True)
            thread.start()
        except RuntimeError: # there can be no more threads
            run()
        else:
            thread.join()
    else:
        run()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
