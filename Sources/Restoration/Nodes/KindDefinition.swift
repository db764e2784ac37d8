/// How the nodes of one kind are made.
@MainActor protocol KindDefinition: AnyObject {
  var site: RegistrationSite { get }
  var needs: [Need] { get }
  /// The keys among the needs that the archive remembers; `nil` if each screen says them as it encodes its state.
  var references: [String]? { get }
  /// The node's screen, from its record; `nil` if its factory finds nothing to restore.
  func restored(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> AnyObject?
}

/// A kind whose screens are made first, decode themselves when all are made, and are told when all have decoded.
final class TwoStepKind: KindDefinition {
  typealias Make = @MainActor (NodePath, RestorationDecoder) throws -> (any RestorableScreen)?

  let site: RegistrationSite
  var needs: [Need] { [] }
  var references: [String]? { nil }
  private let make: Make

  init(site: RegistrationSite, make: @escaping Make) {
    self.site = site
    self.make = make
  }

  func restored(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> AnyObject? {
    let decoder = try builder.decoder(of: entry)
    do {
      guard let screen = try make(entry.path, decoder) else { return nil }
      if let other = builder.screens.entry(of: screen) {
        throw Unmet.failed("its factory gave the screen of '\(other.path)'")
      }
      builder.decodeLater(screen, entry, decoder)
      return screen
    } catch {
      throw error as? Unmet ?? .thrown(error)
    }
  }
}
