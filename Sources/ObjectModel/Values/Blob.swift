/// A large value, such as a picture, a recording or a document: a name for bytes that the store keeps apart from
/// objects.
///
/// A store can hold terabytes of such bytes. The program reads them on request, in parts or as a stream.
///
/// ```swift
/// photo.original = try await Blob(contentsOf: "/tmp/IMG_0042.heic", in: store)
/// try await context.save("Import photo")
///
/// for try await chunk in photo.original.chunks(in: store) { send(chunk) }
/// ```
///
/// Making a blob writes its bytes into the store. Saving an object with the blob makes the store keep them. The bytes
/// of a blob never change. Two blobs with the same bytes are equal and stored once. A context, an undo step, a draft, a
/// snapshot or a past version of an object therefore holds only the name, 40 bytes.
///
/// The store keeps only the blobs that are attributes of objects, and does not find blobs within sets or
/// `CodableAttribute` values.
public struct Blob: Hashable, Sendable {
  // A class, so that property values stay small.
  private final class Name: Sendable {
    let byteCount: Int
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ byteCount: Int, _ words: (UInt64, UInt64, UInt64, UInt64)) {
      (self.byteCount, self.words) = (byteCount, words)
    }
  }

  private let name: Name

  /// No blob is longer: the numbers of its chunks have four bytes.
  package static let longest = 1 << 43

  package init(byteCount: Int, words: (UInt64, UInt64, UInt64, UInt64)) { name = Name(byteCount, words) }

  /// The blob without bytes. It exists in every store.
  public static let empty = Blob(
    byteCount: 0,
    words: (0xe3b0_c442_98fc_1c14, 0x9afb_f4c8_996f_b924, 0x27ae_41e4_649b_934c, 0xa495_991b_7852_b855))

  /// The number of bytes.
  public var byteCount: Int { name.byteCount }

  /// The SHA-256 digest of the bytes, as 64 hexadecimal digits.
  public var sha256: String {
    [words.0, words.1, words.2, words.3].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The SHA-256 in groups of eight bytes, big-endian.
  package var words: (UInt64, UInt64, UInt64, UInt64) { name.words }

  /// Returns whether both have the same length and digest.
  public static func == (left: Blob, right: Blob) -> Bool {
    left.name === right.name || left.byteCount == right.byteCount && left.words == right.words
  }

  /// Hashes the digest.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Blob: AttributeValue {
  /// A blob is stored as its name: its length and digest.
  public static var attributeKind: AttributeKind { .blob }
  /// The stored form.
  public var propertyValue: PropertyValue { .blob(self) }
  /// Always true, because every stored blob converts to a `Blob`.
  public static var readsEveryValue: Bool { true }

  /// Converts a stored value. Returns `nil` for another kind.
  public static func from(_ value: PropertyValue) -> Blob? { if case .blob(let blob) = value { blob } else { nil } }
}

extension Blob: CustomStringConvertible {
  /// The number of bytes, and the first 8 digits of the digest.
  public var description: String { "blob of \(byteCount) bytes (\(sha256.prefix(8))…)" }
}

extension Blob: Codable {
  private enum CodingKeys: String, CodingKey {
    case byteCount
    case sha256
  }

  /// Decodes the name that ``encode(to:)`` wrote.
  ///
  /// Only a store that has the bytes can use the blob. Throws a `DecodingError` if the digest does not have 64
  /// hexadecimal digits, or if no blob has this length.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let byteCount = try container.decode(Int.self, forKey: .byteCount)
    let digits = try Array(container.decode(String.self, forKey: .sha256).utf8)
    var words: [UInt64] = []
    for start in stride(from: 0, to: digits.count == 64 ? 64 : 0, by: 16) {
      let text = String(decoding: digits[start..<start + 16], as: UTF8.self)
      if text.utf8.first != 0x2B, let word = UInt64(text, radix: 16) { words.append(word) }
    }
    guard words.count == 4 else {
      throw DecodingError.dataCorruptedError(
        forKey: .sha256, in: container, debugDescription: "a SHA-256 has 64 hexadecimal digits")
    }
    guard (0...Self.longest).contains(byteCount) else {
      throw DecodingError.dataCorruptedError(
        forKey: .byteCount, in: container, debugDescription: "a blob cannot have \(byteCount) bytes")
    }
    self.init(byteCount: byteCount, words: (words[0], words[1], words[2], words[3]))
  }

  /// Encodes the length and the digest, but not the bytes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(byteCount, forKey: .byteCount)
    try container.encode(sha256, forKey: .sha256)
  }
}
