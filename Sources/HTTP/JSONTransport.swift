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
/// **Reading.** `GET` of the list returns an array of records, or an object. Only the first of these keys is required:
///
///     {"records": […], "deleted": ["17"], "next": "page-2", "cursor": "c9"}
///
/// - `next` is a value for ``pageParameter``, or a URL of the same origin. A header `Link: <…>; rel="next"` (RFC 8288)
///   does the same.
/// - `cursor` is a value for ``cursorParameter``. If a request has it, the server returns only the changes since then.
/// - If the server uses other keys, set ``keys``.
/// - If a record cannot be decoded, only this row is left out, and `RemoteSource.refusedRows()` lists it.
/// - The transport sends an `ETag` back as `If-None-Match`. If the list has one page, later runs of the program send
///   the tag, too. If it has several, this run keeps the pages and their tags (``pageCacheLimit``). The tag need not
///   cover the header `Link`, because the transport also reads the links of a 304 answer (RFC 9111).
///
/// **Writing.** A new row is a `POST` to the list, or a `PUT` to its URL if the program chose the identifier. A changed
/// row is a `PUT` or `PATCH` (``updates``), and a deleted row a `DELETE`, of its URL. The URL of a row is the URL of
/// the list and the identifier. Each request has an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), and
/// a change has an `If-Match` if there is a ``version``. The answer may have the row. The answer to a `POST` must have
/// the row, or a `Location` with the URL of the row. Any other body of a 2xx, such as `{"status": "ok"}`, only means
/// that the change is done.
///
/// **Answers.**
///
/// | status | meaning |
/// |---|---|
/// | 304 | Nothing changed. |
/// | 410 for a page or cursor | The server no longer knows the page or the cursor. |
/// | 404, 410 for a row | The row is gone. |
/// | 409, 412 | The row has changed. If the answer lacks it, it is read. A 409 with `Retry-After` is retried. |
/// | 401, 403 | Access is denied. |
/// | 408, 425, 429, 5xx, no answer | The request is retried, after `Retry-After` if there is one. |
/// | other 4xx for a change | The change is refused, with the reason in the body. |
///
/// The reason is the body's `detail` or `title` (RFC 9457), `message` or `error`, or the text itself.
public struct JSONTransport<Record: Codable & Sendable>: RemoteTransport {
  /// The form of a changed row in a request.
  public enum Updates: Sendable {
    /// `PUT` with the whole record.
    case put
    /// `PATCH` with the changed keys of the record (RFC 7396). The closure returns the record's key for a property of
    /// the model, which is often the same text.
    case patch(keyOf: @Sendable (String) -> String)
  }

  /// The URL of the list, with the scheme `http` or `https`.
  public let url: String
  /// Returns the headers of a request. It is called for every request, so it can renew tokens that expire. If it throws
  /// a `DecodingError`, an `EncodingError` or `RemoteError.malformed`, the request throws `RemoteError.denied`.
  public var headers: @Sendable () async throws -> [(name: String, value: String)] = { [] }
  /// The form of a changed row in a request; the whole record by default.
  public var updates = Updates.put
  /// Returns the version of a row. The server makes the versions, and compares them with `If-Match`. By default, the
  /// closure returns `nil`, so the last change wins.
  public var version: @Sendable (Record) -> String? = { _ in nil }
  /// The keys of a page.
  public var keys = JSONPageKeys()
  /// The name of the query parameter for a page.
  public var pageParameter = "page"
  /// The name of the query parameter for a cursor.
  public var cursorParameter = "since"
  /// Makes the decoder of records and pages.
  public var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }
  /// Makes the encoder of records. The transport adds `sortedKeys`. A source encodes a change once and keeps the bytes,
  /// because a server may compare the bytes under one `Idempotency-Key`.
  public var encoder: @Sendable () -> JSONEncoder = { JSONEncoder() }
  /// The longest time that a request may take; 30 seconds by default.
  public var timeout: Duration = .seconds(30)
  /// The longest answer that is read, in bytes; 64 MiB by default. A longer answer throws `RemoteError.unavailable`.
  public var answerLimit = 64 << 20
  /// The number of bytes of pages kept in memory, 8 MiB by default; 0 keeps none. For a list of several pages with an
  /// `ETag` each, the server then need not send unchanged pages again. If the pages do not fit, the transport keeps the
  /// first ones.
  public var pageCacheLimit = 8 << 20
  private let client: HTTPClient
  private let pages = PageCache()

  /// Makes a transport for the list at a URL. Sends no request.
  public init(_ url: String, client: HTTPClient = .shared) {
    self.url = url
    self.client = client
  }

  /// Reads a page of the list. The call costs one request, or two if the server answers 304 although the list now has a
  /// second page.
  ///
  /// - Throws: `RemoteError`; the errors of ``headers``; `CancellationError`.
  public func read(_ request: RemoteRequest) async throws -> RemoteReading<Record> {
    let address = try ListAddress(url)
    let place = try address.page(request, pageParameter, cursorParameter)
    let common = try await commonHeaders()
    // Another user may see other rows, so the headers are a part of the key.
    let key = common.reduce(place) { "\($0)\n\($1.name): \($1.value)" }
    let known = request.cursor == nil ? pages.response(key, isFirst: request.page == nil) : nil
    let response = try await exchange(
      "GET", place, common, headers: (request.validator ?? known?.tag).map { [("If-None-Match", $0)] } ?? [])
    switch response.status {
    case 200:
      var page = try page(in: response, address)
      if request.cursor == nil {
        if page.nextPage == nil, request.page == nil {
          page.validator = response.header("ETag")
        } else {
          // The tag is the tag of one page of several.
          pages.keep(response, key, limit: pageCacheLimit)
        }
      }
      return .page(page)
    case 304:
      if request.validator == nil, let known {
        let kept = known.response.updated(by: response)
        pages.keep(kept, key, limit: pageCacheLimit)
        return .page(try page(in: kept, address))
      }
      // If the tag covers only the body, an unchanged first page does not exclude a new second page.
      guard request.validator != nil, response.link(to: "next") != nil else { return .unmodified }
      var anew = request
      anew.validator = nil
      return try await read(anew)
    case 410: return .expired
    default: throw response.failure
    }
  }

  private func page(in response: HTTPResponse, _ address: ListAddress) throws -> RemotePage<Record> {
    var page = try JSONPage<Record>(response.body, keys, decoder()).page
    page.nextPage = try page.nextPage.map(address.token) ?? response.link(to: "next").map(address.sameOrigin)
    return page
  }

  /// Sends a change. The call costs one request, or two if the transport needs the row and the answer lacks it.
  ///
  /// - Throws: `RemoteError`; the errors of ``headers``; `CancellationError`.
  public func send(_ change: RemoteChange<Record>) async throws -> RemoteAnswer<Record> {
    // This error does not concern the change, which is sent when the transport has a correct URL.
    guard let address = try? ListAddress(url) else {
      throw RemoteError.unavailable(reason: ListAddress.flaw(of: url), retryAfter: nil)
    }
    let row = try change.id.map { try address.row($0) }
    var headers = [("Idempotency-Key", "\"\(change.idempotencyKey)\"")]
    if change.kind == .update, let version = change.record.flatMap({ self.version($0) }) {
      headers.append(("If-Match", version.hasSuffix("\"") ? version : "\"\(version)\""))
    }
    let response = try await exchange(
      method(of: change), row ?? address.url, headers: headers, body: try change.body ?? body(of: change))
    switch response.status {
    case 200..<300:
      if change.kind == .delete { return .accepted(nil) }
      let body = Result { try record(in: response) }
      if case .success(let record?) = body { return .accepted(record) }
      // The change is done, even if the body cannot be read.
      if change.id != nil { return .accepted(nil) }
      // The response may contain the URL of the new row instead of the row.
      if let place = response.header("Location") { return .accepted(try await record(at: address.sameOrigin(place))) }
      return .accepted(try body.get())
    case 404 where change.kind != .create, 410 where change.kind != .create:
      return change.kind == .delete ? .accepted(nil) : .gone
    case 409 where response.header("Retry-After") != nil: throw response.unavailable
    case 409, 412: return try await changed(response, row)
    case 401, 403, 408, 425, 429, 500...: throw response.failure
    default: return .refused(reason: response.reason)
    }
  }

  // MARK: Changes as JSON

  private func method(of change: RemoteChange<Record>) -> String {
    switch (change.kind, updates) {
    case (.create, _): change.id == nil ? "POST" : "PUT"
    // An earlier version of the program sent the change as a patch. With `PUT`, the server would take the part for the
    // whole.
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

  /// Encodes the record of a change, or only the keys that a `PATCH` has; `nil` for a deletion.
  ///
  /// - Throws: `RemoteError.unsendable` if the record cannot be encoded, or is not a JSON object and must be patched.
  public func body(of change: RemoteChange<Record>) throws -> [UInt8]? {
    guard let record = change.record else { return nil }
    let encoder = encoder()
    encoder.outputFormatting.insert(.sortedKeys)
    let whole: Data
    do {
      whole = try encoder.encode(record)
    } catch {
      throw RemoteError.unsendable(reason: "the row cannot be encoded as JSON: \(error)")
    }
    guard change.kind == .update, case .patch(let keyOf) = updates else { return Array(whole) }
    guard let object = (try? JSONSerialization.jsonObject(with: whole)) as? [String: Any] else {
      throw RemoteError.unsendable(reason: "the row is not encoded as a JSON object, so it has no keys for a PATCH")
    }
    var patch: [String: Any] = [:]
    // A key that a record leaves out is null in a patch.
    for key in change.properties.map(keyOf) { patch[key] = object[key] ?? NSNull() }
    return Array(try JSONSerialization.data(withJSONObject: patch, options: [.sortedKeys]))
  }

  private func record(in response: HTTPResponse) throws -> Record? {
    if response.body.isEmpty { return nil }
    do {
      return try decoder().decode(Record.self, from: Data(response.body))
    } catch {
      throw RemoteError.malformed(reason: "the row in the answer cannot be decoded: \(error)")
    }
  }

  private func record(at url: String) async throws -> Record? {
    let response = try await exchange("GET", url)
    switch response.status {
    case 200: return try record(in: response)
    case 404, 410: return nil
    default: throw response.failure
    }
  }

  private func changed(_ response: HTTPResponse, _ row: String?) async throws -> RemoteAnswer<Record> {
    if let record = try? record(in: response) { return .changed(record) }
    guard let row else { return .refused(reason: response.reason) }
    return try await record(at: row).map { .changed($0) } ?? .gone
  }

  // MARK: Exchanging

  /// Converts the errors of ``headers``: an unreadable token is not an error of the page or the change.
  private func commonHeaders() async throws -> [(name: String, value: String)] {
    do {
      return try await headers()
    } catch RemoteError.malformed(let reason) {
      throw RemoteError.denied(reason: "the closure `headers` of the JSONTransport threw an error: \(reason)")
    } catch let error where error is DecodingError || error is EncodingError {
      throw RemoteError.denied(reason: "the closure `headers` of the JSONTransport threw an error: \(error)")
    }
  }

  private func exchange(
    _ method: String, _ url: String, _ common: [(name: String, value: String)]? = nil,
    headers own: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws -> HTTPResponse {
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
      return HTTPResponse(
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
