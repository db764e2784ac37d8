import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// A local change that the server has not accepted.
///
/// An object has at most two entries: one that is being sent, which does not change, and one with all later changes. A
/// refused entry absorbs later changes, unless its answer could not be understood.
final class OutboxEntry: PersistentModel {
  enum State: String, AttributeValue {
    case waiting
    /// The change was sent at least once, and the answer is not known.
    case sending
    /// The server refused the change, or it is in conflict. It waits until the program resolves it.
    case refused
    /// The change waits for an earlier change of the same object, which is unanswered (``OutboxEntry/isUnanswered``).
    case held
  }

  static let entity = Entity(
    OutboxEntry.self, name: SourceNames.Outbox.entity,
    properties: [
      .attribute("source", String.self),
      .attribute("state", State.self, default: .waiting),
      .attribute("sequence", Int.self),
      .attribute(SourceNames.Outbox.object, UniqueID.self, indexed: true),
      .attribute("kind", Kind.self, default: .update),
      .attribute("remoteID", String?.self, indexed: true),
      .attribute("key", UniqueID.self),
      .attribute("base", [UInt8].self),
      .attribute("payload", [UInt8]?.self),
      .attribute("theirs", [UInt8]?.self),
      .attribute("reason", String?.self),
      .attribute("isGone", Bool.self),
      .attribute("attempts", Int.self),
      .attribute("isReadSince", Bool.self),
      .attribute("changed", Int.self),
      .attribute("body", [UInt8]?.self),
      .attribute("needsReading", Bool.self),
      .index(["source", "state", "sequence"]),
    ])

  /// The kind in the form that the server receives.
  enum Kind: String, AttributeValue {
    case create
    case update
    case delete
  }

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ source: String, _ sequence: Int, _ kind: Kind, of object: UniqueID) {
    _storage = ObjectStorage(OutboxEntry.entity)
    self.source = source
    self.sequence = sequence
    self.object = object
    self.kind = kind
    key = UniqueID()
  }

  var source: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var sendState: State {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var sequence: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var object: UniqueID {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var kind: Kind {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  /// The row's identifier on the server, if it has one.
  var remoteID: String? {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  /// The idempotency key.
  var key: UniqueID {
    get { _storage.get(6) }
    set { _storage.set(6, newValue) }
  }
  /// For an update, the values of the changed properties before it.
  var base: ValuesByName {
    get { ValuesByName(_storage.get(7)) }
    set { _storage.set(7, newValue.bytes) }
  }
  /// The record as it was sent. `nil` for a change that was not sent under this ``key``, and for a deletion.
  var payload: [UInt8]? {
    get { _storage.get(8) }
    set { _storage.set(8, newValue) }
  }
  /// Whether the server may know the change under this ``key``, so that it must stay as it is.
  var isTold: Bool { sendState == .sending || payload != nil }
  /// Whether the change waits for the program because the server's answer could not be understood. The server may have
  /// made the row.
  var isUnanswered: Bool { sendState == .refused && payload != nil }
  /// In a conflict, the server's values of the properties that both changed. While the change is being sent, the read
  /// values of the changed properties.
  var theirs: ValuesByName? {
    get { (_storage.get(9) as [UInt8]?).map { ValuesByName($0) } }
    set { _storage.set(9, newValue?.bytes) }
  }
  var reason: String? {
    get { _storage.get(10) }
    set { _storage.set(10, newValue) }
  }
  /// In a conflict, whether the server deleted the row.
  var isGone: Bool {
    get { _storage.get(11) }
    set { _storage.set(11, newValue) }
  }
  /// The number of times that the server returned its row without a new value.
  var attempts: Int {
    get { _storage.get(12) }
    set { _storage.set(12, newValue) }
  }

  /// Whether the row was read while this is being sent. The answer may be older, because the server repeats its answer
  /// for a repeated change.
  var isReadSince: Bool {
    get { _storage.get(13) }
    set { _storage.set(13, newValue) }
  }

  /// The position of the last local change in this entry.
  var changed: Int {
    get { _storage.get(14) }
    set { _storage.set(14, newValue) }
  }

  /// The bytes that the transport made for this ``key``, if any.
  var body: [UInt8]? {
    get { _storage.get(15) }
    set { _storage.set(15, newValue) }
  }

  /// While this is being sent: whether a reading may have found the row deleted or different. That reading may be newer
  /// than the answer, so all rows are read again after the answer.
  var needsReading: Bool {
    get { _storage.get(16) }
    set { _storage.set(16, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = OutboxEntry
    let source: Field<OutboxEntry, String>
    let state: Field<OutboxEntry, State>
    let sequence: Field<OutboxEntry, Int>
    let object: Field<OutboxEntry, UniqueID>
    let remoteID: Field<OutboxEntry, String>

    init(_ path: FieldPath) {
      source = Field(path.appending("source"))
      state = Field(path.appending("state"))
      sequence = Field(path.appending("sequence"))
      object = Field(path.appending("object"))
      remoteID = Field(path.appending("remoteID"))
    }
  }

  var snapshot: String { "\(kind) of \(object)" }
}
