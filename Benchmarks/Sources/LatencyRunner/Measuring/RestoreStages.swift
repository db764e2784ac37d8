/// The stages of one restore, from the worker's stamps.
struct RestoreStages {
  /// In their order; the first one begins with the start of the process.
  static let names = ["main", "open", "tree", "rows", "position", "draft", "ready"]
  /// From the end of `main` to `ready`, and the memory that is not mapped from files.
  static let afterMain = "after main"
  static let anonymous = "anonymous"

  /// How long each took, in microseconds.
  private let parts: [String: Double]
  private let total: Double

  init(_ output: WorkerOutput, began: Int) throws {
    var parts: [String: Double] = [:]
    var previous = began
    for name in Self.names {
      let stamp = try output.one(name)
      guard stamp >= previous else { throw BenchmarkError.failed("'\(name)' is before the stage that it follows") }
      parts[name] = Double(stamp - previous) / 1_000
      previous = stamp
    }
    parts[Self.afterMain] = Double(previous - (try output.one("main"))) / 1_000
    parts[Self.anonymous] = output.optional("anonymous").map(Double.init)
    self.parts = parts
    total = Double(previous - began) / 1_000
  }

  func sample(of row: String) -> Sample { Sample(values: [row: [total]], parts: parts) }
}
