package org.salus.dist.doctor.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.dist.doctor.cluster.HdfsState;
import org.salus.dist.doctor.cluster.InfoAnswer;

@Timeout(60)
class InfoServerTest {
  private static final String RUNTIME =
      """
      {"beans":[{"name":"java.lang:type=Runtime","SystemProperties":[
        {"key":"java.class.path","value":"/a/salus-core-0.1.jar:/b/hbase-server-2.6.4-tests.jar:/b/hbase-server-2.6.4.jar:/etc/conf"},
        {"key":"user.name","value":"hbase"}]}]}
      """;
  private static final String SETTINGS =
      """
      {"properties":[{"key":"a.b","value":" c ","isFinal":false},
        {"key":"list","value":"x, y,"},{"key":"salus.secret","value":"<redacted>"}]}
      """;
  private static final String NAME_NODE =
      """
      {"beans":[{"Safemode":"",
        "LiveNodes":"{\\"h1:9866\\":{\\"infoAddr\\":\\"10.0.0.1:9864\\",\\"xferaddr\\":\\"10.0.0.1:9866\\",\\"lastContact\\":2,\\"adminState\\":\\"In Service\\",\\"capacity\\":100,\\"remaining\\":40}}",
        "DeadNodes":"{\\"h2:9866\\":{\\"lastContact\\":700,\\"adminState\\":\\"Decommissioned\\",\\"xferaddr\\":\\"10.0.0.2:9866\\"}}",
        "NameDirStatuses":"{\\"active\\":{\\"/a\\":\\"IMAGE\\"},\\"failed\\":{\\"/b\\":\\"IMAGE\\"}}"}]}
      """;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch never = new CountDownLatch(1);
  private HttpServer server;
  private InfoServer asked;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 1);
    server.setExecutor(threads);
    server.start();
    asked = new InfoServer(threads, Duration.ofSeconds(20));
  }

  @AfterEach
  void stop() {
    never.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  private void serve(String path, int status, String body) {
    server.createContext(
        path,
        exchange -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length);
          try (OutputStream to = exchange.getResponseBody()) {
            to.write(bytes);
          }
        });
  }

  @Test
  void readsWhatADaemonSaysOfItself() throws IOException {
    serve("/jmx", 200, RUNTIME);
    serve("/conf", 200, SETTINGS);
    serve("/salus/metrics", 200, "# HELP x y\nsalus_x{a=\"b c\"} 1\nsalus_y +Inf\nother 3\n");
    InfoAnswer answer = asked.ask(address(), true);
    assertThat(answer.setting("a.b")).isEqualTo("c");
    assertThat(answer.setting("none")).isEmpty();
    assertThat(answer.list("list")).containsExactly("x", "y");
    assertThat(answer.user()).isEqualTo("hbase");
    assertThat(answer.version("salus-core")).contains("0.1");
    assertThat(answer.version("salus")).isEmpty();
    assertThat(answer.version("hbase-server")).contains("2.6.4");
    assertThat(answer.noMetrics()).isEmpty();
    assertThat(answer.metrics())
        .isEqualTo(Map.of("salus_x{a=\"b c\"}", 1.0, "salus_y", Double.POSITIVE_INFINITY));
    assertThat(Math.abs(answer.ahead()))
        .as("its clock is this one")
        .isLessThan(answer.uncertain() + 0.1);
  }

  @Test
  void aDaemonWithoutThePageHasNoMetricsAndSaysWhy() throws IOException {
    serve("/jmx", 200, RUNTIME);
    serve("/conf", 200, SETTINGS);
    assertThat(asked.ask(address(), true).metrics()).isEmpty();
    assertThat(asked.ask(address(), true).noMetrics())
        .contains("/salus/metrics answers with HTTP status 404");
    assertThat(asked.ask(address(), false).noMetrics()).isEmpty();
  }

  @Test
  void readsTheDataNodesThatANameNodeKnows() throws IOException {
    serve("/jmx", 200, NAME_NODE);
    HdfsState hdfs = asked.hdfs("nn1:8020", address());
    assertThat(hdfs.nameNode()).isEqualTo("nn1:8020");
    assertThat(hdfs.lostDirectories()).containsExactly("/b");
    assertThat(hdfs.dataNodes())
        .containsExactly(
            new HdfsState.DataNode(
                "h1", "10.0.0.1:9866", "10.0.0.1:9864", true, "In Service", 2, 100, 40),
            new HdfsState.DataNode("h2", "10.0.0.2:9866", "", false, "Decommissioned", 700, 0, 0));
  }

  @Test
  void whatIsNoDaemonIsTold() {
    serve("/jmx", 200, "<html>");
    assertThatThrownBy(() -> asked.ask(address(), false))
        .hasMessageContaining("does not answer as a daemon of Hadoop");
    assertThatThrownBy(() -> asked.hdfs("nn1:8020", address() + "/x"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("status 404");
    assertThatThrownBy(() -> asked.ask("two words:1", false))
        .hasMessageContaining("is not an address");
  }

  @Test
  void aRefusedConnectionIsTold() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    assertThatThrownBy(() -> asked.ask("127.0.0.1:" + port, false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("http://127.0.0.1:" + port + " does not answer");
  }

  /** It accepts the connection, and sends the head and a part of the body of an answer. */
  @Test
  void aDaemonThatHangsWithinItsAnswerIsToldInTime() {
    InfoServer hasty = new InfoServer(threads, Duration.ofSeconds(1));
    server.createContext(
        "/jmx",
        exchange -> {
          exchange.sendResponseHeaders(200, 1000);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush();
          try {
            never.await();
          } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
          }
        });
    assertThatThrownBy(() -> hasty.ask(address(), false))
        .hasMessageContaining("does not answer within 1 s");
  }
}
