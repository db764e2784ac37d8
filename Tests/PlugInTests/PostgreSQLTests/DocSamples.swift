import RepriseCore
import ReprisePostgreSQL
import RepriseRemote

// The samples of doc comments, word for word, so that they compile: `.ci/doc-samples` compares them.

@MainActor private func songs() {
  let query = PostgreSQLQuery(
    "host=localhost dbname=music", sql: "SELECT id, title FROM songs WHERE year = $1 ORDER BY title, id",
    parameters: ["1999"], named: "songs of a year", key: ["id"], channel: "songs_changed")
  let songs = QuerySource(query, pageSize: 500)
  _ = songs
}

private func log() {
  let log = PostgreSQLLog("host=db1,db2 dbname=music user=program sslmode=verify-full")
  _ = log
}
