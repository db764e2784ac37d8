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

  func testAModuleLoadsLate() throws {
    let html = String(decoding: try XCTUnwrap(PageFiles.files["index.html"]), as: UTF8.self)
    for name in PageFiles.files.keys where name.hasSuffix(".js") && !["main.js", "theme.js"].contains(name) {
      XCTAssertTrue(html.contains("<link rel=\"modulepreload\" href=\"\(name)\">"), name)
      XCTAssertEqual(PageFiles.answer(name)?.isConstant, true, name)
    }
    // The address of the page stays, so a browser must ask for the page itself each time.
    XCTAssertEqual(PageFiles.answer("")?.isConstant, false)
  }

  func testALineOfThePageIsTooLong() throws {
    for (name, bytes) in PageFiles.files {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        XCTAssertLessThanOrEqual(line.count, 120, "\(name):\(index + 1)")
        XCTAssertFalse(line.hasSuffix(" "), "\(name):\(index + 1) ends with a space")
      }
    }
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
