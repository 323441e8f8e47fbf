package org.salus.dist.map;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Maps volumes to devices, and takes that back. A mapping's file is there before anything else and
 * goes after all else, so whatever is broken off leaves a file. The next command that changes
 * mappings takes unfinished ones back first. Not thread-safe; processes wait for each other.
 */
public final class Mapper {
  private final Path dir;
  private final MappingFiles files;
  private final NbdDevices devices;
  private final DeviceUse use;
  private final Attacher attacher;
  private final List<String> on;
  private final Consumer<String> notes;

  /**
   * @param dir where mappings and bridges have their files; made if it is missing
   * @param on a command that runs a bridge, which is the rest of its line
   * @param notes takes sentences that the user should know
   */
  public Mapper(Machine machine, Path dir, List<String> on, Consumer<String> notes) {
    this.dir = dir.toAbsolutePath();
    this.files = new MappingFiles(this.dir);
    this.devices = new NbdDevices(machine);
    this.use = new DeviceUse(machine, devices);
    this.attacher = new Attacher(machine, devices);
    this.on = on;
    this.notes = notes;
  }

  /**
   * Maps a volume. If it has its device already, a bridge that has ended is started again.
   *
   * @return the device's file
   * @throws IOException when it cannot be done, in words for users; nothing is left behind
   */
  public Path map(MapRequest request) throws IOException {
    if (request.bridge() != null) {
      requireBridge(request);
    }
    attacher.requireAble();
    try (FileChannel lock = files.lock()) {
      takeUnfinishedBack();
      Optional<Mapping> before = files.find(request.volume());
      if (before.isPresent()) {
        if (devices.isAttached(before.get())) {
          return again(before.get(), request);
        }
        remove(before.get());
        notes.accept(
            before.get().device()
                + " of "
                + request.volume()
                + " had been detached by somebody else; it is mapped anew");
      }
      return devices.file(anew(request).device());
    }
  }

  private static void requireBridge(MapRequest request) throws IOException {
    Optional<String> complaint = request.bridge().complaint();
    if (complaint.isPresent()) {
      throw new IOException(
          "no bridge serves at "
              + request.bridge()
              + " ("
              + complaint.get()
              + "); start it with 'salus nbd "
              + request.volume()
              + "', or map without --bridge");
    }
  }

  /** The mapping is there: nothing is attached twice, since a volume has one writer. */
  private Path again(Mapping m, MapRequest request) throws IOException {
    String other = null;
    if (request.device() != null && !request.device().equals(m.device())) {
      other = "another device";
    } else if (request.readOnly() != m.readOnly()) {
      other = m.readOnly() ? "reading only" : "reading and writing";
    } else if (request.timeout() != m.timeout()) {
      other = "a timeout of " + m.timeout() + " s";
    } else if (request.bridge() == null ? !m.own() : !request.bridge().equals(m.bridge())) {
      other = m.own() ? "a bridge of its own" : "the bridge at " + m.bridge();
    }
    if (other != null) {
      throw new IOException(
          m.volume()
              + " is mapped to "
              + devices.file(m.device())
              + " already"
              + (other.equals("another device") ? "" : ", with " + other)
              + "; run 'salus unmap "
              + m.volume()
              + "' first");
    }
    OwnBridge bridge = bridge(m, request.arguments());
    if (m.own() && bridge.pid().isEmpty()) {
      bridge.start();
      notes.accept("the bridge of " + m.volume() + " had ended, and serves again");
    } else {
      notes.accept(m.volume() + " was mapped already");
    }
    return devices.file(m.device());
  }

  private Mapping anew(MapRequest request) throws IOException {
    boolean own = request.bridge() == null;
    BridgeAddress bridge =
        own ? BridgeAddress.unix(files.socket(request.volume())) : request.bridge();
    List<String> candidates = candidates(request.device());
    Mapping m =
        new Mapping(
            request.volume(),
            candidates.get(0),
            bridge,
            own,
            request.readOnly(),
            request.timeout(),
            false);
    requireNoOther(m);
    files.write(m);
    try {
      if (own) {
        bridge(m, request.arguments()).start();
      }
      m = attached(m, candidates).done();
      files.write(m);
      return m;
    } catch (IOException | RuntimeException failed) {
      try {
        remove(files.find(request.volume()).orElse(m));
      } catch (IOException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
      throw failed;
    }
  }

  /** The devices to be tried, the best one first. */
  private List<String> candidates(String device) throws IOException {
    List<String> all = devices.names();
    if (device != null) {
      if (!all.contains(device)) {
        throw new IOException(
            "there is no device "
                + devices.file(device)
                + ": the kernel has "
                + all.get(0)
                + " to "
                + all.get(all.size() - 1)
                + "; load the module with more (modprobe nbd nbds_max=N)");
      }
      if (!devices.isFree(device)) {
        throw new IOException(
            devices.file(device) + " is in use; choose another one, or leave --device out");
      }
      return List.of(device);
    }
    List<String> free = new ArrayList<>();
    for (String name : all) {
      if (devices.isFree(name)) {
        free.add(name);
      }
    }
    if (free.isEmpty()) {
      throw new IOException(
          "no device is free: all "
              + all.size()
              + " are attached. Unmap one, or load the module with more (modprobe nbd nbds_max="
              + 2 * all.size()
              + ", after 'modprobe -r nbd')");
    }
    return free;
  }

  /** A device of another directory, or of somebody else, may have the volume from this bridge. */
  private void requireNoOther(Mapping m) throws IOException {
    for (String name : devices.names()) {
      OptionalLong thread = devices.attacher(name);
      if (thread.isPresent() && m.isServedBy(devices.commandLine(thread.getAsLong()))) {
        throw new IOException(
            devices.file(name)
                + " has "
                + m.volume()
                + " from "
                + m.bridge()
                + " already; detach it first");
      }
    }
  }

  /** Somebody else may take a device that was free; then the next one is tried. */
  private Mapping attached(Mapping first, List<String> candidates) throws IOException {
    Programs.Answer answer = null;
    for (String name : candidates) {
      Mapping m = first.toDevice(name);
      files.write(m);
      answer = attacher.attach(m);
      if (answer.isGood()) {
        return m;
      }
      if (devices.isFree(name)) {
        break;
      }
    }
    throw new IOException(
        "cannot attach " + first.volume() + (answer == null ? "" : ": " + answer.output()));
  }

  private OwnBridge bridge(Mapping m, List<String> arguments) {
    return new OwnBridge(dir, files.socket(m.volume()), m.volume(), on, arguments);
  }

  private void takeUnfinishedBack() throws IOException {
    for (Mapping m : files.all()) {
      if (!m.attached()) {
        remove(m);
        notes.accept("mapping " + m.volume() + " had been broken off; it is taken back");
      }
    }
  }

  /** Takes away what there is of a mapping; its file last. */
  private void remove(Mapping m) throws IOException {
    attacher.detach(m);
    if (m.own()) {
      bridge(m, List.of()).remove();
    }
    files.delete(m);
  }

  /**
   * Detaches a volume's device.
   *
   * @param target the volume, or the device such as {@code nbd0} or {@code /dev/nbd0}
   * @param force whether to detach a device in use, and one whose bridge does not answer: what is
   *     not written out is lost
   * @throws IOException when it cannot be done, in words for users
   */
  public void unmap(String target, boolean force) throws IOException {
    attacher.requireRoot();
    try (FileChannel lock = files.lock()) {
      Optional<Mapping> unfinished =
          files.all().stream().filter(m -> !m.attached() && isNamed(m, target)).findFirst();
      takeUnfinishedBack();
      if (unfinished.isPresent()) {
        return;
      }
      Mapping m =
          files.all().stream()
              .filter(x -> isNamed(x, target))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IOException(target + " is not mapped; 'salus showmapped' lists what is"));
      if (!devices.isAttached(m)) {
        notes.accept(devices.file(m.device()) + " had been detached by somebody else");
      } else if (!force || m.bridge().complaint().isEmpty()) {
        if (!force) {
          requireIdle(m);
        }
        attacher.flush(m);
      }
      remove(m);
    }
  }

  private boolean isNamed(Mapping m, String target) {
    return m.volume().equals(target)
        || m.device().equals(target)
        || devices.file(m.device()).toString().equals(target);
  }

  private void requireIdle(Mapping m) throws IOException {
    Path file = devices.file(m.device());
    Optional<String> user = use.find(m.device());
    if (user.isPresent()) {
      throw new IOException(
          file
              + " is in use: "
              + user.get()
              + "; end that first. --force detaches it all the same");
    }
    Optional<String> complaint = m.bridge().complaint();
    if (complaint.isPresent()) {
      throw new IOException(
          "the bridge of "
              + m.volume()
              + " at "
              + m.bridge()
              + " does not serve ("
              + complaint.get()
              + "), so nothing can be written out. "
              + (m.own() ? "'salus map " + m.volume() + "' starts it again" : "Start it again")
              + "; --force loses what is not written");
    }
  }

  /** All mappings as they are now, by the names of the volumes. */
  public List<MappedVolume> mapped() throws IOException {
    List<MappedVolume> all = new ArrayList<>();
    for (Mapping m : files.all()) {
      OptionalLong pid = m.own() ? bridge(m, List.of()).pid() : OptionalLong.empty();
      all.add(
          new MappedVolume(
              m.volume(),
              devices.file(m.device()).toString(),
              state(m),
              m.readOnly(),
              m.timeout(),
              m.bridge().toString(),
              m.own(),
              pid.orElse(0)));
    }
    return all;
  }

  private String state(Mapping m) throws IOException {
    if (!m.attached()) {
      return MappedVolume.UNFINISHED;
    }
    if (!devices.isAttached(m)) {
      return MappedVolume.GONE;
    }
    return m.bridge().complaint().isPresent() ? MappedVolume.BRIDGE_DOWN : MappedVolume.ATTACHED;
  }
}
