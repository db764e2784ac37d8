import RepriseLMDB
import RepriseObjectModel

/// The head of a store's log with its hash, to be kept outside the store: in another store, with a third party, on
/// paper.
///
/// The hash covers all transactions up to the head. So a log that was changed, or replaced by an older state, which is
/// valid in itself, fails ``Store/verify(against:)`` with a kept hash.
///
/// Its text form is `<log uuid>:<position>:<SHA-256 in 64 hexadecimal digits>`.
public struct HeadHash: Hashable, Sendable {
  /// The last transaction that the hash covers.
  public let position: Position
  let log: UniqueID
  let hash: Digest

  init(log: UniqueID, _ head: LogHead) {
    self.log = log
    position = head.position
    hash = head.hash
  }
}

extension HeadHash: LosslessStringConvertible {
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

extension HeadHash: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let head = HeadHash(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no hash of a head")
    }
    self = head
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Store {
  /// The head with its hash, including the saves of all processes. Costs one read of the last transaction.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the last transaction is damaged.
  public func headHash() throws -> HeadHash {
    try read { (view, _) throws(StorageError) in
      HeadHash(log: logID, try log.head(view))
    }
  }
}
