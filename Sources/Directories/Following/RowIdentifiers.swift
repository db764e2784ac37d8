import RepriseCore

/// The identifiers of rows: the path that a file had when it was first seen, and its handle.
///
/// While the source lives, a row keeps its identifier when its file is renamed. A later run finds the row by the path,
/// or by the handle if no file is at the path.
struct RowIdentifiers {
  private var taken: Set<ModelIdentifier> = []

  /// Makes the identifier of a new file.
  mutating func name(_ place: PathBytes, _ file: FileIdentity) -> ModelIdentifier {
    let text = Self.prefix + place.escaped + "#" + (file.handle ?? "")
    var name = ModelIdentifier(text)
    // A number distinguishes this file from an earlier one at the same path that was moved away. It is needed if the
    // file system has no handles, or if both names are links to the same file.
    var number = 2
    while !taken.insert(name).inserted {
      name = ModelIdentifier(text + "~\(number)")
      number += 1
    }
    return name
  }

  mutating func release(_ name: ModelIdentifier) { taken.remove(name) }

  private static let prefix = "file:"

  /// The parts of an identifier. `nil` for an identifier of another source.
  static func parts(of name: ModelIdentifier) -> (place: PathBytes, handle: String?)? {
    guard name.rawValue.hasPrefix(prefix), let hash = name.rawValue.lastIndex(of: "#"),
      let place = PathBytes(escaped: name.rawValue[..<hash].dropFirst(prefix.count))
    else { return nil }
    let handle = name.rawValue[hash...].dropFirst().prefix { $0 != "~" }
    return (place, handle.isEmpty ? nil : String(handle))
  }
}
