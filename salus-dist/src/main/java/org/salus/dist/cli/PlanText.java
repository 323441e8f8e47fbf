package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.salus.dist.install.Home;
import org.salus.dist.install.Plan;

/** Prints what {@code salus install} and {@code salus uninstall} do, for people. */
final class PlanText {
  private PlanText() {}

  /** The whole difference of each file, and all other files. */
  static void whole(List<Plan> plans, PrintWriter out) throws IOException {
    for (Plan p : plans) {
      p.diff().forEach(out::println);
      p.others().forEach(out::println);
    }
    notes(plans, out);
  }

  /** A few lines about each place. */
  static void brief(List<Plan> plans, PrintWriter out) throws IOException {
    for (Plan p : plans) {
      List<String> diff = p.diff();
      if (!diff.isEmpty()) {
        out.printf(
            "%s: %s added, %s taken out%n", p.home().site(), lines(diff, '+'), lines(diff, '-'));
      }
      jars("copied to ", p.copied(), p.home(), out);
      jars("deleted from ", p.removed(), p.home(), out);
    }
    notes(plans, out);
  }

  private static void jars(String how, List<String> jars, Home home, PrintWriter out) {
    if (!jars.isEmpty()) {
      out.println(how + home.jars() + ": " + String.join(", ", jars));
    }
  }

  /** The number of lines with this sign, but for those that name the file. */
  private static String lines(List<String> diff, char sign) {
    long n = diff.stream().skip(2).filter(l -> l.charAt(0) == sign).count();
    return n + (n == 1 ? " line" : " lines");
  }

  /** What the operator is to know. */
  private static void notes(List<Plan> plans, PrintWriter out) {
    plans.forEach(p -> p.notes().forEach(n -> out.println("note: " + n)));
  }
}
