import RepriseCore

/// A file of a folder: what a row of a `DirectorySource` shows.
public struct DirectoryEntry: Hashable, Sendable, Identifiable {
  /// What a file is.
  @nonexhaustive
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// Has content.
    case file
    /// Has files.
    case directory
    /// Leads to another file. The entry is the link's own, wherever it leads.
    case symbolicLink
    /// A device, socket or pipe.
    case other
  }

  /// The identifier of the row: of the file, while the source lives, whatever it is renamed to.
  public let id: ModelIdentifier
  let place: PathBytes
  /// What the file is.
  public let kind: Kind
  /// The size of its content, in bytes.
  public let size: Int64
  /// When its content changed last: the time since the beginning of 1970 in UTC, to the nanosecond where the file
  /// system has it. As a `Date`: `Date(timeIntervalSince1970: entry.modified / .seconds(1))`.
  public let modified: Duration
  let file: FileIdentity
  /// Whether it was there when the source began, so that an earlier run may have archived it.
  let isEarly: Bool
  /// The key of its place in the order of names.
  let sortKey: String

  /// The path from the folder, its parts between slashes. Bytes that are no UTF-8 read as replacement characters:
  /// ``pathBytes`` has all.
  public var path: String { place.text }

  /// The path from the folder as the system has it.
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
    // Part by part: NUL sorts before whatever a name has.
    let parts = place.bytes.split(separator: UInt8(ascii: "/"))
    sortKey = parts.map { Self.collation.key(of: String(decoding: $0, as: UTF8.self)) }.joined(separator: "\0")
  }

  private static let collation: Collation = [.ignoringCase, .natural]
}
