package org.salus.datanode.hdfs;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Makes objects that have the fields of others, of classes that cannot be asked for a copy. */
final class FieldCopies {
  private FieldCopies() {}

  /**
   * Returns an object of a subclass with the values of all fields that the parent declares. No
   * constructor runs, so the subclass' own fields are unset.
   *
   * @throws ReflectiveOperationException if this Java makes no objects without a constructor
   */
  static <P, T extends P> T of(Class<P> parent, P original, Class<T> type)
      throws ReflectiveOperationException {
    T copy = withoutConstructor(type);
    for (Field field : parent.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        field.set(copy, field.get(original));
      }
    }
    return copy;
  }

  /** Makes an object as deserialization does. Java's own class for it has no other name. */
  private static <T> T withoutConstructor(Class<T> type) throws ReflectiveOperationException {
    Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
    Object made =
        factory
            .getMethod("newConstructorForSerialization", Class.class, Constructor.class)
            .invoke(
                factory.getMethod("getReflectionFactory").invoke(null),
                type,
                Object.class.getConstructor());
    return type.cast(((Constructor<?>) made).newInstance());
  }
}
