package org.salus.core.log;

/** A segment and how many bytes of it are valid. */
public record SegmentEnd(long segment, long length) {}
