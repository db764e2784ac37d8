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

  /// Whether there are no problems.
  public var isSound: Bool { problems.isEmpty }
}

extension VerificationReport: CustomStringConvertible {
  /// The counts, and any problems.
  public var description: String {
    var counts = "\(transactions) transactions, \(events) events, \(objects) objects, \(indexRows) index rows"
    if blobs > 0 { counts += ", \(blobs) blobs" }
    if isSound { return "Sound: \(counts)." }
    return "\(problems.count) problems in \(counts):\n" + problems.joined(separator: "\n")
  }
}
