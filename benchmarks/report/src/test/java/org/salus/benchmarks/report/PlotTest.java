package org.salus.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlotTest {
  @TempDir Path dir;

  @Test
  void linesAreDrawn() throws Exception {
    Plot lines =
        Plot.lines(
            "lines", "N", "MB/s", List.of(1, 4, 256), Map.of("Salus", List.of(20.0, 30.0, 25.0)));
    lines.writePng(dir.resolve("l.png"));
    lines.writeSvg(dir.resolve("l.svg"));
    assertThat(ImageIO.read(dir.resolve("l.png").toFile()).getHeight()).isPositive();
    assertThat(dir.resolve("l.svg")).content().contains("<svg", "stroke=\"rgb(0,114,178)\"");
  }
}
