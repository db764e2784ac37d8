import RepriseHTTP

// The samples of doc comments, word for word, so that they compile: `.ci/doc-samples` compares them.

private struct ArticleRecord: Codable, Sendable {
  var id: String
  var title: String
}

private actor Session {
  var token = ""
}

private func news(_ session: Session) {
  var transport = JSONTransport<ArticleRecord>("https://news.example/articles")
  transport.headers = { [("Authorization", "Bearer \(await session.token)")] }
  _ = transport
}
