package org.salus.dist;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

class DistArchitectureTest {
  private static final ArchRule NO_CYCLES =
      slices().matching("org.salus.dist.(*)..").should().beFreeOfCycles();

  private static final ArchRule PICOCLI_ONLY_IN_CLI =
      noClasses()
          .that()
          .resideOutsideOfPackage("..cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  /** So client commands need neither on their class path. */
  private static final ArchRule HADOOP_ONLY_IN_HBASE_AND_HDFS =
      noClasses()
          .that()
          .resideOutsideOfPackages("..hbase..", "..hdfs..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.hadoop..");

  private final JavaClasses dist =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.salus.dist");

  @Test
  void packagesHaveNoCycleAndLibrariesStayInTheirPackages() {
    assertThat(dist).isNotEmpty();
    NO_CYCLES.check(dist);
    PICOCLI_ONLY_IN_CLI.check(dist);
    HADOOP_ONLY_IN_HBASE_AND_HDFS.check(dist);
  }

  @Test
  void theRulesCanFail() {
    JavaClasses tests = new ClassFileImporter().importPackages("org.salus.dist");
    assertThatThrownBy(() -> HADOOP_ONLY_IN_HBASE_AND_HDFS.check(tests))
        .as("SettingsFileTest compares with Hadoop")
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> PICOCLI_ONLY_IN_CLI.check(tests))
        .as("system tests run the command line")
        .isInstanceOf(AssertionError.class);
  }
}
