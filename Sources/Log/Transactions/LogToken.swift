import RepriseLMDB
import RepriseObjectModel

/// A permanent identifier of a transaction and of all transactions before it. A token has the UUID of the log, the
/// position, and the hash of the transaction. The hash covers all earlier transactions, too.
///
/// Keep a token to continue reading the log after its transaction later, for example in the next launch.
/// ``TransactionLog/feed(after:matching:)`` throws
/// ``StoreError/otherLog(path:token:head:)`` if the log does not have the transaction, because the store was restored
/// from an older backup, or is another store. A ``Position`` is only a number, so in such a log it may identify a
/// different transaction.
///
/// To detect later whether the log was changed, keep a token outside the store: in another store, with a third party or
/// on paper. Then call ``StoreMaintenance/verify(_:against:)``.
///
/// The text form is `<log uuid>:<position>:<SHA-256 in 64 hexadecimal digits>`, with letters in lower case. Position 0
/// is the beginning of the log.
public struct LogToken: Hashable, Sendable {
  /// The position of the transaction.
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
  /// Reads the text form; `nil` if the text has another form.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let log = UniqueID(String(parts[0])), let position = UInt64(parts[1]),
      let hash = Digest(digits: parts[2])
    else { return nil }
    self.init(log: log, position: Position(position), hash: hash)
    // Numbers and digits have other spellings, and a token has one text.
    if self.description != description { return nil }
  }

  /// The text form of the token.
  public var description: String { "\(log):\(position):\(hash)" }
}

extension LogToken: Codable {
  /// Decodes a token from its text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let head = LogToken(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a token of a log")
    }
    self = head
  }

  /// Encodes the token as its text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
