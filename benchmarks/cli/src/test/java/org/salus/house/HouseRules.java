package org.salus.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.security.AccessControlException;

/**
 * Which code may import what, for every module. A rule that needs an exception names it here, with
 * the reason.
 */
final class HouseRules {
  /**
   * The rooms of the house: a module's packages, and the rooms that they may import. A room that
   * stands inside another one ({@code org.salus.benchmarks.cli}) counts as itself.
   */
  private static final Map<String, List<String>> ROOMS = new LinkedHashMap<>();

  static {
    room("core");
    room("host", "core");
    room("sim", "core");
    room("client", "core", "host");
    room("nbd", "host", "client");
    room("datanode", "core", "host");
    room("monitor", "host", "client");
    // The replica writers and readers of active storage run inside region servers.
    room("regionserver", "core", "host", "datanode", "monitor");
    // The master settles volumes that clients have left, as a client does.
    room("master", "core", "host", "client", "monitor");
    room("dist", "core", "host", "client", "nbd", "datanode", "monitor", "regionserver", "master");
    room("benchmarks.report");
    room("benchmarks.peers", "host");
    room("benchmarks.faulty", "core", "host", "datanode", "regionserver");
    room(
        "benchmarks.figures",
        "core",
        "host",
        "sim",
        "client",
        "nbd",
        "datanode",
        "dist",
        "benchmarks.report",
        "benchmarks.peers");
    room(
        "benchmarks.faults",
        "core",
        "host",
        "client",
        "dist",
        "benchmarks.report",
        "benchmarks.faulty");
    room("benchmarks.micro", "core", "host", "client", "nbd", "datanode", "regionserver");
    room(
        "benchmarks.cli",
        "core",
        "host",
        "sim",
        "client",
        "nbd",
        "dist",
        "benchmarks.report",
        "benchmarks.figures",
        "benchmarks.faulty",
        "benchmarks.faults");
  }

  /**
   * A library's packages, and the names of packages (one segment of the whole) that may import it.
   */
  private static final Map<String, List<String>> LIBRARIES = new LinkedHashMap<>();

  static {
    library("io.netty", "netty");
    library("org.apache.hadoop.hbase", "hbase");
    library("org.apache.hadoop", "hdfs", "hbase");
    library("org.apache.zookeeper", "zk");
    library("org.apache.curator", "zk");
    library("picocli", "cli");
    library("com.fasterxml.jackson", "zk", "cli", "nbd", "json");
    library("com.sun.jna", "hdfs");
    library("org.apache.ratis", "ratis");
    library("org.openjdk.jmh", "micro");
    library("org.knowm.xchart", "report");
    library("org.apache.batik", "report");
    library(
        "org.slf4j",
        "host",
        "client",
        "nbd",
        "datanode",
        "monitor",
        "regionserver",
        "master",
        "dist",
        "benchmarks");
    library("org.apache.log4j", "dist", "ratis");
    library("com.google.protobuf", "hdfs", "hbase");
    library("org.HdrHistogram", "metrics", "benchmarks");
  }

  private static final List<String> OF_THE_JDK =
      List.of(
          "java",
          "javax",
          "org.w3c.dom",
          "org.xml.sax",
          "com.sun.management",
          "com.sun.net.httpserver",
          "com.sun.nio.file");

  /** The packages that the core may use: no I/O, no threads, no clock. */
  private static final String[] OF_THE_CORE = {
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
    "java.security"
  };

  static final ArchRule CORE_USES_ONLY_THE_JDK =
      classes()
          .that()
          .resideInAPackage("org.salus.core..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(OF_THE_CORE);

  /** Runs of one seed are the same run: nothing depends on hash order, threads or chance. */
  static final ArchRule CORE_IS_DETERMINISTIC =
      noClasses()
          .that()
          .resideInAPackage("org.salus.core..")
          .should()
          .dependOnClassesThat()
          .haveNameMatching(
              "java\\.util\\.(HashMap|HashSet|IdentityHashMap|WeakHashMap|Random|SplittableRandom"
                  + "|UUID|Timer|Date)|java\\.lang\\.Thread.*|java\\.security\\.SecureRandom");

  static final ArchRule CORE_HAS_NO_CLOCK =
      noClasses()
          .that()
          .resideInAPackage("org.salus.core..")
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  static final ArchRule NO_CYCLES =
      slices().assignedFrom(new EachPackage()).should().beFreeOfCycles();

  static final ArchRule ROOMS_IMPORT_ONLY_WHAT_IS_BELOW =
      classes().should(importOnly("rooms below their own", HouseRules::mayEnter));

  static final ArchRule LIBRARIES_STAY_IN_THEIR_PACKAGES =
      classes()
          .should(importOnly("libraries that their packages are named for", HouseRules::mayUse));

  /** Of what the NameNode refuses, each answer is counted or known to be ordinary. */
  static final ArchRule REFUSALS_ARE_MADE_IN_ONE_PLACE =
      noClasses()
          .that()
          .resideInAPackage("org.salus.datanode.hdfs..")
          .and()
          .doNotHaveSimpleName("Refusals")
          .and()
          .doNotHaveSimpleName("ReplicaGuard") // of the DataNode, and so the next
          .and()
          .doNotHaveSimpleName("GivenStamps")
          .should()
          .callConstructor(AccessControlException.class, String.class);

  static final List<ArchRule> ALL =
      List.of(
          CORE_USES_ONLY_THE_JDK,
          CORE_IS_DETERMINISTIC,
          CORE_HAS_NO_CLOCK,
          NO_CYCLES,
          ROOMS_IMPORT_ONLY_WHAT_IS_BELOW,
          LIBRARIES_STAY_IN_THEIR_PACKAGES,
          REFUSALS_ARE_MADE_IN_ONE_PLACE);

  private HouseRules() {}

  /** Each package by itself, not with those below it. */
  private static final class EachPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass c) {
      return c.getPackageName().startsWith("org.salus")
          ? SliceIdentifier.of(c.getPackageName())
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }

  private static void room(String name, String... below) {
    ROOMS.put(name, List.of(below));
  }

  private static void library(String packages, String... names) {
    LIBRARIES.put(packages, List.of(names));
  }

  /** The room of a class of Salus; the longest name that fits. */
  static String room(JavaClass c) {
    return ROOMS.keySet().stream()
        .filter(r -> isBelow(c.getPackageName(), "org.salus." + r))
        .max((a, b) -> a.length() - b.length())
        .orElse("none");
  }

  private static boolean isBelow(String name, String ancestor) {
    return name.equals(ancestor) || name.startsWith(ancestor + ".");
  }

  private static boolean mayEnter(JavaClass from, JavaClass to) {
    if (!to.getPackageName().startsWith("org.salus")) {
      return true;
    }
    String room = room(from);
    return room.equals(room(to)) || ROOMS.getOrDefault(room, List.of()).contains(room(to));
  }

  private static boolean mayUse(JavaClass from, JavaClass to) {
    String target = to.getBaseComponentType().getPackageName();
    if (to.getBaseComponentType().isPrimitive()
        || OF_THE_JDK.stream().anyMatch(jdk -> isBelow(target, jdk))
        || isBelow(target, "org.salus")) {
      return true;
    }
    Set<String> segments = new TreeSet<>(Arrays.asList(from.getPackageName().split("\\.")));
    return LIBRARIES.entrySet().stream()
        .filter(l -> isBelow(target, l.getKey()))
        .findFirst()
        .map(l -> l.getValue().stream().anyMatch(segments::contains))
        .orElse(false);
  }

  private interface Permission {
    boolean isGiven(JavaClass from, JavaClass to);
  }

  private static ArchCondition<JavaClass> importOnly(String what, Permission permission) {
    return new ArchCondition<>("import only " + what) {
      @Override
      public void check(JavaClass from, ConditionEvents events) {
        for (Dependency d : from.getDirectDependenciesFromSelf()) {
          if (!permission.isGiven(from, d.getTargetClass())) {
            events.add(SimpleConditionEvent.violated(from, d.getDescription()));
          }
        }
      }
    };
  }
}
