package org.salus.monitor.hbase;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.http.FilterContainer;
import org.apache.hadoop.hbase.http.FilterInitializer;

/**
 * Adds the pages of Salus to an info server of HBase. Name it in {@code
 * hbase.http.filter.initializers}. HBase takes no more servlets once its info server runs, and
 * coprocessors start after that.
 */
public final class SalusPages extends FilterInitializer {
  @Override
  public void initFilter(FilterContainer container, Configuration conf) {
    container.addGlobalFilter("salus", SalusFilter.class.getName(), Map.of());
  }
}
