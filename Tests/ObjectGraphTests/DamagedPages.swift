import Foundation
import RepriseEventStore
import XCTest

@testable import RepriseLMDB

/// The pages of a store's file, to be damaged while it is open: what is mapped is what is in the file.
struct DamagedPages {
  struct Found {
    let number: UInt
    let page: Page

    /// Where the numbers of the page's nodes stand, from the beginning of the page.
    var places: Range<Int> { 0..<page.nodeCount }
  }

  private final class Collected {
    var pages: [String: [Found]] = [:]
  }

  private let file: String
  private let pageSize: Int
  private let found: [String: [Found]]

  init(of path: String) throws {
    self.file = path + "/data.mdb"
    let collected = Collected()
    guard let file = try DataFile(directory: path) else { throw CocoaError(.fileNoSuchFile) }
    let meta = try XCTUnwrap(MetaPages(file).current)
    var check = try StructureCheck(file, meta) { table, number, page in
      collected.pages[table, default: []].append(Found(number: number, page: page))
    }
    XCTAssertEqual(try check.run().problems, [])
    (pageSize, found) = (meta.pageSize, collected.pages)
  }

  func leaves(of table: String) -> [Found] { (found[table] ?? []).filter { $0.page.isLeaf } }
  func branches(of table: String) -> [Found] { (found[table] ?? []).filter { !$0.page.isLeaf } }

  /// Has the nodes of a page stand in another order.
  func reverseNodes(of found: Found) throws {
    let start = DataFile.pageHeaderSize
    let places = found.places.map { Array(found.page.bytes[start + 2 * $0..<start + 2 * $0 + 2]) }
    try write(places.reversed().flatMap(\.self), at: start, of: found)
  }

  /// The offset in the page of the key of a node.
  func key(_ index: Int, of found: Found) throws -> Range<Int> { try XCTUnwrap(found.page.node(index)).key }

  func write(_ bytes: [UInt8], at offset: Int, of found: Found) throws {
    let handle = try XCTUnwrap(FileHandle(forUpdatingAtPath: file))
    try handle.seek(toOffset: UInt64(Int(found.number) * pageSize + offset))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  func restore(_ found: Found) throws { try write(found.page.bytes, at: 0, of: found) }
}
