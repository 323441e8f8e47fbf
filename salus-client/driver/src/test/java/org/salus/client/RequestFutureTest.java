package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A request is done before its callbacks run, and whoever asks hears the same. */
class RequestFutureTest {
  private final List<Runnable> callbacks = new ArrayList<>();
  private final RequestFuture<String> request = new RequestFuture<>(() -> true);

  RequestFutureTest() {
    request.runCallbacksOn(callbacks::add, () -> false);
  }

  @Test
  void failureIsSeenInEveryWayBeforeItsCallbacksRun() {
    SalusException why = new SalusException.TimedOut("no answer");
    request.end(null, why);
    assertThat(callbacks).hasSize(1);
    assertThat(request.isDone()).isTrue();
    assertThat(request.isCompletedExceptionally()).isTrue();
    assertThat(request.isCancelled()).isFalse();
    assertThat(request.exceptionNow()).isSameAs(why);
    assertThat(request.failure()).isSameAs(why);
    assertThatThrownBy(() -> request.getNow("absent"))
        .isInstanceOf(CompletionException.class)
        .hasCause(why);
    assertThatThrownBy(request::join).isInstanceOf(CompletionException.class).hasCause(why);
    assertThatThrownBy(request::resultNow).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void successIsSeenInEveryWayBeforeItsCallbacksRun() throws Exception {
    assertThat(request.getNow("absent")).isEqualTo("absent");
    assertThatThrownBy(request::resultNow).isInstanceOf(IllegalStateException.class);
    request.end("value", null);
    assertThat(callbacks).hasSize(1);
    assertThat(request.isDone()).isTrue();
    assertThat(request.isCompletedExceptionally()).isFalse();
    assertThat(request.getNow("absent")).isEqualTo("value");
    assertThat(request.resultNow()).isEqualTo("value");
    assertThat(request.get(1, TimeUnit.SECONDS)).isEqualTo("value");
    assertThat(request.failure()).isNull();
    assertThatThrownBy(request::exceptionNow).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void cancelIsSeenInEveryWayAndItsCallbacksRunOnTheirExecutor() {
    List<Throwable> told = new ArrayList<>();
    request.whenComplete((value, why) -> told.add(why));
    assertThat(request.cancel(true)).isTrue();
    assertThat(told).as("on the thread that cancels").isEmpty();
    assertThat(request.isCancelled()).isTrue();
    assertThat(request.isCompletedExceptionally()).isTrue();
    assertThatThrownBy(() -> request.getNow("absent")).isInstanceOf(CancellationException.class);
    assertThat(request.failure()).isInstanceOf(CancellationException.class);
    assertThatThrownBy(request::exceptionNow).isInstanceOf(IllegalStateException.class);
    assertThat(request.cancel(true)).as("it is cancelled").isTrue();
    callbacks.forEach(Runnable::run);
    assertThat(told).hasOnlyElementsOfType(CancellationException.class).hasSize(1);
  }

  /** The loop asks about each request that it issues. It alone answers what the callback awaits. */
  @Test
  void callbackOfACancelMayWaitForTheLoop() {
    RequestFuture<Void> direct = new RequestFuture<>(() -> true);
    List<Boolean> begun = new ArrayList<>();
    CompletableFuture<Void> chained =
        direct.handle(
            (done, cancelled) -> {
              begun.add(
                  CompletableFuture.supplyAsync(direct::begin)
                      .completeOnTimeout(true, 10, TimeUnit.SECONDS)
                      .join());
              return null;
            });
    assertThat(direct.cancel(true)).isTrue();
    assertThat(chained).isCompleted();
    assertThat(begun).as("the loop was not held up").containsExactly(false);
  }
}
