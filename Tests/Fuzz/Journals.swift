import Foundation
import RepriseLMDB
import RepriseLog

@testable import RepriseJournal
@testable import RepriseObjectModel

/// Journals that a process finds: they are opened, told, checkpointed into the tables, and told again from there.
struct FuzzJournals: FuzzTarget {
  private let path = NSTemporaryDirectory() + "reprise-fuzz-\(UUID().uuidString)"
  private let id = UniqueID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0005)
  private var file: String { path + "/journals/" + JournalFolder.name(id) }
  private var seed: UInt32 { JournalFormat.seed(log: LogFixture.logID, journal: id) }

  init() throws {
    try FileManager.default.createDirectory(atPath: path + "/journals", withIntermediateDirectories: true)
  }

  func seeds() throws -> [[UInt8]] {
    let map = try LogFixture.map()
    let object = AnyObjectID(LogSample.entity.interned, LogFixture.object(1))
    var frame = JournalFrame()
    var track = TextTrack()
    func edit(_ value: String, from old: String) -> JournalEntry {
      let change = PropertyChange(slot: LogSample.title, old: .string(old), new: .string(value))
      let edit = DraftEdit(object: object, change: .updated([change]))
      return .draftEdited(draft: "d", generation: 1, startsGroup: true, groupName: "Type", edit)
    }
    let text = String(repeating: "long ", count: 20)
    for entry in [
      .draftBegan(DraftHeader(id: "d", parent: "p", author: "ada", base: 7, name: "n"), generation: 1),
      edit(text, from: ""), edit(text + "er", from: text), .draftUndone(draft: "d"), .draftRedone(draft: "d"),
      .draftRebased(draft: "d", base: 9, hash: 9), .draftEmptied(draft: "d", upTo: 1),
      .nodePut(scene: "main", key: "a/b", bytes: [1, 2, 3]), .nodeRemoved(scene: "main", key: "a/b"),
    ] as [JournalEntry] {
      try frame.append(entry, map, &track)
    }
    let payload = frame.payload(time: 5)
    return [[1] + withUnsafeBytes(of: UInt16(payload.count).littleEndian) { [UInt8]($0) } + payload]
  }

  /// One byte that says how the rest is meant: as frames, each a size and a payload that get what else a frame needs;
  /// or as what follows the header.
  func run(_ bytes: [UInt8]) throws {
    guard let form = bytes.first else { return }
    var content = JournalFormat.header(log: LogFixture.logID, journal: id)
    var rest = bytes.dropFirst()
    if form & 1 == 0 {
      content += rest
    } else {
      // The numbers of the frames too are anybody's.
      var number: UInt64 = form & 2 == 0 ? 1 : .max - 1
      while rest.count > 2 {
        let size = min(rest.count - 2, Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8)
        let payload = Array(rest.dropFirst(2).prefix(size))
        JournalFormat.frame(number, payload, seed: seed, to: &content)
        number &+= 1
        rest = rest.dropFirst(2 + size)
      }
    }
    try open(content)
  }

  private func open(_ content: [UInt8]) throws {
    var settings = Environment.Options(tables: StoreTables.names)
    settings.isUnflushed = true
    for name in ["data.mdb", "lock.mdb"] { try? FileManager.default.removeItem(atPath: path + "/" + name) }
    try? FileManager.default.removeItem(atPath: path + "/journals")
    try FileManager.default.createDirectory(atPath: path + "/journals", withIntermediateDirectories: true)
    _ = FileManager.default.createFile(
      atPath: file, contents: Data(content), attributes: [.posixPermissions: 0o600])
    let environment = try Environment.open(directory: path, settings)
    defer { environment.close() }
    let tables = StoreTables(environment)
    let map = try LogFixture.map()
    let journal = try { () throws in
      let transaction = try environment.beginRead()
      return try Journal.open(
        directory: path + "/journals", claims: path + "/data.mdb", log: LogFixture.logID, map: map, tables: tables,
        view: transaction.view, options: JournalOptions())
    }()
    defer { journal.abandon() }
    try tell(journal, environment, map)
    guard var checkpoint = try journal.beginCheckpoint() else { return }
    while !checkpoint.isDone {
      let slice = checkpoint
      try environment.write { transaction throws(StorageError) in try slice.write(into: transaction) }
      checkpoint.didCommit()
    }
    try journal.didCheckpoint(checkpoint)
    try tell(journal, environment, map)
  }

  private func tell(_ journal: Journal, _ environment: Environment, _ map: SchemaMap) throws {
    let recovery = try journal.recovery()
    let transaction = try environment.beginRead()
    _ = try recovery.image(transaction.view, map)
  }
}
