package org.salus.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourcesTest {
  private final List<String> closed = new ArrayList<>();
  private final Resources resources = new Resources();

  private void open(String name) {
    resources.register(() -> closed.add(name));
  }

  @Test
  void lastRegisteredIsClosedFirst() throws IOException {
    open("store");
    open("loops");
    open("server");
    resources.close();
    assertThat(closed).containsExactly("server", "loops", "store");
  }

  @Test
  void eachIsClosedOnce() throws IOException {
    open("store");
    resources.close();
    resources.close();
    assertThat(closed).containsExactly("store");
  }

  @Test
  void failuresHoldUpNoOtherAndAreAllReported() {
    open("store");
    IllegalStateException bug = new IllegalStateException("a bug");
    IOException lost = new IOException("a lost connection");
    resources.register(
        () -> {
          throw bug;
        });
    open("loops");
    resources.register(
        () -> {
          throw lost;
        });
    IOException thrown = catchThrowableOfType(IOException.class, resources::close);
    assertThat(thrown).isSameAs(lost);
    assertThat(thrown.getSuppressed()).containsExactly(bug);
    assertThat(closed).containsExactly("loops", "store");
  }

  @Test
  void interruptIsKept() {
    resources.register(
        () -> {
          throw new InterruptedException("cut short");
        });
    assertThat(catchThrowableOfType(IOException.class, resources::close))
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void nothingIsTakenAfterTheEnd() throws IOException {
    resources.close();
    assertThatIllegalStateException().isThrownBy(() -> open("late"));
    assertThat(closed).isEmpty();
  }
}
