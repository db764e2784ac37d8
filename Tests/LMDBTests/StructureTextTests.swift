import Foundation
import RepriseLMDB
import XCTest

/// The texts of the problems that the check of the structure finds, in full.
final class StructureTextTests: XCTestCase {
  private var checked: Set<String> = []

  private func check(
    _ reason: StructureProblem.Reason, named name: String? = nil, _ text: String, line: UInt = #line
  ) {
    XCTAssertEqual(reason.description, text, line: line)
    checked.insert(name ?? Mirror(reflecting: reason).children.first?.label ?? text)
  }

  func testEveryReasonNamesTheDefect() throws {
    checkMetaPages()
    checkPages()
    checkTrees()
    checkUse()
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let source = try String(
      contentsOf: root.appendingPathComponent("Sources/LMDB/File/StructureProblem+Reason.swift"), encoding: .utf8)
    let cases = source.matches(of: #/\n    case (\w+)/#).map { String($0.1) }
    XCTAssertGreaterThan(cases.count, 30)
    XCTAssertEqual(checked.symmetricDifference(cases), [])
  }

  private func checkMetaPages() {
    check(.notAMetaPage, named: "notAMetaPage", "it is not a meta page")
    check(.otherMetaNumber, named: "otherMetaNumber", "the page number in its header is wrong")
    check(.freePagesFlags(9), "its entry for the tree of free pages has the invalid flags 9")
    check(.mainFlags(9), "its entry for the main database has the flags 9, and must have 0")
    check(.pageSize(512, other: 4096), "it states a page size of 512 bytes, but the other meta page states 4096")
    check(
      .transactions(5, 8),
      "its transaction 5 does not fit transaction 8 of the other meta page, because both must be consecutive, the even "
        + "one in page 0")
    check(.lastPage(7), "it names page 7 as the last page, which does not fit the size of the file")
  }

  private func checkPages() {
    check(.outsideFile(last: 7), "another page refers to it, but the file has only the pages 2 to 7")
    check(.cutOff, named: "cutOff", "the file ends before the end of the page")
    check(
      .valueOutsideFile(from: 3),
      "page 3 refers to it as an overflow page, but it is a meta page or beyond the end of the file")
    check(.otherNumber(8), "its header has the page number 8")
    check(.flags(9), "its flags are 9, which neither a branch nor a leaf has")
    check(.valueFlags(9, from: 3), "page 3 refers to it as an overflow page, but its flags are 9")
    check(
      .bounds(lower: 16, upper: 8),
      "its bounds are impossible: its node pointers end at byte 16, and its nodes begin at byte 8")
    check(.nodeOutside(2), "its node 2 is not within its range of nodes")
    check(.nodesOverlap(at: 90), "two of its nodes overlap, or there is a gap between them, at byte 90")
    check(.nodesEnd(at: 90), "its nodes end at byte 90, before the end of the page")
    check(.nodeFlags(9), "one of its nodes has the invalid flags 9")
  }

  private func checkTrees() {
    check(
      .keySize(2, byteCount: 600),
      "its key 2 has 600 bytes, but a key has 1 to 511, or 8 in the tree of free pages")
    check(.keyOrder(2), "its key 2 is not greater than the key before it")
    check(.lastKey, named: "lastKey", "its last key belongs on a later page")
    check(.levels(40), "its tree cannot have 40 levels")
    check(.level(2, isLeaf: true), "it is a leaf on level 2 of its tree, where level 1 has the leaves")
    check(.level(1, isLeaf: false), "it is a branch on level 1 of its tree, where level 1 has the leaves")
    check(.count("entries", counted: 3, recorded: 4), "its tree has 3 entries instead of the recorded 4")
    check(.valueSize(9_000, pages: 2), "its 2 pages cannot hold a value of 9000 bytes")
  }

  private func checkUse() {
    check(.usedAndFree, named: "usedAndFree", "it is in use, but also in a list of free pages")
    check(.usedTwice, named: "usedTwice", "it is in use in two places")
    check(.listSize(24), "its list of free pages counts more pages than its 24 bytes can hold")
    check(.listed(1), "its list of free pages has page 1, which cannot be free or is out of order")
    check(.listedTwice(7), "page 7 is in two lists of free pages")
    check(.lost(3), "3 pages, the first of them here, are neither used nor free")
    check(.notATable("log"), "'log' in the main database is not a table")
    check(.tableFlags(9), "its flags are 9, and must be 0")
  }

  func testAProblemBeginsWithItsPlace() {
    let problem = StructureProblem(page: 7, table: "log", reason: .otherNumber(8))
    XCTAssertEqual(problem.description, "page 7, table 'log': its header has the page number 8")
    XCTAssertEqual(
      StructureProblem(page: nil, table: nil, reason: .usedTwice).description, "it is in use in two places")
    XCTAssertEqual(problem.text(andMore: 0), "page 7, table 'log': its header has the page number 8")
    XCTAssertEqual(
      problem.text(andMore: 1), "page 7, table 'log': its header has the page number 8, and 1 more problem")
    XCTAssertEqual(
      problem.text(andMore: 3), "page 7, table 'log': its header has the page number 8, and 3 more problems")
  }
}
