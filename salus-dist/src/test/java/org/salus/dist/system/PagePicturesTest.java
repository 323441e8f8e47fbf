package org.salus.dist.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.client.VolumeInfo;
import org.salus.client.Wait;
import org.salus.monitor.ClusterPage;
import org.salus.monitor.ClusterState;

/**
 * Shows the page in every state in a real browser, on wide and narrow, light and dark screens. The
 * pictures are in {@code target/pictures}, to be looked at.
 */
@Tag("cluster")
@Tag("slow")
class PagePicturesTest {
  private static final Path PICTURES =
      Path.of(System.getProperty("basedir", "."), "target", "pictures").toAbsolutePath();
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final int WIDE = 1280;
  private static final int NARROW = 390;
  private static final int HEIGHT = 1000;

  /** The least contrast of text that people with weak eyes read (WCAG 2, level AA). */
  private static final double LEAST_CONTRAST = 4.5;

  /** The least contrast of all text, and that text. */
  private static final String CONTRAST =
      """
      const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [18,18,18] : [255,255,255];
      const rgb = s => s.match(/[\\d.]+/g).map(Number);
      const light = c => c.slice(0,3).map(v => v/255)
          .map(v => v <= 0.04045 ? v/12.92 : ((v+0.055)/1.055)**2.4)
          .reduce((sum, v, i) => sum + v*[0.2126,0.7152,0.0722][i], 0);
      const behind = e => {
        for (; e; e = e.parentElement) {
          const c = rgb(getComputedStyle(e).backgroundColor);
          if (c.length < 4 || c[3] > 0) return c;
        }
        return canvas;
      };
      let least = [99, ''];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        if (!texts.currentNode.data.trim()) continue;
        const e = texts.currentNode.parentElement;
        const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < least[0]) least = [ratio, texts.currentNode.data];
      }
      return least;
      """;

  /** The words of tables that stand on two lines, though they are short and have no hyphen. */
  private static final String BROKEN_WORDS =
      """
      const broken = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        if (!text.parentElement.closest('td,th')) continue;
        for (const word of text.data.matchAll(/[^\\s-]{2,24}/g)) {
          const range = document.createRange();
          range.setStart(text, word.index);
          range.setEnd(text, word.index + word[0].length);
          if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) broken.push(word[0]);
        }
      }
      return broken.slice(0, 5);
      """;

  private final Map<String, String> pages = new ConcurrentHashMap<>();
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private HttpServer server;
  private Chromium chromium;

  @BeforeEach
  void start() throws Exception {
    Files.createDirectories(PICTURES);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().getPath());
          byte[] page =
              pages.getOrDefault(exchange.getRequestURI().getPath(), "no page").getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/html;charset=utf-8");
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    server.start();
    chromium = new Chromium();
  }

  @AfterEach
  void stop() throws Exception {
    try {
      if (chromium != null) {
        chromium.close();
      }
    } finally {
      server.stop(0);
    }
  }

  private static VolumeInfo.Region region(int index, String health, String why) {
    String host = "regionserver-" + index + ".storage.example.com:16020";
    boolean isUp = !health.equals("unavailable");
    return new VolumeInfo.Region(
        index,
        7,
        isUp ? "SERVING" : "BROKEN",
        isUp ? "" : "only one of three DataNodes answers",
        health,
        why,
        NOW.minusSeconds(60L * index),
        Map.of("WRONG_ANSWER", 2, "SERVER_DOWN", 1),
        index == 1
            ? new VolumeInfo.Finding(
                NOW,
                host,
                "/salus/disk1-00000000000000ab/0001/log-00000000000000000007",
                false,
                "zeros, and no other replica is known")
            : null,
        List.of(
            new VolumeInfo.Member(
                host,
                "10.0.0.1:9866",
                new VolumeInfo.Status(isUp, 4711, 2, 3 << 20, 1, 1536, 0),
                isUp
                    ? List.of()
                    : List.of(
                        wait("CHAIN", List.of("b.example.com:16020", "c.example.com:16020"), 3, 7),
                        wait("WATERMARK", List.of(), 2, 0))),
            new VolumeInfo.Member(
                "b.example.com:16020",
                "10.0.0.2:9866",
                new VolumeInfo.Status(isUp, 4711, 2, 3 << 20, 1, 1536, 1),
                List.of()),
            new VolumeInfo.Member(
                "c.example.com:16020",
                "10.0.0.3:9866",
                health.equals("healthy")
                    ? new VolumeInfo.Status(true, 4711, 2, 3 << 20, 1, 1536, 1)
                    : null,
                List.of())),
        isUp
            ? List.of()
            : List.of(
                new VolumeInfo.Former(
                    "d.example.com:16020",
                    List.of(wait("APPEND", List.of("10.0.0.4:9866"), 0, 4)))));
  }

  private static Wait wait(String cause, List<String> awaited, int waiting, long slow) {
    return new Wait(2_500, cause, awaited, waiting, 12_345, slow, slow == 0 ? null : NOW, 6);
  }

  private static VolumeInfo volume(String name, String health, String why, int regions) {
    return new VolumeInfo(
        name,
        "00000000000000ab",
        new VolumeInfo.Shape(1L << 40, 4096, false, true, 64 << 20),
        false,
        health,
        why,
        new VolumeInfo.Writer("root@bridge.example.com, process 4711", NOW, 3),
        new VolumeInfo.Confirmed(NOW, 5),
        health.equals("healthy")
            ? List.of()
            : List.of(new VolumeInfo.Loss(NOW, "bob@host2", 7, 40, 42, false)),
        IntStream.range(0, regions).mapToObj(i -> region(i, health, why)).toList(),
        List.of(
            new VolumeInfo.Scrub("a:16020", 3, true, NOW, NOW, "/x", 5, 1 << 20, 9 << 20, 2, 1)));
  }

  private static ClusterState state(VolumeInfo... volumes) {
    return ClusterState.of("master.example.com:16000", "Master", NOW, List.of(volumes));
  }

  private static Map<String, ClusterState> states() {
    Map<String, ClusterState> all = new LinkedHashMap<>();
    all.put("empty", state());
    all.put(
        "unknown",
        ClusterState.unknown(
            "master:16000", "Master", NOW, "ZooKeeper at zk1:2181,zk2:2181 did not answer"));
    all.put("healthy", state(volume("disk1", "healthy", "", 2)));
    String why = "region 0: c.example.com:16020 does not answer";
    all.put(
        "degraded", state(volume("disk1", "degraded", why, 2), volume("disk2", "healthy", "", 1)));
    all.put(
        "unavailable", state(volume("disk1", "unavailable", "region 0: HDFS is in safe mode", 2)));
    all.put(
        "many",
        state(
            IntStream.range(0, 200)
                .mapToObj(i -> volume("disk" + i, "healthy", "", 8))
                .toArray(VolumeInfo[]::new)));
    String word = "a-name-without-a-blank-".repeat(12);
    all.put("long-words", state(volume(word, "degraded", word, 1)));
    return all;
  }

  private void show(String name, int width, boolean dark) throws IOException, InterruptedException {
    String at = "/" + name;
    chromium.screen(width, HEIGHT, dark);
    chromium.open("http://127.0.0.1:" + server.getAddress().getPort() + at);
    String what = name + (width == WIDE ? "-wide" : "-narrow") + (dark ? "-dark" : "-light");
    Files.write(PICTURES.resolve(what + ".png"), chromium.picture());
    assertThat(chromium.run("return document.documentElement.scrollWidth").asInt())
        .as("%s: only tables may be wider than the screen", what)
        .isLessThanOrEqualTo(width);
    assertThat(chromium.run(BROKEN_WORDS)).as("%s: broken words", what).isEmpty();
    JsonNode contrast = chromium.run(CONTRAST);
    assertThat(contrast.get(0).asDouble())
        .as("%s: the contrast of '%s'", what, contrast.get(1).asText())
        .isGreaterThanOrEqualTo(LEAST_CONTRAST);
    String canvas = "return getComputedStyle(document.documentElement).colorScheme";
    assertThat(chromium.run(canvas).asText()).as(what).isEqualTo("light dark");
    assertThat(chromium.complaints()).as(what).noneMatch(c -> !c.contains("favicon"));
  }

  @Test
  @Timeout(180)
  void everyStateIsReadableOnEveryScreen() throws Exception {
    Map<String, ClusterState> states = states();
    states.forEach((name, state) -> pages.put("/" + name, ClusterPage.of(state)));
    for (String name : states.keySet()) {
      for (int width : new int[] {WIDE, NARROW}) {
        show(name, width, false);
        show(name, width, true);
      }
    }
    asked.remove("/favicon.ico");
    assertThat(asked).as("what pages ask for").isEqualTo(pages.keySet());
    try (var pictures = Files.list(PICTURES)) {
      assertThat(pictures).hasSizeGreaterThanOrEqualTo(states.size() * 4);
    }
  }
}
