package org.salus.sim.explore.automaton;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.salus.core.Signer;
import org.salus.core.tree.Hashes;

/**
 * A digest of 128 bits over everything that an object graph holds, read by reflection. Two graphs
 * with one digest behave alike.
 *
 * <ul>
 *   <li>Objects of this project that are not records are told apart by identity, so aliases and
 *       cycles count. Everything else is compared by content.
 *   <li>Collections are read in their own order if they have one.
 *   <li>A class that it does not know is an error, and so is a lambda that captures something.
 * </ul>
 */
public final class Digest {

  /** The 128 bits of a digest. */
  public record Print(long a, long b) implements Comparable<Print> {
    @Override
    public int compareTo(Print o) {
      return a != o.a ? Long.compare(a, o.a) : Long.compare(b, o.b);
    }
  }

  private static final Map<Class<?>, Field[]> FIELDS = new ConcurrentHashMap<>();
  private static final int REFERENCE = 1;
  private static final int OBJECT = 2;
  private static final int SEQUENCE = 3;
  private static final int BAG = 4;

  private IdentityHashMap<Object, Integer> seen;
  private long a = 0x243f6a8885a308d3L;
  private long b = 0x13198a2e03707344L;

  private Digest() {}

  public static Print of(Object root) {
    Digest d = new Digest();
    d.add(root);
    return d.print();
  }

  public static Print of(byte[] bytes) {
    Digest d = new Digest();
    d.addBytes(ByteBuffer.wrap(bytes));
    return d.print();
  }

  private Print print() {
    return new Print(a, b);
  }

  private static long mix(long x) {
    long z = (x ^ x >>> 33) * 0xff51afd7ed558ccdL;
    z = (z ^ z >>> 33) * 0xc4ceb9fe1a85ec53L;
    return z ^ z >>> 33;
  }

  private void put(long x) {
    a = mix(a + x * 0x9e3779b97f4a7c15L);
    b = mix(Long.rotateLeft(b, 23) ^ x + 0xbf58476d1ce4e5b9L);
  }

  private void add(Object o) {
    if (o == null) {
      put(0);
    } else if (o instanceof Long || o instanceof Integer || o instanceof Byte) {
      put(((Number) o).longValue());
    } else if (o instanceof Character c) {
      put(c);
    } else if (o instanceof Boolean f) {
      put(f ? 1 : 2);
    } else if (o instanceof CharSequence s) {
      put(s.length());
      s.chars().forEach(this::put);
    } else if (o instanceof Enum<?> e) {
      put(e.ordinal());
    } else if (o instanceof ByteBuffer buffer) {
      addBytes(buffer.duplicate());
    } else if (o instanceof byte[] bytes) {
      addBytes(ByteBuffer.wrap(bytes));
    } else if (o instanceof BitSet bits) {
      addArray(bits.toLongArray());
    } else if (o.getClass().isArray()) {
      addArray(o);
    } else if (o instanceof Map<?, ?> m) {
      addMap(m);
    } else if (o instanceof Collection<?> c) {
      addCollection(c);
    } else if (!(o instanceof Signer
        || o instanceof Hashes)) { // those two hold no state between calls
      addObject(o);
    }
  }

  private void addBytes(ByteBuffer x) {
    put(x.remaining());
    while (x.remaining() >= Long.BYTES) {
      put(x.getLong());
    }
    while (x.hasRemaining()) {
      put(x.get());
    }
  }

  private void addArray(Object array) {
    int n = Array.getLength(array);
    put(n);
    for (int i = 0; i < n; i++) {
      add(Array.get(array, i));
    }
  }

  private void addMap(Map<?, ?> m) {
    List<Object> entries = new ArrayList<>();
    m.forEach((k, v) -> entries.add(new Object[] {k, v}));
    addAll(entries, m.getClass() != HashMap.class);
  }

  private void addCollection(Collection<?> c) {
    addAll(c, !(c instanceof HashSet) || c instanceof LinkedHashSet);
  }

  private void addAll(Collection<?> c, boolean ordered) {
    put(ordered ? SEQUENCE : BAG);
    put(c.size());
    if (ordered) {
      c.forEach(this::add);
      return;
    }
    List<Print> prints = new ArrayList<>();
    c.forEach(x -> prints.add(of(x)));
    Collections.sort(prints);
    prints.forEach(
        p -> {
          put(p.a);
          put(p.b);
        });
  }

  private void addObject(Object o) {
    Class<?> type = o.getClass();
    if (type.isHidden() && fields(type).length == 0) {
      return; // a lambda that captures nothing
    }
    if (!type.getName().startsWith("org.salus.") || type.isHidden()) {
      throw new IllegalStateException(
          "a component's state holds a " + type.getName() + ", which cannot be compared");
    }
    if (!type.isRecord()) {
      seen = seen == null ? new IdentityHashMap<>() : seen;
      Integer before = seen.putIfAbsent(o, seen.size());
      if (before != null) {
        put(REFERENCE);
        put(before);
        return;
      }
    }
    put(OBJECT);
    put(type.getName().hashCode());
    for (Field f : FIELDS.computeIfAbsent(type, Digest::fields)) {
      try {
        add(f.get(o));
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("fields are accessible", e);
      }
    }
  }

  private static Field[] fields(Class<?> type) {
    List<Field> all = new ArrayList<>();
    for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
      for (Field f : c.getDeclaredFields()) {
        if (!Modifier.isStatic(f.getModifiers())) {
          f.setAccessible(true);
          all.add(f);
        }
      }
    }
    all.sort(
        (x, y) ->
            (x.getDeclaringClass().getName() + x.getName())
                .compareTo(y.getDeclaringClass().getName() + y.getName()));
    return all.toArray(Field[]::new);
  }
}
