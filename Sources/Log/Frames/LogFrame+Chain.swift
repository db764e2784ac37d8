import RepriseObjectModel

extension LogFrame {
  /// The transaction's hash.
  package static func hash(
    logID: UniqueID, previous: Digest, envelope: UnsafeRawBufferPointer, eventHashes: [UInt8]
  ) -> Digest {
    var hash = SHA256()
    hash.update(logID)
    hash.update(previous)
    hash.update(envelope)
    hash.update(eventHashes)
    return hash.finish()
  }

  /// Whether the frame's hash matches its content and the previous transaction's hash. Hashes every event.
  package func verifyHash(logID: UniqueID, previousHash: Digest) throws(MalformedBytes) -> Bool {
    var hashes = ByteWriter(reserving: eventCount * Digest.size)
    var events = events
    while let event = try events.next() { hashes.digest(event.hash) }
    let envelope = UnsafeRawBufferPointer(rebasing: bytes[envelopeBytes])
    return hash
      == Self.hash(logID: logID, previous: previousHash, envelope: envelope, eventHashes: hashes.bytes)
  }

  /// The frame with some events, by their indices, each reduced to its hash and a residue. The residue is a body in
  /// which erased values are marked, or nothing. The transaction's hash does not change, so the chain stays intact.
  ///
  /// - Parameter states: Keyframes that replace the keyframes of the same events.
  package func redacting(
    _ residues: [Int: [UInt8]], keyframes states: [Int: [UInt8]] = [:]
  ) throws(MalformedBytes) -> [UInt8] {
    var shared = ByteWriter(reserving: eventBytes.count + Digest.size)
    shared.append(UnsafeRawBufferPointer(rebasing: bytes[envelopeBytes]))
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<eventBytes.upperBound]))
    reader.offset = eventBytes.lowerBound
    for at in 0..<eventCount {
      let start = reader.offset
      let event = try LogEvent(&reader, index: at, .none)
      if let residue = residues[at] {
        shared.varint(residue.count << 1 | 1)
        shared.digest(event.hash)
        shared.append(residue)
      } else {
        shared.append(UnsafeRawBufferPointer(rebasing: bytes[start..<reader.offset]))
      }
    }
    var writer = ByteWriter.sealing(reserving: bytes.count + shared.count - eventBytes.count)
    var head = ByteReader(bytes)
    head.offset = Self.hashOffset + Digest.size
    _ = try head.byte()
    _ = try head.varint()
    writer.append(UnsafeRawBufferPointer(rebasing: bytes[Checksum.size..<head.offset]))
    writer.varint(shared.count)
    writer.append(shared.bytes)
    let pointers = try pointerBytes()
    writer.append(UnsafeRawBufferPointer(rebasing: bytes[pointers]))
    if !hasKeyframes { return writer.sealed() }
    let keyframes = try keyframes()
    writer.varint(keyframes.count)
    for keyframe in keyframes {
      writer.varint(UInt64(keyframe.event))
      if let state = states[keyframe.event] {
        writer.sized(state)
      } else {
        writer.varint(keyframe.bytes.count)
        writer.append(keyframe.bytes)
      }
    }
    return writer.sealed()
  }
}
