import Foundation
import Reprise
import RepriseRemote
import RepriseTesting

@MainActor func relaunch(_ item: Item) async throws {
  /*sample Sources/Testing/TemporaryStore.swift*/
  _ = again
}

final class NameSource: DataSource {
  typealias Element = String
  var names: [String]
  init(_ names: [String]) { self.names = names }
}

struct Server: Sendable { var url: String }
let server = Server(url: "")

@MainActor final class MyTests {
  /*sample Sources/Testing/DataSourceConformance.swift*/
}

enum Transports {
  struct Note: Codable, Sendable {
    var id: String? = nil
    var text: String
  }

  struct NoteTransport: RemoteTransport {
    init(_ url: String) {}
    func read(_ request: RemoteRequest) async throws -> RemoteReading<Note> { .unmodified }
    func send(_ change: RemoteChange<Note>) async throws -> RemoteAnswer<Note> { .gone }
  }

  final class Tests {
    /*sample Sources/Testing/RemoteTransportConformance.swift*/
  }
}
