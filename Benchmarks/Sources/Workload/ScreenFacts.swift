import CWorkload

/// What is restored of a screen, beside the row that it has selected.
public struct ScreenFacts {
  public let number: Int
  public let title: String
  public let offset: Double
  /// The number of the screen above; `nil` for the root.
  public let parent: Int?

  public init(number: Int) {
    var screen = workload_screen()
    workload_screen_at(Int32(number), &screen)
    self.number = number
    title = text(screen.title)
    offset = screen.offset
    parent = screen.parent < 0 ? nil : Int(screen.parent)
  }
}
