package org.salus.benchmarks.figures.network;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A process that takes bytes from, or sends them to, another on another machine. */
final class Pour {
  private static final int PORT = 5000;
  private static final int PIECE = 64 << 10;

  private Pour() {}

  /**
   * {@code take ADDRESS} prints "ready", then how many bytes came; {@code send ADDRESS BYTES} sends
   * them, and is through when all have arrived.
   */
  public static void main(String[] args) throws IOException {
    if (args[0].equals("take")) {
      take(args[1]);
    } else {
      send(args[1], Long.parseLong(args[2]));
    }
  }

  private static void take(String address) throws IOException {
    try (ServerSocket server = new ServerSocket(PORT, 1, InetAddress.getByName(address))) {
      System.out.println("ready");
      try (Socket from = server.accept()) {
        System.out.println(from.getInputStream().transferTo(OutputStream.nullOutputStream()));
        from.getOutputStream().write(1);
      }
    }
  }

  private static void send(String address, long bytes) throws IOException {
    try (Socket to = new Socket(address, PORT)) {
      System.out.println("ready");
      byte[] piece = new byte[PIECE];
      for (long left = bytes; left > 0; left -= piece.length) {
        to.getOutputStream().write(piece, 0, (int) Math.min(piece.length, left));
      }
      to.shutdownOutput();
      if (to.getInputStream().read() != 1) {
        throw new IOException("not all has arrived");
      }
    }
  }
}
