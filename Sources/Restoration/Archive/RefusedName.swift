/// The name under which a store keeps an archive that is set aside: the scene's name and `#refused`, or `#refused-2`
/// and so on. See ``SceneName``.
struct RefusedName {
  let scene: String
  let number: Int64

  init(_ scene: String, _ number: Int64) { (self.scene, self.number) = (scene, number) }

  /// `nil` for the name of a scene.
  init?(_ name: String) {
    guard let mark = name.lastIndex(of: "#") else { return nil }
    let end = name[mark...]
    scene = String(name[..<mark])
    if end == "#refused" {
      number = 1
    } else {
      guard end.hasPrefix("#refused-"), let number = Int64(end.dropFirst(9)), number > 1 else { return nil }
      self.number = number
    }
  }

  var text: String { number == 1 ? scene + "#refused" : "\(scene)#refused-\(number)" }
}
