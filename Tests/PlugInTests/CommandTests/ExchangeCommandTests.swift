import Foundation
import RepriseCore
import Songs
import XCTest

/// The command loses objects on their way through a file, or changes a store without a question.
@MainActor
final class ExchangeCommandTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-exchange-\(UUID().uuidString)"
  private var path: String { folder + "/store" }
  private var store: Store!

  override func setUp() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    store = try await Store.open(path, for: Song.self)
    let context = RootContext(store)
    for title in ["One \u{1B}[31m", "Two, \"2\"", ""] { context.insert(Song(title: title)) }
    try await context.save("Add songs")
  }

  override func tearDown() async throws {
    try? await store.close()
    try FileManager.default.removeItem(atPath: folder)
  }

  private func run(_ arguments: String..., line: UInt = #line) throws -> String {
    let result = try Command.run(arguments)
    XCTAssertEqual(result.status, 0, result.errors, line: line)
    return result.output
  }

  func testAStoreIsCopiedThroughAPipe() async throws {
    // A program has the store open.
    let text = try run("export", path)
    let again = try run("export", path)
    XCTAssertEqual(text, again)
    XCTAssertFalse(text.contains("\u{1B}"), text)
    try text.write(toFile: folder + "/a.jsonl", atomically: false, encoding: .utf8)
    let copy = folder + "/copy"
    let message = try run("import", copy, folder + "/a.jsonl")
    XCTAssertEqual(message, "Inserted 3 and updated 0 objects. 0 are equal already.\n")
    XCTAssertEqual(try run("export", copy), text)
    XCTAssertEqual(try Command.run(["verify", copy]).status, 0)
    // The output of a command is the input of the next one.
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    let command = Command.path
    shell.arguments = [
      "-c",
      "\(command) export \(path) --output \(folder)/b.jsonl && \(command) import \(folder)/other \(folder)/b.jsonl",
    ]
    shell.standardOutput = nil
    try shell.run()
    shell.waitUntilExit()
    XCTAssertEqual(try run("export", folder + "/other"), text)
    let pipe = Process()
    pipe.executableURL = URL(fileURLWithPath: "/bin/sh")
    pipe.arguments = ["-c", "\(command) export \(path) | head -1 >\(folder)/head; exit 0"]
    try pipe.run()
    pipe.waitUntilExit()
    XCTAssertEqual(pipe.terminationStatus, 0)
    XCTAssertEqual(
      try String(contentsOfFile: folder + "/head", encoding: .utf8).count, text.split(separator: "\n")[0].count + 1)
  }

  func testCtrlCLeavesAPartOfAnExport() async throws {
    let context = RootContext(store)
    for number in 0..<20_000 { context.insert(Song(title: "Song \(number)")) }
    try await context.save()
    for (format, name, number) in [
      ("jsonl", "a.jsonl", SIGINT), ("csv", "tables", SIGINT), ("jsonl", "b.jsonl", SIGTERM),
    ] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Command.path)
      process.arguments = ["export", path, "--format", format, "--output", folder + "/" + name]
      process.standardError = Pipe()
      try process.run()
      let place = folder + (format == "csv" ? "/tables" : "")
      func hasPart() -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: place))?.contains { $0.hasSuffix(".part") } ?? false
      }
      while !hasPart(), process.isRunning { usleep(100) }
      kill(process.processIdentifier, number)
      process.waitUntilExit()
      XCTAssertEqual(process.terminationReason, .uncaughtSignal, "The export was too quick for the test.")
      XCTAssertFalse(hasPart())
      XCTAssertFalse(FileManager.default.fileExists(atPath: folder + "/" + name))
    }
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  func testAKilledExportLeavesItsPartForEver() async throws {
    let context = RootContext(store)
    for number in 0..<20_000 { context.insert(Song(title: "Song \(number)")) }
    try await context.save()
    for (format, output, place, wanted) in [
      ("jsonl", "files/a.jsonl", "files", ["a.jsonl"]), ("csv", "tables", "tables", ["Song.csv"]),
    ] {
      try FileManager.default.createDirectory(atPath: folder + "/" + place, withIntermediateDirectories: true)
      let arguments = ["export", path, "--format", format, "--output", folder + "/" + output]
      for _ in 0..<2 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Command.path)
        process.arguments = arguments
        try process.run()
        while try !names(folder + "/" + place).contains(where: { $0.hasSuffix(".part") }), process.isRunning {
          usleep(100)
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationReason, .uncaughtSignal, "The export was too quick for the test.")
        // The second killed export has removed the part of the first one.
        XCTAssertEqual(try names(folder + "/" + place).count, 1)
      }
      XCTAssertEqual(try Command.run(arguments).status, 0)
      XCTAssertEqual(try names(folder + "/" + place), wanted)
    }
  }

  func testOneChangeIsOneLineOfADiff() async throws {
    let before = try run("export", path).split(separator: "\n")
    let context = RootContext(store)
    let song = try XCTUnwrap(context.fetch(Fetch<Song>()).first)
    try song.set("title", to: .string("Uno"))
    try await context.save()
    let after = try run("export", path).split(separator: "\n")
    XCTAssertEqual(zip(before, after).count { $0 != $1 }, 1)
    let past = try run("export", path, "--as-of", "@2").split(separator: "\n")
    XCTAssertEqual(past, before)
  }

  func testATableIsExportedAndImported() async throws {
    let table = try run("export", path, "Song order by title", "--format", "csv")
    let rows = table.components(separatedBy: "\r\n")
    XCTAssertEqual(rows[0], "id,rowID,title")
    XCTAssertTrue(rows[1].hasSuffix(",,\"\""), table)
    XCTAssertTrue(rows[3].hasSuffix(",,\"Two, \"\"2\"\"\""), table)
    _ = try run("export", path, "--format", "csv", "--output", folder + "/tables")
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/tables"), ["Song.csv"])
    try await store.close()
    try table.replacing("Two", with: "Three").write(
      toFile: folder + "/Song.csv", atomically: false, encoding: .utf8)
    let trial = try run("import", path, folder + "/Song.csv", "--dry-run")
    XCTAssertEqual(trial, "Would insert 0 and update 1 objects. 2 are equal already.\n")
    let refused = try Command.run(["import", path, folder + "/Song.csv"])
    XCTAssertTrue(
      refused.errors.contains("Insert 0 and update 1 objects?"), refused.errors)
    XCTAssertEqual(refused.status, 1)
    let message = try run("import", path, folder + "/Song.csv", "--yes", "--author", "ada")
    XCTAssertEqual(message, "Inserted 0 and updated 1 objects. 2 are equal already.\n")
    XCTAssertTrue(try run("log", path, "-n", "1").contains("ada  \"Import Song.csv\""))
    XCTAssertTrue(try run("export", path).contains("Three"))
  }

  func testMistakesOfAnExchangeAreNamed() async throws {
    let text = try run("export", path).replacing(#"{"end":true}"#, with: "")
    try text.write(toFile: folder + "/a.jsonl", atomically: false, encoding: .utf8)
    let two = """
      {"reprise-export":1,"entities":[{"name":"A","properties":[]},{"name":"B","properties":[]}]}
      {"end":true}
      """
    try two.write(toFile: folder + "/two.jsonl", atomically: false, encoding: .utf8)
    _ = try run("import", folder + "/two", folder + "/two.jsonl")
    for (arguments, message, status) in [
      (["import", folder + "/new", folder + "/a.jsonl"], "has no last line", 1),
      (["import", path, folder + "/a.jsonl", "--yes"], "has no last line", 1),
      (["import", folder + "/new", folder + "/none"], "none cannot be read.", 1),
      (["export", path, "Song where"], "Line 1, column 11:", 1),
      (["export", path, "--entity", "Ghost"], "The store has no entity 'Ghost'.", 1),
      (
        ["export", path, "Song @1", "--as-of", "head"],
        "The fetch has a position or a time already, so leave out '--as-of'.", 64
      ),
      (
        ["export", folder + "/two", "--format", "csv"],
        "The store has several entities. Pass '--entity', or a directory with '--output'.", 64
      ),
      (["export", path, "--output", folder + "/no/file"], "cannot be written", 1),
    ] {
      let result = try Command.run(arguments)
      XCTAssertTrue(result.errors.contains(message), "\(arguments): \(result.errors)")
      XCTAssertEqual(result.status, Int32(status), "\(arguments)")
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder + "/new"))
  }
}
