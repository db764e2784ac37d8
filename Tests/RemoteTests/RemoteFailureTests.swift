import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestModels
import RepriseTesting
import XCTest

final class RemoteFailureTests: RemoteTestCase {
  private var source: ArticleSource { device.source }

  func testObserversAreToldThatTheServerCannotBeReadAndThatItCanAgain() async throws {
    server.insert("a")
    try await source.refresh()
    var failures: [String] = []
    let observation = source.observe { [source] batch in
      XCTAssertEqual(batch.before, batch.after, "no row changed")
      failures.append(source.failure.map { "\($0)" } ?? "none")
    }
    let reasons: [String?] = ["one", "one", "two", nil, nil]
    for reason in reasons {
      server.configure { state in
        state.fault = nil
        if let reason { state.fault = { _ in (RemoteError.denied(reason: reason), .before) } }
      }
      try? await source.refresh()
    }
    XCTAssertEqual(failures.count, 3)
    XCTAssertEqual(failures.prefix(2).map { $0.contains("one") }, [true, false])
    XCTAssertEqual(failures.last, "none")
    observation.cancel()
  }

  func testAKeyThatNeedNotBeUniqueIsRefused() async throws {
    let temporary = try await TemporaryStore(for: Schema([Clipping.self] + RemoteModels.all))
    let mapping = RemoteMapping<Clipping, ArticleRecord>(
      key: { $0.remoteID }, id: { $0.id }, apply: { _, _, _ in }, record: { _ in ArticleRecord(title: "") })
    XCTAssertThrowsError(
      try RemoteSource("clippings", Fetch(), in: RootContext(temporary.store), from: server, mapping: mapping)
    ) { error in
      guard case RemoteError.keyNotUnique(entity: "Clipping", property: "remoteID") = error else {
        return XCTFail("\(error)")
      }
    }
  }
}

/// A model whose key is indexed, and unique only together with another attribute.
final class Clipping: TestModel {
  static let entity = Entity(
    Clipping.self, name: "Clipping",
    properties: [
      .attribute("remoteID", String?.self, indexed: true),
      .attribute("page", Int.self),
      .unique(["remoteID", "page"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  struct Fields: FieldSet {
    typealias Model = Clipping
    let remoteID: Field<Clipping, String>

    init(_ path: FieldPath) { remoteID = Field(path.appending("remoteID")) }
  }
}
