package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.LastMount;

class LastMountFileTest {
  @TempDir Path temp;

  @Test
  void theNextProcessFindsTheLastMount() throws Exception {
    Path path = temp.resolve("disk1.mount");
    LastMountFile file = new LastMountFile(path);
    assertThat(file.find()).isEmpty();
    file.keep(new LastMount.Mount(-2, 6));
    file.keep(new LastMount.Mount(-2, 7));
    assertThat(file.find()).contains(new LastMount.Mount(-2, 7));
    assertThat(new LastMountFile(path).find()).contains(new LastMount.Mount(-2, 7));
    assertThat(path).content().isEqualTo("fffffffffffffffe 7\n");
  }

  /** What is not kept makes the next bridge refuse the volume, and this one go on. */
  @Test
  void aMountThatCannotBeKeptEndsNothing() throws Exception {
    Path dir = Files.createDirectory(temp.resolve("gone"));
    LastMountFile file = new LastMountFile(dir.resolve("m"));
    Files.delete(dir);
    file.keep(new LastMount.Mount(1, 2));
    assertThat(file.find()).contains(new LastMount.Mount(1, 2));
    assertThatThrownBy(() -> new LastMountFile(dir.resolve("m")))
        .hasMessageContaining("there is no directory " + dir);
  }

  @Test
  void aDamagedFileIsNoMissingOne() throws Exception {
    Path path = Files.writeString(temp.resolve("m"), "1");
    assertThatThrownBy(() -> new LastMountFile(path)).hasMessageContaining("is damaged");
  }
}
