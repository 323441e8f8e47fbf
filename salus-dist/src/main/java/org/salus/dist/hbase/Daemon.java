package org.salus.dist.hbase;

/** The roles of a cluster's processes; each is the stock server with Salus' parts in it. */
public enum Daemon {
  ZOOKEEPER,
  NAMENODE,
  DATANODE,
  MASTER,
  REGIONSERVER
}
