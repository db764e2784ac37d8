import RepriseLMDB

/// Why an index could not be read or changed. After any of these a write transaction must be aborted: rows and counts
/// may disagree in it.
package enum IndexError: RepriseError, Equatable, StorageErrorConvertible {
  case storage(StorageError)
  /// A row was inserted that is there already.
  case rowExists(index: UInt32, rowKey: [UInt8])
  /// A row was deleted that is not there.
  case rowMissing(index: UInt32, rowKey: [UInt8])
  /// What the index says of itself does not hold.
  case damaged(index: UInt32, reason: String)

  package init(_ error: StorageError) {
    self = .storage(error)
  }

  package var description: String {
    switch self {
    case .storage(let error): "The index could not be read or changed: \(error)"
    case .rowExists(let index, let rowKey):
      "Index \(index) already has the row \(hexadecimal(rowKey)), which was to be inserted. Abort the transaction; "
        + "if the index does not verify, rebuild it from the objects."
    case .rowMissing(let index, let rowKey):
      "Index \(index) has no row \(hexadecimal(rowKey)), which was to be deleted. Abort the transaction; if the index "
        + "does not verify, rebuild it from the objects."
    case .damaged(let index, let reason):
      "Index \(index) is damaged: \(reason). No object is lost by it: rebuild the index from the objects."
    }
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = bytes.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  return bytes.count > 64 ? "\(digits)… (\(bytes.count) bytes)" : digits
}
