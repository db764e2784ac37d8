/// A large value, such as a picture, a recording or a document: the name of bytes that lie in the store beside its
/// objects, up to terabytes of them. They are read when they are asked for, in parts or as a stream.
///
/// ```swift
/// photo.original = try await Blob(contentsOf: "/tmp/IMG_0042.heic", in: store)
/// try await context.save("Import photo")
///
/// for try await piece in photo.original.pieces(in: store) { send(piece) }
/// ```
///
/// To make a blob writes its bytes into the store; to save an object that has it makes them stay. A blob is what its
/// bytes are: those never change, and two blobs of the same bytes are equal, and stored once. So a context, an undo
/// step, a draft, a snapshot or a past version of an object has the name alone, of 40 bytes.
///
/// The store finds the blobs that attributes hold, and no others: one within a set or a `CodableAttribute` is not
/// kept by it.
public struct Blob: Hashable, Sendable {
  // A class, so that property values, of which everything has many, stay as small as they are.
  private final class Name: Sendable {
    let byteCount: Int
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ byteCount: Int, _ words: (UInt64, UInt64, UInt64, UInt64)) {
      (self.byteCount, self.words) = (byteCount, words)
    }
  }

  private let name: Name

  package init(byteCount: Int, words: (UInt64, UInt64, UInt64, UInt64)) { name = Name(byteCount, words) }

  /// No bytes. Every store has it.
  public static let empty = Blob(
    byteCount: 0,
    words: (0xe3b0_c442_98fc_1c14, 0x9afb_f4c8_996f_b924, 0x27ae_41e4_649b_934c, 0xa495_991b_7852_b855))

  /// How many bytes it has.
  public var byteCount: Int { name.byteCount }

  /// The SHA-256 of the bytes, in 64 hexadecimal digits.
  public var sha256: String {
    [words.0, words.1, words.2, words.3].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The SHA-256 in groups of eight bytes, big-endian.
  package var words: (UInt64, UInt64, UInt64, UInt64) { name.words }

  /// Whether length and digest are the same.
  public static func == (left: Blob, right: Blob) -> Bool {
    left.name === right.name || left.byteCount == right.byteCount && left.words == right.words
  }

  /// Feeds the digest into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Blob: AttributeValue {
  /// Stored as a blob.
  public static var attributeKind: AttributeKind { .blob }
  /// The stored form.
  public var propertyValue: PropertyValue { .blob(self) }
  /// True.
  public static var readsEveryValue: Bool { true }

  /// From the stored form; `nil` for another kind.
  public static func from(_ value: PropertyValue) -> Blob? { if case .blob(let blob) = value { blob } else { nil } }
}

extension Blob: CustomStringConvertible {
  /// The number of bytes, and the beginning of the digest.
  public var description: String { "blob of \(byteCount) bytes (\(sha256.prefix(8))…)" }
}

extension Blob: Codable {
  private enum CodingKeys: String, CodingKey {
    case byteCount
    case sha256
  }

  /// Reads what ``encode(to:)`` wrote: the name, which only stores with these bytes can make something of.
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
    guard byteCount >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .byteCount, in: container, debugDescription: "no blob has fewer than 0 bytes")
    }
    self.init(byteCount: byteCount, words: (words[0], words[1], words[2], words[3]))
  }

  /// Writes length and digest, not the bytes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(byteCount, forKey: .byteCount)
    try container.encode(sha256, forKey: .sha256)
  }
}
