import RepriseCore

enum Gender: String, AttributeValue {
  case female = "F"
  case male = "M"
}

/// What one is elected to.
enum Seat: String, AttributeValue {
  case representative = "rep"
  case senator = "sen"
  case president = "prez"
}

/// Where a committee belongs.
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
