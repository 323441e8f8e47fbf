package org.salus.core.log;

import java.util.List;

/** A prepared batch as one region knows it. */
public record Prepared(
    int view, long first, long last, List<Integer> participants, byte[] volumeRoot) {}
