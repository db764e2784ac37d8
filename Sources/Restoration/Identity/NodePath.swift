import RepriseObjectModel

/// The position of a node in the tree of screens: the restoration IDs from the root to the node.
///
/// The text of a path joins the IDs with slashes, for example `list/detail/editor`. The same ID under two parents makes
/// two paths.
public struct NodePath: Hashable, Sendable {
  /// The IDs joined with slashes, in composed form (NFC), at most 4,000 bytes of UTF-8.
  ///
  /// Two Unicode spellings of an ID are therefore the same ID.
  public let text: String

  /// Makes a path from IDs, root first.
  ///
  /// - Throws: ``RestorationError/invalidID(_:reason:)`` if the array is empty or if the path is longer than 4,000
  ///   bytes. Also if an ID is empty or blank, contains a slash, or begins with a combining mark.
  public init(_ components: [String]) throws {
    guard !components.isEmpty else {
      throw RestorationError.invalidID("", reason: "a path needs at least one ID, and the array has none")
    }
    for id in components { try Self.check(id) }
    try self.init(joined: components.joined(separator: "/"))
  }

  /// Returns the path of a child with this ID.
  ///
  /// - Throws: ``RestorationError/invalidID(_:reason:)``, as ``init(_:)`` does.
  public func appending(_ id: String) throws -> NodePath { try .of(id, under: self) }

  /// The path of an ID under a parent. A root's for `nil`.
  static func of(_ id: String, under parent: NodePath?) throws(RestorationError) -> NodePath {
    try check(id)
    return try NodePath(joined: parent.map { $0.text + "/" + id } ?? id)
  }

  private init(joined text: String) throws(RestorationError) {
    let text = ComposedText.composed(text)
    guard text.utf8.count <= Self.longest else {
      throw .invalidID(String(text.prefix(40)) + "…", reason: "a path has at most \(Self.longest) bytes")
    }
    self.text = text
  }

  /// A path that was checked before, or the name of a damaged record.
  init(unchecked text: String) { self.text = text }

  /// The path in stored text. `nil` if it is none.
  init?(stored text: String) {
    var plain = text
    if plain.withUTF8({ Self.isPlain(UnsafeRawBufferPointer($0)) }) {
      self.text = text
      return
    }
    let text = ComposedText.composed(text)
    guard text.utf8.count <= Self.longest else { return nil }
    for component in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard !Self.isBlank(component), !Self.combines(component) else { return nil }
    }
    self.text = text
  }

  /// The IDs, root first.
  public var components: [String] { text.split(separator: "/").map(String.init) }

  /// The ID of the node itself, which is the last one in the path.
  public var id: String {
    var text = text
    return text.withUTF8 { utf8 in
      String(decoding: utf8[(utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...], as: UTF8.self)
    }
  }

  /// The path of the parent, or `nil` for a root.
  public var parent: NodePath? {
    var text = text
    return text.withUTF8 { utf8 in
      utf8.lastIndex(of: UInt8(ascii: "/")).map { NodePath(unchecked: String(decoding: utf8[..<$0], as: UTF8.self)) }
    }
  }

  static let longest = 4_000

  /// Throws for a text that cannot be one ID of a path.
  static func check(_ id: String) throws(RestorationError) {
    if isBlank(id[...]) { throw .invalidID(id, reason: "it is empty or blank") }
    if id.utf8.contains(UInt8(ascii: "/")) { throw .invalidID(id, reason: "a slash separates the IDs in a path") }
    if combines(id[...]) {
      throw .invalidID(id, reason: "it begins with a combining mark, which would change the slash before it in a path")
    }
  }

  /// Whether a path consists of printable ASCII, as most do. Such IDs have only one Unicode spelling, and none is blank
  /// or empty.
  static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    let slash = UInt8(ascii: "/")
    var last = slash
    for byte in text {
      guard byte > 0x20, byte < 0x7F, byte != slash || last != slash else { return false }
      last = byte
    }
    return last != slash && text.count <= longest
  }

  private static func combines(_ id: Substring) -> Bool { ("/" + id).first != "/" }

  private static func isBlank(_ id: Substring) -> Bool {
    id.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
  }
}

extension NodePath: CustomStringConvertible {
  /// The IDs joined with slashes.
  public var description: String { text }
}

extension NodePath: Comparable {
  /// Orders paths by their text.
  public static func < (lhs: NodePath, rhs: NodePath) -> Bool { lhs.text < rhs.text }
}

extension NodePath: Codable {
  /// Decodes a path from its text, or throws `DecodingError.dataCorrupted` if the text is not a valid path.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let path = NodePath(stored: text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a screen's path")
    }
    self = path
  }

  /// Encodes the text of the path.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
