import RepriseCore
import XCTest

/// The transactions of a shared log, compared with the ledgers of the servers that saved.
struct ServerSaves {
  /// The songs' titles, in the order of the log.
  private let titles: [String]
  private let positions: [String: Int]
  private let message: String

  init(_ titles: [String], _ message: String) {
    (self.titles, self.message) = (titles, message)
    positions = Dictionary(titles.enumerated().map { ($1, $0) }) { first, _ in first }
    XCTAssertEqual(positions.count, titles.count, "\(message): doubled \(Self.doubled(titles))")
  }

  private static func doubled(_ titles: [String]) -> [String] {
    Dictionary(titles.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }.keys.sorted()
  }

  /// - Parameters:
  ///   - decide: The outcome of an undecided save.
  ///   - wasKilled: Whether the server may have saves that it did not write down.
  func check(
    _ name: String, _ ledger: ServerLedger, wasKilled: Bool, _ decide: (UniqueID) async throws -> Bool
  ) async throws {
    let name = "\(message), server \(name)"
    XCTAssertEqual(ledger.failures, [], name)
    let saved = ledger.saved
    let lost = saved.filter { positions[$0] == nil }
    XCTAssertEqual(lost, [], "\(name): lost acknowledged saves")
    let made = ledger.refused.filter { positions[$0] != nil }
    XCTAssertEqual(made, [], "\(name): made saves that it had refused")
    for (title, transaction) in ledger.undecided {
      let isMade = try await decide(transaction)
      XCTAssertEqual(positions[title] != nil, isMade, "\(name): a wrong outcome of \(title)")
    }
    checkOrder(name, ledger, wasKilled)
  }

  /// Each writer's numbers grow in the log. Only a kill leaves a number without a line, and only the last one.
  private func checkOrder(_ name: String, _ ledger: ServerLedger, _ wasKilled: Bool) {
    let known = Set(ledger.saved + ledger.refused + ledger.undecided.map(\.title))
    let server = (ledger.path as NSString).lastPathComponent.replacingOccurrences(of: ".ledger", with: "")
    for writer in ["\(server).0.", "\(server).1."] {
      let numbers = titles.filter { $0.hasPrefix(writer) }.compactMap { Int($0.dropFirst(writer.count)) }
      XCTAssertEqual(numbers, numbers.sorted(), "\(name): another order")
      let unknown = numbers.filter { !known.contains("\(writer)\($0)") }
      let last = known.filter { $0.hasPrefix(writer) }.compactMap { Int($0.dropFirst(writer.count)) }.max() ?? -1
      XCTAssertTrue(unknown.allSatisfy { wasKilled && $0 == last + 1 }, "\(name): made \(unknown) unasked")
    }
  }
}
