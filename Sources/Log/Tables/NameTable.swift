import RepriseLMDB
import RepriseObjectModel

/// Interns the names of authors, contexts and transactions, so that frames refer to them by number.
///
/// A name gets its number in the first transaction that uses it. Only short names are interned, and at most
/// `FrameEnvelope.nameLimit` of them. If a program gives each transaction a different name, the frames contain the
/// names.
package struct NameTable {
  package static let lengthLimit = 64

  private let meta: MetaTable
  private var count: UInt32
  /// Names first interned by the current transaction.
  private var new: [String: UInt32] = [:]

  package init(_ meta: MetaTable, _ view: View) throws(StorageError) {
    self.meta = meta
    count = try meta.requiredNumber(MetaKey.nameCount, view)
  }

  /// Returns a frame's reference to a name. A newly interned name is recorded in the envelope.
  package mutating func reference(
    _ name: String?, in envelope: inout FrameEnvelope, _ view: View
  ) throws(StorageError) -> NameReference {
    guard let name, !name.isEmpty else { return .none }
    guard name.utf8.count <= Self.lengthLimit else { return .inline(name) }
    if let number = new[name] { return .interned(number) }
    if let number = try meta.number(MetaKey.number(of: name), view) { return .interned(number) }
    guard count < FrameEnvelope.nameLimit else { return .inline(name) }
    if envelope.newNames.isEmpty {
      try requireFreeNumber(view)
      envelope.firstNewName = count
    }
    envelope.newNames.append(name)
    new[name] = count
    count += 1
    return .interned(count - 1)
  }

  /// With a damaged count, a name would get the number of another name, or numbers would be left out. The log would
  /// contain this error.
  private func requireFreeNumber(_ view: View) throws(StorageError) {
    let isBehindLast = count == 0 ? true : try meta.get(MetaKey.name(count - 1), view) != nil
    guard isBehindLast, try meta.get(MetaKey.name(count), view) == nil else {
      throw meta.table.damaged(
        MetaKey.nameCount, "the table 'meta' has more or fewer names than the \(count) that it counts")
    }
  }

  /// Takes the numbers that a transaction of another copy of the log gave to names.
  package mutating func take(_ envelope: FrameEnvelope, _ view: View) throws(StorageError) {
    if envelope.newNames.isEmpty { return }
    try requireFreeNumber(view)
    guard envelope.firstNewName == count else {
      throw meta.table.damaged(
        MetaKey.nameCount,
        "the next name has the number \(count) here, and \(envelope.firstNewName) in another copy of the log")
    }
    count += UInt32(envelope.newNames.count)
  }

  /// Stores the names that a frame interned.
  package mutating func write(_ envelope: FrameEnvelope, _ transaction: borrowing WriteTransaction) throws(StorageError)
  {
    guard !envelope.newNames.isEmpty else { return }
    for (offset, name) in envelope.newNames.enumerated() {
      try meta.put(name: name, number: envelope.firstNewName + UInt32(offset), transaction)
    }
    try meta.put(MetaKey.nameCount, MetaTable.bytes(count), transaction)
    new = [:]
  }
}

extension MetaTable {
  /// Stores an interned name.
  package func put(
    name: String, number: UInt32, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try put(MetaKey.name(number), Array(name.utf8), transaction)
    try put(MetaKey.number(of: name), MetaTable.bytes(number), transaction)
  }
}
