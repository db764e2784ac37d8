import CRepriseFaults

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Says a line to the parent, at once: what was said before a kill has been heard. Stands in the recording too, if
/// there is one.
func say(_ line: String) {
  reprise_faults_mark(line)
  var bytes = Array((line + "\n").utf8)[...]
  while !bytes.isEmpty {
    let written = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    if written < 0 {
      if errno == EINTR { continue }
      // The parent is gone: nobody is left to do this for.
      exit(0)
    }
    bytes = bytes.dropFirst(written)
  }
}

/// Says what a test must not find.
func problem(_ text: String) { say("problem " + text.replacing("\n", with: " | ")) }

extension String {
  /// Of the standard library alone: Foundation costs more to start than all the rest.
  func replacing(_ old: Character, with new: String) -> String {
    reduce(into: "") { text, character in
      if character == old { text += new } else { text.append(character) }
    }
  }
}

/// How the child was called: `role path name=value …`.
struct Arguments: Sendable {
  let role: String
  let path: String
  private let values: [String: String]

  init(_ arguments: [String]) {
    role = arguments.count > 1 ? arguments[1] : ""
    path = arguments.count > 2 ? arguments[2] : ""
    values = Dictionary(
      arguments.dropFirst(3).compactMap { argument in
        guard let sign = argument.firstIndex(of: "=") else { return nil }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
      }, uniquingKeysWith: { $1 })
  }

  subscript(name: String) -> String { values[name] ?? "" }
  func number(_ name: String, _ otherwise: Int = 0) -> Int { values[name].flatMap(Int.init) ?? otherwise }
}
