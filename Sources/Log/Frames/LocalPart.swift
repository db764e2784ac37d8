import RepriseObjectModel

/// The pointers and keyframes of a frame. Each copy of the log makes its own.
package struct LocalPart: ~Copyable {
  private var pointers = ByteWriter()
  private var keyframes = ByteWriter()
  private var keyframeCount = 0
  /// A frame of more bytes has no keyframes, so that they never make it too large for the log.
  private static let roomForKeyframes = 64 << 20

  package init() {}

  package var byteCount: Int { pointers.count + keyframes.count }

  package mutating func reserve(pointers count: Int) { pointers.bytes.reserveCapacity(count) }

  /// Adds the pointers of the next event.
  package mutating func add(_ next: VersionPointers, from position: Position) {
    pointers.pointers(next, from: position)
  }

  /// Adds the record after an event as a keyframe, if `spacing` includes the version that the event made.
  package mutating func keyframe(
    _ record: [UInt8], after event: Int, ofVersion version: UInt64, _ spacing: KeyframeSpacing
  ) {
    guard spacing.includes(version: version, size: record.count),
      keyframes.count + record.count <= spacing.bytesOfTransaction
    else { return }
    keyframe(record, after: event)
  }

  /// Adds the record after an event as a keyframe.
  package mutating func keyframe(_ record: [UInt8], after event: Int) {
    keyframes.varint(event)
    keyframes.varint(record.count - Checksum.size)
    record.withUnsafeBytes { keyframes.append(UnsafeRawBufferPointer(rebasing: $0[Checksum.size...])) }
    keyframeCount += 1
  }

  /// Whether a frame with so many bytes of events has keyframes.
  package func hasKeyframes(besides events: Int) -> Bool {
    keyframeCount > 0 && events + byteCount <= Self.roomForKeyframes
  }

  /// Ends a frame after its events.
  package func append(to frame: inout ByteWriter, keyframes hasKeyframes: Bool) {
    frame.append(pointers.bytes)
    guard hasKeyframes else { return }
    frame.varint(keyframeCount)
    frame.append(keyframes.bytes)
  }
}

extension ByteWriter {
  /// Begins a frame: all before its shared part.
  package static func frame(
    _ hash: Digest, keyframes hasKeyframes: Bool, delay: Int64, shared: Int, reserving capacity: Int
  ) -> ByteWriter {
    var front = ByteWriter.sealing(reserving: capacity)
    front.append(LogFrame.form)
    front.digest(hash)
    front.append(hasKeyframes ? LogFrame.hasKeyframes : 0)
    front.signedVarint(delay)
    front.varint(shared)
    return front
  }

  fileprivate mutating func pointers(_ pointers: VersionPointers, from position: Position) {
    guard pointers.previous > 0 else { return append(contentsOf: [0, 0]) }
    varint(position.number &- pointers.previous.number)
    varint(pointers.skip == 0 ? 0 : pointers.previous.number &- pointers.skip.number &+ 1)
  }

  private mutating func append(contentsOf two: [UInt8]) { bytes.append(contentsOf: two) }
}
