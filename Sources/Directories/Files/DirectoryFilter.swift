/// The files that a `DirectorySource` shows.
public struct DirectoryFilter: Hashable, Sendable {
  /// Whether files in subfolders are shown.
  ///
  /// Symbolic links to folders are not followed.
  public var isRecursive = false
  /// The suffixes of file names, such as `.txt`, or empty for all names.
  ///
  /// Compared byte by byte, so case matters.
  public var suffixes: [String] = []
  /// The kinds of files to show.
  ///
  /// A symbolic link counts as a link, not as its target.
  public var kinds: Set<DirectoryEntry.Kind> = [.file, .symbolicLink]
  /// Whether to show names that begin with a dot, and to look into folders with such names.
  public var includesHidden = false

  /// Makes a filter for all files and links of one folder, except hidden ones.
  public init() {}

  /// Makes a filter.
  ///
  /// - Parameters:
  ///   - isRecursive: See ``isRecursive``.
  ///   - suffixes: See ``suffixes``.
  ///   - kinds: See ``kinds``.
  ///   - includesHidden: See ``includesHidden``.
  public init(
    isRecursive: Bool = false, suffixes: [String] = [], kinds: Set<DirectoryEntry.Kind> = [.file, .symbolicLink],
    includesHidden: Bool = false
  ) {
    self.isRecursive = isRecursive
    self.suffixes = suffixes
    self.kinds = kinds
    self.includesHidden = includesHidden
  }

  func shows(_ name: PathBytes, _ kind: DirectoryEntry.Kind) -> Bool {
    guard kinds.contains(kind), isVisible(name) else { return false }
    return suffixes.isEmpty || suffixes.contains { name.bytes.ends(with: Array($0.utf8)) }
  }

  func looksInto(_ name: PathBytes) -> Bool { isRecursive && isVisible(name) }

  private func isVisible(_ name: PathBytes) -> Bool { includesHidden || name.bytes.first != UInt8(ascii: ".") }
}

extension [UInt8] {
  fileprivate func ends(with suffix: [UInt8]) -> Bool {
    count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
  }
}
