package org.salus.core;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All records that differ from a record in one place: in a field, in a field of a record inside it,
 * in one element of a list, by the lack of one, or by the order of two.
 */
public final class RecordChanges {
  private RecordChanges() {}

  /** The changed records, each under the path of what differs, such as {@code members[1].node}. */
  @SuppressWarnings("unchecked")
  public static <T extends Record> Map<String, T> of(T record) {
    Map<String, T> changes = new LinkedHashMap<>();
    others(record).forEach((path, other) -> changes.put(path.substring(1), (T) other));
    return changes;
  }

  /** The name of the field in which a path of {@link #of} begins. */
  public static String field(String path) {
    return path.split("[.\\[]")[0];
  }

  /** The names of a record's fields. */
  public static List<String> fields(Record r) {
    return Arrays.stream(r.getClass().getRecordComponents()).map(RecordComponent::getName).toList();
  }

  private static Map<String, Object> others(Object value) {
    Map<String, Object> others = new LinkedHashMap<>();
    if (value instanceof Record r) {
      changeFields(r, others);
    } else if (value instanceof List<?> l) {
      changeElements(l, others);
    } else {
      others.put("", other(value));
    }
    return others;
  }

  private static void changeFields(Record r, Map<String, Object> others) {
    try {
      RecordComponent[] fields = r.getClass().getRecordComponents();
      Class<?>[] types =
          Arrays.stream(fields).map(RecordComponent::getType).toArray(Class<?>[]::new);
      Constructor<?> constructor = r.getClass().getDeclaredConstructor(types);
      constructor.setAccessible(true);
      Object[] values = new Object[fields.length];
      for (int i = 0; i < fields.length; i++) {
        fields[i].getAccessor().setAccessible(true);
        values[i] = fields[i].getAccessor().invoke(r);
      }
      for (int i = 0; i < fields.length; i++) {
        for (Map.Entry<String, Object> other : others(values[i]).entrySet()) {
          Object[] changed = values.clone();
          changed[i] = other.getValue();
          others.put("." + fields[i].getName() + other.getKey(), constructor.newInstance(changed));
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("a test must know how to change " + r, e);
    }
  }

  private static void changeElements(List<?> list, Map<String, Object> others) {
    for (int i = 0; i < list.size(); i++) {
      for (Map.Entry<String, Object> other : others(list.get(i)).entrySet()) {
        List<Object> changed = new ArrayList<>(list);
        changed.set(i, other.getValue());
        others.put("[" + i + "]" + other.getKey(), changed);
      }
      List<Object> without = new ArrayList<>(list);
      without.remove(i);
      others.put("[" + i + "] dropped", without);
    }
    if (list.size() > 1) {
      List<Object> swapped = new ArrayList<>(list);
      swapped.set(0, list.get(1));
      swapped.set(1, list.get(0));
      others.put("[0] and [1] swapped", swapped);
    }
  }

  /** Another value of the same type and, if its length is fixed, of the same length. */
  private static Object other(Object value) {
    if (value instanceof Integer i) {
      return i == 0 ? 1 : 2 * i; // a block size stays a power of two
    }
    if (value instanceof Long l) {
      return l + 1;
    }
    if (value instanceof Boolean b) {
      return !b;
    }
    if (value instanceof String s) {
      return s + "x";
    }
    if (value instanceof byte[] b) {
      byte[] other = b.clone();
      other[b.length - 1] ^= 1;
      return other;
    }
    if (value instanceof Enum<?> e) {
      Object[] all = e.getDeclaringClass().getEnumConstants();
      return all[(e.ordinal() + 1) % all.length];
    }
    throw new IllegalArgumentException("a test must know how to change " + value);
  }
}
