/// What Package.swift says of its targets, read as text: asking SwiftPM takes longer than all these tests.
/// It understands the shape that the manifest has (a `path:` for each target), and `ManifestTests` holds it to that.
struct Manifest {
  struct Target: Equatable {
    var name: String
    var path: String
    var dependencies: Set<String>
  }

  let targets: [Target]

  init(text: String) {
    let characters = Array(text)
    var targets: [Target] = []
    let kinds = [".target(", ".executableTarget(", ".macro(", ".testTarget(", ".systemLibrary("].map(Array.init)
    var at = 0
    while at < characters.count {
      if let kind = kinds.first(where: { characters[at...].starts(with: $0) }) {
        let body = Self.balanced(characters, from: at + kind.count - 1)
        if let target = Self.target(body) {
          targets.append(target)
          at += kind.count + body.count
          continue
        }
      }
      at += 1
    }
    self.targets = targets
  }

  func target(inFolder folder: String, of top: String) -> Target? {
    targets.first { $0.path == top + "/" + folder }
  }

  func folder(ofModule module: String) -> String? {
    guard let path = targets.first(where: { $0.name == module })?.path, path.hasPrefix("Sources/") else { return nil }
    return String(path.dropFirst("Sources/".count))
  }

  private static func target(_ body: ArraySlice<Character>) -> Target? {
    guard let name = string(after: "name:", in: body), let path = string(after: "path:", in: body) else { return nil }
    return Target(name: name, path: path, dependencies: dependencies(body))
  }

  /// The strings of the list `dependencies: […]`, and of calls in it the names of `.target(name: …)`, which are behind
  /// a trait; products of other packages are left out.
  private static func dependencies(_ body: ArraySlice<Character>) -> Set<String> {
    guard let label = index(of: "dependencies:", in: body),
      let bracket = body[label...].firstIndex(of: "[")
    else { return [] }
    let list = balanced(Array(body), from: bracket - body.startIndex)
    var found: Set<String> = []
    var depth = 0
    var word: String?
    let call = Array(".target(name: ")
    for (index, character) in zip(list.indices, list) {
      if character == "\"" {
        if let done = word, depth == 0 { found.insert(done) }
        // Of a call that names a target, as if it stood in the list.
        if word == nil, depth == 1, list[..<index].reversed().starts(with: call.reversed()) {
          found.insert(String(list[(index + 1)...].prefix { $0 != "\"" }))
        }
        word = word == nil ? "" : nil
      } else if word != nil {
        word?.append(character)
      } else if character == "(" {
        depth += 1
      } else if character == ")" {
        depth -= 1
      }
    }
    return found
  }

  private static func string(after label: String, in body: ArraySlice<Character>) -> String? {
    guard let start = index(of: label, in: body), let open = body[start...].firstIndex(of: "\"") else { return nil }
    return String(body[(open + 1)...].prefix { $0 != "\"" })
  }

  private static func index(of label: String, in body: ArraySlice<Character>) -> Int? {
    let label = Array(label)
    return body.indices.first { body[$0...].starts(with: label) }
  }

  /// What stands between the bracket at `open` and its partner.
  private static func balanced(_ characters: [Character], from open: Int) -> ArraySlice<Character> {
    var depth = 0
    var quoted = false
    for at in open..<characters.count {
      switch characters[at] {
      case "\"": quoted.toggle()
      case "(", "[": if !quoted { depth += 1 }
      case ")", "]": if !quoted { depth -= 1 }
      default: break
      }
      if depth == 0 { return characters[(open + 1)..<at] }
    }
    return characters[(open + 1)...]
  }
}
