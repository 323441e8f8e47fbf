package org.salus.benchmarks.faults.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * Finds the block files of HDFS' files in the directories of DataNodes on this machine.
 * Thread-safe.
 */
public final class ReplicaFinder implements AutoCloseable {
  private final DistributedFileSystem fileSystem;
  private final Path dataNodes;

  /**
   * @param conf as the region servers have it
   * @param dataNodes directory that has one of each DataNode, {@code datanode0} and so on
   */
  public ReplicaFinder(Path conf, Path dataNodes) throws IOException {
    Configuration c = new Configuration();
    c.addResource(new org.apache.hadoop.fs.Path(conf.toUri()));
    this.fileSystem =
        (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(c), c);
    this.dataNodes = dataNodes;
  }

  /** Files below a directory, open ones too, by name; none if there is no such directory. */
  public List<Replicas> below(String directory, Predicate<String> wanted) throws IOException {
    Map<String, List<Path>> blocks = blockFiles();
    List<Replicas> found = new ArrayList<>();
    try {
      for (RemoteIterator<LocatedFileStatus> files =
              fileSystem.listFiles(new org.apache.hadoop.fs.Path(directory), true);
          files.hasNext(); ) {
        String path = files.next().getPath().toUri().getPath();
        if (wanted.test(path)) {
          LocatedBlocks located = fileSystem.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE);
          LocatedBlock last =
              located.locatedBlockCount() > 0 ? located.get(0) : located.getLastLocatedBlock();
          if (last != null) {
            found.add(
                new Replicas(path, blocks.getOrDefault(last.getBlock().getBlockName(), List.of())));
          }
        }
      }
    } catch (FileNotFoundException none) {
      return found; // deleted while it was looked at, or nothing was ever there
    }
    return found;
  }

  private Map<String, List<Path>> blockFiles() throws IOException {
    Map<String, List<Path>> all = new HashMap<>();
    for (int i = 0; Files.isDirectory(dataNodes.resolve("datanode" + i)); i++) {
      try (Stream<Path> files = Files.walk(dataNodes.resolve("datanode" + i))) {
        files
            .filter(f -> f.getFileName().toString().matches("blk_-?\\d+"))
            .forEach(
                f ->
                    all.computeIfAbsent(f.getFileName().toString(), n -> new ArrayList<>()).add(f));
      } catch (UncheckedIOException moved) {
        i--; // a DataNode moved a file meanwhile: look again
      }
    }
    return all;
  }

  /** How many DataNodes the NameNode takes for living. */
  public int livingDataNodes() throws IOException {
    return fileSystem.getDataNodeStats(DatanodeReportType.LIVE).length;
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
  }
}
