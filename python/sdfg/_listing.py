"""The text of functions with the types of names beside it."""

_WIDEST = 70 # lines beyond that have their types in the next line


class Listing:
    """`sources` are those of the functions that were compiled, in the order in which they were met; `add` hears of each name."""

    def __init__(self):
        self.sources, self._lines = [], {}

    def add(self, file, line, name, type):
        types = self._lines.setdefault((file, line), {}).setdefault(name, [])
        if type not in types:
            types.append(type)

    def __str__(self):
        shown, parts = set(), []
        for source in self.sources:
            lines = range(source.first_line, source.first_line + len(source.text.splitlines()))
            place = source.path, source.first_line
            if place not in shown and any((source.path, line) in self._lines for line in lines):
                shown.add(place)
                parts.append(self._function(source))
        return "\n".join(parts)

    def _function(self, source):
        texts = source.text.rstrip().splitlines()
        column = max((len(text) for text in texts if len(text) <= _WIDEST), default=0) + 2
        out = [f"# {source.path}:{source.first_line}"]
        for number, text in enumerate(texts, source.first_line):
            types = ", ".join(f"{name}: {' | '.join(found)}" for name, found in self._lines.get((source.path, number), {}).items())
            if types and len(text) > _WIDEST:
                out.append(text)
                text = ""
            out.append(f"{text:{column}}# {types}" if types else text)
        return "\n".join(out) + "\n"
