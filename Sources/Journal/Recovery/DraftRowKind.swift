import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows of a draft in the table `drafts`. Keys, before the number of the chunk:
///
///     header  'h', hash of the ID 16
///     change  'n', hash 16, generation u64, entity u32, object 16
///     undo    'u', hash 16, generation u64, number u32
///     redo    'r', hash 16, generation u64, number u32
///
/// Numbers are big-endian. Each value begins with its CRC-32C.
package enum DraftRowKind: UInt8, CaseIterable {
  case header = 0x68
  case change = 0x6E
  case undo = 0x75
  case redo = 0x72

  func prefix(_ hash: [UInt8]) -> [UInt8] { [rawValue] + hash }

  /// The size of a row's key without the number of the chunk. `nil` if it is of no kind.
  package static func keySize(_ key: UnsafeRawBufferPointer) -> Int? {
    switch key.first.flatMap(DraftRowKind.init) {
    case .header: 17
    case .change: 45
    case .undo, .redo: 29
    case nil: nil
    }
  }

  /// The prefix of the rows of one generation.
  func prefix(_ hash: [UInt8], _ generation: UInt64) -> [UInt8] {
    var key = ByteWriter(reserving: 45)
    key.append(prefix(hash))
    key.fixed(generation.bigEndian)
    return key.bytes
  }

  static func key(_ object: ObjectAddress, _ hash: [UInt8], _ generation: UInt64) -> [UInt8] {
    var key = ByteWriter(reserving: 45)
    key.append(DraftRowKind.change.prefix(hash, generation))
    key.fixed(object.entity.bigEndian)
    key.uuid(object.uuid)
    return key.bytes
  }

  func key(_ number: Int, _ hash: [UInt8], _ generation: UInt64) -> [UInt8] {
    var key = ByteWriter(reserving: 29)
    key.append(prefix(hash, generation))
    key.fixed(UInt32(clamping: number).bigEndian)
    return key.bytes
  }
}
