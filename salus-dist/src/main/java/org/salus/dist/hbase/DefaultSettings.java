package org.salus.dist.hbase;

import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/**
 * Makes the file of a daemon's {@code --conf} one of the files that HDFS's new configurations in
 * this process begin with. Stock code reads those anew at run time, for {@code dfsadmin
 * -refreshNodes} and the like, and knows nothing of {@code --conf}.
 */
final class DefaultSettings extends ClassLoader {
  private static final String NAME = "salus-daemon.xml";

  private final Path file;
  private final URL url;

  private DefaultSettings(Path file, ClassLoader parent) throws MalformedURLException {
    super(parent);
    this.file = file;
    this.url = file.toUri().toURL();
  }

  /** Call it before any server starts: the threads of servers inherit it from this thread. */
  static void add(Path file) throws MalformedURLException {
    Thread thread = Thread.currentThread();
    thread.setContextClassLoader(
        new DefaultSettings(file.toAbsolutePath(), thread.getContextClassLoader()));
    Configuration.addDefaultResource(NAME);
  }

  @Override
  public URL getResource(String name) {
    return name.equals(NAME) && Files.isReadable(file) ? url : super.getResource(name);
  }
}
