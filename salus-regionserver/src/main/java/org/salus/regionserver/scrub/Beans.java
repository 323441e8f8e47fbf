package org.salus.regionserver.scrub;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the state of a server's scrub in JMX, and so in HBase's {@code /jmx}. Thread-safe. */
public final class Beans {
  private static final Logger LOG = LoggerFactory.getLogger(Beans.class);

  private Beans() {}

  private static ObjectName name(String node) throws JMException {
    return new ObjectName("org.salus:type=Scrub,node=" + ObjectName.quote(node));
  }

  public static void register(String node, ScrubStatusMXBean bean) {
    try {
      unregister(node);
      ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name(node));
    } catch (JMException failed) {
      LOG.warn("JMX does not show the scrubber of {}: {}", node, failed.getMessage());
    }
  }

  public static void unregister(String node) {
    try {
      if (ManagementFactory.getPlatformMBeanServer().isRegistered(name(node))) {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name(node));
      }
    } catch (JMException failed) {
      LOG.warn("JMX still shows the scrubber of {}: {}", node, failed.getMessage());
    }
  }
}
