"""The histories of indexes, as Docs/FileFormat/index-history.md describes them."""

import struct

from reprise_format import CHUNK, Malformed, Reader

LEVEL = 255
ROOT, NODE, REPLACED, BUILDING = range(4)


class Node:
    """A node: its level, and its entries in order."""

    def __init__(self, born, data):
        reader = Reader.sealed(data)
        self.born, self.level, self.entries = born, reader.byte(), []
        key = b""
        while not reader.is_at_end:
            shared = reader.varint()
            if shared > len(key):
                raise Malformed("a key that shares more than there is")
            before, key = key, key[:shared] + reader.sized()
            if key < before:
                raise Malformed("entries out of order")
            self.entries.append(self.read_row(reader, key) if self.level == 0 else self.read_child(reader, key))

    def position(self, reader):
        distance = reader.varint()
        return self.born + distance if distance else None

    def read_row(self, reader, key):
        begin, end = self.position(reader) or self.born, self.position(reader)
        if end is not None and end <= begin:
            raise Malformed("a row that ends before it begins")
        return key, begin, end

    def read_child(self, reader, lower):
        child = (self.born + reader.zigzag(), reader.varint())
        died, first, counts = self.position(reader), reader.varint(), []
        position, rows = max(self.born, child[0]), first
        counts.append((position, rows))
        history = Reader(reader.sized())
        while not history.is_at_end:
            position, rows = position + history.varint(), rows + history.zigzag()
            counts.append((position, rows))
        return lower, child, died, counts


class IndexHistory:
    def __init__(self, rows):
        """rows: those of the level, without the number of the index and the level."""
        self.roots, self.nodes, self.replaced, self.building = {}, {}, {}, None
        chunks = {}
        for key, data in sorted(rows.items()):
            kind, rest = key[0] if key else None, key[1:]
            if kind == ROOT and len(rest) == 8:
                reader = Reader.sealed(data)
                self.roots[struct.unpack(">Q", rest)[0]] = (reader.varint(), reader.varint())
            elif kind == NODE and len(rest) >= 14:
                chunks.setdefault(struct.unpack(">QI", rest[:12]), []).append(data)
            elif kind == REPLACED and len(rest) == 20 and not data:
                position, born, number = struct.unpack(">QQI", rest)
                self.replaced[born, number] = position
            elif kind == BUILDING and not rest:
                reader = Reader.sealed(data)
                self.building = (reader.varint(), (reader.varint(), reader.varint()), reader.sized())
            else:
                raise Malformed(f"a row of no known form: {key.hex()}")
        for name, parts in chunks.items():
            if any(len(part) != CHUNK for part in parts[:-1]):
                raise Malformed("a chunk that is too short")
            self.nodes[name] = Node(name[0], b"".join(parts))

    @property
    def first(self):
        """The first position that the history has; None if there is none."""
        return min(self.roots, default=None)

    def rows(self, position):
        """The row keys at a position, in order."""
        if self.building:
            root = self.building[1]
        else:
            root = self.roots[max(found for found in self.roots if found <= position)]
        found = []
        self.walk(root, None, position, b"", None, found)
        return found

    def walk(self, name, level, position, lower, upper, found):
        if name not in self.nodes:
            raise Malformed(f"node {name} is missing")
        node = self.nodes[name]
        if level is not None and node.level != level:
            raise Malformed(f"node {name} has level {node.level}")
        if name[0] > position or self.replaced.get(name, position + 1) <= position:
            raise Malformed(f"node {name} does not belong to position {position}")
        if node.level == 0:
            keys = [key for key, begin, end in node.entries if begin <= position and (end is None or end > position)]
            if any(key < lower or upper is not None and key >= upper for key in keys):
                raise Malformed(f"node {name} has rows outside of its range")
            found.extend(keys)
            return
        children = [
            entry for entry in node.entries if entry[1][0] <= position and (entry[2] is None or entry[2] > position)]
        bounds = [entry[0] for entry in children[1:]] + [upper]
        for (bound, child, _, counts), end in zip(children, bounds):
            before = len(found)
            self.walk(child, node.level - 1, position, max(bound, lower), end, found)
            counted = [rows for start, rows in counts if start <= position][-1]
            if counted != len(found) - before:
                raise Malformed(f"node {name} counts {counted} rows of {child}, which has {len(found) - before}")
