import RepriseLMDB
import RepriseObjectModel

/// Names a transaction of one log, and with it all transactions before it: by the log's UUID, the position, and the
/// transaction's hash, which covers those before.
///
/// Keep one to go on from there later. ``TransactionLog/feed(after:matching:)`` throws
/// ``StoreError/otherLog(path:token:head:)`` if the log no longer has that transaction, because the store was restored
/// from an older backup, or is another one. A ``Position`` is a number alone, and may then name another transaction.
///
/// Keep one outside the store, in another store, with a third party or on paper, to notice later whether the log was
/// changed: ``StoreMaintenance/verify(_:against:)``.
///
/// The text form is `<log uuid>:<position>:<SHA-256 in 64 hexadecimal digits>`; position 0 is the beginning of the log.
public struct LogToken: Hashable, Sendable {
  /// The transaction's position.
  public let position: Position
  package let log: UniqueID
  package let hash: Digest

  package init(log: UniqueID, position: Position, hash: Digest) {
    self.log = log
    self.position = position
    self.hash = hash
  }
}

extension LogToken: LosslessStringConvertible {
  /// Reads the text form; `nil` for anything else.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let log = UniqueID(String(parts[0])), let position = UInt64(parts[1]),
      let hash = Digest(digits: parts[2])
    else { return nil }
    self.log = log
    self.position = Position(position)
    self.hash = hash
  }

  /// The text form.
  public var description: String { "\(log):\(position):\(hash)" }
}

extension LogToken: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let head = LogToken(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no token of a log")
    }
    self = head
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
