/// The connection of a `RemoteSource` to its server, which reads rows and sends changes.
///
/// For HTTP with JSON, use `JSONTransport` in the product `RepriseHTTP`.
///
/// A source calls its transport from any task, with one request at a time. A transport keeps no state for the source.
/// State that must outlive the process, such as cursors and unsent changes, is in the store.
///
/// A transport throws a `RemoteError`. After `RemoteError/unavailable(reason:retryAfter:source:)`, the source retries.
/// Other errors reach the program, unless ``send(_:)`` documents otherwise.
public protocol RemoteTransport<Record>: Sendable {
  /// A row in the server's form.
  ///
  /// The store keeps records while a change waits for the server's answer. The names of the coding keys must therefore
  /// not change.
  ///
  /// If a new row may have been sent, and a later version of the program cannot decode its record, the source keeps its
  /// idempotency key. It sends the row again with the bytes of ``body(of:)``. Without such bytes, the row becomes a
  /// conflict, until a version of the program can decode the record.
  associatedtype Record: Codable & Sendable

  /// Reads one page of the server's rows, as the request asks: the whole list, or only the changes since a cursor.
  ///
  /// - Throws: `RemoteError`. `CancellationError` if the task is cancelled.
  func read(_ request: RemoteRequest) async throws -> RemoteReading<Record>

  /// Makes the bytes to send for a change.
  ///
  /// The source calls it before it sends the change for the first time, and stores the bytes. Each call of ``send(_:)``
  /// for the change gets them as ``RemoteChange/body``, also in later runs of the program. A server that compares the
  /// bytes under an idempotency key therefore sees the same bytes. An encoder alone does not ensure that: the order of
  /// a `Set` differs between two runs, and so does the order of a dictionary whose keys are not texts.
  ///
  /// By default, it returns `nil`. The change then has no stored bytes, and ``send(_:)`` must encode its record in the
  /// same way each time.
  ///
  /// - Throws: `RemoteError.unsendable` or an `EncodingError` if the change cannot be sent. The source then lists the
  ///   change as refused.
  func body(of change: RemoteChange<Record>) throws -> [UInt8]?

  /// Asks the server to make a change.
  ///
  /// If the answer was lost, the source calls it again with the same change, possibly in a later run of the program.
  /// The server recognizes the change by its ``RemoteChange/idempotencyKey``, makes it once, and answers as before.
  ///
  /// After `RemoteError.unsendable` or an `EncodingError`, the source knows that the change was not sent. After
  /// `RemoteError.malformed` or a `DecodingError`, the server may have made it. In both cases, the source lists the
  /// change as refused, and sends the next one. If `malformed` concerns a new object, the source may send this object
  /// again later, but only with the same idempotency key.
  ///
  /// - Throws: `RemoteError`. `CancellationError` if the task is cancelled.
  func send(_ change: RemoteChange<Record>) async throws -> RemoteAnswer<Record>
}

extension RemoteTransport {
  /// The default: `nil`.
  public func body(of change: RemoteChange<Record>) throws -> [UInt8]? { nil }
}

/// A request of a `RemoteSource` for rows.
public struct RemoteRequest: Hashable, Sendable {
  /// The page to read, as named by ``RemotePage/nextPage`` of an earlier page, or `nil` for the first one.
  public var page: String?
  /// The ``RemotePage/validator`` of the last complete reading: HTTP's `If-None-Match`.
  ///
  /// If nothing has changed since then, the server need not send the list.
  public var validator: String?
  /// Asks only for the changes since this ``RemotePage/cursor``.
  public var cursor: String?

  /// Makes a request for a page.
  public init(page: String? = nil, validator: String? = nil, cursor: String? = nil) {
    self.page = page
    self.validator = validator
    self.cursor = cursor
  }
}

/// A server's answer to a ``RemoteRequest``.
@nonexhaustive
public enum RemoteReading<Record: Sendable>: Sendable {
  /// Nothing has changed since the validator or the cursor: HTTP's 304.
  case unmodified
  /// A page of rows.
  case page(RemotePage<Record>)
  /// The server no longer knows the page or the cursor, so everything must be read again: HTTP's 410.
  case expired
}

/// A page of rows.
public struct RemotePage<Record: Sendable>: Sendable {
  /// The rows.
  ///
  /// For a request with a cursor, the changed rows.
  public var records: [Record]
  /// Further rows of the page, whose records cannot be read.
  ///
  /// They become refused rows.
  ///
  /// If one of them has no identifier, it may be any of the rows that seem to be missing. The source then deletes no
  /// missing rows.
  public var unreadable: [RefusedRow] = []
  /// The identifiers of deleted rows, if the server reports them.
  ///
  /// Otherwise, a row counts as deleted if no page has it when all pages are read.
  public var deletedIDs: [String]
  /// The name of the next page, or `nil` if this is the last one.
  public var nextPage: String?
  /// The server's name for the state of the whole list: HTTP's `ETag`.
  ///
  /// It is `nil` if the server has no such name, or has only a name for this page. The first validator of the pages
  /// counts. If a later page has a different validator, the list changed while it was read, and rows may have moved
  /// between pages. Then the source deletes no row, and reads all pages again at the next refresh.
  ///
  /// If all pages have a validator, or all have a ``cursor``, the source detects that rows have moved. Otherwise, if
  /// rows are missing from a list of several pages, a refresh reads all pages a second time. It deletes the missing
  /// rows only if both readings have the same rows in the same order.
  public var validator: String?
  /// The starting point for a later request of changes, or `nil`.
  ///
  /// It is `nil` if the server does not report changes, or reports the cursor on another page.
  ///
  /// The first cursor of the pages counts. If a later page has a different cursor, the list changed while it was read.
  /// The consequences are the same as for a different ``validator``.
  public var cursor: String?

  /// Makes a page.
  public init(
    records: [Record], deletedIDs: [String] = [], nextPage: String? = nil, validator: String? = nil,
    cursor: String? = nil
  ) {
    self.records = records
    self.deletedIDs = deletedIDs
    self.nextPage = nextPage
    self.validator = validator
    self.cursor = cursor
  }
}
