/// A file of a folder with its content: the row that a `DirectoryTransport` reads and writes.
public struct DirectoryDocument: Codable, Hashable, Sendable {
  /// The path from the folder, its parts between slashes.
  public let path: String
  /// What the file has.
  public var content: [UInt8]
  /// Names the content, as long as nobody writes the file: to be kept in the object, and given back with a change, so
  /// that nothing is overwritten that the object has not seen. Empty for a new document.
  public var version: String

  /// A document, as an object has it.
  public init(_ path: String, content: [UInt8], version: String) {
    self.path = path
    self.content = content
    self.version = version
  }

  /// A document of text, in UTF-8.
  public init(_ path: String, text: String, version: String) {
    self.init(path, content: Array(text.utf8), version: version)
  }

  /// The content as text; `nil` if it is no UTF-8.
  public var text: String? { String(validating: content, as: UTF8.self) }
}
