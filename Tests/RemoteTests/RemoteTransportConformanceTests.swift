import RepriseObjectModel
import RepriseRemote
import RepriseTestSeeds
import RepriseTesting
import Synchronization
import XCTest

/// The suite for transports, held against a server in memory, and against ways to it that break promises.
final class RemoteTransportConformanceTests: XCTestCase {
  private func conformance(
    _ server: ArticleServer, _ fault: FaultyTransport.Fault, _ seed: UInt64
  ) -> RemoteTransportConformance<FaultyTransport> {
    let memory = FaultyTransport.Memory()
    return RemoteTransportConformance(
      makeTransport: { FaultyTransport(server, fault, memory) }, id: { $0.id },
      make: { numbers in
        let number = UInt32.random(in: 0 ... .max, using: &numbers)
        return ArticleRecord(id: fault == .renamesNew ? "own-\(number)" : nil, title: "\(number)")
      },
      change: { record, numbers in
        record.title = "\(UInt32.random(in: 0 ... .max, using: &numbers))"
        return ["title"]
      },
      content: { $0.title }, seed: seed)
  }

  private func run(_ fault: FaultyTransport.Fault, _ configure: (inout ArticleServer.State) -> Void) async throws {
    let server = ArticleServer()
    for title in ["a", "b", "c", "d"] { server.insert(title) }
    server.state.withLock { configure(&$0) }
    let conformance = conformance(server, fault, testSeed())
    try await conformance.run()
    try await conformance.runUnavailable { isFailing in
      let error: any Error = fault == .permanent ? RemoteError.denied(reason: "no") : offline
      let failing: @Sendable (Int) -> (any Error, ArticleServer.Fault)? = { _ in (error, .before) }
      server.configure { $0.fault = isFailing && fault != .deafToFailure ? failing : nil }
    }
  }

  private var offline: RemoteError { .unavailable(reason: "offline", retryAfter: nil) }

  func testAServerConforms() async throws {
    try await run(.none) { _ in }
    try await run(.none) { state in
      state.pageSize = 3
      state.tellsChanges = true
    }
    try await run(.none) { state in
      state.hasValidator = false
      state.checksVersions = false
      state.answersWithRows = false
    }
  }

  func testEveryBrokenPromiseIsFound() async throws {
    for fault in FaultyTransport.Fault.allCases where fault != .none {
      do {
        try await run(fault) { state in
          state.pageSize = 3
          state.tellsChanges = true
        }
        XCTFail("\(fault) was not found")
      } catch let failure as RemoteTransportFailure {
        XCTAssertEqual(failure.check, fault.check, "\(fault): \(failure)")
        XCTAssertTrue(
          FaultyTransport.reasons(of: fault).map(\.masked).contains(failure.reason.masked),
          "\(fault): \(failure.reason)")
        guard fault == .deafToFailure else { continue }
        XCTAssertEqual(
          failure.description,
          """
          The transport breaks the promise 'unavailability': the server answered, although the check had made \
          it unreachable. Use the seed \(failure.seed) to reproduce this.
          """)
      }
    }
    let found = Set(FaultyTransport.Fault.allCases.compactMap(\.check))
    XCTAssertEqual(found, Set(RemoteTransportFailure.Check.allCases), "each check has a transport that fails it")
  }
}

/// A way to a server that does one thing wrong.
private struct FaultyTransport: RemoteTransport {
  enum Fault: CaseIterable {
    case none
    case doublesRows, namelessRows, endlessPages, tagsPages
    case unmodifiedUnasked, forgetsValidator, staleValidator
    case changesWithoutReason, losesChanges, losesDeletions
    case losesWrites, namesNothing, writesElse
    case forgetsKeys, answersOtherwise
    case blind, revives, revivesLater
    case permanent, deafToFailure
    case cancelledAsUnavailable
    case circle, circleOfChanges, namelessChanges, otherRows, refuses, altersNew, altersChanged
    case answersAnother, appliesAnyway, ghostOfFailure, ghostOfCancelling, fickle, renamesNew

    var check: RemoteTransportFailure.Check? {
      switch self {
      case .none: nil
      case .doublesRows, .namelessRows, .endlessPages, .tagsPages, .circle, .fickle: .pages
      case .unmodifiedUnasked, .forgetsValidator, .staleValidator, .otherRows: .unmodified
      case .changesWithoutReason, .losesChanges, .losesDeletions, .circleOfChanges, .namelessChanges: .cursor
      case .losesWrites, .namesNothing, .writesElse, .refuses, .altersNew, .altersChanged, .renamesNew: .sending
      case .forgetsKeys, .answersOtherwise: .repetition
      case .blind, .revives, .revivesLater, .answersAnother, .appliesAnyway: .staleness
      case .permanent, .deafToFailure, .ghostOfFailure: .unavailability
      case .cancelledAsUnavailable, .ghostOfCancelling: .cancellation
      }
    }
  }

  /// The reasons for which it may be found, with N for each number and […] for each list of rows.
  static func reasons(of fault: Fault) -> [String] {
    switch fault {
    case .none: []
    case .doublesRows, .endlessPages: ["the pages of one reading have the row 'N' twice."]
    case .namelessRows: [#"a row has no identifier: ArticleRecord(id: nil, title: "a", body: "", version: N)."#]
    case .tagsPages:
      [
        "the pages of one reading have different validators (such as ETags) or different cursors. The validator and "
          + "the cursor must be the same on all pages."
      ]
    case .unmodifiedUnasked: ["the answer to a request without a validator (such as an ETag) must be a page."]
    case .forgetsValidator:
      [
        "the answer to a request with a validator (such as an ETag) is `expired`. It must be `unmodified` or a page."
      ]
    case .staleValidator:
      [
        "rows were inserted, changed and deleted, but the answer to the earlier validator (such as an ETag) is "
          + "`unmodified`."
      ]
    case .changesWithoutReason:
      [
        "the list is unchanged since the cursor 'N', but the answer to this cursor has changes."
      ]
    case .losesChanges, .losesDeletions:
      [
        "the changes since the cursor 'N' result in the rows […], but the server has […]."
      ]
    case .losesWrites, .writesElse: ["after a change was sent, the server's rows are […] instead of […]."]
    case .namesNothing:
      [
        #"the server accepted a new row, but the row has no identifier: "#
          + #"ArticleRecord(id: nil, title: "N", body: "", version: N)."#
      ]
    case .forgetsKeys:
      [
        "the answer to a repeated create has another row than the first answer.",
        "the server accepted the update, but did not accept the same update again.",
      ]
    case .answersOtherwise: ["the server accepted the update, but did not accept the same update again."]
    case .blind: ["the answer to an outdated change is neither `accepted` nor `changed`."]
    case .revives: ["the answer to a change of a deleted row is not `gone`."]
    case .revivesLater: ["a change of a deleted row inserted the row again."]
    case .fickle: ["two readings of an unchanged list returned different rows."]
    case .renamesNew: ["`make` gave the new row the identifier 'own-N', but the server returned 'other'."]
    case .permanent:
      [
        "while the server was unreachable, the transport threw '\(RemoteError.denied(reason: "no"))' instead of "
          + "`RemoteError.unavailable`."
      ]
    case .circle, .circleOfChanges:
      [
        "a page names 'N' as the next page, which was already read, so the pages never end."
      ]
    case .namelessChanges:
      [#"a changed row has no identifier: ArticleRecord(id: nil, title: "?", body: "", version: N)."#]
    case .otherRows:
      ["the list is unchanged, but a request with its validator (such as an ETag) returned other rows."]
    case .refuses: ["the server did not accept a valid update."]
    case .altersNew: ["`send` sent the new row 'N', but its answer has 'other' as the accepted row."]
    case .altersChanged: ["`send` sent the change to 'N', but its answer has 'other' as the accepted row."]
    case .answersAnother:
      ["the answer to an outdated change has the row 'other' instead of the server's present row 'N'."]
    case .appliesAnyway: ["the server applied a change that it did not accept."]
    case .ghostOfFailure:
      ["after a new row was sent several times with one idempotency key, the list has N rows instead of N."]
    case .ghostOfCancelling: ["after cancelled requests, the list has other rows than before them."]
    case .deafToFailure: ["the server answered, although the check had made it unreachable."]
    case .cancelledAsUnavailable:
      [
        "a cancelled task threw '\(RemoteError.unavailable(reason: "the connection broke", retryAfter: nil))' "
          + "instead of `CancellationError`."
      ]
    }
  }

  /// What goes on between the launches.
  final class Memory: Sendable {
    let validators = Mutex<Set<String>>([])
    /// Rows of which a change was answered by `gone`.
    let gone = Mutex<Set<String>>([])
    /// The readings of the whole list since the last change.
    let readings = Mutex(0)
  }

  private let server: ArticleServer
  private let fault: Fault
  private let memory: Memory
  private let sent = Sent()

  private final class Sent: Sendable {
    let keys = Mutex<Set<UniqueID>>([])
  }

  init(_ server: ArticleServer, _ fault: Fault, _ memory: Memory) {
    (self.server, self.fault, self.memory) = (server, fault, memory)
  }

  func read(_ request: RemoteRequest) async throws -> RemoteReading<ArticleRecord> {
    if fault == .cancelledAsUnavailable, Task.isCancelled {
      throw RemoteError.unavailable(reason: "the connection broke", retryAfter: nil)
    }
    if fault == .staleValidator, let validator = request.validator {
      if memory.validators.withLock({ $0.contains(validator) }) { return .unmodified }
    }
    if fault == .ghostOfCancelling, Task.isCancelled { server.insert("ghost") }
    let reading = try await server.read(request)
    if fault == .otherRows, request.validator != nil {
      return .page(RemotePage(records: [ArticleRecord(id: "x", title: "?")]))
    }
    if fault == .unmodifiedUnasked, request == RemoteRequest() { return .unmodified }
    if fault == .forgetsValidator, request.validator != nil { return .expired }
    guard case .page(var page) = reading else { return reading }
    let isReadAgain = request == RemoteRequest() && memory.readings.withLock { ($0 += 1, $0 > 1).1 }
    switch fault {
    case .fickle where isReadAgain: page.records[0].title = "?"
    case .doublesRows: page.records += page.records.prefix(1)
    case .namelessRows: for index in page.records.indices { page.records[index].id = nil }
    case .endlessPages: page.nextPage = page.nextPage ?? "0"
    case .tagsPages: page.validator? += request.page ?? ""
    case .changesWithoutReason where request.cursor != nil: page.records.append(ArticleRecord(id: "x", title: "?"))
    case .circle: page.nextPage = request.page ?? page.nextPage
    case .circleOfChanges where request.cursor != nil: page.nextPage = "0"
    case .namelessChanges where request.cursor != nil: page.records.append(ArticleRecord(title: "?"))
    case .losesChanges where request.cursor != nil: page.records = []
    case .losesDeletions where request.cursor != nil: page.deletedIDs = []
    default: break
    }
    if let validator = page.validator { _ = memory.validators.withLock { $0.insert(validator) } }
    return .page(page)
  }

  func send(_ change: RemoteChange<ArticleRecord>) async throws -> RemoteAnswer<ArticleRecord> {
    let isFirst = sent.keys.withLock { $0.insert(change.idempotencyKey).inserted }
    memory.readings.withLock { $0 = 0 }
    switch fault {
    case .losesWrites where change.kind == .update: return .accepted(nil)
    case .writesElse: server.insert("extra")
    case .blind where change.kind == .update:
      let answer = try await server.send(change)
      if case .changed = answer { return .gone }
      return answer
    case .revives where change.kind == .update:
      let answer = try await server.send(change)
      guard case .gone = answer, let title = change.record?.title else { return answer }
      server.insert(title)
      return .accepted(nil)
    case .forgetsKeys where !isFirst:
      return try await server.send(
        RemoteChange(
          kind: change.kind, id: change.id, record: change.record, properties: change.properties,
          idempotencyKey: UniqueID()))
    case .refuses where change.kind == .update: return .refused(reason: "it is read only")
    case .ghostOfFailure:
      do { return try await server.send(change) } catch {
        server.insert("ghost")
        throw error
      }
    case .answersOtherwise where !isFirst && change.kind == .update: return .refused(reason: "it was sent already")
    default: break
    }
    let answer = try await server.send(change)
    switch (fault, change.kind, answer) {
    case (.namesNothing, .create, _): return .accepted(nil)
    case (.renamesNew, .create, .accepted(var record?)):
      record.id = "other"
      return .accepted(record)
    case (.revivesLater, .update, .gone):
      _ = memory.gone.withLock { $0.insert(change.id ?? "") }
      return answer
    case (.revivesLater, .delete, .accepted):
      if let id = memory.gone.withLock({ $0.remove(change.id ?? "") }) { server.bringBack(id, "again") }
      return answer
    case (.altersNew, .create, .accepted(var record?)), (.altersChanged, .update, .accepted(var record?)):
      record.title = "other"
      return .accepted(record)
    case (.answersAnother, .update, .changed(var record)):
      record.title = "other"
      return .changed(record)
    case (.appliesAnyway, .update, .changed(let record)):
      server.update(record.id ?? "") { $0.title = change.record?.title ?? "" }
      return .changed(record)
    default: return answer
    }
  }
}
