import RepriseObjectGraph
import RepriseRestoration

/// A node that others stand below.
@MainActor final class Box {
  struct State: Codable, Sendable {
    let number: Int
    var turned = 0
  }

  static let kind = NodeKind<State, Box>("box")
  let node: RestorationNode<State>
  init(_ node: RestorationNode<State>) { self.node = node }
}

/// A node with a context of its own, in which the number of one object is typed; and what was typed last, once more, in
/// its state.
@MainActor final class Pane {
  struct State: Codable, Sendable {
    let number: Int
    var typed: Int
  }

  static let kind = NodeKind<State, Pane>("pane")
  let node: RestorationNode<State>
  let context: ChildContext

  init(_ node: RestorationNode<State>, _ context: ChildContext) {
    self.node = node
    self.context = context
  }
}

/// A pane behind glass: what was typed shows, and nothing can be typed in it.
@MainActor final class Glass {
  static let kind = NodeKind<Pane.State, Glass>("pane")
  let node: RestorationNode<Pane.State>
  init(_ node: RestorationNode<Pane.State>) { self.node = node }
}

/// A screen that takes up its state itself, and knows another one.
@MainActor final class Card: @MainActor RestorableScreen {
  private(set) var number = 0
  private(set) var other: Card?

  init(_ number: Int = 0) { self.number = number }

  func know(_ other: Card?, in restoration: Restoration) {
    self.other = other
    restoration.invalidateState(of: self)
  }

  func encodeRestorableState(with coder: RestorationEncoder) {
    coder.encode(number, forKey: "number")
    if let other { coder.encodeReference(to: other, forKey: "other") }
  }

  func decodeRestorableState(with coder: RestorationDecoder) throws {
    number = try coder.decode(Int.self, forKey: "number") ?? 0
    other = coder.decodeObject(forKey: "other") as? Card
  }
}
