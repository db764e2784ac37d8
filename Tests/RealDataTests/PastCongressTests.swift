#if Macros
import Foundation
import Reprise
import XCTest

@testable import RepriseDemonstration

/// Edits to who sits in a parliament, each saved with the models of the demonstration: questions of the past are
/// answered by attributes, and by whom an object was related to.
///
/// In a few seconds the first 100 transactions are done. `REPRISE_TRANSACTIONS=947` does all.
@MainActor final class PastCongressTests: XCTestCase {
  func testPrintedModelsOfTheDemoChange() async throws { try await PrintedModels.check(Congress.schema, "demo") }

  private let folder = FileManager.default.temporaryDirectory.path + "/reprise-congress-\(UUID().uuidString)"
  /// The position of each transaction.
  private var positions: [Position] = []
  /// The objects that ever had a key, by entity and key.
  private var ids: [[String]: Set<AnyObjectID>] = [:]

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  private struct Question {
    let transaction: Int
    let entity: String
    let key: String
    /// In the canonical text; `nil` if there was no such object.
    let answer: [String: String]?
  }

  private func open() async throws -> Store { try await Store.open(folder, for: Congress.schema) }

  private func replay(in store: Store) async throws {
    let reader = try HistoryReader(DataFile("congress-history/history.jsonl.gz").url.path)
    let loader = HistoryLoader(store)
    let limit = transactionCount(100)
    while positions.count < limit, let transaction = try reader.next() {
      try await loader.apply(transaction)
      positions.append(store.log.head)
      for case .insert(let entity, let key, _) in transaction.operations {
        if let id = loader.loaders[entity]?.id(of: key) { ids[[entity, key], default: []].insert(id) }
      }
    }
  }

  private func questions() throws -> [Question] {
    try DataFile("congress-history/asof.jsonl.gz").lines().compactMap { line in
      let line = try XCTUnwrap(line as? [String: Any])
      let transaction = try XCTUnwrap(line["seq"] as? Int)
      guard transaction <= positions.count else { return nil }
      return Question(
        transaction: transaction, entity: try XCTUnwrap(line["entity"] as? String),
        key: try XCTUnwrap(line["key"] as? String),
        answer: (line["expect"] as? [String: Any])?.mapValues { value in
          switch value {
          case let text as String: text.canonical
          case let texts as [String]: TextList(elements: texts).canonical
          default: "i:\(value)"
          }
        })
    }
  }

  func testEachQuestionIsAnsweredWhateverHasBecomeOfTheStore() async throws {
    var store = try await open()
    try await replay(in: store)
    let questions = try questions()
    XCTAssertFalse(questions.isEmpty)
    try ask(questions, store, "at once")
    try await store.close()

    store = try await open()
    try ask(questions, store, "reopened")
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems, [])
    try ask(questions, store, "verified")
    try await store.close()

    try await StoreMaintenance.compact(folder)
    store = try await open()
    try ask(questions, store, "compacted")
    try await store.close()
  }

  private func ask(_ questions: [Question], _ store: Store, _ message: String) throws {
    for (place, question) in questions.enumerated() {
      let past = try store.context(at: positions[question.transaction - 1])
      let message = "\(message): \(question.entity) \(question.key) after \(question.transaction)"
      switch question.entity {
      case "Legislator": try compare(question, Legislator.self, past, message)
      case "Term":
        let term = try compare(question, Term.self, past, message)
        guard let legislator = term?.legislator else { continue }
        XCTAssertEqual(legislator.key, term?.legislatorKey, message)
        // From the other end, which costs all that changed since.
        if place % 10 == 0 { XCTAssertTrue(legislator.terms.contains { $0 == term }, message) }
      case "SocialAccount": try compare(question, SocialAccount.self, past, message)
      case "Committee":
        let committee = try compare(question, Committee.self, past, message)
        if let parent = committee?.parent { XCTAssertEqual(parent.key, committee?.parentKey, message) }
      default:
        let membership = try compare(question, Membership.self, past, message)
        if let committee = membership?.committee { XCTAssertEqual(committee.key, membership?.committeeKey, message) }
        if let member = membership?.legislator { XCTAssertEqual(member.key, membership?.legislatorKey, message) }
      }
    }
  }

  @discardableResult
  private func compare<Model: HistoryModel>(
    _ question: Question, _ model: Model.Type, _ past: PastContext, _ message: String
  ) throws -> Model? {
    let known = ids[[question.entity, question.key]] ?? []
    let object = known.lazy.compactMap { (try? past.object($0)) as? Model }.first
    let found = object.map { object in
      Dictionary(uniqueKeysWithValues: AttributeTable<Model>().canonical(object).map { ($0.name, $0.value) })
    }
    XCTAssertEqual(found, question.answer, message)
    return object
  }
}
#endif
