package org.salus.dist.cli;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.salus.client.LastMount;
import org.salus.host.DurableFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps in a file what the next bridge must know. What is kept is written before it is answered, so
 * it survives the end of the process. It survives a power cut only once {@link #close} has
 * returned; so the file says in which boot of the machine it was written. One process at a time has
 * it.
 *
 * <p>The file has numbers of 8 bytes: the {@link Field}s, the processes before, and then two places
 * for what was acknowledged. A new mount writes the other place, and then makes it the valid one
 * with a single number. What the same mount acknowledges later is written over its place: the
 * regions first, so that a write that is broken off has regions beyond {@link #CHANGES}, which does
 * no harm.
 */
final class LastMountFile implements LastMount, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LastMountFile.class);
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** "SALUSMN1". */
  private static final long MAGIC = 0x53414c55534d4e31L;

  /** The numbers at the beginning, in their order. They are written at once. */
  private enum Field {
    MAGIC,
    VOLUME,
    REGIONS,
    /** An id takes two numbers. */
    CLAIM,
    CLAIM_END,
    /** In which boot something was kept last; no boot's id if nothing was. */
    BOOT,
    BOOT_END,
    EPOCH,
    /** 1 if all is on disk. */
    ENDED,
    /** Which place with what was acknowledged is valid: 0 or 1. */
    VALID,
    GENERATION,
    PROCESS,
    PROCESS_END
  }

  private static final int FIELDS = Field.values().length;

  /** Behind the fields are the processes before: as many as are known, and zeros. */
  private static final int PLACES = FIELDS + 2 * Mount.MOST_BEFORE;

  // In a place, behind the number of the last change of each region.
  private static final int SINCE = 0;
  private static final int DURABLE = 1;
  private static final int CHANGES = 2;
  private static final int BEHIND_REGIONS = 3;

  /** The end of the name of the file that a process locks while it has this one. */
  private static final String HELD = ".held";

  private static final UUID NOBODY = new UUID(0, 0);

  private static final int MOST_REGIONS = 1 << 20;

  private final Path file;
  private final FileChannel lock;
  private final Mount earlier;

  /** The file; null before {@link #begin}. */
  private FileChannel channel;

  /** The fields as they are in the file. */
  private final ByteBuffer fields = ByteBuffer.allocateDirect(FIELDS * Long.BYTES);

  /** For what is written to a place. */
  private ByteBuffer place;

  /** Under which mount the valid place was written. */
  private long since;

  /** Whether anything was kept since {@link #begin}. */
  private boolean hasKept;

  /** Why nothing more can be kept; null if it can. */
  private IOException failure;

  private Consumer<IOException> whenItFails = why -> {};
  private boolean closed;

  /**
   * @param isRequired whether the file must be there
   * @throws IOException when the file cannot be read, or another process has it
   */
  LastMountFile(Path file, boolean isRequired) throws IOException {
    this.file = file.toAbsolutePath();
    this.lock = lock(this.file);
    try {
      this.earlier = read();
      if (earlier == null && isRequired) {
        throw new IOException(
            "there is no "
                + file
                + ", which says what the clients of the earlier bridge rely on; the volume may have"
                + " changed since");
      }
    } catch (IOException | RuntimeException failed) {
      lock.close();
      throw failed;
    }
  }

  private static FileChannel lock(Path file) throws IOException {
    Path dir = file.getParent();
    if (!Files.isDirectory(dir)) {
      throw new IOException("there is no directory " + dir + " for " + file);
    }
    FileChannel channel =
        FileChannel.open(
            file.resolveSibling(file.getFileName() + HELD),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      locked = channel.tryLock() != null;
    } catch (OverlappingFileLockException ofThisProcess) {
      LOG.debug("{} is used in this process", file, ofThisProcess);
    } finally {
      if (!locked) {
        channel.close();
      }
    }
    if (!locked) {
      throw new IOException("another bridge uses " + file + "; end it first");
    }
    return channel;
  }

  private Mount read() throws IOException {
    ByteBuffer b;
    try {
      b = ByteBuffer.wrap(Files.readAllBytes(file));
    } catch (NoSuchFileException none) {
      return null;
    } catch (IOException failed) {
      throw new IOException("cannot read " + file + ": " + failed.getMessage(), failed);
    }
    if (b.remaining() < PLACES * Long.BYTES
        || get(b, Field.MAGIC) != MAGIC
        || get(b, Field.REGIONS) < 0
        || get(b, Field.REGIONS) > MOST_REGIONS
        || b.remaining() != at(2, (int) get(b, Field.REGIONS))) {
      throw new IOException(
          file + " is damaged; delete it if no client of the bridge holds anything");
    }
    return new Mount(
        get(b, Field.VOLUME),
        uuid(b, Field.CLAIM).toString(),
        get(b, Field.GENERATION),
        uuid(b, Field.PROCESS).toString(),
        before(b),
        get(b, Field.EPOCH),
        acknowledged(b),
        get(b, Field.ENDED) == 1 || uuid(b, Field.BOOT).equals(boot()));
  }

  private static List<String> before(ByteBuffer b) {
    return IntStream.range(0, Mount.MOST_BEFORE)
        .mapToObj(i -> uuid(b, FIELDS + 2 * i))
        .takeWhile(id -> !id.equals(NOBODY))
        .map(UUID::toString)
        .toList();
  }

  private static Acknowledged acknowledged(ByteBuffer b) {
    int count = (int) get(b, Field.REGIONS);
    int at = at((int) get(b, Field.VALID) & 1, count) / Long.BYTES;
    int behind = at + count;
    long since = number(b, behind + SINCE);
    return new Acknowledged(
        number(b, behind + CHANGES),
        number(b, behind + DURABLE),
        since,
        since == 0 ? List.of() : IntStream.range(at, behind).mapToObj(r -> number(b, r)).toList());
  }

  /** Where a place begins, in bytes; the end of the file for place 2. */
  private static int at(int place, int regions) {
    return (PLACES + place * (regions + BEHIND_REGIONS)) * Long.BYTES;
  }

  private static long number(ByteBuffer b, int at) {
    return b.getLong(at * Long.BYTES);
  }

  private static long get(ByteBuffer b, Field f) {
    return number(b, f.ordinal());
  }

  private static void put(ByteBuffer b, Field f, long value) {
    b.putLong(f.ordinal() * Long.BYTES, value);
  }

  private static UUID uuid(ByteBuffer b, Field f) {
    return uuid(b, f.ordinal());
  }

  private static UUID uuid(ByteBuffer b, int at) {
    return new UUID(number(b, at), number(b, at + 1));
  }

  private static void put(ByteBuffer b, Field f, UUID value) {
    put(b, f.ordinal(), value);
  }

  private static void put(ByteBuffer b, int at, UUID value) {
    b.putLong(at * Long.BYTES, value.getMostSignificantBits());
    b.putLong((at + 1) * Long.BYTES, value.getLeastSignificantBits());
  }

  /** The machine's boot; no other one's where that is not known. */
  private static UUID boot() {
    try {
      return UUID.fromString(Files.readString(BOOT_ID).strip());
    } catch (IOException | IllegalArgumentException unknown) {
      return UUID.randomUUID();
    }
  }

  @Override
  public Optional<Mount> find() {
    return Optional.ofNullable(earlier);
  }

  /**
   * Sets what is told at once when something cannot be kept, before the volume ends. The default
   * does nothing.
   */
  synchronized void whenItFails(Consumer<IOException> then) {
    whenItFails = then;
    if (failure != null) {
      then.accept(failure);
    }
  }

  /** All of it is on disk then, so it is as certain as it was. */
  @Override
  public synchronized void begin(Mount mount, int regions) throws IOException {
    put(fields, Field.MAGIC, MAGIC);
    put(fields, Field.VOLUME, mount.volume());
    put(fields, Field.REGIONS, regions);
    put(fields, Field.CLAIM, UUID.fromString(mount.claimId()));
    put(fields, Field.GENERATION, mount.generation());
    put(fields, Field.PROCESS, UUID.fromString(mount.process()));
    put(fields, Field.EPOCH, mount.epoch());
    put(fields, Field.ENDED, mount.isCertain() ? 1 : 0);
    place = ByteBuffer.allocateDirect(at(1, regions) - at(0, regions));
    fill(mount.acknowledged());
    ByteBuffer all = ByteBuffer.allocate(at(2, regions));
    all.put(fields.duplicate().clear());
    for (int i = 0; i < mount.before().size(); i++) {
      put(all, FIELDS + 2 * i, UUID.fromString(mount.before().get(i)));
    }
    all.position(at(0, regions)).put(place.duplicate());
    DurableFile.write(file, all.array());
    channel = FileChannel.open(file, StandardOpenOption.WRITE);
    since = mount.acknowledged().since();
  }

  @Override
  public synchronized void keep(long epoch) throws IOException {
    requireAble();
    hasKept = true;
    put(fields, Field.EPOCH, epoch);
    put(fields, Field.BOOT, boot());
    put(fields, Field.ENDED, 0);
    try {
      writeFields();
      channel.force(false);
    } catch (IOException failed) {
      throw failed(failed);
    }
  }

  @Override
  public synchronized void keep(Acknowledged acknowledged) throws IOException {
    requireAble();
    boolean isOfTheSame = acknowledged.since() == since;
    int valid = (int) get(fields, Field.VALID);
    int to = isOfTheSame ? valid : 1 - valid;
    fill(acknowledged);
    try {
      write(place, at(to, (int) get(fields, Field.REGIONS)));
      if (!isOfTheSame) {
        put(fields, Field.VALID, to);
        writeFields();
        since = acknowledged.since();
      }
    } catch (IOException failed) {
      throw failed(failed);
    }
  }

  private void fill(Acknowledged a) {
    place.clear();
    a.regions().forEach(place::putLong);
    place
        .position(place.capacity() - BEHIND_REGIONS * Long.BYTES)
        .putLong(a.since())
        .putLong(a.durable())
        .putLong(a.changes())
        .flip();
  }

  private void writeFields() throws IOException {
    write(fields.clear(), 0);
  }

  private void write(ByteBuffer what, int at) throws IOException {
    while (what.hasRemaining()) {
      channel.write(what, at + what.position());
    }
  }

  /** Nothing is kept after a failure: nobody knows what of it is in the file, and on disk. */
  private void requireAble() throws IOException {
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
    if (closed) {
      throw new IOException(file + " is closed");
    }
  }

  private IOException failed(IOException why) {
    failure = new IOException("cannot write " + file + ": " + why.getMessage(), why);
    whenItFails.accept(failure);
    return failure;
  }

  /**
   * Brings all to disk. Nothing is kept after that.
   *
   * @throws IOException when it cannot; a power cut then makes the next bridge refuse the volume
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (hasKept && failure == null) {
        channel.force(false);
        put(fields, Field.ENDED, 1);
        writeFields();
        channel.force(false);
      }
    } finally {
      if (channel != null) {
        channel.close();
      }
      lock.close();
    }
  }
}
