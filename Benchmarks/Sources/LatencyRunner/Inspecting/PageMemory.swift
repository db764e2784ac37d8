import Foundation

/// Measures the memory of `reprise inspect` while Chromium shows its page. A test of the plug-ins drives the browser,
/// and prints the rows.
struct PageMemory {
  let program: String
  let store: String

  func rows() throws -> [InspectorRow] {
    for (name, path) in ["REPRISE_COMMAND": program, "REPRISE_MOST_OBJECTS": store] {
      setenv(name, URL(fileURLWithPath: path).path, 1)
    }
    let run = try Program(path: ".ci/plug-in-tests", arguments: ["--filter", "PageMemoryTests"]).run(deadline: 3_600)
    guard run.status == 0 else { throw BenchmarkError.failed("the test of the page: \(run.output)\(run.complaint)") }
    let rows = run.output.split(separator: "\n").compactMap { InspectorRow(printed: $0) }
    if rows.isEmpty { throw BenchmarkError.failed("the test of the page printed no row") }
    return rows
  }
}
