package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RepeatableTest {
  static IOException[] ended() {
    return new IOException[] {
      new EOFException(),
      new SocketException("Connection reset"),
      new IOException("Failed on local exception: java.io.IOException: Broken pipe")
    };
  }

  static IOException[] others() {
    return new IOException[] {
      new ConnectException("Connection refused"),
      new SocketTimeoutException("10000 millis timeout"),
      new RemoteException("FileNotFoundException", "none")
    };
  }

  @ParameterizedTest
  @MethodSource("ended")
  void aCallIsMadeAgainWhenItsConnectionHasEnded(IOException ended) throws IOException {
    int[] calls = {0};
    assertThat(
            Repeatable.call(
                () -> {
                  if (calls[0]++ == 0) {
                    throw ended;
                  }
                  return "answer";
                }))
        .isEqualTo("answer");
  }

  @ParameterizedTest
  @MethodSource("others")
  void noOtherFailureIsRepeated(IOException failure) {
    int[] calls = {0};
    assertThatThrownBy(
            () ->
                Repeatable.call(
                    () -> {
                      calls[0]++;
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(calls[0]).isEqualTo(1);
  }
}
