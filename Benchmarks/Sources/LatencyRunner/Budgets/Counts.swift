/// What a program costs, in counts that a busy machine does not change.
enum Count: String, CaseIterable, Codable {
  /// Machine instructions of the process, all threads.
  case instructions
  /// Pages that were touched for the first time without a read from the disk.
  case faults
  /// System calls from the first that names the store on, but for those that wait, wake or manage memory.
  case calls
  /// Calls of `futex`, by which a thread waits for another one or wakes it.
  case waits
  /// Bytes written to files of the store.
  case bytes
  /// Waits for the disk.
  case flushes
  /// Bytes of the program without symbols.
  case size
  /// Bytes of code and constants.
  case text
  /// Addresses that the loader fills in at each start.
  case relocations
  /// Processor time of a build, divided by that of a build of something that never changes.
  case buildTime
}

/// The counts of one thing.
typealias Counts = [Count: Double]

extension Counts {
  /// The counts of `rounds` rounds, where `none` has everything but those.
  static func each(of some: Counts, without none: Counts, rounds: Int) -> Counts {
    some.merging(none) { Swift.max(0, $0 - $1) / Double(rounds) }
  }
}
