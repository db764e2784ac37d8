import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestSeeds
import XCTest

/// Random edits on devices and on the server, with requests and answers that are lost, kills between any two steps, and
/// relaunches.
///
/// An article's title begins with its number, which is never edited; each edit sets a text that no other sets.
@MainActor
final class RemoteRandomTests: XCTestCase {
  private var numbers = SeededGenerator(seed: 0)
  private var texts = 0

  private func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

  private func text() -> String {
    texts += 1
    return "t\(texts)"
  }

  private func server() -> ArticleServer {
    let server = ArticleServer()
    let pageSize = [2, 5, Int.max][random(3)]
    let (tellsChanges, hasValidator, answers) = (random(2) == 0, random(2) == 0, random(3) > 0)
    server.configure { state in
      state.pageSize = pageSize
      state.tellsChanges = tellsChanges
      state.hasValidator = hasValidator
      state.answersWithRows = answers
    }
    return server
  }

  /// Loses requests and answers from now on, or none any more.
  private func lose(_ server: ArticleServer, _ loses: Bool) {
    let seed = UInt64(random(1 << 30))
    let fault: @Sendable (Int) -> (any Error, ArticleServer.Fault)? = { Self.fault(of: $0, seed) }
    server.configure { state in state.fault = loses ? fault : nil }
  }

  private nonisolated static func fault(of request: Int, _ seed: UInt64) -> (any Error, ArticleServer.Fault)? {
    var numbers = SeededGenerator(seed: seed &+ UInt64(request))
    guard Int.random(in: 0..<3, using: &numbers) == 0 else { return nil }
    let fault: ArticleServer.Fault = Bool.random(using: &numbers) ? .before : .after
    if Bool.random(using: &numbers) { return (ArticleServer.Killed(), fault) }
    return (RemoteError.unavailable(reason: "a tunnel", retryAfter: nil), fault)
  }

  private func device(_ server: ArticleServer, _ policy: RemoteConflictPolicy) async throws -> Device {
    var options = RemoteOptions()
    options.clock = VirtualClock()
    options.conflicts = policy
    return try await Device(server, options)
  }

  /// Asks the server for something; a kill is followed by a relaunch.
  private func ask(_ device: Device) async throws {
    do {
      switch random(4) {
      case 0: try await device.source.refresh()
      case 1: try await device.source.send()
      case 2: try await device.source.loadMore()
      default: try await device.source.synchronize()
      }
    } catch is ArticleServer.Killed {
      try await device.relaunch()
    } catch RemoteError.unavailable {
      if random(4) == 0 { try await device.relaunch() }
    }
  }

  private func title(_ article: Article) -> Substring { article.title.prefix { $0 != ":" } }

  /// Asks until nothing waits, and every device has read all pages.
  private func settle(_ devices: [Device], _ server: ArticleServer) async throws {
    lose(server, false)
    for _ in 0..<20 {
      for device in devices {
        try await device.source.synchronize()
        while device.source.canLoadMore { try await device.source.loadMore() }
        for conflict in try device.source.conflicts() {
          try await device.source.resolve(conflict, random(2) == 0 ? .mine : .theirs)
        }
      }
      let revision = server.state.withLock { $0.revision }
      for device in devices {
        // A reading of all pages at once: of those that were read one by one, some were read before the last changes.
        try await device.relaunch()
        try await device.source.synchronize()
        while device.source.canLoadMore { try await device.source.loadMore() }
        // Where pages have no names, no row is deleted until a refresh has read all of them twice.
        try await device.source.refresh()
      }
      let isQuiet = try devices.allSatisfy { try $0.source.pendingCount == 0 }
      if isQuiet, revision == server.state.withLock({ $0.revision }) { return }
    }
    XCTFail("it does not come to rest")
  }

  private func assertSame(_ device: Device, _ server: ArticleServer, _ message: @autoclosure () -> String) throws {
    let rows = server.rows.sorted { ($0.id ?? "") < ($1.id ?? "") }
    let articles = try device.context.fetch(Fetch<Article>()).map(\.record).sorted { ($0.id ?? "") < ($1.id ?? "") }
    XCTAssertEqual(Set(articles).subtracting(rows), [], "only here: \(message())")
    XCTAssertEqual(Set(rows).subtracting(articles), [], "only on the server: \(message())")
    XCTAssertEqual(articles.count, rows.count, message())
    XCTAssertEqual(device.source.count, rows.count, message())
  }

  // MARK: One device

  /// Titles are edited here, texts by others on the server: all edits of both are there in the end, each made once.
  func testNoEditIsLostOrMadeTwice() async throws {
    for seed in testSeeds(8) {
      numbers = SeededGenerator(seed: seed)
      let server = server()
      let device = try await device(server, .mine)
      lose(server, true)
      // By the number of the article.
      var titles: [String: String] = [:]
      var bodies: [String: String] = [:]
      for step in 0..<60 {
        switch random(8) {
        case 0...1:
          let text = text()
          titles["\(seed).\(step)"] = text
          device.context.insert(Article("\(seed).\(step):\(text)"))
          try await device.context.save()
        case 2...3:
          guard let article = device.source.rows.randomElement(using: &numbers) else { break }
          let number = title(article)
          let text = text()
          titles[String(number)] = text
          article.title = number + ":" + text
          try await device.context.save()
        case 4:
          guard let row = server.rows.randomElement(using: &numbers), let id = row.id else { break }
          let text = text()
          bodies[String(row.title.prefix { $0 != ":" })] = text
          server.update(id) { $0.body = text }
        default: try await ask(device)
        }
      }
      try await settle([device], server)
      try assertSame(device, server, "seed \(seed)")
      let rows = server.rows.map { (String($0.title.prefix { $0 != ":" }), $0) }
      XCTAssertEqual(rows.map(\.0).sorted(), titles.keys.sorted(), "each article once: seed \(seed)")
      for (number, row) in rows {
        XCTAssertEqual(row.title, number + ":" + (titles[number] ?? "?"), "seed \(seed)")
        XCTAssertEqual(row.body, bodies[number] ?? "", "seed \(seed)")
      }
      try assertMadeOnce(server, "seed \(seed)")
    }
  }

  /// No change of a title was made twice, and no article.
  private func assertMadeOnce(_ server: ArticleServer, _ message: String) throws {
    var made: Set<String> = []
    for change in server.done {
      guard let record = change.record else { continue }
      if change.kind == .update, !change.properties.contains("title") { continue }
      XCTAssertTrue(made.insert(record.title).inserted, "\(record.title) was made twice: \(message)")
    }
  }

  // MARK: Several devices

  /// A new row whose answer was lost is read as another object, until the answer makes them one. Whoever has edited the
  /// other by then, and not saved, would make it again with the same identifier: that is refused, and given up here.
  private func save(_ device: Device) async throws {
    do {
      try await device.context.save(merging: .mine)
    } catch SaveError.refused(let refusal) {
      let head = RootContext(device.store)
      let isOfGone = refusal.violations.allSatisfy { violation in
        Article.ID(violation.object).map { head.find($0) == nil } ?? false
      }
      guard isOfGone else { throw SaveError.refused(refusal) }
      device.context.discard()
    }
  }

  /// Everybody edits, deletes and creates everything; in the end all have the same, and no article is there twice.
  func testAllDevicesComeToTheSameRows() async throws {
    for seed in testSeeds(8) {
      numbers = SeededGenerator(seed: seed)
      let server = server()
      let checksVersions = random(3) > 0
      server.configure { $0.checksVersions = checksVersions }
      var devices: [Device] = []
      for _ in 0..<2 { devices.append(try await device(server, [.ask, .mine, .theirs][random(3)])) }
      lose(server, true)
      for step in 0..<100 {
        let device = devices[random(devices.count)]
        let article = device.source.rows.randomElement(using: &numbers)
        let row = server.rows.randomElement(using: &numbers)
        switch random(14) {
        case 0...1: device.context.insert(Article("\(step):\(text())"))
        case 2...3: article.map { $0.title = title($0) + ":" + text() }
        case 4: article?.body = text()
        case 5: if let article, random(2) == 0 { device.context.delete(article) }
        case 6: if let row { server.update(row.id ?? "") { $0.body = text() } }
        case 7:
          if let row { server.update(row.id ?? "") { $0.title = row.title.prefix { $0 != ":" } + ":" + text() } }
        case 8: if let row, random(2) == 0 { server.delete(row.id ?? "") }
        case 9:
          if let gone = server.deleted.randomElement(using: &numbers), random(3) == 0 {
            server.bringBack(gone, "s\(step):\(text())")
          } else {
            server.insert("s\(step):\(text())", at: random(server.rows.count + 1))
          }
        case 10:
          for conflict in try device.source.conflicts() {
            try await device.source.resolve(conflict, random(2) == 0 ? .mine : .theirs)
          }
        default: try await ask(device)
        }
        if random(2) == 0 { try await save(device) } else { continue }
      }
      for device in devices { try await save(device) }
      try await settle(devices, server)
      for device in devices { try assertSame(device, server, "seed \(seed)") }
      let articles = server.rows.map { $0.title.prefix { $0 != ":" } }
      XCTAssertEqual(Set(articles).count, articles.count, "an article is there twice: seed \(seed)")
    }
  }
}
