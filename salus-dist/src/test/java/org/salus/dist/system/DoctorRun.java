package org.salus.dist.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine;

/**
 * What {@code salus doctor} says of a cluster.
 *
 * @param code the exit code
 * @param findings each as {@code SEVERITY check: what}
 */
record DoctorRun(int code, List<String> findings) {
  static DoctorRun of(LocalCluster cluster) throws IOException {
    return with("--data", cluster.dir().toString());
  }

  /** What it says with these options. */
  static DoctorRun with(String... options) throws IOException {
    StringWriter out = new StringWriter();
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    List<String> all = new ArrayList<>(List.of("doctor", "--json"));
    all.addAll(List.of(options));
    int code = line.execute(all.toArray(String[]::new));
    List<String> findings = new ArrayList<>();
    for (JsonNode f : new ObjectMapper().readTree(out.toString()).path("findings")) {
      findings.add(
          f.path("severity").asText()
              + " "
              + f.path("check").asText()
              + ": "
              + f.path("what").asText());
    }
    return new DoctorRun(code, findings);
  }

  /** Whether there is a finding that begins so, and has these words in it. */
  boolean found(String beginning, String words) {
    return findings.stream().anyMatch(f -> f.startsWith(beginning) && f.contains(words));
  }
}
