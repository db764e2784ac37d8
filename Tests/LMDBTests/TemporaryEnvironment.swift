import Foundation
import RepriseLMDB
import XCTest

/// A test with an empty directory of its own, removed afterwards.
class EnvironmentTestCase: XCTestCase {
  private(set) var directory = ""

  override func setUpWithError() throws {
    directory = NSTemporaryDirectory() + "reprise-lmdb-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try? FileManager.default.removeItem(atPath: directory)
  }

  var dataFile: String { directory + "/data.mdb" }

  func open(
    _ tables: [String] = ["t"], _ change: (inout Environment.Options) -> Void = { _ in }
  ) throws(StorageError) -> Environment {
    var options = Environment.Options(tables: tables)
    options.isUnflushed = true
    change(&options)
    return try Environment.open(directory: directory, options)
  }
}

extension Environment {
  subscript(_ name: String) -> Table { table(name) }
}

extension WriteTransaction {
  func put(_ table: Table, _ key: String, _ value: String) throws(StorageError) {
    let key = Array(key.utf8)
    let value = Array(value.utf8)
    try put(table, key: key.span.bytes, value: value.span.bytes)
  }
}

extension Environment {
  func string(_ table: Table, _ key: String) throws(StorageError) -> String? {
    let transaction = try beginRead()
    return try transaction.view.string(table, key)
  }

  func put(_ table: Table, _ key: String, _ value: String) throws(StorageError) {
    try write { transaction throws(StorageError) in try transaction.put(table, key, value) }
  }
}

extension View {
  func string(_ table: Table, _ key: String) throws(StorageError) -> String? {
    let key = Array(key.utf8)
    guard let value = try get(table, key: key.span.bytes) else { return nil }
    return value.string
  }
}

extension RawSpan {
  var string: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
