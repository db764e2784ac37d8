#if Macros
import RepriseCore

/// Links objects to others by key, as soon as both exist.
///
/// In the history, as people edited it, a membership may for a while name a legislator who does not exist yet, or any
/// more. The object keeps the key as an attribute; the relationship follows when the target appears.
@MainActor final class LateLinks<Source: HistoryModel, Target: HistoryModel> {
  /// Objects whose target does not exist, by its key.
  private var waiting: [String: [String: Source]] = [:]
  private let link: ReferenceWritableKeyPath<Source, Target?>
  private var count = 0

  /// - Parameters:
  ///   - key: The key of the target that an object names.
  ///   - link: The relationship to that target.
  ///   - back: The objects that are related to a target.
  init(
    _ sources: EntityLoader<Source>, to targets: EntityLoader<Target>, key: @escaping (Source) -> String?,
    link: ReferenceWritableKeyPath<Source, Target?>, back: @escaping (Target) -> [Source]
  ) {
    self.link = link
    sources.watch(
      inserted: { source in
        guard let name = key(source) else { return }
        if let target = targets.objects[name] { source[keyPath: link] = target } else { self.wait(source, for: name) }
      },
      willDelete: { source in
        if let name = key(source), self.waiting[name]?.removeValue(forKey: source.key) != nil { self.count -= 1 }
      })
    targets.watch(
      inserted: { target in
        for source in (self.waiting.removeValue(forKey: target.key) ?? [:]).values {
          source[keyPath: link] = target
          self.count -= 1
        }
      },
      willDelete: { target in
        // Objects deleted together with their target are gone by now; the rest wait for it to reappear.
        for source in back(target) {
          source[keyPath: link] = nil
          self.wait(source, for: target.key)
        }
      })
  }

  private func wait(_ source: Source, for key: String) {
    waiting[key, default: [:]][source.key] = source
    count += 1
  }

  /// The number of waiting objects.
  var counter: () -> Int { { self.count } }
}
#endif
