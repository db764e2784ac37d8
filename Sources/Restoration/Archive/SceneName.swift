/// Under which name a store keeps the archive of a scene: mostly the scene's own.
///
/// An archive that is set aside is kept under its scene's name followed by `#refused`. So a scene that the program
/// names in such a way is kept between slashes, and no program can name one that is taken for it. The program knows
/// what was set aside by a name that no store has: `//refused/`, its number, and the scene.
enum SceneName {
  private static let (slashes, refused) = ("//", "//refused/")

  /// What a program's name stands for in a store.
  static func stored(_ name: String) -> String {
    if let aside = asides(name) { return RefusedName(stored(aside.scene), aside.number).text }
    return name.hasPrefix(slashes) || RefusedName(name) != nil ? slashes + name + "/" : name
  }

  /// What a program knows an archive of a store by.
  static func shown(_ name: String) -> String {
    if let aside = RefusedName(name) { return "\(refused)\(aside.number)/\(shown(aside.scene))" }
    guard name.hasPrefix(slashes), name.hasSuffix("/"), name.utf8.count > slashes.utf8.count else { return name }
    return String(name.dropFirst(slashes.count).dropLast())
  }

  private static func asides(_ name: String) -> (scene: String, number: Int64)? {
    guard name.hasPrefix(refused) else { return nil }
    let rest = name.dropFirst(refused.count)
    guard let slash = rest.firstIndex(of: "/"), let number = Int64(rest[..<slash]), number > 0,
      String(number) == rest[..<slash]
    else { return nil }
    return (String(rest[rest.index(after: slash)...]), number)
  }
}
