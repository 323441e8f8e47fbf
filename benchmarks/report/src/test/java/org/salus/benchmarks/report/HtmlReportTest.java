package org.salus.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HtmlReportTest {
  @TempDir private Path dir;

  @Test
  void aPageHasTablesPlotsAndFailures() throws Exception {
    Path plot = Files.writeString(dir.resolve("fig.svg"), "<svg/>");
    HtmlReport report = new HtmlReport("All", "2 cores");
    report.add(
        "Figure <8>", "salus bench fig8", "A  B\n1 & 2", List.of(dir.resolve("fig.csv"), plot));
    report.addFailure("Figure 9", "salus bench fig9", "It ended with 1");
    report.write(dir.resolve("page.html"));
    assertThat(dir.resolve("page.html"))
        .content()
        .contains(
            "<h2>Figure &lt;8&gt;</h2>",
            "<pre>A  B\n1 &amp; 2</pre>",
            "<a href=\"fig.csv\">fig.csv</a>",
            "<h2>Figure 9</h2>",
            "It ended with 1")
        .contains(
            "base64,"
                + Base64.getEncoder().encodeToString("<svg/>".getBytes(StandardCharsets.US_ASCII)))
        .endsWith("</body></html>\n");
  }
}
