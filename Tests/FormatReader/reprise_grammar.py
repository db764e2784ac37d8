"""The grammar lines of Docs/FileFormat: parsed, and matched against the bytes of rows.

A line defines a name by alternatives. An alternative is a list of terms:

    ("bytes", data)             constant bytes
    ("field", name, type)       a field; `type` is a term, or None if the table of fields has it
    ("ref", name)               another line, or a field without a type
    ("list", terms)             { a }
    ("sized", terms)            sized(a)
    ("many", term)              a*
    ("optional", terms)         [ a ]
    ("choice", alternatives)    ( a | b )
"""

import os
import re

from reprise_format import COLUMN_BYTES, Malformed, Reader, blocks

FIXED = {
    "u8": 1, "u16": 2, "u32": 4, "u64": 8, "u128": 16, "i64": 8, "i128": 16, "f32": 4, "f64": 8, "u16be": 2,
    "u32be": 4, "u64be": 8, "uuid": 16, "UUID": 16, "digest": 32, "crc": 4, "byte": 1}
TYPES = list(FIXED) + ["varint", "zigzag", "sized", "text", "rest"]
# The fields of one byte that have a few known numbers.
KINDS = ("kind", "form", "format", "tag", "flags", "policy", "origin", "there", "stage", "level", "topic")
TOKEN = re.compile(r'"[^"]*"|[\w-]+:(?:\d+ bytes|[\w-]+)|[\w-]+|[{}()\[\]|*]')


class Line:
    """One alternative of one definition. The keys and values of a table's rows have no name of their own."""

    def __init__(self, page, name, number, text, is_row):
        self.page, self.name, self.number, self.text, self.is_row = page, name, number, text, is_row
        self.terms = parse(text)

    @property
    def id(self):
        return f"{self.page} {self.name} := {self.text}"


def parse(text):
    prose = re.fullmatch(r"chunk of a (\w+)", text)
    if prose:
        return [("ref", prose[1])]
    if text.startswith("UTF-8"):
        return [("ref", "rest")]
    tokens = TOKEN.findall(text)
    terms, rest = sequence(tokens, 0)
    if rest != len(tokens):
        raise Malformed(f"no grammar: {text}")
    return terms


def sequence(tokens, at, end=None):
    """The terms up to a closing bracket, and the place after them."""
    alternatives, terms = [], []
    while at < len(tokens) and tokens[at] != end:
        token = tokens[at]
        at += 1
        if token == "|":
            alternatives.append(terms)
            terms = []
        elif token == "*":
            terms[-1] = ("many", terms[-1])
        elif token in "{[(":
            inner, at = sequence(tokens, at, {"{": "}", "[": "]", "(": ")"}[token])
            at += 1
            if token == "(" and terms and terms[-1][-1] in (("ref", "sized"), "sized"):
                sized = ("sized", inner)
                terms[-1] = sized if terms[-1][0] == "ref" else ("field", terms[-1][1], sized)
            elif token == "(":
                terms += inner
            else:
                terms.append(("list" if token == "{" else "optional", inner))
        else:
            terms.append(term(token))
    return ([("choice", alternatives + [terms])] if alternatives else terms), at


def term(token):
    if token[0] == '"':
        return ("bytes", token[1:-1].encode())
    if re.fullmatch(r"[0-9A-Fa-f]{2}", token):
        return ("bytes", bytes.fromhex(token))
    name, colon, kind = token.partition(":")
    return ("field", name, ("ref", kind)) if colon else ("ref", name)


def alternatives(block):
    """(name, text) of each alternative in a block of lines. A line with two columns defines a key and its value."""
    found, column, indent = [], None, 0
    for line in block.splitlines():
        start = re.match(r"(\S.*?)\s+:=", line)
        if start:
            column = line.find("value :=", start.end())
            indent = start.end()
            name, text = start[1], line[start.end():column if column > 0 else None]
        elif line.strip().startswith("|"):
            name, text = found[-1][0] if column < 0 else "key", line.strip()[1:]
            if column > 0:
                text = line[line.index("|") + 1:line.find("value :=")]
        elif len(line) - len(line.lstrip()) > indent + 20 or not line.strip():
            continue
        else:
            found[-1] = (found[-1][0], found[-1][1] + " " + line.strip())
            continue
        found.append((name, without_remark(text)))
        if column > 0:
            found.append(("value", without_remark(line[line.find("value :=") + 8:])))
    return found


def without_remark(text):
    """A remark stands behind at least three spaces."""
    if re.match(r"\s{3}", text):
        return ""
    return re.split(r"\s{3,}", text.strip())[0].strip()


class Page:
    def __init__(self, name, text):
        self.name, self.lines, self.fields, self.tags, self.flags = name, [], {}, {}, {}
        count = {}
        for block in re.findall(r"^```\n(.*?)^```", text, re.S | re.M):
            found = alternatives(block) if ":=" in block else []
            has_rows = any(names == "key" for names, _ in found)
            for names, line in found:
                for each in names.split(", "):
                    count[each] = count.get(each, 0) + 1
                    is_row = has_rows and each in ("key", "value") or each.startswith('"')
                    self.lines.append(Line(name, each, count[each], line, is_row))
        self.links = re.findall(r"\]\((?:FileFormat/)?([\w-]+)\.md", text)
        self.read_tables(text)

    def read_tables(self, text):
        head = None
        for line in text.splitlines():
            if not line.startswith("|"):
                head = None
                continue
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if head is None:
                head = cells
            elif len(cells) != len(head) or set(line) <= set("|- "):
                continue
            elif "type" in head and any(cell.startswith("field") for cell in head):
                place = next(i for i, cell in enumerate(head) if cell.startswith("field"))
                self.read_fields(cells[place], cells[head.index("type")], line)
            elif head[0] == "tag":
                self.read_tags(cells[0], cells[-1])

    def read_fields(self, names, types, line):
        types = types.split(", ")
        for i, name in enumerate(names.split(", ")):
            name = name.split(" of ")[0]
            kind = types[i] if i < len(types) else types[-1]
            if name not in self.fields or not self.fields[name]:
                self.fields[name] = kind
            flag = re.search(r"with flag (\d+)", line)
            if flag:
                self.flags[name] = int(flag[1])

    def read_tags(self, tags, content):
        numbers = [int(number) for number in re.findall(r"\d+", tags)]
        if "…" in tags:
            numbers = list(range(numbers[0], numbers[1] + 1))
        grammar = re.findall(r"`([^`]+)`", content)
        # The first sentence has the types.
        form = content.split(". ")[0].replace("of the text", "")
        names = re.findall(r"\b(" + "|".join(TYPES + ["run"]) + r")\b", form)
        for i, number in enumerate(numbers):
            if re.match(r"\w+:", content) and names:
                self.tags[number] = [("ref", names[0])]
            elif grammar:
                self.tags[number] = parse(grammar[0])
            elif len(numbers) == len(names) > 1:
                self.tags[number] = [("ref", names[i])]
            else:
                self.tags[number] = [("ref", name) for name in names]


class Grammar:
    # A name that several pages define, by the page that uses it.
    MEANT = {("meta", "build"): "indexes"}

    def __init__(self, folder):
        self.pages = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".md") and name != "example.md":
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.pages[name[:-3]] = Page(name[:-3], file.read())

    @property
    def lines(self):
        return [line for page in self.pages.values() for line in page.lines]

    def definition(self, page, name):
        """The alternatives of a name on a page, on a page that it links to, or on any page."""
        meant = self.MEANT.get((page, name))
        for other in [meant] if meant else [page] + self.pages[page].links + list(self.pages):
            lines = self.pages[other].lines if other in self.pages else []
            found = [line for line in lines if line.name == name and not line.is_row]
            if found:
                return found
        return []


class Node:
    """An instance of a line, or of a number or kind in it: a range of a value's bytes."""

    def __init__(self, what, line, start, end, around):
        # "line", "kind", "number" (of variable length) or "place" (a number in a key).
        self.what, self.line, self.start, self.end = what, line, start, end
        # The places of each length around it, and of the bytes that the length counts, from the outside in.
        self.around = around


class Matcher:
    """Finds the lines that the bytes of a value have, with all bytes used. Where the bytes alone do not show which
    alternative they have, the rule of a field does: a flag, a tag, a kind, a count."""

    def __init__(self, grammar, data):
        self.grammar, self.data = grammar, data
        # The first number and the first text of each name.
        self.facts = {}

    def nodes(self, page, line, terms):
        """The nodes of the first match. None if the bytes do not have these terms."""
        for end, nodes in self.sequence(page, line, terms, 0, len(self.data), {}, ()):
            if end == len(self.data):
                return nodes
        return None

    def sequence(self, page, line, terms, at, end, scope, around):
        if not terms:
            yield at, []
            return
        for here, nodes in self.term(page, line, terms[0], at, end, scope, around):
            known = dict(scope)
            for there, more in self.sequence(page, line, terms[1:], here, end, scope, around):
                yield there, nodes + more
            scope.clear()
            scope.update(known)

    def term(self, page, line, term, at, end, scope, around):
        kind = term[0]
        if kind == "bytes":
            if self.data.startswith(term[1], at, end):
                what = [Node("kind", line, at, at + 1, around)] if len(term[1]) == 1 else []
                yield at + len(term[1]), what
        elif kind == "field":
            yield from self.field(page, line, term, at, end, scope, around)
        elif kind == "ref":
            yield from self.reference(page, line, term[1], at, end, scope, around)
        elif kind == "sized":
            for start, stop in self.lengths(at, end):
                inside = around + ((at, start, stop),)
                for here, nodes in self.sequence(page, line, term[1], start, stop, scope, inside):
                    if here == stop:
                        yield stop, nodes
        elif kind == "list":
            for count, start in self.number(at, end):
                yield from self.repeated(page, line, term[1], count, start, end, scope, around)
        elif kind == "many":
            count = self.count(page, term[1], scope)
            yield from self.repeated(page, line, [term[1]], count, at, end, scope, around)
        elif kind == "optional":
            wanted = self.is_there(page, line, term[1], scope)
            if wanted is not False:
                yield from self.sequence(page, line, term[1], at, end, scope, around)
            if wanted is not True:
                yield at, []
        elif kind == "choice":
            for terms, stop in self.chosen(line, term[1], at, end):
                for here, nodes in self.sequence(page, line, terms, at, stop or end, scope, around):
                    if here == (stop or here):
                        yield here, nodes

    def field(self, page, line, term, at, end, scope, around):
        name, kind = term[1], term[2]
        for here, nodes in self.term(page, line, kind, at, end, scope, around):
            raw = self.data[at:here]
            if kind[0] == "ref" and kind[1] in ("varint", "zigzag"):
                scope[name] = Reader(raw).varint()
                self.facts.setdefault(name, scope[name])
                nodes = nodes + [Node("number", line, at, here, around)]
            elif kind == ("ref", "u8"):
                scope[name] = raw[0]
                if name in KINDS:
                    nodes = nodes + [Node("kind", line, at, here, around)]
            elif kind[0] == "ref" and kind[1] in ("u16be", "u32be", "u64be"):
                nodes = nodes + [Node("place", line, at, here, around)]
            elif kind == ("ref", "text"):
                self.facts.setdefault(name, Reader(raw).text())
            yield here, nodes

    def reference(self, page, line, name, at, end, scope, around):
        if name in FIXED or re.fullmatch(r"\d+ bytes", name):
            here = at + (FIXED[name] if name in FIXED else int(name.split()[0]))
            if here <= end:
                yield here, []
        elif name in ("varint", "zigzag"):
            for _, here in self.number(at, end):
                yield here, []
        elif name in ("sized", "text"):
            for start, here in self.lengths(at, end):
                try:
                    self.data[start:here].decode() if name == "text" else None
                except UnicodeDecodeError:
                    continue
                yield here, []
        elif name == "rest":
            yield end, []
        elif name in ("content", "element") and self.grammar.pages[page].tags:
            yield from self.tagged(page, line, name, at, end, scope, around)
        else:
            yield from self.definition(page, line, name, at, end, scope, around)

    def tagged(self, page, line, name, at, end, scope, around):
        """A content, after its tag. An element also has its tag."""
        nodes = []
        if name == "element":
            if at == end:
                return
            nodes, at = [Node("kind", line, at, at + 1, around)], at + 1
            tag = self.data[at - 1]
        else:
            tag = scope["tag"]
        terms = self.grammar.pages[page].tags.get(tag)
        if terms is None:
            return
        for here, more in self.sequence(page, line, terms, at, end, {}, around):
            contents = [l for l in self.grammar.definition(page, name) if name == "content" and self.names(l, terms)]
            yield here, nodes + more + [Node("line", l, at, here, around) for l in contents if here > at]

    def names(self, line, terms):
        """Whether one of the alternatives of a `content` has the type of these terms."""
        alternatives = line.terms[0][1] if line.terms[0][0] == "choice" else [line.terms]
        return any([t[2] if t[0] == "field" else t for t in a] == terms for a in alternatives)

    def definition(self, page, line, name, at, end, scope, around):
        if name == "row-key" and at == end and scope["level"] > 0:
            # The first node of a level.
            yield at, []
            return
        if name == "row-key" and end - at == COLUMN_BYTES + 16:
            # A shortened key.
            yield end, []
            return
        lines = self.grammar.definition(page, name)
        if not lines:
            kind = self.grammar.pages[page].fields.get(name, "")
            kind = kind if kind in FIXED or kind[:1].isdigit() else "rest"
            yield from self.reference(page, line, kind, at, end, scope, around)
            return
        for chosen in self.lines(page, name, lines, at, end, scope):
            inner = {"level": scope["level"]} if name == "entry" else {}
            for here, nodes in self.sequence(chosen.page, chosen, chosen.terms, at, end, inner, around):
                yield here, nodes + [Node("line", chosen, at, here, around)]

    # What rules say

    def lines(self, page, name, lines, at, end, scope):
        """The alternatives that the bytes may have."""
        if name == "change" and page == "log":
            for number, _ in self.number(at, end):
                return [lines[(0, 1, 1, 2)[number & 3]]]
        if name == "entry" and page == "index-history":
            return [lines[0 if scope["level"] == 0 else 1]]
        return lines

    def chosen(self, line, alternatives, at, end):
        """The alternatives that the bytes may have, and the end of each, if that is known."""
        if line and (line.page, line.name) == ("archives", "state"):
            is_whole = self.facts.setdefault("state", at) == at
            if self.facts["key"] == "/":
                return [(alternatives[0], None)]
            return [(alternatives[2 if is_whole and self.facts["scene"] == "//objects" else 1], None)]
        if line and (line.page, line.name) == ("log", "event"):
            for head, here in self.number(at, end):
                stop = here + (head >> 1) + (32 if head & 1 else 16)
                return [(alternatives[head & 1], stop)] if stop <= end else []
            return []
        return [(terms, None) for terms in alternatives]

    def count(self, page, term, scope):
        if term == ("field", "stack", ("ref", "varint")):
            return len(blocks(scope["version"]))
        if term == ("ref", "pointers"):
            return self.facts["events"]
        return None

    def is_there(self, page, line, terms, scope):
        """Whether an optional part is there. None if only the bytes show it."""
        name = terms[0][1] if terms[0][0] in ("field", "ref") else terms[0][1][0][1]
        flag = self.grammar.pages[page].flags.get(name)
        if flag and "flags" in scope:
            return scope["flags"] & flag != 0
        if line and line.name == "node" and name == "key":
            return self.facts["key"].startswith("//")
        if name == "values" and "there" in scope:
            return scope["there"] == 1
        return None

    # Bytes

    def repeated(self, page, line, terms, count, at, end, scope, around):
        if count == 0:
            yield at, []
            return
        for here, nodes in self.sequence(page, line, terms, at, end, dict(scope), around):
            if here == at:
                continue
            for there, more in self.repeated(page, line, terms, count and count - 1, here, end, scope, around):
                yield there, nodes + more
        if count is None:
            yield at, []

    def number(self, at, end):
        reader = Reader(self.data[at:min(end, at + 10)])
        try:
            yield reader.varint(), at + reader.at
        except Malformed:
            return

    def lengths(self, at, end):
        for length, start in self.number(at, end):
            if start + length <= end:
                yield start, start + length
