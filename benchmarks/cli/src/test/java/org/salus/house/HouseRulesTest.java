package org.salus.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The rules of the house, over the classes of every module, and each rule on code that breaks it.
 */
class HouseRulesTest {
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolve("../..").normalize();

  private static JavaClasses house;

  /** Every module with code; one that was not built is an error, not a gap. */
  private static synchronized JavaClasses house() throws IOException {
    if (house == null) {
      List<Path> built = new ArrayList<>();
      try (Stream<Path> files = Files.find(ROOT, 5, (f, a) -> f.endsWith("src/main/java"))) {
        for (Path sources : files.sorted().toList()) {
          Path classes = sources.resolve("../../../target/classes").normalize();
          assertThat(classes.resolve("org/salus")).as("build every module first").isDirectory();
          built.add(classes);
        }
      }
      assertThat(built).hasSizeGreaterThan(15);
      house =
          new ClassFileImporter()
              .withImportOption(location -> !location.contains("/jmh_generated/"))
              .importPaths(built);
    }
    return house;
  }

  @TestFactory
  Stream<DynamicTest> everyModuleKeeps() {
    return HouseRules.ALL.stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(house())));
  }

  @Test
  void everyClassHasItsRoom() throws IOException {
    assertThat(house().stream().filter(c -> HouseRules.room(c).equals("none"))).isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> isSeenToFail() {
    JavaClasses planted =
        new ClassFileImporter()
            .importPackages(
                "org.salus.core.planted",
                "org.salus.client.planted",
                "org.salus.datanode.hdfs.planted");
    assertThat(planted).isNotEmpty();
    return HouseRules.ALL.stream()
        .map(
            rule ->
                DynamicTest.dynamicTest(
                    rule.getDescription(),
                    () ->
                        assertThatThrownBy(() -> rule.check(planted))
                            .isInstanceOf(AssertionError.class)));
  }
}
