import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

/// URIs in every state of disrepair: an error, or the object that they name.
enum Addresses {
  static func resolve(_ path: String) async throws {
    try await makeStore(path, stamps: 1...1)
    try await makeStore(path + "-other", stamps: 1...1)
    var resolved = 0
    var refused = 0
    try await withStore(path + "-other") { other in
      try await withStore(path) { store in
        let context = RootContext(store, isolation: nil)
        guard let cell = try Lane.cells(1, in: context).first else { return problem("no cell") }
        let uri = try store.uri(for: cell.id.any)
        for text in variants(of: uri) + [try other.uri(for: cell.id.any)] {
          do {
            let found = try context.object(uri: text)
            resolved += 1
            if found._storage.id != cell.id.any { problem("'\(text)' names \(found._storage.id)") }
          } catch {
            refused += 1
            if case LookupError.store = error { problem("'\(text)': \(error)") }
            if "\(error)".isEmpty { problem("'\(text)': an error without a word") }
          }
        }
        expect("foreignStore", try other.uri(for: cell.id.any), context)
        expect("unknownEntity", uri.replacing("C", with: "Gh"), context)
        expect("malformedURI", "", context)
        expect("malformedURI", uri + "/", context)
        expect("malformedURI", "https" + uri.drop { $0 != ":" }, context)
      }
    }
    say("resolved \(resolved) refused \(refused)")
  }

  private static func expect(_ name: String, _ uri: String, _ context: RootContext) {
    do {
      _ = try context.object(uri: uri)
      problem("'\(uri)' was resolved")
    } catch {
      let found = Mirror(reflecting: error).children.first?.label ?? "none"
      if found != name { problem("'\(uri)': \(found), not \(name)") }
    }
  }

  /// Cut, shortened, and with other characters, at every place.
  private static func variants(of uri: String) -> [String] {
    let characters = Array(uri)
    var variants = [uri]
    for index in characters.indices {
      let (before, after) = (String(characters[..<index]), String(characters[(index + 1)...]))
      variants.append(before)
      variants.append(before + after)
      for character in ["0", "g", "/", "%", "%2", "%2F", "é", "\0", " ", "?", "-"] {
        variants.append(before + character + after)
        variants.append(before + character + String(characters[index...]))
      }
    }
    return variants
  }
}
