import RepriseEventStore
import RepriseObjectModel
import RepriseSystem

/// Previews, which show a scene until it is restored.
extension Restoration {
  /// Returns the last preview of a scene, to show while the store opens and the scene is restored.
  ///
  /// Reads a few hundred bytes about the launch, and the preview, and nothing of the store.
  ///
  /// - Parameters:
  ///   - scene: The name of the scene.
  ///   - path: The path of the store, as for `Store.open`. The store need not be open, nor exist.
  /// - Returns: `nil` if there is no preview.
  public static func preview(of scene: String = "main", at path: String) -> ScenePreview? {
    let name = SceneName.stored(ComposedText.composed(scene))
    guard let file = SceneNote.preview(of: name, at: path).read() else { return nil }
    return ScenePreview(file, SceneNote.launch(of: name, at: path).read().flatMap(LaunchNote.init))
  }

  /// Keeps a picture or a text of the scene for ``preview(of:at:)``, replacing the last one.
  ///
  /// The call saves first, as ``save()`` does, so that preview and state belong together. It then writes the file off
  /// the actor. The file survives the process, but not a power cut. In a read-only scene, nothing is written.
  ///
  /// - Parameter bytes: At most ``ScenePreview/maximumCount`` bytes. An empty array removes the preview.
  /// - Throws: As ``save()``. ``RestorationError/preview(_:reason:)`` if there are too many bytes, or if the file
  ///   cannot be written.
  nonisolated(nonsending) public func keepPreview(_ bytes: [UInt8]) async throws {
    try currentScene.requireRestored()
    try saver.save()
    try await keep(bytes)
  }

  /// Keeps the preview that the program makes of the saved screens.
  ///
  /// - Returns: The error if it could not be written.
  nonisolated(nonsending) func makeAndKeepPreview() async -> RestorationError? {
    guard let preview = makePreview?() else { return nil }
    do throws(RestorationError) { try await keep(preview) } catch { return error }
    return nil
  }

  /// Keeps a preview of the saved screens.
  nonisolated(nonsending) func keep(_ bytes: [UInt8]) async throws(RestorationError) {
    let write = try writing(bytes)
    if await SystemThread.run({ write() }) { return }
    throw .preview(scene, reason: "the file of the preview could not be written")
  }

  /// Writes a preview, on any thread.
  func writing(_ bytes: [UInt8]) throws(RestorationError) -> @Sendable () -> Bool {
    if currentScene.isReadOnly { return { true } }
    guard bytes.count <= ScenePreview.maximumCount else {
      throw .preview(scene, reason: "it has \(bytes.count) bytes, and may have at most \(ScenePreview.maximumCount)")
    }
    let file = currentScene.storage.previewFile(of: currentScene.name)
    if bytes.isEmpty {
      return {
        file.remove()
        return true
      }
    }
    let name = RandomWords.next()
    let content = ScenePreview.encoded(
      bytes, name: name, at: currentScene.now(), appVersion: currentScene.appVersion)
    let kept = currentScene.breaker.willKeepPreview(currentScene.stores.all)
    return {
      guard file.write(content) else { return false }
      kept(name)
      return true
    }
  }
}
