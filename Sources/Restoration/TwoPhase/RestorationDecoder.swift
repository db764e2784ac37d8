import RepriseObjectModel

/// Decodes the state of a ``RestorableScreen`` by key, and gives access to registered objects.
public final class RestorationDecoder {
  /// The restoration IDs from the root to the node.
  public let path: NodePath
  private weak var resolver: (any ReferenceResolver)?
  private let image: StateImage?
  private let visit: Int?

  /// Makes a decoder for a node that has no state yet.
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

  /// Returns whether there is a value under a key.
  public func containsValue(forKey key: String) -> Bool { offset(key) != nil }

  /// Returns the value under a key, or `nil` if there is none.
  ///
  /// - Throws: ``RestorationError/state(_:reason:)`` if the type cannot be decoded from the value.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard let image, let offset = offset(key) else { return nil }
    do {
      return try StateValueDecoder(image: image, offset: offset).value(type)
    } catch {
      throw RestorationError.state(path.text, reason: StateCodingError(error).description)
    }
  }

  /// Returns the target of the reference under a key: the registered object itself, or the screen of another node.
  ///
  /// If the reference leads to a deferred node, this call makes the node. Returns `nil` if there is no reference under
  /// the key, or if its target is not available.
  public func decodeObject(forKey key: String) -> Any? {
    guard let image, let offset = offset(key), let resolver,
      let target = try? image.text(at: offset, tag: StateTag.reference)
    else { return nil }
    if target.hasPrefix("/"), !target.hasPrefix("//") {
      return try? resolver.resolve(String(target.dropFirst())).any
    }
    return resolver.screen(referredTo: target)
  }

  /// Returns the object registered under a key.
  ///
  /// - Throws: ``RestorationError``, for example ``RestorationError/missing(key:_:)`` or
  ///   ``RestorationError/notReady(key:_:)``. Also if the object has another type, or its factory failed.
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
