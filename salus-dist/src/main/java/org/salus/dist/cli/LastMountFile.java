package org.salus.dist.cli;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.salus.client.LastMount;
import org.salus.host.DurableFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps in a file what the next bridge must know. The file is mapped into memory, so what is kept
 * survives the end of the process at no cost. It survives a power cut only once {@link #close} has
 * returned; so the file says in which boot of the machine it was written. One process at a time has
 * it.
 *
 * <p>The file has numbers of 8 bytes. What was acknowledged stands in one of two places. A new
 * mount writes the other one, and then makes it the valid one with a single number.
 */
final class LastMountFile implements LastMount, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LastMountFile.class);
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final VarHandle NUMBER =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** "SALUSMN1". */
  private static final long MAGIC = 0x53414c55534d4e31L;

  // The places of the numbers, in numbers.
  private static final int VOLUME = 1;
  private static final int REGIONS = 2;
  private static final int CLAIM = 3;
  private static final int BOOT = 5;
  private static final int EPOCH = 7;

  /** 1 if all is on disk. */
  private static final int ENDED = 8;

  /** Which place with what was acknowledged is valid: 0 or 1. */
  private static final int VALID = 9;

  private static final int GENERATION = 10;
  private static final int PROCESS = 11;
  private static final int PLACES = 13;

  // In such a place.
  private static final int CHANGES = 0;
  private static final int DURABLE = 1;
  private static final int SINCE = 2;
  private static final int OF_REGIONS = 3;

  /** The end of the name of the file that a process locks while it has this one. */
  private static final String HELD = ".held";

  private static final int MOST_REGIONS = 1 << 20;

  private final Path file;
  private final FileChannel lock;
  private final Mount earlier;

  /** The file; null before {@link #begin}. */
  private MappedByteBuffer all;

  private int regions;
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
        || number(b, 0) != MAGIC
        || number(b, REGIONS) < 0
        || number(b, REGIONS) > MOST_REGIONS
        || b.remaining() != size((int) number(b, REGIONS))) {
      throw new IOException(
          file + " is damaged; delete it if no client of the bridge holds anything");
    }
    int count = (int) number(b, REGIONS);
    int at = place((int) number(b, VALID) & 1, count);
    return new Mount(
        number(b, VOLUME),
        uuid(b, CLAIM).toString(),
        number(b, GENERATION),
        uuid(b, PROCESS).toString(),
        number(b, EPOCH),
        new Acknowledged(
            number(b, at + CHANGES),
            number(b, at + DURABLE),
            number(b, at + SINCE),
            number(b, at + SINCE) == 0
                ? List.of()
                : IntStream.range(0, count).mapToObj(r -> number(b, at + OF_REGIONS + r)).toList()),
        number(b, ENDED) == 1 || uuid(b, BOOT).equals(boot()));
  }

  private static int size(int regions) {
    return place(2, regions) * Long.BYTES;
  }

  private static int place(int which, int regions) {
    return PLACES + which * (OF_REGIONS + regions);
  }

  private static long number(ByteBuffer b, int at) {
    return b.getLong(at * Long.BYTES);
  }

  private static UUID uuid(ByteBuffer b, int at) {
    return new UUID(number(b, at), number(b, at + 1));
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

  @Override
  public synchronized void begin(Mount mount, int regionCount) throws IOException {
    UUID claim = UUID.fromString(mount.claimId());
    UUID process = UUID.fromString(mount.process());
    UUID boot = boot();
    Acknowledged a = mount.acknowledged();
    ByteBuffer b = ByteBuffer.allocate(size(regionCount));
    LongStream.of(
            MAGIC,
            mount.volume(),
            regionCount,
            claim.getMostSignificantBits(),
            claim.getLeastSignificantBits(),
            boot.getMostSignificantBits(),
            boot.getLeastSignificantBits(),
            mount.epoch(),
            0,
            0,
            mount.generation(),
            process.getMostSignificantBits(),
            process.getLeastSignificantBits(),
            a.changes(),
            a.durable(),
            a.since())
        .forEach(b::putLong);
    a.regions().forEach(b::putLong);
    DurableFile.write(file, b.array());
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      all = channel.map(FileChannel.MapMode.READ_WRITE, 0, b.capacity());
    }
    regions = regionCount;
  }

  @Override
  public synchronized void keep(long epoch) throws IOException {
    if (closed) {
      throw new IOException(file + " is closed");
    }
    set(EPOCH, epoch);
    force();
  }

  @Override
  public synchronized void keep(Acknowledged acknowledged) {
    if (closed) {
      return; // nobody hears of it
    }
    int valid = (int) number(all, VALID);
    if (number(all, place(valid, regions) + SINCE) == acknowledged.since()) {
      write(place(valid, regions), acknowledged);
    } else {
      write(place(1 - valid, regions), acknowledged);
      set(VALID, 1 - valid);
    }
  }

  private void write(int at, Acknowledged a) {
    for (int r = 0; r < regions; r++) {
      set(at + OF_REGIONS + r, a.regions().get(r));
    }
    set(at + SINCE, a.since());
    set(at + DURABLE, a.durable());
    set(at + CHANGES, a.changes());
  }

  /** Not torn, nor put off, whenever the process ends. */
  private void set(int at, long value) {
    NUMBER.setVolatile((ByteBuffer) all, at * Long.BYTES, value);
  }

  private void force() {
    try {
      all.force();
    } catch (UncheckedIOException failed) {
      LOG.warn(
          "cannot write {}; after a power cut, the next bridge may refuse the volume",
          file,
          failed);
    }
  }

  /** Brings all to disk. Nothing may be acknowledged after that. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed && all != null) {
      force();
      set(ENDED, 1);
      force();
    }
    closed = true;
    lock.close();
  }
}
