import RepriseCore

/// The texts of the pictures.
enum Magazine {
  static let sections: [(name: String, articles: [(String, String)])] = [
    (
      "Garden",
      [
        ("A winter under glass", "ben"), ("Bees on the roof", "cem"), ("Ten kinds of mint", "dora"),
        ("The oldest apple", "ben"), ("Rain barrels", "cem"), ("What the moss knows", "dora"),
      ]
    ),
    (
      "Kitchen",
      [
        ("Salt, flour, water", "dora"), ("Soup for forty", "cem"), ("A knife for life", "ben"),
        ("Pickles", "dora"), ("The green lemon", "ben"), ("Breakfast at four", "cem"),
      ]
    ),
    (
      "Journeys",
      [
        ("Night train to Narvik", "cem"), ("The last ferry", "ben"), ("Maps that lie", "dora"),
        ("Walking the canal", "cem"), ("A week without signs", "ben"), ("Letters", "ana"),
        ("Between two stations", "cem"), ("The lighthouse keeper", "dora"),
      ]
    ),
  ]

  static let openings = [
    "It began with a letter that nobody had signed. We read it twice, and then we packed our bags for the coast.",
    "Most people do this wrong, and it hardly matters. The few who do it right never talk about it at all.",
    "The house stands at the end of a road that the map does not show. Its owner likes it that way.",
    "Every morning at five the baker opens the window. The whole street knows then that it is time to get up.",
    "There are two ways to learn this. One takes a weekend, and the other one takes a patient friend.",
  ]

  static func shortened(_ text: String) -> String {
    text.replacing(" We read it twice, and then we packed", with: " We packed")
      .replacing(" at all.", with: ".").replacing(" that the map does not show", with: " without a name")
      .replacing("The whole street knows then that it is time", with: "Then it is time")
      .replacing(", and the other one takes", with: ", the other")
  }

  static let second = """
    The glass house behind the station was built in 1891 for the orchids of a railway director. Today it has no \
    heating, and still the tomatoes ripen there in January. Marta Lind, who looks after it, grows forty plants in the \
    same soil. She says that the secret is the brick wall, which stores the sun of the day.
    """

  static let corrected = """
    The glass house behind the old station was built in 1894 for the orchids of a railway director. Today it has no \
    heating, and still the tomatoes ripen there in late January. Marta Lind, who looks after it, grows sixty plants in \
    the same soil. She says that the secret is the brick wall, which gives back the sun of the day at night.
    """
}

struct MagazineState: Codable, Sendable {
  var scroll = 0
  var cursor = 0
}

/// A screen that only has a state.
@MainActor final class MagazineScreen {
  static let list = NodeKind<MagazineState, MagazineScreen>("ArticleList")
  static let editor = NodeKind<MagazineState, MagazineScreen>("ArticleEditor")
  let node: RestorationNode<MagazineState>
  let context: ChildContext?

  init(_ node: RestorationNode<MagazineState>, _ context: ChildContext? = nil) {
    (self.node, self.context) = (node, context)
  }
}
