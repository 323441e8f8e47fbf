package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/** A running server: its data port, its DataNode as {@code ip:port} and when it started (ms, or any growing code). */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ServerRecord(
    String host, int port, String dataNode, long startCode) {}
