package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.dist.doctor.Diagnosis;
import org.salus.dist.doctor.check.Finding;
import org.salus.dist.doctor.check.Finding.Severity;

class DoctorCommandTest {
  private static final List<Diagnosis.Looked> CHECKS =
      List.of(new Diagnosis.Looked("guard", "all is guarded"));

  @Test
  void eachFindingIsOneLineWithTheWayOut() {
    Diagnosis d =
        new Diagnosis(
            false,
            1,
            2,
            List.of(
                new Finding(Severity.PROBLEM, "guard", "no guard\n\tat a.b.C(C.java:1)", "add one"),
                new Finding(Severity.NOTE, "space", "much room", "")),
            CHECKS);
    assertThat(DoctorCommand.text(d).lines())
        .containsExactly(
            "problem  guard: no guard -> add one",
            "note     space: much room",
            "not healthy: 1 problem, 2 warnings; 1 check");
  }

  @Test
  void nothingFoundIsOneLine() {
    assertThat(DoctorCommand.text(new Diagnosis(true, 0, 0, List.of(), CHECKS)))
        .isEqualTo("healthy: no problems, no warnings; 1 check");
  }
}
