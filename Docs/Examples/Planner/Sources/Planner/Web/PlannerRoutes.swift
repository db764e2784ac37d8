import Foundation
import Hummingbird
import Reprise
import ServiceLifecycle

/// The routes of the application.
struct PlannerRoutes {
  let windows: Windows
  let store: Store

  func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.get("health") { _, _ in HTTPResponse.Status.ok }
    router.get("ready") { _, _ in
      await windows.isDraining ? HTTPResponse.Status.serviceUnavailable : HTTPResponse.Status.ok
    }
    router.get("planner.css") { _, _ in Self.file(PackageResources.planner_css, "text/css") }
    router.get("icon.svg") { _, _ in Self.file(PackageResources.icon_svg, "image/svg+xml") }
    for (name, bytes) in Self.scripts { router.get(RouterPath(name)) { _, _ in Self.file(bytes, "text/javascript") } }
    addStart(to: router)
    addWindow(to: router)
    return router
  }

  private static let scripts = [
    ("planner.js", PackageResources.planner_js), ("inputs.js", PackageResources.inputs_js),
    ("morph.js", PackageResources.morph_js), ("rows.js", PackageResources.rows_js),
  ]

  private static func file(_ bytes: [UInt8], _ type: String) -> Response {
    Response(
      status: .ok, headers: Pages.headers(type: "\(type); charset=utf-8"),
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  // MARK: The user

  /// The name in the cookie. An application with secrets would check a password here.
  private static func user(of request: Request) -> String? {
    let cookie = request.cookies["user"]?.value.removingPercentEncoding.map { $0.trimmed } ?? ""
    return cookie.isEmpty || cookie.count > 40 || cookie.contains("/") ? nil : cookie
  }

  private static func redirect(to path: String, headers: HTTPFields = [:]) -> Response {
    var headers = headers
    headers[.location] = path
    return Response(status: .seeOther, headers: headers)
  }

  /// Refuses forms and inputs that another site sends.
  private static func requireOwnPage(_ request: Request) throws {
    guard let origin = request.headers[.origin] else { return }
    let host = origin.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init)
    if host != request.head.authority { throw HTTPError(.forbidden, message: "This request is from another site.") }
  }

  private static func form<Form: Decodable>(_ request: Request) async throws -> Form {
    let body = try await request.body.collect(upTo: 10_000)
    do {
      return try URLEncodedFormDecoder().decode(Form.self, from: String(buffer: body))
    } catch {
      throw HTTPError(.badRequest, message: "This is not a form of the planner.")
    }
  }

  private func addStart(to router: Router<BasicRequestContext>) {
    router.get("/") { request, _ in
      guard let user = Self.user(of: request) else { return await Pages.login() }
      let names = try await windows.names(of: user)
      let drafts = try await windows.closedDrafts(of: user)
      return await Pages.start(user, windows: names, drafts: drafts)
    }
    router.post("login") { request, _ in
      try Self.requireOwnPage(request)
      let form: LoginForm = try await Self.form(request)
      let name = form.name.trimmed
      guard !name.isEmpty, name.count <= 40, !name.contains("/") else {
        throw HTTPError(.badRequest, message: "A name has 1 to 40 characters, and no '/'.")
      }
      let value =
        try await PlannerStore.name(of: name, in: store).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        ?? ""
      return Self.redirect(
        to: "/", headers: [.setCookie: "user=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"])
    }
    router.post("drafts") { request, _ in
      try Self.requireOwnPage(request)
      guard let user = Self.user(of: request) else { return Self.redirect(to: "/") }
      let form: DraftForm = try await Self.form(request)
      guard let draft = try await windows.closedDrafts(of: user).first(where: { $0.id == form.id }) else {
        return Self.redirect(to: "/")
      }
      if form.action == "discard" {
        try store.drafts.discard(draft.id)
        return Self.redirect(to: "/")
      }
      let name = WindowName(user: user, id: "\(UniqueID())")
      try await windows.window(name).resume(draft)
      return Self.redirect(to: "/w/\(name.id)")
    }
  }

  private struct LoginForm: Decodable {
    let name: String
  }

  private struct DraftForm: Decodable {
    let id: String
    let action: String
    enum CodingKeys: String, CodingKey { case id, action = "do" }
  }

  // MARK: A window

  private func addWindow(to router: Router<BasicRequestContext>) {
    router.get("w/:id") { request, context in
      guard let name = try Self.window(request, context) else { return Self.redirect(to: "/") }
      return try await page(of: name)
    }
    router.post("w/:id/inputs") { request, context in
      try Self.requireOwnPage(request)
      guard let name = try Self.window(request, context) else { throw HTTPError(.unauthorized) }
      let batch = try await request.decode(as: InputBatch.self, context: context)
      let answer = try await windows.apply(batch, to: name)
      return try Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONEncoder().encode(answer))))
    }
    router.get("w/:id/events") { request, context in
      guard let name = try Self.window(request, context) else { throw HTTPError(.unauthorized) }
      let page = request.uri.queryParameters["page"].map(String.init) ?? ""
      // Only to answer with an error if the window cannot be restored.
      _ = try await windows.window(name)
      return Response(
        status: .ok, headers: Pages.headers(type: "text/event-stream"),
        body: ResponseBody { writer in
          guard let subscriber = try? await windows.subscribe(page: page, to: name) else { return }
          do {
            try await request.body.consumeWithCancellationOnInboundClose { _ in
              try await withGracefulShutdownHandler {
                while let messages = await subscriber.next() {
                  try await writer.write(ByteBuffer(string: messages.joined()))
                }
              } onGracefulShutdown: {
                Task { await subscriber.end() }
              }
            }
          } catch {
            await subscriber.unsubscribe()
            throw error
          }
          await subscriber.unsubscribe()
          try await writer.finish(nil)
        })
    }
  }

  @MainActor private func page(of name: WindowName) async throws -> Response {
    Pages.window(try await windows.window(name))
  }

  private static func window(_ request: Request, _ context: BasicRequestContext) throws -> WindowName? {
    guard let user = user(of: request) else { return nil }
    let id = try context.parameters.require("id")
    // Names end with a space and an ID.
    guard (1...64).contains(id.count), id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
      throw HTTPError(.notFound)
    }
    return WindowName(user: user, id: id)
  }
}
