/// The expected state after a transaction, as the data has it.
struct Checkpoint {
  let counts: [String: Int]
  /// SHA-256 of the canonical text of all objects; lower-case hexadecimal.
  let digest: String

  /// By the number of the transaction.
  static func read(_ path: String) throws(DemoError) -> [Int: Checkpoint] {
    var checkpoints: [Int: Checkpoint] = [:]
    for (index, line) in try TextFile.lines(of: path).enumerated() {
      guard let json = try? JSON(Array(line.utf8)[...]), let number = json["seq"]?.integer,
        let members = json["count"]?.object, let digest = json["sha256"]?.string
      else { throw .data("\(path), line \(index + 1), is not a checkpoint.") }
      let counts = members.map { ($0.key, $0.value.integer ?? -1) }
      checkpoints[number] = Checkpoint(counts: Dictionary(counts) { $1 }, digest: digest)
    }
    return checkpoints
  }
}
