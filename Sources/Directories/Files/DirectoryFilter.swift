/// Which files a `DirectorySource` shows: of one folder, with what ends in some suffix, or all below it.
public struct DirectoryFilter: Hashable, Sendable {
  /// Whether the files in folders below are among them. Links to folders are not followed.
  public var isRecursive = false
  /// What names end in, such as `.txt`, case as in the file system; any if empty.
  public var suffixes: [String] = []
  /// What is shown. Links count as links, whatever they lead to.
  public var kinds: Set<DirectoryEntry.Kind> = [.file, .symbolicLink]
  /// Whether names that begin with a dot are shown, and folders with such names looked into.
  public var includesHidden = false

  /// All files and links of one folder but hidden ones.
  public init() {}

  /// - Parameters:
  ///   - isRecursive: ``isRecursive``.
  ///   - suffixes: ``suffixes``.
  ///   - kinds: ``kinds``.
  ///   - includesHidden: ``includesHidden``.
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
