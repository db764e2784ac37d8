import RepriseLMDB
import RepriseObjectModel

/// A transaction whose log time is not after the time of the transaction before it, because the clock was set back.
package struct ClockStep: Equatable {
  package let position: Position
  /// The log time of the transaction before it.
  let before: Int64
  /// Its own log time.
  let time: Int64

  package init(position: Position, before: Int64, time: Int64) {
    (self.position, self.before, self.time) = (position, before, time)
  }

  package init(encoded bytes: UnsafeRawBufferPointer, at key: Position?) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    position = Position(try reader.fixed(UInt64.self, "a position"))
    before = try reader.fixed(Int64.self, "a time")
    time = try reader.fixed(Int64.self, "a time")
    guard reader.isAtEnd else { throw reader.fail("the end of an entry") }
    guard position == key else { throw MalformedBytes("the position in its key", at: Checksum.size) }
    guard time <= before else { throw MalformedBytes("a time no later than the one before", at: Checksum.size) }
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 24)
    writer.fixed(position.number)
    writer.fixed(before)
    writer.fixed(time)
    return writer.sealed()
  }
}

/// The rows of `meta` that list the clock steps, one row each. So a save writes only the row of its own step, for any
/// number of steps.
extension MetaTable {
  /// The steps from a position on, ascending, and the last one before it.
  package func clockSteps(from first: Position, _ view: View) throws(StorageError) -> [ClockStep] {
    let keys = try clockStepKeys(view)
    let place = keys.firstIndex { MetaKey.clockStep(key: $0) ?? 0 >= first } ?? keys.endIndex
    var steps: [ClockStep] = []
    for key in keys[max(0, place - 1)...] { if let step = try clockStep(key, view) { steps.append(step) } }
    return steps
  }

  package func put(_ step: ClockStep, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(MetaKey.clockStep(step.position), step.encoded(), transaction)
  }

  /// Replaces the steps after a position by these. Also removes unreadable steps up to the position.
  package func put(
    _ steps: [ClockStep], after first: Position, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for key in try clockStepKeys(transaction.view) {
      if MetaKey.clockStep(key: key) ?? .init(.max) > first || (try? clockStep(key, transaction.view)) == nil {
        try transaction.delete(table, key: key.span.bytes)
      }
    }
    for step in steps { try put(step, transaction) }
  }

  /// Removes this number of steps up to a floor. The last one stays, because it describes the beginning of the stretch
  /// that contains the floor.
  package func removeClockSteps(
    before floor: Position, limit: Int, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let old = try clockStepKeys(upTo: floor, limit: limit + 1, transaction.view)
    try transaction.delete(table, shown: Array(old.dropLast()))
  }

  private func clockStep(_ key: [UInt8], _ view: View) throws(StorageError) -> ClockStep? {
    try parsed(key, view) { (bytes) throws(MalformedBytes) in
      try ClockStep(encoded: bytes, at: MetaKey.clockStep(key: key))
    }
  }

  private func clockStepKeys(
    upTo last: Position = Position(.max), limit: Int = .max, _ view: View
  ) throws(StorageError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    let prefix = MetaKey.clockSteps
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(prefix.span.bytes)
    while keys.count < limit, let found = entry {
      let key = found.key.withUnsafeBytes { [UInt8]($0) }
      guard key.starts(with: prefix), MetaKey.clockStep(key: key) ?? 0 <= last else { break }
      keys.append(key)
      entry = try cursor.next()
    }
    return keys
  }
}
