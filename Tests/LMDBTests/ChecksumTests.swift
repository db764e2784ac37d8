import CRepriseChecksums
import RepriseTestSeeds
import XCTest

final class ChecksumTests: XCTestCase {
  func testCRC32CMatchesThePublishedVectorsOnBothPaths() {
    let vectors: [([UInt8], UInt32)] = [
      ([], 0),
      (Array("123456789".utf8), 0xE306_9283),
      (Array(repeating: 0, count: 32), 0x8A91_36AA),
      (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
      (Array(0..<32), 0x46DD_794E),
      ((0..<32).reversed(), 0x113F_DB5C),
    ]
    for (bytes, expected) in vectors {
      XCTAssertEqual(reprise_crc32c(0, bytes, bytes.count), expected)
      XCTAssertEqual(reprise_crc32c_portable(0, bytes, bytes.count), expected)
    }
  }

  func testSHA256MatchesThePublishedVectorsWhereverTheInputIsCut() {
    let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    let vectors: [([UInt8], String)] = [
      ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (Array(twoBlocks.utf8), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
      (
        Array(repeating: UInt8(ascii: "a"), count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    for (bytes, expected) in vectors {
      for cut in [bytes.count, 1, 63, 64, 65, 4096] {
        XCTAssertEqual(digest(bytes, cutInto: cut), expected, "\(bytes.count) bytes cut into \(cut)")
      }
    }
  }

  func testCRC32CHardwareAndPortablePathsAgreeAtEveryAlignmentAndLength() {
    var random = SeededGenerator(seed: testSeed())
    let bytes = (0..<2100).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes.withUnsafeBytes { bytes in
      for round in 0..<600 {
        let offset = round % 17
        let length = round < 300 ? round : Int.random(in: 0...2048, using: &random)
        let start = UInt32.random(in: 0 ... .max, using: &random)
        let part = bytes.baseAddress! + offset
        let expected = reprise_crc32c_portable(start, part, length)
        XCTAssertEqual(reprise_crc32c(start, part, length), expected, "offset \(offset), length \(length)")
        let cut = length / 3
        XCTAssertEqual(
          reprise_crc32c(reprise_crc32c(start, part, cut), part + cut, length - cut), expected,
          "continued at \(cut), offset \(offset), length \(length)")
      }
    }
  }

  func testSHA256HardwareAndPortablePathsAgreeAtEveryAlignment() {
    var random = SeededGenerator(seed: testSeed())
    let bytes = (0..<1100).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes.withUnsafeBytes { bytes in
      for round in 0..<200 {
        let blocks = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + round % 17
        let count = round % 16
        var hardware = (0..<8).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
        var portable = hardware
        reprise_sha256_blocks(&hardware, blocks, count)
        reprise_sha256_blocks_portable(&portable, blocks, count)
        XCTAssertEqual(hardware, portable, "offset \(round % 17), \(count) blocks")
      }
    }
  }

  private func digest(_ bytes: [UInt8], cutInto size: Int) -> String {
    var hash = reprise_sha256()
    var digest = [UInt8](repeating: 0, count: 32)
    reprise_sha256_init(&hash)
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let length = min(size, bytes.count - offset)
        reprise_sha256_update(&hash, bytes.baseAddress! + offset, length)
        offset += length
      }
    }
    reprise_sha256_final(&hash, &digest)
    return digest.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }
}
