package org.salus.dist.system;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Chromium without a window, by WebDriver (Debian: chromium, chromium-driver). Not thread-safe.
 */
final class Chromium implements AutoCloseable {
  private static final Pattern STARTED = Pattern.compile("successfully on port (\\d+)");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process driver;
  private final String session;

  Chromium() throws IOException, InterruptedException {
    try {
      driver = new ProcessBuilder("chromedriver", "--port=0").redirectErrorStream(true).start();
    } catch (IOException missing) {
      throw new IOException(
          "chromedriver cannot be run; install the Debian packages chromium and chromium-driver",
          missing);
    }
    String server = "http://127.0.0.1:" + port();
    Map<String, Object> chrome =
        Map.of("args", List.of("--headless=new", "--no-sandbox", "--hide-scrollbars"));
    JsonNode made =
        post(
            server + "/session",
            Map.of(
                "capabilities",
                Map.of(
                    "alwaysMatch",
                    Map.of(
                        "browserName",
                        "chrome",
                        "goog:chromeOptions",
                        chrome,
                        "goog:loggingPrefs",
                        Map.of("browser", "ALL")))));
    session = server + "/session/" + made.get("sessionId").asText();
  }

  private int port() throws IOException {
    BufferedReader out = driver.inputReader(UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher m = STARTED.matcher(line);
      if (m.find()) {
        return Integer.parseInt(m.group(1));
      }
    }
    throw new IOException("chromedriver does not start");
  }

  private JsonNode post(String address, Map<String, ?> body)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(address))
            .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))));
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
    if (answer.statusCode() != 200) {
      throw new IOException(answer.uri() + " answers " + answer.body());
    }
    return JSON.readTree(answer.body()).get("value");
  }

  /**
   * Shows pages as on a screen like that.
   *
   * @param width in CSS pixels
   */
  void screen(int width, int height, boolean dark) throws IOException, InterruptedException {
    devTools(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    devTools(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
  }

  private void devTools(String command, Map<String, ?> parameters)
      throws IOException, InterruptedException {
    post(session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  /** Opens a page and waits until it is loaded. */
  void open(String address) throws IOException, InterruptedException {
    post(session + "/url", Map.of("url", address));
  }

  /** What a script returns in the page. */
  JsonNode run(String script) throws IOException, InterruptedException {
    return post(session + "/execute/sync", Map.of("script", script, "args", List.of()));
  }

  /** What the screen shows, as PNG. */
  byte[] picture() throws IOException, InterruptedException {
    JsonNode png = send(HttpRequest.newBuilder(URI.create(session + "/screenshot")).GET());
    return Base64.getDecoder().decode(png.asText());
  }

  /** What the browser has complained of since the last call. */
  List<String> complaints() throws IOException, InterruptedException {
    return post(session + "/se/log", Map.of("type", "browser")).findValuesAsText("message");
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try {
      send(HttpRequest.newBuilder(URI.create(session)).DELETE());
    } finally {
      driver.destroy();
    }
  }
}
