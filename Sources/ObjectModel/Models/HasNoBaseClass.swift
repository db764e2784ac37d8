/// A type that lets the compiler reject a model with a base class, because a class cannot inherit from two classes.
///
/// The properties of a base class would not be stored. The code that `@Model` writes with it is only compiled, never
/// run.
public class _HasNoBaseClass {
  private init() {}
}
