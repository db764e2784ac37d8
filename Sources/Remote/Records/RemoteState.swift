import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseSystem

/// The place of a source in the server's list, and in the log.
final class RemoteState: PersistentModel {
  static let entity = Entity(
    RemoteState.self, name: SourceNames.State.entity,
    properties: [
      .attribute(SourceNames.State.source, String.self),
      .attribute(SourceNames.State.position, Int.self),
      .attribute("sequence", Int.self),
      .attribute("stamp", Int.self),
      .attribute("pages", Int.self),
      .attribute("nextPage", String?.self),
      .attribute("validator", String?.self),
      .attribute("cursor", String?.self),
      .attribute("isRead", Bool.self),
      .attribute("reading", Int.self),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ source: String) {
    _storage = ObjectStorage(RemoteState.entity, uuid: Self.id(of: source).uuid)
    self.source = source
  }

  /// The ID is computed from the name, so that two processes that insert the object at once conflict instead of making
  /// two objects.
  static func id(of source: String) -> ID {
    let digest = Array("reprise-remote-state:\(source)".utf8).withUnsafeBytes { SHA256.digest($0) }
    // Version 8 of RFC 9562 is for custom UUIDs.
    let high = digest.words.0 & ~0xF000 | 0x8000
    let low = digest.words.1 & ~(0b11 << 62) | 0b10 << 62
    return ID(uuid: UniqueID(high: high, low: low))
  }

  /// The name of the source.
  var source: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  /// The position up to which all local changes are in the outbox.
  var collected: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  /// ``collected`` as a position.
  var reached: Position { Position(UInt64(max(0, collected))) }
  /// The number of the last entry of the outbox.
  var sequence: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  /// A random number that each transaction of a source changes, so that two transactions from the same position
  /// conflict.
  var stamp: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  /// The number of pages in the cache.
  var pages: Int {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  var nextPage: String? {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  var validator: String? {
    get { _storage.get(6) }
    set { _storage.set(6, newValue) }
  }
  var cursor: String? {
    get { _storage.get(7) }
    set { _storage.set(7, newValue) }
  }
  /// Whether the first page has ever been read.
  var isRead: Bool {
    get { _storage.get(8) }
    set { _storage.set(8, newValue) }
  }

  /// A number that changes whenever a reader of the list, in any process, must restart. This is so if another reader
  /// applied a page, if the store made a row, or if all rows must be read again.
  var reading: Int {
    get { _storage.get(9) }
    set { _storage.set(9, newValue) }
  }

  func changeReading() { reading = Int(truncatingIfNeeded: RandomWords.next()) }

  struct Fields: FieldSet {
    typealias Model = RemoteState
    init(_ path: FieldPath) {}
  }

  var snapshot: String { source }
}
