package org.salus.dist.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Properties;
import org.salus.dist.data.DataDirectoryException.Reason;
import org.salus.host.DurableFile;
import org.salus.host.ServerPorts;

/**
 * The directory of a cluster on one machine, locked against other processes (by a lock on {@code
 * LOCK}). {@code VERSION} has the format's number. {@code cluster.properties} has the ports and the
 * number of servers, which must be the same at every start. Not thread-safe.
 */
public final class DataDirectory implements AutoCloseable {
  /** The format that this program writes, and the newest that it reads. */
  public static final int FORMAT = 1;

  /** Characters at which HDFS splits a list of directories, and which URIs leave as they are. */
  private static final String SPLITS = ",;";

  private static final String ZOOKEEPER = "zookeeper";
  private static final String SERVERS = "servers";

  private final Path dir;
  private final FileChannel channel;
  private final Properties properties;

  private DataDirectory(Path dir, FileChannel channel) throws IOException {
    this.dir = dir;
    this.channel = channel;
    this.properties = load(dir);
  }

  /**
   * Locks the directory. Creates it when it is missing.
   *
   * @throws DataDirectoryException when it cannot be used; then nothing was made
   */
  public static DataDirectory open(Path path) throws DataDirectoryException {
    Path dir = path.toAbsolutePath().normalize();
    requirePlain(dir);
    FileChannel channel = null;
    try {
      Files.createDirectories(dir);
      channel =
          FileChannel.open(
              dir.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      lock(dir, channel);
      checkVersion(dir);
      return new DataDirectory(dir, channel);
    } catch (DataDirectoryException refused) {
      closeQuietly(channel);
      throw refused;
    } catch (FileSystemException failed) {
      closeQuietly(channel);
      String why =
          failed instanceof AccessDeniedException ? "permission denied" : failed.getMessage();
      throw new DataDirectoryException(
          Reason.NOT_WRITABLE, dir, "is not writable (" + why + "); choose another one", failed);
    } catch (IOException failed) {
      closeQuietly(channel);
      throw new DataDirectoryException(
          Reason.NOT_WRITABLE, dir, "cannot be used: " + failed.getMessage(), failed);
    }
  }

  /**
   * HDFS takes its directories as a list of URIs, puts settings in for {@code ${name}}, and stock
   * code uses the encoded form as a path. So a path must be one that has no other form.
   */
  private static void requirePlain(Path dir) throws DataDirectoryException {
    String path = dir.toString();
    String uri = dir.toUri().getRawPath();
    int odd = 0;
    while (odd < path.length()
        && path.charAt(odd) == uri.charAt(odd)
        && SPLITS.indexOf(path.charAt(odd)) < 0
        && !path.startsWith("${", odd)) {
      odd++;
    }
    if (odd < path.length()) {
      throw new DataDirectoryException(
          Reason.ODD_NAME,
          dir,
          "has '"
              + Character.toString(path.codePointAt(odd))
              + "' in its path, which HDFS cannot use; choose a path of letters from a to z, digits"
              + " and . _ - + = @ ~, or make a link with such a path to it",
          null);
    }
  }

  /**
   * {@code host:port} of the ZooKeeper of the cluster in a directory. Needs no lock: another
   * process may have it.
   */
  public static String zookeeper(Path path) throws DataDirectoryException {
    Path dir = path.toAbsolutePath().normalize();
    try {
      String port = load(dir).getProperty(ZOOKEEPER);
      if (port != null) {
        return "127.0.0.1:" + port;
      }
    } catch (IOException unreadable) {
      throw new DataDirectoryException(
          Reason.NOT_A_CLUSTER, dir, "cannot be read: " + unreadable.getMessage(), unreadable);
    }
    throw new DataDirectoryException(
        Reason.NOT_A_CLUSTER,
        dir,
        "has no cluster; start one with 'salus standalone', or give --zookeeper HOST:PORT",
        null);
  }

  /**
   * The file with the settings that the servers of a {@code salus cluster} in this directory share.
   */
  public static Path settings(Path dir) {
    return dir.resolve("conf").resolve("master.xml");
  }

  public Path path() {
    return dir;
  }

  /** ZooKeeper's port; see {@link #port}. */
  public int zookeeperPort() throws DataDirectoryException {
    return port(ZOOKEEPER, "127.0.0.1");
  }

  /**
   * The port under a name, chosen at the first start. Must be called at most once for each start,
   * before the port is bound.
   *
   * @param address the address on which it will be bound
   * @throws DataDirectoryException when another program has taken the port meanwhile
   */
  public int port(String name, String address) throws DataDirectoryException {
    String known = properties.getProperty(name);
    if (known != null) {
      int port = number(name, known);
      if (!ServerPorts.isFree(address, port)) {
        throw new DataDirectoryException(
            Reason.PORT_TAKEN,
            dir,
            "needs "
                + address
                + ":"
                + port
                + " for "
                + name
                + ", which another program has taken; stop that program",
            null);
      }
      return port;
    }
    while (true) {
      try (ServerSocket free = ServerPorts.OTHERS.take(address)) {
        String port = Integer.toString(free.getLocalPort());
        if (!properties.containsValue(port)) {
          properties.setProperty(name, port);
          return free.getLocalPort();
        }
      } catch (IOException none) {
        throw new DataDirectoryException(Reason.PORT_TAKEN, dir, none.getMessage(), none);
      }
    }
  }

  /** Notes the number of servers. It can grow from start to start, but not shrink. */
  public void servers(int count) throws DataDirectoryException {
    int before = number(SERVERS, properties.getProperty(SERVERS, "0"));
    if (count < before) {
      throw new DataDirectoryException(
          Reason.FEWER_SERVERS,
          dir,
          "has data on " + before + " servers; use --servers " + before + " or more",
          null);
    }
    properties.setProperty(SERVERS, Integer.toString(count));
  }

  /** Writes ports and the number of servers to disk. */
  public void save() throws DataDirectoryException {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      properties.store(out, "Do not change: servers and clients know each other by these.");
      DurableFile.write(file(dir), out.toByteArray());
    } catch (IOException failed) {
      throw new DataDirectoryException(
          Reason.NOT_WRITABLE, dir, "is not writable: " + failed.getMessage(), failed);
    }
  }

  @Override
  public void close() {
    closeQuietly(channel);
  }

  private static Path file(Path dir) {
    return dir.resolve("cluster.properties");
  }

  private static Properties load(Path dir) throws IOException {
    Properties properties = new Properties();
    try (var in = Files.newInputStream(file(dir))) {
      properties.load(in);
    } catch (NoSuchFileException first) {
      return properties;
    }
    return properties;
  }

  private int number(String name, String text) throws DataDirectoryException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException nonsense) {
      throw new DataDirectoryException(
          Reason.DAMAGED,
          dir,
          "has '" + text + "' for " + name + " in cluster.properties, which should be a number",
          nonsense);
    }
  }

  private static void lock(Path dir, FileChannel channel) throws IOException {
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException sameProcess) {
      lock = null;
    }
    if (lock == null) {
      throw new DataDirectoryException(
          Reason.LOCKED,
          dir,
          "is in use by another process; stop that one or choose another directory",
          null);
    }
  }

  private static void checkVersion(Path dir) throws IOException {
    Path file = dir.resolve("VERSION");
    if (!Files.exists(file)) {
      Files.writeString(
          file,
          FORMAT + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.DSYNC,
          StandardOpenOption.WRITE);
      return;
    }
    String text = Files.readString(file).trim();
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw new DataDirectoryException(
          Reason.DAMAGED, dir, "has '" + text + "' in VERSION, not a number", null);
    }
    if (Integer.parseInt(text) > FORMAT) {
      throw new DataDirectoryException(
          Reason.NEWER_FORMAT,
          dir,
          "has format " + text + ", this program knows " + FORMAT + "; use a newer program",
          null);
    }
  }

  private static void closeQuietly(FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }
}
