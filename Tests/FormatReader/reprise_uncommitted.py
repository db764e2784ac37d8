"""Drafts and screens: the tables drafts, archives and journals, and the files in journals/."""

import hashlib
import struct
import uuid

from reprise_format import (
    BYTES, DELETED, INSERTED, KINDS, TEXT, UPDATED, Body, Malformed, Reader, crc32c, named_values, value)

ENTRY_KINDS = [
    "", "began", "edited", "undone", "redone", "emptied", "ended", "rebased", "flushed", "nodePut",
    "nodeRemoved", "sceneCleared"]


def hash16(text):
    return hashlib.sha256(text.encode()).digest()[:16]


def optional_text(reader):
    flag = reader.byte()
    if flag > 1:
        raise Malformed("neither a text nor none")
    return reader.text() if flag else None


class Uncommitted:
    def __init__(self, schema, log, problem, line):
        self.schema = schema
        self.log = uuid.UUID(log).bytes
        self.problem = problem
        self.line = line

    # Steps

    def reversal(self, reader):
        origin, undoes, supersedes = reader.byte(), reader.varint(), reader.varint()
        return {"origin": ("request", "undo", "redo")[origin], "undoes": undoes, "supersedes": supersedes or None}

    def head(self, reader):
        """Whether a group begins, its name, and what it takes back."""
        flags = reader.byte()
        return flags & 1 == 1, reader.text() if flags & 2 else None, self.reversal(reader) if flags & 4 else None

    def base(self, reader):
        """What a splice rests on: the text itself, or the length and the checksum of one that the draft has."""
        length = reader.varint()
        if length:
            return {"length": length - 1, "sum": reader.fixed("<I")}
        raw = reader.raw_value()
        if raw[0] not in (TEXT, BYTES):
            raise Malformed("a splice of something else than a text or bytes")
        return {"raw": raw}

    def step(self, reader):
        bases = [self.base(reader) for _ in range(reader.varint())]
        return self.change(reader.rest(), bases)

    def change(self, data, bases=()):
        body, rest, splices = Body(data), list(bases), 0
        if body.kind not in (INSERTED, UPDATED, DELETED):
            raise Malformed(f"a change of kind {body.kind} in a draft")
        out = {
            "entity": self.schema.name(body.entity), "object": body.object, "kind": KINDS[body.kind], "fields": {}}
        if body.kind != UPDATED:
            out["fields"] = named_values(body.fields(), body.entity, self.schema)
            if bases:
                raise Malformed("texts that no splice rests on")
            return out
        for number, form, parts in body.changes():
            name = self.schema.property(body.entity, number)
            if form == 0:
                old, new = (value(raw, self.schema) for raw in parts)
                out["fields"][name] = {"old": old, "new": new}
                continue
            if form == 3:
                raise Malformed("an erased value in a draft")
            splices += 1
            at, removed, inserted = parts
            found = {"at": at, "removed": removed.hex(), "inserted": inserted.hex()}
            base = rest.pop(0) if rest else {}
            if "raw" in base:
                raw = base.pop("raw")
                content = Reader(raw[1:]).sized()
                fits = at <= len(content) and content[at:at + len(removed)] == removed
                if raw[0] != (TEXT if form == 1 else BYTES) or not fits:
                    raise Malformed("a splice that does not fit")
                found["old"] = value(raw, self.schema)
            out["fields"][name] = {**found, **base}
        if bases and len(bases) != splices:
            raise Malformed(f"{len(bases)} texts for {splices} splices")
        return out

    # The tables

    def read_tables(self, drafts, archives, marks):
        found = {}
        for key, data in drafts:
            self.guard(f"drafts: {key.hex()}", lambda: self.read_draft_row(key, Reader.sealed(data), found))
        for key in sorted(found):
            draft = found[key]
            if "id" not in draft:
                self.problem(f"drafts: rows of {key.hex()} without a header")
            if "counted" in draft:
                self.check_counts(key, draft)
            self.line("draft", **draft)
        for key, data in archives:
            self.guard(f"archives: {key.hex()}", lambda: self.read_node(key, Reader.sealed(data)))
        for key, data in marks:
            self.guard(f"journals: {key.hex()}", lambda: self.read_mark(key, Reader(data)))

    def guard(self, what, body):
        try:
            body()
        except (Malformed, UnicodeDecodeError, IndexError, ValueError) as error:
            self.problem(f"{what}: {error}")

    def read_draft_row(self, key, reader, found):
        kind, place = key[:1], key[17:]
        draft = found.setdefault(key[1:17], {"changes": [], "groups": [], "redo": []})
        if kind == b"h":
            draft["id"] = reader.text()
            if hash16(draft["id"]) != key[1:17]:
                raise Malformed("the hash of another ID")
            draft["known"], draft["generation"], draft["base"] = reader.byte() == 1, reader.varint(), reader.varint()
            draft["baseHash"] = reader.take(8).hex()
            draft["parent"], draft["author"], draft["name"] = (optional_text(reader) for _ in range(3))
            draft["folded"] = {reader.uuid(): reader.varint() for _ in range(reader.varint())}
            reader.varint()
            draft["counted"] = self.read_summary(reader)
        elif kind == b"n":
            generation, entity = struct.unpack(">QI", place[:12])
            data = reader.rest()
            change = self.change(data)
            if Body(data).entity != entity or change["object"] != str(uuid.UUID(bytes=place[12:])):
                raise Malformed("the change of another object")
            if any("at" in field for field in change["fields"].values() if isinstance(field, dict)):
                raise Malformed("a part of a value in a net change")
            draft["changes"].append({"generation": generation, **change})
        elif kind in (b"u", b"r"):
            generation, number = struct.unpack(">QI", place)
            _, name, reversal = self.head(reader)
            steps = [self.step(Reader(reader.sized())) for _ in range(reader.varint())]
            draft["groups" if kind == b"u" else "redo"].append(
                {"generation": generation, "number": number, "name": name, "steps": steps, "reversal": reversal})
        else:
            raise Malformed("an unknown kind of row")
        if not reader.is_at_end:
            raise Malformed("bytes behind the row")

    @staticmethod
    def read_summary(reader):
        """(generation, how many changes, groups and undone groups), ascending."""
        layers = [tuple(reader.varint() for _ in range(4)) for _ in range(reader.varint())]
        for _ in range(reader.varint()):
            reader.varint(), reader.byte()
            for _ in range(reader.varint()):
                reader.varint()
        reader.byte()
        if reader.varint():
            raise Malformed("rows were lost")
        return layers

    def check_counts(self, key, draft):
        found = {}
        for place, kind in enumerate(("changes", "groups", "redo")):
            for row in draft[kind]:
                found.setdefault(row["generation"], [0, 0, 0])[place] += 1
        counted = {generation: counts for generation, *counts in draft.pop("counted", [])}
        if counted != found:
            self.problem(f"drafts: {key.hex()} has the rows {found}, and its header counts {counted}")

    def read_node(self, key, reader):
        scene, name = reader.text(), reader.text()
        group = name[:name.rfind("/") + 1]
        if key != hash16(scene) + hash16(group) + hash16(name):
            raise Malformed("the key of another node")
        self.line("node", scene=scene, key=name, state=reader.rest().hex())

    def read_mark(self, key, reader):
        if key[:1] == b"j":
            self.line("folded", journal=str(uuid.UUID(bytes=key[1:])), frame=reader.fixed("<Q"))
        elif key[:1] == b"d":
            self.line("consumed", draft=key[1:].hex(), generations=self.numbers(reader))
        elif key[:1] == b"t" and key[1:2] in (b"\1", b"\2"):
            kind = "draft" if key[1:2] == b"\1" else "scene"
            self.line("folded alone", **{kind: key[2:].hex()}, frames=self.numbers(reader))
        else:
            raise Malformed("an unknown kind of mark")

    def numbers(self, reader):
        by_journal = {}
        while not reader.is_at_end:
            journal = reader.uuid()
            by_journal[journal] = reader.fixed("<Q")
        return by_journal

    # The files

    def read_file(self, name, data):
        if len(data) < 48:
            return
        magic, version, log, journal, checksum = struct.unpack("<8sI16s16sI", data[:48])
        if checksum != crc32c(data[:44]):
            self.problem(f"{name}: a damaged header")
            journal = uuid.UUID(name.removesuffix(".journal")).bytes
        elif magic != b"RJOURNAL":
            return self.problem(f"{name}: of no known format")
        elif version != 1 or log != self.log or str(uuid.UUID(bytes=journal)) + ".journal" != name:
            self.problem(f"{name}: of another log, journal or version")
        head = struct.pack("<8sI16s16s", b"RJOURNAL", 1, self.log, journal)
        at, last, time, entries = 48, 0, 0, []
        while at + 16 + 9 <= len(data):
            size, checksum, number = struct.unpack("<IIQ", data[at:at + 16])
            payload = data[at + 16:at + 16 + size]
            covered = head + data[at + 8:at + 16] + payload
            if len(payload) < size or number <= last or checksum != crc32c(covered):
                break
            stamp = struct.unpack("<Q", payload[:8])[0]
            if stamp <= time:
                self.problem(f"{name}: the time steps back at frame {number}")
            self.guard(f"{name}: frame {number}", lambda: self.read_entries(payload, entries))
            last, time, at = number, stamp, at + 16 + size
        self.line("journal", file=name, frames=last, tornBytes=len(data) - at, entries=entries)

    def read_entries(self, payload, entries):
        reader = Reader(payload[8:])
        names = [reader.text() for _ in range(reader.varint())]
        while not reader.is_at_end:
            inner = Reader(reader.sized())
            kind = ENTRY_KINDS[inner.byte()]
            entry = {"kind": kind, "name": names[inner.varint()]}
            if kind == "began":
                entry["generation"], entry["base"] = inner.varint(), inner.varint()
                entry["baseHash"] = inner.take(8).hex()
                entry["parent"], entry["author"], entry["transaction"] = (optional_text(inner) for _ in range(3))
            elif kind == "edited":
                entry["generation"] = inner.varint()
                entry["startsGroup"], entry["group"], entry["reversal"] = self.head(inner)
                entry["step"] = self.step(inner)
            elif kind == "emptied":
                entry["generation"] = inner.varint()
            elif kind == "rebased":
                entry["base"], entry["baseHash"] = inner.varint(), inner.take(8).hex()
            elif kind == "nodePut":
                entry["key"], entry["state"] = inner.text(), inner.sized().hex()
            elif kind == "nodeRemoved":
                entry["key"] = inner.text()
            elif kind == "flushed":
                entry["upTo"] = inner.varint()
            if not inner.is_at_end:
                raise Malformed("bytes behind an entry")
            entries.append(entry)
