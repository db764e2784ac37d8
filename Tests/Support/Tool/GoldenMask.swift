/// Replaces the parts of an output that differ at each run or on each machine.
public enum GoldenMask {
  /// The lines of `reprise info` without the path of the store, and without sizes, which depend on the machine's pages.
  public static func info(_ lines: [String]) -> [String] {
    ["STORE, SIZE"]
      + lines.dropFirst().map { $0.hasPrefix("parts: ") ? $0.replacing(/[0-9.]+ [KMG]?B/, with: "SIZE") : $0 }
  }

  /// A line of a command with `--json`. Sizes depend on the pages of the machine, the journals have the time of the
  /// clock, and the ID of a transaction is random.
  public static func json(_ line: String, of command: String) -> String {
    switch command.split(separator: " ").first {
    case "info":
      line.replacing(/"path":"[^"]*"/, with: #""path":"STORE""#).replacing(/"bytes":[0-9]+/, with: #""bytes":0"#)
        .replacing(/"parts":{[^}]*}/) { "\($0.0)".replacing(/:[0-9]+/, with: ":0") }
    case "drafts", "scenes": line.replacing(/"time":"[^"]*"/, with: #""time":"TIME""#)
    case "log", "history": line.replacing(/"id":"[^"]*"/, with: #""id":"ID""#)
    default: line
    }
  }
}
