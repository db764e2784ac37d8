import RepriseCore

/// What is restored of a screen.
struct ScreenState<Item: BenchmarkItem>: Codable, Sendable {
  var offset: Double
  var selection: Item.ID?
  var title: String
}

/// A screen of the tree of a hundred.
@MainActor final class Screen<Item: BenchmarkItem> {
  static var kind: NodeKind<ScreenState<Item>, Screen> { NodeKind("screen") }

  let node: RestorationNode<ScreenState<Item>>

  init(_ node: RestorationNode<ScreenState<Item>>) { self.node = node }
}
