package org.salus.dist.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The checksums in an HFile: each of its blocks ends with a CRC32C for every chunk of what is before, its header included. */
final class HFileSums {
  private static final int HEADER = 33;
  private static final byte CRC32C_TYPE = 2;

  private HFileSums() {
  }

  /** Makes the checksums of all data blocks those of the bytes that the file has. */
  static void rewrite(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer all = ByteBuffer.wrap(bytes);
    int at = 0;
    while (new String(bytes, at, 8, StandardCharsets.ISO_8859_1).equals("DATABLK*")) {
      if (bytes[at + 24] != CRC32C_TYPE) {
        throw new IOException(file + " has no CRC32C at " + at);
      }
      int chunk = all.getInt(at + 25);
      int data = all.getInt(at + 29);
      int sums = at + data;
      for (int from = 0; from < data; from += chunk) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, at + from, Math.min(chunk, data - from));
        all.putInt(sums, (int) crc.getValue());
        sums += 4;
      }
      at += HEADER + all.getInt(at + 8);
    }
    Files.write(file, bytes);
  }
}
