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
  /// Whether the store itself has a problem, not only the hash that the caller passed.
  let isDamaged: Bool

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
    let advice =
      "Take the steps that the lines above name. For any other problem: if transactions are missing or damaged, "
      + "restore a backup, or let `StoreMaintenance.salvage(_:to:)` make a new store of the rest. If an object breaks "
      + "a rule, change this object. Otherwise rebuild the store from its log with `StoreMaintenance.rebuild(_:)`, and "
      + "verify it again."
    let lines = ["\(counted(problems.count, "problem")) in \(counts):"] + problems + (isDamaged ? [advice] : [])
    return lines.joined(separator: "\n")
  }
}
