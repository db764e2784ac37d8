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
      make: { numbers in ArticleRecord(title: "\(UInt32.random(in: 0 ... .max, using: &numbers))") },
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
        guard fault == .deafToFailure else { continue }
        XCTAssertEqual(
          failure.description,
          """
          The transport breaks the promise 'unavailability': an unreachable server answered. Use the seed \
          \(failure.seed) to reproduce this.
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
    case blind, revives
    case permanent, deafToFailure
    case cancelledAsUnavailable

    var check: RemoteTransportFailure.Check? {
      switch self {
      case .none: nil
      case .doublesRows, .namelessRows, .endlessPages, .tagsPages: .pages
      case .unmodifiedUnasked, .forgetsValidator, .staleValidator: .unmodified
      case .changesWithoutReason, .losesChanges, .losesDeletions: .cursor
      case .losesWrites, .namesNothing, .writesElse: .sending
      case .forgetsKeys, .answersOtherwise: .repetition
      case .blind, .revives: .staleness
      case .permanent, .deafToFailure: .unavailability
      case .cancelledAsUnavailable: .cancellation
      }
    }
  }

  /// What goes on between the launches.
  final class Memory: Sendable {
    let validators = Mutex<Set<String>>([])
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
    let reading = try await server.read(request)
    if fault == .unmodifiedUnasked, request == RemoteRequest() { return .unmodified }
    if fault == .forgetsValidator, request.validator != nil { return .expired }
    guard case .page(var page) = reading else { return reading }
    switch fault {
    case .doublesRows: page.records += page.records.prefix(1)
    case .namelessRows: for index in page.records.indices { page.records[index].id = nil }
    case .endlessPages: page.nextPage = page.nextPage ?? "0"
    case .tagsPages: page.validator? += request.page ?? ""
    case .changesWithoutReason where request.cursor != nil: page.records.append(ArticleRecord(id: "x", title: "?"))
    case .losesChanges where request.cursor != nil: page.records = []
    case .losesDeletions where request.cursor != nil: page.deletedIDs = []
    default: break
    }
    if let validator = page.validator { _ = memory.validators.withLock { $0.insert(validator) } }
    return .page(page)
  }

  func send(_ change: RemoteChange<ArticleRecord>) async throws -> RemoteAnswer<ArticleRecord> {
    let isFirst = sent.keys.withLock { $0.insert(change.idempotencyKey).inserted }
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
    case .answersOtherwise where !isFirst && change.kind == .update: return .refused(reason: "it was sent already")
    default: break
    }
    let answer = try await server.send(change)
    if fault == .namesNothing, change.kind == .create { return .accepted(nil) }
    return answer
  }
}
