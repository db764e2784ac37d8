/// The files of the page. They are part of the program, so nobody can ask for a file of the machine.
package enum PageFiles {
  /// The answer with a file. `nil` if the page has no such file.
  package static func answer(_ path: String) -> PageAnswer? {
    guard let bytes = files[path.isEmpty ? "index.html" : path] else { return nil }
    return PageAnswer(type: type(of: path), body: .bytes(bytes))
  }

  private static func type(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    default: "text/html; charset=utf-8"
    }
  }

  private static let files: [String: [UInt8]] = [
    "index.html": PackageResources.index_html
  ]
}
