#!/usr/bin/env python3
"""Decodes the golden bytes and compares with what they must say: self_test.py GOLDEN"""

import hashlib
import json
import struct
import sys
import uuid

from reprise_format import Frame, Malformed, Reader, Record, crc32c, read_compaction, read_schema, sealed, value
from reprise_reader import Store


def self_test(path):
    golden = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, data = line.split()
                golden[name] = bytes.fromhex(data)
    checks = 0

    def expect(found, wanted, what):
        nonlocal checks
        checks += 1
        if found != wanted:
            raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")

    expect(crc32c(b"123456789"), 0xE3069283, "CRC-32C")
    objects = [f"01910000-0000-7000-8000-{n:012x}" for n in range(10)]
    schema = read_schema(golden["schema"])
    expect(schema.revision, 3, "the revision")
    expect(schema.name(2), "Sample", "an entity")
    expect({n: p["name"] for n, p in schema.entities[2]["properties"].items()}, {
        2: "ratio", 3: "isDone", 4: "note", 5: "title", 6: "gone", 7: "count", 8: "big", 9: "blob", 10: "token",
        11: "parent", 12: "children", 200: "later"}, "properties")
    expect(schema.indexes().keys(), {1, 2}, "indexes")
    expect(value(schema.entities[2]["properties"][8]["default"], schema), {"unsigned": 5}, "a default")

    values = {
        "null": None, "no": False, "yes": True, "int": -2, "int-least": -(1 << 63),
        "unsigned": {"unsigned": (1 << 64) - 1}, "double": {"double": "bfe0000000000000"}, "text": "\u00fc\U0001F680",
        "bytes": {"bytes": "00ff"}, "date": {"date": struct.pack(">d", 700_000_000.25).hex()},
        "uuid": {"uuid": "01900000-0000-7000-8000-000000000001"}, "reference": {"reference": "Sample/" + objects[4]},
        "long": {"longValue": {"text": True, "length": 12, "digest": hashlib.sha256(b"a long value").hexdigest()[:32]}},
    }
    for name, wanted in values.items():
        raw = golden["value-" + name]
        expect(value(raw, schema), wanted, name)
        reader = Reader(raw)
        expect(reader.raw_value(), raw, name)

    keys = [struct.pack(">H", n) for n in range(65536)] + [b"\xff\xff" + struct.pack(">I", n) for n in range(2)]
    long = Store({"drafts": [(b"u" + key, bytes(1960)) for key in keys] + [(b"v\0\0", b"short")]})
    found = [(key, len(data)) for key, data in long.values("drafts", None)]
    expect(found, [(b"u", 65538 * 1960), (b"v", 5)], "a value of many chunks")
    expect(long.problems, [], "problems of many chunks")

    log = str(uuid.UUID(bytes=golden["log"]))
    frames = [golden[f"frame-{n}"] for n in range(1, 7)]
    records = {bytes.fromhex(n.removeprefix("record-")): r for n, r in golden.items() if n.startswith("record-0")
               or n.startswith("record-8")}
    store = Store({
        "log": [(struct.pack(">QH", n + 1, 0), frame) for n, frame in enumerate(frames)],
        "objects": sorted(records.items()),
        "indexes": [],
        "meta": [
            (b"format", b"RPRS" + struct.pack("<I", 1)), (b"log", golden["log"]), (b"order", struct.pack("<I", 1)),
            (b"history", sealed(bytes(4))), (b"head", sealed(
                struct.pack("<Q", 6) + Frame(golden["frame-6"]).hash + b"\x7f" + b"\xff" * 15)),
            (b"replica", uuid.UUID("01900000-0000-7000-8000-000000000002").bytes), (b"schema", golden["schema"]),
            (b"names", struct.pack("<I", 2)), (b"n\0\0\0\0", b"ada"), (b"n\0\0\0\1", b"editor"),
            (b"Nada", struct.pack("<I", 0)), (b"Neditor", struct.pack("<I", 1)),
            (b"c\0\0\0\2", struct.pack("<Q", 2)),
        ],
    })
    store.read()
    # The golden log has no indexes beside it.
    expect([p for p in store.problems if not p.startswith("indexes: Sample.")], [], "problems")
    transactions = [line for line in store.lines if line["type"] == "transaction"]
    expect([len(t["events"]) for t in transactions], [15, 3, 3, 4, 1, 1], "events")
    expect([t["author"] for t in transactions], [None, "ada", "ada", None, None, None], "authors")
    expect((transactions[1]["context"], transactions[1]["name"]), ("editor", "Add three"), "names")
    expect([t["base"] for t in transactions], [0, 1, 2, 3, 4, 2], "bases")
    expect([t["logTime"] - t["wallTime"] for t in transactions], [5, 0, 5, 0, 5, 0], "delays")
    expect((transactions[4]["undoes"], transactions[5]["supersedes"]), (4, 5), "undone and superseded")
    first, second, third = transactions[2]["events"]
    expect(first["changes"]["note"], {"old": "it's \u00fcbel", "new": None}, "a set")
    expect(first["changes"]["count"], {"old": -3, "new": 70000}, "a set")
    expect(second["changes"]["title"], {"at": 38, "removed": "o", "inserted": "\u00f6"}, "a splice")
    expect(third["changes"]["blob"], {"old": None, "new": {"bytes": "09" * 40}}, "a set from nothing")
    kinds = [e["kind"] for e in transactions[3]["events"]]
    expect(kinds, ["deleted", "merged", "edgeAdded", "edgeRemoved"], "kinds")
    expect(transactions[3]["events"][1]["into"], objects[1], "a merge")
    expect(transactions[3]["events"][2]["order"], "8001", "an edge")
    expect((transactions[4]["events"][0]["previous"], transactions[4]["events"][0]["skip"]), (4, 4), "pointers")
    expect(transactions[5]["events"][0]["keepsAge"], 86_400_000_000, "a compaction")

    redacted = Frame(golden["frame-2-redacted"])
    expect(redacted.hash, redacted.expected_hash(log, Frame(frames[0]).hash), "the chain over a redacted event")
    expect([e.is_redacted for e in redacted.events], [False, False, True, False], "redaction")
    expect(Record(golden["record-of-version-12"]).stack, [70, 100, 110, 120], "a stack")
    expect(read_compaction(Reader(golden["compaction"]))["keepsFrom"], 290, "a compaction")
    expect(Reader.sealed(golden["value-chunk"]).rest(), b"a long value", "a chunk")
    key = Reader(golden["long-value-key"])
    expect((key.uuid(), key.fixed(">I"), key.fixed(">Q")), (objects[1], 5, 1 << 32), "a long value's key")

    for name in ("frame-3", next(iter(n for n in golden if n.startswith("record-0")))):
        for offset in range(len(golden[name])):
            damaged = bytearray(golden[name])
            damaged[offset] ^= 0x10
            try:
                (Frame if name.startswith("frame") else Record)(bytes(damaged))
            except Malformed:
                checks += 1
                continue
            raise AssertionError(f"byte {offset} of {name} was damaged, and nobody noticed")
    print(json.dumps({"type": "passed", "checks": checks}))


if __name__ == "__main__":
    self_test(sys.argv[1])
