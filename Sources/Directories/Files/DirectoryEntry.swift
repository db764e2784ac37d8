import RepriseCore

/// A file of a folder: the content of a row of a `DirectorySource`.
public struct DirectoryEntry: Hashable, Sendable, Identifiable {
  /// The kind of a file.
  @nonexhaustive
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// A regular file.
    case file
    /// A folder.
    case directory
    /// A symbolic link.
    ///
    /// The entry describes the link itself, not its target.
    case symbolicLink
    /// A device, a socket or a pipe.
    case other
  }

  /// The identifier of the row.
  ///
  /// A rename of the file does not change it while the source lives.
  public let id: ModelIdentifier
  let place: PathBytes
  /// The kind of the file.
  public let kind: Kind
  /// The size of the content, in bytes.
  public let size: Int64
  /// When the content last changed, as the time since the beginning of 1970 in UTC.
  ///
  /// It is precise to the nanosecond if the file system is. As a `Date`:
  /// `Date(timeIntervalSince1970: entry.modified / .seconds(1))`.
  public let modified: Duration
  let file: FileIdentity
  /// Whether the file existed when the source began, so that an earlier run may have archived it.
  let isEarly: Bool
  /// The key of its place in the order of names.
  let sortKey: String

  /// The path relative to the folder, with slashes between its parts.
  ///
  /// Bytes that are not UTF-8 become replacement characters. ``pathBytes`` has the exact bytes.
  public var path: String { place.text }

  /// The path relative to the folder, as the system stores it.
  public var pathBytes: [UInt8] { place.bytes }

  /// The last part of the path.
  public var name: String { String(decoding: place.name, as: UTF8.self) }

  init(_ id: ModelIdentifier, _ place: PathBytes, _ status: FileStatus, isEarly: Bool) {
    self.id = id
    self.isEarly = isEarly
    self.place = place
    kind = status.kind
    size = status.size
    modified = status.modified
    file = status.file
    // Paths are compared part by part, so the parts are joined by NUL, which sorts before every byte of a name.
    let parts = place.bytes.split(separator: UInt8(ascii: "/"))
    sortKey = parts.map { Self.collation.key(of: String(decoding: $0, as: UTF8.self)) }.joined(separator: "\0")
  }

  private static let collation: Collation = [.ignoringCase, .natural]
}
