#if PostgreSQL && canImport(CReprisePostgreSQL)
import CReprisePostgreSQL
import RepriseCore
import RepriseSharing

/// A parameter of a statement, in PostgreSQL's binary form.
enum LogParameter {
  case integer(UInt64)
  case count(Int32)
  case id(UniqueID?)
  case bytes([UInt8])

  /// The number of the type in PostgreSQL's catalog, which never changes.
  var type: Oid {
    switch self {
    case .integer: 20
    case .count: 23
    case .id: 2_950
    case .bytes: 17
    }
  }

  var bytes: [UInt8]? {
    switch self {
    // No number of the log is so great, so a greater one finds nothing.
    case .integer(let number): Self.bigEndian(UInt64(min(number, UInt64(Int64.max))))
    case .count(let number): Self.bigEndian(UInt32(bitPattern: number))
    case .id(let id): id.map(Self.uuid)
    case .bytes(let bytes): bytes
    }
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// The public interface of a unique ID has its text only.
  static func uuid(_ id: UniqueID) -> [UInt8] {
    let digits = id.description.utf8.filter { $0 != UInt8(ascii: "-") }
      .map { $0 - ($0 < UInt8(ascii: "a") ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
    return stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

/// The rows of an answer, in PostgreSQL's binary form.
final class LogAnswer {
  private let result: OpaquePointer

  /// - result: Freed with this object.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var rows: Range<Int32> { 0..<PQntuples(result) }

  private func value(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
    guard column < PQnfields(result), PQgetisnull(result, row, column) == 0 else { return nil }
    return PQgetvalue(result, row, column).map {
      UnsafeRawBufferPointer(start: $0, count: Int(PQgetlength(result, row, column)))
    }
  }

  func bytes(_ row: Int32, _ column: Int32) -> [UInt8] { value(row, column).map { Array($0) } ?? [] }

  func text(_ row: Int32, _ column: Int32) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

  /// A whole number of any size. 0 if it is null.
  func number(_ row: Int32, _ column: Int32) -> UInt64 {
    value(row, column)?.reduce(0) { $0 << 8 | UInt64($1) } ?? 0
  }

  func isTrue(_ row: Int32, _ column: Int32) -> Bool { value(row, column)?.first == 1 }

  func id(_ row: Int32, _ column: Int32) -> UniqueID? {
    guard let bytes = value(row, column), bytes.count == 16 else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return UniqueID(String(decoding: text, as: UTF8.self))
  }

  // MARK: The columns of reprise_read and reprise_append

  var status: String { rows.isEmpty ? "" : text(0, 0) }

  func place(_ row: Int32) -> LogPlace {
    LogPlace(epoch: number(row, 1), sequence: number(row, 2), packet: id(row, 3))
  }

  func page() throws -> LogPage {
    let packets = try rows.map { (place: place($0), packet: try LogPacket(bytes: bytes($0, 4))) }
    return LogPage(packets, hasMore: rows.last.map { isTrue($0, 5) } ?? false)
  }
}
#endif
