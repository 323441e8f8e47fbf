package org.salus.benchmarks.peers.ratis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.MD5FileUtil;
import org.salus.benchmarks.peers.BlockStoreUnderTest;

/**
 * Blocks in a file, each in its place. A write goes there when it is committed, from the log, where
 * it is on disk; a snapshot has the file written to disk and notes how far it is. Writes that are
 * repeated after a start do no harm. A request is the block's number, and what is to be written.
 */
final class BlockStateMachine extends BaseStateMachine {
  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private FileChannel blocks;

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage raft)
      throws IOException {
    super.initialize(server, group, raft);
    storage.init(raft);
    Path file = raft.getStorageDir().getStateMachineDir().toPath().resolve("blocks");
    blocks =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    SingleFileSnapshotInfo newest = storage.getLatestSnapshot();
    if (newest != null) {
      setLastAppliedTermIndex(newest.getTermIndex());
    }
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    ByteBuffer request = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
    try {
      long at = request.getLong() * BlockStoreUnderTest.BLOCK;
      while (request.hasRemaining()) {
        at += blocks.write(request, at);
      }
    } catch (IOException failed) {
      return CompletableFuture.failedFuture(failed);
    }
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  @Override
  public CompletableFuture<Message> query(Message request) {
    ByteBuffer block = ByteBuffer.allocate(BlockStoreUnderTest.BLOCK);
    try {
      long at = request.getContent().asReadOnlyByteBuffer().getLong() * BlockStoreUnderTest.BLOCK;
      for (int read = 0; block.hasRemaining() && read >= 0; ) {
        read = blocks.read(block, at + block.position());
      }
    } catch (IOException failed) {
      return CompletableFuture.failedFuture(failed);
    }
    ByteString content = UnsafeByteOperations.unsafeWrap(block.flip());
    return CompletableFuture.completedFuture(Message.valueOf(content));
  }

  @Override
  public long takeSnapshot() throws IOException {
    TermIndex applied = getLastAppliedTermIndex();
    blocks.force(false);
    Path mark = storage.getSnapshotFile(applied.getTerm(), applied.getIndex()).toPath();
    if (!Files.exists(mark)) {
      Files.createFile(mark);
      MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(mark.toFile());
      storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(mark, digest), applied));
    }
    return applied.getIndex();
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  @Override
  public void close() throws IOException {
    super.close();
    blocks.close();
  }
}
