import RepriseEventStore
import RepriseRestoration

/// A screen with a stamp, which is flushed onto the disk now and then: then a power cut must not take it.
@MainActor final class FlushedScreen {
  private struct State: Codable, Sendable { var stamp = 0 }

  @MainActor private final class Page {
    static let kind = NodeKind<State, Page>("page")
    let node: RestorationNode<State>
    init(_ node: RestorationNode<State>) { self.node = node }
  }

  private let restoration: Restoration
  private let page: Page

  init(_ store: Store) async throws {
    restoration = Restoration(store)
    try restoration.define(Page.kind) { Page($0) }
    try await restoration.restore()
    let path = try NodePath(["page"])
    if let found = try restoration.screen(Page.kind, at: path) {
      page = found
    } else {
      page = try restoration.open(Page.kind, id: "page", state: State())
    }
  }

  var stamp: Int { page.node.state.stamp }

  /// - Parameter isTooEarly: Whether to say that it is on the disk when it is not.
  func change(to stamp: Int, flushing: Bool, isTooEarly: Bool) async throws {
    say("may screen=\(stamp)")
    page.node.state.stamp = stamp
    if isTooEarly { return say("is screen=\(stamp)") }
    guard flushing else { return }
    try await restoration.flush(durable: true)
    say("is screen=\(stamp)")
  }
}
