/// What ``Store/verify()`` found.
public struct VerificationReport: Sendable {
  /// How many transactions were read, each with its checksum and its place in the hash chain.
  public let transactions: Int
  /// How many events were applied.
  public let events: Int
  /// How many objects there are.
  public let objects: Int
  /// How many index rows were compared with the objects.
  public let indexRows: Int
  /// What does not hold, each a sentence; at most 100.
  public let problems: [String]

  /// Whether everything holds.
  public var isSound: Bool { problems.isEmpty }
}

extension VerificationReport: CustomStringConvertible {
  /// The counts, and the problems if there are any.
  public var description: String {
    let counts = "\(transactions) transactions, \(events) events, \(objects) objects, \(indexRows) index rows"
    if isSound { return "Sound: \(counts)." }
    return "\(problems.count) problems in \(counts):\n" + problems.joined(separator: "\n")
  }
}
