import Reprise
import RepriseDirectories
import RepriseRemote

@Model final class Note {
  @Attribute(.unique) var path: String = ""
  var text: String = ""
  var version: String = ""
}

@MainActor final class Notes {
  var observation: ListObservation?
  func show(_ store: Store) throws {
    /*sample Sources/Directories/Documents/DirectoryTransport.swift*/
  }
}

func map() {
  /*sample Sources/Remote/Mapping/RemoteMapping.swift*/
  _ = mapping
}

func openNews() async throws {
  /*sample Sources/Remote/Records/RemoteModels.swift*/
  _ = store
}

@MainActor func registerArticles(
  _ restoration: Restoration, _ transport: some RemoteTransport<ArticleRecord>,
  _ mapping: RemoteMapping<Article, ArticleRecord>
) async throws {
  /*sample Sources/Remote/Source/RemoteSource.swift*/
}

struct SongRecord: Codable, Sendable {
  var id: String
  var title: String
}

func songs(_ query: some FollowedQuery<[String: String]>) {
  /*sample Sources/Remote/Transport/QueryTransport.swift*/
  _ = transport
}
