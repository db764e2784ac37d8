/// Reads the transactions of a history one by one: gzip'd JSON Lines, the first line a header.
final class HistoryReader {
  private let path: String
  private let lines: LineReader
  private let gzip: ChildProcess
  private var line = 0

  init(_ path: String) throws(DemoError) {
    try requireFile(path)
    self.path = path
    let (gzip, output) = try ChildProcess.reading(from: "gzip", ["-dc", path])
    self.gzip = gzip
    lines = LineReader(output)
    guard let header = try nextValue(), header["format"]?.string == "entity-history/1" else {
      throw .data("\(path) is not an entity-history/1 file, or gzip could not read it.")
    }
  }

  /// The next one; `nil` at the end.
  func next() throws(DemoError) -> HistoryTransaction? {
    guard let value = try nextValue() else {
      // Checked only at the end, where gzip notices damage.
      guard gzip.wait() == .exited(0) else { throw .data("\(path) is damaged: gzip could not read all of it.") }
      return nil
    }
    guard let transaction = HistoryTransaction(value), transaction.number == line - 1 else {
      throw .data("\(path), line \(line), is not transaction \(line - 1).")
    }
    return transaction
  }

  private func nextValue() throws(DemoError) -> JSON? {
    guard let bytes = try lines.next() else { return nil }
    line += 1
    do throws(JSONError) { return try JSON(bytes) } catch { throw .data("\(path), line \(line), \(error).") }
  }
}
