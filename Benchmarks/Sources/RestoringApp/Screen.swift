import RepriseCore

/// What is restored of a screen.
struct ScreenState: Codable, Sendable {
  var offset: Double
  var selection: AnyObjectID?
  var title: String
}

/// A screen of the tree of a hundred.
@MainActor final class Screen {
  static let kind = NodeKind<ScreenState, Screen>("screen")

  let node: RestorationNode<ScreenState>

  init(_ node: RestorationNode<ScreenState>) { self.node = node }
}
