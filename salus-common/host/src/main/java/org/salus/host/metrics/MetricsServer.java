package org.salus.host.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.salus.host.DaemonThreads;

/** Serves the metrics of this process to Prometheus at {@code /metrics}. */
public final class MetricsServer implements AutoCloseable {
  private static final String PATH = "/metrics";
  private static final int THREADS = 2;
  private static final int NO_BODY = -1;

  /** A peer that is slower than this is cut off, so that it does not hold a thread. */
  private static final String MOST_SECONDS = "5";

  static {
    // The JDK's server has no time-outs unless these are set before its first use.
    for (String limit : List.of("sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime")) {
      if (System.getProperty(limit) == null) {
        System.setProperty(limit, MOST_SECONDS);
      }
    }
  }

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, DaemonThreads.named("salus-metrics"));

  private MetricsServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Listens. Port 0 takes a free port.
   *
   * @throws IOException when it cannot listen on the address
   */
  public static MetricsServer start(InetSocketAddress address, Metrics metrics) throws IOException {
    MetricsServer made = new MetricsServer(HttpServer.create(address, 0));
    made.server.createContext("/", exchange -> answer(exchange, metrics));
    made.server.setExecutor(made.threads);
    made.server.start();
    return made;
  }

  private static void answer(HttpExchange exchange, Metrics metrics) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(404, NO_BODY);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        exchange.sendResponseHeaders(405, NO_BODY);
      } else {
        byte[] text = PrometheusText.of(metrics).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", PrometheusText.TYPE);
        exchange.sendResponseHeaders(200, text.length);
        exchange.getResponseBody().write(text);
      }
    }
  }

  /** The port on which it listens. */
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
