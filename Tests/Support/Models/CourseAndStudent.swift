import RepriseObjectModel
import RepriseQuery

// Models in many-to-many relationships, written by hand.

package final class Student: TestModel {
  package static let entity = Entity(
    Student.self, name: "Student",
    properties: [
      .attribute("name", String.self, indexed: true),
      .toMany("courses", Course.self, inverse: "students"),
      .toMany("helpers", Student.self, inverse: "helped"),
      .toMany("helped", Student.self),
      .toMany("diaries", Diary.self, inverse: "authors", deleteRule: .cascade),
      .toMany("friends", Student.self, inverse: "friends"),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String) {
    _storage = ObjectStorage(Student.entity)
    self.name = name
  }

  @Stored(0) package var name: String
  package var courses: ToMany<Course> {
    get { ToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }
  package var helpers: ToMany<Student> {
    get { ToMany(2, of: self) }
    set { _storage.setToMany(2, newValue, of: self) }
  }
  package var helped: ToMany<Student> {
    get { ToMany(3, of: self) }
    set { _storage.setToMany(3, newValue, of: self) }
  }
  package var diaries: ToMany<Diary> {
    get { ToMany(4, of: self) }
    set { _storage.setToMany(4, newValue, of: self) }
  }
  /// Its own inverse.
  package var friends: ToMany<Student> {
    get { ToMany(5, of: self) }
    set { _storage.setToMany(5, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Student
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Student, String> { Field(path.appending("name")) }
    package var courses: ToManyField<Student, Course> { ToManyField(path.appending("courses")) }
    package var helpers: ToManyField<Student, Student> { ToManyField(path.appending("helpers")) }
    package var friends: ToManyField<Student, Student> { ToManyField(path.appending("friends")) }
  }
}

package final class Course: TestModel {
  package static let entity = Entity(
    Course.self, name: "Course",
    properties: [.attribute("title", String.self), .toMany("students", Student.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ title: String) {
    _storage = ObjectStorage(Course.entity)
    self.title = title
  }

  @Stored(0) package var title: String
  package var students: ToMany<Student> {
    get { ToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Course
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var title: Field<Course, String> { Field(path.appending("title")) }
    package var students: ToManyField<Course, Student> { ToManyField(path.appending("students")) }
  }
}

/// Goes with any of its authors.
package final class Diary: TestModel {
  package static let entity = Entity(
    Diary.self, name: "Diary", properties: [.toMany("authors", Student.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package var authors: ToMany<Student> {
    get { ToMany(0, of: self) }
    set { _storage.setToMany(0, newValue, of: self) }
  }
}
