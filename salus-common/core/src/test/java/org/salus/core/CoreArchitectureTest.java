package org.salus.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoreArchitectureTest {

  private static final ArchRule ONLY_THE_JDK =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "org.salus.core..",
              "java.lang",
              "java.lang.runtime",
              "java.lang.invoke",
              "java.util",
              "java.util.function",
              "java.util.stream",
              "java.util.regex",
              "java.util.zip",
              "java.nio",
              "java.nio.charset",
              "java.security");

  private static final ArchRule NO_HASH_ORDER_NO_THREADS_NO_CLOCK =
      noClasses()
          .should()
          .dependOnClassesThat()
          .haveNameMatching(
              "java\\.util\\.(HashMap|HashSet|IdentityHashMap|WeakHashMap|Random|SplittableRandom|UUID|Timer|Date)|java\\.lang\\.Thread.*|java\\.security\\.SecureRandom");

  private static final ArchRule NO_SYSTEM_CLOCK =
      noClasses()
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  private final JavaClasses core =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.salus.core");

  @Test
  void theCoreUsesOnlyTheJdkWithoutIoThreadsClocksAndHashOrder() {
    assertThat(core).isNotEmpty();
    ONLY_THE_JDK.check(core);
    NO_HASH_ORDER_NO_THREADS_NO_CLOCK.check(core);
    NO_SYSTEM_CLOCK.check(core);
  }

  /** Breaks every rule. */
  static final class Offender {
    final Map<String, java.io.File> files = new HashMap<>();
    final long now = System.nanoTime();
    final Thread thread = Thread.currentThread();
  }

  @Test
  void theRulesAreSeenToFail() {
    JavaClasses offender = new ClassFileImporter().importClasses(Offender.class);
    for (ArchRule rule :
        new ArchRule[] {ONLY_THE_JDK, NO_HASH_ORDER_NO_THREADS_NO_CLOCK, NO_SYSTEM_CLOCK}) {
      assertThatThrownBy(() -> rule.check(offender)).isInstanceOf(AssertionError.class);
    }
  }
}
