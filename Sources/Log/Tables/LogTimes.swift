import RepriseLMDB
import RepriseObjectModel

/// Finds transactions of a log by time.
///
/// Log times come from clocks, and clocks can be wrong. The log consists of *stretches* of ascending log times. Each
/// stretch but the first begins with a ``ClockStep``, a clock that was set back from one time to another. Then either
/// the clock was ahead before the step, or it is behind after the step until it is set forward again:
///
/// - The clock is **behind** if it is later set forward over the time before the step by a jump that compensates the
///   step. The jump is at least as large as the step and at most twice as large. If an earlier jump over the time after
///   the step is as large as the step too, both explanations fit, and the clock counts as ahead.
/// - Otherwise the clock was **ahead**. So it was if it is never set forward again.
///
/// A transaction is *in time* if its clock was neither behind nor ahead. Its clock was ahead if a later transaction
/// whose clock is not behind has an earlier log time, or if the present is earlier.
///
/// The store at a time ends before the first later transaction that is in time. If a transaction is not in time, the
/// time of its save is unknown. It counts as saved right after the last transaction in time before it. So a look-up may
/// include a save that was made later, but has all earlier ones.
package struct LogTimes {
  private struct Stretch {
    let positions: ClosedRange<Position>
    /// The step at its beginning, or the step before its beginning. `nil` if the log begins with it.
    let step: ClockStep?
    /// The log time of its last transaction.
    let last: Int64
  }

  private let log: LogTable
  private let now: Int64
  private let stretches: [Stretch]

  /// - Parameters:
  ///   - positions: The transactions that the log has.
  ///   - steps: The clock steps among these transactions, and the last clock step before them.
  ///   - now: The present by the clock of this process.
  package init(
    of log: LogTable, _ positions: ClosedRange<Position>, _ steps: [ClockStep], now: Int64, _ view: View
  ) throws(StorageError) {
    (self.log, self.now) = (log, now)
    var stretches: [Stretch] = []
    var (first, step) = (positions.lowerBound, ClockStep?.none)
    for next in steps where next.position <= positions.upperBound {
      if next.position > first {
        stretches.append(Stretch(positions: first...next.position - 1, step: step, last: next.before))
        first = next.position
      }
      step = next
    }
    let last = try log.time(at: positions.upperBound, view)
    stretches.append(Stretch(positions: first...positions.upperBound, step: step, last: last))
    self.stretches = stretches
  }

  // MARK: Questions

  /// The last transaction that counts as saved at a time or before. `nil` if there is none. O(log n) for each step.
  ///
  /// - Parameter time: Before now.
  package func lastPosition(upTo time: Int64, _ view: View) throws(StorageError) -> Position? {
    let notBehind = try stretchesNotBehind(view)
    let inTime = try stretchesInTime(notBehind, view)
    for place in stretches.indices.reversed() {
      guard let positions = inTime[place], let found = try log.last(in: positions, upTo: time, view) else { continue }
      return found == positions.upperBound ? end(ofWrongClocksFrom: place + 1, inTime) : found
    }
    let first = stretches[0].positions.lowerBound
    if inTime[0]?.lowerBound == first { return nil }
    // The log begins with a clock that is wrong. If it is behind, the transaction before the step was in time.
    if notBehind[0]?.lowerBound != first, let step = stretches[0].step, step.before > time { return nil }
    return end(ofWrongClocksFrom: 0, inTime)
  }

  /// The last of the transactions that are not in time, from the beginning of a stretch on. The transaction before, if
  /// there are none.
  private func end(ofWrongClocksFrom place: Int, _ inTime: [ClosedRange<Position>?]) -> Position {
    for positions in inTime[place...] { if let positions { return positions.lowerBound - 1 } }
    return stretches[stretches.endIndex - 1].positions.upperBound
  }

  /// The last transaction such that it and all earlier ones were surely saved before `limit`. `nil` if there is none.
  /// O(log n) for each step.
  ///
  /// It is before the first transaction with a log time between the limit and now. No earlier log time is later than
  /// its own, except for times after now, which prove nothing.
  package func lastPosition(surelyBefore limit: Int64, _ view: View) throws(StorageError) -> Position? {
    var found: Position?
    var latest = Int64.min
    if let before = stretches[0].step?.before, before <= now { latest = before }
    for stretch in stretches {
      let old = limit == .min ? nil : try log.last(in: stretch.positions, upTo: limit - 1, view)
      if let old {
        let time = try log.time(at: old, view)
        if time >= latest { (found, latest) = (old, time) }
      }
      let next = old.map { $0 + 1 } ?? stretch.positions.lowerBound
      if next <= stretch.positions.upperBound, try log.time(at: next, view) <= now { break }
    }
    return found
  }

  /// Whether only a wrong clock keeps a transaction after `last`. Then a later transaction has a time before the limit,
  /// or the next one has a time after now. O(1) for each step.
  ///
  /// - Parameter last: The result of ``lastPosition(surelyBefore:_:)``.
  package func isHeld(after last: Position?, before limit: Int64, _ view: View) throws(StorageError) -> Bool {
    let next = last.map { $0 + 1 } ?? stretches[0].positions.lowerBound
    for stretch in stretches where stretch.positions.upperBound >= next {
      let earliest = try log.time(at: max(next, stretch.positions.lowerBound), view)
      if earliest < limit || earliest > now && stretch.positions.contains(next) { return true }
    }
    return false
  }

  // MARK: Clocks that are ahead

  /// The stretches without the transactions of clocks that are behind or were ahead. `nil` for a stretch without any
  /// other transaction.
  private func stretchesInTime(
    _ notBehind: [ClosedRange<Position>?], _ view: View
  ) throws(StorageError) -> [ClosedRange<Position>?] {
    var inTime = notBehind
    var earliest = now
    for place in stretches.indices.reversed() {
      guard let positions = notBehind[place] else { continue }
      if stretches[place].last > earliest {
        inTime[place] = try log.last(in: positions, upTo: earliest, view).map { positions.lowerBound...$0 }
      }
      if place > 0 { earliest = min(earliest, try log.time(at: positions.lowerBound, view)) }
    }
    return inTime
  }

  // MARK: Clocks that are behind

  /// The stretches without the transactions of clocks that are behind. `nil` for a stretch without any other
  /// transaction.
  private func stretchesNotBehind(_ view: View) throws(StorageError) -> [ClosedRange<Position>?] {
    var notBehind: [ClosedRange<Position>?] = []
    var behind: Position = 0
    for (place, stretch) in stretches.enumerated() {
      let (first, last) = (stretch.positions.lowerBound, stretch.positions.upperBound)
      if behind < first, let step = stretch.step {
        let end = try end(ofClockBehindFrom: place, step, view)
        if let end, try !isExplained(step, before: place, notBehind.last ?? nil, view) { behind = end }
      }
      notBehind.append(behind < last ? max(first, behind + 1)...last : nil)
    }
    return notBehind
  }

  /// The last transaction before the jump forward that makes up for a step. `nil` if none does.
  private func end(
    ofClockBehindFrom place: Int, _ step: ClockStep, _ view: View
  ) throws(StorageError) -> Position? {
    var end = stretches[stretches.endIndex - 1].positions.upperBound
    let jump: UInt64
    if let later = stretches[place...].first(where: { $0.last > step.before }) {
      // `nil` if the log begins after the jump.
      guard let last = try log.last(in: later.positions, upTo: step.before, view) else { return nil }
      end = last
      jump = Self.distance(from: try log.time(at: last, view), to: try log.time(at: last + 1, view))
    } else {
      guard now > step.before else { return nil }
      jump = Self.distance(from: stretches[stretches.endIndex - 1].last, to: now)
    }
    let size = Self.distance(from: step.time, to: step.before)
    return jump >= size && jump - size <= size ? end : nil
  }

  /// Whether a jump forward in the stretch before a step makes up for the step: the clock may have been ahead.
  private func isExplained(
    _ step: ClockStep, before place: Int, _ earlier: ClosedRange<Position>?, _ view: View
  ) throws(StorageError) -> Bool {
    guard let earlier else { return false }
    let (from, to): (Int64, Int64)
    if let last = try log.last(in: earlier, upTo: step.time, view) {
      guard last < earlier.upperBound else { return false }
      (from, to) = (try log.time(at: last, view), try log.time(at: last + 1, view))
    } else {
      // `retain` may have dropped the beginning of the log's first stretch.
      let stretch = stretches[place - 1]
      guard let begin = stretch.step, begin.position < stretch.positions.lowerBound, begin.time <= step.time else {
        return false
      }
      (from, to) = (begin.time, try log.time(at: earlier.lowerBound, view))
    }
    return Self.distance(from: from, to: to) >= Self.distance(from: step.time, to: step.before)
  }

  private static func distance(from earlier: Int64, to later: Int64) -> UInt64 {
    UInt64(bitPattern: later &- earlier)
  }
}

extension LogTable {
  /// The last of some transactions with ascending times whose time is at most this. `nil` if all are later.
  fileprivate func last(
    in positions: ClosedRange<Position>, upTo time: Int64, _ view: View
  ) throws(StorageError) -> Position? {
    var (lower, upper) = (positions.lowerBound.number, positions.upperBound.number + 1)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if try self.time(at: Position(middle), view) <= time { lower = middle + 1 } else { upper = middle }
    }
    return lower > positions.lowerBound.number ? Position(lower - 1) : nil
  }

  fileprivate func time(at position: Position, _ view: View) throws(StorageError) -> Int64 {
    try withFrame(position, view, readsNames: false) { (frame) throws(MalformedBytes) in frame.logTime }
  }
}
