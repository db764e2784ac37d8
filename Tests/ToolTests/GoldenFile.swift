import Foundation
import XCTest

/// An output that is compared with a file of `Golden`. The environment variable `REPRISE_GOLDEN=write` rewrites it.
enum GoldenFile {
  static func check(_ lines: [String], _ name: String, file: StaticString = #filePath, line: UInt = #line) throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().appending(components: "Golden", name)
    let text = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["REPRISE_GOLDEN"] == "write" {
      return try Data(text.utf8).write(to: url)
    }
    let expected = try String(decoding: Data(contentsOf: url), as: UTF8.self)
    let (found, wanted) = (text.split(separator: "\n"), expected.split(separator: "\n"))
    if text == expected { return }
    let place = zip(found, wanted).prefix { $0 == $1 }.count
    XCTFail(
      """
      \(name) differs in line \(place + 1). Found: \(place < found.count ? found[place] : "nothing"). \
      Expected: \(place < wanted.count ? wanted[place] : "nothing").
      """, file: file, line: line)
  }
}
