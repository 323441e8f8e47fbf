package org.salus.dist.cli;

import java.util.List;

/**
 * Commands that {@code bin/salus} also has when their module is on the class path. {@link
 * java.util.ServiceLoader} finds them. The installed program has none.
 */
public interface Subcommands {
  /** Objects with picocli's {@code @Command}, in the order of the help. */
  List<Object> commands();
}
