import Browser
import Foundation
import XCTest

/// A running planner. The test kills it, and starts it again on the same port and store.
@MainActor final class PlannerServer {
  let store: String
  private(set) var port = 0
  private let options: [String]
  private var process: Process?

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(_ options: [String] = []) throws {
    store = NSTemporaryDirectory() + "reprise-planner-\(UInt32.random(in: 0 ... .max))"
    self.options = options
    try start()
  }

  deinit {
    if let process, process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process?.waitUntilExit()
    try? FileManager.default.removeItem(atPath: store)
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Starts the program, and waits until it serves.
  func start() throws { process = try started() }

  /// Starts another process, which waits for the port, and then ends this one as a deploy does.
  ///
  /// - Returns: The exit code of the former process.
  func deploy() throws -> Int32 {
    let (next, output) = try launched()
    let former = process
    former?.terminate()
    try wait(for: next, output)
    process = next
    former?.waitUntilExit()
    return former?.terminationStatus ?? 0
  }

  func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  private func started() throws -> Process {
    let (process, output) = try launched()
    try wait(for: process, output)
    return process
  }

  private func launched() throws -> (Process, Pipe) {
    let process = Process()
    let output = Pipe()
    let test =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let chosen = ProcessInfo.processInfo.environment["PLANNER"]
    process.executableURL = URL(
      fileURLWithPath: chosen ?? URL(fileURLWithPath: test).deletingLastPathComponent().path + "/planner")
    process.arguments = [store, "--port", "\(port)"] + options
    process.environment = ProcessInfo.processInfo.environment.merging(["LOG_LEVEL": "error"]) { $1 }
    process.standardOutput = output
    try process.run()
    return (process, output)
  }

  private func wait(for process: Process, _ output: Pipe) throws {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1 {
      if byte != UInt8(ascii: "\n") {
        line.append(byte)
        continue
      }
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("planner: http"), let port = text.split(separator: ":").last.flatMap({ Int($0.dropLast()) }) {
        self.port = port
        let handle = output.fileHandleForReading
        // Nobody else reads what the program writes later.
        Thread.detachNewThread { _ = try? handle.readToEnd() }
        return
      }
      line = []
    }
    process.waitUntilExit()
    throw Failure(description: "The planner has ended with \(process.terminationStatus).")
  }

  /// Opens a window of a user.
  func page(_ user: String, window: String = "main") async throws -> BrowserPage {
    try await BrowserPage(url + "/w/" + window, user: BrowserUser(cookies: ["user": user]))
  }
}

extension BrowserPage {
  /// The value of a field of an editor, by default of the first one.
  func field(_ name: String) async throws -> String {
    try await value("document.querySelector(`[data-field=\"\(name)\"]`)?.value ?? '?'") as? String ?? ""
  }

  /// Puts the caret at the end of a field.
  func focus(_ name: String) async throws {
    let element = "document.querySelector(`[data-field=\"\(name)\"]`)"
    try await wait("there is a field \(name)", element)
    _ = try await value("(e => { e.focus(); e.setSelectionRange(e.value.length, e.value.length) })(\(element))")
  }

  func waitForField(_ name: String, toBe text: String) async throws {
    let element = "document.querySelector(`[data-field=\"\(name)\"]`)"
    try await wait("the field \(name) is '\(text)'", "\(element)?.value === \(BrowserPage.quoted(text))")
  }

  /// Presses a button of the page, by the name of its action.
  func act(_ action: String, _ selector: String = "") async throws {
    try await click("\(selector) [data-do='\(action)']")
  }

  /// Saves the editor, and waits until that is done.
  func save() async throws {
    try await act("save")
    try await wait("the task is saved", "document.querySelector('[data-do=save][aria-disabled]')")
  }

  /// Makes a task, and saves it.
  func addTask(_ title: String) async throws {
    try await act("new")
    try await focus("title")
    try await write(title)
    try await save()
    try await act("close", ".editor")
    try await wait("the editor is closed", "!document.querySelector('.editor')")
  }
}
