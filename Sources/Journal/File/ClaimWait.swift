import RepriseLog
import RepriseSystem

/// A wait for the process that has a claim. The wait has a limit while that process makes no progress and uses no
/// processor time, and no limit while it does.
package struct ClaimWait<Progress: Equatable> {
  private let path: String
  // All in milliseconds.
  private let limit: Int
  private var still = 0
  private var asked = 0

  private var last: Progress?
  private var processorTime: UInt64?

  package init(path: String, milliseconds: Int) {
    self.path = path
    limit = milliseconds
  }

  /// Compares the progress of the process with its progress some time ago. `process` is `nil` if it is not known.
  ///
  /// - Throws: ``StoreError/writerBusy(path:process:thread:seconds:)``.
  package mutating func look(_ progress: Progress, of process: Int32?, after time: Int) throws(StoreError) {
    still = progress == last ? still + time : 0
    if still == 0 { (asked, processorTime) = (0, nil) }
    last = progress
    // Asking the system about the process costs system calls.
    if still < limit, still - asked < max(1, limit / 30) { return }
    asked = still
    let time = process.flatMap { ThreadFacts.processorTime(ofProcess: $0) }
    if let known = processorTime, let time, time != known { (still, asked) = (0, 0) }
    processorTime = time
    if still >= limit { throw .writerBusy(path: path, process: process, thread: nil, seconds: limit / 1000) }
  }
}
