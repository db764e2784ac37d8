import Foundation
import RepriseLMDB
import XCTest

/// A test that changes the files of a closed environment as a power cut does.
class AfterImageTestCase: EnvironmentTestCase {
  typealias Rows = [String: [String: String]]

  static let tables = ["t", "u"]
  static let headerSize = 44
  private let pageSize = Int(getpagesize())
  private let placeSize = 65_520

  /// An environment whose commits have after-images.
  func openDurably(_ change: (inout Environment.Options) -> Void = { _ in }) throws(StorageError) -> Environment {
    try open(Self.tables) {
      $0.isUnflushed = false
      $0.makesAfterImages = true
      change(&$0)
    }
  }

  func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: dataFile))) }

  func patch(_ bytes: some Collection<UInt8>, at offset: Int) throws {
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: dataFile))
    try file.seek(toOffset: UInt64(offset))
    file.write(Data(bytes))
    try file.close()
  }

  /// Where in the file the place of a commit begins.
  func place(of commit: Int) throws -> Int {
    let bytes = try bytes()
    let pages = stride(from: 2 * pageSize, to: bytes.count, by: pageSize)
    let first = pages.first { page in
      bytes.withUnsafeBytes { bytes in
        bytes.loadUnaligned(fromByteOffset: page, as: UInt64.self) == UInt64(page / pageSize)
          && bytes.loadUnaligned(fromByteOffset: page + 10, as: UInt16.self) == 4
          && bytes.loadUnaligned(fromByteOffset: page + 12, as: UInt32.self) == UInt32(128 * 1024 / pageSize)
      }
    }
    return try XCTUnwrap(first) + 16 + (commit & 1) * placeSize
  }

  func placeBytes(of commit: Int) throws -> [UInt8] {
    let place = try place(of: commit)
    return Array(try bytes()[place..<place + placeSize])
  }

  /// Puts a page back that a commit has written: its meta page, which a power cut can take.
  ///
  /// - Parameter earlier: The bytes of the file before the commit.
  func loseMetaPage(of commit: Int, _ earlier: [UInt8]) throws {
    let page = (commit & 1) * pageSize
    try patch(earlier[page..<page + pageSize], at: page)
  }

  func rows(_ environment: Environment) throws -> Rows {
    let transaction = try environment.beginRead()
    var rows: Rows = [:]
    for name in Self.tables {
      rows[name] = [:]
      var cursor = try transaction.view.cursor(environment[name])
      while let row = try cursor.next() { rows[name]?[row.key.string] = row.value.string }
    }
    return rows
  }

  func head(_ environment: Environment) throws -> Int { try environment.beginRead().id }

  /// Makes an environment with one commit after its tables.
  func make() throws {
    let environment = try openDurably()
    try environment.put(environment["t"], "a", "1")
    environment.close()
  }

  func put(_ key: String, _ value: String) -> (Environment) throws -> Void {
    { environment in try environment.put(environment["t"], key, value) }
  }

  /// Commits, closes the environment, and loses the commit's meta page.
  func loseCommit(_ change: (Environment) throws -> Void) throws {
    let earlier = try bytes()
    let environment = try openDurably()
    try change(environment)
    let commit = try head(environment)
    environment.close()
    try loseMetaPage(of: commit, earlier)
  }

  /// Makes one more commit in a copy of the closed environment, and returns its after-image.
  func imageOfNextCommit(_ change: (Environment) throws -> Void) throws -> [UInt8] {
    let before = try bytes()
    let environment = try openDurably()
    try change(environment)
    let commit = try head(environment)
    environment.close()
    let image = try placeBytes(of: commit)
    try Data(before).write(to: URL(fileURLWithPath: dataFile))
    return image
  }
}
