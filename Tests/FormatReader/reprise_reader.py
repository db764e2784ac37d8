#!/usr/bin/env python3
"""Reads a Reprise store with nothing but Docs/FileFormat.md, its pages and PyPI's `lmdb`.

    reprise_reader.py STORE     what is in the store, as JSON lines
    reprise_reader.py --each FOLDER     only the problems of each store in the folder, a line for each

A line is an object with "type": store, entity, transaction, object, deleted, count, index, draft, node, folded,
consumed, journal, interrupted, problem. The store is as its last commit left it, also if only an after-image has that
commit.
Exits with 1 if there is a problem: a wrong checksum, hash, pointer, count or index, or a head that is not the fold of
the log. Open it only while no process writes.

Values in JSON: null, booleans, integers and texts as they are; others as an object with one member: unsigned (an
integer), double and date (the bits, 16 hexadecimal digits), bytes (hexadecimal), uuid, reference (Entity/uuid),
longValue, redacted. A blob has two: blob (its SHA-256) and bytes (their number).
"""

import argparse
import hashlib
import json
import os
import struct
import sys
import uuid
from types import SimpleNamespace

from reprise_afterimages import base_after, read_places
from reprise_format import (
    BLOB, BYTES, CHUNK, DELETED, INSERTED, MERGED, NAMES, NOTHING, NULL, REDACTED, REFERENCE,
    SCHEMA, TEXT, TOMBSTONE, UPDATED, Frame, Malformed, Reader, Record, Schema, columns_key, named_values, next_head,
    order_key, read_build, read_floor, read_format, read_history, read_migration, read_place,
    read_projection, read_row_values,
    read_schema, run, sealed, varint, whole_columns_key, words_of, write_fields, write_record)
from reprise_history import LEVEL, IndexHistory
from reprise_uncommitted import Uncommitted

TABLES = (
    "meta", "log", "objects", "indexes", "drafts", "archives", "journals", "blobs", "values", "projections",
    "afterimages")


def chunk_number(number):
    """What stands behind a key in the key of a chunk."""
    short = min(number, 65535).to_bytes(2, "big")
    return short if number < 65536 else short + (number - 65536).to_bytes(4, "big")


# The fold


def after(event, record, position):
    """The record's bytes after an event, from the record before or None."""
    version, stack, pointers = next_head(record, position)
    if event.pointers != pointers:
        raise Malformed(f"pointers {event.pointers} where the record says {pointers}")
    if event.kind is None:
        raise Malformed("a redacted event cannot be done again")
    if event.kind == INSERTED:
        if record and not record.is_tombstone:
            raise Malformed("inserts an object that is there")
        return write_record(version, stack, event.fields())
    if record is None or record.is_tombstone:
        raise Malformed("changes an object that is not there")
    if event.kind in (DELETED, MERGED):
        if event.fields() != record.fields:
            raise Malformed("deletes an object with other fields")
        return write_record(version, stack, {}, is_tombstone=True)
    fields = dict(record.fields)
    if event.kind == UPDATED:
        for number, form, parts in event.changes():
            change(fields, number, form, parts)
    return write_record(version, stack, fields)


def before(event, version, position, fields, unknown):
    """The state of an object before an event, from that after it: how many versions, where, the fields or None, and the
    properties whose values nobody knows any more."""
    previous, skip = event.pointers
    if event.kind is None:
        raise Malformed("a redacted event cannot be taken back")
    if (previous == 0) != (version == 1) or skip > previous or previous >= position:
        raise Malformed(f"pointers {event.pointers} of version {version}")
    if event.kind == INSERTED:
        if fields is None:
            raise Malformed("inserts an object that is not there")
        known = lambda values: {number: raw for number, raw in values.items() if number not in unknown}
        if known(fields) != known(event.fields()):
            raise Malformed("inserts other fields")
        return version - 1, previous, None, set()
    if event.kind in (DELETED, MERGED):
        if fields is not None:
            raise Malformed("deletes an object that is there")
        return version - 1, previous, dict(event.fields()), set()
    if fields is None:
        raise Malformed("changes an object that is not there")
    fields, unknown = dict(fields), set(unknown)
    if event.kind == UPDATED:
        for number, form, parts in event.changes():
            if form == 3:
                if number not in unknown and fields.get(number) != bytes([REDACTED]):
                    raise Malformed(f"property {number} was erased, and has a value")
                unknown.add(number)
                continue
            if number in unknown:
                unknown.remove(number)
                if form == 0:
                    fields[number] = parts[1]
            if fields.get(number) == bytes([NOTHING]):
                del fields[number]
            change(fields, number, form, (parts[1], parts[0]) if form == 0 else (parts[0], parts[2], parts[1]))
    return version - 1, previous, fields, unknown


def check_keyframe(keyframe, version, position, fields, unknown):
    known = lambda values: {number: raw for number, raw in values.items() if number not in unknown}
    if fields is None or (keyframe.version, keyframe.stack[-1]) != (version, position):
        raise Malformed("a keyframe of another version")
    if known(dict(keyframe.fields)) != known(fields):
        raise Malformed("a keyframe with other fields")


def change(fields, number, form, parts):
    if form == 3:
        fields[number] = bytes([REDACTED])
        return
    nothing = bytes([NOTHING])
    before = fields.get(number, nothing)
    if form == 0:
        if before != parts[0]:
            raise Malformed(f"property {number} has another value than the one changed")
        if parts[1] == nothing:
            fields.pop(number, None)
        else:
            fields[number] = parts[1]
        return
    offset, removed, inserted = parts
    reader = Reader(before)
    if reader.byte() != (TEXT if form == 1 else BYTES):
        raise Malformed(f"a splice of property {number}, which is of another kind")
    content = reader.sized()
    if content[offset:offset + len(removed)] != removed:
        raise Malformed(f"property {number} has not what a splice removes")
    content = content[:offset] + inserted + content[offset + len(removed):]
    if form == 1:
        content.decode("utf-8")
    fields[number] = before[:1] + varint(len(content)) + content


# Indexes


def expected_rows(schema, objects):
    """index: its row keys, from the records."""
    rows = {index: set() for index in schema.indexes()}
    for index, (entity, number, prop) in schema.indexes().items():
        properties = schema.entities[entity]["properties"]
        columns = [(n, properties[n].get("default", bytes([NULL]))) for n, _ in prop.get("columns", [])]
        for (owner, identity), record in objects.items():
            if owner != entity or record.is_tombstone:
                continue
            raw = record.fields.get(number, prop.get("default", bytes([NULL])))
            own = uuid.UUID(identity).bytes
            if prop["role"] == 1:
                rows[index].add(columns_key([raw], [""]) + own)
            elif prop["role"] in (4, 6, 7):
                collations = [collation for _, collation in prop["columns"]]
                if any("locale:" in collation for collation in collations):
                    # The order of ICU, which is not here: no more is known than whose the rows are.
                    rows[index].add(own)
                    continue
                rows[index].add(columns_key([record.fields.get(*column) for column in columns], collations) + own)
            elif prop["role"] == 5:
                rows[index] |= {
                    b"\1" + run(word) + own
                    for word in words_of(record.fields.get(*columns[0]))}
            elif raw[0] == REFERENCE:
                rows[index].add(raw[-16:] + own)
    return rows


def repeated_values(schema, objects):
    """index: how many objects have the values of another one, of each unique index whose orders are known here."""
    repeated = {}
    for index, (entity, _, prop) in schema.indexes().items():
        if prop["role"] not in (6, 7) or any("locale:" in collation for _, collation in prop["columns"]):
            continue
        properties = schema.entities[entity]["properties"]
        keys = []
        for (owner, _), record in objects.items():
            if owner != entity or record.is_tombstone:
                continue
            values = [record.fields.get(n, properties[n].get("default", bytes([NULL]))) for n, _ in prop["columns"]]
            if prop["role"] == 7 or not any(raw[0] == NULL for raw in values):
                keys.append(whole_columns_key(values, [collation for _, collation in prop["columns"]]))
        repeated[index] = len(keys) - len(set(keys))
    return repeated


def check_nodes(levels, problem):
    """Every node of a counted index has what lies in its range."""
    rows = sorted(levels.get(0, {}))
    if not rows:
        if any(levels.get(level) for level in levels if level):
            problem("nodes without rows")
        return
    below = [(key, 1) for key in rows]
    level = 0
    while True:
        level += 1
        nodes = sorted(levels.get(level, {}).items())
        if not nodes or nodes[0][0] != b"":
            return problem(f"level {level} does not begin at the empty key")
        bounds = [key for key, _ in nodes] + [None]
        found = []
        at = 0
        for (key, data), end in zip(nodes, bounds[1:]):
            count, children = struct.unpack("<QI", data)
            inside = []
            while at < len(below) and (end is None or below[at][0] < end):
                inside.append(below[at])
                at += 1
            if len(inside) != children or sum(n for _, n in inside) != count:
                problem(f"the node {key.hex()} of level {level} counts {count} in {children}, has "
                        f"{sum(n for _, n in inside)} in {len(inside)}")
            if children > 128 or children < 1:
                problem(f"a node of level {level} with {children} children")
            if children < 32 and key != nodes[0][0] and key != nodes[-1][0]:
                problem(f"an inner node of level {level} with {children} children")
            found.append((key, count))
        below = found
        if len(nodes) == 1:
            break
    if set(levels) - set(range(level + 1)):
        problem("levels above the root")


# A store


class Store:
    def __init__(self, tables, journals=()):
        """tables: name -> sorted list of (key, value). journals: (name, bytes)."""
        self.tables = tables
        self.journals = journals
        self.problems = []
        self.clock_steps = []
        self.histories = {}
        self.lines = []

    @classmethod
    def open(cls, path):
        import lmdb
        environment = lmdb.open(path, readonly=True, lock=False, max_dbs=16)
        tables, missing = {}, []
        with environment.begin() as transaction:
            for name in TABLES:
                try:
                    table = environment.open_db(name.encode(), transaction, create=False)
                except lmdb.NotFoundError:
                    missing.append(name)
                    continue
                tables[name] = [(bytes(k), bytes(v)) for k, v in transaction.cursor(table)]
            commit = transaction.id()
        environment.close()
        folder = os.path.join(path, "journals")
        journals = []
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".journal"):
                with open(os.path.join(folder, name), "rb") as file:
                    journals.append((name, file.read()))
        store = cls(tables, journals)
        for name in missing:
            store.problem(f"the table {name} is missing")
        if "afterimages" in tables:
            store.read_after_images(path, commit)
        return store

    def read_after_images(self, path, commit):
        """Repeats the commit after the last one, or compares the last one with the tables."""
        try:
            images = {image.commit: image for image in read_places(self.tables["afterimages"]).values()}
        except Malformed as error:
            return self.problem(str(error))
        if commit + 1 in images and images[commit + 1].base == base_after(path, commit):
            self.line("interrupted", commit=commit + 1)
            return images[commit + 1].apply(self.tables)
        if commit not in images:
            return
        found = {}
        for (table, key), value in images[commit].rows().items():
            if table not in found:
                found[table] = dict(self.tables[table])
            if found[table].get(key) != value:
                self.problem(f"{table}: the row {key.hex()} is not what the after-image of the last commit says")

    def problem(self, text):
        self.problems.append(text)

    def line(self, kind, **members):
        self.lines.append({"type": kind, **members})

    def values(self, table, key_size):
        """(key, value) with the chunks put together. The key has no chunk number; None: all keys end with one; 0: each
        that goes on with no other is whole."""
        found = []
        expected = None
        for key, data in self.tables.get(table, []):
            if len(data) > CHUNK:
                self.problem(f"{table}: a row of {len(data)} bytes")
            if expected is not None and key == found[-1][0] + chunk_number(expected):
                number = expected
                found[-1][1].extend(data)
            else:
                size = len(key) - 2 if key_size is None else key_size or len(key)
                number = int.from_bytes(key[size:], "big")
                if number != 0:
                    self.problem(f"{table}: chunk {number} of {key[:size].hex()} without the one before")
                    continue
                found.append((key[:size], bytearray(data)))
            expected = number + 1 if len(data) == CHUNK else None
        return [(key, bytes(data)) for key, data in found]

    def read(self):
        meta = dict(self.tables.get("meta", []))
        version = read_format(meta[b"format"])
        # A store that shares its log has the format 2.
        if version not in (1, 2):
            raise Malformed(f"format {version}")
        floor = read_floor(meta[b"floor"]) if b"floor" in meta else None
        log = str(uuid.UUID(bytes=meta[b"log"]))
        frames = self.read_log(log, floor)
        head = frames[-1].position if frames else 0
        schema, names, replicas, folded = self.fold(frames, floor, meta)
        self.line(
            "store", format=version, log=log, replica=str(uuid.UUID(bytes=meta[b"replica"])), head=head,
            hash=frames[-1].hash.hex() if frames else None)
        for number, entity in sorted(schema.entities.items()):
            self.line(
                "entity", number=number, name=entity["name"],
                properties={p["name"]: n for n, p in sorted(entity["properties"].items())})
        for frame in frames:
            author, context, name, metadata = frame.names(names)
            self.line(
                "transaction", position=frame.position, id=frame.id, replica=replicas.get(frame.replica), author=author,
                context=context, name=name, **({"metadata": metadata} if metadata else {}), base=frame.base, wallTime=frame.wall_time, logTime=frame.log_time,
                revision=frame.revision, undoes=frame.undoes, supersedes=frame.supersedes, hash=frame.hash.hex(),
                events=[event.json(schema) for event in frame.events if event.kind != NAMES])
        self.check_head(meta, frames)
        self.check_meta(meta, schema, names, replicas)
        objects = self.read_objects(schema, folded)
        if floor:
            self.check_base(objects, frames, floor)
        self.check_counts(meta, schema, objects)
        self.check_indexes(schema, objects)
        self.check_histories(schema, objects, frames, floor)
        self.check_blobs(objects)
        self.check_projections(head)
        uncommitted = Uncommitted(schema, log, self.problem, self.line)
        uncommitted.read_tables(
            self.values("drafts", None), self.values("archives", None), self.tables.get("journals", []))
        for name, data in self.journals:
            uncommitted.read_file(name, data)
        for text in self.problems:
            self.line("problem", text=text)

    def read_log(self, log, floor):
        frames, previous, time = [], bytes.fromhex(floor["hash"]) if floor else bytes(32), None
        first = floor["floor"] if floor else 1
        self.first_position = first
        for key, data in self.values("log", 8):
            position = int.from_bytes(key, "big")
            if position < first:
                continue
            if position != len(frames) + first:
                self.problem(f"log: position {position} where {len(frames) + first} is expected")
            try:
                frame = Frame(data)
            except (Malformed, UnicodeDecodeError) as error:
                self.problem(f"log: transaction {position}: {error}")
                continue
            if frame.position != position:
                self.problem(f"log: the frame of {frame.position} in the place of {position}")
            if frame.hash != frame.expected_hash(log, previous):
                self.problem(f"log: the chain breaks at transaction {position}")
            if time is not None and frame.log_time <= time:
                self.clock_steps.append((position, time, frame.log_time))
            previous, time = frame.hash, frame.log_time
            frames.append(frame)
        return frames

    def fold(self, frames, floor, meta):
        """Schema, names, replicas and records that the log says; of a log with a floor the records are None."""
        schema, names, replicas, records = Schema(), {}, {}, {}
        if floor:
            schema, replicas = floor["schema"], {0: floor["replica"]}
            digest = hashlib.sha256()
            for number in range(floor["nameCount"]):
                name = meta.get(b"n" + struct.pack(">I", number), b"")
                names[number] = name.decode()
                digest.update(varint(len(name)) + name)
            if digest.digest() != floor["names"]:
                self.problem("meta: the names before the floor are others")
        for frame in frames:
            if frame.new_replica:
                if frame.replica in replicas:
                    self.problem(f"log: replica {frame.replica} gets its number twice")
                replicas[frame.replica] = frame.new_replica
            if frame.new_names and frame.first_new_name != len(names):
                self.problem(f"log: transaction {frame.position} numbers names from {frame.first_new_name}")
            for offset, name in enumerate(frame.new_names):
                names[frame.first_new_name + offset] = name
            touched = {}
            for event in frame.events:
                if floor and event.kind != SCHEMA:
                    continue
                try:
                    self.fold_event(event, frame, schema, records, touched)
                except (Malformed, UnicodeDecodeError, KeyError) as error:
                    self.problem(f"log: transaction {frame.position}, event {event.index}: {error}")
            for index, data in frame.keyframes:
                event = frame.events[index]
                record = records.get((event.entity, event.object))
                if record and record[4:] != data:
                    self.problem(f"log: a keyframe of transaction {frame.position} is not the record")
        return schema, names, replicas, None if floor else records

    def check_base(self, objects, frames, floor):
        """Takes the log back from the objects, and compares what was there before it."""
        states = {
            key: (record.version, record.stack[-1], None if record.is_tombstone else dict(record.fields), set())
            for key, record in objects.items()
        }
        for frame in reversed(frames):
            for event in reversed(frame.events):
                if not event.entity:
                    continue
                key = (event.entity, event.object)
                try:
                    if key not in states or states[key][1] != frame.position:
                        raise Malformed("no version of the object")
                    for data in (data for index, data in frame.keyframes if index == event.index):
                        check_keyframe(Record(sealed(data)), *states[key])
                    states[key] = before(event, *states[key])
                except (Malformed, UnicodeDecodeError, KeyError) as error:
                    self.problem(f"log: transaction {frame.position}, event {event.index}: {error}")
        digest = hashlib.sha256()
        for (entity, identity), (_, position, fields, _) in sorted(states.items(), key=lambda state: state[0]):
            if position >= floor["floor"]:
                self.problem(f"objects: {entity}/{identity} is in no transaction of the log")
            if fields is not None:
                data = write_fields(fields)
                digest.update(entity.to_bytes(4, "big") + uuid.UUID(identity).bytes + struct.pack("<I", len(data)) + data)
        if digest.hexdigest() != floor["base"]:
            self.problem("objects: those before the floor are others")

    def fold_event(self, event, frame, schema, records, touched):
        if event.kind == SCHEMA:
            schema.apply(Reader(event.payload))
            schema.revision = frame.revision
        elif event.entity or event.kind is None:
            key = (event.entity, event.object)
            # All events of one object in a transaction begin from the record before it.
            before = touched.setdefault(key, records.get(key))
            records[key] = after(event, Record(before) if before else None, frame.position)

    def read_objects(self, schema, folded):
        objects, seen = {}, set()
        values = self.long_values()
        for key, data in self.values("objects", 20):
            number = int.from_bytes(key[:4], "big")
            entity, identity = number & ~TOMBSTONE, str(uuid.UUID(bytes=key[4:]))
            what = f"objects: {schema.name(entity)}/{identity}"
            try:
                record = Record(data)
                if record.is_split:
                    data = record.joined(lambda number, *known: self.long_value(values, key[4:], number, *known))
            except Malformed as error:
                self.problem(f"{what}: {error}")
                continue
            if record.is_tombstone != bool(number & TOMBSTONE):
                self.problem(f"{what}: under the wrong key")
            if (entity, identity) in seen:
                self.problem(f"{what}: there twice")
            seen.add((entity, identity))
            objects[entity, identity] = record
            if folded is not None and folded.get((entity, identity)) != data:
                self.problem(f"{what}: is not what the log says")
            if record.is_tombstone:
                self.line(
                    "deleted", entity=schema.name(entity), id=identity, version=record.version, positions=record.stack)
            else:
                self.line(
                    "object", entity=schema.name(entity), id=identity, version=record.version, positions=record.stack,
                    fields=named_values(record.fields, entity, schema))
        for entity, identity in sorted(set(folded or {}) - seen):
            self.problem(f"objects: {schema.name(entity)}/{identity} is missing")
        for identity, number in sorted(values):
            self.problem(f"values: chunks of no value of {uuid.UUID(bytes=identity)}, property {number}")
        return objects

    def long_values(self):
        """The contents of the table, by the object's uuid, 16 bytes, and the property; None for a damaged one."""
        found = {}
        for key, data in self.tables.get("values", []):
            if len(key) != 28 or not 4 < len(data) <= CHUNK:
                self.problem(f"values: a row that is none: {key.hex()}")
                continue
            value = key[:16], int.from_bytes(key[16:20], "big")
            try:
                piece = Reader.sealed(data).rest()
                if found.setdefault(value, b"") is not None:
                    found[value] += piece
            except Malformed:
                found[value] = None
        return found

    @staticmethod
    def long_value(values, identity, number, digest, length):
        content = values.pop((identity, number), b"")
        if content is None or len(content) != length or hashlib.sha256(content).digest()[:16] != digest:
            raise Malformed(f"the value of property {number} is not what its digest says")
        return content

    def check_blobs(self, objects):
        """Each blob is what its digest says, and each that an object has is there."""
        chunks, found, unused, abandoned = {}, {}, set(), set()
        for key, data in self.tables.get("blobs", []):
            if key[0] == 0 and len(key) == 21:
                chunks.setdefault(key[1:17], []).append((int.from_bytes(key[17:], "big"), data))
            elif key[0] == 1 and len(key) == 33:
                reader = Reader.sealed(data)
                found[key[1:]] = reader.take(16), reader.varint()
            elif key[0] == 2 and len(key) == 33 and not data:
                unused.add(key[1:])
            elif key[0] == 3 and len(key) == 17 and not data:
                abandoned.add(key[1:])
            else:
                self.problem(f"blobs: a row that is none: {key.hex()}")
        wanted = {}
        for record in objects.values():
            for raw in record.fields.values():
                if raw[0] == BLOB:
                    reader = Reader(Reader(raw[1:]).sized())
                    digest = reader.take(32)
                    wanted[digest] = reader.varint()
        for digest, (upload, length) in sorted(found.items()):
            content = bytearray()
            for number, (chunk, data) in enumerate(chunks.pop(upload, [])):
                piece = Reader.sealed(data).rest()
                if chunk != number or len(content) % 1956:
                    self.problem(f"blobs: chunk {chunk} of {digest.hex()}")
                content += piece
            if len(content) != length or hashlib.sha256(content).digest() != digest:
                self.problem(f"blobs: {digest.hex()} is not what its digest says")
            self.line("blob", digest=digest.hex(), bytes=length, isUnused=digest in unused)
        for digest, length in wanted.items():
            if length and found.get(digest, (None, None))[1] != length:
                self.problem(f"blobs: an object has {digest.hex()}, which is not there")
        for upload in set(chunks) - abandoned:
            self.problem(f"blobs: chunks of no blob under {upload.hex()}")
        for digest in unused - set(found):
            self.problem(f"blobs: {digest.hex()} is unused, and not there")

    def check_projections(self, head):
        """Each row is of a known projection, and of the form that its keys and values have."""
        states, rows = {}, []
        for key, data in self.values("projections", 0):
            what = f"projections: {key.hex()}"
            try:
                if len(key) < 5:
                    raise Malformed("a key of no row")
                if key[:4] != bytes(4):
                    rows.append((key, data))
                    continue
                name = key[4:].decode("utf-8")
                if len(key) > 204 or "\0" in name:
                    raise Malformed("the name of no projection")
                number, flags, position = read_projection(data)
                if number in states:
                    raise Malformed("the number of another projection")
                if position > head:
                    raise Malformed(f"has taken up {position}, and the last is {head}")
                states[number] = flags, position
                self.line("projection", name=name, number=number, position=position)
            except (Malformed, UnicodeDecodeError) as error:
                self.problem(f"{what}: {error}")
        for key, data in rows:
            try:
                if int.from_bytes(key[:4], "big") not in states:
                    raise Malformed("of no projection")
                self.check_projection_row(key[4:], data, *states[int.from_bytes(key[:4], "big")])
            except (Malformed, UnicodeDecodeError) as error:
                self.problem(f"projections: {key.hex()}: {error}")

    @staticmethod
    def check_projection_row(key, data, flags, position):
        if flags & 2:
            # Of another version, and on their way out.
            return
        reader = Reader(key)
        read_row_values(reader)
        if flags & 1 and not 0 < ~reader.fixed(">Q") & (1 << 64) - 1 <= position:
            raise Malformed("the version of another transaction")
        if not reader.is_at_end:
            raise Malformed("bytes behind a key")
        reader = Reader.sealed(data)
        if reader.byte():
            read_row_values(reader)
        if not reader.is_at_end:
            raise Malformed("bytes behind a row")

    def check_head(self, meta, frames):
        """Where the log ends."""
        if b"head" not in meta:
            return self.problem("meta: no head")
        reader = Reader.sealed(meta[b"head"])
        position, digest = struct.unpack("<Q", reader.take(8))[0], reader.take(32)
        known = [frame.id for frame in frames] + [
            event.object for frame in frames for event in frame.events if event.kind == INSERTED and not event.is_redacted]
        # Only of version 7, and not of the far future.
        known = [text for text in known if text[14] == "7" and text[0] < "8"]
        if reader.uuid() < max(known, default=""):
            self.problem("meta: an ID in the log is greater than the greatest one that the store knows")
        if not reader.is_at_end:
            self.problem("meta: bytes behind the head")
        last = frames[-1].position if frames else 0
        if position > last:
            self.problem(f"meta: the log ends with {last}, and {position} was saved")
        elif position < last:
            self.problem(f"meta: the log goes on to {last}, and {position} was saved")
        elif frames and frames[-1].hash != digest:
            self.problem("meta: the last transaction is not the one that was saved")

    def check_meta(self, meta, schema, names, replicas):
        if b"schema" in meta:
            stored = read_schema(meta[b"schema"])
            if (stored.revision, stored.entities) != (schema.revision, schema.entities):
                self.problem("meta: the schema is not what the log says")
        for key in (b"schema", b"history", b"order", b"names"):
            if key not in meta:
                self.problem(f"meta: no {key.decode()}")
        if b"history" in meta and read_history(meta[b"history"]) != (schema.versions, schema.former, schema.descents):
            self.problem("meta: the history of the schema is not what the log says")
        if b"order" in meta and struct.unpack("<I", meta[b"order"])[0] != 1:
            self.problem("meta: an order of the indexes that nobody knows")
        if b"names" in meta and struct.unpack("<I", meta[b"names"])[0] != len(names):
            self.problem("meta: another number of names than in the log")
        if b"migration" in meta and read_migration(meta[b"migration"])[0] != schema.versions[0]:
            self.problem("meta: a migration of which the log does not tell")
        for number, name in names.items():
            if meta.get(b"n" + struct.pack(">I", number)) != name.encode():
                self.problem(f"meta: the name {number} is not '{name}'")
            if meta.get(b"N" + name.encode()) != struct.pack("<I", number):
                self.problem(f"meta: '{name}' has not the number {number}")
        if str(uuid.UUID(bytes=meta[b"replica"])) not in replicas.values() and replicas:
            self.problem("meta: the replica is not in the log")
        known = {b"format", b"log", b"replica", b"schema", b"history", b"migration", b"order", b"head", b"names"}
        if read_format(meta[b"format"]) == 2:
            known.add(b"place")
            read_place(meta[b"place"])
        properties = {number for entity in schema.entities.values() for number in entity["properties"]}
        for number in properties:
            known |= {kind + struct.pack(">I", number) for kind in (b"b", b"d")}
        steps = []
        for key in sorted(meta):
            if len(key) == 5 and key[:1] == b"b":
                read_build(meta[key])
            if len(key) == 5 and key[:1] == b"d" or key[:1] == b"k":
                struct.unpack("<I", meta[key])
            if len(key) == 9 and key.startswith(b"t"):
                known.add(key)
                step = struct.unpack("<Qqq", Reader.sealed(meta[key]).rest())
                if key[1:] != struct.pack(">Q", step[0]):
                    self.problem(f"meta: the clock step of {step[0]} under the key {key}")
                steps.append(step)
        first = self.first_position
        if [step for step in steps if step[0] > first] != self.clock_steps:
            self.problem("meta: the clock was not set back where the log says")
        known.add(b"floor")
        known |= {b"n" + struct.pack(">I", number) for number in names}
        known |= {b"N" + name.encode() for name in names.values()}
        known |= {b"c" + struct.pack(">I", number) for number in schema.entities}
        for key in meta:
            if key not in known and not key.startswith(b"k"):
                self.problem(f"meta: nothing reads the entry {key}")

    def check_counts(self, meta, schema, objects):
        for number, entity in sorted(schema.entities.items()):
            stored = struct.unpack("<Q", meta.get(b"c" + struct.pack(">I", number), bytes(8)))[0]
            found = sum(1 for (e, _), record in objects.items() if e == number and not record.is_tombstone)
            self.line("count", entity=entity["name"], count=stored)
            if stored != found:
                self.problem(f"meta: {stored} objects of {entity['name']} are counted, {found} are there")

    def check_indexes(self, schema, objects):
        found = {}
        for key, data in self.tables.get("indexes", []):
            number, level = struct.unpack(">IB", key[:5])
            found.setdefault(number, {}).setdefault(level, {})[key[5:]] = data
        meta = dict(self.tables.get("meta", []))
        unready = {read_build(data) for key, data in meta.items() if len(key) == 5 and key[:1] == b"b"}
        if b"migration" in meta:
            unready |= set(read_migration(meta[b"migration"])[1])
        expected = expected_rows(schema, objects)
        repeated = repeated_values(schema, objects)
        for number in sorted(set(found) - unready | set(expected)):
            levels = found.get(number, {})
            rows = levels.get(0, {})
            if number in expected and schema.indexes()[number][2].get("history"):
                self.histories[number] = levels.pop(LEVEL, {})
            if number not in expected:
                self.problem(f"indexes: {number} belongs to nothing")
                continue
            entity, prop = schema.indexes()[number][0], schema.indexes()[number][2]
            name = f"{schema.name(entity)}.{prop['name']}"
            there = set(rows)
            if any(rows.values()):
                self.problem(f"indexes: {name} has a row with a value")
            if any("locale:" in column[1] for column in prop.get("columns", [])):
                there = {key[-16:] for key in rows}
                if len(there) != len(rows):
                    self.problem(f"indexes: {name} has several rows of one object")
            missing, stray = expected[number] - there, there - expected[number]
            if missing or stray:
                self.problem(f"indexes: {name} lacks {len(missing)} rows and has {len(stray)} too many")
            if repeated.get(number):
                self.problem(f"indexes: {name} is unique and repeats {repeated[number]} values")
            if prop["role"] != 2:
                check_nodes(levels, lambda text: self.problem(f"indexes: {name}: {text}"))
            elif set(levels) - {0}:
                self.problem(f"indexes: {name} has levels")
            self.line("index", number=number, property=name, rows=len(rows))

    def check_histories(self, schema, objects, frames, floor):
        """Takes the log back from the objects, and compares each history with the rows at each position."""
        histories, rows = {}, {}
        for number, found in self.histories.items():
            entity, prop = schema.indexes()[number][0], schema.indexes()[number][2]
            name = f"{schema.name(entity)}.{prop['name']}"
            try:
                histories[number] = (name, IndexHistory(found))
            except Malformed as error:
                self.problem(f"indexes: the history of {name}: {error}")
        histories = {
            number: found for number, found in histories.items()
            if found[1].roots and not any("locale:" in c[1] for c in schema.indexes()[number][2]["columns"])}
        for number, (name, history) in histories.items():
            self.line("history", number=number, property=name, first=history.first)
        if not histories:
            return
        entities = {schema.indexes()[number][0] for number in histories}
        states = {
            key: (record.version, record.stack[-1], None if record.is_tombstone else dict(record.fields), set())
            for key, record in objects.items() if key[0] in entities
        }
        head = frames[-1].position if frames else 0
        for position, frame in [(frame.position, frame) for frame in reversed(frames)] + [(None, None)]:
            at = position if frame else (floor["floor"] - 1 if floor else 0)
            present = {
                key: SimpleNamespace(fields=fields, is_tombstone=fields is None)
                for key, (_, _, fields, _) in states.items()}
            expected = expected_rows(schema, present)
            for number, (name, history) in histories.items():
                if at >= history.first and at <= head:
                    try:
                        if history.rows(at) != sorted(expected[number]):
                            raise Malformed(f"other rows than the log at position {at}")
                    except Malformed as error:
                        self.problem(f"indexes: the history of {name}: {error}")
            for event in reversed(frame.events) if frame else []:
                if event.entity in entities:
                    states[event.entity, event.object] = before(event, *states[event.entity, event.object])


def read_each(folder):
    for name in sorted(os.listdir(folder)):
        problems = []
        try:
            store = Store.open(os.path.join(folder, name))
            problems = store.problems
            store.read()
        except Exception as error:  # Whatever it trips over, it cannot read the store.
            problems.append(repr(error))
        print(json.dumps({"type": "verdict", "store": name, "problems": problems}, ensure_ascii=False))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", nargs="?")
    parser.add_argument("--each", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.each:
        return read_each(arguments.each)
    store = Store.open(arguments.store)
    store.read()
    for line in store.lines:
        print(json.dumps(line, ensure_ascii=False, sort_keys=True))
    return 1 if store.problems else 0


if __name__ == "__main__":
    sys.exit(main())
