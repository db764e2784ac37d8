import RepriseObjectModel

/// The metadata of a transaction: its author, its time and its base.
package struct FrameEnvelope: Equatable, Sendable {
  /// The ID of the transaction. A writer also uses it to find out whether the transaction is already in the log.
  package var transactionID: UniqueID
  package var replica: ReplicaReference
  package var author: NameReference
  package var contextName: NameReference
  package var name: NameReference
  /// Names that this transaction numbers, consecutively from `firstNewName` on.
  package var firstNewName: UInt32 = 0
  package var newNames: [String] = []
  /// The metadata that the program recorded with the transaction. The metadata is in the event of the inline names, and
  /// an erasure can redact this event.
  package var metadata: [String: String] = [:]
  /// The position that the changes are based on; less than the transaction's own.
  package var base: Position
  /// The author's clock: microseconds since 1970-01-01 00:00 UTC.
  package var wallTime: Int64
  /// The revision of the schema whose numbers the events use; for a schema transaction, the revision that it creates.
  package var schemaRevision: UInt32
  /// The position of the transaction that this one undoes.
  package var undoes: Position?
  /// The position of the transaction that this one supersedes.
  package var supersedes: Position?

  package init(
    transactionID: UniqueID, replica: ReplicaReference, author: NameReference = .none,
    contextName: NameReference = .none, name: NameReference = .none, base: Position, wallTime: Int64,
    schemaRevision: UInt32, undoes: Position? = nil, supersedes: Position? = nil
  ) {
    self.transactionID = transactionID
    self.replica = replica
    self.author = author
    self.contextName = contextName
    self.name = name
    self.base = base
    self.wallTime = wallTime
    self.schemaRevision = schemaRevision
    self.undoes = undoes
    self.supersedes = supersedes
  }
}

/// The copy of the log that made a transaction.
package struct ReplicaReference: Equatable, Sendable {
  package var number: UInt32
  /// Set in a replica's first transaction, which assigns its number.
  package var new: UniqueID?

  package init(number: UInt32, new: UniqueID? = nil) {
    self.number = number
    self.new = new
  }
}

/// The name of an author, a context or a transaction.
package enum NameReference: Equatable, Sendable {
  case none
  /// A name by its number in the log.
  case interned(UInt32)
  /// A name without a number.
  case inline(String)
  /// An inline name that was erased. Only ever read.
  case redacted
}

extension FrameEnvelope {
  /// The most names that a log numbers.
  static let nameLimit: UInt32 = 4096

  static let hasNewReplica: UInt8 = 1
  static let undoesAnother: UInt8 = 2
  static let supersedesAnother: UInt8 = 4

  private var inlineNames: [String] {
    [author, contextName, name].compactMap { reference in
      if case .inline(let text) = reference { text } else { nil }
    }
  }

  /// The inline names, then the metadata: keys and values in turn, by ascending keys.
  var inlineTexts: [String] {
    inlineNames + metadata.heapSorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
  }

  /// Encodes the bytes that the hash chain covers. Inline names are in a separate event, so that they can be erased.
  func encode(into writer: inout ByteWriter, position: Position, eventCount: Int) {
    writer.append(LogFrame.sharedForm)
    writer.uuid(transactionID)
    var flags: UInt8 = 0
    if replica.new != nil { flags |= Self.hasNewReplica }
    if undoes != nil { flags |= Self.undoesAnother }
    if supersedes != nil { flags |= Self.supersedesAnother }
    writer.append(flags)
    writer.position(position)
    writer.varint(position.number &- base.number)
    writer.varint(UInt64(replica.number))
    if let new = replica.new { writer.uuid(new) }
    writer.name(author)
    writer.name(contextName)
    writer.name(name)
    writer.fixed(wallTime)
    writer.varint(UInt64(schemaRevision))
    if let undoes { writer.position(undoes) }
    if let supersedes { writer.position(supersedes) }
    writer.varint(eventCount)
  }
}

extension ByteWriter {
  fileprivate mutating func name(_ reference: NameReference) {
    switch reference {
    case .none: append(0)
    case .inline, .redacted: append(1)
    case .interned(let number): varint(UInt64(number) + 2)
    }
  }
}

extension ByteReader {
  /// Reads a name. An inline one reads as ``NameReference/redacted`` here, because its text is in an event.
  mutating func name() throws(MalformedBytes) -> NameReference {
    switch try varint("a name's number") {
    case 0: return .none
    case 1: return .redacted
    case let number:
      guard let number = UInt32(exactly: number - 2) else { throw fail("a name's number") }
      return .interned(number)
    }
  }
}
