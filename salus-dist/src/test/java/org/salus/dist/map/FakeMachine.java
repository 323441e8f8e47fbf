package org.salus.dist.map;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A machine in a directory, with devices nbd0 to nbd2 and process 1. A script stands in for
 * qemu-nbd, another one for bridges: it runs nbdkit.
 */
final class FakeMachine {
  /** A crash of this process while a program runs. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;
  }

  /** When to crash. */
  enum Moment {
    NEVER,
    BEFORE_ATTACH,
    AFTER_ATTACH,
    AFTER_DETACH
  }

  /** Runs a program: qemu-nbd, or what writes out a device. */
  private static final String PROGRAMS =
      """
      root=$1
      program=$2
      shift 2
      if [ "$program" = sync ]; then
        while [ -f "$root/flush-hangs" ]; do sleep 0.02; done
        if [ -f "$root/mounted-meanwhile" ]; then mv "$root/mounted-meanwhile" "$root/proc/1/mountinfo"; fi
        if [ -f "$root/flush-fails" ]; then
          cat "$root/flush-fails"
          exit 1
        fi
        echo "sync $*" >>"$root/calls"
        exit
      fi
      if [ "$program" = umount ]; then
        echo "umount $*" >>"$root/calls"
        exit
      fi
      for word in "$@"; do
        case $word in
          --version) exit 0 ;;
          --connect=*) connect=${word##*/} ;;
          --disconnect) disconnect=1 ;;
          "$root"/dev/*) name=${word##*/} ;;
        esac
      done
      echo "$*" >>"$root/calls"
      if [ -n "$disconnect" ]; then
        if [ -f "$root/device-stays" ]; then echo "busy"; exit 1; fi
        if [ ! -f "$root/program-stays" ]; then rm -rf "$root/proc/$(cat "$root/sys/block/$name/pid")"; fi
        rm -f "$root/sys/block/$name/pid"
        exit
      fi
      if [ -f "$root/attach-fails" ]; then
        cat "$root/attach-fails"
        exit 1
      fi
      if [ -f "$root/taken-meanwhile" ]; then
        echo 1 >"$root/sys/block/$connect/pid"
        rm "$root/taken-meanwhile"
        echo "qemu-nbd: busy"
        exit 1
      fi
      thread=4242${connect#nbd}
      mkdir -p "$root/proc/$thread/fd"
      printf '%s\\0' qemu-nbd "$@" >"$root/proc/$thread/cmdline"
      printf 'Name:\\tqemu-nbd\\nTgid:\\t%s\\n' "$thread" >"$root/proc/$thread/status"
      ln -s "$root/dev/$connect" "$root/proc/$thread/fd/7"
      if [ -f "$root/hangs-and-taken" ]; then
        echo 1 >"$root/sys/block/$connect/pid"
        rm "$root/hangs-and-taken"
        exit 1
      fi
      if [ -f "$root/attach-hangs" ]; then exit 1; fi
      echo "$thread" >"$root/sys/block/$connect/pid"
      (sleep 0.2; echo 2048 >"$root/sys/block/$connect/size") &
      """;

  /** It keeps a volume's id and its last mount in a file, as the cluster does. */
  private static final String BRIDGE =
      """
      root=$1
      shift
      while [ "$1" != nbd ]; do shift; done
      volume=$2
      socket=$4
      shift 4
      words=
      before=
      for word in "$@"; do
        if [ "$before" = --last-mount ]; then last=$word; before=; continue; fi
        if [ "$before" = --log ]; then echo begun >"$word"; echo older >"$word.1"; before=; continue; fi
        before=$word
        case $word in
          --last-mount | -D | --log) ;;
          --one-client) one=1 ;;
          --require-last-mount) required=1 ;;
          salus.client.request.timeout=*) echo "$word" >>"$root/patience" ;;
          *) words="$words $word" ;;
        esac
      done
      echo "$volume$words" >>"$root/bridges"
      pwd >"$root/bridge-dir"
      if [ -f "$root/bridge-fails" ]; then
        cat "$root/bridge-fails"
        exit 1
      fi
      [ -n "$one" ] || exit 1
      if [ -n "$required" ] && [ ! -f "$last" ]; then echo "salus: there is no $last"; exit 1; fi
      [ -f "$root/$volume" ] || echo "1 0" >"$root/$volume"
      if [ -f "$last" ] && [ "$(cat "$last")" != "$(cat "$root/$volume")" ]; then
        echo "salus: somebody else had $volume"
        exit 1
      fi
      read -r id mount <"$root/$volume"
      echo "$id $((mount + 1))" | tee "$last" >"$root/$volume"
      while [ -f "$root/cluster-away" ]; do sleep 0.02; done
      rm -f "$socket"
      nbdkit -f -U "$socket" memory 1M &
      server=$!
      trap 'kill $server; wait $server; echo ending; exit' TERM
      until [ -S "$socket" ]; do sleep 0.01; done
      echo "ready nbd+unix:///$volume"
      wait $server
      """;

  /** What runs programs apart. */
  private static final String APART = "apart";

  final Path root;
  boolean attachedApart;
  Moment crash = Moment.NEVER;

  /** The longest time that a program may take. */
  Duration patience = Programs.PATIENCE;

  /** The times that writing out was given. */
  final List<Duration> flushLimits = new CopyOnWriteArrayList<>();

  final List<Long> killed = new ArrayList<>();

  FakeMachine(Path root) throws IOException {
    this.root = root;
    for (int i = 0; i < 3; i++) {
      Path device = Files.createDirectories(root.resolve("sys/block/nbd" + i));
      Files.writeString(device.resolve("dev"), "43:" + 32 * i + "\n");
      Files.writeString(device.resolve("size"), "0\n");
      Files.createDirectories(root.resolve("dev"));
      Files.writeString(root.resolve("dev/nbd" + i), "");
    }
    Files.createDirectories(root.resolve("sys/block/sda"));
    Files.createDirectories(root.resolve("proc/1/fd"));
    Files.createDirectories(root.resolve("proc/1/ns"));
    Files.createSymbolicLink(root.resolve("proc/1/ns/mnt"), Path.of("mnt:[1]"));
    write("proc/1/comm", "init\n");
    write("proc/1/cmdline", "init");
    write("proc/1/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    write("proc/swaps", "Filename\tType\n/dev/sda2 partition\n");
    write("programs.sh", PROGRAMS);
    write("bridge.sh", BRIDGE);
  }

  Machine machine(boolean isRoot) {
    return new Machine(
        root.resolve("sys"),
        root.resolve("dev"),
        root.resolve("proc"),
        isRoot,
        new Programs() {
          @Override
          public Answer run(List<String> command, Duration atMost) throws IOException {
            return runProgram(command, atMost);
          }

          @Override
          public void kill(long pid) {
            killed.add(pid);
            end(pid);
          }
        },
        List.of(APART));
  }

  private Programs.Answer runProgram(List<String> line, Duration atMost) throws IOException {
    List<String> command = line.get(0).equals(APART) ? line.subList(1, line.size()) : line;
    List<String> all =
        new ArrayList<>(List.of("sh", root.resolve("programs.sh").toString(), root.toString()));
    all.addAll(command);
    boolean attaches = command.get(1).startsWith("--connect");
    attachedApart |= attaches && !line.equals(command);
    if (attaches && crash == Moment.BEFORE_ATTACH) {
      throw new Crash();
    }
    if (command.get(0).equals("sync")) {
      flushLimits.add(atMost);
    }
    Programs.Answer answer =
        new LocalPrograms().run(all, patience.compareTo(atMost) < 0 ? patience : atMost);
    if (attaches && crash == Moment.AFTER_ATTACH
        || command.get(1).equals("--disconnect") && crash == Moment.AFTER_DETACH) {
      throw new Crash();
    }
    return answer;
  }

  /** Ends a program that has attached a device, and with it the device. */
  void end(long pid) {
    try {
      for (String file : List.of("fd/7", "fd", "cmdline", "status", "")) {
        Files.deleteIfExists(root.resolve("proc/" + pid).resolve(file));
      }
      for (String device : List.of("nbd0", "nbd1", "nbd2")) {
        Path holder = root.resolve("sys/block").resolve(device).resolve("pid");
        if (Files.exists(holder) && Files.readString(holder).strip().equals("" + pid)) {
          Files.delete(holder);
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  Path runDir() {
    return root.resolve("run");
  }

  /** What runs a bridge. */
  List<String> on() {
    return List.of("sh", root.resolve("bridge.sh").toString(), root.toString());
  }

  void write(String file, String content) throws IOException {
    Files.writeString(root.resolve(file), content);
  }

  /** The lines that a script has left; none if it has not run. */
  List<String> lines(String file) throws IOException {
    Path path = root.resolve(file);
    return Files.exists(path) ? Files.readAllLines(path) : List.of();
  }

  /** How often a device was attached or detached, successfully or not. */
  long calls(String option) throws IOException {
    return lines("calls").stream().filter(l -> l.startsWith(option)).count();
  }

  boolean isAttached(String device) {
    return Files.exists(root.resolve("sys/block").resolve(device).resolve("pid"));
  }

  /** What mappings have left in their directory, besides the locks. */
  List<String> leftovers() throws IOException {
    try (Stream<Path> all = Files.walk(runDir())) {
      return all.filter(Files::isRegularFile)
          .map(f -> runDir().relativize(f).toString())
          .filter(f -> !f.endsWith(".lock") && !f.endsWith(".device"))
          .filter(f -> !f.endsWith(".unmapped"))
          .toList();
    }
  }

  /** A mapper of this machine. */
  Mapper mapper(boolean isRoot, Consumer<String> notes) {
    return new Mapper(machine(isRoot), runDir(), on(), notes);
  }

  /** Ends the bridges that a test has left running. */
  static void endBridges(Mapper mapper) throws IOException {
    for (MappedVolume m : mapper.mapped()) {
      ProcessHandle.of(m.bridgeProcess()).ifPresent(ProcessHandle::destroy);
    }
  }
}
