import Foundation
import RepriseLMDB
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseJournal
@testable import RepriseLog

/// The store that Docs/FileFormat/example.md shows.
///
/// The library chooses random UUIDs and salts. In the rows here fixed ones take their place, and the hashes and
/// checksums that follow from them are made again.
struct FormatExample {
  private final class Item: TestModel {
    static let entity = Entity(
      Item.self, name: "Item",
      properties: [
        .attribute("name", String.self, indexed: true), .attribute("price", Int.self),
        .attribute("picture", Blob?.self), .toOne("shelf", Shelf.self, inverse: "items"),
      ])

    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  private final class Shelf: TestModel {
    static let entity = Entity(
      Shelf.self, name: "Shelf", properties: [.attribute("name", String.self), .toMany("items", Item.self)])

    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  private struct SavesByAuthor: LogProjection {
    let name = "saves by author"
    let version = 1

    func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
      if let author = transaction.author { rows[number: [.string(author)]] += 1 }
    }
  }

  private let store: Store
  private let clock: VirtualClock
  private let chair = AnyObjectID(Item.entity.interned, id(0x21))
  private let stool = AnyObjectID(Item.entity.interned, id(0x22))
  private let shelf = AnyObjectID(Shelf.entity.interned, id(0x23))

  private static func id(_ number: UInt64) -> UniqueID {
    UniqueID(high: 0x019B_76DA_A800_7000, low: 0x8000_0000_0000_0000 + number)
  }

  private static func transaction(_ position: Position) -> UniqueID { id(0x10 + position.number) }

  /// So many minutes after 2026-01-01 00:00 UTC.
  private static func time(_ minutes: UInt64) -> UInt64 { 1_767_225_600_000_000 + minutes * 60_000_000 }

  /// By table, and by the name of the journal.
  static func rows(at path: String) async throws -> [String: [FormatRow]] {
    let example = try FormatExample(at: path)
    try await example.save()
    try await example.edit()
    let rows = try example.rows()
    try await example.store.close()
    return rows
  }

  private init(at path: String) throws {
    let clock = VirtualClock(wall: Self.time(0))
    var options = StoreOptions()
    options.isUnflushed = true
    options.wallClock = { Int64(clock.wallTime()) }
    options.journal = JournalOptions(clock: clock)
    store = try Store.openNow(path, for: Schema(Item.self, Shelf.self), options)
    self.clock = clock
  }

  private func save() async throws {
    try await store.log.install(SavesByAuthor())
    let picture = try await Blob(Array("GIF89a".utf8), in: store)
    clock.setWallTime(Self.time(1))
    let furniture = SaveRequest(
      id: Self.transaction(2), base: 1, author: "ada", name: "Add furniture", metadata: ["till": "7"],
      changes: [
        (chair, .inserted([.string("Red chair"), .int(120), .blob(picture), .reference(shelf)])),
        (stool, .inserted([.string("Stool"), .int(45), .null, .null])),
        (shelf, .inserted([.string("Kitchen"), .null])),
      ])
    _ = try await store.save(furniture).get()
    clock.setWallTime(Self.time(2))
    let changes = SaveRequest(
      id: Self.transaction(3), base: 2, author: "ada",
      changes: [
        (chair, .updated([PropertyChange(slot: 1, old: .int(120), new: .int(99))])),
        (stool, .deleted([.string("Stool"), .int(45), .null, .null])),
      ])
    _ = try await store.save(changes).get()
    try await store.log.waitForProjections()
  }

  private func edit() async throws {
    clock.setWallTime(Self.time(3))
    let header = DraftHeader(id: "editor", author: "ada", base: 3, baseHash: try end().hash.words.0)
    let renamed = PropertyChange(slot: 0, old: .string("Red chair"), new: .string("Blue chair"))
    // `ArchiveExampleTests` proves them: the scene itself, and a screen whose state is `["row": 2]`.
    var scene: [UInt8] = [1, 0, 3] + Array("1.0".utf8) + [11] + Array("Linux 6.8.0".utf8)
    var time = ByteWriter()
    time.signedVarint(Int64(Self.time(3)))
    scene += time.bytes + [0, 0, 0, 0, 0, 0, 0]
    let screen = [1, 0, 4] + Array("list".utf8) + [1, 0, 1, 1, 3] + Array("row".utf8) + [12, 3, 1, 0, 0x82]
    store.journal.append([
      .draftBegan(header, generation: 1),
      .draftEdited(
        draft: "editor", generation: 1, startsGroup: true, groupName: "Rename",
        DraftEdit(object: chair, change: .updated([renamed]))),
      .nodePut(scene: "main", key: "/", bytes: Self.sealed(scene, under: "/")),
      .nodePut(scene: "main", key: "list", bytes: Self.sealed(screen, under: "list")),
    ])
    try await store.journals.checkpoint()
    clock.setWallTime(Self.time(4))
    let cheaper = PropertyChange(slot: 1, old: .int(99), new: .int(89))
    store.journal.append([
      .draftEdited(
        draft: "editor", generation: 1, startsGroup: true, groupName: nil,
        DraftEdit(object: chair, change: .updated([cheaper])))
    ])
    try store.journal.flush()
  }

  private static func sealed(_ state: [UInt8], under key: String) -> [UInt8] {
    MetaTable.bytes((Array(key.utf8) + state).withUnsafeBytes { Checksum.crc32c($0) }) + state
  }

  private func end() throws -> LogEnd {
    let meta = MetaTable(store.tables.meta)
    return try store.environment.read { (transaction) throws(StorageError) in try meta.head(transaction.view) }
  }
}

// MARK: Rows

extension FormatExample {
  private func rows() throws -> [String: [FormatRow]] {
    let tables = store.tables
    let late = try [tables.blobs, tables.values, tables.projections].map { try store.opened($0) }
    let all = [
      tables.meta, tables.log, tables.objects, tables.indexes, tables.drafts, tables.archives, tables.journals,
    ]
    var found: [String: [(key: [UInt8], value: [UInt8])]] = [:]
    for table in all + late { found[table.name] = try rows(of: table) }
    let (frames, hash) = try frames(found["log"] ?? [])
    let end = try end()
    let firstID = try found["log"]?.first?.value.withUnsafeBytes { try LogFrame($0).envelope.transactionID } ?? .zero
    XCTAssertEqual(end.greatestID, max(firstID, shelf.uuid))
    let head = LogEnd(position: end.position, hash: hash, greatestID: shelf.uuid).encoded()
    let replica = found["meta"]?.first { $0.key == MetaKey.replica }?.value ?? []
    let fixed = FixedBytes([
      (MetaTable.bytes(store.logID), MetaTable.bytes(Self.id(1))), (replica, MetaTable.bytes(Self.id(2))),
      (Array(found["journals"]?.first?.key.dropFirst() ?? []), MetaTable.bytes(Self.id(3))),
      (Array(found["blobs"]?.first?.key[1..<17] ?? []), MetaTable.bytes(Self.id(5))),
      (Self.beginning(of: end.hash), Self.beginning(of: hash)),
    ])
    var rows: [String: [FormatRow]] = [:]
    for (name, found) in found where !found.isEmpty {
      rows[name] = found.enumerated().map { place, row in
        if name == "log" { return FormatRow(key: row.key, value: frames[place]) }
        if name == "meta", row.key == MetaKey.head { return FormatRow(key: row.key, value: head) }
        return FormatRow(key: fixed.row(row.key), value: fixed.row(row.value))
      }
    }
    rows["journals/\(Self.id(4)).journal"] = [FormatRow(file: try journal())]
    return rows
  }

  /// What a draft keeps of a transaction's hash.
  private static func beginning(of hash: Digest) -> [UInt8] {
    withUnsafeBytes(of: hash.words.0.bigEndian) { [UInt8]($0) }
  }

  private func rows(of table: Table) throws -> [(key: [UInt8], value: [UInt8])] {
    try store.environment.read { (transaction) throws(StorageError) in
      var rows: [(key: [UInt8], value: [UInt8])] = []
      var cursor = try transaction.view.cursor(table)
      while let row = try cursor.next() {
        rows.append((row.key.withUnsafeBytes { [UInt8]($0) }, row.value.withUnsafeBytes { [UInt8]($0) }))
      }
      return rows
    }
  }

  /// The frames with fixed UUIDs and salts, and the hash of the last one.
  private func frames(_ rows: [(key: [UInt8], value: [UInt8])]) throws -> ([[UInt8]], Digest) {
    var (frames, last): ([[UInt8]], Digest) = ([], .zero)
    for row in rows {
      let (bytes, hash) = try row.value.withUnsafeBytes { bytes in
        let frame = try LogFrame(bytes)
        var envelope = frame.envelope
        envelope.transactionID = Self.transaction(frame.position)
        if envelope.replica.new != nil { envelope.replica.new = Self.id(2) }
        var encoder = FrameEncoder(envelope, position: frame.position, salts: SaltSource(seed: .zero))
        // The encoder has added the names.
        for event in try frame.events.all() where event.kind != .names {
          encoder.add(event.pointers) { $0.append(event.body) }
        }
        let (bytes, hash, _) = encoder.finish(logID: Self.id(1), previousHash: last, logTime: frame.logTime)
        return (bytes, hash)
      }
      XCTAssertEqual(bytes.count, row.value.count)
      frames.append(bytes)
      last = hash
    }
    return (frames, last)
  }

  /// The frames of the journal, in a file with fixed UUIDs.
  private func journal() throws -> [UInt8] {
    let names = try FileManager.default.contentsOfDirectory(atPath: store.path + "/journals")
    let name = try XCTUnwrap(names.count == 1 ? names.first : nil, "\(names)")
    let id = try XCTUnwrap(UniqueID(String(name.prefix(UniqueID.textLength))))
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.path + "/journals/" + name)))
    var file = JournalFormat.header(log: Self.id(1), journal: Self.id(4))
    for frame in JournalScan(bytes, log: store.logID, journal: id).frames {
      JournalFormat.frame(
        frame.number, Array(bytes[frame.content.lowerBound - 8..<frame.content.upperBound]),
        seed: JournalFormat.seed(log: Self.id(1), journal: Self.id(4)), to: &file)
    }
    XCTAssertEqual(file.count, bytes.count)
    return file
  }
}

/// Fixed bytes for those that the library chose at random.
private struct FixedBytes {
  private let replacements: [(chosen: [UInt8], fixed: [UInt8])]

  init(_ replacements: [(chosen: [UInt8], fixed: [UInt8])]) { self.replacements = replacements }

  /// A key or a value, with a checksum of its own if it had one.
  func row(_ bytes: [UInt8]) -> [UInt8] {
    var fixed = bytes
    for (chosen, replacement) in replacements where !chosen.isEmpty { fixed.replace(chosen, with: replacement) }
    let hasChecksum = (try? bytes.withUnsafeBytes { try ByteReader(sealed: $0).offset }) != nil
    if !hasChecksum { return fixed }
    var writer = ByteWriter.sealing(reserving: fixed.count)
    writer.append(fixed.dropFirst(Checksum.size))
    return writer.sealed()
  }
}
