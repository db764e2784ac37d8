import RepriseCore
import RepriseRemote

/// Checks that your own transport keeps the promises of `RemoteTransport`, together with its server.
///
/// It creates, changes and deletes rows at random, and reads all rows after each change. It sends each valid change
/// three times, like a source that has lost an answer.
///
/// ```swift
/// func testMyServersNotes() async throws {
///   try await RemoteTransportConformance(
///     makeTransport: { NoteTransport(server.url) }, id: { $0.id },
///     make: { numbers in Note(text: "\(numbers.next())") },
///     change: { note, numbers in
///       note.text = "\(numbers.next())"
///       return ["text"]
///     },
///     content: { $0.text }
///   ).run()
/// }
/// ```
///
/// It needs no test framework: ``run(isolation:)`` throws a ``RemoteTransportFailure``. During the check, nothing else
/// may change the server's rows.
public struct RemoteTransportConformance<Transport: RemoteTransport> {
  /// A row in the server's form.
  public typealias Record = Transport.Record

  let makeTransport: () async throws -> Transport
  let id: (Record) -> String?
  let make: (inout SeededGenerator) -> Record
  let change: (inout Record, inout SeededGenerator) -> [String]
  let content: (Record) -> String
  let seed: UInt64
  let rounds: Int

  /// Makes a check of a transport.
  ///
  /// - Parameters:
  ///   - makeTransport: Makes a new transport to the same server, as a launch of the program does.
  ///   - id: Returns the identifier of a row, as in `RemoteMapping`.
  ///   - make: Makes a new row that the server accepts. It has a new identifier, or none if the server names new rows.
  ///   - change: Changes the content of a row, and returns the names of the model's properties that differ.
  ///   - content: Returns the visible content of a row, without parts that only the server decides, such as a version.
  ///   - seed: The seed of the random numbers. By default, each run has a different seed.
  ///   - rounds: The number of changes.
  public init(
    makeTransport: @escaping () async throws -> Transport, id: @escaping (Record) -> String?,
    make: @escaping (inout SeededGenerator) -> Record,
    change: @escaping (inout Record, inout SeededGenerator) -> [String], content: @escaping (Record) -> String,
    seed: UInt64 = UInt64(UInt32.random(in: 1 ... .max)), rounds: Int = 20
  ) {
    self.makeTransport = makeTransport
    self.id = id
    self.make = make
    self.change = change
    self.content = content
    self.seed = seed
    self.rounds = rounds
  }

  /// Runs all checks, except ``runUnavailable(isolation:_:)``.
  ///
  /// Each round reads all rows.
  ///
  /// - Throws: ``RemoteTransportFailure``, and the errors of the transport and of the initializer's closures.
  public func run(isolation: isolated (any Actor)? = #isolation) async throws {
    var numbers = SeededGenerator(seed: seed)
    try await checkChanges(&numbers, isolation)
    try await checkReading(&numbers, isolation)
    try await checkStaleness(&numbers, isolation)
    try await checkCancellation(&numbers, isolation)
  }

  // MARK: Reading

  private func checkReading(_ numbers: inout SeededGenerator, _ isolation: isolated (any Actor)?) async throws {
    let (reader, writer) = (try await makeTransport(), try await makeTransport())
    for _ in 0..<5 { _ = try await create(writer, &numbers, isolation) }
    let before = try await readAll(reader, isolation)
    let again = try await readAll(reader, isolation)
    guard before.contents == again.contents else {
      throw failure(.pages, "two readings of an unchanged list returned different rows.")
    }
    // The next launch uses the validator and the cursor of the first one.
    for transport in [reader, try await makeTransport()] {
      try await requireUnmodified(transport, before, isolation)
    }
    var made = try await create(writer, &numbers, isolation)
    try await update(writer, &made, &numbers, isolation)
    guard let other = before.rows.values.first(where: { id($0) != id(made) }) else { return }
    try await delete(writer, other, isolation)
    try await requireModified(reader, before, isolation)
  }

  /// A server may also send an unchanged list.
  private func requireUnmodified(
    _ transport: Transport, _ known: Rows, _ isolation: isolated (any Actor)?
  ) async throws {
    if let validator = known.validator {
      switch try await transport.read(RemoteRequest(validator: validator)) {
      case .unmodified: break
      case .page(let page):
        guard page.records.allSatisfy({ id($0).flatMap { known.contents[$0] } == content($0) }) else {
          throw failure(
            .unmodified,
            "the list is unchanged, but a request with its validator (such as an ETag) returned other rows.")
        }
      case .expired:
        throw failure(
          .unmodified,
          "the answer to a request with a validator (such as an ETag) is `expired`. It must be `unmodified` or a page.")
      }
    }
    guard let cursor = known.cursor, let changed = try await readChanges(transport, since: cursor, isolation) else {
      return
    }
    guard changed.applied(to: known.contents, content) == known.contents else {
      throw failure(
        .cursor,
        "the list is unchanged since the cursor '\(cursor)', but the answer to this cursor has changes.")
    }
  }

  private func requireModified(
    _ transport: Transport, _ known: Rows, _ isolation: isolated (any Actor)?
  ) async throws {
    if let validator = known.validator {
      if case .unmodified = try await transport.read(RemoteRequest(validator: validator)) {
        throw failure(
          .unmodified,
          "rows were inserted, changed and deleted, but the answer to the earlier validator (such as an ETag) is "
            + "`unmodified`.")
      }
    }
    let now = try await readAll(try await makeTransport(), isolation)
    guard let cursor = known.cursor, let changed = try await readChanges(transport, since: cursor, isolation) else {
      return
    }
    guard changed.applied(to: known.contents, content) == now.contents else {
      throw failure(
        .cursor,
        "the changes since the cursor '\(cursor)' result in the rows \(changed.applied(to: known.contents, content)), "
          + "but the server has \(now.contents).")
    }
  }

  /// All rows, from the first page to the last.
  func readAll(_ transport: Transport, _ isolation: isolated (any Actor)?) async throws -> Rows {
    var rows = Rows()
    var pages: Set<String> = []
    var request = RemoteRequest()
    while true {
      guard case .page(let page) = try await transport.read(request) else {
        throw failure(
          request.page == nil ? .unmodified : .pages,
          "the answer to a request without a validator (such as an ETag) must be a page.")
      }
      for record in page.records {
        guard let id = id(record) else { throw failure(.pages, "a row has no identifier: \(record).") }
        guard rows.rows.updateValue(record, forKey: id) == nil else {
          throw failure(.pages, "the pages of one reading have the row '\(id)' twice.")
        }
        rows.contents[id] = content(record)
      }
      rows.validator = rows.validator ?? page.validator
      rows.cursor = rows.cursor ?? page.cursor
      guard page.validator == nil || page.validator == rows.validator, page.cursor == nil || page.cursor == rows.cursor
      else {
        throw failure(
          .pages,
          "the pages of one reading have different validators (such as ETags) or different cursors. The validator and "
            + "the cursor must be the same on all pages.")
      }
      guard let next = page.nextPage else { return rows }
      guard pages.insert(next).inserted else {
        throw failure(
          .pages, "a page names '\(next)' as the next page, which was already read, so the pages never end.")
      }
      request = RemoteRequest(page: next)
    }
  }

  /// `nil` if the server no longer knows the cursor.
  private func readChanges(
    _ transport: Transport, since cursor: String, _ isolation: isolated (any Actor)?
  ) async throws -> Changes? {
    var changes = Changes()
    var pages: Set<String> = []
    var request = RemoteRequest(cursor: cursor)
    while true {
      switch try await transport.read(request) {
      case .unmodified: return changes
      case .expired: return nil
      case .page(let page):
        for record in page.records {
          guard let id = id(record) else { throw failure(.cursor, "a changed row has no identifier: \(record).") }
          changes.records[id] = record
        }
        changes.deleted.formUnion(page.deletedIDs)
        guard let next = page.nextPage else { return changes }
        guard pages.insert(next).inserted else {
          throw failure(
            .cursor,
            "a page names '\(next)' as the next page, which was already read, so the pages never end.")
        }
        request = RemoteRequest(page: next, cursor: cursor)
      }
    }
  }

  struct Rows {
    var rows: [String: Record] = [:]
    var contents: [String: String] = [:]
    var validator: String?
    var cursor: String?
  }

  private struct Changes {
    var records: [String: Record] = [:]
    var deleted: Set<String> = []

    func applied(to contents: [String: String], _ content: (Record) -> String) -> [String: String] {
      var contents = contents
      for id in deleted { contents[id] = nil }
      for (id, record) in records { contents[id] = content(record) }
      return contents
    }
  }

  func failure(_ check: RemoteTransportFailure.Check, _ reason: String) -> RemoteTransportFailure {
    RemoteTransportFailure(check: check, reason: reason, seed: seed)
  }
}
