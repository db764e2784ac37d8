/// Speaks with a server for a `RemoteSource`: reads its rows, and sends it changes. Over HTTP with JSON there is
/// `JSONTransport`, in the product `RepriseHTTP`.
///
/// It is called from any task, for one request at a time, and holds no state of the source's: what must outlive the
/// process, such as cursors and changes that are not sent yet, is kept in the store. It throws a `RemoteError`;
/// `RemoteError/unavailable(reason:retryAfter:)` is tried again, everything else is told to the program.
public protocol RemoteTransport<Record>: Sendable {
  /// A row as the server has it. Kept in the store while a change waits for the server's answer, so the names of its
  /// coding keys must not change.
  associatedtype Record: Codable & Sendable

  /// Reads rows.
  ///
  /// - Throws: `RemoteError`; `CancellationError` if the task is cancelled.
  func read(_ request: RemoteRequest) async throws -> RemoteReading<Record>

  /// Asks the server to make a change.
  ///
  /// It may be called again with the same change, in a later run of the program as well, if the answer was lost: the
  /// server tells by ``RemoteChange/idempotencyKey`` that it has made it already, and answers as it did then.
  ///
  /// - Throws: `RemoteError`; `CancellationError` if the task is cancelled. `RemoteError.unsendable`, or an
  ///   `EncodingError`, says that this change was not sent; `RemoteError.malformed`, or a `DecodingError`, that its
  ///   answer cannot be understood, so that the server may have made it. In both cases the change is refused, and the
  ///   next one is sent. If the answer to a new object could not be understood, the source sends it again under the
  ///   same key only.
  func send(_ change: RemoteChange<Record>) async throws -> RemoteAnswer<Record>
}

/// What a `RemoteSource` wants to read.
public struct RemoteRequest: Hashable, Sendable {
  /// The page, as an earlier one named it (``RemotePage/nextPage``); `nil` for the first.
  public var page: String?
  /// What the server called the list when it was last read whole (``RemotePage/validator``): it need not send it if
  /// nothing changed since. HTTP's `If-None-Match`.
  public var validator: String?
  /// Asks only for what changed since this cursor (``RemotePage/cursor``).
  public var cursor: String?

  /// A request for a page.
  public init(page: String? = nil, validator: String? = nil, cursor: String? = nil) {
    self.page = page
    self.validator = validator
    self.cursor = cursor
  }
}

/// What a server answered to a ``RemoteRequest``.
@nonexhaustive
public enum RemoteReading<Record: Sendable>: Sendable {
  /// Nothing changed since the validator. HTTP's 304.
  case unmodified
  /// Rows.
  case page(RemotePage<Record>)
  /// The server no longer knows the page or the cursor: everything must be read anew. HTTP's 410.
  case expired
}

/// A page of rows.
public struct RemotePage<Record: Sendable>: Sendable {
  /// The rows; of a request with a cursor, those that changed.
  public var records: [Record]
  /// The rows that the page has besides, and whose records cannot be read. They are refused: those that have an
  /// identifier alone; where one has none, it may be any row, and none is taken for deleted until all can be read.
  public var unreadable: [RefusedRow] = []
  /// The identifiers of rows that are gone, if the server says so. Otherwise a row is gone that is on no page when all
  /// are read.
  public var deletedIDs: [String]
  /// What to ask for to read on; `nil` if this is the last page.
  public var nextPage: String?
  /// What the server calls the state of the whole list, of which this page is part: `nil` if it has no such name, or
  /// only for this page. HTTP's `ETag`.
  ///
  /// Of several pages, the first name counts. If a later one differs, the list changed while it was read, and rows may
  /// have moved from page to page: then none is deleted, and all pages are read again next time. If not all pages have
  /// this, nor all a ``cursor``, and rows are on none of them, a refresh reads all pages a second time. It deletes
  /// these rows if all others are in the same places.
  public var validator: String?
  /// Where to go on from when only changes are wanted later; `nil` if the server does not tell changes, or not on this
  /// page. Of several pages, the first cursor counts. If a later one differs, the list changed while it was read, as
  /// for ``validator``.
  public var cursor: String?

  /// A page.
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
