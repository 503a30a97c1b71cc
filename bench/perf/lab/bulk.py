"""A body of 256 MiB through a function that gives it back: CPU per MiB, and how far the watchdog's memory grows."""
import socket
import threading
import time

from . import cpu
from .load import Sample
from .process import MeasureError

MIB = 1 << 20
BODY_MIB = 256
PIECE = b"x" * MIB
STALL_SECONDS = 30


def run(server):
    """Sample per MiB (rps is MiB/s). The answer is thrown away in the kernel, so the client costs little."""
    server.wait_until_up()
    cpu.reset_peak(server.pid)
    resident, before, began = cpu.rss_bytes(server.pid), server.cpu_us(), time.monotonic()
    received = _transfer(server.port)
    seconds, after = time.monotonic() - began, server.cpu_us()
    if received < BODY_MIB * MIB:
        raise MeasureError(f"{received} of {BODY_MIB * MIB} bytes came back")
    return Sample(rps=BODY_MIB / seconds, server_us=(after[0] - before[0]) / BODY_MIB,
                  function_us=(after[1] - before[1]) / BODY_MIB,
                  growth_mib=(cpu.rss_bytes(server.pid, "VmHWM") - resident) / MIB)


def _transfer(port):
    """Bytes of the answer, its head and framing among them."""
    with socket.create_connection(("127.0.0.1", port), timeout=STALL_SECONDS) as client:
        sender = threading.Thread(target=_send, args=(client,))
        sender.start()
        try:
            return _receive(client)
        finally:
            client.shutdown(socket.SHUT_RDWR)  # ends a sender that nobody reads from
            sender.join()


def _send(client):
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {BODY_MIB * MIB}\r\n\r\n"
    try:
        client.sendall(head.encode())
        for _ in range(BODY_MIB):
            client.sendall(PIECE)
    except OSError:
        pass  # the count of what came back tells


def _receive(client):
    head = client.recv(4096)
    if not head.startswith(b"HTTP/1.1 200"):
        raise MeasureError(f"no 200 to the large body: {head[:200]!r}")
    total, nowhere = len(head), bytearray(MIB)
    while True:
        got = client.recv_into(nowhere, MIB, socket.MSG_TRUNC)
        if got == 0:
            return total
        total += got
