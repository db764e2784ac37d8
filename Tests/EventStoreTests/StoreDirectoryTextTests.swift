import Foundation
import RepriseEventStore
import RepriseObjectModel
import RepriseTestLog
import XCTest

/// The texts of directories in which no store can be opened, in full.
final class StoreDirectoryTextTests: XCTestCase {
  private var path = ""

  override func setUpWithError() throws {
    path = NSTemporaryDirectory() + "reprise-directory-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func make(_ name: String) { FileManager.default.createFile(atPath: path + "/" + name, contents: nil) }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
  }

  private func expect(_ text: String, at place: String? = nil, line: UInt = #line) {
    XCTAssertThrowsError(try Store.openNow(place ?? path, for: Schema(LogSample.self), StoreOptions()), line: line) {
      XCTAssertEqual("\($0)", text, line: line)
    }
  }

  func testOtherFiles() {
    make("letter.txt")
    expect(
      "\(path) is not a Reprise store: it holds other files ('letter.txt') and no data.mdb. Check the path.")
  }

  func testAStoreWithoutItsData() {
    make("lock.mdb")
    expect(
      """
      \(path) is not a Reprise store: it holds other files of a store, but no data.mdb. If data.mdb was deleted, \
      restore a backup. Check the path.
      """)
  }

  func testALinkInPlaceOfTheMark() throws {
    try link("new", to: path + "/nowhere")
    expect(
      """
      \(path) is not a Reprise store: it holds a symbolic link 'new', where a new store needs a file of this name. \
      Remove the link. Check the path.
      """)
  }

  func testALinkInPlaceOfTheData() throws {
    try link("data.mdb", to: path + "/nowhere")
    expect(
      """
      \(path) is not a Reprise store: data.mdb is a broken symbolic link. Correct the link, or restore a backup. Check \
      the path.
      """)
  }

  func testADirectoryWithoutAStore() async {
    do {
      try await StoreMaintenance.rebuild(path)
      XCTFail("rebuilt nothing")
    } catch {
      XCTAssertEqual("\(error)", "\(path) is not a Reprise store: it holds no data.mdb. Check the path.")
    }
  }

  func testPathsThatTheSystemRefuses() throws {
    try link("loop", to: path + "/loop")
    let loop = path + "/loop"
    expect(
      """
      The operation 'looking at the directory' failed on \(loop): Too many levels of symbolic links (error \(ELOOP)). \
      Check the path.
      """, at: loop)
    let long = path + "/" + String(repeating: "x", count: 300)
    expect(
      """
      The operation 'making the directory' failed on \(long): File name too long (error \(ENAMETOOLONG)). Check the \
      path.
      """, at: long)
  }
}
