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
  private final Path file;
  private final URL url;
  private final String name;

  private DefaultSettings(Path file, ClassLoader parent) throws MalformedURLException {
    super(parent);
    this.file = file;
    this.url = file.toUri().toURL();
    this.name = name(file);
  }

  /** Files that it includes are looked for beside what the resource's name is. */
  private static String name(Path file) {
    return file.toUri().toString();
  }

  /** Call it before any server starts: the threads of servers inherit it from this thread. */
  static void add(Path file) throws MalformedURLException {
    Path absolute = file.toAbsolutePath();
    Thread thread = Thread.currentThread();
    thread.setContextClassLoader(new DefaultSettings(absolute, thread.getContextClassLoader()));
    Configuration.addDefaultResource(name(absolute));
  }

  @Override
  public URL getResource(String wanted) {
    return wanted.equals(name) && Files.isReadable(file) ? url : super.getResource(wanted);
  }
}
