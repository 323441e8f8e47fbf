package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.salus.core.session.Accusation;

/** A session's word against a member, with its signature. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record AccusationRecord(Accusation accusation, byte[] signature) {}
