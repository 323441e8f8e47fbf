package org.salus.host.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MetricsServerTest {
  private final Metrics metrics = new Metrics();

  private static HttpResponse<String> ask(int port, String path, String method) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void metricsAreServedAndNothingElse() throws Exception {
    metrics.group().counter("salus_t_total", "T", Labels.NONE).add(5);
    try (MetricsServer server =
        MetricsServer.start(new InetSocketAddress("127.0.0.1", 0), metrics)) {
      HttpResponse<String> answer = ask(server.port(), "/metrics", "GET");
      assertThat(answer.body()).endsWith("salus_t_total 5\n");
      assertThat(answer.headers().firstValue("Content-Type")).contains(PrometheusText.TYPE);
      assertThat(ask(server.port(), "/metrics?x=1", "GET").statusCode()).isEqualTo(200);
      assertThat(ask(server.port(), "/metricsx", "GET").statusCode()).isEqualTo(404);
      assertThat(ask(server.port(), "/", "GET").statusCode()).isEqualTo(404);
      assertThat(ask(server.port(), "/metrics", "POST").statusCode()).isEqualTo(405);
    }
  }

  @Test
  @Timeout(60)
  void peersThatSendHalfARequestDoNotStopIt() throws Exception {
    InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
    try (MetricsServer server = MetricsServer.start(any, metrics);
        Socket one = new Socket("127.0.0.1", server.port());
        Socket two = new Socket("127.0.0.1", server.port())) {
      one.getOutputStream().write('G');
      two.getOutputStream().write('G');
      assertThat(ask(server.port(), "/metrics", "GET").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aPortThatIsTakenIsAnError() throws Exception {
    InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
    try (MetricsServer first = MetricsServer.start(any, metrics)) {
      InetSocketAddress taken = new InetSocketAddress("127.0.0.1", first.port());
      assertThatThrownBy(() -> MetricsServer.start(taken, metrics))
          .isInstanceOf(BindException.class);
    }
  }
}
