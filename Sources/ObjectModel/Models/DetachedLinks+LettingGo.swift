#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DetachedLinks {
  /// Lets go of what an object held that is no more. One after the other: each in the last one's `deinit`, a long chain
  /// would take more stack than there is.
  static func letGo(_ links: inout [Int: DetachedLinks]) {
    if let outer = pthread_getspecific(Waiting.key) {
      Unmanaged<Waiting>.fromOpaque(outer).takeUnretainedValue().take(&links)
      return
    }
    let waiting = Waiting()
    waiting.take(&links)
    pthread_setspecific(Waiting.key, Unmanaged.passUnretained(waiting).toOpaque())
    // Whose `deinit` this causes adds to what is waiting.
    while waiting.objects.popLast() != nil {}
    pthread_setspecific(Waiting.key, nil)
  }

  /// What the outermost `deinit` of a thread has still to let go of.
  private final class Waiting {
    static let key: pthread_key_t = {
      var key = pthread_key_t()
      pthread_key_create(&key, nil)
      return key
    }()
    var objects: [any PersistentModel] = []

    func take(_ links: inout [Int: DetachedLinks]) {
      for link in links.values { objects += link.strong }
      links = [:]
    }
  }
}
