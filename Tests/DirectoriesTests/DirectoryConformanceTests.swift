import Foundation
import RepriseCore
import RepriseDirectories
import RepriseTestSeeds
import RepriseTesting
import XCTest

/// Any changes in any order.
final class DirectoryConformanceTests: DirectoryTestCase {
  func testADirectoryConforms() async throws {
    for (filter, order) in [
      (DirectoryFilter(), DirectoryOrder.name), (DirectoryFilter(isRecursive: true), .modified(newestFirst: true)),
      (DirectoryFilter(isRecursive: true, kinds: [.file, .directory]), .name),
    ] {
      let folder = try TestFolder()
      try await DataSourceConformance(
        makeSource: { DirectorySource(folder.path, showing: filter, sortedBy: order) },
        // The identifier of a removed link leads to the other name of the file, as after a rename.
        change: { _, numbers in Self.change(folder, &numbers, withLinks: false) },
        content: { "\($0.path) \($0.size) \($0.modified)" }, settle: { await $0.delivered() }, seed: testSeed()
      ).run()
    }
  }

  func testChangesAreToldRowByRow() async throws {
    for order in [DirectoryOrder.name, .modified(newestFirst: true)] {
      let folder = try TestFolder()
      try await DataSourceConformance(
        makeSource: { DirectorySource(folder.path, showing: DirectoryFilter(isRecursive: true), sortedBy: order) },
        change: { _, numbers in Self.change(folder, &numbers, withLinks: false) },
        content: { "\($0.path) \($0.size) \($0.modified)" }, settle: { await $0.delivered() }, seed: testSeed(),
        // By date, only some changes move a file.
        rounds: 300
      ).runRowChanges()
    }
  }

  func testADirectoryThatIsRefreshedConforms() async throws {
    let folder = try TestFolder()
    folder.make(folder: "f")
    let inner = TestFolder(at: folder.path + "/f")
    try await DataSourceConformance(
      makeSource: { DirectorySource(inner.path, showing: DirectoryFilter(isRecursive: true)) },
      change: { _, numbers in Self.change(inner, &numbers) }, content: { "\($0.path) \($0.size) \($0.modified)" },
      seed: testSeed(), rounds: 50
    ).runRefreshing(
      changingBehind: { _, numbers in Self.change(inner, &numbers) },
      failing: { _, isFailing in _ = isFailing ? folder.move("f", "g") : folder.move("g", "f") })
  }

  func testAScreenWhoseFolderIsAwayIsThereWithTheReasonAndItsFileComesBack() async throws {
    let folder = try TestFolder()
    folder.make(folder: "f")
    let inner = TestFolder(at: folder.path + "/f")
    for name in ["a", "b%", "é"] { inner.write(name) }
    try await DataSourceConformance(
      makeSource: { DirectorySource(inner.path) }, change: { _, _ in }, content: { "\($0.path) \($0.size)" },
      settle: { try await $0.ready() }, seed: testSeed()
    ).runRestoringAway { isAway in
      _ = isAway ? folder.move("f", "g") : folder.move("g", "f")
    } _: { _ in
      DirectorySource(inner.path)
    }
  }

  func testFilesKeepTheirIdentifiersOverARelaunch() async throws {
    let folder = try TestFolder()
    let conformance = DataSourceConformance(
      makeSource: { DirectorySource(folder.path) },
      change: { _, _ in for name in ["a", "b%", "é"] { folder.write(name) } },
      content: { "\($0.path) \($0.size)" }, settle: { await $0.delivered() }, seed: testSeed())
    try await conformance.runRelaunching { _ in DirectorySource(folder.path) }
    try await conformance.runRestoring { _ in DirectorySource(folder.path) }
  }

  func testAfterAnyChangesTheRowsAreTheFiles() async throws {
    for seed in testSeeds(3) {
      var numbers = RepriseTestSeeds.SeededGenerator(seed: seed)
      let folder = try TestFolder()
      let source = DirectorySource(folder.path, showing: DirectoryFilter(isRecursive: true))
      var shown: [[DirectoryEntry]] = [[]]
      let observation = source.observe { [unowned source] batch in
        batch.apply(to: &shown) { source.element(at: $0) }
      }
      for step in 0..<150 {
        // Of a file with several names the system tells only the one through which it was written.
        Self.change(folder, &numbers, withLinks: false)
        if Bool.random(using: &numbers) { await Task.yield() }
        if Int.random(in: 0..<3, using: &numbers) > 0 { continue }
        if Int.random(in: 0..<10, using: &numbers) == 0 {
          try await source.refresh()
        } else {
          await source.delivered()
        }
        let expected = folder.files(recursive: true)
        XCTAssertEqual(Set(names(source)), Set(expected), "seed \(seed), step \(step)")
        XCTAssertEqual(source.count, expected.count, "seed \(seed), step \(step)")
        XCTAssertEqual(shown, [source.elements], "seed \(seed), step \(step)")
        for entry in source.elements {
          var status = stat()
          XCTAssertEqual(stat(folder.path + "/" + entry.path, &status), 0)
          XCTAssertEqual(Int64(status.st_size), entry.size, "seed \(seed), step \(step): \(entry.path)")
        }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
      observation.cancel()
    }
  }

  /// Some files come, go, change and are renamed; some folders, too.
  private static func change(
    _ folder: TestFolder, _ numbers: inout some RandomNumberGenerator, withLinks: Bool = true
  ) {
    func pick(_ texts: [String]) -> String { texts.randomElement(using: &numbers) ?? "a" }
    func place() -> String {
      let folders = pick(["", "", "", "f/", "g/", "f/h/"])
      return folders + pick(["a", "b", "c10", "c9", "d"])
    }
    for _ in 0..<Int.random(in: 1...4, using: &numbers) {
      switch Int.random(in: 0..<(withLinks ? 12 : 11), using: &numbers) {
      case 0...3:
        let name = place()
        let parent = name.split(separator: "/").dropLast().joined(separator: "/")
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder.path + "/" + parent, isDirectory: &isFolder)
        var status = stat()
        let isTaken = stat(folder.path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        if exists, isFolder.boolValue, !isTaken {
          folder.write(name, String(repeating: "x", count: .random(in: 0..<9, using: &numbers)))
        }
      case 4...5: folder.remove(place())
      case 6...7: folder.move(place(), place())
      case 8: folder.make(folder: pick(["f", "g", "f/h", "g/h", "a"]))
      case 9: folder.move(pick(["f", "g", "f/h", "a"]), pick(["f", "g", "g/h", "f/h", "e"]))
      case 10: folder.removeFolder(pick(["f", "g", "f/h", "g/h", "a", "e"]))
      default: folder.link(place(), place())
      }
    }
  }
}
