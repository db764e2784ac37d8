import RepriseLMDB
import RepriseObjectModel

/// Authors, contexts and transactions by number, so that a frame does not repeat their names.
///
/// A name gets its number in the transaction that uses it first. Only short ones do, and only so many: a program that
/// names each transaction differently writes its names into the frames.
struct NameTable {
  static let lengthLimit = 64
  static let countLimit: UInt32 = 4096

  private let meta: MetaTable
  private var count: UInt32
  /// Names that got their numbers in the transaction that is being written.
  private var new: [String: UInt32] = [:]

  init(_ meta: MetaTable, _ view: View) throws(StorageError) {
    self.meta = meta
    count = try meta.number(MetaKey.nameCount, view) ?? 0
  }

  /// How a frame refers to a name. A new one is noted in the envelope.
  mutating func reference(
    _ name: String?, in envelope: inout FrameEnvelope, _ view: View
  ) throws(StorageError) -> NameReference {
    guard let name, !name.isEmpty else { return .none }
    guard name.utf8.count <= Self.lengthLimit else { return .inline(name) }
    if let number = new[name] { return .interned(number) }
    if let number = try meta.number(MetaKey.number(of: name), view) { return .interned(number) }
    guard count < Self.countLimit else { return .inline(name) }
    if envelope.newNames.isEmpty { envelope.firstNewName = count }
    envelope.newNames.append(name)
    new[name] = count
    count += 1
    return .interned(count - 1)
  }

  /// Stores the names that a frame gave numbers to.
  mutating func write(_ envelope: FrameEnvelope, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    guard !envelope.newNames.isEmpty else { return }
    for (offset, name) in envelope.newNames.enumerated() {
      let number = envelope.firstNewName + UInt32(offset)
      try meta.put(MetaKey.name(number), Array(name.utf8), transaction)
      try meta.put(MetaKey.number(of: name), MetaTable.bytes(number), transaction)
    }
    try meta.put(MetaKey.nameCount, MetaTable.bytes(count), transaction)
    new = [:]
  }
}
