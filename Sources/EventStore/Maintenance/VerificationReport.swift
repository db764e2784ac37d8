/// The result of ``StoreMaintenance/verify(_:against:)``.
public struct VerificationReport: Sendable {
  /// The number of transactions read. Each one has a valid checksum and its place in the hash chain.
  public let transactions: Int
  /// The number of events applied to objects.
  public let events: Int
  /// The number of objects in the store.
  public let objects: Int
  /// The number of index rows compared with the objects.
  public let indexRows: Int
  /// The number of blobs whose bytes were compared with their digests.
  public let blobs: Int
  /// The problems found, each a sentence; at most 100.
  public let problems: [String]
  /// The next steps after these problems.
  let steps: Set<RepairStep>

  /// Whether there are no problems.
  public var isSound: Bool { problems.isEmpty }
}

extension VerificationReport: CustomStringConvertible {
  /// The counts, one line for each problem, and the next step.
  public var description: String {
    var counts =
      "\(counted(transactions, "transaction")), \(counted(events, "event")), \(counted(objects, "object")), "
      + counted(indexRows, "index row")
    if blobs > 0 { counts += ", \(counted(blobs, "blob"))" }
    if isSound { return "Sound: \(counts)." }
    let lines = ["\(counted(problems.count, "problem")) in \(counts):"] + problems + advice
    return lines.joined(separator: "\n")
  }

  /// The next steps in sentences. A step that a problem names is not repeated.
  private var advice: [String] {
    var advice: [String] = []
    if steps.contains(.backup) {
      advice.append(
        "Restore a backup. Or let `StoreMaintenance.salvage(_:to:)` make a new store of the content that can be read.")
    } else if steps.contains(.salvage) {
      advice.append(
        "Let `StoreMaintenance.salvage(_:to:)` make a new store. It has all saved values, and lacks damaged drafts and "
          + "screens.")
    } else if steps.contains(.rebuild) {
      advice.append(
        "Rebuild the store from its log with `StoreMaintenance.rebuild(_:)`, and verify it again. No saved value is "
          + "lost.")
    }
    if steps.contains(.change) { advice.append("Change each object that breaks a rule, and save it.") }
    return advice
  }
}
