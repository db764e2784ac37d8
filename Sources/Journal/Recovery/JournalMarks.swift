import RepriseLMDB
import RepriseObjectModel

/// The rows of the table `journals`:
///
///     'j', journal UUID 16      the last frame of the journal that is in `drafts` and `archives`, u64
///     'd', hash of a draft 16   the generations of the draft that saves consumed: journal UUID 16 and generation u64,
///                               repeated
///     't', topic u8, hash 16    the frames of one draft (1) or scene (2) that were checkpointed on their own, out of
///                               journals that other processes hold: journal UUID 16 and the last frame u64, repeated
///
/// Numbers are little-endian.
package enum JournalMarks {
  private static let checkpointed: UInt8 = 0x6A
  private static let consumed: UInt8 = 0x64
  private static let checkpointedAlone: UInt8 = 0x74

  /// Whether a key has the form of one of these rows.
  package static func isKey(_ key: [UInt8]) -> Bool {
    switch key.first {
    case checkpointed, consumed: key.count == 17
    case checkpointedAlone: key.count == 18
    default: false
    }
  }

  /// Whether a row has the form of one of these.
  package static func isMark(_ key: [UInt8], _ byteCount: Int) -> Bool {
    guard isKey(key) else { return false }
    if key.first == checkpointed { return byteCount == 8 }
    return byteCount > 0 && byteCount % 24 == 0 && (key.first == consumed || key[1] == 1 || key[1] == 2)
  }

  private static func key(_ journal: UniqueID) -> [UInt8] {
    var writer = ByteWriter(reserving: 17)
    writer.append(checkpointed)
    writer.uuid(journal)
    return writer.bytes
  }

  /// 0 if no frame was checkpointed.
  static func lastCheckpointed(_ journal: UniqueID, _ view: View, _ table: Table) throws(StorageError) -> UInt64 {
    let key = key(journal)
    guard let value = try view.get(table, key: key.span.bytes), value.byteCount == 8 else { return 0 }
    return value.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  static func setLastCheckpointed(
    _ number: UInt64, _ journal: UniqueID, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    let key = key(journal)
    var writer = ByteWriter(reserving: 8)
    writer.fixed(number)
    try transaction.put(table, key: key.span.bytes, value: writer.bytes.span.bytes)
  }

  /// By journal, the last generation of the draft's edits that is in the log.
  static func consumed(_ draft: JournalTopic, _ view: View, _ table: Table) throws(StorageError) -> [UniqueID: UInt64] {
    let key = [consumed] + draft.hash
    guard let value = try view.get(table, key: key.span.bytes) else { return [:] }
    return decode(value.withUnsafeBytes { [UInt8]($0) })
  }

  static func setConsumed(
    _ generations: [UniqueID: UInt64], _ draft: JournalTopic, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    let key = [consumed] + draft.hash
    let value = encode(generations)
    try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
  }

  /// By journal, the last frame of its entries about the topic that is in `drafts` or `archives`. Its other entries may
  /// still be missing there.
  static func checkpointedAlone(
    _ topic: JournalTopic, _ view: View, _ table: Table
  ) throws(StorageError) -> [UniqueID: UInt64] {
    let key = key(topic)
    guard let value = try view.get(table, key: key.span.bytes) else { return [:] }
    return decode(value.withUnsafeBytes { [UInt8]($0) })
  }

  static func setCheckpointedAlone(
    _ frames: [UniqueID: UInt64], _ topic: JournalTopic, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    let key = key(topic)
    let value = encode(frames)
    try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
  }

  /// Marks all that these journals have about a topic.
  package static func setCheckpointedAlone(
    _ journals: [JournalContent], _ topic: JournalTopic, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    if journals.isEmpty { return }
    var frames = try checkpointedAlone(topic, transaction.view, table)
    for journal in journals { frames[journal.journal] = max(frames[journal.journal] ?? 0, journal.scan.lastNumber) }
    try setCheckpointedAlone(frames, topic, transaction, table)
  }

  private static func key(_ topic: JournalTopic) -> [UInt8] {
    [checkpointedAlone, topic.isDraft ? 1 : 2] + topic.hash
  }

  static func encode(_ numbers: [UniqueID: UInt64]) -> [UInt8] {
    var writer = ByteWriter(reserving: numbers.count * 24)
    for (journal, number) in numbers.heapSorted(by: { $0.key < $1.key }) {
      writer.uuid(journal)
      writer.fixed(number)
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) -> [UniqueID: UInt64] {
    bytes.withUnsafeBytes { all in
      var reader = ByteReader(all)
      var numbers: [UniqueID: UInt64] = [:]
      while let journal = try? reader.uuid(), let number = try? reader.fixed(UInt64.self) {
        numbers[journal] = number
      }
      return numbers
    }
  }

  /// The highest generation that any save consumed from these journals.
  static func highestConsumed(
    of journals: [UniqueID], _ view: View, _ table: Table
  ) throws(StorageError) -> UInt64 {
    var highest: UInt64 = 0
    try each(consumed, view, table) { _, value in
      for (journal, generation) in decode(value) where journals.contains(journal) {
        highest = max(highest, generation)
      }
    }
    return highest
  }

  /// How many journals keep their mark after their file is gone. This number of marks fits on one page.
  static let kept = 64

  /// Removes the marks of journals that are checkpointed in full. Of other journals, only the marks whose file is gone.
  /// The latest of these keep the mark of the checkpoint, because a copying tool that deletes no files may bring the
  /// file back, with edits that were saved or discarded since.
  ///
  /// - Parameter present: The journals that have files. It must be read while no other process can checkpoint.
  static func forget(
    _ done: Set<UniqueID>, present: Set<UniqueID>, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    var gone: [[UInt8]] = []
    try each(checkpointed, transaction.view, table) { key, _ in
      let journal = key.withUnsafeBytes { bytes in
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        return try? reader.uuid()
      }
      if let journal, !done.contains(journal), !present.contains(journal) { gone.append(key) }
    }
    // In order of creation, which UUIDs sort by.
    gone.removeLast(min(kept, gone.count))
    var less: [(key: [UInt8], value: [UInt8])] = []
    for kind in [consumed, checkpointedAlone] {
      try each(kind, transaction.view, table) { key, value in
        let before = decode(value)
        // A save may consume edits that its journal has not written yet, so a missing file proves nothing here.
        let after = before.filter { !done.contains($0.key) && (kind == consumed || present.contains($0.key)) }
        if after.isEmpty {
          gone.append(key)
        } else if after.count < before.count {
          less.append((key, encode(after)))
        }
      }
    }
    try transaction.delete(table, shown: gone)
    for (key, value) in less { try transaction.put(table, key: key.span.bytes, value: value.span.bytes) }
  }

  private static func each(
    _ kind: UInt8, _ view: View, _ table: Table, _ body: ([UInt8], [UInt8]) -> Void
  ) throws(StorageError) {
    var cursor = try view.cursor(table)
    let prefix = [kind]
    var entry = try cursor.seek(prefix.span.bytes)
    while let found = entry {
      let key = found.key.withUnsafeBytes { [UInt8]($0) }
      guard key.first == kind else { return }
      body(key, found.value.withUnsafeBytes { [UInt8]($0) })
      entry = try cursor.next()
    }
  }
}
