import RepriseLMDB

// Errors in the rows of an index. After any of these a write transaction must be aborted: its rows and counts may
// disagree.
extension Table {
  /// An inserted row exists already.
  package func rowExists(_ key: [UInt8]) -> StorageError {
    damaged(
      key,
      "\(indexRow(key, verb: "already has")), so it cannot be inserted")
  }

  /// A deleted row does not exist.
  package func rowMissing(_ key: [UInt8]) -> StorageError {
    damaged(
      key,
      "\(indexRow(key, verb: "lacks")), so it cannot be deleted")
  }

  /// An index violates one of its invariants.
  func damagedIndex(_ number: UInt32, _ reason: String) -> StorageError {
    damaged(
      withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) },
      "index \(number): \(reason)")
  }

  private func indexRow(_ key: [UInt8], verb: String) -> String {
    let number = key.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return "index \(number) \(verb) the row \(hexadecimal(Array(key.dropFirst(CountedIndex.prefixLength))))"
  }
}

package func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = bytes.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  return bytes.count > 64 ? "\(digits)… (\(bytes.count) bytes)" : digits
}
