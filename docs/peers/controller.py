"""A servo of a joint, as a peer of `docksim realtime --lockstep lead --torque JOINT`: python controller.py 47010 30."""

import math
import socket
import struct
import sys
import zlib

HEADER = struct.Struct("<4sBBHIIIIqd")
JOINTS, TORQUE, ENDED = 5, 20, 16
STIFFNESS, DAMPING, LIMIT = 200.0, 120.0, 20.0  # [N m/rad], [N m s/rad], [N m]


def torque(angle: float, rate: float, target: float) -> float:
    asked = STIFFNESS * (target - angle) + DAMPING * (0.0 - rate)
    return min(max(asked, -LIMIT), LIMIT)


def main() -> None:
    port, target = int(sys.argv[1]), float(sys.argv[2]) * (math.pi / 180.0)
    here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    here.bind(("127.0.0.1", port))
    sequence = 0
    while True:
        data, docksim = here.recvfrom(65536)
        if len(data) < HEADER.size + 4 or zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
            continue
        magic, version, kind, flags, number, _, _, _, clock, time = HEADER.unpack_from(data)
        if (magic, version, kind) != (b"DKSM", 1, JOINTS):
            continue
        if flags & ENDED:
            return
        joint, angle, rate, _ = struct.unpack_from("<H6x3d", data, HEADER.size)  # the first one
        payload = struct.pack("<H6xd", joint, torque(angle, rate, target))
        sequence += 1
        answer = HEADER.pack(b"DKSM", 1, TORQUE, 0, sequence, number, len(payload), 0, clock, time) + payload
        here.sendto(answer + struct.pack("<I", zlib.crc32(answer)), docksim)


main()
