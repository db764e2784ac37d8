#!/usr/bin/env python3
"""Makes rows that Docs/FileFormat does not allow, from its grammar lines and the rows of a sound store.

    reprise_violations.py PAGES STORE SEED [COVERED]

PAGES is the folder of the pages. COVERED is a file with the IDs of lines that need no violations, one in each line.

A line of the output is an object with "type":
    line        a grammar line: "id"
    unmatched   a row of the store that the grammar does not describe: "table", "key", "value"
    violation   "kind", "lines" (the IDs of the lines that it violates), "table", "rows" (each a key and a value in
                hexadecimal digits; a row without a value must be removed)
"""

import json
import random
import sys
import threading

from reprise_format import CHUNK, Malformed, Reader, sealed, varint
from reprise_grammar import Grammar, Matcher, Node, parse
from reprise_reader import TABLES, Store, chunk_number

# The tables with a chunk's number in each key, and with a number only in the keys after the first.
NUMBERED, UNNUMBERED = ("log", "drafts", "archives"), ("objects", "projections")
LONGEST_KEY = 511
# The values of the rows in a history, by the byte after the level in the key.
HISTORY = {0: "root", 1: "node", 3: "build"}


class Whole:
    """A value: its chunks in one, and the keys of their rows."""

    def __init__(self, key, value):
        self.keys, self.value = [key], value


def is_history(table, key):
    return table == "indexes" and len(key) > 5 and key[4] == 255


def is_numbered(table, key):
    return table in NUMBERED or is_history(table, key) and key[5] == 1


def wholes(table, rows):
    found = []
    for key, data in rows:
        last = found[-1] if found else None
        if last and (is_numbered(table, key) or table in UNNUMBERED) and len(last.value) == CHUNK * len(last.keys):
            base = last.keys[0][:-2] if is_numbered(table, key) else last.keys[0]
            if key == base + chunk_number(len(last.keys)):
                last.keys.append(key)
                last.value += data
                continue
        found.append(Whole(key, data))
    return found


def rows_of(table, whole, value):
    """The rows to put for another value, and to remove."""
    first = whole.keys[0]
    if not is_numbered(table, first) and table not in UNNUMBERED:
        return [(first, value)]
    rows, numbered = [], is_numbered(table, first)
    for number, start in enumerate(range(0, max(1, len(value)), CHUNK)):
        key = first[:-2] + chunk_number(number) if numbered else first + chunk_number(number) if number else first
        rows.append((key, value[start:start + CHUNK]))
    return rows + [(key, None) for key in whole.keys[len(rows):]]


def spliced(value, node, start, end, new):
    """A value with other bytes in a range of a node, and with the lengths around it corrected."""
    changed = value[:start] + new + value[end:]
    grown = len(new) - (end - start)
    for place, first, stop in reversed(node.around):
        length = varint(stop - first + grown)
        changed = changed[:place] + length + changed[first:]
        grown += len(length) - (first - place)
    return changed


class Violations:
    def __init__(self, grammar, store, covered):
        self.grammar, self.store, self.covered = grammar, store, covered
        # By line and kind.
        self.found = {}
        self.unmatched = []

    def run(self):
        for table in TABLES:
            # Another test changes each byte of an after-image.
            for whole in wholes(table, self.store.tables.get(table, [])) if table != "afterimages" else []:
                self.add_row(table, whole)

    def add(self, kind, line, table, rows):
        if line.id not in self.covered and all(0 < len(key) <= LONGEST_KEY for key, _ in rows):
            self.found.setdefault((line.id, kind), []).append((table, tuple(rows)))

    def definitions(self, table, key):
        """The lines that may describe a row: of its key, the terms of that, and of its value."""
        if table == "meta":
            for line in self.grammar.pages["meta"].lines:
                if line.is_row:
                    name = line.name.replace(" UTF-8 of a name", " rest").replace(" collation", " rest")
                    yield line, parse(name), line
            return
        page = self.grammar.pages["index-history" if is_history(table, key) else table]
        keys = [line for line in page.lines if line.is_row and line.name == "key" and "…" not in line.text]
        values = [line for line in page.lines if line.is_row and line.name == "value"]
        for place, line in enumerate(keys):
            if page.name == "index-history":
                yield line, line.terms, next((l for l in page.lines if l.name == HISTORY.get(place)), None)
            elif page.name == "indexes":
                yield line, line.terms, values[1 if len(key) > 4 and key[4] else 0]
            else:
                yield line, line.terms, values[place if len(values) == len(keys) else 0]

    def add_row(self, table, whole):
        for key_line, terms, line in self.definitions(table, whole.keys[0]):
            keys = Matcher(self.grammar, whole.keys[0]).nodes(key_line.page, key_line, terms)
            nodes = [] if line is None else Matcher(self.grammar, whole.value).nodes(line.page, line, line.terms)
            if keys is not None and nodes is not None and (line or not whole.value):
                self.add_keys(table, whole, key_line, keys)
                if line:
                    self.add_values(table, whole, line, nodes)
                return
        self.unmatched.append((table, whole))

    def add_keys(self, table, whole, line, nodes):
        key = whole.keys[0]

        def moved(kind, about, other):
            if other != key:
                self.add(kind, about, table, [(key, None), (other, whole.value[:CHUNK])])

        moved("a key without its last byte", line, key[:-1])
        moved("a key with a byte more", line, key + b"\7")
        for node in nodes:
            before, after, size = key[:node.start], key[node.end:], node.end - node.start
            if node.what == "kind":
                moved("a key of an unknown kind", node.line, before + b"\x7e" + after)
            elif node.what == "place":
                moved("a key with the number 0", node.line, before + bytes(size) + after)
                moved("a key with the greatest number", node.line, before + b"\xff" * size + after)
            elif node.what == "line":
                moved("a key without the last byte of a part", node.line, key[:node.end - 1] + after)
        if len(whole.keys) > 1:
            longer = [(key, whole.value[:CHUNK + 1])] + [(key, None) for key in whole.keys[1:]]
            self.add("a row longer than a chunk", line, table, longer)

    def add_values(self, table, whole, line, nodes):
        value = whole.value
        try:
            Reader.sealed(value)
            is_sealed = True
        except Malformed:
            is_sealed = False

        def put(kind, about, changed):
            if is_sealed and len(changed) >= 4:
                changed = sealed(changed[4:])
            if changed != value:
                self.add(kind, about, table, rows_of(table, whole, changed))

        put("a value with a byte more", line, value + b"\0")
        for node in nodes + [Node("line", line, 0, len(value), ())]:
            if node.what == "line" and node.end > node.start:
                put("a value that ends within a part", node.line, value[:node.end - 1])
                put("a part without its last byte", node.line, spliced(value, node, node.end - 1, node.end, b""))
                put("a part with a byte more", node.line, spliced(value, node, node.end, node.end, b"\0"))
            elif node.what == "kind":
                put("an unknown kind", node.line, value[:node.start] + b"\xfe" + value[node.end:])
            elif node.what == "number":
                greatest = b"\xff" * 9 + b"\1"
                put("the greatest number", node.line, spliced(value, node, node.start, node.end, greatest))
                put("the number 0", node.line, spliced(value, node, node.start, node.end, b"\0"))

    def output(self, seed):
        """One violation of each kind for each line."""
        for line in self.grammar.lines:
            yield {"type": "line", "id": line.id}
        for table, whole in self.unmatched:
            yield {"type": "unmatched", "table": table, "key": whole.keys[0].hex(), "value": whole.value.hex()}
        chosen, choice = {}, random.Random(seed)
        for (line, kind), cases in sorted(self.found.items()):
            chosen.setdefault((kind, *choice.choice(cases)), []).append(line)
        for (kind, table, rows), lines in chosen.items():
            rows = [[key.hex(), None if data is None else data.hex()] for key, data in rows]
            yield {"type": "violation", "kind": kind, "lines": lines, "table": table, "rows": rows}


def main():
    pages, path, seed, *rest = sys.argv[1:]
    covered = set()
    for name in rest:
        with open(name, encoding="utf-8") as file:
            covered |= set(file.read().splitlines())
    violations = Violations(Grammar(pages), Store.open(path), covered)
    violations.run()
    for line in violations.output(int(seed)):
        print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    # Each byte of an order key is a level of recursion.
    sys.setrecursionlimit(1_000_000)
    threading.stack_size(512 << 20)
    finished = []
    thread = threading.Thread(target=lambda: finished.append(main()))
    thread.start()
    thread.join()
    sys.exit(0 if finished else 1)
