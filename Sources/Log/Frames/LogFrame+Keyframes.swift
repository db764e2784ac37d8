import RepriseObjectModel

extension LogFrame {
  /// The state of an object in the frame's local part. With it, a reader need not fold the log.
  package struct Keyframe {
    /// The index of the event that led to this state.
    package let event: Int
    /// The record without its checksum.
    package let bytes: UnsafeRawBufferPointer

    package func record() throws(MalformedBytes) -> RecordReader { try RecordReader(unsealed: bytes) }
  }

  /// The record after an event. `nil` if the frame does not have it.
  package func record(after event: LogEvent) throws(MalformedBytes) -> RecordReader? {
    guard hasKeyframes else { return nil }
    var found: Keyframe?
    try forEachKeyframe { if found == nil, $0.event == event.index { found = $0 } }
    return try found?.record()
  }

  /// Where the pointers of the events are.
  func pointerBytes() throws(MalformedBytes) -> Range<Int> {
    var reader = ByteReader(bytes)
    reader.offset = eventBytes.upperBound
    for _ in 0..<eventCount { _ = try reader.pointers(from: position) }
    return eventBytes.upperBound..<reader.offset
  }

  package func keyframes() throws(MalformedBytes) -> [Keyframe] {
    var found: [Keyframe] = []
    try forEachKeyframe { found.append($0) }
    return found
  }

  /// Throws if there are bytes after the frame, because no hash covers them.
  package func requireEnd() throws(MalformedBytes) { try forEachKeyframe { _ in } }

  @inline(__always)
  private func forEachKeyframe(_ body: (Keyframe) -> Void) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    reader.offset = try pointerBytes().upperBound
    if hasKeyframes {
      for _ in 0..<(try reader.count(of: 2, "the number of keyframes")) {
        let event = try reader.varint("the number of an event")
        guard event < UInt64(eventCount) else { throw reader.fail("the number of an event") }
        body(Keyframe(event: Int(event), bytes: try reader.sized("a keyframe")))
      }
    }
    try reader.expectEnd("the end of the frame")
  }

  /// The frame without keyframes. The transaction is the same.
  package func withoutKeyframes() throws(MalformedBytes) -> [UInt8] {
    let end = try pointerBytes().upperBound
    let flags = Self.hashOffset + Digest.size
    var writer = ByteWriter.sealing(reserving: end)
    writer.append(UnsafeRawBufferPointer(rebasing: bytes[Checksum.size..<flags]))
    writer.append(bytes[flags] & ~Self.hasKeyframes)
    writer.append(UnsafeRawBufferPointer(rebasing: bytes[(flags + 1)..<end]))
    return writer.sealed()
  }
}
