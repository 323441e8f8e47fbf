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
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.recovery.FloorClaim;
import org.salus.core.recovery.Floors;
import org.salus.core.wire.MalformedException;
import org.salus.host.config.ClusterSettings;

/**
 * Stands before the replicas of a DataNode. It lets no replica of a log segment be cut below what
 * the member on this machine has found valid (§4.4, phase 2; {@link Floors}). The member says that
 * as the signature of a call that asks where the replica's file is. Blocks of other files are none
 * of its business: HDFS recovers them as ever. Thread-safe.
 */
final class CutGuard implements InvocationHandler {
  /** The length of a replica where any byte of it may be cut off. */
  private static final long ANY_LENGTH = Long.MAX_VALUE;

  private static final int LOCKS = 256;

  private final FsDatasetSpi<?> stock;
  private final Supplier<String> dataNode;
  private final Signer signer;

  /** Guarded by itself, and never held while a disk is used. */
  private final Floors floors = new Floors(LogRules.PAPER);

  /** A check and the cut after it hold the replica's lock, so that no floor is named in between. */
  private final List<Object> locks = Stream.generate(Object::new).limit(LOCKS).toList();

  /**
   * @param dataNode HDFS's id of the DataNode, once it is known
   */
  CutGuard(FsDatasetSpi<?> stock, Supplier<String> dataNode, Configuration conf) {
    this.stock = stock;
    this.dataNode = dataNode;
    this.signer =
        new Signer(
            ClusterSettings.from(conf.getPropsWithPrefix(""))
                .secret()
                .getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    switch (method.getName()) {
      case "updateReplicaUnderRecovery" -> {
        ExtendedBlock block =
            (ExtendedBlock) args[0]; // HDFS compares its length with the replica's
        return cut(block, block.getNumBytes(), (long) args[3], method, args);
      }
      case "recoverRbw" -> {
        ExtendedBlock block = (ExtendedBlock) args[0];
        return cut(
            block, stock.getLength(block), stock.getReplicaVisibleLength(block), method, args);
      }
      case "createRbw" -> {
        boolean replaces = args.length > 4 && (long) args[4] != 0;
        return replaces
            ? cut((ExtendedBlock) args[2], ANY_LENGTH, 0, method, args)
            : call(method, args);
      }
      case "getBlockLocalPathInfo" -> {
        Object path = call(method, args); // there is such a replica
        take((ExtendedBlock) args[0]);
        return path;
      }
      case "invalidate" -> {
        try {
          return call(method, args);
        } finally {
          forget((String) args[0], (Block[]) args[1]);
        }
      }
      default -> {
        return call(method, args);
      }
    }
  }

  private Object call(Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(stock, args);
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }

  /**
   * Cuts a replica, if it may be cut.
   *
   * @param length that the replica has
   * @param to the length that it keeps
   */
  private Object cut(ExtendedBlock block, long length, long to, Method method, Object[] args)
      throws Throwable {
    String name = FloorClaim.replica(block.getBlockPoolId(), block.getBlockId());
    if (to >= length || !isGuarded(name, block)) {
      return call(method, args);
    }
    synchronized (lock(name)) {
      if (!mayCut(name, length, to)) {
        throw new AccessControlException(
            "replica "
                + name
                + " of a log segment keeps what its member has found valid: it is not cut to "
                + to
                + " bytes");
      }
      return call(method, args);
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

  private boolean isGuarded(String name, ExtendedBlock block) throws IOException {
    synchronized (floors) {
      if (floors.knows(name)) {
        return true;
      }
    }
    return isLog(block);
  }

  /** Whether the replica begins as a log does. */
  private boolean isLog(ExtendedBlock block) throws IOException {
    ExtendedBlock anyStamp =
        new ExtendedBlock(block.getBlockPoolId(), block.getBlockId(), 0, 0 /* stamp */);
    try (DataInputStream in =
        new DataInputStream(
            Files.newInputStream(Path.of(stock.getBlockLocalPathInfo(anyStamp).getBlockPath())))) {
      byte[] prefix = new byte[LogRecord.PREFIX];
      in.readFully(prefix);
      return LogRecord.format(ByteBuffer.wrap(prefix)) >= 0;
    } catch (EOFException | ReplicaNotFoundException nothing) {
      return false;
    }
  }

  /** Takes the floor that the caller shows, if it shows one. */
  private void take(ExtendedBlock block) throws AccessControlException {
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
    String name = FloorClaim.replica(block.getBlockPoolId(), block.getBlockId());
    synchronized (lock(name)) {
      if (!claim.replica().equals(name) || !isSigned(claim)) {
        throw new AccessControlException(
            "the floor of replica "
                + claim.replica()
                + " is not signed for DataNode "
                + dataNode.get()
                + "; salus.secret must be the same in its configuration and the region server's");
      }
      synchronized (floors) {
        floors.found(name, claim.epoch(), claim.length());
      }
    }
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
