import Foundation
import RepriseInspector
import XCTest

/// The page lacks a file, or serves another one.
final class PageFilesTests: XCTestCase {
  private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../Sources/Inspector/Page")

  func testAFileIsNotServed() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    XCTAssertEqual(PageFiles.files.keys.sorted(), names)
    for name in names {
      guard case .bytes(let bytes)? = PageFiles.answer(name)?.body else { return XCTFail(name) }
      XCTAssertEqual(Data(bytes), try Data(contentsOf: folder.appending(path: name)), name)
    }
    XCTAssertEqual(PageFiles.answer("main.js")?.type, "text/javascript; charset=utf-8")
    XCTAssertEqual(PageFiles.answer("style.css")?.type, "text/css; charset=utf-8")
    XCTAssertEqual(PageFiles.answer("")?.type, "text/html; charset=utf-8")
  }

  func testAFileOfTheMachineIsServed() {
    for path in ["../Package.swift", "/etc/passwd", "Page/main.js", "main.js/", "."] {
      XCTAssertNil(PageFiles.answer(path), path)
    }
  }

  func testThePageAsksAnotherServer() throws {
    for (name, bytes) in PageFiles.files {
      let text = String(decoding: bytes, as: UTF8.self).replacing("http://www.w3.org/", with: "")
      XCTAssertFalse(text.contains("http://") || text.contains("https://") || text.contains("//cdn"), name)
      XCTAssertFalse(text.contains("innerHTML") || text.contains("eval("), name)
    }
  }
}
