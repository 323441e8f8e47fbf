package org.salus.master;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.salus.host.DaemonThreads;

/** Ends every connection, like a DataNode that is asked for nothing. */
record SilentDataNode(ServerSocket socket, Thread thread) {
  static SilentDataNode start(int port) throws IOException {
    ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"));
    return new SilentDataNode(
        socket,
        DaemonThreads.start(
            "data-node",
            () -> {
              while (!socket.isClosed()) {
                try {
                  socket.accept().close();
                } catch (IOException closed) {
                  return;
                }
              }
            }));
  }

  /** The socket listens until the thread that accepts has left it. */
  void end() throws Exception {
    socket.close();
    thread.join();
  }
}
