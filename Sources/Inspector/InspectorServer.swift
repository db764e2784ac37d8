#if Inspector
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RepriseCore

/// Serves the page on the loopback address.
struct InspectorServer: Sendable {
  let inspection: Inspection
  let events: StoreEvents
  let token: String

  /// The largest body of a request.
  private static let largestBody = 1 << 20

  /// Runs until the task is cancelled.
  ///
  /// - Parameter whenRunning: Gets the port once connections are accepted.
  func run(port: Int, whenRunning: @escaping @Sendable (Int) -> Void) async throws {
    var logger = Logger(label: "reprise.inspector")
    logger.logLevel = .critical
    let bound = BoundPort()
    let application = Application(
      responder: CallbackResponder { (request: Request, context: ConnectionContext) in
        await respond(to: request, on: context.channel, port: bound.port)
      },
      server: .http1(configuration: .init(additionalChannelHandlers: [ConnectionEnd()])),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
      onServerRunning: { channel in
        guard let port = channel.localAddress?.port else { return }
        bound.set(port)
        whenRunning(port)
      },
      logger: logger)
    try await application.run()
  }

  private func respond(to request: Request, on channel: any Channel, port: Int) async -> Response {
    let rule = AccessRule(token: token, port: port)
    let verdict = rule.verdict(
      on: AccessRule.Request(
        method: request.method.rawValue, path: request.uri.path, host: request.head.authority,
        origin: request.headers[.origin], site: request.headers[.site], contentType: request.headers[.contentType]))
    switch verdict {
    case .refused(let status, let message):
      // The page of an earlier inspector then names the reason.
      let answer: JSON = .object(["message": .text(message), "isRefused": .bool(true)])
      return response(PageAnswer(answer, status: status))
    case .redirected: return Response(status: .temporaryRedirect, headers: [.location: "/\(token)/"])
    case .allowed("api/events"): return eventStream()
    case .allowed(let path):
      guard let method = PageRequest.Method(rawValue: request.method.rawValue) else {
        return response(PageAnswer(PageFailure.noPath(path)))
      }
      if method == .get, let file = PageFiles.answer(path) { return response(file) }
      var asked = PageRequest(method, path)
      for (name, value) in request.uri.queryParameters { asked.query[String(name)] = String(value) }
      do {
        let body = try await request.body.collect(upTo: Self.largestBody)
        asked.body = Array(body.readableBytesView)
      } catch {
        return response(PageAnswer(PageFailure.body("it is too long, or it broke off.")))
      }
      return response(await answer(asked, on: channel))
    }
  }

  /// The answer of the inspection. A client that leaves cancels its reads, but no change.
  private func answer(_ request: PageRequest, on channel: any Channel) async -> PageAnswer {
    guard request.method == .get,
      let end = try? await channel.pipeline.handler(type: ConnectionEnd.self).get()
    else { return await inspection.answer(request) }
    return await end.result(of: Task { await inspection.answer(request) })
  }

  private func response(_ answer: PageAnswer) -> Response {
    var headers = Self.headers
    headers[.contentType] = answer.type
    if answer.isConstant {
      headers[.cacheControl] = ["private", "max-age=604800", "immutable"].joined(separator: ", ")
    }
    if let name = answer.fileName {
      // Every other character could end the text of the header.
      let safe = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_" })
      headers[.contentDisposition] = ["attachment", "filename=\"\(safe)\""].joined(separator: "; ")
    }
    let status = HTTPResponse.Status(code: answer.status)
    switch answer.body {
    case .bytes(let bytes):
      return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .stream(let body):
      return Response(
        status: status, headers: headers,
        body: ResponseBody { writer in
          try await body { try await writer.write(ByteBuffer(bytes: $0)) }
          try await writer.finish(nil)
        })
    case .blob(let blob):
      let store = inspection.store
      return Response(
        status: status, headers: headers,
        body: ResponseBody(contentLength: blob.byteCount) { writer in
          for try await chunk in blob.chunks(in: store) { try await writer.write(ByteBuffer(bytes: chunk)) }
          try await writer.finish(nil)
        })
    }
  }

  /// The events of the store, until the page closes the connection.
  private func eventStream() -> Response {
    var headers = Self.headers
    headers[.contentType] = "text/event-stream"
    return Response(
      status: .ok, headers: headers, body: ResponseBody(asyncSequence: events.stream().map { ByteBuffer(string: $0) }))
  }

  /// The page runs only the scripts of the inspector, and no other page can show it in a frame.
  private static let headers: HTTPFields = {
    var headers = HTTPFields()
    let policy = [
      "default-src 'self'", "img-src 'self' data:", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'",
    ]
    let fields = [
      ("Content-Security-Policy", policy.joined(separator: "; ")), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
    for (name, value) in fields { if let name = HTTPField.Name(name) { headers[name] = value } }
    return headers
  }()
}

extension HTTPField.Name {
  fileprivate static let site = HTTPField.Name("Sec-Fetch-Site")!
}
#endif
