import RepriseObjectModel

/// A picture or a text of a scene, to show while the scene is being restored.
public struct ScenePreview: Equatable, Sendable {
  /// The bytes of the preview, as the program passed them.
  public let bytes: [UInt8]
  /// When the program stored the preview, in microseconds since 1970 by the wall clock.
  public let keptAt: Int64
  /// The `appVersion` of the program that stored the preview.
  public let appVersion: String
  /// Whether the preview still shows the scene.
  ///
  /// It is `false` if a screen in the store, or an uncommitted edit, has changed since the program stored the preview.
  /// A preview that is not current may show things that no longer exist.
  public let isCurrent: Bool

  /// The largest size of a preview: 4 MiB.
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

  /// - Parameter launch: How the scene's launches went. `nil` if that is not known.
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
