package org.salus.host.zk;

/** A record and the version that a change of it must name. */
public record Versioned<T>(T value, int version) {}
