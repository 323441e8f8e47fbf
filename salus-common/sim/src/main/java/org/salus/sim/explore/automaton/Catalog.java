package org.salus.sim.explore.automaton;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Everything that was seen in any world, each under a number of its own. It holds states of
 * components, and things: events, messages, effects, disks. A component's transition runs the real
 * class once and is remembered. A state that is not at hand is made again from its history.
 */
public final class Catalog {

  /**
   * The result of an event in a state: the next state, the things that follow, or the exception of
   * what it broke.
   */
  public record Transition(int state, int[] outs, RuntimeException broken) {}

  /** The origin of a state. {@code parent} is -1 for a new component. */
  private record State(int automaton, int parent, int event, boolean idle) {}

  /** The known transitions of one state. They are few, so a search goes through all of them. */
  private static final class Row {
    private int[] events = new int[4];
    private Transition[] transitions = new Transition[4];
    private int count;

    Transition get(int event) {
      for (int i = 0; i < count; i++) {
        if (events[i] == event) {
          return transitions[i];
        }
      }
      return null;
    }

    void put(int event, Transition t) {
      if (count == events.length) {
        events = Arrays.copyOf(events, 2 * count);
        transitions = Arrays.copyOf(transitions, 2 * count);
      }
      events[count] = event;
      transitions[count++] = t;
    }
  }

  private static final int AT_HAND = 2_000;

  private final List<Object> things = new ArrayList<>();
  private final List<Digest.Print> prints = new ArrayList<>();
  private final Map<Digest.Print, Integer> numbers = new HashMap<>();
  private final List<Supplier<Automaton>> automata = new ArrayList<>();
  private final Map<Object, Integer> initial = new HashMap<>();
  private final List<State> states = new ArrayList<>();
  private final Map<Digest.Print, Integer> stateNumbers = new HashMap<>();
  private final List<Row> rows = new ArrayList<>();
  private int transitions;
  private final Map<Integer, Automaton> atHand =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Automaton> eldest) {
          return size() > AT_HAND;
        }
      };

  /** The number of a thing. Equal things have one number. */
  public int number(Object thing) {
    Digest.Print p = Digest.of(List.of(thing.getClass().getName(), thing));
    Integer known = numbers.get(p);
    if (known == null) {
      known = things.size();
      numbers.put(p, known);
      things.add(thing);
      prints.add(p);
    }
    return known;
  }

  public Object thing(int number) {
    return things.get(number);
  }

  /** Compares things in an order that does not depend on when they were first seen. */
  public int compare(int x, int y) {
    return prints.get(x).compareTo(prints.get(y));
  }

  /** The first state of a component. {@code name} tells components apart. */
  public int initial(Object name, Supplier<Automaton> make) {
    return initial.computeIfAbsent(
        name,
        k -> {
          automata.add(make);
          return intern(make.get(), automata.size() - 1, -1, -1);
        });
  }

  private int intern(Automaton m, int automaton, int parent, int event) {
    Digest.Print p = Digest.of(List.of(automaton, m));
    Integer known = stateNumbers.get(p);
    if (known == null) {
      known = states.size();
      stateNumbers.put(p, known);
      states.add(new State(automaton, parent, event, m.isIdle()));
      rows.add(new Row());
    }
    atHand.putIfAbsent(known, m);
    return known;
  }

  public boolean isIdle(int state) {
    return states.get(state).idle();
  }

  public Transition step(int state, int event) {
    Row row = rows.get(state);
    Transition t = row.get(event);
    if (t == null) {
      t = learn(state, event);
      row.put(event, t);
      transitions++;
    }
    return t;
  }

  private Transition learn(int state, int event) {
    Automaton m = component(state);
    try {
      List<Object> outs = m.apply(things.get(event));
      int[] numbered = outs.stream().mapToInt(this::number).toArray();
      return new Transition(intern(m, states.get(state).automaton(), state, event), numbered, null);
    } catch (RuntimeException e) {
      return new Transition(-1, null, e);
    }
  }

  /** The component in this state. The caller may change it. */
  private Automaton component(int state) {
    Automaton m = atHand.remove(state);
    if (m != null) {
      return m;
    }
    List<Integer> history = new ArrayList<>();
    int s = state;
    for (; states.get(s).parent() >= 0; s = states.get(s).parent()) {
      history.add(states.get(s).event());
    }
    m = automata.get(states.get(s).automaton()).get();
    for (int i = history.size() - 1; i >= 0; i--) {
      m.apply(things.get(history.get(i)));
    }
    return m;
  }

  /** The number of distinct states of components. */
  public int states() {
    return states.size();
  }

  /** The number of transitions of components that were run. */
  public int transitions() {
    return transitions;
  }
}
