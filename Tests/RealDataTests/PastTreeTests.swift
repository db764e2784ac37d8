#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

@Model final class TreeFile {
  @Attribute(.unique) var path: String
  var blob: String
  init(path: String, blob: String) {
    self.path = path
    self.blob = blob
  }
}

/// The commits of a repository, each saved: the tree at each tag is read in the past, and is the one that git had.
///
/// In a few seconds the first 1,200 commits are done. `REPRISE_TRANSACTIONS=4163` does all.
@MainActor final class PastTreeTests: XCTestCase {
  private let folder = FileManager.default.temporaryDirectory.path + "/reprise-tree-\(UUID().uuidString)"
  /// The position of each commit.
  private var positions: [Position] = []
  /// The files that ever had a path.
  private var ids: [String: [TreeFile.ID]] = [:]

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  private func open() async throws -> Store {
    try await Store.open(folder, for: TreeFile.self)
  }

  private func replay(in store: Store) async throws {
    let context = RootContext(store, author: "git")
    var files: [String: TreeFile] = [:]
    let commits = try DataFile("grdb-git-history/history.jsonl.gz").lines()
    for case let commit as [String: Any] in commits.prefix(transactionCount(1_200)) {
      for case let operation as [String] in try XCTUnwrap(commit["ops"] as? [Any]) {
        let path = operation[1]
        switch operation[0] {
        case "A":
          let file = context.insert(TreeFile(path: path, blob: operation[2]))
          files[path] = file
          ids[path, default: []].append(file.id)
        case "M":
          let file = try XCTUnwrap(files[path])
          XCTAssertEqual(file.blob, operation[2])
          file.blob = operation[3]
        default: context.delete(try XCTUnwrap(files.removeValue(forKey: path)))
        }
      }
      positions.append(try await context.save(commit["commit"] as? String))
    }
  }

  private struct Tag {
    let commit: Int
    let files: Int
    let digest: String
  }

  private struct Question {
    let commit: Int
    let path: String
    /// `nil` if there was no such file.
    let blob: String?
    let operations: Int
  }

  /// The lines of a file that are about commits that were replayed.
  private func lines(_ name: String) throws -> [(commit: Int, [String: Any])] {
    try DataFile("grdb-git-history/" + name).lines().compactMap { line in
      let line = try XCTUnwrap(line as? [String: Any])
      let commit = try XCTUnwrap(line["seq"] as? Int)
      return commit <= positions.count ? (commit, line) : nil
    }
  }

  func testEachTagHasTheTreeThatGitHadWhateverHasBecomeOfTheStore() async throws {
    var store = try await open()
    try await replay(in: store)
    let tags = try lines("checkpoints.jsonl.gz").map { commit, line in
      Tag(
        commit: commit, files: try XCTUnwrap(line["files"] as? Int), digest: try XCTUnwrap(line["sha256"] as? String))
    }
    let questions = try lines("asof.jsonl.gz").map { commit, line in
      Question(
        commit: commit, path: try XCTUnwrap(line["path"] as? String), blob: line["expect"] as? String,
        operations: try XCTUnwrap(line["changes"] as? Int))
    }
    XCTAssertFalse(tags.isEmpty)
    XCTAssertFalse(questions.isEmpty)
    try read(tags, store, "at once")
    try ask(questions, store, "at once")
    try await store.close()

    store = try await open()
    try ask(questions, store, "reopened")
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems, [])
    try read(tags, store, "verified")
    try ask(questions, store, "verified")
    try await store.close()

    try await StoreMaintenance.compact(folder)
    store = try await open()
    try read(tags, store, "compacted")
    try ask(questions, store, "compacted")
    try await store.close()
  }

  private func read(_ tags: [Tag], _ store: Store, _ message: String) throws {
    for tag in tags {
      let past = try store.context(at: positions[tag.commit - 1])
      let files = try past.fetch(Fetch<TreeFile>())
      XCTAssertEqual(files.count, tag.files, "\(message): commit \(tag.commit)")
      let lines = files.map { "\($0.path)\t\($0.blob)\n" }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      XCTAssertEqual(digest(of: lines.joined()), tag.digest, "\(message): commit \(tag.commit)")
    }
  }

  private func ask(_ questions: [Question], _ store: Store, _ message: String) throws {
    for (place, question) in questions.enumerated() {
      let position = positions[question.commit - 1]
      let message = "\(message): \(question.path) after \(question.commit)"
      let past = try store.context(at: position)
      let known = ids[question.path] ?? []
      let file = known.lazy.compactMap { past.find($0) }.first
      XCTAssertEqual(file?.blob, question.blob, message)
      let operations = try known.reduce(0) { try $0 + store.log.history(of: $1.any, upTo: position).count }
      XCTAssertEqual(operations, question.operations, message)
      // The same by an index, which costs all that changed since.
      if place % 10 > 0 { continue }
      XCTAssertEqual(try past.fetch(Fetch<TreeFile> { $0.path == question.path }), file.map { [$0] } ?? [], message)
    }
  }
}
#endif
