package org.salus.datanode.hdfs;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.Signer;
import org.salus.core.checkpoint.CheckpointFile;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.recovery.FenceClaim;
import org.salus.core.recovery.FloorClaim;
import org.salus.core.recovery.Floors;
import org.salus.core.wire.MalformedException;
import org.salus.host.OncePerSecond;
import org.salus.host.config.ClusterSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before the replicas of a DataNode. It lets no replica of a volume's file be cut below what
 * its member has found valid, or get a new generation stamp without that member's word (§4.4, phase
 * 2; {@link Floors}). The member says so as the signature of a call that asks where the replica's
 * file is. An epoch without a holder stops the replica's writer in the same way. Nobody recovers a
 * checkpoint, so no member says so of one. Blocks of other files are none of its business: HDFS
 * recovers them as ever. Thread-safe.
 */
final class ReplicaGuard implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaGuard.class);

  /** The length of a replica where any byte of it may be cut off. */
  private static final long ANY_LENGTH = Long.MAX_VALUE;

  private static final int LOCKS = 256;

  /** It forgets everything that servers have said. */
  private static final String RESTART = "restart this DataNode";

  /** The shortest time between two reports that refused transfers give reason for. */
  private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** The longest wait for the thread that writes a replica, in milliseconds. */
  private static final long STOP_MILLIS = 10_000;

  /** How often a replica's file may move while it is looked for. */
  private static final int MOST_MOVES = 3;

  private final FsDatasetSpi<?> stock;
  private final Host host;
  private final GivenStamps stamps;
  private final Signer signer;

  /** Guarded by itself, and never held while a disk is used. */
  private final Floors floors = new Floors(LogRules.PAPER);

  /**
   * A check and the change after it hold the replica's lock, so that the member says nothing in
   * between.
   */
  private final List<Object> locks = Stream.generate(Object::new).limit(LOCKS).toList();

  private final OncePerSecond refusals = new OncePerSecond(System::nanoTime);

  /** When it may be reported again, on the clock of {@link System#nanoTime}. */
  private final AtomicLong nextReport = new AtomicLong(System.nanoTime());

  /** The DataNode that has the replicas. */
  interface Host {
    /** HDFS's id of it, once it is known. */
    String id();

    /** Its {@code ip:port} as the NameNode knows it; empty before it has registered. */
    String address();

    /** Has it tell the NameNode soon which replicas it has. */
    void report();
  }

  /** A call of HDFS. */
  private record Call(Method method, Object[] args) {}

  /** The length that a replica has, and the one that it would keep, in bytes. */
  private record Cut(long length, long to) {
    static final Cut NONE = new Cut(0, 0);
  }

  ReplicaGuard(FsDatasetSpi<?> stock, Host host, Configuration conf) {
    this.stock = stock;
    this.host = host;
    this.stamps = new GivenStamps(conf);
    this.signer =
        new Signer(
            ClusterSettings.from(conf.getPropsWithPrefix(""))
                .secret()
                .getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    Call call = new Call(method, args);
    return switch (method.getName()) {
      case "initReplicaRecovery" -> {
        RecoveringBlock block = (RecoveringBlock) args[0];
        yield raise(block.getBlock(), block.getNewGenerationStamp(), Cut.NONE, call);
      }
      case "updateReplicaUnderRecovery" -> {
        ExtendedBlock block =
            (ExtendedBlock) args[0]; // HDFS compares its length with the replica's
        keepOthers(block, (long) args[2]);
        yield raise(block, (long) args[1], new Cut(block.getNumBytes(), (long) args[3]), call);
      }
      case "recoverRbw" -> {
        ExtendedBlock block = (ExtendedBlock) args[0];
        Cut cut = new Cut(stock.getLength(block), stock.getReplicaVisibleLength(block));
        yield raise(block, (long) args[1], cut, call);
      }
      case "append", "recoverAppend", "recoverClose" ->
          raise((ExtendedBlock) args[0], (long) args[1], Cut.NONE, call);
      case "createRbw" -> {
        long stamp = args.length > 4 ? (long) args[4] : 0;
        yield stamp == 0
            ? create((ExtendedBlock) args[2], call)
            : raise((ExtendedBlock) args[2], stamp, new Cut(ANY_LENGTH, 0), call);
      }
      case "createTemporary" -> {
        ExtendedBlock block = (ExtendedBlock) args[2];
        keepOut(block);
        Object made = run(call);
        forget(block.getBlockPoolId(), block.getLocalBlock()); // said of a replica that never came
        yield made;
      }
      case "getBlockLocalPathInfo" -> {
        take((ExtendedBlock) args[0]);
        yield run(call);
      }
      case "getReplica" -> readable((String) args[0], (Replica) run(call));
      case "getReplicaVisibleLength" -> {
        long visible = (long) run(call);
        ExtendedBlock block = (ExtendedBlock) args[0];
        String pool = block.getBlockPoolId();
        Replica there = visible < 0 ? readable(pool, replica(pool, block.getBlockId())) : null;
        yield there == null ? visible : there.getVisibleLength();
      }
      case "invalidate" -> {
        try {
          yield run(call);
        } finally {
          for (Block block : (Block[]) args[1]) {
            if (replica((String) args[0], block.getBlockId()) == null) { // HDFS may have kept it
              forget((String) args[0], block);
            }
          }
        }
      }
      case "shutdown" -> {
        stamps.close();
        yield run(call);
      }
      default -> run(call);
    };
  }

  private Object run(Call call) throws Throwable {
    try {
      return call.method.invoke(stock, call.args);
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }

  /**
   * Makes a call that gives a replica a new stamp, or prepares that, and perhaps cuts the replica.
   */
  private Object raise(ExtendedBlock block, long stamp, Cut cut, Call call) throws Throwable {
    String name = name(block);
    if (!isGuarded(block)) {
      return run(call);
    }
    requireWord(name, stamp, call); // first, so that nobody has the NameNode asked without one
    stamps.require(stamp);
    synchronized (lock(name)) {
      requireWord(name, stamp, call);
      if (!mayCut(name, cut.length, cut.to)) {
        throw refused(
            "replica "
                + name
                + " of a log segment keeps what its member has found valid: it is not cut to "
                + cut.to
                + " bytes");
      }
      return run(call);
    }
  }

  /** Makes a call that creates a member's replica of a new segment. */
  private Object create(ExtendedBlock block, Call call) throws Throwable {
    String name = name(block);
    synchronized (lock(name)) {
      synchronized (floors) {
        if (!floors.mayAppend(name)) {
          throw refused("replica " + name + " gets no writer: a newer epoch has read it");
        }
      }
      return run(call);
    }
  }

  private void requireWord(String name, long stamp, Call call) throws AccessControlException {
    synchronized (floors) {
      if (floors.mayRaise(name)) {
        return;
      }
    }
    throw refused(
        "replica "
            + name
            + " of a volume's file keeps its stamp: its member has asked for no recovery, so "
            + call.method.getName()
            + " with stamp "
            + stamp
            + " is refused");
  }

  /**
   * Lets no recovery of one block put what it copies in the place of another block's replica. HDFS
   * copies to a new block, when a file with a snapshot is truncated.
   */
  private void keepOthers(ExtendedBlock block, long copy) throws IOException {
    if (copy != block.getBlockId() && replica(block.getBlockPoolId(), copy) != null) {
      throw refused(
          "a recovery of block "
              + block.getBlockId()
              + " makes no copy of it in the place of block "
              + copy);
    }
  }

  /**
   * Lets no transfer put another replica in the place of one that is there. HDFS may have forgotten
   * a replica that was left behind, and wants to copy the file here. A report reminds it, so that
   * it drops that one first.
   */
  private void keepOut(ExtendedBlock block) throws IOException {
    Replica there = replica(block.getBlockPoolId(), block.getBlockId());
    if (there != null
        && there.getState() != HdfsServerConstants.ReplicaState.TEMPORARY
        && isGuarded(block)) {
      report();
      throw refused("replica " + name(block) + " of a volume's file is not replaced by a transfer");
    }
  }

  /** A report names all replicas, which costs the NameNode much. So nobody has it made often. */
  private void report() {
    long now = System.nanoTime();
    long next = nextReport.get();
    if (now - next >= 0 && nextReport.compareAndSet(next, now + REPORT_NANOS)) {
      host.report();
    }
  }

  /**
   * Returns a replica of a volume's file that was open when this DataNode stopped as one that can
   * be read. HDFS lets nobody read it over the network before a recovery, because its length may
   * not be the file's. But a member on another machine must find out what there is, and trusts
   * certificates only.
   */
  private Replica readable(String pool, Replica replica) throws IOException {
    if (replica == null
        || replica.getState() != HdfsServerConstants.ReplicaState.RWR
        || !isGuarded(new ExtendedBlock(pool, replica.getBlockId()))) {
      return replica;
    }
    return (Replica)
        Proxy.newProxyInstance(
            Replica.class.getClassLoader(),
            new Class<?>[] {Replica.class},
            (proxy, method, args) ->
                method.getName().equals("getVisibleLength")
                    ? (Object) replica.getBytesOnDisk()
                    : method.invoke(replica, args));
  }

  /** The replica in whatever state, or null. HDFS has nothing else that says the state. */
  @SuppressWarnings("deprecation")
  private Replica replica(String pool, long block) {
    return stock.getReplica(pool, block);
  }

  private AccessControlException refused(String why) {
    refusals.log(left -> LOG.warn("Refused: {}{}", why, left));
    return new AccessControlException(why);
  }

  private static String name(ExtendedBlock block) {
    return FloorClaim.replica(block.getBlockPoolId(), block.getBlockId());
  }

  private boolean mayCut(String name, long length, long to) {
    synchronized (floors) {
      return floors.mayCut(name, length, to);
    }
  }

  /** A disk that hangs holds up what is about its own replicas, and few others. */
  private Object lock(String replica) {
    return locks.get(Math.floorMod(replica.hashCode(), locks.size()));
  }

  private boolean isGuarded(ExtendedBlock block) throws IOException {
    synchronized (floors) {
      if (floors.knows(name(block))) {
        return true;
      }
    }
    return isVolumes(block);
  }

  /** Opens the file of a replica. */
  private DataInputStream begin(ExtendedBlock block) throws IOException {
    ExtendedBlock anyStamp =
        new ExtendedBlock(block.getBlockPoolId(), block.getBlockId(), 0, 0 /* stamp */);
    for (int moves = 0; ; moves++) {
      try {
        return new DataInputStream(
            Files.newInputStream(Path.of(stock.getBlockLocalPathInfo(anyStamp).getBlockPath())));
      } catch (NoSuchFileException moved) { // to the finished ones, since HDFS said where it is
        if (moves == MOST_MOVES) {
          throw moved;
        }
      }
    }
  }

  /** Whether the replica begins as a log or a checkpoint does. */
  private boolean isVolumes(ExtendedBlock block) throws IOException {
    try (DataInputStream in = begin(block)) {
      byte[] first = new byte[LogRecord.PREFIX];
      in.readFully(first);
      return LogRecord.format(ByteBuffer.wrap(first)) >= 0
          || CheckpointFile.format(ByteBuffer.wrap(first)) >= 0;
    } catch (EOFException | ReplicaNotFoundException nothing) {
      return false;
    }
  }

  /** Takes what the caller, if it is the member, says of the replica. */
  private void take(ExtendedBlock block) throws IOException {
    CallerContext context = CallerContext.getCurrent();
    byte[] shown = context == null ? null : context.getSignature();
    if (shown == null || shown.length == 0) {
      return;
    }
    try {
      take(block, FloorClaim.decode(shown));
    } catch (MalformedException notAFloor) {
      try {
        fence(block, FenceClaim.decode(shown));
      } catch (MalformedException other) {
        return; // other programs sign their calls, too
      }
    }
  }

  private void take(ExtendedBlock block, FloorClaim claim) throws IOException {
    String name = name(block);
    synchronized (lock(name)) {
      if (!claim.replica().equals(name) || !isSigned(claim)) {
        throw new AccessControlException(
            "the floor of replica "
                + claim.replica()
                + " is not signed for DataNode "
                + host.id()
                + "; salus.secret must be the same in its configuration and the region server's");
      }
      if (claim.stamp() == FloorClaim.MAY_RISE) {
        synchronized (floors) {
          if (!floors.found(name, claim.epoch(), claim.length())) {
            throw refused("replica " + name + " gets no floor: too many have one; " + RESTART);
          }
        }
      } else {
        keepStamp(name, block, claim);
      }
    }
  }

  /** Stops whoever writes the replica. Nobody else begins to. */
  private void fence(ExtendedBlock block, FenceClaim claim) throws IOException {
    String name = name(block);
    Replica there;
    synchronized (lock(name)) {
      there = replica(block.getBlockPoolId(), block.getBlockId());
      Beginning is = beginning(block);
      boolean holds;
      synchronized (signer) {
        holds = claim.holds(host.address(), name, is.content, is.head, signer);
      }
      if (!holds) {
        throw refused(
            "replica " + name + " goes on: it is not one that " + claim.link() + " may fence");
      }
      synchronized (floors) {
        if (!floors.fence(name)) {
          throw refused("replica " + name + " goes on: too many are fenced; " + RESTART);
        }
      }
    }
    if (there instanceof ReplicaInPipeline open) {
      open.stopWriter(STOP_MILLIS);
    }
    LOG.info("{} is read by {}: nobody appends to it any more", name, claim.link());
  }

  /**
   * What a replica is, as its first record says.
   *
   * @param head the record, if it is a log segment
   */
  private record Beginning(FenceClaim.Content content, LogRecord head) {}

  private Beginning beginning(ExtendedBlock block) throws IOException {
    try (DataInputStream in = begin(block)) {
      byte[] prefix = new byte[LogRecord.PREFIX];
      in.readFully(prefix);
      int length = LogRecord.headerLength(ByteBuffer.wrap(prefix));
      if (length < 0) {
        return new Beginning(FenceClaim.Content.OTHER, null);
      }
      byte[] header = Arrays.copyOf(prefix, length);
      in.readFully(header, prefix.length, length - prefix.length);
      return new Beginning(FenceClaim.Content.LOG, LogRecord.decode(header));
    } catch (EOFException | ReplicaNotFoundException none) {
      return new Beginning(FenceClaim.Content.NOTHING, null);
    } catch (MalformedException damaged) {
      return new Beginning(FenceClaim.Content.OTHER, null);
    }
  }

  /** A replica that can still be written may become another one under the same stamp. */
  private void keepStamp(String name, ExtendedBlock block, FloorClaim claim) throws IOException {
    Replica there = replica(block.getBlockPoolId(), block.getBlockId());
    boolean isFinished =
        there != null && there.getState() == HdfsServerConstants.ReplicaState.FINALIZED;
    synchronized (floors) {
      if (isFinished
          && floors.keepStamp(
              name, claim.epoch(), claim.length(), claim.stamp(), there.getGenerationStamp())) {
        return;
      }
    }
    throw new IOException(
        "replica " + name + " is not finished under stamp " + claim.stamp() + " now: " + there);
  }

  private boolean isSigned(FloorClaim claim) {
    synchronized (signer) {
      return claim.isSigned(host.id(), signer);
    }
  }

  private void forget(String pool, Block block) {
    synchronized (floors) {
      floors.forget(FloorClaim.replica(pool, block.getBlockId()));
    }
  }
}
