/// A file of a folder with its content: the record that a `DirectoryTransport` reads and writes.
public struct DirectoryDocument: Codable, Hashable, Sendable {
  /// The path relative to the folder, with slashes between its parts.
  public let path: String
  /// The content of the file.
  public var content: [UInt8]
  /// A token that identifies this content of the file. It is empty for a new document.
  ///
  /// Each write of the file changes the version. Store the version in the object, and send it with each change of the
  /// object. The transport compares it with the file, and so never overwrites a change by another program.
  public var version: String

  /// Makes a document from an object's content and version.
  public init(_ path: String, content: [UInt8], version: String) {
    self.path = path
    self.content = content
    self.version = version
  }

  /// Makes a document from a text, encoded as UTF-8.
  public init(_ path: String, text: String, version: String) {
    self.init(path, content: Array(text.utf8), version: version)
  }

  /// The content as text, or `nil` if it is not valid UTF-8.
  public var text: String? { String(validating: content, as: UTF8.self) }
}
