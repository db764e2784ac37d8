import Foundation
import XCTest

@testable import RepriseLMDB

/// A page number that the file cannot have: LMDB would write there, and make a file of terabytes.
final class FreePageTests: StructureTestCase {
  private var size: Int {
    get throws { try XCTUnwrap(FileManager.default.attributesOfItem(atPath: dataFile)[.size] as? Int) }
  }

  /// Saves until the pages that were freed are used.
  private func writeOften(_ environment: Environment) throws {
    for round in 0..<12 {
      try environment.write { transaction throws(StorageError) in
        for number in stride(from: round, to: 300, by: 7) {
          try transaction.put(environment["a"], "key \(number)", "changed \(round)")
        }
      }
    }
  }

  private func assertRefused(_ bytes: [UInt8], _ message: String) throws {
    try write(bytes)
    let environment = try open(["a", "b", "empty"])
    defer { environment.close() }
    do {
      try writeOften(environment)
      XCTFail("written: \(message)")
    } catch {
      guard case .damagedStructure? = error as? StorageError else { return XCTFail("\(error): \(message)") }
    }
    XCTAssertLessThan(try size, 1 << 30, message)
  }

  func testAFlippedNumberInAListOfFreePagesIsNotWrittenTo() throws {
    var bytes = try sample()
    let root = Int(try meta().freePages.root)
    let page = Page(bytes: Array(bytes[root * pageSize..<(root + 1) * pageSize]))
    XCTAssertTrue(page.isLeaf)
    let value = try XCTUnwrap(page.node(page.nodeCount - 1)).value
    // A bit of the first number of the list, which is the highest.
    bytes[root * pageSize + value.lowerBound + 8 + 4] ^= 1
    try assertRefused(bytes, "in a list")
  }

  func testAFlippedNumberOfAPageItselfIsNotWrittenTo() throws {
    let bytes = try sample()
    let collected = Numbers()
    guard let file = try DataFile(directory: directory) else { return XCTFail("no file") }
    var check = try StructureCheck(file, meta()) { table, number, _ in
      if table == "a" { collected.numbers.append(number) }
    }
    _ = try check.run()
    let pages = collected.numbers
    XCTAssertGreaterThan(pages.count, 3)
    for page in pages.prefix(3) {
      var damaged = bytes
      damaged[Int(page) * pageSize + 4] ^= 4
      try assertRefused(damaged, "of page \(page)")
    }
  }

  func testDamagedListsOfFreePagesAreNamed() throws {
    let sound = try sample()
    let (last, root) = (Int(try meta().lastPage), Int(try meta().freePages.root) * pageSize)
    let page = Page(bytes: Array(sound[root..<root + pageSize]))
    let node = try XCTUnwrap(page.node(page.nodeCount - 1))
    let list = root + node.value.lowerBound
    func expect(_ text: String?, _ numbers: [Int: Int] = [:], flags: [Int: UInt8] = [:]) throws {
      var bytes = sound
      for (offset, number) in numbers {
        bytes.replaceSubrange(offset..<offset + 8, with: withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) })
      }
      for (offset, byte) in flags { bytes[offset] = byte }
      try bytes.withUnsafeBytes { bytes in
        var lists = MappedFreeLists(try XCTUnwrap(bytes.baseAddress), pageSize: pageSize, after: 0)
        XCTAssertEqual(lists.problem(), text)
      }
    }
    try expect(nil)
    try expect(
      "page \(last + 1) is in a list of free pages, but the file has only the pages up to \(last)", [list + 8: last + 1]
    )
    try expect(
      "a list of free pages counts more pages than its \(node.value.count) bytes can hold", [list: 100_000])
    // Its pages are said to lie behind the end.
    try expect(
      "a list of free pages is not in the file", [list: last + 1], flags: [root + node.place.lowerBound + 4: 1])
    // The kind of the page.
    try expect("the tree of free pages has a page that cannot be read", flags: [root + 10: 0])
  }

  private final class Numbers { var numbers: [UInt] = [] }

  private func meta() throws -> MetaPage {
    guard let file = try DataFile(directory: directory) else { throw CocoaError(.fileNoSuchFile) }
    return try XCTUnwrap(MetaPages(file).current)
  }

  func testHolesAreNotSearchedForRows() throws {
    _ = try sample()
    var before = 0
    _ = try RowScan.run(of: directory, growing: "a") { _ in before += 1 }
    let handle = try XCTUnwrap(FileHandle(forUpdatingAtPath: dataFile))
    // Of this size, reading every page would take hours.
    try handle.truncate(atOffset: 1 << 42)
    try handle.close()
    var after = 0
    _ = try RowScan.run(of: directory, growing: "a") { _ in after += 1 }
    XCTAssertEqual(after, before)
  }
}
