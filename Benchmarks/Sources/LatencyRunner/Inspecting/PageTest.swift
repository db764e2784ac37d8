import Foundation

/// Measures the page of `reprise inspect` in Chromium. A test of the plug-ins drives the browser, and prints the rows.
struct PageTest {
  /// The class of the test.
  let name: String
  let program: String
  /// The path of each store, by the variable of the environment that the test reads.
  let stores: [String: String]

  func rows() throws -> [InspectorRow] {
    for (name, path) in stores.merging(["REPRISE_COMMAND": program], uniquingKeysWith: { first, _ in first }) {
      setenv(name, URL(fileURLWithPath: path).path, 1)
    }
    let run = try Program(path: ".ci/plug-in-tests", arguments: ["--filter", name]).run(deadline: 3_600)
    guard run.status == 0 else { throw BenchmarkError.failed("the test \(name): \(run.output)\(run.complaint)") }
    let rows = run.output.split(separator: "\n").compactMap { InspectorRow(printed: $0) }
    if rows.isEmpty { throw BenchmarkError.failed("the test \(name) printed no row") }
    return rows
  }
}
