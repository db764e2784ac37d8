import CRepriseChecksums

/// An after-image: the rows that one commit puts and deletes, so that the commit can be repeated after a power cut.
///
/// Docs/FileFormat/afterimages.md describes its bytes.
package struct AfterImage: Equatable {
  /// The checksum, the length, the number of the commit, and its base.
  static let headerSize = 44
  /// The kind of a change, the number of its table, and the sizes of its key and its value.
  static let changeHeaderSize = 8

  /// The number of LMDB's transaction.
  package let commit: Int
  package let base: AfterImageBase
  /// The names of the tables that it changes.
  package let tables: [String]
  package let changes: [Change]
  let bytes: [UInt8]

  package enum Kind: UInt8, Sendable {
    case put = 1
    case delete
    case removeAll
    /// Not a change: gives the next number to a table. The key is its name.
    case table
  }

  package struct Change: Equatable, Sendable {
    package let kind: Kind
    /// The place of the table among the names.
    package let table: Int
    let key: Range<Int>
    let value: Range<Int>
  }

  /// Reads the after-image in a place. `nil` if the place has none that is whole.
  package init?(_ place: [UInt8]) {
    guard let checksum = place.number(at: 0, UInt32.self).map({ UInt32(littleEndian: $0) }),
      let length = place.number(at: 4, UInt32.self).map({ Int(UInt32(littleEndian: $0)) }),
      length >= Self.headerSize, length <= place.count,
      checksum == place.withUnsafeBytes({ Self.checksum($0, length) })
    else { return nil }
    func number(_ offset: Int) -> UInt64 { UInt64(littleEndian: place.number(at: offset, UInt64.self) ?? 0) }
    guard let commit = Int(exactly: number(8)), commit > 0 else { return nil }
    let heads = UInt32(littleEndian: place.number(at: 40, UInt32.self) ?? 0)
    guard let (tables, changes) = Self.parse(place, length) else { return nil }
    self.commit = commit
    base = AfterImageBase(freePages: number(16), main: number(24), lastPage: number(32), heads: heads)
    (self.tables, self.changes, bytes) = (tables, changes, place)
  }

  /// The effect of the changes on one table.
  package struct Effect {
    /// Whether the rows that are not in `last` are gone.
    package fileprivate(set) var isEmptied = false
    /// The last change of each key.
    package fileprivate(set) var last: [[UInt8]: Change] = [:]
  }

  /// The effect of the changes, by table.
  package var effects: [String: Effect] {
    var effects: [String: Effect] = [:]
    for change in changes {
      if change.kind == .removeAll {
        effects[tables[change.table]] = Effect(isEmptied: true)
      } else {
        effects[tables[change.table], default: Effect()].last[Array(key(change))] = change
      }
    }
    return effects
  }

  package func key(_ change: Change) -> ArraySlice<UInt8> { bytes[change.key] }
  package func value(_ change: Change) -> ArraySlice<UInt8> { bytes[change.value] }
  /// Where in the place the value of a change begins.
  func offset(ofValue change: Change) -> Int { change.value.lowerBound }

  /// The bytes without the rest of the place.
  package var encoded: [UInt8] {
    Array(bytes.prefix(Int(UInt32(littleEndian: bytes.number(at: 4, UInt32.self) ?? 0))))
  }

  /// The checksum of an after-image.
  package static func checksum(_ encoded: [UInt8]) -> UInt32 {
    encoded.withUnsafeBytes { checksum($0, encoded.count) }
  }

  /// The checksum of an after-image with a length.
  static func checksum(_ bytes: UnsafeRawBufferPointer, _ length: Int) -> UInt32 {
    bytes.baseAddress.map { reprise_crc32c(0, $0 + 4, length - 4) } ?? 0
  }

  private static func parse(_ bytes: [UInt8], _ length: Int) -> (tables: [String], changes: [Change])? {
    var tables: [String] = []
    var changes: [Change] = []
    var place = headerSize
    while place < length {
      guard let kind = Kind(rawValue: bytes[place]), let keySize = bytes.number(at: place + 2, UInt16.self),
        let valueSize = bytes.number(at: place + 4, UInt32.self)
      else { return nil }
      let table = Int(bytes[place + 1])
      let key = place + changeHeaderSize..<place + changeHeaderSize + Int(UInt16(littleEndian: keySize))
      let value = key.upperBound..<key.upperBound + Int(UInt32(littleEndian: valueSize))
      guard value.upperBound <= length else { return nil }
      if kind == .table {
        guard table == tables.count else { return nil }
        tables.append(String(decoding: bytes[key], as: UTF8.self))
      } else {
        guard table < tables.count else { return nil }
        changes.append(Change(kind: kind, table: table, key: key, value: value))
      }
      place = value.upperBound
    }
    return (tables, changes)
  }
}
