package org.salus.datanode.hdfs;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;

/** Remote calls that may be made twice; without HA, Hadoop repeats none. */
final class Repeatable {
  interface Call<T> {
    T make() throws IOException;
  }

  private Repeatable() {
  }

  /** Makes the call, and once more where the connection has ended: the server has started again since it was last asked. */
  static <T> T call(Call<T> call) throws IOException {
    try {
      return call.make();
    } catch (ConnectException gone) {
      throw gone;
    } catch (EOFException | SocketException ended) {
      return call.make();
    }
  }
}
