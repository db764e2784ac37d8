import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class ByteReaderTests: XCTestCase {
  private enum Read: CaseIterable {
    case byte, fixed8, fixed16, fixed32, fixed64, varint, signed, number, count, uuid, take, sized, string, end
  }

  /// Runs one read; throws what the reader throws, and traps if the reader does.
  private func run(_ read: Read, _ reader: inout ByteReader, _ random: inout SeededGenerator) throws {
    switch read {
    case .byte: _ = try reader.byte()
    case .fixed8: _ = try reader.fixed(UInt8.self)
    case .fixed16: _ = try reader.fixed(UInt16.self)
    case .fixed32: _ = try reader.fixed(Int32.self)
    case .fixed64: _ = try reader.fixed(UInt64.self)
    case .varint: _ = try reader.varint()
    case .signed: _ = try reader.signedVarint()
    case .number: _ = try reader.number()
    case .count:
      let size = Int.random(in: 0...20, using: &random)
      let remaining = reader.remaining
      let count = try reader.count(of: size)
      XCTAssertLessThanOrEqual(count * max(size, 1), remaining)
    case .uuid: _ = try reader.uuid()
    case .take:
      let wish = [0, 1, 5, -1, Int.max, Int.min, reader.remaining].randomElement(using: &random) ?? 0
      let taken = try reader.take(wish)
      XCTAssertEqual(taken.count, wish)
    case .sized: _ = try reader.sized()
    case .string: _ = try reader.string()
    case .end: try reader.expectEnd()
    }
  }

  func testDamagedBytesAreErrorsAndNeverTrapOrReadBeyondTheEnd() {
    var random = SeededGenerator(seed: testSeed(default: 41))
    var (failures, reads) = (0, 0)
    for _ in 0..<5_000 {
      var bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Long varints, and lengths that claim more than is there.
      if Bool.random(using: &random) { bytes = bytes.map { $0 | 0x80 } }
      bytes.withUnsafeBytes { raw in
        var reader = ByteReader(raw)
        while !reader.isAtEnd {
          let before = reader.offset
          do {
            try run(Read.allCases.randomElement(using: &random) ?? .byte, &reader, &random)
            reads += 1
          } catch let error as MalformedBytes {
            failures += 1
            XCTAssertLessThanOrEqual(error.offset, raw.count)
            if reader.offset == before { break }
          } catch { XCTFail("\(error)") }
          XCTAssertGreaterThanOrEqual(reader.offset, before)
          XCTAssertLessThanOrEqual(reader.offset, raw.count)
        }
      }
    }
    XCTAssertGreaterThan(failures, 1_000)
    XCTAssertGreaterThan(reads, 1_000)
  }

  private func write(_ writer: inout ByteWriter) {
    writer.append(UInt8(7))
    writer.fixed(UInt32(0xDEAD_BEEF))
    writer.varint(UInt64.max)
    writer.varint(127)
    writer.varint(128)
    writer.signedVarint(.min)
    writer.signedVarint(.max)
    writer.signedVarint(-1)
    writer.uuid(UniqueID(high: 1, low: 2))
    writer.string("é\u{0}🪑")
    writer.sized([1, 2, 3])
  }

  private func readBack(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    XCTAssertEqual(try reader.byte(), 7)
    XCTAssertEqual(try reader.fixed(UInt32.self), 0xDEAD_BEEF)
    XCTAssertEqual(try reader.varint(), .max)
    XCTAssertEqual(try reader.varint(), 127)
    XCTAssertEqual(try reader.varint(), 128)
    XCTAssertEqual(try reader.signedVarint(), .min)
    XCTAssertEqual(try reader.signedVarint(), .max)
    XCTAssertEqual(try reader.signedVarint(), -1)
    XCTAssertEqual(try reader.uuid(), UniqueID(high: 1, low: 2))
    XCTAssertEqual(try reader.string(), "é\u{0}🪑")
    XCTAssertEqual([UInt8](try reader.sized()), [1, 2, 3])
    try reader.expectEnd()
  }

  func testWhatWasWrittenReadsBack() throws {
    var writer = ByteWriter()
    write(&writer)
    try writer.bytes.withUnsafeBytes(readBack)
  }

  private func error(_ bytes: [UInt8], _ read: (inout ByteReader) throws -> Void) -> MalformedBytes? {
    do {
      try bytes.withUnsafeBytes { raw in
        var reader = ByteReader(raw)
        try read(&reader)
      }
      return nil
    } catch { return error as? MalformedBytes }
  }

  func testEveryTruncationIsAnError() {
    var writer = ByteWriter()
    writer.string("é\u{0}🪑")
    writer.signedVarint(.min)
    writer.uuid(UniqueID(high: 1, low: 2))
    writer.fixed(UInt64(5))
    for length in 0...writer.count {
      let failure = error([UInt8](writer.bytes.prefix(length))) { reader in
        _ = try reader.string()
        _ = try reader.signedVarint()
        _ = try reader.uuid()
        _ = try reader.fixed(UInt64.self)
      }
      XCTAssertEqual(failure == nil, length == writer.count, "\(length)")
    }
  }

  func testNumbersThatDoNotFitAreErrors() {
    let nines = [UInt8](repeating: 0xFF, count: 9)
    XCTAssertNil(error(nines + [1]) { XCTAssertEqual(try $0.varint(), .max) })
    for bytes in [nines + [2], nines + [0x81, 0], [UInt8](repeating: 0x80, count: 40), []] {
      XCTAssertNotNil(error(bytes) { _ = try $0.varint() }, "\(bytes)")
    }
    XCTAssertNil(error([0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) { XCTAssertEqual(try $0.number(), .max) })
    XCTAssertNotNil(error([0x80, 0x80, 0x80, 0x80, 0x10]) { _ = try $0.number() })
  }

  func testALengthIsNotBelievedBeforeItIsComparedWithWhatIsThere() {
    var writer = ByteWriter()
    writer.varint(UInt64(Int.max))
    writer.append([1, 2, 3])
    for bytes in [writer.bytes, [4, 1, 2, 3], [UInt8](repeating: 0xFF, count: 9) + [1, 0]] {
      XCTAssertNotNil(error(bytes) { _ = try $0.count() })
      XCTAssertNotNil(error(bytes) { _ = try $0.sized() })
      XCTAssertNotNil(error(bytes) { _ = try $0.string() })
    }
    XCTAssertNotNil(error([2, 1, 2, 3]) { _ = try $0.count(of: 2) })
  }

  func testBytesThatAreNoTextAreAnErrorThatSaysWhere() {
    XCTAssertEqual(error([2, 0xC3, 0x28]) { _ = try $0.string() }?.description, "expected a text at byte 3")
  }
}
