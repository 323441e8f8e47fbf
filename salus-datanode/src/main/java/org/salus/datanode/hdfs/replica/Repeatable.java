package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import org.apache.hadoop.ipc.RemoteException;

/** Remote calls that may be made twice; without HA, Hadoop repeats none. */
final class Repeatable {
  interface Call<T> {
    T make() throws IOException;
  }

  private Repeatable() {}

  /**
   * Makes the call, and once more where the connection has ended, which Hadoop says in many ways:
   * the server has started again since it was last asked. A server that answers, is not there or is
   * silent is not asked again.
   */
  static <T> T call(Call<T> call) throws IOException {
    try {
      return call.make();
    } catch (RemoteException | ConnectException | InterruptedIOException answer) {
      throw answer;
    } catch (IOException ended) {
      return call.make();
    }
  }
}
