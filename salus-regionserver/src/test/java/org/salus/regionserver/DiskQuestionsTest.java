package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Hello;
import org.salus.core.message.Message.InventoryQuery;

@Timeout(60)
class DiskQuestionsTest {
  private static final Endpoint.Member MEMBER = new Endpoint.Member(new RegionId(9, 0), 0);

  private final CountDownLatch diskAnswers = new CountDownLatch(1);
  private final BlockingQueue<Message> answers = new LinkedBlockingQueue<>();

  /** A disk that hangs. */
  private Message read(Endpoint.Member about, Message question) {
    try {
      diskAnswers.await();
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
    return new Hello();
  }

  private static InetAddress host(int number) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number});
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private boolean ask(DiskQuestions questions, int host, long mountEpoch) {
    return questions.ask(
        host(host),
        new Endpoint.Session(9, mountEpoch),
        MEMBER,
        new InventoryQuery(),
        answers::add);
  }

  @Test
  void allHostsTogetherHaveABoundedNumberOfQuestions() throws Exception {
    try (DiskQuestions questions = new DiskQuestions(this::read)) {
      assertThat(ask(questions, 0, 0)).isTrue();
      for (int i = 0; i < 2 * DiskQuestions.MOST; i++) {
        assertThat(ask(questions, i, 0)).as("it is repeated").isFalse();
      }
      for (int i = 1; i < DiskQuestions.MOST; i++) {
        assertThat(ask(questions, i, i)).isTrue();
      }
      assertThat(ask(questions, DiskQuestions.MOST, DiskQuestions.MOST)).isFalse();
      answerAll(DiskQuestions.MOST);
      while (!ask(questions, 0, 0)) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(answers.poll(10, TimeUnit.SECONDS)).as("there is room again").isNotNull();
    }
  }

  @Test
  void oneHostTakesNothingFromOthers() throws Exception {
    try (DiskQuestions questions = new DiskQuestions(this::read)) {
      for (int i = 0; i < DiskQuestions.MOST_OF_HOST; i++) {
        assertThat(ask(questions, 1, i)).isTrue();
      }
      for (int i = DiskQuestions.MOST_OF_HOST; i < 2 * DiskQuestions.MOST; i++) {
        assertThat(ask(questions, 1, i)).isFalse();
      }
      assertThat(ask(questions, 2, -1)).isTrue();
      answerAll(DiskQuestions.MOST_OF_HOST + 1);
      while (!ask(questions, 1, 0)) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(answers.poll(10, TimeUnit.SECONDS)).as("there is room again").isNotNull();
    }
  }

  private void answerAll(int count) throws InterruptedException {
    diskAnswers.countDown();
    for (int i = 0; i < count; i++) {
      assertThat(answers.poll(10, TimeUnit.SECONDS)).isInstanceOf(Hello.class);
    }
  }
}
