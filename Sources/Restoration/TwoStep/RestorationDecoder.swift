import RepriseObjectModel

/// Gives a ``RestorableScreen`` its state back, by key, and whatever is registered.
@MainActor public final class RestorationDecoder {
  /// The restoration IDs from the root to the node.
  public let path: NodePath
  private weak var resolver: (any ReferenceResolver)?
  private let image: StateImage?
  private let visit: Int?

  /// For a node that has no state yet.
  init(path: NodePath, _ resolver: any ReferenceResolver) {
    self.path = path
    self.resolver = resolver
    image = nil
    visit = nil
  }

  init(_ state: ArraySlice<UInt8>, path: NodePath, _ resolver: any ReferenceResolver) throws(StateCodingError) {
    self.path = path
    self.resolver = resolver
    let read = try StateImage(state)
    image = read
    do throws(MalformedBytes) { visit = try read.visit(read.root) } catch { throw .malformed(error) }
  }

  private func offset(_ key: String) -> Int? {
    guard let image, let visit, let offset = image.find(key, in: visit) else { return nil }
    return image.tag(at: offset) == StateTag.null ? nil : offset
  }

  /// Whether there is a value under a key.
  public func containsValue(forKey key: String) -> Bool { offset(key) != nil }

  /// The value under a key; `nil` if there is none.
  ///
  /// - Throws: ``RestorationError/state(_:reason:)`` if another kind of value is there.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard let image, let offset = offset(key) else { return nil }
    do {
      return try StateValueDecoder(image: image, offset: offset).value(type)
    } catch {
      throw RestorationError.state(path.text, reason: StateCodingError(error).description)
    }
  }

  /// What the reference under a key leads to: the registered object itself, or the screen of another node; `nil` if
  /// there is no reference, or what it leads to is not there.
  public func decodeObject(forKey key: String) -> Any? {
    guard let image, let offset = offset(key), let resolver,
      let target = try? image.text(at: offset, tag: StateTag.reference)
    else { return nil }
    if target.hasPrefix("/"), !target.hasPrefix("//") {
      return try? resolver.resolve(String(target.dropFirst())).any
    }
    return resolver.screen(referredTo: target, from: path)
  }

  /// What is registered under a key.
  ///
  /// - Throws: ``RestorationError``: nothing is, it is not ready, or it is of another type.
  public func object<Value>(for key: RestorationKey<Value>) throws -> Value {
    guard let resolver else { throw RestorationError.missing(key: key.id, path) }
    do throws(Unmet) {
      return try resolver.resolve(key.id).value(as: Value.self, of: key.id)
    } catch {
      throw error.error(at: path)
    }
  }

  func unknownKeys() throws(StateCodingError) -> UnknownKeys? {
    do throws(MalformedBytes) { return try image?.unknownKeys() } catch { throw .malformed(error) }
  }
}
