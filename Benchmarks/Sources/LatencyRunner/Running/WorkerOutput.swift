/// What a worker prints: lines of a label and an integer.
struct WorkerOutput {
  private let lines: [(label: String, value: Int)]

  init(_ text: String) throws {
    lines = try text.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let value = Int(words[1]) else {
        throw BenchmarkError.failed("the worker said '\(line)', which is no label with an integer")
      }
      return (String(words[0]), value)
    }
  }

  func all(_ label: String) -> [Int] { lines.filter { $0.label == label }.map(\.value) }

  var labels: Set<String> { Set(lines.map(\.label)) }

  func optional(_ label: String) -> Int? { lines.first { $0.label == label }?.value }

  func one(_ label: String) throws -> Int {
    guard let value = optional(label) else { throw BenchmarkError.failed("the worker did not say '\(label)'") }
    return value
  }
}
