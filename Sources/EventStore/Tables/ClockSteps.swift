import RepriseLMDB
import RepriseObjectModel

/// The transactions at which the clock was set back, ascending: from each to the next, log times ascend. There are few,
/// so they are read and written as a whole.
struct ClockSteps: Equatable {
  private(set) var positions: [Position] = []

  mutating func add(_ position: Position) { positions.append(position) }

  /// Without those up to a position.
  func after(_ position: Position) -> [Position] { positions.filter { $0 > position } }

  /// The stretches of ascending times between two positions, the last first.
  func stretches(from first: Position, through last: Position) -> [ClosedRange<Position>] {
    var stretches: [ClosedRange<Position>] = []
    var end = last
    for start in positions.reversed() where start > first && start <= end {
      stretches.append(start...end)
      end = start - 1
    }
    if first <= end { stretches.append(first...end) }
    return stretches
  }
}

extension ClockSteps {
  init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    for _ in 0..<(try reader.count()) {
      let position = try reader.position()
      guard position > positions.last ?? 0 else { throw reader.fail("ascending positions") }
      positions.append(position)
    }
    guard reader.isAtEnd else { throw reader.fail("the end of an entry") }
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 4 * positions.count + 4)
    writer.varint(positions.count)
    for position in positions { writer.position(position) }
    return writer.sealed()
  }
}

extension MetaTable {
  func clockSteps(_ view: View) throws(StorageError) -> ClockSteps {
    try parsed(MetaKey.clock, view) { (bytes) throws(MalformedBytes) in try ClockSteps(encoded: bytes) } ?? ClockSteps()
  }

  func put(_ steps: ClockSteps, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let key = MetaKey.clock
    if steps.positions.isEmpty {
      try transaction.delete(table, key: key.span.bytes)
    } else {
      try put(key, steps.encoded(), transaction)
    }
  }

  /// Records that a transaction's time is not after that of the one before it.
  func addClockStep(at position: Position, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    var steps = try clockSteps(transaction.view)
    steps.add(position)
    try put(steps, transaction)
  }
}

extension LogTable {
  /// The last of some transactions whose time is at most this; `nil` if all are later. What was saved before it was
  /// saved by then, whatever its own time says.
  func lastPosition(
    upTo time: Int64, in positions: ClosedRange<Position>, _ steps: ClockSteps, _ view: View
  ) throws(StorageError) -> Position? {
    for stretch in steps.stretches(from: positions.lowerBound, through: positions.upperBound) {
      var (lower, upper) = (stretch.lowerBound.number, stretch.upperBound.number + 1)
      while lower < upper {
        let middle = lower + (upper - lower) / 2
        if try self.time(at: Position(middle), view) <= time { lower = middle + 1 } else { upper = middle }
      }
      if lower > stretch.lowerBound.number { return Position(lower - 1) }
    }
    return nil
  }

  private func time(at position: Position, _ view: View) throws(StorageError) -> Int64 {
    try withFrame(position, view) { (frame) throws(MalformedBytes) in frame.logTime }
  }
}
