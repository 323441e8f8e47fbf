package org.salus.dist.data;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * Reads a file of settings in Hadoop's XML, with the files that it includes by XInclude. Needs no
 * Hadoop, which is not on the class path of client commands.
 *
 * <p>The values are those that Hadoop would read. An empty value counts as absent. Of several
 * values the last counts, unless an earlier one is final. Name, value and final may be attributes.
 *
 * <p><code>${key}</code> stands for a system property or another setting, <code>${env.NAME}</code>
 * for an environment variable. <code>${env.NAME:-text}</code> is the text if the variable is empty
 * or not set, <code>${env.NAME-text}</code> if it is not set.
 */
public final class SettingsFile {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}$ ]+)}");
  private static final Pattern ENVIRONMENT = Pattern.compile("env\\.([^-]*?)(?:(:?-)(.*))?");
  private static final int MAX_SUBSTITUTIONS = 20;

  private final Map<String, String> values = new HashMap<>();

  /** The keys of settings that are final. */
  private final Set<String> fixed = new HashSet<>();

  private SettingsFile() {}

  /**
   * Reads all settings of a file.
   *
   * @throws IOException when it is unreadable or no valid XML, with a one-line message
   */
  public static Map<String, String> read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("cannot read " + file + "; give a file with --conf");
    }
    return read(file, Files.readAllBytes(file));
  }

  /**
   * Same as {@link #read(Path)}, as if the file had this content.
   *
   * @throws IOException when it is no valid XML, with a one-line message
   */
  public static Map<String, String> read(Path file, byte[] content) throws IOException {
    return read(List.of(), file, content);
  }

  /**
   * Same as {@link #read(Path, byte[])}, for a daemon that reads other files before.
   *
   * @throws IOException when one is unreadable or no valid XML, with a one-line message
   */
  public static Map<String, String> read(List<Path> before, Path file, byte[] content)
      throws IOException {
    SettingsFile settings = new SettingsFile();
    for (Path other : before) {
      settings.add(other, Files.readAllBytes(other));
    }
    settings.add(file, content);
    Map<String, String> all = new HashMap<>();
    settings.values.forEach((key, value) -> all.put(key, settings.substituted(value)));
    return all;
  }

  private void add(Path file, byte[] content) throws IOException {
    try {
      // The name, for files that it includes by a relative path.
      Document document =
          parser().parse(new ByteArrayInputStream(content), file.toUri().toASCIIString());
      add(document.getElementsByTagName("property"));
    } catch (SAXException malformed) {
      throw new IOException(file + " is not valid XML: " + malformed.getMessage(), malformed);
    } catch (ParserConfigurationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static DocumentBuilder parser() throws ParserConfigurationException {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    factory.setXIncludeAware(true);
    factory.setIgnoringComments(true);
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    DocumentBuilder parser = factory.newDocumentBuilder();
    parser.setErrorHandler(new Thrower());
    return parser;
  }

  private void add(NodeList properties) {
    for (int i = 0; i < properties.getLength(); i++) {
      Element property = (Element) properties.item(i);
      String name = text(property, "name").strip();
      if (name.isEmpty() || fixed.contains(name)) {
        continue;
      }
      String value = text(property, "value");
      if (!value.isEmpty()) {
        values.put(name, value);
      }
      if (text(property, "final").strip().equals("true")) {
        fixed.add(name);
      }
    }
  }

  private static String text(Element of, String child) {
    NodeList found = of.getElementsByTagName(child);
    return found.getLength() == 0 ? of.getAttribute(child) : found.item(0).getTextContent();
  }

  /** Replaces variables in a value. Stops at the first one without a value. */
  private String substituted(String value) {
    String text = value;
    for (int i = 0; i < MAX_SUBSTITUTIONS; i++) {
      Matcher variable = VARIABLE.matcher(text);
      String by = variable.find() ? variable(variable.group(1)) : null;
      if (by == null) {
        return text;
      }
      text = text.substring(0, variable.start()) + by + text.substring(variable.end());
    }
    return text;
  }

  private String variable(String name) {
    Matcher environment = ENVIRONMENT.matcher(name);
    if (!environment.matches()) {
      return System.getProperty(name, values.get(name));
    }
    String value = System.getenv(environment.group(1));
    boolean isReplaced = value == null || value.isEmpty() && ":-".equals(environment.group(2));
    return isReplaced ? environment.group(3) : value;
  }

  /** Throws errors; the default handler would print them on the error stream. */
  private static final class Thrower implements ErrorHandler {
    @Override
    public void warning(SAXParseException minor) {}

    @Override
    public void error(SAXParseException wrong) throws SAXException {
      throw wrong;
    }

    @Override
    public void fatalError(SAXParseException wrong) throws SAXException {
      throw wrong;
    }
  }
}
