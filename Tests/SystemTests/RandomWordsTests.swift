import Foundation
import RepriseSystem
import XCTest

final class RandomWordsTests: XCTestCase {
  func testNoWordIsGivenTwice() async {
    let words = await withTaskGroup(of: [UInt64].self) { group in
      for _ in 0..<4 { group.addTask { (0..<500).map { _ in RandomWords.next() } } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    XCTAssertEqual(Set(words).count, 2_000)
  }

  func testAForkedChildHasOtherWordsThanItsParent() throws {
    _ = RandomWords.next()
    typealias Fork = @convention(c) () -> pid_t
    let symbol = try XCTUnwrap(dlsym(dlopen(nil, RTLD_NOW), "fork"))
    var ends: [Int32] = [0, 0]
    XCTAssertEqual(pipe(&ends), 0)
    let child = unsafeBitCast(symbol, to: Fork.self)()
    var words = (0..<100).map { _ in RandomWords.next() }
    if child == 0 {
      write(ends[1], &words, 800)
      _exit(0)
    }
    var others = [UInt64](repeating: 0, count: 100)
    XCTAssertEqual(read(ends[0], &others, 800), 800)
    var status: Int32 = 0
    XCTAssertEqual(waitpid(child, &status, 0), child)
    XCTAssertEqual(Set(words).union(others).count, 200)
    for end in ends { close(end) }
  }
}
