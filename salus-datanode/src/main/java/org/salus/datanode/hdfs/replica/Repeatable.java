package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import org.apache.hadoop.ipc.RemoteException;

/** Makes remote calls that may be made twice, because without HA Hadoop repeats none. */
final class Repeatable {
  interface Call<T> {
    T make() throws IOException;
  }

  private Repeatable() {}

  /**
   * Makes the call, and once more if the connection had ended because the server was restarted.
   * Hadoop reports that in many ways. The call is not repeated if the server answered, refused the
   * connection or was silent.
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
