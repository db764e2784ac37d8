import Foundation

/// What a program weighs, by the tools that every C compiler comes with.
struct ProgramSize {
  let path: String
  /// Where the program without symbols is kept while it is measured.
  let folder: String

  func counts() throws -> Counts {
    let stripped = folder + "/stripped"
    defer { try? FileManager.default.removeItem(atPath: stripped) }
    _ = try run("strip", ["-o", stripped, path])
    let attributes = try FileManager.default.attributesOfItem(atPath: stripped)
    guard let size = attributes[.size] as? Int else { throw BenchmarkError.failed("\(stripped) has no size") }
    // The second line begins with the bytes of code and constants.
    let sections = try run("size", [path]).split(separator: "\n")
    guard sections.count == 2,
      let text = sections[1].split(whereSeparator: \.isWhitespace).first.flatMap({ Double($0) })
    else { throw BenchmarkError.failed("size said of \(path) what is not understood") }
    let relocations = try run("readelf", ["-rW", path]).split(separator: "\n").count { $0.contains(" R_") }
    return [.size: Double(size), .text: text, .relocations: Double(relocations)]
  }

  private func run(_ tool: String, _ arguments: [String]) throws -> String {
    guard Counters.isThere(tool) else { throw BenchmarkError.missing(tool) }
    let run = try Program(path: tool, arguments: arguments).run()
    guard run.status == 0 else { throw BenchmarkError.failed("\(tool): \(run.complaint.firstLine)") }
    return run.output
  }
}
