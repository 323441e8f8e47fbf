package org.salus.monitor.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.time.Instant;
import org.salus.client.VolumeInfo;
import org.salus.client.WaitSum;

/** Writes descriptions of volumes as JSON: that of the command line and of the page. */
public final class InfoJson {
  /** In JSON, a volume's shape is not apart from the rest, and what waits is summed up. */
  interface Flat {
    @JsonUnwrapped
    VolumeInfo.Shape shape();

    @JsonProperty
    WaitSum waits();
  }

  /** In JSON, a loss has the name by which it is accepted. */
  interface Named {
    @JsonProperty
    String id();
  }

  private InfoJson() {}

  /** Writes records and lists of them, with line breaks. */
  public static String of(Object value) throws JsonProcessingException {
    return new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .addMixIn(VolumeInfo.class, Flat.class)
        .addMixIn(VolumeInfo.Loss.class, Named.class)
        .registerModule(
            new SimpleModule().addSerializer(Instant.class, ToStringSerializer.instance))
        .writeValueAsString(value);
  }
}
