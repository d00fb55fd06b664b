"""A spring and a damper to the origin, as a peer of `docksim realtime`: python peer.py 47010."""

import socket
import struct
import sys
import zlib

HEADER = struct.Struct("<4sBBHIIIIqd")
STATE, WRENCH, ENDED = 1, 16, 16


def main() -> None:
    port, k, c = int(sys.argv[1]), 200.0, 5.0  # [N/m], [N s/m]
    rig = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    rig.bind(("127.0.0.1", port))
    sequence = 0
    while True:
        data, docksim = rig.recvfrom(65536)
        if len(data) < HEADER.size + 4 or zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
            continue
        magic, version, kind, flags, number, _, _, _, clock, time = HEADER.unpack_from(data)
        if (magic, version, kind) != (b"DKSM", 1, STATE):
            continue
        if flags & ENDED:
            return
        frame = struct.unpack_from("<19d", data, HEADER.size + 8)  # the first one
        force = [-k * x - c * v for x, v in zip(frame[0:3], frame[7:10])]
        payload = struct.pack("<HH4x6d", 0, 1, *force, 0.0, 0.0, 0.0)
        sequence += 1
        answer = HEADER.pack(b"DKSM", 1, WRENCH, 0, sequence, number, len(payload), 0, clock, time) + payload
        rig.sendto(answer + struct.pack("<I", zlib.crc32(answer)), docksim)


main()
