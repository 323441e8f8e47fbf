package org.salus.datanode.hdfs;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.Signer;
import org.salus.core.checkpoint.CheckpointFile;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.recovery.FloorClaim;
import org.salus.core.recovery.Floors;
import org.salus.core.wire.MalformedException;
import org.salus.host.config.ClusterSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before the replicas of a DataNode. It lets no replica of a volume's file be cut below what
 * the member on this machine has found valid, or get a new generation stamp without that member's
 * word (§4.4, phase 2; {@link Floors}). The member says so as the signature of a call that asks
 * where the replica's file is. Nobody recovers a checkpoint, so no member says so of one. Blocks of
 * other files are none of its business: HDFS recovers them as ever. Thread-safe.
 */
final class ReplicaGuard implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaGuard.class);

  /** The length of a replica where any byte of it may be cut off. */
  private static final long ANY_LENGTH = Long.MAX_VALUE;

  private static final int LOCKS = 256;

  private final FsDatasetSpi<?> stock;
  private final Supplier<String> dataNode;
  private final GivenStamps stamps;
  private final Signer signer;

  /** Guarded by itself, and never held while a disk is used. */
  private final Floors floors = new Floors(LogRules.PAPER);

  /**
   * A check and the change after it hold the replica's lock, so that the member says nothing in
   * between.
   */
  private final List<Object> locks = Stream.generate(Object::new).limit(LOCKS).toList();

  /** A call of HDFS. */
  private record Call(Method method, Object[] args) {}

  /** The length that a replica has, and the one that it would keep, in bytes. */
  private record Cut(long length, long to) {
    static final Cut NONE = new Cut(0, 0);
  }

  /**
   * @param dataNode HDFS's id of the DataNode, once it is known
   */
  ReplicaGuard(FsDatasetSpi<?> stock, Supplier<String> dataNode, Configuration conf) {
    this.stock = stock;
    this.dataNode = dataNode;
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
            ? run(call)
            : raise((ExtendedBlock) args[2], stamp, new Cut(ANY_LENGTH, 0), call);
      }
      case "createTemporary" -> {
        keepOut((ExtendedBlock) args[2]);
        yield run(call);
      }
      case "getBlockLocalPathInfo" -> {
        take((ExtendedBlock) args[0]);
        yield run(call);
      }
      case "invalidate" -> {
        try {
          yield run(call);
        } finally {
          forget((String) args[0], (Block[]) args[1]);
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
    stamps.require(stamp);
    synchronized (lock(name)) {
      if (!mayRaise(name)) {
        throw refused(
            "replica "
                + name
                + " of a volume's file keeps its stamp: its member has asked for no recovery, so "
                + call.method.getName()
                + " with stamp "
                + stamp
                + " is refused");
      }
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

  /** Lets no transfer put another replica in the place of one that is there. */
  private void keepOut(ExtendedBlock block) throws IOException {
    Replica there = replica(block);
    if (there != null
        && there.getState() != HdfsServerConstants.ReplicaState.TEMPORARY
        && isGuarded(block)) {
      throw refused("replica " + name(block) + " of a volume's file is not replaced by a transfer");
    }
  }

  /** The replica in whatever state, or null. HDFS has nothing else that says the state. */
  @SuppressWarnings("deprecation")
  private Replica replica(ExtendedBlock block) {
    return stock.getReplica(block.getBlockPoolId(), block.getBlockId());
  }

  private static AccessControlException refused(String why) {
    LOG.warn("Refused: {}", why);
    return new AccessControlException(why);
  }

  private static String name(ExtendedBlock block) {
    return FloorClaim.replica(block.getBlockPoolId(), block.getBlockId());
  }

  private boolean mayRaise(String name) {
    synchronized (floors) {
      return floors.mayRaise(name);
    }
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

  /** Whether the replica begins as a log or a checkpoint does. */
  private boolean isVolumes(ExtendedBlock block) throws IOException {
    ExtendedBlock anyStamp =
        new ExtendedBlock(block.getBlockPoolId(), block.getBlockId(), 0, 0 /* stamp */);
    try (DataInputStream in =
        new DataInputStream(
            Files.newInputStream(Path.of(stock.getBlockLocalPathInfo(anyStamp).getBlockPath())))) {
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
    FloorClaim claim;
    try {
      claim = FloorClaim.decode(shown);
    } catch (MalformedException other) {
      return; // other programs sign their calls, too
    }
    String name = name(block);
    synchronized (lock(name)) {
      if (!claim.replica().equals(name) || !isSigned(claim)) {
        throw new AccessControlException(
            "the floor of replica "
                + claim.replica()
                + " is not signed for DataNode "
                + dataNode.get()
                + "; salus.secret must be the same in its configuration and the region server's");
      }
      if (claim.stamp() == FloorClaim.MAY_RISE) {
        synchronized (floors) {
          floors.found(name, claim.epoch(), claim.length());
        }
      } else {
        keepStamp(name, block, claim);
      }
    }
  }

  /** A replica that can still be written may become another one under the same stamp. */
  private void keepStamp(String name, ExtendedBlock block, FloorClaim claim) throws IOException {
    Replica there = replica(block);
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
      return claim.isSigned(dataNode.get(), signer);
    }
  }

  private void forget(String pool, Block[] blocks) {
    synchronized (floors) {
      for (Block block : blocks) {
        floors.forget(FloorClaim.replica(pool, block.getBlockId()));
      }
    }
  }
}
