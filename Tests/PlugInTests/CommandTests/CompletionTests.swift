import Foundation
import XCTest

/// A shell asks for completions, and gets an error or a wrong answer.
final class CompletionTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-completions-\(UUID().uuidString)"

  override func setUpWithError() throws {
    try FileManager.default.createDirectory(atPath: folder + "/library", withIntermediateDirectories: true)
    try "".write(toFile: folder + "/notes.jsonl", atomically: false, encoding: .utf8)
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: folder) }

  /// The path of a shell, or a skip that names the unchecked script.
  private func shell(_ name: String) throws -> String {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    guard let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
      throw XCTSkip("NOT CHECKED: the completions for \(name), which is not installed. Install \(name) to check them.")
    }
    return "\(folder)/\(name)"
  }

  /// The path of the script for a shell.
  private func script(_ shell: String) throws -> String {
    let result = try Command.run(["--generate-completion-script", shell])
    XCTAssertEqual(result.status, 0, result.errors)
    try result.output.write(toFile: folder + "/script", atomically: false, encoding: .utf8)
    return folder + "/script"
  }

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(error, "", program)
    XCTAssertEqual(process.terminationStatus, 0, program)
    return text
  }

  /// Words of a command line, and the completions of the last one.
  private static let questions: [(words: [String], answers: [String])] = [
    (["in"], ["info", "inspect"]), (["re"], ["rebuild", "retain", "revert"]), (["manu"], []),
    (["info", "lib"], ["library"]), (["log", "library", "--pa"], ["--patch"]),
    (["log", "library", "--patch", "--pa"], []), (["blame", "library", "x", "--as"], ["--as-of"]),
    (["log", "library", "--color", ""], ["always", "auto", "never"]),
    (["export", "library", "--format", ""], ["csv", "jsonl"]),
    (["export", "library", "--output", "no"], ["notes.jsonl"]),
    (["drafts", "library", "--export", "a", "--output", "no"], ["notes.jsonl"]),
    (["import", "library", "no"], ["notes.jsonl"]), (["backup", "library", "lib"], ["library"]),
    (["revert", "library", "@1", "--mi"], ["--mine"]), (["drafts", "library", "--save", ""], []),
  ]

  func testBashCompletesOtherWords() throws {
    let bash = try shell("bash")
    // As bash does after Tab: the function of `complete -F` gets the command, the word, and the word before it.
    let asking = """
      . "$1"; shift
      [[ "$(complete -p reprise)" = *" -F _reprise reprise" ]] || echo "no completions for reprise"
      COMP_WORDS=(reprise "$@") COMP_CWORD=$# COMP_LINE="reprise $*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
      COMP_POINT=${#COMP_LINE}
      _reprise reprise "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      [ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
      """
    let script = try script("bash")
    for (words, answers) in Self.questions {
      let found = try run(bash, ["--norc", "-c", asking, "bash", script] + words)
      XCTAssertEqual(found.split(separator: "\n").map(String.init).sorted(), answers, "\(words)")
    }
  }

  func testZshRefusesItsCompletionsIfThereIsZsh() throws {
    let zsh = try shell("zsh")
    XCTAssertEqual(try run(zsh, ["-f", "-n", script("zsh")]), "")
  }

  func testFishCompletesOtherWordsIfThereIsFish() throws {
    let fish = try shell("fish")
    let script = try script("fish")
    XCTAssertEqual(try run(fish, ["--no-execute", script]), "")
    for (words, answers) in Self.questions where words.last != "" && !answers.isEmpty {
      let line = (["reprise"] + words).joined(separator: " ")
      let found = try run(fish, ["--no-config", "-c", "source '\(script)'; complete -C '\(line)'"])
      let names = found.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
      XCTAssertEqual(Set(names.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }), Set(answers), "\(words)")
    }
  }
}
