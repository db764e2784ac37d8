import RepriseObjectModel

/// Encodes the frame of one transaction: events are added and hashed one by one, then ``finish(…)`` completes it.
///
/// Uses about the frame's size in memory, because ``finish(…)`` adds the rest of the frame around the events.
///
/// Not copyable, so that its buffers have one owner, and ``finish(…)`` need not copy them.
package struct FrameEncoder: ~Copyable {
  package let envelope: FrameEnvelope
  package let position: Position
  package private(set) var eventCount = 0
  private var salts: SaltSource
  private var events = ByteWriter()
  /// How many events are expected. 0 if that is not known.
  private let expected: Int
  private var local = LocalPart()
  private var hashes = ByteWriter()
  /// The most bytes that are reserved before the events are there.
  private static let mostReserved = 16 << 20
  /// The salt and body of the last event.
  private var scratch = ByteWriter()

  /// - Parameter expected: About how many events will be added. 0 if that is not known.
  package init(
    _ envelope: FrameEnvelope, position: Position, salts: SaltSource = SaltSource(), expecting expected: Int = 0
  ) {
    assert(envelope.base < position)
    self.expected = expected
    self.envelope = envelope
    self.position = position
    self.salts = salts
    let inline = envelope.inlineTexts
    if !envelope.newNames.isEmpty || !inline.isEmpty {
      add(.names, .none) { body in
        body.varint(UInt64(envelope.firstNewName))
        body.varint(envelope.newNames.count)
        for name in envelope.newNames { body.string(name) }
        body.varint(inline.count)
        for name in inline { body.string(name) }
      }
    }
  }

  /// Where the body of the last event is among all events.
  package var lastBody: Range<Int> { events.count - (scratch.count - LogEvent.saltSize)..<events.count }

  /// The minimum size of the events so far, in bytes.
  package var eventsByteCount: Int { events.count }

  /// The size of the events so far in bytes, which is close to the size of the frame.
  package var byteCount: Int { events.count + local.byteCount }

  /// Adds an event that is not a ``Change``.
  mutating func add(_ kind: EventKind, _ pointers: VersionPointers, _ payload: (inout ByteWriter) -> Void) {
    add(pointers) { body in
      body.append(kind.rawValue)
      payload(&body)
    }
  }

  mutating func add(_ pointers: VersionPointers, _ body: (inout ByteWriter) -> Void) {
    scratch.bytes.removeAll(keepingCapacity: true)
    scratch.uuid(salts.next())
    body(&scratch)
    hashes.digest(scratch.bytes.withUnsafeBytes { SHA256.digest($0) })
    if events.bytes.capacity - events.count < scratch.count + 2 { grow() }
    events.varint((scratch.count - LogEvent.saltSize) << 1)
    events.append(scratch.bytes)
    local.add(pointers, from: position)
    eventCount += 1
  }

  /// Reserves room for all expected events, as if they were like the one in `scratch`, and for the rest of the frame
  /// that ``finish(…)`` adds. Each growth of a buffer would copy it.
  private mutating func grow() {
    let pointers = 2
    let rest = min(max(1, expected - eventCount), Self.mostReserved / scratch.count)
    let expectedSize = rest * (scratch.count + 2 + pointers)
    events.bytes.reserveCapacity(events.count + max(events.count, expectedSize + expectedSize / 8 + 256))
    local.reserve(pointers: rest * pointers)
    hashes.bytes.reserveCapacity(hashes.count + rest * Digest.size)
  }

  /// Adds the record after the last event as a keyframe, if `spacing` includes the version that the event made.
  package mutating func keyframe(_ record: [UInt8], ofVersion version: UInt64, _ spacing: KeyframeSpacing) {
    local.keyframe(record, after: eventCount - 1, ofVersion: version, spacing)
  }

  /// Adds the whole record after the last event to the local part, so that reading that version need not begin with the
  /// head.
  package mutating func keyframe(_ record: [UInt8]) { local.keyframe(record, after: eventCount - 1) }

  /// The frame's bytes, the offset of its events, and the transaction's hash. The next transaction's hash depends on
  /// it.
  ///
  /// - Parameters:
  ///   - previousHash: The previous transaction's hash; zero for the first transaction of a log.
  ///   - logTime: Microseconds since 1970-01-01 00:00 UTC, greater than the previous transaction's.
  package consuming func finish(
    logID: UniqueID, previousHash: Digest, logTime: Int64
  ) -> (bytes: [UInt8], hash: Digest, events: Int) {
    var head = ByteWriter(reserving: 80)
    envelope.encode(into: &head, position: position, eventCount: eventCount)
    let hash = head.bytes.withUnsafeBytes { bytes in
      LogFrame.hash(logID: logID, previous: previousHash, envelope: bytes, eventHashes: hashes.bytes)
    }
    let hasKeyframes = local.hasKeyframes(besides: events.count)
    var front = ByteWriter.frame(
      hash, keyframes: hasKeyframes, delay: logTime &- envelope.wallTime, shared: head.count + events.count,
      reserving: head.count + 128)
    front.append(head.bytes)
    var writer = events
    events = ByteWriter()
    writer.bytes.insert(contentsOf: front.bytes, at: 0)
    local.append(to: &writer, keyframes: hasKeyframes)
    return (writer.sealed(), hash, front.count)
  }
}
