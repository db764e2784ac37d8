import Foundation

/// Times the page in Chromium. A test of the plug-ins drives the browser, and prints the samples.
struct PageTimes {
  let program: String
  let objects: String
  let transactions: String
  let largest: String

  func rows() throws -> [InspectorRow] {
    let variables = [
      "REPRISE_COMMAND": program, "REPRISE_MANY_OBJECTS": objects, "REPRISE_MANY_TRANSACTIONS": transactions,
      "REPRISE_MOST_OBJECTS": largest,
    ]
    for (name, path) in variables { setenv(name, URL(fileURLWithPath: path).path, 1) }
    let run = try Program(path: ".ci/plug-in-tests", arguments: ["--filter", "PageTimesTests"]).run(deadline: 3_600)
    guard run.status == 0 else { throw BenchmarkError.failed("the test of the page: \(run.output)\(run.complaint)") }
    let rows = run.output.split(separator: "\n").compactMap { InspectorRow(printed: $0) }
    if rows.isEmpty { throw BenchmarkError.failed("the test of the page printed no row") }
    return rows
  }
}
