import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import XCTest

final class OutboxTests: RemoteTestCase {
  private var source: ArticleSource { device.source }

  private func sentTitles() -> [String?] { server.sent.map { $0.record?.title } }

  func testSavesAreSentInTheirOrder() async throws {
    try await device.insert("b")
    try await device.insert("a")
    XCTAssertEqual(server.sent.count, 0, "nothing is sent unasked")
    try await source.send()
    XCTAssertEqual(sentTitles(), ["b", "a"])
    XCTAssertEqual(titles(), ["a", "b"])
    XCTAssertEqual(source.rows.map(\.remoteID), ["2", "1"], "the server named them")
    XCTAssertEqual(try source.pendingCount, 0)
    try await source.send()
    XCTAssertEqual(server.sent.count, 2)
  }

  func testWhatCameFromTheServerIsNotSentBack() async throws {
    server.insert("a")
    try await source.refresh()
    try await source.synchronize()
    XCTAssertEqual(server.sent.count, 0)
  }

  func testSavesByOthersAndBeforeTheSourceAreSent() async throws {
    let other = RootContext(device.store)
    other.insert(Article("from elsewhere"))
    try await other.save()
    try await device.relaunch()
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["from elsewhere"])
    XCTAssertEqual(titles(), ["from elsewhere"], "and is there once")
  }

  func testSavesOfOneObjectThatWaitAreSentAsOne() async throws {
    let id = server.insert("a")
    try await source.refresh()
    for number in 0..<5 { try await edit { $0.title = "a\(number)" } }
    try await edit { $0.body = "text" }
    try await source.send()
    XCTAssertEqual(server.sent.map(\.kind), [.update])
    XCTAssertEqual(server.sent.first?.properties, ["body", "title"])
    XCTAssertEqual(server.sent.first?.id, id)
    XCTAssertEqual(server.rows, [ArticleRecord(id: id, title: "a4", body: "text", version: 2)])
    XCTAssertEqual(try article.version, 2)
  }

  func testErasingReachesWhatWasSent() async throws {
    let id = try await device.insert("the secret title").id.any
    try await source.send()
    try await edit { $0.title = "public" }
    try await source.send()
    let path = device.store.path
    try await device.store.close()
    try await StoreMaintenance.erase([Erasure(of: id)], in: path)
    let holders = try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      FileManager.default.contents(atPath: path + "/" + name)?.range(of: Data("secret".utf8)) != nil
    }
    XCTAssertEqual(holders, [])
    try await device.relaunch()
    XCTAssertEqual(titles(), ["public"])
    XCTAssertEqual(try source.pendingCount, 0)
    let report = try await StoreMaintenance.verify(device.store)
    XCTAssertEqual(report.problems, [])
  }

  func testWhatCameAndWentBeforeItWasSentIsNotSent() async throws {
    let article = try await device.insert("brief")
    try await source.refresh()
    device.context.delete(article)
    try await device.context.save()
    try await source.send()
    XCTAssertEqual(server.sent.count, 0)
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testADeletionIsSentAndARefreshBeforeDoesNotBringTheRowBack() async throws {
    let id = server.insert("a")
    try await source.refresh()
    device.context.delete(try article)
    try await device.context.save()
    server.configure { $0.hasValidator = false }
    try await source.refresh()
    XCTAssertEqual(titles(), [])
    try await source.send()
    XCTAssertEqual(server.sent.map(\.id), [id])
    XCTAssertEqual(server.rows, [])
    try await source.refresh()
    XCTAssertEqual(titles(), [])
  }

  func testARefreshDoesNotOverwriteWhatWaits() async throws {
    let id = server.insert("a")
    try await source.refresh()
    try await edit { $0.title = "mine" }
    server.update(id) { $0.body = "theirs" }
    try await source.refresh()
    XCTAssertEqual(try article.title, "mine")
    XCTAssertEqual(try article.body, "theirs", "other properties are merged")
    XCTAssertEqual(try source.conflicts(), [])
    try await source.send()
    XCTAssertEqual(server.rows, [ArticleRecord(id: id, title: "mine", body: "theirs", version: 3)])
  }

  func testWhatTheServerMergesIsSentAgainOnTopOfIt() async throws {
    let id = server.insert("a")
    try await source.refresh()
    try await edit { $0.title = "mine" }
    server.update(id) { $0.body = "theirs" }
    try await source.send()
    XCTAssertEqual(server.sent.count, 2, "the first was about another version")
    XCTAssertEqual(Set(server.sent.map(\.idempotencyKey)).count, 2, "another change has another key")
    XCTAssertEqual(server.rows, [ArticleRecord(id: id, title: "mine", body: "theirs", version: 3)])
    XCTAssertEqual(try article.record, server.rows[0])
  }

  private func conflicted() async throws -> RemoteConflict<Article> {
    let id = server.insert("a")
    try await source.refresh()
    try await edit { $0.title = "mine" }
    server.update(id) { $0.title = "theirs" }
    try await source.synchronize()
    XCTAssertEqual(try article.title, "mine")
    XCTAssertEqual(server.rows.map(\.title), ["theirs"])
    let conflicts = try source.conflicts()
    XCTAssertEqual(conflicts.count, 1)
    let conflict = try XCTUnwrap(conflicts.first)
    guard case .properties(let properties) = conflict.kind else {
      XCTFail("\(conflict)")
      return conflict
    }
    XCTAssertEqual(properties.map(\.name), ["title"])
    XCTAssertEqual(properties.map(\.base), [.string("a")])
    XCTAssertEqual(properties.map(\.mine), [.string("mine")])
    XCTAssertEqual(properties.map(\.theirs), [.string("theirs")])
    return conflict
  }

  func testAConflictWaitsForTheProgramAndOutlivesAKill() async throws {
    let conflict = try await conflicted()
    let sent = server.sent.count
    try await device.relaunch()
    try await source.synchronize()
    XCTAssertEqual(try source.conflicts(), [conflict])
    XCTAssertEqual(server.sent.count, sent, "it is not sent again and again")
    try await device.insert("b")
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["theirs", "b"], "others are not held up")
  }

  func testKeepingMineSendsItOnTopOfTheirs() async throws {
    let conflict = try await conflicted()
    try await source.resolve(conflict, .mine)
    XCTAssertEqual(try source.conflicts(), [])
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["mine"])
    XCTAssertEqual(try article.record, server.rows[0])
    try await source.resolve(conflict, .theirs)
    XCTAssertEqual(try article.title, "mine", "it was resolved already")
  }

  func testTakingTheirsGivesMineUp() async throws {
    let conflict = try await conflicted()
    try await edit { $0.body = "too" }
    try await source.refresh()
    try await source.resolve(conflict, .theirs)
    XCTAssertEqual(try article.title, "theirs")
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["theirs"])
    XCTAssertEqual(try article.record, server.rows[0])
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testAPolicyDecidesWithoutTheProgram() async throws {
    for (policy, winner) in [(RemoteConflictPolicy.mine, "mine"), (.theirs, "theirs")] {
      for checksVersions in [true, false] {
        try await tearDown()
        try await setUp()
        var options = RemoteOptions()
        options.conflicts = policy
        try await device.relaunch(options)
        server.configure { $0.checksVersions = checksVersions }
        let id = server.insert("a")
        try await source.refresh()
        try await edit { $0.title = "mine" }
        server.update(id) { $0.title = "theirs" }
        if !checksVersions { try await source.refresh() }
        try await source.synchronize()
        XCTAssertEqual(server.rows.map(\.title), [winner])
        XCTAssertEqual(try article.title, winner)
        XCTAssertEqual(try source.conflicts(), [])
        XCTAssertEqual(try source.pendingCount, 0)
      }
    }
  }

  func testWhatIsRefusedStaysAndIsTriedAgainWhenItIsAnother() async throws {
    server.configure { $0.refusedTitles = ["bad"] }
    try await device.insert("bad")
    try await device.insert("good")
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["good"])
    let conflict = try XCTUnwrap(source.conflicts().first)
    XCTAssertEqual(conflict.kind, .refused(properties: []))
    XCTAssertEqual(conflict.reason, "'bad' is no title")
    XCTAssertEqual(
      conflict.description, "\(conflict.object): the server did not accept the new object ('bad' is no title)")
    try await source.synchronize()
    XCTAssertEqual(titles(), ["bad", "good"], "a refresh does not take it away")
    try await edit { $0.title = "better" }
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["good", "better"])
    XCTAssertEqual(try source.conflicts(), [])
  }

  func testGivingUpWhatWasRefusedRestoresWhatWasThere() async throws {
    server.configure { $0.refusedTitles = ["bad"] }
    server.insert("a")
    try await source.refresh()
    try await edit { $0.title = "bad" }
    try await source.send()
    XCTAssertEqual(try source.conflicts().map(\.kind), [.refused(properties: ["title"])])
    try await source.resolve(XCTUnwrap(source.conflicts().first), .theirs)
    XCTAssertEqual(titles(), ["a"])
    try await device.insert("bad")
    try await source.send()
    try await source.resolve(XCTUnwrap(source.conflicts().first), .theirs)
    XCTAssertEqual(titles(), ["a"], "a new object is given up with its change")
  }

  func testAServerWithTheSameAnswerIsAsked3Times() async throws {
    server.insert("a")
    try await source.refresh()
    server.configure { $0.carriesOut = false }
    try await edit { $0.title = "mine" }
    try await source.send()
    XCTAssertEqual(server.sent.count, 3)
    let conflict = try XCTUnwrap(source.conflicts().first)
    XCTAssertEqual(
      conflict.reason,
      "the server answered 3 times that the row has changed, but each time it sent the values that this program had "
        + "already")
    XCTAssertEqual(
      conflict.description.prefix { $0 != "(" },
      "\(conflict.object): the server did not accept the change of title ")
    server.configure { $0.carriesOut = true }
    try await source.resolve(conflict, .mine)
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["mine"])
  }

  func testADeletionThatTheServerLeavesIsAskedAbout() async throws {
    server.insert("a")
    try await source.refresh()
    server.configure { $0.carriesOut = false }
    device.context.delete(try article)
    try await device.context.save()
    try await source.send()
    let conflict = try XCTUnwrap(source.conflicts().first)
    XCTAssertEqual(conflict.kind, .deletedByMe)
    XCTAssertEqual(
      conflict.description,
      "\(conflict.object): deleted here, but the server did not accept the deletion "
        + "(the server changed the row meanwhile)"
    )
    server.configure { $0.carriesOut = true }
    try await source.resolve(conflict, .mine)
    try await source.send()
    XCTAssertEqual(server.rows, [])
  }

  func testARowThatTheServerDeletedIsAskedAbout() async throws {
    for resolution in [RemoteConflict<Article>.Resolution.mine, .theirs] {
      for refreshesFirst in [false, true] {
        try await tearDown()
        try await setUp()
        let id = server.insert("a")
        try await source.refresh()
        try await edit { $0.title = "mine" }
        server.delete(id)
        if refreshesFirst { try await source.refresh() } else { try await source.send() }
        let conflict = try XCTUnwrap(source.conflicts().first)
        XCTAssertEqual(conflict.kind, .deletedByThem)
        XCTAssertEqual(conflict.description, "\(conflict.object): changed here, deleted by the server")
        XCTAssertEqual(titles(), ["mine"])
        try await source.resolve(conflict, resolution)
        try await source.synchronize()
        XCTAssertEqual(titles(), resolution == .mine ? ["mine"] : [])
        XCTAssertEqual(server.rows.map(\.title), titles())
        XCTAssertEqual(try source.pendingCount, 0)
      }
    }
  }

  func testARowThatWasDeletedByBothIsGone() async throws {
    let id = server.insert("a")
    try await source.refresh()
    device.context.delete(try article)
    try await device.context.save()
    server.delete(id)
    try await source.synchronize()
    XCTAssertEqual(try source.conflicts(), [])
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testADeletionThatIsUndoneInALaterSaveIsNotSent() async throws {
    let id = server.insert("a")
    try await source.refresh()
    let article = try article
    device.context.delete(article)
    try await device.context.save()
    device.context.insert(article)
    article.title = "again"
    try await device.context.save()
    try await source.synchronize()
    XCTAssertEqual(server.done.map(\.kind), [.update])
    XCTAssertEqual(server.rows.map(\.id), [id])
    XCTAssertEqual(server.rows.map(\.title), ["again"])
  }

  func testAServerThatAnswersWithoutRowsIsEnough() async throws {
    server.configure { $0.answersWithRows = false }
    server.insert("a")
    try await source.refresh()
    for title in ["b", "c"] {
      try await edit { $0.title = title }
      try await source.synchronize()
    }
    XCTAssertEqual(server.rows.map(\.title), ["c"])
    XCTAssertEqual(try article.record, server.rows[0])
  }

  func testPendingChangesAreCountedAndNamed() async throws {
    server.insert("a")
    try await source.refresh()
    try await edit { $0.title = "b" }
    server.configure { $0.fault = { _ in (RemoteError.denied(reason: "read only"), .before) } }
    do {
      try await source.synchronize()
      XCTFail("it failed")
    } catch RemoteError.denied {}
    XCTAssertEqual(try source.pendingCount, 1)
    XCTAssertTrue(try source.isPending(article.id))
  }

  func testPendingCountIncludesTheLastSave() async throws {
    server.insert("a")
    try await source.refresh()
    device.context.followsHead = false
    XCTAssertEqual(try source.pendingCount, 0)
    try await edit { $0.title = "b" }
    XCTAssertEqual(try source.pendingCount, 1)
    XCTAssertTrue(try source.isPending(article.id))
    let other = RootContext(device.store)
    let inserted = other.insert(Article("from elsewhere"))
    try await other.save()
    XCTAssertEqual(try source.pendingCount, 2)
    other.delete(inserted)
    try await other.save()
    XCTAssertEqual(try source.pendingCount, 1)
    XCTAssertEqual(server.sent.count, 0)
    try await source.send()
    XCTAssertEqual(try source.pendingCount, 0)
    XCTAssertFalse(try source.isPending(article.id))
  }

  func testConflictsAreOfTheHead() async throws {
    device.context.followsHead = false
    server.configure { $0.refusedTitles = ["bad"] }
    try await device.insert("bad")
    try await source.send()
    XCTAssertEqual(try source.conflicts().map(\.kind), [.refused(properties: [])])
    try await edit { $0.title = "better" }
    XCTAssertEqual(try source.conflicts(), [], "it is to be sent again")
    XCTAssertEqual(try source.pendingCount, 1)
  }

  func testResolvingWhileTheSourceRunsLosesNeither() async throws {
    let conflict = try await conflicted()
    for number in 0..<5 { server.insert("s\(number)") }
    server.configure { $0.hasValidator = false }
    let others = (0..<4).map { _ in Task { [source] in try await source.synchronize() } }
    try await source.resolve(conflict, .mine)
    for other in others { try await other.value }
    try await source.synchronize()
    XCTAssertEqual(try source.conflicts(), [])
    XCTAssertEqual(titles(), ["mine", "s0", "s1", "s2", "s3", "s4"])
    XCTAssertEqual(server.rows.map(\.title).sorted(), titles())
  }
}
