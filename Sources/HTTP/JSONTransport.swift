#if HTTP
public import AsyncHTTPClient
import Foundation
public import RepriseRemote

/// Reads and changes the rows of a `RemoteSource` over HTTP, as JSON.
///
/// ```swift
/// var transport = JSONTransport<ArticleRecord>("https://news.example/articles")
/// transport.headers = { [("Authorization", "Bearer \(await session.token)")] }
/// ```
///
/// **Reading.** `GET` of the list gives an array of records, or an object with these keys, of which only the first must
/// be there:
///
///     {"records": […], "deleted": ["17"], "next": "page-2", "cursor": "c9"}
///
/// `next` is a page for ``pageParameter``, or a URL of the same origin; a header `Link: <…>; rel="next"` (RFC 8288)
/// does as well. `cursor` is what ``cursorParameter`` takes: then the server tells what changed since. Where the keys
/// are others, there is ``keys``. A record that cannot be decoded is refused alone, and is among
/// `RemoteSource.refusedRows()`. An `ETag` is sent back as `If-None-Match`: that of a list of one page also by later
/// runs of the program, that of one page of several by this run (``pageCacheLimit``). It may be that of the body alone:
/// the links of a 304 count (RFC 9111).
///
/// **Writing.** A new row is a `POST` to the list, or a `PUT` to its own URL where the program named it; a changed one
/// a `PUT` or `PATCH` (``updates``), a deleted one a `DELETE` of its own URL, which is that of the list with the
/// identifier behind it. Each has an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), and an `If-Match`
/// if there is a ``version``. The answer may have the row; that to a `POST` must, or a `Location` from which the row is
/// read. Anything else that a 2xx has for a body, such as `{"status": "ok"}`, says no more than that it is done.
///
/// **Answers.** 304 says that nothing changed; 410 to a page or cursor, that it is no longer known. 409 and 412 say
/// that the row has changed, and have it, or it is read; 404 and 410 that it is gone; any other 4xx that the change is
/// refused, for the reason in the body (`detail` or `title` of RFC 9457, `message`, `error`, or the text itself). 401
/// and 403 deny access; 408, 425, 429, 5xx, and a server that cannot be reached, are tried again, after `Retry-After`.
public struct JSONTransport<Record: Codable & Sendable>: RemoteTransport {
  /// How a changed row is sent.
  public enum Updates: Sendable {
    /// `PUT`, with the whole record.
    case put
    /// `PATCH`, with those of the record's keys that changed (RFC 7396). The closure gives the key of a property of the
    /// model: often the same.
    case patch(keyOf: @Sendable (String) -> String)
  }

  /// The URL of the list.
  public let url: String
  /// Headers of every request, asked for each time, for tokens that expire. Where it throws that something cannot be
  /// coded, or `RemoteError.malformed`, access is denied.
  public var headers: @Sendable () async throws -> [(name: String, value: String)] = { [] }
  /// How a changed row is sent; as a whole by default.
  public var updates = Updates.put
  /// The version of a row, which the server gives and compares (`If-Match`); none by default, and then the last change
  /// wins.
  public var version: @Sendable (Record) -> String? = { _ in nil }
  /// Where a page has its records, and what else there is to say.
  public var keys = JSONPageKeys()
  /// The name of the query's parameter for a page.
  public var pageParameter = "page"
  /// The name of the query's parameter for a cursor.
  public var cursorParameter = "since"
  /// Makes the decoder of records.
  public var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }
  /// Makes the encoder of records. Keys are sorted in any case (`sortedKeys`). A source encodes a change once and keeps
  /// the bytes, as the `Idempotency-Key` may be bound to them.
  public var encoder: @Sendable () -> JSONEncoder = { JSONEncoder() }
  /// How long a request may take.
  public var timeout: Duration = .seconds(30)
  /// The longest answer that is read, in bytes.
  public var answerLimit = 64 << 20
  /// How many bytes of pages are kept in memory, so that the server need not send those again that have not changed:
  /// of a list of several pages that have an `ETag` each, the first ones. 0 keeps none.
  public var pageCacheLimit = 8 << 20
  private let client: HTTPClient
  private let pages = PageCache()

  /// A transport for the list at a URL.
  public init(_ url: String, client: HTTPClient = .shared) {
    self.url = url
    self.client = client
  }

  /// Reads a page.
  ///
  /// - Throws: `RemoteError`; what ``headers`` throws; `CancellationError`.
  public func read(_ request: RemoteRequest) async throws -> RemoteReading<Record> {
    let address = try ListAddress(url)
    let place = try address.page(request, pageParameter, cursorParameter)
    let common = try await commonHeaders()
    // Whoever logs in as somebody else may be shown other rows.
    let key = common.reduce(place) { "\($0)\n\($1.name): \($1.value)" }
    let known = request.cursor == nil ? pages.answer(key, isFirst: request.page == nil) : nil
    let answer = try await exchange(
      "GET", place, common, headers: (request.validator ?? known?.tag).map { [("If-None-Match", $0)] } ?? [])
    switch answer.status {
    case 200:
      var page = try page(in: answer, address)
      if request.cursor == nil {
        if page.nextPage == nil, request.page == nil {
          page.validator = answer.header("ETag")
        } else {
          // Of several pages, the tag is that of one.
          pages.keep(answer, key, limit: pageCacheLimit)
        }
      }
      return .page(page)
    case 304:
      if request.validator == nil, let known {
        let kept = known.answer.updated(by: answer)
        pages.keep(kept, key, limit: pageCacheLimit)
        return .page(try page(in: kept, address))
      }
      // Where the tag is that of a body, a list of one page has got others behind it.
      guard request.validator != nil, answer.link(to: "next") != nil else { return .unmodified }
      var anew = request
      anew.validator = nil
      return try await read(anew)
    case 410: return .expired
    default: throw answer.failure
    }
  }

  private func page(in answer: HTTPAnswer, _ address: ListAddress) throws -> RemotePage<Record> {
    var page = try JSONPage<Record>(answer.body, keys, decoder()).page
    page.nextPage = try page.nextPage.map(address.token) ?? answer.link(to: "next").map(address.sameOrigin)
    return page
  }

  /// Sends a change.
  ///
  /// - Throws: `RemoteError`; what ``headers`` throws; `CancellationError`.
  public func send(_ change: RemoteChange<Record>) async throws -> RemoteAnswer<Record> {
    // An error that is not the change's: it is sent once there is another URL.
    guard let address = try? ListAddress(url) else {
      throw RemoteError.unavailable(reason: "'\(url)' is no URL of a list", retryAfter: nil)
    }
    let row = try change.id.map { try address.row($0) }
    var headers = [("Idempotency-Key", "\"\(change.idempotencyKey)\"")]
    if change.kind == .update, let version = change.record.flatMap({ self.version($0) }) {
      headers.append(("If-Match", version.hasSuffix("\"") ? version : "\"\(version)\""))
    }
    let answer = try await exchange(
      method(of: change), row ?? address.url, headers: headers, body: try change.body ?? body(of: change))
    switch answer.status {
    case 200..<300:
      if change.kind == .delete { return .accepted(nil) }
      let body = Result { try record(in: answer) }
      if case .success(let record?) = body { return .accepted(record) }
      // It is done, whatever else the body says.
      if change.id != nil { return .accepted(nil) }
      // It may say where the new row is instead of what it is.
      if let place = answer.header("Location") { return .accepted(try await record(at: address.sameOrigin(place))) }
      return .accepted(try body.get())
    case 404 where change.kind != .create, 410 where change.kind != .create:
      return change.kind == .delete ? .accepted(nil) : .gone
    case 409 where answer.header("Retry-After") != nil: throw answer.unavailable
    case 409, 412: return try await changed(answer, row)
    case 401, 403, 408, 425, 429, 500...: throw answer.failure
    default: return .refused(reason: answer.reason)
    }
  }

  // MARK: Changes as JSON

  private func method(of change: RemoteChange<Record>) -> String {
    switch (change.kind, updates) {
    case (.create, _): change.id == nil ? "POST" : "PUT"
    // An earlier version of the program sent it as a patch: the server would take a part for the whole.
    case (.update, .put): isPatch(change) ? "PATCH" : "PUT"
    case (.update, .patch): "PATCH"
    case (.delete, _): "DELETE"
    }
  }

  /// Whether the stored bytes of a change lack keys that its record has.
  private func isPatch(_ change: RemoteChange<Record>) -> Bool {
    func keys(_ bytes: [UInt8]) -> Set<String>? {
      ((try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]).map { Set($0.keys) }
    }
    guard let body = change.body, let sent = keys(body), let whole = (try? self.body(of: change)).flatMap({ $0 }),
      let all = keys(whole)
    else { return false }
    return !sent.isSuperset(of: all)
  }

  /// Encodes the record of a change, or those of its keys that a `PATCH` has; `nil` for a deletion.
  ///
  /// - Throws: `RemoteError.unsendable`.
  public func body(of change: RemoteChange<Record>) throws -> [UInt8]? {
    guard let record = change.record else { return nil }
    let encoder = encoder()
    encoder.outputFormatting.insert(.sortedKeys)
    let whole: Data
    do {
      whole = try encoder.encode(record)
    } catch {
      throw RemoteError.unsendable(reason: "a record cannot be encoded: \(error)")
    }
    guard change.kind == .update, case .patch(let keyOf) = updates else { return Array(whole) }
    guard let object = (try? JSONSerialization.jsonObject(with: whole)) as? [String: Any] else {
      throw RemoteError.unsendable(reason: "a record is no JSON object, so that there are no keys to be patched")
    }
    var patch: [String: Any] = [:]
    // A key that is left out of a record is null in a patch.
    for key in change.properties.map(keyOf) { patch[key] = object[key] ?? NSNull() }
    return Array(try JSONSerialization.data(withJSONObject: patch, options: [.sortedKeys]))
  }

  private func record(in answer: HTTPAnswer) throws -> Record? {
    if answer.body.isEmpty { return nil }
    do {
      return try decoder().decode(Record.self, from: Data(answer.body))
    } catch {
      throw RemoteError.malformed(reason: "a row: \(error)")
    }
  }

  private func record(at url: String) async throws -> Record? {
    let answer = try await exchange("GET", url)
    switch answer.status {
    case 200: return try record(in: answer)
    case 404, 410: return nil
    default: throw answer.failure
    }
  }

  private func changed(_ answer: HTTPAnswer, _ row: String?) async throws -> RemoteAnswer<Record> {
    if let record = try? record(in: answer) { return .changed(record) }
    guard let row else { return .refused(reason: answer.reason) }
    return try await record(at: row).map { .changed($0) } ?? .gone
  }

  // MARK: Exchanging

  /// A token whose own answer cannot be read says nothing of the page or the change that it is for, as such an error
  /// would.
  private func commonHeaders() async throws -> [(name: String, value: String)] {
    do {
      return try await headers()
    } catch RemoteError.malformed(let reason) {
      throw RemoteError.denied(reason: "the headers cannot be had: \(reason)")
    } catch let error where error is DecodingError || error is EncodingError {
      throw RemoteError.denied(reason: "the headers cannot be had: \(error)")
    }
  }

  private func exchange(
    _ method: String, _ url: String, _ common: [(name: String, value: String)]? = nil,
    headers own: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws -> HTTPAnswer {
    var request = HTTPClientRequest(url: url)
    request.method = .init(rawValue: method)
    request.headers.add(name: "Accept", value: "application/json")
    let common = if let common { common } else { try await commonHeaders() }
    for (name, value) in common { request.headers.replaceOrAdd(name: name, value: value) }
    for (name, value) in own { request.headers.replaceOrAdd(name: name, value: value) }
    if let body {
      request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
      request.body = .bytes(body)
    }
    do {
      let (seconds, attoseconds) = max(.zero, min(timeout, .seconds(1 << 30))).components
      let response = try await client.execute(
        request, timeout: .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
      let content = try await response.body.collect(upTo: answerLimit)
      return HTTPAnswer(
        status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
        body: Array(content.readableBytesView))
    } catch {
      try Task.checkCancellation()
      if let error = error as? RemoteError { throw error }
      throw RemoteError.unavailable(reason: "\(error)", retryAfter: nil)
    }
  }
}
#endif
