import CRepriseChecksums
import RepriseLog
import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a journal file: a header, then frames without gaps, to the end.
///
///     header   magic 8, format version u32, log UUID 16, journal UUID 16, CRC-32C u32 of these 44 bytes
///     frame    length of the payload u32, CRC-32C u32, number u64, payload
///     payload  time u64 (microseconds since 1970), count of names, names, entries
///     entry    length, kind u8, place of the draft or scene among the names, content by kind
///
/// The CRC of a frame covers the header up to its CRC, number and payload. So a frame is valid only in its own file and
/// format, even if the header is damaged. Numbers and times ascend from frame to frame. The times in a process's own
/// journal also ascend from the journals that it took over. Frames are independent of each other, except for texts
/// stored as splices, so losing one does not lose another. After a flush, a frame records how far the file is flushed:
/// see ``JournalScan``.
package enum JournalFormat {
  static let magic: StaticString = "RJOURNAL"
  static let version: UInt32 = 1
  package static let headerSize = 48
  static let frameHeaderSize = 16
  /// A time and a count of 0 names.
  static let minimumPayload = 9
  /// The highest number or time of a frame, which leaves room for later ones.
  static let highestNumber: UInt64 = 1 << 62
  /// The kind of the durability watermark: all frames up to a number are flushed. It has a separate frame, and readers
  /// of drafts and scenes skip it.
  static let flushedKind: UInt8 = 8
  static let suffix: StaticString = ".journal"
  static let damagedSuffix: StaticString = ".damaged"
  static let unfinishedSuffix: StaticString = ".unfinished"

  private static var magicBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: magic.utf8Start, count: magic.utf8CodeUnitCount)
  }

  static func header(log: UniqueID, journal: UniqueID) -> [UInt8] {
    var writer = ByteWriter(reserving: headerSize)
    writer.append(magicBytes)
    writer.fixed(version)
    writer.uuid(log)
    writer.uuid(journal)
    writer.fixed(seed(log: log, journal: journal))
    return writer.bytes
  }

  package enum Header {
    /// The file is shorter than a header, so it never had a frame.
    case missing
    case damaged
    /// Undamaged, and with another magic.
    case prerelease
    case valid(version: UInt32, log: UniqueID, journal: UniqueID)
  }

  package static func parseHeader(_ bytes: UnsafeRawBufferPointer) -> Header {
    guard bytes.count >= headerSize else { return .missing }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<headerSize]))
    do throws(MalformedBytes) {
      let found = try reader.take(magicBytes.count)
      let version = try reader.fixed(UInt32.self)
      let log = try reader.uuid()
      let journal = try reader.uuid()
      let sum = try reader.fixed(UInt32.self)
      guard sum == reprise_crc32c(0, bytes.baseAddress, headerSize - 4) else { return .damaged }
      return found.isSame(as: magicBytes) ? .valid(version: version, log: log, journal: journal) : .prerelease
    } catch {
      return .damaged
    }
  }

  /// The CRC of a file's header, which is the initial value for the CRC of each frame.
  static func seed(log: UniqueID, journal: UniqueID) -> UInt32 {
    let sum = reprise_crc32c(0, magicBytes.baseAddress, magicBytes.count)
    let start = withUnsafeBytes(of: version.littleEndian) { reprise_crc32c(sum, $0.baseAddress, $0.count) }
    let words = (log.high.bigEndian, log.low.bigEndian, journal.high.bigEndian, journal.low.bigEndian)
    return withUnsafeBytes(of: words) { reprise_crc32c(start, $0.baseAddress, $0.count) }
  }

  /// The payload of a durability watermark. Its one entry is about an empty name, because every entry has a name.
  static func flushed(upTo number: UInt64, time: UInt64) -> [UInt8] {
    var entry = ByteWriter()
    entry.append(flushedKind)
    entry.varint(0)
    entry.varint(number)
    var writer = ByteWriter(reserving: 24)
    writer.fixed(time)
    writer.varint(1)
    writer.string("")
    writer.sized(entry.bytes)
    return writer.bytes
  }

  /// The number in a frame made by ``flushed(upTo:time:)``. `nil` for any other frame.
  static func flushedNumber(_ content: UnsafeRawBufferPointer) -> UInt64? {
    var reader = ByteReader(content)
    do throws(MalformedBytes) {
      // The number of names, the length of the one, and of the entry.
      guard try reader.count() == 1, try reader.count() == 0 else { return nil }
      _ = try reader.count()
      guard try reader.byte() == flushedKind else { return nil }
      // The place of the name.
      _ = try reader.varint()
      return try reader.varint()
    } catch {
      return nil
    }
  }

  static func frame(_ number: UInt64, _ payload: [UInt8], seed: UInt32, to target: inout [UInt8]) {
    var writer = ByteWriter(reserving: frameHeaderSize)
    writer.fixed(UInt32(payload.count))
    writer.fixed(UInt32(0))
    writer.fixed(number)
    var sum = writer.bytes.withUnsafeBytes { reprise_crc32c(seed, $0.baseAddress.map { $0 + 8 }, 8) }
    sum = payload.withUnsafeBytes { reprise_crc32c(sum, $0.baseAddress, $0.count) }
    writer.replaceFixed(at: 4, with: sum)
    target.append(contentsOf: writer.bytes)
    target.append(contentsOf: payload)
  }
}
