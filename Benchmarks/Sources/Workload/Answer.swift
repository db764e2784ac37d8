/// What a peer answers to a question: items as it has them, or figures alone. Equal in all peers, and hashed once the
/// clock has stopped.
public enum Answer<Item> {
  case items([Item])
  /// Numbers of items, counts, places or sums.
  case figures([Int])
  /// Figures that are made of the answer without the clock.
  case figuresOf(() -> [Int])
}

extension Hash {
  /// The numbers of the items, then their values.
  public mutating func add<Item>(_ answer: Answer<Item>, number: (Item) -> Int, value: (Item) -> Int) {
    switch answer {
    case .figures(let figures): add(figures)
    case .figuresOf(let figures): add(figures())
    case .items(let items):
      add(items.map(number))
      for item in items { add(value(item)) }
    }
  }
}
