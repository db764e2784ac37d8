public import RepriseCore

/// What is restored of a screen.
public struct ScreenState: Codable, Sendable {
  public var offset: Double
  public var selection: AnyObjectID?
  public var title: String

  public init(offset: Double, selection: AnyObjectID?, title: String) {
    self.offset = offset
    self.selection = selection
    self.title = title
  }
}

/// A screen of the tree of a hundred.
@MainActor public final class Screen {
  public static let kind = NodeKind<ScreenState, Screen>("screen")

  public let node: RestorationNode<ScreenState>

  public init(_ node: RestorationNode<ScreenState>) { self.node = node }
}
