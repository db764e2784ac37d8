/// The name under which a store keeps the archive of a scene: mostly the name of the scene itself.
///
/// An archive that is set aside is stored under its scene's name and `#refused`. If a program gives a scene such a
/// name, the scene is stored between slashes. So it differs from an archive that was set aside. Programs see an archive
/// that is set aside under a name that no store has: `//refused/`, its number, and the scene.
enum SceneName {
  private static let (slashes, refused) = ("//", "//refused/")

  /// The stored name for a name of the program.
  static func stored(_ name: String) -> String {
    if let aside = asides(name) { return RefusedName(stored(aside.scene), aside.number).text }
    return name.hasPrefix(slashes) || RefusedName(name) != nil ? slashes + name + "/" : name
  }

  /// The program's name for a stored name.
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
