"""The bytes of Docs/FileFormat.md, taken apart: numbers, values, the schema, records, frames, order keys."""

import hashlib
import re
import struct
import unicodedata
import uuid

CHUNK = 1960
TOMBSTONE = 0x8000_0000
NULL, FALSE, TRUE, INT, UNSIGNED, DOUBLE, TEXT, BYTES, DATE, UUID, REFERENCE, ROPE, REDACTED, NOTHING = range(14)
BLOB = 64
INSERTED, UPDATED, DELETED, SCHEMA, NAMES, EDGE_ADDED, EDGE_REMOVED, MERGED, COMPACTION = range(1, 10)
# A log numbers at most so many names.
NAME_LIMIT = 4096

KINDS = ["", "inserted", "updated", "deleted", "schema", "names", "edgeAdded", "edgeRemoved", "merged", "compaction"]
ATTRIBUTE_KINDS = ["", "bool", "int", "unsigned", "double", "string", "bytes", "date", "uuid", "blob"]


class Malformed(Exception):
    pass


def _crc_table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


CRC_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFF_FFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFF_FFFF


class Reader:
    """Takes bytes apart, and refuses what is not there."""

    def __init__(self, data):
        self.data = bytes(data)
        self.at = 0

    @classmethod
    def sealed(cls, data):
        reader = cls(data)
        if reader.fixed("<I") != crc32c(reader.data[4:]):
            raise Malformed("wrong checksum")
        return reader

    @property
    def is_at_end(self):
        return self.at == len(self.data)

    def take(self, count):
        if count < 0 or count > len(self.data) - self.at:
            raise Malformed(f"{count} bytes wanted at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count:self.at]

    def rest(self):
        return self.take(len(self.data) - self.at)

    def fixed(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        number = 0
        for index in range(10):
            byte = self.byte()
            number |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if number >= 1 << 64:
                    raise Malformed("a number of more than 64 bits")
                return number
        raise Malformed("an endless number")

    def zigzag(self):
        number = self.varint()
        return -(number + 1 >> 1) if number & 1 else number >> 1

    def sized(self):
        return self.take(self.varint())

    def text(self):
        return self.sized().decode("utf-8")

    def uuid(self):
        return str(uuid.UUID(bytes=self.take(16)))

    def raw_value(self):
        """A value's bytes, tag included."""
        start = self.at
        tag = self.byte()
        if tag in (NULL, FALSE, TRUE, REDACTED, NOTHING):
            pass
        elif tag in (INT, UNSIGNED):
            self.varint()
        elif tag in (DOUBLE, DATE):
            self.take(8)
        elif tag in (TEXT, BYTES) or 64 <= tag <= 127:
            self.sized()
        elif tag == UUID:
            self.take(16)
        elif tag in (REFERENCE, ROPE):
            self.varint()
            self.take(16)
        else:
            raise Malformed(f"unknown tag {tag}")
        return self.data[start:self.at]

    def fields(self):
        """(number, raw value) to the end."""
        fields, last = {}, 0
        while not self.is_at_end:
            number = self.varint()
            if number <= last:
                raise Malformed("properties out of order")
            fields[number] = self.raw_value()
            last = number
        return fields


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def sealed(data):
    return struct.pack("<I", crc32c(data)) + data


def write_fields(fields):
    return b"".join(varint(number) + raw for number, raw in sorted(fields.items()))


# Values and schema


class Schema:
    def __init__(self):
        self.revision = 0
        self.entities = {}
        # (1 for an entity or 2 for a property, its number): the names that it had, oldest first; (3, the number of an
        # optional attribute that was a required one): none
        self.former = {}
        # what migrations made of objects: kind, source, target, reference, pairs of properties
        self.descents = []
        # the version that migrations led to, and the oldest that may go on
        self.versions = (0, 0)

    def renamed(self, what, before, name):
        if before and before != name:
            self.former[what] = [n for n in self.former.get(what, []) if n not in (before, name)] + [before]

    def apply(self, reader):
        kind = reader.byte()
        if kind == 4:
            self.descents.append(read_descent(reader))
            return
        number = reader.varint()
        if kind == 3:
            self.versions = (number, reader.varint())
        elif kind == 1:
            entity = self.entities.setdefault(number, {"name": "", "properties": {}})
            before, entity["name"] = entity["name"], reader.text()
            self.renamed((1, number), before, entity["name"])
        elif kind == 2:
            if number not in self.entities:
                raise Malformed(f"a property of the unknown entity {number}")
            properties = self.entities[number]["properties"]
            known = dict(properties)
            read_property(reader, properties)
            for key, before in known.items():
                self.renamed((2, key), before["name"], properties[key]["name"])
                if before.get("optional") is False and properties[key].get("optional"):
                    self.former[(3, key)] = []
        else:
            raise Malformed("an unknown change of the schema")

    def name(self, entity):
        return self.entities[entity]["name"] if entity in self.entities else f"#{entity}"

    def property(self, entity, number):
        properties = self.entities.get(entity, {"properties": {}})["properties"]
        return properties[number]["name"] if number in properties else f"#{number}"

    def indexes(self):
        """index: (entity, property number, property)"""
        return {
            p["index"]: (entity, number, p)
            for entity, e in self.entities.items() for number, p in e["properties"].items() if p["index"]
        }


def read_property(reader, properties):
    number, name, index = reader.varint(), reader.text(), reader.varint()
    found = {"name": name, "index": index, "role": reader.byte()}
    if found["role"] == 1:
        found["kind"] = ATTRIBUTE_KINDS[reader.byte()]
        found["optional"] = reader.byte() == 1
        found["default"] = reader.raw_value()
    elif found["role"] in (2, 3):
        found["target"], found["inverse"], found["deleteRule"] = reader.varint(), reader.varint(), reader.byte()
        if found["role"] == 2:
            found["stored"] = reader.byte() == 1
    elif found["role"] in (4, 6, 7, 8, 9, 10):
        # The same three with a history.
        found["history"] = found["role"] > 7
        found["role"] = {8: 4, 9: 6, 10: 7}.get(found["role"], found["role"])
        found["columns"] = [(reader.varint(), reader.text()) for _ in range(reader.varint())]
    elif found["role"] == 5:
        found["columns"], found["version"] = [(reader.varint(), "")], reader.varint()
    else:
        raise Malformed("an unknown role")
    properties[number] = found


def read_schema(data):
    reader, schema = Reader.sealed(data), Schema()
    schema.revision = reader.varint()
    for _ in range(reader.varint()):
        number, name, properties = reader.varint(), reader.text(), {}
        for _ in range(reader.varint()):
            read_property(reader, properties)
        schema.entities[number] = {"name": name, "properties": properties}
    if not reader.is_at_end:
        raise Malformed("bytes behind the schema")
    return schema


def read_history(data):
    reader, former = Reader.sealed(data), {}
    versions = (reader.varint(), reader.varint())
    for _ in range(reader.varint()):
        what = (reader.byte(), reader.varint())
        former[what] = [reader.text() for _ in range(reader.varint())]
    descents = [read_descent(reader) for _ in range(reader.varint())]
    if not reader.is_at_end:
        raise Malformed("bytes behind the history")
    return versions, former, descents


def read_descent(reader):
    kind = reader.byte()
    if kind not in (1, 2, 3):
        raise Malformed("an unknown kind of descent")
    source, target, reference = reader.varint(), reader.varint(), reader.varint()
    return kind, source, target, reference, [(reader.varint(), reader.varint()) for _ in range(reader.varint())]


def value(raw, schema):
    reader = Reader(raw)
    tag = reader.byte()
    if tag in (NULL, NOTHING):
        return None
    if tag in (FALSE, TRUE):
        return tag == TRUE
    if tag == INT:
        return reader.zigzag()
    if tag == UNSIGNED:
        return {"unsigned": reader.varint()}
    if tag in (DOUBLE, DATE):
        return {"double" if tag == DOUBLE else "date": f"{reader.fixed('<Q'):016x}"}
    if tag == TEXT:
        return reader.text()
    if tag == BYTES:
        return {"bytes": reader.sized().hex()}
    if tag == UUID:
        return {"uuid": reader.uuid()}
    if tag == REFERENCE:
        return {"reference": f"{schema.name(reader.varint())}/{reader.uuid()}"}
    if tag == ROPE:
        head = reader.varint()
        return {"longValue": {"text": head & 1 == 1, "length": head >> 1, "digest": reader.take(16).hex()}}
    if tag == REDACTED:
        return {"redacted": True}
    if tag == BLOB:
        reader = Reader(reader.sized())
        digest = reader.take(32).hex()
        return {"blob": digest, "bytes": reader.varint()}
    return {f"tag{tag}": reader.sized().hex()}


def named_values(fields, entity, schema):
    return {schema.property(entity, number): value(raw, schema) for number, raw in fields.items()}


# Records


def blocks(version):
    """How many versions each block has, the last one last."""
    sizes = []
    while version:
        size = (1 << (version + 1).bit_length() - 1) - 1
        sizes.append(size)
        version -= size
    return sizes


class Record:
    def __init__(self, data):
        reader = Reader.sealed(data)
        kind = reader.byte()
        if kind not in (1, 2, 3):
            raise Malformed("an unknown kind of record")
        self.is_tombstone = kind == 2
        self.is_split = kind == 3
        self.version = reader.varint()
        if self.version == 0:
            raise Malformed("version 0")
        self.stack = []
        for _ in blocks(self.version):
            self.stack.append((self.stack[-1] if self.stack else 0) + reader.varint())
        if sorted(set(self.stack)) != self.stack or self.stack[0] == 0:
            raise Malformed("positions out of order")
        self.fields = reader.fields()
        if self.is_tombstone and self.fields:
            raise Malformed("a tombstone with fields")
        if self.is_split != any(raw[0] == ROPE for raw in self.fields.values()):
            raise Malformed("a kind that tells otherwise of long values")

    def joined(self, content):
        """With its long values, as content(property, digest, length) tells them."""
        for number, raw in self.fields.items():
            if raw[0] == ROPE:
                reader = Reader(raw[1:])
                head = reader.varint()
                data = content(number, reader.take(16), head >> 1)
                self.fields[number] = bytes([TEXT if head & 1 else BYTES]) + varint(len(data)) + data
        return write_record(self.version, self.stack, self.fields, self.is_tombstone)


def next_head(record, position):
    """Version and stack after one more transaction, and the pointers of its event."""
    version, stack = (record.version, record.stack) if record else (0, [])
    kept = stack[:len(blocks(version + 1)) - 1]
    pointers = (stack[-1] if stack else 0, kept[-1] if kept else 0)
    return version + 1, kept + [position], pointers


def write_record(version, stack, fields, is_tombstone=False):
    body = bytes([2 if is_tombstone else 1]) + varint(version)
    last = 0
    for position in stack:
        body += varint(position - last)
        last = position
    return sealed(body + write_fields(fields))


# Frames


class Body:
    """What an event says, and an edit of a draft."""

    def __init__(self, body):
        self.kind, self.entity, self.object = None, None, None
        self.payload = b""
        if body:
            inner = Reader(body)
            self.kind = inner.byte()
            if not 1 <= self.kind <= COMPACTION:
                raise Malformed(f"unknown kind of event {self.kind}")
            if self.kind not in (SCHEMA, NAMES, COMPACTION):
                self.entity, self.object = inner.varint(), inner.uuid()
            self.payload = inner.rest()

    def changes(self):
        """(property, form, parts)"""
        reader, last = Reader(self.payload), 0
        while not reader.is_at_end:
            head = reader.varint()
            number, form = head >> 2, head & 3
            if number <= last:
                raise Malformed("properties out of order")
            last = number
            if form == 0:
                yield number, form, (reader.raw_value(), reader.raw_value())
            elif form == 3:
                yield number, form, ()
            else:
                yield number, form, (reader.varint(), reader.sized(), reader.sized())

    def fields(self):
        reader = Reader(self.payload)
        if self.kind == MERGED:
            reader.take(16)
        return reader.fields()


class Event(Body):
    def __init__(self, reader, index):
        head = reader.varint()
        self.index, self.is_redacted = index, head & 1 == 1
        if self.is_redacted:
            self.hash = reader.take(32)
            body = reader.take(head >> 1)
        else:
            salt = reader.take(16)
            body = reader.take(head >> 1)
            self.hash = hashlib.sha256(salt + body).digest()
        self.pointers = (0, 0)
        super().__init__(body)

    def json(self, schema):
        out = {"kind": KINDS[self.kind] if self.kind else "redacted"}
        if self.is_redacted:
            out["redacted"] = True
        if self.entity:
            out["entity"], out["object"] = schema.name(self.entity), self.object
            out["previous"], out["skip"] = self.pointers
        reader = Reader(self.payload)
        if self.kind in (INSERTED, DELETED, MERGED):
            if self.kind == MERGED:
                out["into"] = reader.uuid()
            out["fields"] = named_values(self.fields(), self.entity, schema)
        elif self.kind == UPDATED:
            out["changes"] = {}
            for number, form, parts in self.changes():
                name = schema.property(self.entity, number)
                if form == 0:
                    out["changes"][name] = {"old": value(parts[0], schema), "new": value(parts[1], schema)}
                elif form == 3:
                    out["changes"][name] = {"redacted": True}
                else:
                    show = (lambda b: b.decode()) if form == 1 else (lambda b: b.hex())
                    out["changes"][name] = {"at": parts[0], "removed": show(parts[1]), "inserted": show(parts[2])}
        elif self.kind in (EDGE_ADDED, EDGE_REMOVED):
            out["property"] = schema.property(self.entity, reader.varint())
            out["target"], out["order"] = reader.uuid(), reader.sized().hex()
        elif self.kind == COMPACTION:
            out.update(read_compaction(reader))
        return out


def read_compaction(reader):
    out = {"floor": reader.varint(), "hash": reader.take(32).hex(), "base": reader.take(32).hex()}
    policy = reader.byte()
    if policy not in (1, 2):
        raise Malformed("an unknown policy")
    out["keepsFrom" if policy == 1 else "keepsAge"] = reader.varint()
    return out


def read_format(data):
    """The number of the format."""
    if len(data) == 4:
        raise Malformed("made by a version before 0.1")
    if len(data) != 8 or data[:4] != b"RPRS":
        raise Malformed("no format")
    return struct.unpack("<I", data[4:])[0]


def read_place(data):
    """The place of a store in a shared log: epoch, number and ID of a packet, ID of the copy."""
    reader = Reader.sealed(data)
    place = reader.varint(), reader.varint(), reader.uuid(), reader.uuid()
    if not reader.is_at_end:
        raise Malformed("bytes behind a place")
    return place


def read_pairs(reader):
    return [(reader.varint(), reader.varint()) for _ in range(reader.varint())]


def read_migration(data):
    """The version that a migration leads to, and the indexes whose rows nobody needs."""
    reader = Reader.sealed(data)
    version = reader.varint()
    for _ in range(reader.varint()):
        for _ in range(4):
            reader.varint()
    reader.varint(), reader.varint(), reader.uuid()
    obsolete = [reader.varint() for _ in range(reader.varint())]
    for _ in range(reader.varint()):
        if not 1 <= reader.byte() <= 6:
            raise Malformed("an unknown kind of work")
        for _ in range(4):
            reader.varint()
        read_pairs(reader), read_pairs(reader)
    if not reader.is_at_end:
        raise Malformed("bytes behind the state of a migration")
    return version, obsolete


def read_build(data):
    """The number of an index that is being built."""
    reader = Reader.sealed(data)
    index, flags = reader.varint(), reader.byte()
    if flags & ~15:
        raise Malformed("unknown flags")
    for _ in range(4):
        reader.varint()
    for _ in range(reader.varint()):
        reader.varint()
    for flag in (2, 8):
        if flags & flag:
            reader.uuid()
    if flags & 4:
        reader.sized()
    if not reader.is_at_end:
        raise Malformed("bytes behind the state of an index")
    return index


def read_projection(data):
    """Number, flags and position of a projection."""
    reader = Reader.sealed(data)
    number, _, flags, position = reader.varint(), reader.varint(), reader.byte(), reader.varint()
    if number == 0 or flags & ~7 or not reader.is_at_end:
        raise Malformed("the state of no projection")
    return number, flags, position


def read_row_values(reader):
    """Steps over the values of a projection's row, up to their end."""

    def run():
        content = bytearray()
        while True:
            byte = reader.byte()
            if byte == 0:
                byte = reader.byte()
                if byte == 0:
                    return bytes(content)
                if byte != 0xFF:
                    raise Malformed("a zero in a run")
                byte = 0
            content.append(byte)

    while True:
        tag = reader.byte()
        if tag == 0:
            return
        if tag == 2:
            run().decode("utf-8")
        elif tag == 3:
            run()
        elif tag == 4:
            if reader.byte() > 1:
                raise Malformed("neither true nor false")
        elif 5 <= tag <= 8:
            reader.take(8)
        elif tag == 9:
            reader.take(16)
        elif tag == 10:
            run().decode("utf-8"), reader.take(16)
        elif tag == 11:
            reader.take(40)
        elif tag != 1:
            raise Malformed(f"an unknown value {tag} in a row")


def read_floor(data):
    """Where a log begins whose beginning was dropped, and what that said."""
    reader = Reader.sealed(data)
    floor = read_compaction(reader)
    floor["replica"], floor["nameCount"], floor["names"] = reader.uuid(), reader.varint(), reader.take(32)
    schema = floor["schema"] = read_schema(reader.sized())
    schema.versions, schema.former, schema.descents = read_history(reader.sized())
    if not reader.is_at_end:
        raise Malformed("bytes behind the floor")
    if floor["nameCount"] > NAME_LIMIT:
        raise Malformed("more names than a log numbers")
    return floor


class Frame:
    def __init__(self, data):
        reader = Reader.sealed(data)
        if reader.byte() != 1:
            raise Malformed("an unknown form of frame")
        self.hash = reader.take(32)
        flags = reader.byte()
        if flags & ~1:
            raise Malformed("unknown flags")
        delay = reader.zigzag()
        self.read_shared(Reader(reader.sized()))
        self.log_time = self.wall_time + delay
        for event in self.events:
            event.pointers = self.read_pointers(reader)
        self.keyframes = []
        if flags & 1:
            for _ in range(reader.varint()):
                self.keyframes.append((reader.varint(), reader.sized()))
        if not reader.is_at_end:
            raise Malformed("bytes behind the frame")

    def read_shared(self, reader):
        if reader.byte() != 1:
            raise Malformed("an unknown form of transaction")
        self.id = reader.uuid()
        flags = reader.byte()
        if flags & ~7:
            raise Malformed("unknown flags")
        self.position = reader.varint()
        distance = reader.varint()
        if not 0 < distance <= self.position:
            raise Malformed("a base that is not before the transaction")
        self.base = self.position - distance
        self.replica = reader.varint()
        self.new_replica = reader.uuid() if flags & 1 else None
        self.references = [reader.varint() for _ in range(3)]
        self.wall_time = reader.fixed("<q")
        self.revision = reader.varint()
        self.undoes = reader.varint() if flags & 2 else None
        self.supersedes = reader.varint() if flags & 4 else None
        count = reader.varint()
        self.envelope = reader.data[:reader.at]
        self.events = [Event(reader, index) for index in range(count)]
        if not reader.is_at_end:
            raise Malformed("bytes behind the events")
        self.first_new_name, self.new_names, self.inline = 0, [], []
        if self.events and self.events[0].kind == NAMES:
            names = Reader(self.events[0].payload)
            self.first_new_name = names.varint()
            self.new_names = [names.text() for _ in range(names.varint())]
            if self.new_names and self.first_new_name + len(self.new_names) > NAME_LIMIT:
                raise Malformed("more names than a log numbers")
            self.inline = [names.text() for _ in range(names.varint())]

    def read_pointers(self, reader):
        distance, further = reader.varint(), reader.varint()
        previous = self.position - distance if distance else 0
        skip = previous - further + 1 if further else 0
        if previous < 0 or skip < 0 or further and not distance:
            raise Malformed("a pointer out of the log")
        return previous, skip

    def expected_hash(self, log, previous):
        parts = [uuid.UUID(log).bytes, previous, self.envelope] + [event.hash for event in self.events]
        return hashlib.sha256(b"".join(parts)).digest()

    def names(self, known):
        """Author, context and transaction, then the metadata."""
        inline = list(self.inline)
        out = []
        for reference in self.references:
            if reference == 0:
                out.append(None)
            elif reference == 1:
                out.append(inline.pop(0) if inline else {"redacted": True})
            elif reference - 2 in known:
                out.append(known[reference - 2])
            else:
                raise Malformed(f"the name {reference - 2} has not been given")
        if len(inline) % 2:
            raise Malformed("a key of metadata without a value")
        return *out, dict(zip(inline[::2], inline[1::2]))


# Order keys


COLUMN_BYTES = 511 - 5 - 16


def whole_columns_key(values, collations):
    """The order keys of columns, one after the other."""
    return b"".join(order_key(raw, collation) for raw, collation in zip(values, collations))


def columns_key(values, collations):
    """The order keys of columns as far as an index stores them."""
    return whole_columns_key(values, collations)[:COLUMN_BYTES]


def collated(text, collation):
    """The text that stands for this one in an order key."""
    rules = collation.split("+") if collation else []
    if not set(rules) <= {"ignoringCase", "ignoringDiacritics", "natural"}:
        raise Malformed(f"the collation {collation}")
    if "ignoringCase" in rules:
        text = unicodedata.normalize("NFD", text).casefold()
    if "ignoringDiacritics" in rules:
        text = "".join(
            c for c in unicodedata.normalize("NFD", text)
            if c < "\u0300" or unicodedata.combining(c) <= 9 or unicodedata.category(c) != "Mn")
    if "natural" in rules:
        def numbered(digits):
            number = "".join(str(unicodedata.decimal(c)) for c in digits[0]).lstrip("0") or "0"
            nines, rest = divmod(len(number) - 1, 9)
            return "9" * nines + str(rest) + number
        text = re.sub(r"\d+", numbered, text)
    return text


def is_in(character, *ranges):
    return any(first <= ord(character) <= last for first, last in ranges)


def is_ignored(character):
    """Unicode's Default_Ignorable_Code_Point."""
    return is_in(
        character, (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
        (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF))


def is_unspaced(character):
    return is_in(
        character, (0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF),
        (0xA9E0, 0xA9FF), (0xAA60, 0xAADF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C),
        (0x3041, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F), (0x3400, 0x4DBF),
        (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


def words_of(raw):
    reader = Reader(raw)
    if reader.byte() != TEXT:
        return set()
    text = "".join(
        c for c in unicodedata.normalize("NFD", reader.text())
        if not (ord(c) >= 0x300 and unicodedata.category(c) == "Mn" and unicodedata.combining(c) > 9))
    text = "".join(low for c in text for up in c.lower() for low in "".join(u.lower() for u in up.upper()))
    words, word, is_cut = set(), b"", False
    for c in unicodedata.normalize("NFC", text) + " ":
        kind = unicodedata.category(c)
        if is_ignored(c) and c != "\u200b":
            continue
        is_mark = kind[0] == "M" and not is_unspaced(c)
        is_letter = kind[0] in "LMN" or kind == "Co"
        if is_mark and not word:
            continue
        if not is_letter or is_unspaced(c):
            words.add(word)
            word, is_cut = b"", False
        if is_letter and is_unspaced(c):
            words.add(c.encode())
        elif is_letter:
            is_cut = is_cut or len(word) + len(c.encode()) > 128
            word += b"" if is_cut else c.encode()
    return words - {b""}


def order_key(raw, collation=""):
    reader = Reader(raw)
    tag = reader.byte()
    if tag in (NULL, NOTHING):
        return b"\0"
    if tag in (FALSE, TRUE):
        return bytes([3, tag == TRUE])
    if tag == INT:
        return b"\4" + struct.pack(">Q", (reader.zigzag() + (1 << 64) ^ 1 << 63) & (1 << 64) - 1)
    if tag == UNSIGNED:
        return b"\5" + struct.pack(">Q", reader.varint())
    if tag in (DOUBLE, DATE):
        number = reader.fixed("<d")
        bits = struct.unpack(">Q", struct.pack(">d", number))[0]
        if number == 0:
            bits = 1 << 63
        elif number != number:
            bits = 0x7FF8_0000_0000_0000 | 1 << 63
        else:
            bits = ~bits & (1 << 64) - 1 if bits >> 63 else bits | 1 << 63
        return (b"\6" if tag == DOUBLE else b"\7") + struct.pack(">Q", bits)
    if tag == TEXT:
        return b"\1" + run(unicodedata.normalize("NFC", collated(reader.text(), collation)).encode())
    if tag == BYTES:
        return b"\2" + run(reader.sized())
    if tag == UUID:
        return b"\x08" + reader.take(16)
    if tag == REFERENCE:
        return b"\x09" + raw[-16:]
    if tag == BLOB:
        reader = Reader(reader.sized())
        return b"\x0a" + reader.take(32) + struct.pack(">Q", reader.varint())
    raise Malformed(f"no order for values with the tag {tag}")


def run(content):
    return content.replace(b"\0", b"\0\xff") + b"\0\0"
