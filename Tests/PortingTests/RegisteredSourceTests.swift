import Reprise
import XCTest

/// Data sources that come along with their view controllers: UIKit's registered objects.
final class RegisteredSourceTests: PortingTestCase {
  final class ItemsDataSource: RestorableScreen {
    let context: ObjectContext
    var prefix = ""

    init(_ context: ObjectContext) { self.context = context }

    func encodeRestorableState(with coder: RestorationEncoder) { coder.encode(prefix, forKey: "prefix") }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      prefix = try coder.decode(String.self, forKey: "prefix") ?? ""
    }
  }

  final class Controller: RestorableScreen {
    weak var dataSource: ItemsDataSource?

    func encodeRestorableState(with coder: RestorationEncoder) {
      coder.encodeReference(to: "DataSource", forKey: "DataSource")
    }

    func decodeRestorableState(with coder: RestorationDecoder) throws {
      guard
        let object = coder.decodeObject(forKey: "DataSource"),
        let dataSource = object as? ItemsDataSource
      else { return }
      self.dataSource = dataSource
    }
  }

  func testDecodingTheIdentifierGivesTheRegisteredInstanceWithItsState() async throws {
    let temporary = try await makeStore()
    func launch(_ store: Store) async throws -> (restoration: Restoration, dataSource: ItemsDataSource) {
      let restoration = Restoration(store)
      // UIApplication.registerObject(forStateRestoration:restorationIdentifier:)
      let dataSource = ItemsDataSource(store.mainContext)
      try restoration.register(dataSource, as: "DataSource")
      try restoration.define(twoPhase: "Controller") { _, _ in Controller() }
      try await restoration.restore()
      return (restoration, dataSource)
    }
    let (restoration, dataSource) = try await launch(temporary.store)
    let controller: Controller = try restoration.open("Controller", id: "controller")
    controller.dataSource = dataSource
    dataSource.prefix = "Red"
    try restoration.save()

    let (again, registered) = try await launch(temporary.relaunch())
    let restored: Controller = try XCTUnwrap(try again.screen(at: NodePath(["controller"])))
    XCTAssertTrue(restored.dataSource === registered)
    XCTAssertEqual(registered.prefix, "Red", "it had decoded before the controller received it")
  }

  // MARK: With a factory, and with constants

  struct SourceState: Codable, Sendable { var prefix = "" }

  @MainActor final class PrefixSource {
    static let key: RestorationKey<PrefixSource> = "DataSource"
    let node: RestorationNode<SourceState>
    let context: RootContext
    init(_ node: RestorationNode<SourceState>, _ context: RootContext) { (self.node, self.context) = (node, context) }
  }

  @MainActor final class PrefixController {
    static let kind = NodeKind<SourceState, PrefixController>("Controller")
    let node: RestorationNode<SourceState>
    let dataSource: PrefixSource
    init(_ node: RestorationNode<SourceState>, _ dataSource: PrefixSource) {
      (self.node, self.dataSource) = (node, dataSource)
    }
  }

  func testAFactoryMakesTheSourceAndTheControllerHasItAsAConstant() async throws {
    let temporary = try await makeStore()
    func launch(_ store: Store) async throws -> Restoration {
      let restoration = Restoration(store)
      try restoration.register(store.mainContext, as: Keys.context)
      // objectRestorationClass, and object(withRestorationIdentifierPath:coder:)
      try restoration.define(
        object: PrefixSource.key, initial: SourceState(), needs: .registered(Keys.context)
      ) { node, context in PrefixSource(node, context) }
      try restoration.define(PrefixController.kind, needs: .registered(PrefixSource.key)) { node, dataSource in
        PrefixController(node, dataSource)
      }
      try await restoration.restore()
      return restoration
    }
    let restoration = try await launch(temporary.store)
    let controller = try restoration.open(PrefixController.kind, id: "controller", state: SourceState())
    controller.dataSource.node.state.prefix = "Red"

    let again = try await launch(temporary.relaunch())
    let restored = try XCTUnwrap(try again.screen(PrefixController.kind, at: NodePath(["controller"])))
    XCTAssertEqual(restored.dataSource.node.state.prefix, "Red")
  }

  func testASourceThatOnlyAScreenNamesIsRegisteredWhileTheProgramRuns() async throws {
    final class Document: RestorableScreen {
      let name: String
      var text: String?
      init(_ name: String) { self.name = name }
      func encodeRestorableState(with coder: RestorationEncoder) {
        coder.encodeReference(to: "document \(name)", forKey: "document")
      }
      func decodeRestorableState(with coder: RestorationDecoder) throws {
        text = coder.decodeObject(forKey: "document") as? String
      }
    }
    let temporary = try await makeStore()
    let restoration = Restoration(temporary.store)
    try restoration.define(twoPhase: "Document") { path, _ in Document(path.id) }
    try await restoration.restore()
    try restoration.register("Dear Ada", as: RestorationKey<String>("document letter"))
    let _: Document = try restoration.open("Document", id: "letter")
    try restoration.save()

    let again = Restoration(try await temporary.relaunch())
    try again.define(twoPhase: "Document") { path, _ in Document(path.id) }
    try again.register(late: RestorationKey<String>("document letter")) { "Dear Ada" }
    try await again.restore()
    try await again.waitUntilSettled()
    let document: Document = try XCTUnwrap(try again.screen(at: NodePath(["letter"])))
    XCTAssertEqual(document.text, "Dear Ada")
  }
}
