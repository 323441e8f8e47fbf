package org.salus.dist.map;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Maps volumes to devices, and takes that back. A mapping's file is there before anything else and
 * goes after all else, so whatever is broken off leaves a file. The next command that changes
 * mappings ends what was broken off. Thread-safe; commands for one volume wait for each other.
 */
public final class Mapper {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The longest wait for what the kernel holds when the user gives it up. */
  private static final Duration FORCED_FLUSH = Duration.ofSeconds(30);

  /** Longer than a bridge stands still that a busy machine, swapping, or its own heap holds up. */
  private static final Duration DEAF_AFTER = Duration.ofSeconds(60);

  private final Path dir;
  private final MappingFiles files;
  private final NbdDevices devices;
  private final DeviceUse use;
  private final Attacher attacher;
  private final List<String> on;
  private final Consumer<String> notes;
  private final Duration deafAfter;

  /**
   * @param dir where mappings and bridges have their files; made if it is missing
   * @param on a command that runs a bridge, which is the rest of its line
   * @param notes takes sentences that the user should know
   */
  public Mapper(Machine machine, Path dir, List<String> on, Consumer<String> notes) {
    this(machine, dir, on, notes, DEAF_AFTER);
  }

  /**
   * @param deafAfter how long a bridge that runs may give no sign before it is started anew
   */
  Mapper(Machine machine, Path dir, List<String> on, Consumer<String> notes, Duration deafAfter) {
    this.dir = dir.toAbsolutePath();
    this.files = new MappingFiles(this.dir);
    this.devices = new NbdDevices(machine);
    this.use = new DeviceUse(machine, devices);
    this.attacher = new Attacher(machine, devices);
    this.on = on;
    this.notes = notes;
    this.deafAfter = deafAfter;
  }

  /**
   * Maps a volume. If it has its device already, a bridge that has ended is started again.
   *
   * @param others devices that are not to be taken for a volume without a device of its own
   * @return the device's file
   * @throws IOException when it cannot be done, in words for users; nothing is left behind
   */
  public Path map(MapRequest request, Set<String> others) throws IOException {
    files.forgetUnmapped(request.volume()); // whatever fails now: somebody wants it mapped
    return map(request, others, false).orElseThrow();
  }

  /**
   * Same as {@link #map}, but for nobody who has asked for this volume: one that was unmapped by
   * {@link #unmap} is left out, unless it still has its device.
   *
   * @return the device's file; empty if the volume is left out
   */
  public Optional<Path> mapAgain(MapRequest request, Set<String> others) throws IOException {
    return map(request, others, true);
  }

  private Optional<Path> map(MapRequest request, Set<String> others, boolean again)
      throws IOException {
    String volume = request.volume();
    if (again && isLeftOut(volume)) {
      return Optional.empty(); // before anything can fail that is missing for good
    }
    if (request.bridge() != null) {
      requireBridge(request);
    }
    attacher.requireAble();
    endWhatWasBrokenOff(volume);
    try (MappingFiles.Lock lock = lock(volume)) {
      if (again && isLeftOut(volume)) {
        return Optional.empty();
      }
      Optional<Mapping> before = ended(volume);
      if (before.isPresent()) {
        if (devices.isAttached(before.get())) {
          return Optional.of(again(before.get(), request));
        }
        remove(before.get(), false);
        notes.accept(
            before.get().device()
                + " of "
                + volume
                + " had been detached by somebody else; it is mapped anew");
      }
      return Optional.of(devices.file(anew(request, others).device()));
    }
  }

  private boolean isLeftOut(String volume) throws IOException {
    if (!files.isLeftUnmapped(volume)) {
      return false;
    }
    Optional<Mapping> m = files.find(volume);
    return m.isEmpty() || !devices.isAttached(m.get());
  }

  /** Waits until no other command works on the volume. */
  private MappingFiles.Lock lock(String volume) throws IOException {
    Optional<MappingFiles.Lock> lock = files.lock(volume);
    if (lock.isEmpty()) {
      notes.accept("waiting for another command that works on " + volume);
    }
    while (lock.isEmpty()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new IOException("interrupted while another command works on " + volume);
      }
      LockSupport.parkNanos(POLL_NANOS);
      lock = files.lock(volume);
    }
    return lock.get();
  }

  private static void requireBridge(MapRequest request) throws IOException {
    Optional<BridgeProbe.Complaint> complaint = request.bridge().complaint(request.volume());
    if (complaint.isPresent()) {
      throw new IOException(
          "no bridge serves "
              + request.volume()
              + " at "
              + request.bridge()
              + " ("
              + complaint.get().why()
              + "); start it with 'salus nbd "
              + request.volume()
              + " --one-client --last-mount FILE', or map without --bridge");
    }
  }

  /** The mapping is there: nothing is attached twice, since a volume has one writer. */
  private Path again(Mapping m, MapRequest request) throws IOException {
    String other = null;
    if (request.device() != null && !request.device().equals(m.device())) {
      other = "";
    } else if (request.readOnly() != m.readOnly()) {
      other = ", with " + (m.readOnly() ? "reading only" : "reading and writing");
    } else if (request.timeout() != m.timeout()) {
      other = ", with a timeout of " + m.timeout() + " s";
    } else if (request.bridge() == null ? !m.own() : !request.bridge().equals(m.bridge())) {
      other = ", with " + (m.own() ? "a bridge of its own" : "the bridge at " + m.bridge());
    } else if (!request.arguments().equals(m.arguments())) {
      other = ", of the cluster of '" + String.join(" ", m.arguments()) + "'";
    }
    if (other != null) {
      throw new IOException(
          m.volume()
              + " is mapped to "
              + devices.file(m.device())
              + " already"
              + other
              + "; run 'salus unmap "
              + m.volume()
              + "' first");
    }
    if (m.own()) {
      // Never by force: whoever has taken the volume over meanwhile has changed it.
      bridge(m, false).serveAgain(devices.file(m.device()), deafAfter, notes);
    }
    return devices.file(m.device());
  }

  private Mapping anew(MapRequest request, Set<String> others) throws IOException {
    boolean own = request.bridge() == null;
    List<String> candidates = candidates(request.device(), others);
    Mapping m =
        new Mapping(
            request.volume(),
            candidates.get(0),
            own ? BridgeAddress.unix(files.newSocket(request.volume())) : request.bridge(),
            own,
            request.readOnly(),
            request.timeout(),
            request.arguments(),
            false);
    requireNoOther(m);
    files.forgetLastMount(m.volume()); // of a mapping whose file somebody has deleted
    files.write(m);
    try {
      if (own) {
        bridge(m, request.force()).start();
      }
      m = attached(m, candidates).done();
      files.write(m);
      return m;
    } catch (IOException | RuntimeException failed) {
      try {
        remove(files.find(request.volume()).orElse(m), true); // nobody has seen the device yet
      } catch (IOException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
      throw failed;
    }
  }

  /** The devices to be tried, the best one first. */
  private List<String> candidates(String device, Set<String> others) throws IOException {
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
      if (devices.isFree(name) && !others.contains(name)) {
        free.add(name);
      }
    }
    if (free.isEmpty()) {
      throw new IOException(
          "no device is free: all "
              + all.size()
              + " are attached"
              + (others.isEmpty() ? "" : ", or are others' by the table")
              + ". Unmap one, or load the module with more (modprobe nbd nbds_max="
              + 2 * all.size()
              + ", after 'modprobe -r nbd')");
    }
    return free;
  }

  /** A program of another directory, or of somebody else, may have the volume from this bridge. */
  private void requireNoOther(Mapping m) throws IOException {
    for (long process : devices.processes()) {
      if (m.isServedBy(devices.commandLine(process))) {
        throw new IOException(
            "process "
                + process
                + " has "
                + m.volume()
                + " from "
                + m.bridge()
                + " already; detach its device first");
      }
    }
  }

  /** Somebody else may take a device that was free; then the next one is tried. */
  private Mapping attached(Mapping first, List<String> candidates) throws IOException {
    String why = "another command takes " + devices.file(first.device());
    for (String name : candidates) {
      Optional<MappingFiles.Lock> lock = files.lockDevice(name);
      if (lock.isEmpty()) {
        continue;
      }
      try (MappingFiles.Lock held = lock.get()) {
        Mapping m = first.toDevice(name);
        files.write(m);
        Programs.Answer answer = attacher.attach(m, files.programSocket(name));
        if (answer.isGood()) {
          return m;
        }
        why = answer.output();
        if (devices.isFree(name)) {
          break;
        }
        attacher.detach(m, true); // the program may run though it has no device
      }
    }
    throw new IOException("cannot attach " + first.volume() + ": " + why);
  }

  private OwnBridge bridge(Mapping m, boolean force) {
    return new OwnBridge(dir, m, on, files.lastMount(m.volume()), force);
  }

  /** What is wrong with other volumes does not keep this one from anything. */
  private void endWhatWasBrokenOff(String except) throws IOException {
    for (String volume : files.volumes()) {
      if (volume.equals(except)) {
        continue;
      }
      try {
        if (files.find(volume).filter(m -> !m.attached()).isPresent()) {
          Optional<MappingFiles.Lock> lock = files.lock(volume); // else it is under way
          if (lock.isPresent()) {
            try (MappingFiles.Lock held = lock.get()) {
              ended(volume);
            }
          }
        }
      } catch (IOException failed) {
        notes.accept("mapping " + volume + ": " + failed.getMessage());
      }
    }
  }

  /**
   * A volume's mapping once it is not unfinished. A device that was attached stays: somebody may
   * have used it since.
   */
  private Optional<Mapping> ended(String volume) throws IOException {
    Optional<Mapping> found = files.find(volume);
    if (found.isEmpty() || found.get().attached()) {
      return found;
    }
    Mapping m = found.get();
    if (devices.isAttached(m)) {
      files.write(m.done());
      notes.accept(
          "mapping "
              + volume
              + " had been broken off when "
              + devices.file(m.device())
              + " was attached; it stays");
      return Optional.of(m.done());
    }
    remove(m, true);
    notes.accept("mapping " + volume + " had been broken off; it is taken back");
    return Optional.empty();
  }

  /** Takes away what there is of a mapping; its file last. */
  private void remove(Mapping m, boolean force) throws IOException {
    attacher.detach(m, force);
    if (m.own()) {
      bridge(m, false).remove();
    }
    files.delete(m);
  }

  /**
   * Detaches a volume's device for good: {@link #mapAgain} leaves it unmapped from now on, until
   * somebody maps it.
   *
   * @param target the volume, or the device's file
   * @param force whether to detach a device in use, and one whose bridge does not answer: what is
   *     not written out is lost
   * @throws IOException when it cannot be done, in words for users
   */
  public void unmap(String target, boolean force) throws IOException {
    attacher.requireRoot();
    String volume = volume(target);
    files.leaveUnmapped(volume); // whatever fails now: somebody wants it unmapped
    detach(volume, force);
  }

  /** Same as {@link #unmap}, but {@link #mapAgain} maps it as before. */
  public void unmapForNow(String target, boolean force) throws IOException {
    attacher.requireRoot();
    detach(volume(target), force);
  }

  private void detach(String volume, boolean force) throws IOException {
    endWhatWasBrokenOff(volume);
    try (MappingFiles.Lock lock = lock(volume)) {
      Optional<Mapping> found = ended(volume);
      if (found.isEmpty()) {
        return; // it was taken back
      }
      Mapping m = found.get();
      if (!devices.isAttached(m)) {
        notes.accept(devices.file(m.device()) + " had been detached by somebody else");
      } else if (force) {
        tryToFlush(m);
      } else {
        requireIdle(m);
        requireBridge(m);
        flush(m);
        requireIdle(m); // writing out takes its time
      }
      remove(m, force);
    }
  }

  /**
   * Unmounts the file systems of a volume's device that this process sees.
   *
   * @param target as in {@link #unmap}
   * @throws IOException when one is in use
   */
  public void umount(String target) throws IOException {
    attacher.requireRoot();
    Optional<Mapping> m = files.find(volume(target));
    if (m.isPresent() && devices.isAttached(m.get())) {
      for (String point : use.mountPoints(m.get().device())) {
        flush(m.get());
        attacher.umount(point, bound(m.get()));
      }
    }
  }

  /** The volume of a name, or of a device that is given by its file. */
  private String volume(String target) throws IOException {
    for (String volume : files.volumes()) {
      if (volume.equals(target)) {
        return volume;
      }
    }
    for (MappedVolume m : mapped()) {
      if (m.device().equals(target)) {
        return m.volume();
      }
    }
    throw new IOException(target + " is not mapped; 'salus showmapped' lists what is");
  }

  private void requireIdle(Mapping m) throws IOException {
    Optional<String> user = use.find(m.device());
    if (user.isPresent()) {
      throw new IOException(
          devices.file(m.device())
              + " is in use: "
              + user.get()
              + "; end that first. --force detaches it all the same");
    }
  }

  private void requireBridge(Mapping m) throws IOException {
    Optional<BridgeProbe.Complaint> complaint = m.bridge().complaint(m.volume(), deafAfter);
    if (complaint.isPresent()) {
      throw new IOException(
          "the bridge of "
              + m.volume()
              + " at "
              + m.bridge()
              + " does not serve ("
              + complaint.get().why()
              + "), so nothing can be written out. "
              + (m.own() && !complaint.get().hasNoVolume()
                  ? "'salus map " + m.volume() + "' with its options starts it again"
                  : "See to it")
              + "; --force loses what is not written");
    }
  }

  /** The requests of a device fail when its time-out is over, so this ends. */
  /** Longer than a program takes that writes to the device. */
  private static Duration bound(Mapping m) {
    return Programs.PATIENCE.plusSeconds(m.timeout());
  }

  private void flush(Mapping m) throws IOException {
    try {
      attacher.flush(m, bound(m));
    } catch (IOException failed) {
      throw new IOException(
          "what the kernel holds of "
              + devices.file(m.device())
              + " cannot be written out: "
              + failed.getMessage()
              + "; --force detaches it all the same and loses that",
          failed);
    }
  }

  private void tryToFlush(Mapping m) throws IOException {
    Optional<BridgeProbe.Complaint> complaint = m.bridge().complaint(m.volume(), FORCED_FLUSH);
    if (complaint.isPresent()) {
      notes.accept(lost(m, "the bridge does not serve: " + complaint.get().why()));
      return;
    }
    try {
      attacher.flush(m, FORCED_FLUSH);
    } catch (IOException failed) {
      notes.accept(lost(m, failed.getMessage()));
    }
  }

  private String lost(Mapping m, String why) {
    return "what the kernel holds of " + devices.file(m.device()) + " is lost (" + why + ")";
  }

  /** All mappings as they are now, by the names of the volumes. */
  public List<MappedVolume> mapped() throws IOException {
    List<MappedVolume> all = new ArrayList<>();
    for (String volume : files.volumes()) {
      try {
        Optional<Mapping> found = files.find(volume);
        if (found.isPresent()) {
          all.add(mapped(found.get()));
        }
      } catch (IOException damaged) {
        notes.accept(damaged.getMessage());
        all.add(
            new MappedVolume(
                volume, "", MappedVolume.DAMAGED, false, 0, "", false, 0, damaged.getMessage()));
      }
    }
    return all;
  }

  private MappedVolume mapped(Mapping m) throws IOException {
    OptionalLong pid = m.own() ? bridge(m, false).pid() : OptionalLong.empty();
    Optional<BridgeProbe.Complaint> complaint =
        m.attached() && devices.isAttached(m) ? m.bridge().complaint(m.volume()) : Optional.empty();
    return new MappedVolume(
        m.volume(),
        devices.file(m.device()).toString(),
        state(m, complaint),
        m.readOnly(),
        m.timeout(),
        m.bridge().toString(),
        m.own(),
        pid.orElse(0),
        complaint.map(BridgeProbe.Complaint::why).orElse(""));
  }

  private String state(Mapping m, Optional<BridgeProbe.Complaint> complaint) throws IOException {
    if (!m.attached()) {
      return MappedVolume.UNFINISHED;
    }
    if (!devices.isAttached(m)) {
      return MappedVolume.GONE;
    }
    return complaint
        .map(c -> c.hasNoVolume() ? MappedVolume.FAILED : MappedVolume.BRIDGE_DOWN)
        .orElse(MappedVolume.ATTACHED);
  }
}
