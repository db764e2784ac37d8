import RepriseObjectModel

/// One transaction's frame in lent bytes: its checksum is verified and its envelope decoded at once, its events on
/// demand.
///
/// Use it inside the closure that lent the bytes.
@usableFromInline
package struct LogFrame {
  package let bytes: UnsafeRawBufferPointer
  /// The transaction's hash, over the log's UUID, the previous hash, the envelope and the events' hashes.
  package let hash: Digest
  package let envelope: FrameEnvelope
  /// The transaction's number in the log.
  package let position: Position
  /// Microseconds since 1970-01-01 00:00 UTC, strictly increasing along the log.
  package let logTime: Int64
  package let eventCount: Int
  let envelopeBytes: Range<Int>
  let eventBytes: Range<Int>
  package let hasKeyframes: Bool

  static let form: UInt8 = 1
  static let sharedForm: UInt8 = 1
  static let hasKeyframes: UInt8 = 1
  static let hashOffset = Checksum.size + 1

  /// Throws if the checksum or the envelope is wrong. Events are checked as they are read.
  ///
  /// - Parameter readsNames: Whether the envelope has its names and metadata, which are in an event. A caller that
  ///   reads many frames for one object does not need them.
  package init(_ bytes: UnsafeRawBufferPointer, readsNames: Bool = true) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    try reader.expect(Self.form, "a known form of a frame")
    hash = try reader.digest("a transaction's hash")
    let flags = try reader.byte("a frame's flags")
    guard flags & ~Self.hasKeyframes == 0 else { throw reader.fail("known flags") }
    hasKeyframes = flags & Self.hasKeyframes != 0
    let delay = try reader.signedVarint("a log time")
    let size = try reader.count("the size of the shared part")
    let start = reader.offset
    let end = start + size
    var shared = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    shared.offset = start
    let (envelope, position, eventCount) = try FrameEnvelope.decode(&shared)
    envelopeBytes = start..<shared.offset
    eventBytes = shared.offset..<end
    self.bytes = bytes
    self.position = position
    logTime = envelope.wallTime &+ delay
    self.eventCount = eventCount
    self.envelope = readsNames && eventCount > 0 ? try envelope.withNames(&shared) : envelope
  }

  package var events: LogEvents { LogEvents(self) }

  /// The envelope and the events, as in every copy of the log.
  package var shared: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[envelopeBytes.lowerBound..<eventBytes.upperBound])
  }
}

// Reading an object's history decodes an envelope for each version. So the envelope is made in one step, and changed
// only if it has names.
extension FrameEnvelope {
  /// Decodes the envelope without its names, which are in an event. Also returns the transaction's number, and the
  /// number of events that follow.
  package static func decode(
    _ reader: inout ByteReader
  ) throws(MalformedBytes) -> (envelope: FrameEnvelope, position: Position, eventCount: Int) {
    try reader.expect(LogFrame.sharedForm, "a known form of a transaction")
    let id = try reader.uuid("a transaction's UUID")
    let flags = try reader.byte("a transaction's flags")
    let known = FrameEnvelope.hasNewReplica | FrameEnvelope.undoesAnother | FrameEnvelope.supersedesAnother
    guard flags & ~known == 0 else { throw reader.fail("known flags") }
    let position = try reader.position()
    let distance = try reader.varint("the distance to the base")
    guard distance > 0, distance <= position.number else { throw reader.fail("a base before the transaction") }
    var replica = ReplicaReference(number: try reader.number("a replica's number"))
    if flags & FrameEnvelope.hasNewReplica != 0 { replica.new = try reader.uuid("a replica's UUID") }
    let author = try reader.name()
    let contextName = try reader.name()
    let name = try reader.name()
    let wallTime = try reader.fixed(Int64.self, "a time")
    let revision = try reader.schemaRevision()
    let undoes = flags & FrameEnvelope.undoesAnother != 0 ? try reader.position() : nil
    let supersedes = flags & FrameEnvelope.supersedesAnother != 0 ? try reader.position() : nil
    // An event has at least a size and either a salt or a hash.
    let count = try reader.count(of: 17, "the number of events")
    return (
      FrameEnvelope(
        transactionID: id, replica: replica, author: author, contextName: contextName, name: name,
        base: Position(position.number - distance), wallTime: wallTime, schemaRevision: revision, undoes: undoes,
        supersedes: supersedes),
      position, count
    )
  }

  /// This envelope with the names of the first event, if that event holds names.
  package func withNames(_ reader: inout ByteReader) throws(MalformedBytes) -> FrameEnvelope {
    guard try LogEvent.kind(at: reader) == .names else { return self }
    var envelope = self
    try envelope.readNames(&reader)
    return envelope
  }

  private mutating func readNames(_ reader: inout ByteReader) throws(MalformedBytes) {
    let first = try LogEvent(&reader, index: 0, .none)
    var names = try first.payload
    firstNewName = try names.number("a name's number")
    let count = try names.count("the number of names")
    guard count == 0 || UInt64(firstNewName) + UInt64(count) <= UInt64(Self.nameLimit) else {
      throw names.fail("the number of names")
    }
    for _ in 0..<count { newNames.append(try names.string("a name")) }
    var inline: [String] = []
    for _ in 0..<(try names.count("the number of names")) { inline.append(try names.string("a name")) }
    try names.expectEnd("the end of the names")
    // In the residue of a redacted event, an empty text means an erased text.
    func resolved(_ reference: NameReference) -> NameReference {
      guard reference == .redacted, !inline.isEmpty else { return reference }
      let text = inline.removeFirst()
      return first.isRedacted && text.isEmpty ? .redacted : .inline(text)
    }
    author = resolved(author)
    contextName = resolved(contextName)
    name = resolved(name)
    for place in stride(from: 0, to: inline.count - 1, by: 2) where !first.isRedacted || !inline[place].isEmpty {
      metadata[inline[place]] = inline[place + 1]
    }
  }
}

extension ByteReader {
  @inline(__always)
  mutating func expect(_ byte: UInt8, _ what: StaticString) throws(MalformedBytes) {
    guard try self.byte(what) == byte else {
      offset -= 1
      throw fail(what)
    }
  }

  mutating func pointers(from position: Position) throws(MalformedBytes) -> VersionPointers {
    let distance = try varint("the distance to a version")
    let further = try varint("the distance to a version")
    guard distance > 0 else {
      guard further == 0 else { throw fail("no older version") }
      return .none
    }
    guard distance < position.number else { throw fail("a position in the log") }
    let previous = Position(position.number - distance)
    guard further > 0 else { return VersionPointers(previous: previous, skip: 0) }
    guard further <= previous.number else { throw fail("a position in the log") }
    return VersionPointers(previous: previous, skip: Position(previous.number - further + 1))
  }
}
