package org.salus.sim.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.salus.sim.scale.SerialProcess.Step;

/**
 * HBase as the paper uses it. A client sends batches of Puts, one call for each region server. The
 * region server itself sends its log to three DataNodes and answers when they have it. Later it
 * writes a file through a pipeline of three.
 */
final class HBaseModel extends Model {
  /** The bytes of a Put beside its block. */
  private static final int OVERHEAD = 60;

  private static final int ANSWER = 100;

  private final List<Client> clients = new ArrayList<>();

  HBaseModel(ScaleScenario scenario, Costs costs) {
    super(scenario, costs);
  }

  @Override
  void begin() {
    for (int i = 0; i < scenario.clients(); i++) {
      clients.add(new Client(i));
    }
    begun();
    clients.forEach(Client::fill);
  }

  private final class Client {
    private final int number;
    private final int[] order;
    private final Machine machine;
    private final SerialProcess process;
    private int issued;

    Client(int number) {
      this.number = number;
      this.order = order(number);
      this.machine = clientMachine(number);
      this.process = new SerialProcess(machine);
    }

    void fill() {
      for (int i = 0; i < scenario.outstanding() / scenario.batch(); i++) {
        batch();
      }
    }

    private void batch() {
      SortedMap<Integer, Integer> puts = new TreeMap<>();
      int end = Math.min(order.length, issued + scenario.batch());
      int size = end - issued;
      for (; issued < end; issued++) {
        int region = (int) ((long) order[issued] * scenario.regions() / order.length);
        puts.merge(scenario.server(number, region, 0), 1, Integer::sum);
      }
      if (size > 0) {
        int[] left = {puts.size()};
        process.add(
            () ->
                new Step(
                    client.nanos(costs.client(), puts.size(), size),
                    () ->
                        puts.forEach(
                            (at, count) ->
                                put(
                                    at,
                                    count,
                                    () -> {
                                      if (--left[0] == 0) {
                                        done(size);
                                        batch();
                                      }
                                    }))));
      }
    }

    private void put(int at, int count, Runnable then) {
      Machine its = serverMachine(at);
      machine.send(
          its,
          count * bytes(),
          () ->
              its.compute(
                  server.nanos(costs.server(), 1, count),
                  () ->
                      log(
                          at,
                          count,
                          () ->
                              its.send(
                                  machine,
                                  ANSWER,
                                  () ->
                                      process.add(
                                          () ->
                                              new Step(
                                                  client.nanos(costs.client(), 1, 0), then))))));
    }
  }

  private static long bytes() {
    return ScaleScenario.BLOCK + OVERHEAD;
  }

  private int replica(int at, int place) {
    return (at + place) % scenario.servers();
  }

  private void log(int at, int count, Runnable then) {
    Machine machine = serverMachine(at);
    int[] left = {ScaleScenario.REPLICAS};
    for (int place = 0; place < ScaleScenario.REPLICAS; place++) {
      int to = replica(at, place);
      machine.send(
          serverMachine(to),
          count * bytes(),
          () ->
              append(
                  to,
                  count * bytes(),
                  count,
                  () ->
                      serverMachine(to)
                          .send(
                              machine,
                              ANSWER,
                              () -> {
                                if (--left[0] == 0) {
                                  machine.compute(server.nanos(costs.server(), 1, 0), then);
                                }
                              })));
    }
    if (scenario.files()) {
      machine.compute(server.nanos(costs.server(), 0, count), () -> file(at, 0, count));
    }
  }

  private void file(int at, int place, int count) {
    append(replica(at, place), count * bytes(), count, () -> {});
    if (place + 1 < ScaleScenario.REPLICAS) {
      serverMachine(replica(at, place))
          .send(
              serverMachine(replica(at, place + 1)),
              count * bytes(),
              () -> file(at, place + 1, count));
    }
  }
}
