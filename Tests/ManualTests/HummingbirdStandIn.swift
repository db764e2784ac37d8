#if Macros
import Foundation

// Hummingbird 2 as far as the manual's server needs it, with Hummingbird's signatures. Its router is called by tests
// instead of by a network.

struct HTTPResponse {
  struct Status: Sendable, Equatable, ResponseGenerator {
    enum Kind { case successful, clientError, serverError }
    let code: Int

    var kind: Kind { code < 400 ? .successful : code < 500 ? .clientError : .serverError }

    static let ok = Status(code: 200)
    static let created = Status(code: 201)
    static let noContent = Status(code: 204)
    static let badRequest = Status(code: 400)
    static let notFound = Status(code: 404)
    static let conflict = Status(code: 409)
    static let preconditionFailed = Status(code: 412)
    static let contentTooLarge = Status(code: 413)
    static let unprocessableContent = Status(code: 422)
    static let internalServerError = Status(code: 500)
    static let serviceUnavailable = Status(code: 503)

    func response(from request: Request, context: some RequestContext) throws -> Response { Response(status: self) }
  }
}

struct HTTPField {
  struct Name: Hashable, Sendable {
    let text: String
    init?(_ text: String) { self.text = text }
    static let contentType = Name("Content-Type")!
    static let cacheControl = Name("Cache-Control")!
  }
}

struct HTTPFields: ExpressibleByDictionaryLiteral, Sendable {
  private var values: [HTTPField.Name: String] = [:]
  init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
    for (name, value) in elements { values[name] = value }
  }
  subscript(name: HTTPField.Name) -> String? {
    get { values[name] }
    set { values[name] = newValue }
  }
}

struct ByteBuffer: Sendable, Equatable {
  let string: String
}

protocol ResponseBodyWriter {
  mutating func write(_ buffer: ByteBuffer) async throws
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws
}

struct ResponseBody: Sendable {
  let write: @Sendable (inout any ResponseBodyWriter) async throws -> Void

  init(contentLength: Int? = nil, _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void) {
    self.write = write
  }

  init(byteBuffer: ByteBuffer) {
    self.init { writer in
      try await writer.write(byteBuffer)
      try await writer.finish(nil)
    }
  }

  init() { self.init { try await $0.finish(nil) } }
}

struct Response: Sendable, ResponseGenerator {
  var status: HTTPResponse.Status
  var headers: HTTPFields = [:]
  var body = ResponseBody()
  func response(from request: Request, context: some RequestContext) -> Response { self }
}

struct RequestBody: Sendable {
  let bytes: Data

  func consumeWithCancellationOnInboundClose<Value: Sendable>(
    _ operation: (RequestBody) async throws -> Value
  ) async throws -> Value { try await operation(self) }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  func cancelOnGracefulShutdown() -> Self { self }
}

struct Request: Sendable {
  struct URI: Sendable {
    var path: String
    var queryParameters = Parameters()
  }

  let uri: URI
  let headers: HTTPFields
  let body: RequestBody

  func decode<Type: Decodable>(as type: Type.Type, context: some RequestContext) async throws -> Type {
    do { return try JSONDecoder().decode(type, from: body.bytes) } catch let error as DecodingError {
      throw HTTPError(.badRequest, message: "\(error)")
    }
  }
}

struct Parameters: Sendable {
  var values: [String: String] = [:]
  func get<T: LosslessStringConvertible>(_ name: String, as: T.Type) -> T? { values[name].flatMap { T($0) } }
  func require<T: LosslessStringConvertible>(_ name: String, as: T.Type) throws -> T {
    guard let value = get(name, as: T.self) else { throw HTTPError(.badRequest, message: "no \(T.self)") }
    return value
  }
}

protocol RequestContext: Sendable {
  var parameters: Parameters { get }
  var logger: Logger { get }
}

struct BasicRequestContext: RequestContext {
  var parameters = Parameters()
  var logger = Logger(label: "Hummingbird")
}

protocol ResponseGenerator {
  func response(from request: Request, context: some RequestContext) throws -> Response
}

protocol ResponseEncodable: Encodable, ResponseGenerator {}

extension ResponseEncodable {
  func response(from request: Request, context: some RequestContext) throws -> Response {
    let json = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    return Response(
      status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
  }
}

extension Array: ResponseGenerator where Element: Encodable {}
extension Array: ResponseEncodable where Element: Encodable {}

struct EditedResponse<Generator: ResponseGenerator>: ResponseGenerator {
  let status: HTTPResponse.Status?
  let response: Generator

  init(status: HTTPResponse.Status? = nil, headers: HTTPFields = [:], response: Generator) {
    self.status = status
    self.response = response
  }

  func response(from request: Request, context: some RequestContext) throws -> Response {
    var edited = try response.response(from: request, context: context)
    edited.status = status ?? edited.status
    return edited
  }
}

struct HTTPError: Error {
  let status: HTTPResponse.Status
  let body: String?

  init(_ status: HTTPResponse.Status) { (self.status, body) = (status, nil) }
  init(_ status: HTTPResponse.Status, message: String) { (self.status, body) = (status, message) }
}

protocol MiddlewareProtocol<Input, Output, Context>: Sendable {
  associatedtype Input
  associatedtype Output
  associatedtype Context
  func handle(_ input: Input, context: Context, next: (Input, Context) async throws -> Output) async throws -> Output
}

protocol RouterMiddleware<Context>: MiddlewareProtocol where Input == Request, Output == Response {}

final class Router<Context: RequestContext> {
  typealias Handler = @Sendable (Request, Context) async throws -> Response
  private var routes: [RouterResponder<Context>.Route] = []
  private var middlewares: [any MiddlewareProtocol<Request, Response, Context>] = []

  init(context: Context.Type = BasicRequestContext.self) {}

  @discardableResult func add(middleware: any MiddlewareProtocol<Request, Response, Context>) -> Self {
    middlewares.append(middleware)
    return self
  }

  private func on(
    _ method: String, _ path: String,
    _ handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) -> Self {
    routes.append((method, path, { try await handler($0, $1).response(from: $0, context: $1) }))
    return self
  }

  @discardableResult func get(
    _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) -> Self { on("GET", path, handler) }

  @discardableResult func post(
    _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) -> Self { on("POST", path, handler) }

  @discardableResult func put(
    _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) -> Self { on("PUT", path, handler) }

  @discardableResult func delete(
    _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) -> Self { on("DELETE", path, handler) }

  func buildResponder() -> RouterResponder<Context> { RouterResponder(routes: routes, middlewares: middlewares) }
}

struct RouterResponder<Context: RequestContext>: Sendable {
  typealias Route = (method: String, path: String, handler: Router<Context>.Handler)
  let routes: [Route]
  let middlewares: [any MiddlewareProtocol<Request, Response, Context>]
}

extension RouterResponder where Context == BasicRequestContext {
  /// Answers a request as the server of an application would.
  func respond(
    _ method: String, _ path: String, query: [String: String] = [:], headers: HTTPFields = [:], body: String = ""
  ) async throws -> Response {
    let uri = Request.URI(path: path, queryParameters: Parameters(values: query))
    let request = Request(uri: uri, headers: headers, body: RequestBody(bytes: Data(body.utf8)))
    for route in routes where route.method == method {
      guard let values = Self.match(route.path, path) else { continue }
      let context = BasicRequestContext(parameters: Parameters(values: values))
      do {
        guard let middleware = middlewares.first else { return try await route.handler(request, context) }
        return try await middleware.handle(request, context: context, next: route.handler)
      } catch let error as HTTPError {
        return Response(status: error.status, body: ResponseBody(byteBuffer: ByteBuffer(string: error.body ?? "")))
      }
    }
    return Response(status: .notFound)
  }

  private static func match(_ pattern: String, _ path: String) -> [String: String]? {
    let (pattern, parts) = (pattern.split(separator: "/"), path.split(separator: "/"))
    guard pattern.count == parts.count else { return nil }
    var values: [String: String] = [:]
    for (name, part) in zip(pattern, parts) {
      if name.hasPrefix(":") { values[String(name.dropFirst())] = String(part) } else if name != part { return nil }
    }
    return values
  }
}

struct BindAddress: Sendable {
  static func hostname(_ host: String = "127.0.0.1", port: Int = 8080) -> BindAddress { BindAddress() }
}

struct ApplicationConfiguration: Sendable {
  init(address: BindAddress = .hostname(), serverName: String? = nil) {}
}

struct Application {
  init(router: Router<BasicRequestContext>, configuration: ApplicationConfiguration = ApplicationConfiguration()) {}

  /// Returns when a signal has ended the application.
  func runService() async throws {}
}
#endif
