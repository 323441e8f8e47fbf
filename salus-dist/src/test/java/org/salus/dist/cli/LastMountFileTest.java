package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.LastMount.Acknowledged;
import org.salus.client.LastMount.Mount;

class LastMountFileTest {
  /** Where the file says in which boot of the machine it was written. */
  private static final int BOOT = 5 * Long.BYTES;

  @TempDir Path temp;
  private final Mount begun =
      new Mount(
          -2,
          UUID.randomUUID().toString(),
          3,
          UUID.randomUUID().toString(),
          List.of(UUID.randomUUID().toString(), UUID.randomUUID().toString()),
          0,
          Acknowledged.NOTHING,
          true);
  private Path path;

  @BeforeEach
  void name() {
    path = temp.resolve("disk1.mount");
  }

  private LastMountFile open() throws IOException {
    return new LastMountFile(path, false);
  }

  /** The file as the next process finds it after this one was killed. */
  private Mount afterAKill() throws IOException {
    Path copy = Files.copy(path, temp.resolve(UUID.randomUUID().toString()));
    try (LastMountFile next = new LastMountFile(copy, true)) {
      return next.find().orElseThrow();
    }
  }

  private Mount begun(long epoch, Acknowledged acknowledged) {
    return begun(epoch, acknowledged, true);
  }

  private Mount begun(long epoch, Acknowledged acknowledged, boolean isCertain) {
    return new Mount(
        begun.volume(),
        begun.claimId(),
        begun.generation(),
        begun.process(),
        begun.before(),
        epoch,
        acknowledged,
        isCertain);
  }

  private void machineRestarts() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(BOOT);
      file.writeLong(1);
    }
  }

  @Test
  void whatIsKeptSurvivesAKill() throws Exception {
    try (LastMountFile file = open()) {
      assertThat(file.find()).isEmpty();
      file.begin(begun, 2);
      assertThat(afterAKill()).isEqualTo(begun);
      file.keep(7);
      Acknowledged first = new Acknowledged(4, 3, 7, List.of(4L, 2L));
      file.keep(first);
      assertThat(afterAKill()).isEqualTo(begun(7, first));
      Acknowledged more = new Acknowledged(5, 3, 7, List.of(4L, 5L));
      file.keep(more);
      assertThat(afterAKill().acknowledged()).isEqualTo(more);
      file.keep(9);
      Acknowledged next = new Acknowledged(6, 6, 9, List.of(6L, 6L));
      file.keep(next);
      assertThat(afterAKill()).isEqualTo(begun(9, next));
    }
  }

  @Test
  void theNextProcessKeepsWhatItHasFound() throws Exception {
    Acknowledged acknowledged = new Acknowledged(4, 3, 7, List.of(4L, 2L));
    try (LastMountFile file = open()) {
      file.begin(begun, 2);
      file.keep(7);
      file.keep(acknowledged);
    }
    try (LastMountFile file = open()) {
      Mount found = file.find().orElseThrow();
      file.begin(found, 2);
      assertThat(afterAKill()).isEqualTo(found);
      assertThat(found.acknowledged()).isEqualTo(acknowledged);
    }
  }

  @Test
  void afterAPowerCutNothingIsCertain() throws Exception {
    LastMountFile file = open();
    file.begin(begun, 1);
    file.keep(1);
    machineRestarts();
    assertThat(afterAKill().isCertain()).isFalse();
    file.close();
    assertThat(afterAKill().isCertain()).as("all is on disk").isTrue();
    assertThatThrownBy(() -> file.keep(new Acknowledged(1, 1, 1, List.of(1L))))
        .hasMessageContaining("is closed");
    assertThatThrownBy(() -> file.keep(2)).hasMessageContaining("is closed");
    assertThat(afterAKill()).isEqualTo(begun(1, begun.acknowledged()));
  }

  /** The bridge waits for its cluster. */
  @Test
  void aPowerCutBeforeTheFirstMountTakesNothingFromWhatWasKept() throws Exception {
    try (LastMountFile file = open()) {
      file.begin(begun, 1);
      machineRestarts();
      assertThat(afterAKill().isCertain()).as("nobody was served").isTrue();
      file.keep(7);
    }
    try (LastMountFile file = open()) {
      file.begin(file.find().orElseThrow(), 1);
      machineRestarts();
      assertThat(afterAKill().isCertain()).as("nobody was served since").isTrue();
      file.keep(8);
      machineRestarts();
      assertThat(afterAKill().isCertain()).isFalse();
    }
  }

  @Test
  void whatWasUncertainStaysSoUntilAMount() throws Exception {
    LastMountFile file = open();
    file.begin(begun(3, Acknowledged.NOTHING, false), 1);
    assertThat(afterAKill().isCertain()).isFalse();
    file.close();
    assertThat(afterAKill().isCertain()).isFalse();
  }

  /** A channel does not write for a thread that is interrupted. */
  @Test
  void afterAFailureNothingIsKeptAndNothingIsCertain() throws Exception {
    Acknowledged first = new Acknowledged(4, 3, 7, List.of(4L));
    LastMountFile file = open();
    file.begin(begun, 1);
    file.keep(7);
    file.keep(first);
    List<IOException> told = new ArrayList<>();
    file.whenItFails(told::add);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> file.keep(new Acknowledged(5, 3, 7, List.of(5L))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot write " + path);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(told).singleElement().asString().contains("cannot write " + path);
    assertThatThrownBy(() -> file.keep(new Acknowledged(6, 3, 7, List.of(6L))))
        .hasMessageContaining("cannot write " + path);
    assertThatThrownBy(() -> file.keep(8)).hasMessageContaining("cannot write " + path);
    List<IOException> toldLate = new ArrayList<>();
    file.whenItFails(toldLate::add);
    assertThat(toldLate).isEqualTo(told);
    file.close();
    assertThat(afterAKill().acknowledged()).isEqualTo(first);
    machineRestarts();
    assertThat(afterAKill().isCertain()).as("not all may be on disk").isFalse();
  }

  @Test
  void aFileThatCannotBeWrittenIsToldBeforeAnyClaim() throws Exception {
    Path dir = Files.createDirectory(temp.resolve("gone"));
    try (LastMountFile file = new LastMountFile(dir.resolve("m"), false)) {
      Files.delete(dir.resolve("m.held"));
      Files.delete(dir);
      assertThatThrownBy(() -> file.begin(begun, 1)).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> new LastMountFile(dir.resolve("m"), false))
        .hasMessageContaining("there is no directory " + dir);
  }

  @Test
  void aFileThatMustBeThereIsNotMadeAnew() throws Exception {
    assertThatThrownBy(() -> new LastMountFile(path, true))
        .hasMessageContaining("there is no " + path);
    assertThat(path).doesNotExist();
  }

  @Test
  void oneProcessAtATimeHasIt() throws Exception {
    try (LastMountFile file = open()) {
      assertThatThrownBy(this::open).hasMessageContaining("another bridge uses " + path);
    }
    open().close();
  }

  @Test
  void aDamagedFileIsNoMissingOne() throws Exception {
    Files.writeString(path, "1");
    assertThatThrownBy(this::open).hasMessageContaining("is damaged");
    Files.write(path, new byte[200]);
    assertThatThrownBy(this::open).hasMessageContaining("is damaged");
  }
}
