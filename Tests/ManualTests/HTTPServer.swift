#if Macros
import Foundation
import Reprise

struct BookReply: ResponseEncodable {
  let id: UniqueID
  let title: String
  let year: Int
  let version: Position?

  init(_ book: Book, in context: RootContext) throws {
    id = book.id.uuid
    title = book.title
    year = book.year
    version = try context.history(of: book, limit: 1).first?.position
  }
}

struct BookInput: Decodable {
  let title: String
  let year: Int
  let version: Position?
}

func addBookRoutes(to router: Router<BasicRequestContext>, _ store: Store) {
  router.get("books") { request, _ in
    let year = request.uri.queryParameters.get("year", as: Int.self)
    let fetch = Fetch<Book> { book in if let year { book.year == year } }.sorted { $0.title }.limit(100)
    return try await store.read { context in try context.fetch(fetch).map { try BookReply($0, in: context) } }
  }

  router.get("books/:id") { _, http in
    let id = try http.parameters.require("id", as: Book.ID.self)
    return try await store.read { context in try BookReply(context.object(id), in: context) }
  }

  router.post("books") { request, http in
    let input = try await request.decode(as: BookInput.self, context: http)
    let added = try await store.write("Add a book") { context in
      context.insert(Book(input.title, year: input.year)).id
    }
    let reply = try await store.read { context in try BookReply(context.object(added.result), in: context) }
    return EditedResponse(status: .created, response: reply)
  }

  router.delete("books/:id") { _, http in
    let id = try http.parameters.require("id", as: Book.ID.self)
    try await store.write("Delete a book") { context in context.delete(try context.object(id)) }
    return HTTPResponse.Status.noContent
  }
}

func addEditRoutes(to router: Router<BasicRequestContext>, _ store: Store) {
  router.put("books/:id") { request, http in
    let id = try http.parameters.require("id", as: Book.ID.self)
    let input = try await request.decode(as: BookInput.self, context: http)
    try await store.write("Edit a book") { context in
      let book = try context.object(id)
      guard try context.history(of: book, limit: 1).first?.position == input.version else {
        throw HTTPError(.preconditionFailed, message: "Somebody else has edited the book. Read it again.")
      }
      book.title = input.title
      book.year = input.year
    }
    return HTTPResponse.Status.noContent
  }

  router.post("books/:id/loans") { _, http in
    let id = try http.parameters.require("id", as: Book.ID.self)
    try await store.write("Lend a book") { context in
      let book = try context.object(id)
      guard book.status == .available else { throw HTTPError(.conflict, message: "The book is lent.") }
      book.status = .lent
      _ = context.insert(Loan(of: book, dueAt: Date.now + 14 * 86_400))
    }
    return HTTPResponse.Status.created
  }
}

struct StoreErrors: RouterMiddleware {
  func handle(
    _ request: Request, context: BasicRequestContext, next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any RepriseError {
      let status = status(of: error)
      if status.kind == .clientError { throw HTTPError(status, message: "\(error)") }
      context.logger.error("\(request.uri.path): \(error)")
      throw HTTPError(status)
    }
  }

  func status(of error: any RepriseError) -> HTTPResponse.Status {
    switch error {
    case LookupError.notFound, LookupError.deleted: .notFound
    case SaveError.refused(let refusal) where refusal.conflicts.isEmpty: .unprocessableContent
    case SaveError.refused, SaveError.overtaken: .conflict
    case SaveError.tooLarge, SaveError.tooLong: .contentTooLarge
    case SaveError.store(.writerBusy), SaveError.store(.diskFull): .serviceUnavailable
    default: .internalServerError
    }
  }
}

func addEventRoute(to router: Router<BasicRequestContext>, _ store: Store) {
  router.get("events") { request, _ in
    let last = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }.flatMap { LogToken($0) }
    let token = try last ?? store.log.headToken()
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          do {
            let feed = store.log.feed(after: token, matching: TransactionFilter(entities: ["Book"]))
            for try await transaction in feed.cancelOnGracefulShutdown() {
              let lines = transaction.changes.map { "data: \($0.kind.rawValue) \($0.object.uuid)\n" }.joined()
              try await writer.write(ByteBuffer(string: "id: \(transaction.token)\n\(lines)\n"))
            }
          } catch StoreError.otherLog, StoreError.truncated {
            try await writer.write(ByteBuffer(string: "id: \(store.log.headToken())\ndata: reload\n\n"))
          }
        }
        try await writer.finish(nil)
      })
  }
}

func serve(_ path: String) async throws {
  let store = try await Store.open(
    path, for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self)
  let router = Router()
  router.add(middleware: StoreErrors())
  addBookRoutes(to: router, store)
  addEditRoutes(to: router, store)
  addEventRoute(to: router, store)
  let app = Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("0.0.0.0", port: 8080)))
  try await app.runService()
  try await store.close()
}
#endif
