import RepriseLog
import RepriseObjectModel

/// The shared part of a frame, in lent bytes: the envelope and the events. It is the same in every copy of the log.
struct SharedPart {
  /// With the names of the transaction.
  let envelope: FrameEnvelope
  let position: Position
  let eventCount: Int
  private let bytes: UnsafeRawBufferPointer
  private let eventStart: Int

  /// Throws if the envelope is malformed. Events are checked as they are read.
  init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    let (envelope, position, eventCount) = try FrameEnvelope.decode(&reader)
    self.bytes = bytes
    self.position = position
    self.eventCount = eventCount
    eventStart = reader.offset
    self.envelope = eventCount > 0 ? try envelope.withNames(&reader) : envelope
  }

  /// Calls `body` with each event, without the pointers, which each copy of the log has for itself.
  func forEachEvent(_ body: (LogEvent) throws(ReplayError) -> Void) throws(ReplayError) {
    var reader = ByteReader(bytes)
    reader.offset = eventStart
    for index in 0..<eventCount {
      try body(try ReplayError.wrapping { () throws(MalformedBytes) in try LogEvent(&reader, index: index, .none) })
    }
    try ReplayError.wrapping { () throws(MalformedBytes) in try reader.expectEnd("the end of the events") }
  }

  /// The transaction's hash. Hashes every event.
  func hash(logID: UniqueID, previous: Digest) throws(ReplayError) -> Digest {
    var hashes = ByteWriter(reserving: eventCount * Digest.size)
    try forEachEvent { hashes.digest($0.hash) }
    let envelope = UnsafeRawBufferPointer(rebasing: bytes[..<eventStart])
    return LogFrame.hash(logID: logID, previous: previous, envelope: envelope, eventHashes: hashes.bytes)
  }
}

/// Makes the frame of a shared part for another copy of the log, which adds its own pointers and keyframes.
struct FrameCopy: ~Copyable {
  private var local = LocalPart()
  private let position: Position

  init(_ position: Position) { self.position = position }

  /// Adds the pointers of the next event.
  mutating func add(_ pointers: VersionPointers) { local.add(pointers, from: position) }

  /// Adds the record after an event as a keyframe, if `spacing` includes the version that the event made.
  mutating func keyframe(
    _ record: [UInt8], after event: Int, ofVersion version: UInt64, _ spacing: KeyframeSpacing
  ) {
    local.keyframe(record, after: event, ofVersion: version, spacing)
  }

  /// The frame of the shared part in these bytes.
  ///
  /// - Parameter delay: The log time of the transaction minus its wall time, in microseconds.
  consuming func finish(_ shared: UnsafeRawBufferPointer, _ hash: Digest, delay: Int64) -> [UInt8] {
    let hasKeyframes = local.hasKeyframes(besides: shared.count)
    var frame = ByteWriter.frame(
      hash, keyframes: hasKeyframes, delay: delay, shared: shared.count,
      reserving: shared.count + local.byteCount + 128)
    frame.append(shared)
    local.append(to: &frame, keyframes: hasKeyframes)
    return frame.sealed()
  }
}
