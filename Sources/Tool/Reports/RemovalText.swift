import RepriseCore

/// The result of a removal.
package struct RemovalText: Encodable {
  /// The draft or the scene.
  let removed: String

  package init(_ removed: String) { self.removed = removed }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    try output.line("Removed '\(PlainText.line(removed))'.")
  }
}
