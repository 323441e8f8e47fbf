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
 * What shows the NameNode that an epoch serves (paper §4.2.3, §4.4 phase 2): the first manifest of
 * the epoch with its certificate, and the word of each member that it has both on its disk. If one
 * member's word were enough, and that member lost its log, nobody would have what the others must
 * have to take part in a later epoch. The same is asked of whoever has HDFS count the members'
 * replicas and drop all others.
 *
 * @param manifest with its certificate, as {@link Permission} encodes it
 * @param begun the members' words, in chain order
 */
public record ServingProof(byte[] manifest, List<byte[]> begun) {
  private static final byte[] BEGUN = "begun".getBytes(StandardCharsets.US_ASCII);

  /** Copies the list. */
  public ServingProof {
    begun = List.copyOf(begun);
  }

  /** A member's word that it has this manifest, with its certificate, on its disk. */
  public static byte[] begun(LogRecord manifest, String node, Signer signer) {
    return signer.sign(node, ByteBuffer.wrap(BEGUN), manifest.headerBuffer());
  }

  /** Whether a member has said that it has this manifest. */
  public static boolean isBegun(LogRecord manifest, String node, byte[] word, Signer signer) {
    return signer.verifies(node, word, ByteBuffer.wrap(BEGUN), manifest.headerBuffer());
  }

  /** The manifest with its certificate. */
  Permission permission() throws MalformedException {
    return Permission.decode(manifest);
  }

  /** Whether all members of the epoch have said that they have the manifest. */
  boolean haveAllBegun(EpochLink link, Signer signer) throws MalformedException {
    LogRecord of = permission().record();
    List<String> nodes = link.nodes();
    if (begun.size() != nodes.size()) {
      return false;
    }
    for (int i = 0; i < nodes.size(); i++) {
      if (!isBegun(of, nodes.get(i), begun.get(i), signer)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The permission that a certificate gives to change a file. HDFS drops replicas when others are
   * {@linkplain Permission.Deed#LEAVE_BEHIND left behind}, so all members must have begun by then.
   *
   * @param newest the link of the newest epoch that the NameNode knows, or null for none
   * @return empty if a word is missing that the deed needs
   */
  public static Optional<Permission> permission(
      Permission.Deed deed, byte[] certificate, EpochLink newest, EpochRules rules, Signer signer)
      throws MalformedException {
    if (deed != Permission.Deed.LEAVE_BEHIND) {
      return Optional.of(Permission.decode(certificate));
    }
    ServingProof proof = decode(certificate);
    return newest != null && rules.haveAllBegun(newest, proof, signer)
        ? Optional.of(proof.permission())
        : Optional.empty();
  }

  /** The bytes that permit to {@linkplain Permission.Deed#LEAVE_BEHIND leave replicas behind}. */
  public byte[] encode() {
    Encoder e = new Encoder(512);
    write(e);
    return e.toBytes();
  }

  /** Reads what {@link #encode} has written. It need not be genuine. */
  private static ServingProof decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    ServingProof proof = read(d);
    d.end();
    return proof;
  }

  void write(Encoder e) {
    e.bytes(manifest).list(begun, Encoder::bytes);
  }

  static ServingProof read(Decoder d) throws MalformedException {
    return new ServingProof(d.bytes(), d.list(Decoder::bytes));
  }
}
