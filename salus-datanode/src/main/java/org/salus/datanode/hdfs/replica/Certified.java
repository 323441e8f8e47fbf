package org.salus.datanode.hdfs.replica;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;

/** Makes NameNode calls that carry a certificate. */
final class Certified {
  /** A call to the NameNode that needs a certificate. */
  interface Call<T> {
    T run() throws IOException;
  }

  private Certified() {}

  /**
   * Runs the call in this thread, with the certificate as the caller context's signature.
   *
   * @throws VolumeFileException when the NameNode refuses the call, finds no file or cannot place a
   *     block
   * @throws UnreportedException when the NameNode waits for reports of DataNodes
   */
  static <T> T call(byte[] certificate, Call<T> call) throws IOException {
    CallerContext before = CallerContext.getCurrent();
    CallerContext.setCurrent(new CallerContext.Builder("salus").setSignature(certificate).build());
    try {
      return typed(call);
    } finally {
      CallerContext.setCurrent(before);
    }
  }

  /** Makes a call that needs no certificate. It fails like {@link #call}. */
  static <T> T typed(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (RemoteException e) {
      throw typed(e.unwrapRemoteException(), e);
    } catch (IOException e) {
      throw typed(e, e);
    }
  }

  /** What the NameNode says, without the stack trace that it appends. */
  private static String sentence(IOException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static IOException typed(IOException unwrapped, IOException original) {
    if (unwrapped instanceof UnreportedException) {
      return unwrapped;
    }
    if (unwrapped instanceof AccessControlException) {
      return new VolumeFileException(
          VolumeFileException.Kind.REFUSED, sentence(unwrapped), original);
    }
    if (unwrapped instanceof PlacementException) {
      return new VolumeFileException(
          VolumeFileException.Kind.LOCATIONS, sentence(unwrapped), original);
    }
    if (unwrapped instanceof FileNotFoundException) {
      return new VolumeFileException(
          VolumeFileException.Kind.NOT_FOUND, sentence(unwrapped), original);
    }
    return original;
  }
}
