"""CPU time of processes, from /proc. All figures are microseconds of all threads that live now."""
import contextlib
import glob
import os

TICK_US = 1e6 / os.sysconf("SC_CLK_TCK")


def of_process(pid):
    """schedstat counts nanoseconds on a core; kernels without it give the 10 ms ticks of stat."""
    total_ns = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        try:
            with open(path) as file:
                total_ns += int(file.read().split()[0])
        except (OSError, IndexError):
            pass  # the thread has just ended
    if total_ns:
        return total_ns / 1000
    fields = _stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) * TICK_US if fields else 0.0


def descendants(pid):
    """Every process below pid, itself not included."""
    children = {}
    for entry in os.listdir("/proc"):
        fields = _stat_fields(entry) if entry.isdigit() else None
        if fields:
            children.setdefault(int(fields[1]), []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def of_ended_children(pid):
    """Of those that pid has waited for, and theirs; in ticks of 10 ms, so only a sum of many is worth anything."""
    fields = _stat_fields(pid)
    return (int(fields[13]) + int(fields[14])) * TICK_US if fields else 0.0


def start_time(pid):
    """Tells a process from a later one with the same number; None when it has gone."""
    fields = _stat_fields(pid)
    return fields[19] if fields else None


def rss_bytes(pid, name="VmRSS"):
    """Resident memory; its peak with VmHWM."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    raise OSError(f"no {name} for process {pid}")


def reset_peak(pid):
    """Lets VmHWM start again from what is resident now, where the kernel allows it."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/clear_refs", "w") as file:
        file.write("5")


def of_machine():
    """Time that all cores together have been busy since boot (stolen time not included)."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) * TICK_US


def _stat_fields(pid):
    """Fields of /proc/PID/stat after the name, which may hold anything: [0] is the state, [1] the parent."""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None
