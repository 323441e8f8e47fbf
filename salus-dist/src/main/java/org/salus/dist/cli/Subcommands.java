package org.salus.dist.cli;

import java.util.List;

/**
 * Commands that join {@code bin/salus} where their module is on the class path, by {@link
 * java.util.ServiceLoader}. What is installed has none.
 */
public interface Subcommands {
  /** Objects with picocli's {@code @Command}, in the order in which the help names them. */
  List<Object> commands();
}
