package org.salus.sim.scale;

import java.util.function.DoubleConsumer;
import org.salus.sim.scale.Costs.Cost;
import org.salus.sim.scale.Costs.Sample;

/** The systems that have a model. */
public enum StoreModel {
  SALUS {
    @Override
    Model model(ScaleScenario scenario, Costs costs) {
      return new SalusModel(scenario, costs);
    }
  },
  HBASE {
    @Override
    Model model(ScaleScenario scenario, Costs costs) {
      return new HBaseModel(scenario, costs);
    }
  };

  private static final Cost GUESS = new Cost(10_000, 10_000);

  /** How many times the costs are refined by running the model with the costs found before. */
  private static final int REFINEMENTS = 4;

  /**
   * The processor time of a load on real servers.
   *
   * @param client nanoseconds for each written block; so are the others
   */
  public record Measured(ScaleScenario scenario, double client, double server, double dataNode) {}

  abstract Model model(ScaleScenario scenario, Costs costs);

  /** Runs a scenario. The same arguments give the same outcome. */
  public Outcome run(ScaleScenario scenario, Costs costs) {
    return model(scenario, costs).run();
  }

  /**
   * The steady rate of a run, in bytes a second. It takes three quarters of the time of {@link
   * #run} and less memory.
   *
   * @param progress takes the share that is done, some hundred times, at last 1
   */
  public double steadyRate(ScaleScenario scenario, Costs costs, DoubleConsumer progress) {
    return model(scenario, costs).steadyRate(progress);
  }

  /**
   * The costs with which the model takes the processor time that real servers took.
   *
   * @param many a load of many blocks a call
   * @param few a load of few blocks a call
   */
  public Costs costs(Measured many, Measured few) {
    Costs costs = new Costs(GUESS, GUESS, GUESS);
    for (int i = 0; i < REFINEMENTS; i++) {
      Outcome m = run(many.scenario, costs);
      Outcome f = run(few.scenario, costs);
      costs =
          new Costs(
              Cost.of(sample(m.client(), many, many.client), sample(f.client(), few, few.client)),
              Cost.of(sample(m.server(), many, many.server), sample(f.server(), few, few.server)),
              Cost.of(
                  sample(m.dataNode(), many, many.dataNode),
                  sample(f.dataNode(), few, few.dataNode)));
    }
    return costs;
  }

  private static Sample sample(Tally work, Measured of, double nanosPerBlock) {
    return new Sample(work, nanosPerBlock * of.scenario.clients() * of.scenario.blocks());
  }
}
