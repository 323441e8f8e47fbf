package org.salus.benchmarks.report;

import java.awt.Color;
import java.awt.Dimension;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.w3c.dom.Document;

/** A plot. Not thread-safe. */
public final class Plot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 540;

  /** Colours that differ in print and for people who see no red. */
  private static final Color[] COLORS = {
    new Color(0x0072B2),
    new Color(0xE69F00),
    new Color(0x999999),
    new Color(0x009E73),
    new Color(0x56B4E9)
  };

  static {
    // A machine may have a display and a Java that cannot use it.
    System.setProperty("java.awt.headless", "true");
  }

  private final Chart<?, ?> chart;

  private Plot(Chart<?, ?> chart) {
    this.chart = chart;
    Styler styler = chart.getStyler();
    styler
        .setChartBackgroundColor(Color.WHITE)
        .setSeriesColors(COLORS)
        .setLegendPosition(LegendPosition.OutsideS);
    styler
        .setLegendLayout(Styler.LegendLayout.Horizontal)
        .setLegendBorderColor(Color.WHITE)
        .setChartTitleBoxVisible(false);
  }

  /**
   * Groups of bars.
   *
   * @param groups the labels below the bars
   * @param bars the bars of each series in this order, one for each group, or null
   */
  public static Plot bars(
      String title, String unit, List<String> groups, Map<String, List<Double>> bars) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .yAxisTitle(unit)
            .build();
    chart
        .getStyler()
        .setLabelsVisible(true)
        .setLabelsPosition(0.96)
        .setLabelsFontColorAutomaticEnabled(true)
        .setAvailableSpaceFill(0.8)
        .setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setYAxisMin(0.0).setDecimalPattern("0.##");
    bars.forEach((series, values) -> chart.addSeries(series, groups, values));
    return new Plot(chart);
  }

  /**
   * Lines over a logarithmic axis.
   *
   * @param lines the values of each series in this order, one for each x
   */
  public static Plot lines(
      String title, String xLabel, String unit, List<Integer> x, Map<String, List<Double>> lines) {
    return lines(title, xLabel, unit, x, lines, true);
  }

  /** Lines over time. Apart from the axis it is like {@link #lines}. */
  public static Plot overTime(
      String title, String xLabel, String unit, List<Integer> x, Map<String, List<Double>> lines) {
    return lines(title, xLabel, unit, x, lines, false);
  }

  private static Plot lines(
      String title,
      String xLabel,
      String unit,
      List<Integer> x,
      Map<String, List<Double>> lines,
      boolean logarithmic) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(xLabel)
            .yAxisTitle(unit)
            .build();
    chart
        .getStyler()
        .setXAxisLogarithmic(logarithmic)
        .setXAxisDecimalPattern("#,##0.##"); // not 1E4
    chart.getStyler().setYAxisMin(0.0);
    lines.forEach((series, values) -> chart.addSeries(series, x, values));
    return new Plot(chart);
  }

  /** Writes the plot as PNG. Never overwrites a file. */
  void writePng(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
      BitmapEncoder.saveBitmap(chart, out, BitmapFormat.PNG);
    }
  }

  /** Writes the plot as SVG. Never overwrites a file. */
  void writeSvg(Path file) throws IOException {
    SVGGraphics2D graphics = new SVGGraphics2D(document());
    graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
    chart.paint(graphics, WIDTH, HEIGHT);
    try (Writer out = Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW)) {
      graphics.stream(out);
    }
  }

  /** The JDK's document. It works without Batik's own, which would bring further libraries. */
  private static Document document() {
    try {
      return DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
    } catch (ParserConfigurationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
