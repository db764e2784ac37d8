import Dispatch
import Foundation

/// Whether code runs in the isolation of the main actor. The thread alone does not show this. If a `main.swift` awaits,
/// threads of Dispatch serve the main queue, and with it the main actor.
enum MainIsolation {
  static var isHere: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) != nil }

  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()
}
