import Foundation
import RepriseLMDB
import XCTest

/// A test with a data file whose pages are known.
class StructureTestCase: EnvironmentTestCase {
  let pageSize = Int(getpagesize())

  func structure(overlooking kinds: Set<StructureProblem.Kind> = []) throws -> StructureReport {
    try XCTUnwrap(try DataFile.structure(of: directory, overlooking: kinds))
  }

  /// Rows of many sizes, some of them on overflow pages, and free pages.
  func fill(_ environment: Environment, _ rows: Int) throws {
    for start in stride(from: 0, to: rows, by: 500) {
      try environment.write { transaction throws(StorageError) in
        for number in start..<min(start + 500, rows) {
          let key = "key \(number) " + String(repeating: "k", count: number % 90)
          try transaction.put(environment["a"], key, String(repeating: "v", count: number * 7 % 600))
        }
        try transaction.put(environment["b"], "large \(start)", String(repeating: "x", count: 9000))
      }
    }
    try environment.write { transaction throws(StorageError) in
      for number in stride(from: 0, to: rows / 4, by: 1) {
        let key = Array("key \(number) ".utf8) + [UInt8](repeating: 0x6B, count: number % 90)
        try transaction.delete(environment["a"], key: key.span.bytes)
      }
    }
  }

  /// The bytes of a small file that has every kind of page.
  func sample() throws -> [UInt8] {
    let environment = try open(["a", "b", "empty"])
    try fill(environment, 300)
    environment.close()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: dataFile)))
  }

  func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: dataFile)) }

  func patch(_ byte: UInt8, at offset: Int) throws {
    let descriptor = systemOpen(dataFile)
    defer { close(descriptor) }
    var byte = byte
    XCTAssertEqual(pwrite(descriptor, &byte, 1, off_t(offset)), 1)
  }

  /// Whether one of these pages is in use.
  func isUsed(anyOf pages: Range<Int>) -> Bool { !pages.allSatisfy { !used.contains($0) } }
  private(set) var used: Set<Int> = []

  /// A byte that leads somewhere, and its bits that matter.
  struct Place {
    let offset: Int
    let what: String
    var mask: UInt8 = 0xFF
  }

  /// Found by a walk that trusts everything, so in a file that nobody has touched.
  func structuralBytes(of bytes: [UInt8]) -> [Place] {
    var walk = TrustingWalk(bytes: bytes, pageSize: pageSize)
    walk.run()
    used = walk.pages
    return walk.places
  }
}

/// A reader of LMDB's pages that knows no more than their layout and believes what it reads.
private struct TrustingWalk {
  let bytes: [UInt8]
  let pageSize: Int
  private(set) var places: [StructureTestCase.Place] = []
  private(set) var pages: Set<Int> = [0, 1]

  init(bytes: [UInt8], pageSize: Int) {
    self.bytes = bytes
    self.pageSize = pageSize
  }

  private func number(_ offset: Int, _ width: Int) -> Int {
    (0..<width).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
  }

  private mutating func add(_ what: String, _ offset: Int, _ width: Int, lowMask: UInt8 = 0xFF) {
    for index in 0..<width {
      places.append(StructureTestCase.Place(offset: offset + index, what: what, mask: index == 0 ? lowMask : 0xFF))
    }
  }

  mutating func run() {
    let later = number(pageSize + 144, 8) > number(144, 8) ? pageSize : 0
    for start in [0, pageSize] {
      add("meta flags", start + 10, 2)
      add("magic, version", start + 16, 8)
      add("page size", start + 40, 4)
      add("flags of the free pages", start + 44, 2, lowMask: 0xFE)
      add("flags of the main database", start + 92, 2)
      add("transaction", start + 144, 8)
    }
    places.removeAll { $0.what == "flags of the free pages" && $0.offset % pageSize == 45 }
    add("last page", later + 136, 8)
    tree(later + 40, isFree: true)
    tree(later + 88, isMain: true)
  }

  /// A tree's head.
  private mutating func tree(_ start: Int, isFree: Bool = false, isMain: Bool = false) {
    if !isFree && !isMain { add("flags of a table", start + 4, 2) }
    add("depth", start + 6, 2)
    add("counts and root", start + 8, 40)
    if number(start + 40, 8) >= 0 { page(number(start + 40, 8), isFree, isMain) }
  }

  private mutating func page(_ page: Int, _ isFree: Bool, _ isMain: Bool) {
    pages.insert(page)
    let start = page * pageSize
    add("page number", start, 8)
    add("page flags", start + 10, 2)
    add("bounds", start + 12, 4)
    let isLeaf = number(start + 10, 2) == 2
    let count = (number(start + 12, 2) - 16) / 2
    for index in 0..<count {
      add("node pointer", start + 16 + 2 * index, 2)
      let node = start + number(start + 16 + 2 * index, 2)
      let flags = number(node + 4, 2)
      let key = number(node + 6, 2)
      // The lowest bit of a size may only take a byte of padding in.
      add("key size", node + 6, 2, lowMask: 0xFE)
      // Greater than all that follow, or than the keys of the page that it leads to.
      if !isFree, isLeaf ? index + 1 < count : index > 0 { add("key", node + 8, 1, lowMask: 0x80) }
      if !isLeaf {
        add("child", node, 6)
        self.page(number(node, 4), isFree, isMain)
        continue
      }
      add("node flags", node + 4, 2)
      if flags & 1 != 0 {
        let first = number(node + 8 + key, 8)
        add("overflow page", node + 8 + key, 8)
        add("overflow header", first * pageSize, 8)
        add("overflow header", first * pageSize + 10, 2)
        add("overflow count", first * pageSize + 12, 4)
        pages.formUnion(first..<first + number(first * pageSize + 12, 4))
        continue
      }
      add("value size", node, 4, lowMask: 0xFE)
      if isMain { tree(node + 8 + key) }
      if isFree { add("free list", node + 8 + key, number(node, 4)) }
    }
  }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_WRONLY) }
