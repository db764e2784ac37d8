import CRepriseChecksums
import Foundation
import XCTest

/// A file of `Tests/Data`.
struct DataFile {
  let url: URL

  init(_ name: String) {
    url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(components: "Data", name)
  }

  init(at path: String) { url = URL(filePath: path) }

  func json() throws -> [String: Any] {
    try XCTUnwrap(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
  }

  /// The lines of gzip'd JSON Lines, the header left out.
  func lines() throws -> [Any] {
    try unzipped().split(separator: UInt8(ascii: "\n")).dropFirst()
      .map { try JSONSerialization.jsonObject(with: Data($0)) }
  }

  /// The content of a gzip'd file.
  func unzipped() throws -> Data {
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-dc", url.path]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = try XCTUnwrap(output.fileHandleForReading.readToEnd())
    gzip.waitUntilExit()
    XCTAssertEqual(gzip.terminationStatus, 0, "gzip could not read \(url.path)")
    return data
  }
}

/// How many transactions of a history are replayed: so many as the environment variable `REPRISE_TRANSACTIONS` says, or
/// all of them if there are fewer.
func transactionCount(_ usual: Int) -> Int {
  ProcessInfo.processInfo.environment["REPRISE_TRANSACTIONS"].flatMap(Int.init) ?? usual
}

/// SHA-256 in lower-case hexadecimal.
func digest(of text: String) -> String {
  var hash = reprise_sha256()
  var digest = [UInt8](repeating: 0, count: 32)
  reprise_sha256_init(&hash)
  let bytes = Array(text.utf8)
  reprise_sha256_update(&hash, bytes, bytes.count)
  reprise_sha256_final(&hash, &digest)
  return digest.map { String(format: "%02x", $0) }.joined()
}
