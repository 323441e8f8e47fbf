package org.salus.dist.doctor.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.salus.dist.doctor.check.Finding.Severity;

/** Tests of checks on a {@link ScriptedCluster}, new for each. */
abstract class OnScriptedCluster {
  final ScriptedCluster cluster = new ScriptedCluster();

  /** The findings, as lines that begin with the severity. */
  List<String> look(Check check) throws IOException {
    return check.look(cluster).stream()
        .map(f -> f.severity() + " " + f.what() + " -> " + f.wayOut())
        .toList();
  }

  void assertOne(Check check, Severity severity, String... words) throws IOException {
    List<String> found = look(check);
    assertThat(found).hasSize(1);
    assertThat(found.get(0)).startsWith(severity + " ").contains(words);
  }
}
