/// How the nodes of one kind are made.
protocol KindDefinition: AnyObject {
  var site: RegistrationSite { get }
  var needs: [Need] { get }
  var versions: StateVersions { get }
  /// The type of the states. `nil` if each screen encodes its own.
  var stateType: Any.Type? { get }
  /// The title of a node with a state of the present version. `nil` if the kind has no titles.
  func title(of state: StateValue) -> String?
  /// The keys among the needs of a node that the archive remembers.
  func references(of entry: NodeEntry) -> [String]
  /// The node's screen, from its record. `nil` if its factory finds nothing to restore.
  func restored(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> AnyObject?
}

/// A kind whose screens are all made first, then decode themselves, and get a call when all have decoded.
final class TwoPhaseKind: KindDefinition {
  typealias Make =
    (NodeEntry, RestorationDecoder, DependencyResolver) throws -> (any RestorableScreen)?

  let site: RegistrationSite
  let needs: [Need]
  let versions: StateVersions
  var stateType: Any.Type? { nil }
  private let make: Make
  /// Whether a state chooses the needs of its node.
  private let hasChoice: Bool
  private let title: (StateValue) -> String?

  init(
    site: RegistrationSite, needs: [Need], versions: StateVersions, title: @escaping (StateValue) -> String?,
    make: @escaping Make
  ) {
    self.site = site
    self.needs = needs
    self.versions = versions
    self.title = title
    self.make = make
    hasChoice = needs.contains { $0.nodeKey?.stateType != nil }
  }

  func references(of entry: NodeEntry) -> [String] { needs.references(of: entry.chooser, at: entry.path) }
  func title(of state: StateValue) -> String? { title(state) }

  func restored(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> AnyObject? {
    let decoder = try builder.decoder(of: entry)
    guard let screen = try made(entry, decoder, by: builder) else { return nil }
    builder.decodeLater(screen, entry, decoder)
    return screen
  }

  /// The screen of a new node.
  ///
  /// - Parameter encode: Writes the keys that the screen decodes. `nil` for none.
  func opened(
    _ entry: NodeEntry, encode: ((RestorationEncoder) -> Void)?, by builder: NodeBuilder
  ) throws(Unmet) -> (any RestorableScreen)? {
    guard let encode else { return try made(entry, RestorationDecoder(path: entry.path, builder.objects), by: builder) }
    let decoder = try decoder(of: entry, encode, by: builder)
    guard let screen = try made(entry, decoder, by: builder) else { return nil }
    builder.decodeLater(screen, entry, decoder)
    return screen
  }

  /// Makes a screen of the program the node's screen. Its needs must be available.
  func adopted(_ screen: any RestorableScreen, _ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) {
    if hasChoice { entry.decoder = try decoder(of: entry, screen.encodeRestorableState, by: builder) }
    try builder.objects.require(needs, of: entry)
  }

  private func decoder(
    of entry: NodeEntry, _ encode: (RestorationEncoder) -> Void, by builder: NodeBuilder
  ) throws(Unmet) -> RestorationDecoder {
    let encoder = RestorationEncoder(builder.objects)
    encode(encoder)
    do throws(StateCodingError) {
      return try RestorationDecoder(try encoder.encoded(keeping: nil)[...], path: entry.path, builder.objects)
    } catch {
      throw .failed("its state could not be encoded: \(error)")
    }
  }

  private func made(
    _ entry: NodeEntry, _ decoder: RestorationDecoder, by builder: NodeBuilder
  ) throws(Unmet) -> (any RestorableScreen)? {
    if hasChoice { entry.decoder = decoder }
    do {
      guard let screen = try make(entry, decoder, builder.dependencies) else { return nil }
      if let other = builder.screens.entry(of: screen), !builder.editor.isLeaving(other) {
        throw Unmet.failed("its factory returned the screen that is open as '\(other.path)'")
      }
      return screen
    } catch {
      throw error as? Unmet ?? .thrown(error)
    }
  }
}
