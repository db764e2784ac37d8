import RepriseEventStore

extension ArchiveKey {
  static func node(_ path: NodePath) -> String { node(path.text) }
  /// The prefix that the keys of a node's children share, unless they are hashes.
  static func group(below path: NodePath) -> String { path.text + "/" }
}
