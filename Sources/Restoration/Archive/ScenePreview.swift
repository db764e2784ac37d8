import RepriseObjectModel

/// A picture or a text of what a scene showed: to be shown while it is restored.
public struct ScenePreview: Hashable, Sendable {
  /// What the program kept.
  public let bytes: [UInt8]
  /// When, in microseconds since 1970 by the wall clock.
  public let keptAt: Int64
  /// The `appVersion` of the program that kept it.
  public let appVersion: String
  /// Whether nothing was changed since in the same process: no screen of the store's, and no uncommitted edit. What is
  /// not current may show what is no longer there.
  public let isCurrent: Bool

  /// No preview has more bytes than this: four megabytes.
  public static let maximumCount = 1 << 22
}

extension ScenePreview {
  private static let version: UInt8 = 1

  /// Format (1), name of the preview, time, app version, and the preview to the end.
  static func encoded(_ bytes: [UInt8], name: UInt64, at time: Int64, appVersion: String) -> [UInt8] {
    var file = ByteWriter(reserving: bytes.count + 64)
    file.append(version)
    file.varint(name)
    file.signedVarint(time)
    file.string(appVersion)
    file.append(bytes)
    return file.bytes
  }

  /// - Parameter launch: How the scene's launches went; `nil` if that is not known.
  init?(_ file: [UInt8], _ launch: LaunchNote?) {
    let read: ScenePreview? = file.withUnsafeBytes { all in
      var reader = ByteReader(all)
      do throws(MalformedBytes) {
        guard try reader.byte() == Self.version else { return nil }
        let name = try reader.varint("a name")
        let (time, version) = (try reader.signedVarint("a time"), try reader.string("a version"))
        return ScenePreview(
          bytes: [UInt8](all.suffix(reader.remaining)), keptAt: time, appVersion: version,
          isCurrent: name != 0 && launch?.preview == name)
      } catch {
        return nil
      }
    }
    guard let read else { return nil }
    self = read
  }
}
