import RepriseCore
import RepriseRemote
import RepriseSQLite

// The samples of doc comments, word for word, so that they compile: `.ci/doc-samples` compares them.

@MainActor private func songs() async throws {
  let songs = QuerySource(SQLiteQuery("music.db", table: "songs", sortedBy: [.ascending("title")]), pageSize: 500)
  try await songs.ready()
  print(songs.rows.map { $0["title"] })
}
