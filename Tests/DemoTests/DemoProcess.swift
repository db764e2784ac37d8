#if Macros
import Foundation
import XCTest

/// The demonstration as a user runs it: the executable that was built with these tests.
struct DemoProcess {
  let output: String
  let complaint: String
  /// The exit code; `nil` if a signal ended it.
  let code: Int32?
  let signal: Int32?

  init(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    // Files, not pipes: nothing has to be read while it runs.
    let output = try folder.handle("output")
    let complaint = try folder.handle("complaint")
    process.standardOutput = output
    process.standardError = complaint
    try process.run()
    process.waitUntilExit()
    self.output = try String(contentsOfFile: folder.path("output"), encoding: .utf8)
    self.complaint = try String(contentsOfFile: folder.path("complaint"), encoding: .utf8)
    let isExit = process.terminationReason == .exit
    code = isExit ? process.terminationStatus : nil
    signal = isExit ? nil : process.terminationStatus
  }

  private static var program: URL {
    #if canImport(Darwin)
    let products = Bundle(for: DemoTests.self).bundleURL.deletingLastPathComponent()
    #else
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #endif
    return products.appendingPathComponent("RepriseDemo")
  }
}

struct TemporaryFolder {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("reprise-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func handle(_ name: String) throws -> FileHandle {
    _ = FileManager.default.createFile(atPath: path(name), contents: nil)
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path(name)))
  }

  /// A copy, for a test that damages it.
  func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.copyItem(atPath: path(name), toPath: copy.path(name))
    }
    return copy
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
#endif
