/// How the nodes of one kind are made.
@MainActor protocol KindDefinition: AnyObject {
  var site: RegistrationSite { get }
  var needs: [Need] { get }
  var versions: StateVersions { get }
  /// The type of the states; `nil` if each screen encodes its own.
  var stateType: Any.Type? { get }
  /// The keys among the needs of a node that the archive remembers.
  func references(of entry: NodeEntry) -> [String]
  /// The node's screen, from its record; `nil` if its factory finds nothing to restore.
  func restored(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> AnyObject?
}

/// A kind whose screens are made first, decode themselves when all are made, and are told when all have decoded.
final class TwoStepKind: KindDefinition {
  typealias Make =
    @MainActor (NodeEntry, RestorationDecoder, DependencyResolver) throws -> (any RestorableScreen)?

  let site: RegistrationSite
  let needs: [Need]
  let versions: StateVersions
  var stateType: Any.Type? { nil }
  private let make: Make

  init(site: RegistrationSite, needs: [Need], versions: StateVersions, make: @escaping Make) {
    self.site = site
    self.needs = needs
    self.versions = versions
    self.make = make
  }

  func references(of entry: NodeEntry) -> [String] { needs.references(of: nil, at: entry.path) }

  func restored(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> AnyObject? {
    let decoder = try builder.decoder(of: entry)
    guard let screen = try made(entry, decoder, by: builder) else { return nil }
    builder.decodeLater(screen, entry, decoder)
    return screen
  }

  /// The screen of a new node, which has nothing to decode.
  func opened(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> (any RestorableScreen)? {
    try made(entry, RestorationDecoder(path: entry.path, builder.objects), by: builder)
  }

  private func made(
    _ entry: NodeEntry, _ decoder: RestorationDecoder, by builder: NodeBuilder
  ) throws(Unmet) -> (any RestorableScreen)? {
    do {
      guard let screen = try make(entry, decoder, builder.dependencies) else { return nil }
      if let other = builder.screens.entry(of: screen) {
        throw Unmet.failed("its factory gave the screen of '\(other.path)'")
      }
      return screen
    } catch {
      throw error as? Unmet ?? .thrown(error)
    }
  }
}
