"""The table `afterimages` of Docs/FileFormat/afterimages.md: what the last commits changed."""

import os
import struct

from reprise_format import Malformed, crc32c

ROOM = 65_520
HEADER = struct.Struct("<IIQQQQI")
CHANGE = struct.Struct("<BBHI")
PUT, DELETE, REMOVE_ALL, TABLE = range(1, 5)


class AfterImage:
    """The after-image in a place, which is whole."""

    def __init__(self, place):
        crc, length, self.commit, *base = HEADER.unpack_from(place)
        if not HEADER.size <= length <= len(place) or crc != crc32c(place[4:length]):
            raise Malformed("no whole after-image")
        self.base = tuple(base)
        self.changes = []
        names, at = [], HEADER.size
        while at < length:
            kind, table, key_size, value_size = CHANGE.unpack_from(place, at)
            key_end = at + CHANGE.size + key_size
            key, value = place[at + CHANGE.size:key_end], place[key_end:key_end + value_size]
            at = key_end + value_size
            if at > length or kind not in (PUT, DELETE, REMOVE_ALL, TABLE):
                raise Malformed("an after-image with a change of no known form")
            if kind == TABLE:
                if table != len(names):
                    raise Malformed(f"an after-image whose table {len(names)} has the number {table}")
                names.append(key.decode())
            else:
                if table >= len(names):
                    raise Malformed(f"an after-image with a change of table {table}, which it does not name")
                self.changes.append((kind, names[table], key, value))

    def rows(self):
        """(table, key) -> the value, or None for a row that is gone, by the last change of each row."""
        rows = {}
        for kind, table, key, value in self.changes:
            if kind == REMOVE_ALL:
                rows = {row: value for row, value in rows.items() if row[0] != table}
            else:
                rows[table, key] = value if kind == PUT else None
        return rows

    def apply(self, tables):
        """Repeats the commit on tables of sorted rows."""
        changed = {name: dict(tables[name]) for name in {change[1] for change in self.changes}}
        for kind, table, key, value in self.changes:
            if kind == PUT:
                changed[table][key] = value
            elif kind == DELETE:
                changed[table].pop(key, None)
            else:
                changed[table] = {}
        for name, rows in changed.items():
            tables[name] = sorted(rows.items())


def read_places(rows):
    """The after-images that are whole, by their place. Raises Malformed if the table has not its one row."""
    if len(rows) != 1 or rows[0][0] != b"places" or len(rows[0][1]) != 2 * ROOM:
        raise Malformed("the table afterimages has not its one row")
    images = {}
    for place in range(2):
        try:
            images[place] = AfterImage(rows[0][1][place * ROOM:(place + 1) * ROOM])
        except Malformed:
            # A power cut may leave a part of one, and a withdrawn one has no length.
            continue
        if images[place].commit % 2 != place:
            raise Malformed(f"the after-image of commit {images[place].commit} in the place {place}")
    return images


def base_after(path, commit):
    """The base of the commit after this one: what LMDB's meta page and the root of its main tree say."""
    with open(os.path.join(path, "data.mdb"), "rb") as file:
        page_size = struct.unpack_from("<I", file.read(64), 40)[0]
        file.seek(commit % 2 * page_size)
        meta = file.read(page_size)
        free_pages, main, last_page, number = struct.unpack_from("<Q40xQQQ", meta, 80)
        if number != commit:
            raise Malformed(f"the meta page of commit {commit} has the number {number}")
        file.seek(main * page_size)
        root = file.read(page_size)
    upper = struct.unpack_from("<H", root, 14)[0]
    return free_pages, main, last_page, crc32c(root[upper:])
