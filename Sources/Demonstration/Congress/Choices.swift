import RepriseCore

enum Gender: String, AttributeValue {
  case female = "F"
  case male = "M"
}

/// The office of a term.
enum Seat: String, AttributeValue {
  case representative = "rep"
  case senator = "sen"
  case president = "prez"
}

/// The chamber that a committee belongs to.
enum Chamber: String, AttributeValue {
  case house
  case senate
  case joint
}

/// The side of the aisle.
enum Side: String, AttributeValue {
  case majority
  case minority
}
