package org.salus.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Signs and checks signatures. A signature is a MAC under a key derived from the cluster's secret
 * and the signer's name. If the secret is empty, it is the weak signature of the paper (§2.1): a
 * checksum salted with the signer's name. Thread-safe: two threads on one digest would get wrong
 * signatures without a word, and right members would be blamed for them.
 */
public final class Signer {

  /** Bytes of a signature. */
  public static final int BYTES = 16;

  /** The most keys to keep: whoever sends messages may name any signer. */
  static final int MOST_KEYS = 4096;

  private final byte[] secret;
  private final MessageDigest sha;
  private final Map<String, byte[]> keys = new TreeMap<>();

  public Signer(byte[] secret) {
    this.secret = secret.clone();
    this.sha = sha256();
  }

  /** The name under which the session of a mount signs. */
  public static String sessionName(long volume, long mountEpoch) {
    return "session/" + Long.toHexString(volume) + "/" + mountEpoch;
  }

  /**
   * The name under which the active master signs the epochs that it opens, whichever process it is.
   */
  public static String masterName() {
    return "master";
  }

  /** The name under which a lane's member signs votes and commits, whichever node it is. */
  public static String laneName(RegionId region, int lane) {
    return "lane/" + Long.toHexString(region.volume()) + "/" + region.index() + "/" + lane;
  }

  /**
   * The name under which a member speaks to the DataNode with its replica.
   *
   * @param dataNode HDFS's id of the DataNode
   */
  public static String dataNodeName(String dataNode) {
    return "datanode/" + dataNode;
  }

  /**
   * The signature of {@code signer} over the remaining bytes of {@code parts}, whose positions
   * stay.
   */
  public synchronized byte[] sign(String signer, ByteBuffer... parts) {
    if (keys.size() >= MOST_KEYS) {
      keys.clear();
    }
    sha.reset();
    sha.update(keys.computeIfAbsent(signer, this::key));
    for (ByteBuffer p : parts) {
      sha.update(p.duplicate());
    }
    return Arrays.copyOf(sha.digest(), BYTES);
  }

  /** Whether {@code signature} is that of {@code signer} over {@code parts}. */
  public boolean verifies(String signer, byte[] signature, ByteBuffer... parts) {
    return MessageDigest.isEqual(signature, sign(signer, parts));
  }

  /** The number of signers whose keys are kept. */
  synchronized int keys() {
    return keys.size();
  }

  private byte[] key(String signer) {
    MessageDigest d = sha256();
    d.update(secret);
    d.update((byte) 0);
    return d.digest(signer.getBytes(StandardCharsets.UTF_8));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
