import Reprise

struct ListState: Codable, Sendable {}
struct TabsState: Codable, Sendable {}

@MainActor final class ListScreen {
  static let kind = NodeKind<ListState, ListScreen>("List")
  init(_ node: RestorationNode<ListState>, _ items: FetchedList<Item>) {}
}

@MainActor final class Tabs {
  static let kind = NodeKind<TabsState, Tabs>("Tabs")
  let node: RestorationNode<TabsState>
  init(_ node: RestorationNode<TabsState>) { self.node = node }
}

let migration = /*sample Sources/Restoration/State/StateValue.swift*/

enum Keys {
  /*sample Sources/Restoration/Identity/RestorationKey.swift*/
}

/*sample Sources/Restoration/Identity/NodeReference.swift lines 1-1*/

@MainActor final class Page {
  static let kind = NodeKind<TabsState, Page>("Page")
  let node: RestorationNode<TabsState>
  init(_ node: RestorationNode<TabsState>) { self.node = node }
}

@MainActor final class Inspector {
  let node: RestorationNode<InspectorState>
  init(_ node: RestorationNode<InspectorState>) { self.node = node }
}

@MainActor func inspect(_ inspector: Inspector, _ page: Page) {
  /*sample Sources/Restoration/Identity/NodeReference.swift lines 2-2*/
}

@MainActor func inspectAgain(_ inspector: Inspector, _ restoration: Restoration) throws {
  /*sample Sources/Restoration/Identity/NodeReference.swift lines 3-4*/
  _ = page
}

@MainActor func handOver(_ restoration: Restoration, _ editor: Page) throws {
  /*sample Sources/Restoration/Session/Restoration+Handover.swift*/
}

@MainActor func restore(_ store: Store, _ list: FetchedList<Item>) async throws {
  /*sample Sources/Restoration/Session/Restoration.swift*/
}
