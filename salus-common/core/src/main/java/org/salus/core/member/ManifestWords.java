package org.salus.core.member;

import java.util.Arrays;
import java.util.Objects;
import org.salus.core.log.LogRecord;
import org.salus.core.message.Message.Wrote;
import org.salus.core.replacement.WrittenManifest;

/** The words of the members that they have a manifest that this member has on its disk. */
final class ManifestWords {
  private final RegionContext c;
  private final LogRecord manifest;
  private final byte[] certified;

  /** By place; null where none has come. */
  private final byte[][] words;

  /**
   * @param certified the manifest with its certificate, as a permission
   */
  ManifestWords(RegionContext c, LogRecord manifest, byte[] certified) {
    this.c = c;
    this.manifest = manifest;
    this.certified = certified;
    this.words = new byte[c.members.size()][];
    this.words[c.place] = WrittenManifest.word(manifest, c.self(), c.signer);
  }

  /** The segment at whose begin the manifest stands. */
  long segment() {
    return manifest.at().segment();
  }

  /**
   * This member's word, for another one.
   *
   * @param asks whether that one is to answer
   */
  Wrote told(boolean asks) {
    return new Wrote(c.epoch, c.place, segment(), asks, words[c.place]);
  }

  /** Takes the word of the member at this place, or null. Returns whether it is one. */
  boolean take(int place, byte[] word) {
    boolean is =
        word != null && WrittenManifest.isWord(manifest, c.members.get(place), word, c.signer);
    if (is) {
      words[place] = word;
    }
    return is;
  }

  /** Whether the word of the member at this place has not come. */
  boolean lacks(int place) {
    return words[place] == null;
  }

  /** The place of the first member whose word has not come; -1 for none. */
  int missing() {
    return Arrays.asList(words).indexOf(null);
  }

  /** What shows others the manifest with the words that have come. */
  WrittenManifest proof() {
    return new WrittenManifest(certified, Arrays.stream(words).filter(Objects::nonNull).toList());
  }
}
