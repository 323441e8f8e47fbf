package org.salus.core.replacement;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A manifest with its certificate, and the word of each member that it has both on its disk, with
 * all before (paper §4.2.3, §4.4 phase 2). A certificate says that all members agree, not that all
 * have what they agree on. If one member could show it alone and then lost its log, nobody would
 * have what the NameNode goes by.
 *
 * <p>An epoch's first manifest shows that the epoch serves, and has HDFS count the members'
 * replicas and drop all others. Each manifest has files completed and deleted.
 *
 * @param manifest with its certificate, as {@link Permission} encodes it
 * @param words the members' words, in chain order
 */
public record WrittenManifest(byte[] manifest, List<byte[]> words) {
  private static final byte[] WRITTEN = "written".getBytes(StandardCharsets.US_ASCII);

  /** Copies the list. */
  public WrittenManifest {
    words = List.copyOf(words);
  }

  /** A member's word that it has this manifest, with its certificate, on its disk. */
  public static byte[] word(LogRecord manifest, String node, Signer signer) {
    return signer.sign(node, ByteBuffer.wrap(WRITTEN), manifest.headerBuffer());
  }

  /** Whether a member has said that it has this manifest. */
  public static boolean isWord(LogRecord manifest, String node, byte[] word, Signer signer) {
    return signer.verifies(node, word, ByteBuffer.wrap(WRITTEN), manifest.headerBuffer());
  }

  /** The manifest with its certificate. */
  Permission permission() throws MalformedException {
    return Permission.decode(manifest);
  }

  /** Whether all members of the epoch have said that they have the manifest. */
  boolean haveAllWritten(EpochLink link, Signer signer) throws MalformedException {
    LogRecord of = permission().record();
    List<String> nodes = link.nodes();
    if (words.size() != nodes.size()) {
      return false;
    }
    for (int i = 0; i < nodes.size(); i++) {
      if (!isWord(of, nodes.get(i), words.get(i), signer)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The permission that a certificate gives to change a file.
   *
   * @param newest the link of the newest epoch that the NameNode knows, or null for none
   * @return empty if a word is missing that the deed needs
   */
  public static Optional<Permission> permission(
      Permission.Deed deed, byte[] certificate, EpochLink newest, EpochRules rules, Signer signer)
      throws MalformedException {
    if (!deed.needsWords()) {
      return Optional.of(Permission.decode(certificate));
    }
    WrittenManifest shown = decode(certificate);
    return rules.haveWords(deed, newest, shown, signer)
        ? Optional.of(shown.permission())
        : Optional.empty();
  }

  /** The bytes that permit a deed that {@linkplain Permission.Deed#needsWords needs words}. */
  public byte[] encode() {
    Encoder e = new Encoder(512);
    write(e);
    return e.toBytes();
  }

  /** Reads what {@link #encode} has written. It need not be genuine. */
  private static WrittenManifest decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    WrittenManifest proof = read(d);
    d.end();
    return proof;
  }

  void write(Encoder e) {
    e.bytes(manifest).list(words, Encoder::bytes);
  }

  static WrittenManifest read(Decoder d) throws MalformedException {
    return new WrittenManifest(d.bytes(), d.list(Decoder::bytes));
  }
}
