"""What was asked for, and what was done so far."""

import collections
import threading
import warnings

LEVELS = ("build", "memory")


class FallbackWarning(UserWarning):
    """libsdfg refuses a program, or ignores a setting of DaCe's: said once for each reason."""


class Settings:
    def __init__(self):
        self.level, self.fallback, self.options = None, True, {}
        self._lock, self._engine, self._announced = threading.Lock(), None, set()
        self.built, self.refused = 0, collections.Counter()

    def set(self, level, fallback, options):
        from .. import Engine
        engine = Engine(**options) # refuses what it does not know
        with self._lock:
            self.level, self.fallback, self.options, self._engine = level, fallback, options, engine

    def engine(self, **more):
        """The engine of these options, with others for one program."""
        from .. import Engine
        return Engine(**{**self.options, **more}) if more else self._engine

    def announce(self, key, text):
        with self._lock:
            if key in self._announced:
                return
            self._announced.add(key)
        warnings.warn(text, FallbackWarning, stacklevel=2)

    def count(self, reason=None):
        with self._lock:
            if reason is None:
                self.built += 1
            else:
                self.refused[reason] += 1

    def statistics(self):
        with self._lock:
            return {"built": self.built, "fallback": dict(self.refused)}


settings = Settings()
