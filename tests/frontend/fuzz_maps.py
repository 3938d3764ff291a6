"""Maps of random programs (fuzz.py): iterations that have nothing in common but what all of them read. Each writes its own row, column or element
of A or B, which no other one reads."""


class Map:
    """`p`: the parameter that decides the row that is written, `q`: the one of the column, or None; `target`: the array."""

    def __init__(self, program):
        self.program, self.chance = program, program.chance
        self.target = self.chance.choice("AB")
        self.other = "AB".replace(self.target, "")
        self.p, self.q, self.locals, self.count = "p", None, [], 0

    def line(self, text):
        self.program.line(text)

    # ---- expressions ----

    def near(self, extent):
        """An index that is in range for every iteration."""
        c = self.chance
        row = extent == "N"
        own = [self.p] if row else [self.q] if self.q else []
        return c.choice(["0", "1", f"{extent} - 1", "-1"] + own * 3 + ([f"{self.p} % M"] if not row else []))

    def part(self, extent):
        """A slice that may depend on the iteration, and may be empty only where that does not matter."""
        c = self.chance
        v = c.choice([self.p] + ([self.q] if self.q else []))
        return c.choice([":", ":", "1:", ":-1", "::2", f":{v} + 1", f"{v} % 2:", f"max({v} - 1, 0):{v} + 1", f"{v} % {extent}:"])

    def element(self):
        c = self.chance
        return c.choice([f"{self.other}[{self.near('N')}, {self.near('M')}]", f"I[{self.near('N')}, {self.near('M')}]", f"F[{self.near('N')}]", f"J[{self.near('M')}]",
                         f"U[{self.near('N')}]", f"{self.other}[{self.near('N')}][{self.near('M')}]", f"{self.other}[np.abs(J[{self.near('M')}]) % N, {self.near('M')}]"])

    def reduction(self):
        c = self.chance
        how = c.choice(["sum", "sum", "max", "min", "mean", "prod"])
        what = c.choice([f"{self.other}[{self.near('N')}, {self.part('M')}]", f"{self.other}[{self.part('N')}, {self.near('M')}]", f"{self.other}[{self.part('N')}, 0:2]",
                         f"I[{self.near('N')}, :] * F[{self.near('N')}]", f"np.abs({self.other}[{self.near('N')}, 1:] - {self.other}[{self.near('N')}, :-1])", "F"])
        if how in ("max", "min", "mean"): # of something
            what = what.replace(f"[{self.part('M')}]", "[:]")
        return f"np.{how}({what})"

    def scalar(self, depth=2):
        c = self.chance
        if depth and c.random() < 0.45:
            return f"({self.scalar(depth - 1)} {c.choice('+-*')} {self.scalar(depth - 1)})"
        if depth and c.random() < 0.3:
            return self.reduction()
        if depth and c.random() < 0.1:
            return f"mixed({self.scalar(0)}, {self.scalar(0)})"
        if depth and c.random() < 0.1:
            return f"({self.scalar(0)} if {self.test()} else {self.scalar(0)})"
        return c.choice([self.element(), self.element(), "k", "x", "0.5", "N", self.p] + ([self.q] if self.q else []) + [n for n, rank in self.locals if rank == 0])

    def row(self, depth=2):
        """M elements, or what broadcasts to them."""
        c = self.chance
        rows = [f"{self.other}[{self.near('N')}, :]", f"{self.other}[{self.near('N')}]", f"I[{self.near('N')}, :]", "J", f"{self.other}[{self.near('N')}, ::-1]",
                f"{self.target}[{self.p}, :]", f"np.sum({self.other}, axis=0)", f"np.max({self.other}[{c.choice([':', '1:', '::2'])}], axis=0)",
                f"np.sum({self.other}[:{self.p} + 1, :], axis=0)"]
        rows += [n for n, rank in self.locals if rank == 1]
        if depth == 0 or c.random() < 0.3:
            return c.choice(rows + [self.scalar(0)])
        if c.random() < 0.2:
            return f"np.where({self.row(depth - 1)} {c.choice(['<', '>='])} {self.row(depth - 1)}, {self.row(depth - 1)}, {self.row(depth - 1)})"
        if c.random() < 0.2:
            return f"np.{c.choice(['maximum', 'minimum'])}({self.row(depth - 1)}, {self.row(depth - 1)})"
        if c.random() < 0.1:
            return c.choice([f"mixed({self.row(depth - 1)}, {self.scalar(0)})", f"(F @ {self.other})", f"np.sum({self.other}[{self.p}:{self.p} + 1] * {self.scalar(0)}, axis=0)",
                             f"np.cumsum({self.other}[{self.near('N')}])", f"({self.other}[{self.p}:{self.p} + 1, :] + {self.scalar(0)})[0]"])
        return f"({self.row(depth - 1)} {c.choice('+-*')} {self.row(depth - 1)})"

    def test(self):
        c = self.chance
        return c.choice([f"{self.p} > 1", f"{self.p} % 2 == 0", f"{self.element()} > {self.element()}", f"{self.scalar(0)} < {self.scalar(0)}"] + ([f"{self.q} != {self.p}"] if self.q else []))

    # ---- statements ----

    def own(self):
        """What the iteration may write, where it is one element."""
        c = self.chance
        return f"{self.target}[{self.p}, {self.q}]" if self.q else f"{self.target}[{self.p}, {c.choice(['0', '1', '-1', 'M - 2'])}]"

    def fresh(self, rank):
        self.count += 1
        name = f"m{self.count}"
        self.locals.append((name, rank))
        return name

    def statement(self, depth):
        c = self.chance
        kind = c.random()
        if kind < 0.2:
            value = self.scalar()
            self.line(f"{self.fresh(0)} = {value}")
        elif kind < 0.35 and not self.q:
            value = f"{self.row()} + np.zeros(M)"
            name = self.fresh(1)
            self.line(f"{name} = {value}")
            if c.random() < 0.5:
                self.line(f"{name}[{c.choice(['0', '1:', '::2', '-1'])}] {c.choice(['=', '+=', '*='])} {self.scalar(1)}")
        elif kind < 0.6 and not self.q:
            self.line(f"{self.target}[{self.p}, :] {c.choice(['=', '=', '+=', '-='])} {self.row()}")
        elif kind < 0.75 and depth < 2:
            self.block(f"if {self.test()}:", depth)
            if c.random() < 0.5:
                self.block("else:", depth)
        elif kind < 0.9 and depth < 2 and not self.q:
            self.block(f"for {'jh'[depth]} in range({c.choice(['M', f'{self.p} % M + 1', '1, M', 'M - 1, -1, -1'])}):", depth, "jh"[depth])
        elif kind < 0.95:
            self.line(self.region())
        else:
            self.line(f"{self.own()} {c.choice(['=', '+=', '*='])} {self.scalar()}")

    def region(self):
        """A statement that writes one element, or the row, as a region of two dimensions or of one element."""
        c = self.chance
        if self.q:
            how = c.choice(["sum", "max", "prod"])
            return c.choice([f"{self.target}[{self.p}, {self.q}:{self.q} + 1] {c.choice(['=', '+='])} np.{how}({self.other}[{self.p}:{self.p} + 1, {c.choice([':', '1:', f'{self.q}:'])}] + {self.scalar(0)}, axis=1)",
                             f"{self.target}[{self.p}:{self.p} + 1, {self.q}] = np.{how}({self.other}[{c.choice([':', '1:', f'{self.p}:'])}, {self.q}:{self.q} + 1] * {self.scalar(0)}, axis=0)",
                             f"{self.target}[{self.p}:{self.p} + 1, {self.q}:{self.q} + 1] = {self.scalar(1)}"])
        return c.choice([f"{self.target}[{self.p}:{self.p} + 1, :] = {self.row(1)}", f"{self.target}[{self.p}:{self.p} + 1] *= {self.scalar(1)}",
                         f"{self.target}[{self.p}, {self.part('M')}] = {self.scalar(1)}", f"{self.target}[{self.p}, 1:] += {self.other}[{self.near('N')}, :-1] * {self.scalar(0)}",
                         f"{self.target}[{self.p}, :] = np.{c.choice(['sum', 'max'])}({self.other}[{c.choice([':', '1:', f'{self.p}:'])}] * {self.scalar(0)}, axis=0)"])

    def block(self, head, depth, column=None):
        self.line(head)
        self.program.indent += 1
        kept, q = list(self.locals), self.q
        self.q = column or q
        for _ in range(self.chance.randint(1, 2)):
            self.statement(depth + 1)
        self.locals, self.q = kept, q
        self.program.indent -= 1

    def emit(self):
        c = self.chance
        rows = c.choice(["0:N", "0:N", "1:N", "0:N:2", "0:N - 1"])
        form = c.random()
        if form < 0.5:
            self.line(f"for p in sdfg.map[{rows}]:")
        elif form < 0.85:
            self.line(f"for p, q in sdfg.map[{rows}, {c.choice(['0:M', '0:M', '1:M', '0:M:2'])}]:")
            self.q = "q"
        else:
            self.line(f"for p in sdfg.map[{rows}]:")
            self.program.indent += 1
            self.line(f"for q in sdfg.map[{c.choice(['0:M', '0:p % M + 1', 'p % M:M'])}]:")
            self.q = "q"
        self.program.indent += 1
        for _ in range(c.randint(1, 4)):
            self.statement(0)
        self.line(f"{self.own()} += {self.scalar(1)}")
        self.program.indent -= 2 if form >= 0.85 else 1
