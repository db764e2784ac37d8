import CRepriseChecksums
import RepriseObjectModel

/// A SHA-256 digest.
package struct Digest: Hashable, Sendable {
  package static let size = 32
  /// The bytes in groups of eight, big-endian.
  package let words: (UInt64, UInt64, UInt64, UInt64)

  /// The previous hash of a log's first transaction.
  package static var zero: Digest { Digest(words: (0, 0, 0, 0)) }

  package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// `bytes` must hold at least 32 bytes. Any beyond are ignored.
  package init(unchecked bytes: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    words = (word(0), word(1), word(2), word(3))
  }

  package static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

  package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest {
  /// Parses 64 hexadecimal digits. `nil` for anything else.
  init?(digits: Substring) {
    let digits = Array(digits.utf8)
    guard digits.count == 64 else { return nil }
    var words: [UInt64] = []
    for start in stride(from: 0, to: 64, by: 16) {
      var word: UInt64 = 0
      for digit in digits[start..<start + 16] {
        guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
        word = word << 4 | UInt64(value)
      }
      words.append(word)
    }
    self.init(words: (words[0], words[1], words[2], words[3]))
  }
}

extension Digest: CustomStringConvertible {
  package var description: String {
    [words.0, words.1, words.2, words.3].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// An incremental SHA-256.
package struct SHA256 {
  private var state = reprise_sha256()

  package init() { reprise_sha256_init(&state) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    reprise_sha256_update(&state, bytes.baseAddress, bytes.count)
  }

  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  package mutating func update(_ id: UniqueID) {
    let big = (id.high.bigEndian, id.low.bigEndian)
    withUnsafeBytes(of: big) { update($0) }
  }

  package mutating func update(_ digest: Digest) {
    let words = digest.words
    let big = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    withUnsafeBytes(of: big) { update($0) }
  }

  package consuming func finish() -> Digest {
    var bytes = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    withUnsafeMutableBytes(of: &bytes) { reprise_sha256_final(&state, $0.baseAddress) }
    return withUnsafeBytes(of: bytes) { Digest(unchecked: $0) }
  }

  package static func digest(_ bytes: UnsafeRawBufferPointer) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }
}

extension ByteWriter {
  package mutating func digest(_ digest: Digest) {
    let words = digest.words
    let big = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    withUnsafeBytes(of: big) { append($0) }
  }
}

extension ByteReader {
  package mutating func digest(_ what: StaticString = "a digest") throws(MalformedBytes) -> Digest {
    Digest(unchecked: try take(Digest.size, what))
  }
}
