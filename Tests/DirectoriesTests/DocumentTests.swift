import Foundation
import RepriseCore
import RepriseDirectories
import RepriseRemote
import RepriseTestSeeds
import RepriseTesting
import XCTest

/// The files of a folder as objects of a store.
@MainActor
final class DocumentTests: XCTestCase {
  private typealias Source = RemoteSource<Paper, DirectoryTransport>
  private var folder: TestFolder!
  private var temporary: TemporaryStore!
  private var store: Store!
  private var context: RootContext!
  private var source: Source!

  override func setUp() async throws {
    folder = try TestFolder()
    temporary = try await TemporaryStore(for: Schema([Paper.self] + RemoteModels.all))
    store = temporary.store
    try make()
  }

  override func tearDown() async throws {
    (source, context, store, temporary, folder) = (nil, nil, nil, nil, nil)
  }

  private func make(_ options: RemoteOptions = RemoteOptions()) throws {
    context = RootContext(store, author: "ada")
    var options = options
    options.retry.attempts = 1
    source = try Source(
      "papers", Fetch<Paper>().sorted { $0.path }, in: context,
      from: DirectoryTransport(folder.path, showing: DirectoryFilter(isRecursive: true, suffixes: [".txt"])),
      mapping: Paper.mapping, options: options)
  }

  private func relaunch() async throws {
    (source, context, store) = (nil, nil, nil)
    store = try await temporary.relaunch()
    try make()
  }

  private func paper(_ path: String) throws -> Paper {
    try XCTUnwrap(try context.fetch(Fetch<Paper> { $0.path == path }).first, path)
  }

  private var texts: [String: String] { Dictionary(source.rows.map { ($0.path, $0.text) }) { $1 } }

  private func files() -> [String: String] {
    var texts: [String: String] = [:]
    for name in folder.files(recursive: true, hidden: true) {
      texts[name] = try? String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    }
    return texts
  }

  func testFilesAreObjectsWithTheirContent() async throws {
    folder.write("a.txt", "one")
    folder.make(folder: "deep")
    folder.write("deep/b.txt", "two")
    folder.write("c.png", "no document")
    try await source.synchronize()
    XCTAssertEqual(texts, ["a.txt": "one", "deep/b.txt": "two"])
    folder.write("a.txt", "one more")
    folder.remove("deep/b.txt")
    folder.write("d.txt", "three")
    try await source.synchronize()
    XCTAssertEqual(texts, ["a.txt": "one more", "d.txt": "three"])
    // What the folder changed is in the log.
    let history = try context.history(of: try paper("a.txt")) { $0.text }
    XCTAssertEqual(history.count, 2)
  }

  func testWhatIsSavedIsWrittenToTheFileWithItsRights() async throws {
    folder.write("a.txt", "one")
    chmod(folder.path + "/a.txt", 0o640)
    try await source.synchronize()
    try paper("a.txt").text = "edited"
    _ = context.insert(Paper("deep/new.txt", "new"))
    try await context.save()
    try await source.synchronize()
    XCTAssertEqual(files(), ["a.txt": "edited", "deep/new.txt": "new"])
    var status = stat()
    XCTAssertEqual(stat(folder.path + "/a.txt", &status), 0)
    XCTAssertEqual(status.st_mode & 0o777, 0o640)
    context.delete(try paper("deep/new.txt"))
    try await context.save()
    try await source.synchronize()
    XCTAssertEqual(files(), ["a.txt": "edited"])
    XCTAssertEqual(try source.pendingCount, 0)
    XCTAssertEqual(texts, ["a.txt": "edited"])
  }

  func testAFileThatAnotherProgramChangedIsNotOverwritten() async throws {
    for resolution in [RemoteConflict<Paper>.Resolution.mine, .theirs] {
      folder.write("a.txt", "base \(resolution)")
      try await source.synchronize()
      try paper("a.txt").text = "mine"
      try await context.save()
      folder.write("a.txt", "theirs")
      try await source.synchronize()
      XCTAssertEqual(files(), ["a.txt": "theirs"])
      XCTAssertEqual(texts, ["a.txt": "mine"])
      let conflicts = try source.conflicts()
      XCTAssertEqual(conflicts.count, 1)
      try await source.resolve(try XCTUnwrap(conflicts.first), resolution)
      try await source.synchronize()
      let expected = ["a.txt": resolution == .mine ? "mine" : "theirs"]
      XCTAssertEqual(files(), expected)
      XCTAssertEqual(texts, expected)
    }
  }

  func testANewDocumentTakesNobodysPlace() async throws {
    try await source.synchronize()
    _ = context.insert(Paper("a.txt", "mine"))
    _ = context.insert(Paper("same.txt", "same"))
    try await context.save()
    folder.write("a.txt", "theirs")
    folder.write("same.txt", "same")
    try await source.synchronize()
    XCTAssertEqual(files(), ["a.txt": "theirs", "same.txt": "same"])
    XCTAssertEqual(try source.conflicts().count, 1)
    XCTAssertEqual(source.rows.count, 2)
  }

  func testWhatWasChangedSinceItWasReadIsNotDeleted() async throws {
    folder.write("a.txt", "one")
    try await source.synchronize()
    context.delete(try paper("a.txt"))
    try await context.save()
    folder.write("a.txt", "two")
    try await source.synchronize()
    XCTAssertEqual(files(), ["a.txt": "two"])
    XCTAssertEqual(try source.conflicts().map(\.kind), [.deletedByMe])
  }

  func testPathsThatLeadElsewhereAreRefused() async throws {
    try await source.synchronize()
    let bad = ["../a.txt", "/a.txt", "a/../../b.txt", "a//b.txt", "", "a.png", ".hidden.txt", ".git/a.txt"]
    for path in bad { _ = context.insert(Paper(path, "x")) }
    folder.make(folder: "folder.txt")
    _ = context.insert(Paper("folder.txt", "x"))
    _ = context.insert(Paper("large.txt", String(repeating: "x", count: 900_001)))
    try await context.save()
    try await source.synchronize()
    XCTAssertEqual(files(), [:])
    let reasons =
      bad.map {
        "'\($0)' is not the path of a document: the folder's filter excludes it, or a part of it is not a "
          + "valid file name"
      }
      + ["'folder.txt', the path of its file, is not a plain file", "the file would have more than 900000 bytes"]
    XCTAssertEqual(try source.conflicts().compactMap(\.reason).sorted(), reasons.sorted())
  }

  func testADocumentIsEditedInAContextOfItsOwnAndTheDraftSurvives() async throws {
    folder.write("a.txt", "one")
    try await source.synchronize()
    do {
      let editor = try context.makeChild(draft: "a.txt")
      try editor.object(paper("a.txt").id).text = "typed"
    }
    // Neither the folder nor the store has it.
    try await relaunch()
    XCTAssertEqual(texts, ["a.txt": "one"])
    XCTAssertEqual(files(), ["a.txt": "one"])
    let editor = try context.makeChild(draft: "a.txt")
    XCTAssertEqual(try editor.object(paper("a.txt").id).text, "typed")
    try editor.save()
    try await context.save()
    // Another launch comes before it is written.
    try await relaunch()
    try await source.synchronize()
    XCTAssertEqual(files(), ["a.txt": "typed"])
  }

  func testAFolderThatDidNotChangeIsNotReadAgain() async throws {
    for number in 0..<20 { folder.write("\(number).txt", "\(number)") }
    try await source.synchronize()
    try await relaunch()
    let head = store.log.head
    try await source.synchronize()
    XCTAssertEqual(store.log.head, head)
    let transport = DirectoryTransport(folder.path)
    guard case .page(let page) = try await transport.read(RemoteRequest()) else { return XCTFail("no page") }
    XCTAssertEqual(page.records.count, 20)
    guard case .unmodified = try await DirectoryTransport(folder.path).read(RemoteRequest(cursor: page.cursor)) else {
      return XCTFail("it was read again")
    }
    folder.write("7.txt", "seven")
    folder.remove("8.txt")
    guard case .page(let next) = try await transport.read(RemoteRequest(cursor: page.cursor)) else {
      return XCTFail("no page")
    }
    XCTAssertEqual(next.records.map(\.text), ["seven"])
    XCTAssertEqual(next.deletedIDs, ["8.txt"])
    // Whoever did not come to the end asks again.
    guard case .page(let again) = try await transport.read(RemoteRequest(cursor: page.cursor)) else {
      return XCTFail("all has to be read anew")
    }
    XCTAssertEqual(again.records, next.records)
    XCTAssertEqual(again.deletedIDs, next.deletedIDs)
  }

  func testAFolderOfAnySizeIsReadInPages() async throws {
    for number in 0..<25 { folder.write("\(100 + number).txt", "\(number)") }
    var options = RemoteOptions()
    options.readsAllPages = true
    func source() throws -> Source {
      try Source(
        "papers", Fetch<Paper>().sorted { $0.path }, in: context, from: DirectoryTransport(folder.path, pageSize: 4),
        mapping: Paper.mapping, options: options)
    }
    let source = try source()
    try await source.refresh()
    XCTAssertEqual(source.rows.map(\.text), (0..<25).map { "\($0)" })
    XCTAssertFalse(source.canLoadMore)
    let head = store.log.head
    try await source.refresh()
    XCTAssertEqual(store.log.head, head)
    // In pages as well: what changed, and what is gone.
    for number in 0..<9 { folder.write("\(100 + number).txt", "new \(number)") }
    folder.remove("110.txt")
    try await source.refresh()
    XCTAssertEqual(source.rows.prefix(9).map(\.text), (0..<9).map { "new \($0)" })
    XCTAssertEqual(source.count, 24)
    // A launch that comes in the middle of the pages, and a folder that changed meanwhile.
    folder.write("120.txt", "later")
    folder.remove("121.txt")
    let next = try Source(
      "papers", Fetch<Paper>().sorted { $0.path }, in: context, from: DirectoryTransport(folder.path, pageSize: 4),
      mapping: Paper.mapping)
    for _ in 0..<9 { try await next.refresh() }
    while next.canLoadMore { try await next.loadMore() }
    XCTAssertEqual(next.rows.first { $0.path == "120.txt" }?.text, "later")
    XCTAssertEqual(next.count, 23)
  }

  func testAFolderThatIsNotThereCostsNothingButTheWait() async throws {
    folder.write("a.txt", "one")
    try await source.synchronize()
    try paper("a.txt").text = "edited"
    try await context.save()
    let away = folder.path + "-away"
    XCTAssertEqual(rename(folder.path, away), 0)
    do {
      try await source.synchronize()
      XCTFail("there is no folder")
    } catch RemoteError.unavailable {}
    XCTAssertEqual(texts, ["a.txt": "edited"])
    // It is not made: its disk may be missing.
    XCTAssertNotEqual(access(folder.path, F_OK), 0)
    XCTAssertEqual(rename(away, folder.path), 0)
    try await source.synchronize()
    XCTAssertEqual(files(), ["a.txt": "edited"])
  }

  func testFailuresNameTheFolderAndNoServer() async throws {
    XCTAssertEqual(rename(folder.path, folder.path + "-away"), 0)
    do {
      try await source.refresh()
      XCTFail("there is no folder")
    } catch {
      XCTAssertEqual(
        "\(error)",
        "The source '\(folder.path)' is not available: opening the folder or a file in it failed: "
          + "\(String(cString: strerror(ENOENT))). Try again later, or remove this cause.")
    }
    XCTAssertEqual(rename(folder.path + "-away", folder.path), 0)
    XCTAssertEqual(
      "\(SystemError("writing", EROFS).remoteError("/notes"))",
      "The source '/notes' refuses access: writing the folder or a file in it failed: "
        + "\(String(cString: strerror(EROFS))). Give the program's user the right to read and write it.")
  }

  func testWhatAKillLeftUnfinishedIsNoDocument() async throws {
    folder.write(".reprise-document-xyz", "half")
    folder.write("a.txt", "one")
    let source = try Source(
      "all", Fetch<Paper>().sorted { $0.path }, in: context,
      from: DirectoryTransport(folder.path, showing: DirectoryFilter(includesHidden: true)), mapping: Paper.mapping)
    try await source.refresh()
    XCTAssertEqual(source.rows.map(\.path), ["a.txt"])
  }

  func testTwoWhoWriteTheSameFileLoseNothingSilently() async throws {
    for seed in testSeeds(4) {
      var random = RepriseTestSeeds.SeededGenerator(seed: seed)
      var options = RemoteOptions()
      options.conflicts = .theirs
      try make(options)
      let names = ["a.txt", "b.txt", "c.txt"]
      for step in 0..<40 {
        let name = names.randomElement(using: &random) ?? "a.txt"
        switch Int.random(in: 0..<7, using: &random) {
        case 0..<2: folder.write(name, "file \(seed) \(step)")
        case 2: folder.remove(name)
        case 3..<5:
          if let paper = try context.fetch(Fetch<Paper> { $0.path == name }).first {
            paper.text = "object \(seed) \(step)"
          } else {
            _ = context.insert(Paper(name, "object \(seed) \(step)"))
          }
          try await context.save()
        case 5:
          if let paper = try context.fetch(Fetch<Paper> { $0.path == name }).first {
            context.delete(paper)
            try await context.save()
          }
        default: try await source.synchronize()
        }
      }
      // As often as both sides had changed something.
      for _ in 0..<3 { try await source.synchronize() }
      XCTAssertEqual(texts, files(), "seed \(seed)")
      XCTAssertEqual(try source.pendingCount, 0, "seed \(seed)")
    }
  }
}
