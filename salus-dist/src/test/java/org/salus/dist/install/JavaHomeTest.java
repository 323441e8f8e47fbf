package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JavaHomeTest {
  @TempDir Path temp;
  private Path script;

  @BeforeEach
  void makeJavas() throws IOException {
    script = temp.resolve("hadoop-env.sh");
    Layout.write(temp.resolve("8/release"), "JAVA_VERSION=\"1.8.0_392\"\n");
    Layout.write(temp.resolve("21/release"), "JAVA_VERSION=\"21.0.1\"\n");
  }

  private void write(String text) throws IOException {
    Layout.write(script, text.replace("DIR", temp.toString()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "export JAVA_HOME=DIR/21",
        "# export JAVA_HOME=DIR/8\n  JAVA_HOME=\"DIR/21\" # ours\n",
        "export JAVA_HOME='DIR/21'; export X=1"
      })
  void oneThatIsNewEnoughIsNoWordWorth(String text) throws IOException {
    write(text);
    assertThat(JavaHome.look(Product.HADOOP, script)).isEmpty();
  }

  @Test
  void oneThatIsTooOldIsRefused() throws IOException {
    write("export JAVA_HOME=DIR/8\n");
    assertThatThrownBy(() -> JavaHome.look(Product.HADOOP, script))
        .hasMessageContaining("starts Hadoop with Java 8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# export JAVA_HOME=DIR/21",
        "export JAVA_HOME=${JAVA_HOME:-DIR/21}",
        "export JAVA_HOME=$(dirname /x)",
        "export JAVA_HOME=DIR/none",
        "export JAVA_HOME=21",
        "if x; then\n  export JAVA_HOME=DIR/8\nelse\n  export JAVA_HOME=DIR/21\nfi",
        "export JAVA_HOME=DIR/21\nexport JAVA_HOME=${OTHER}"
      })
  void oneThatNobodyKnowsIsTold(String text) throws IOException {
    write(text);
    assertThat(JavaHome.look(Product.HADOOP, script).orElseThrow())
        .contains("does not say for sure which Java starts Hadoop", "17 or later");
  }

  @Test
  void aScriptThatIsNotThereIsTold() throws IOException {
    assertThat(JavaHome.look(Product.HADOOP, script)).isPresent();
    Layout layout = new Layout(temp.toRealPath());
    assertThat(layout.installer("1.0").planInstall(layout.homes(), Layout.USER))
        .allMatch(p -> p.notes().stream().anyMatch(n -> n.contains("which Java starts")));
  }
}
