package org.salus.monitor.hbase;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletContext;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.salus.host.metrics.PrometheusText;
import org.salus.monitor.ClusterPage;
import org.salus.monitor.ClusterState;
import org.salus.monitor.json.InfoJson;

/**
 * Answers {@code /salus}, {@code /salus/json} and {@code /salus/metrics}, and leaves all else to
 * HBase. It changes nothing.
 */
public final class SalusFilter implements Filter {
  private static final String PAGE = "/salus";
  private static final String METRICS = PAGE + "/metrics";
  private static final String RETRY_SECONDS = "2";

  private ServletContext context;

  @Override
  public void init(FilterConfig config) {
    context = config.getServletContext();
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain rest)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest asked
        && response instanceof HttpServletResponse answer
        && isPage(asked.getRequestURI())) {
      answer(asked, answer);
    } else {
      rest.doFilter(request, response);
    }
  }

  private static boolean isPage(String path) {
    return path.equals(PAGE) || path.startsWith(PAGE + "/");
  }

  private void answer(HttpServletRequest asked, HttpServletResponse answer) throws IOException {
    boolean reads = asked.getMethod().equals("GET") || asked.getMethod().equals("HEAD");
    if (!reads) {
      answer.setHeader("Allow", "GET, HEAD");
      answer.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
    } else if (context.getAttribute(Monitor.ATTRIBUTE) instanceof Monitor monitor) {
      show(monitor, asked, answer);
    } else if (asked.getRequestURI().equals(METRICS)) {
      send(answer, PrometheusText.TYPE, ""); // a standby master is up, and has none
    } else {
      answer.sendError(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "Salus does not run here now; of several masters, ask the active one");
    }
  }

  private static void show(Monitor monitor, HttpServletRequest asked, HttpServletResponse answer)
      throws IOException {
    switch (asked.getRequestURI().substring(PAGE.length())) {
      case "", "/" -> {
        if ("json".equals(asked.getParameter("format"))) {
          showJson(monitor, answer);
        } else {
          Optional<ClusterState> state = monitor.view().look();
          if (state.isPresent()) {
            send(answer, "text/html", ClusterPage.of(state.get()));
          } else {
            comeLater(answer);
          }
        }
      }
      case "/json" -> showJson(monitor, answer);
      case "/metrics" -> send(answer, PrometheusText.TYPE, PrometheusText.of(monitor.metrics()));
      default -> answer.sendError(HttpServletResponse.SC_NOT_FOUND);
    }
  }

  private static void showJson(Monitor monitor, HttpServletResponse answer) throws IOException {
    Optional<ClusterState> state = monitor.view().look();
    if (state.isPresent()) {
      send(answer, "application/json", InfoJson.of(state.get()));
    } else {
      comeLater(answer);
    }
  }

  private static void comeLater(HttpServletResponse answer) throws IOException {
    answer.setHeader("Retry-After", RETRY_SECONDS);
    answer.sendError(
        HttpServletResponse.SC_SERVICE_UNAVAILABLE, "the members are being asked; ask again soon");
  }

  private static void send(HttpServletResponse answer, String type, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    answer.setContentType(type);
    answer.setCharacterEncoding("utf-8");
    answer.setHeader("Cache-Control", "no-store");
    answer.setHeader("X-Content-Type-Options", "nosniff");
    answer.setHeader(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'");
    answer.setContentLength(bytes.length);
    answer.getOutputStream().write(bytes);
  }

  @Override
  public void destroy() {
    // Holds nothing.
  }
}
