/* A spring and a damper to the origin, as a peer of `docksim realtime`: cc -O2 -o peer peer.c && ./peer 47010
   For little-endian machines with packed doubles as in the packets. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#pragma pack(push, 1)
typedef struct { char magic[4]; uint8_t version, type; uint16_t flags; uint32_t sequence, echo, length, zero;
                 int64_t clock_ns; double time_s; } Header;
typedef struct { Header head; uint16_t port, axes; uint32_t zero; double force[3], torque[3]; uint32_t crc; } Wrench;
#pragma pack(pop)

static uint32_t crc32(const uint8_t *data, size_t size) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

int main(int argc, char **argv) {
    static uint8_t data[65536];
    const double k = 200.0, c = 5.0; /* [N/m], [N s/m] */
    uint32_t sequence = 0, sum;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? atoi(argv[1]) : 47010)}, docksim;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int rig = socket(AF_INET, SOCK_DGRAM, 0);
    if (rig < 0 || bind(rig, (struct sockaddr *)&here, sizeof here)) return 1;
    for (;;) {
        socklen_t length = sizeof docksim;
        ssize_t size = recvfrom(rig, data, sizeof data, 0, (struct sockaddr *)&docksim, &length);
        Header head;
        double frame[19];
        if (size < (ssize_t)(sizeof head + 8 + sizeof frame + 4)) continue;
        memcpy(&head, data, sizeof head);
        memcpy(&sum, data + size - 4, 4);
        if (memcmp(head.magic, "DKSM", 4) || head.version != 1 || head.type != 1 || sum != crc32(data, size - 4)) continue;
        if (head.flags & 16) return 0; /* the run has ended */
        memcpy(frame, data + sizeof head + 8, sizeof frame); /* the first one */
        Wrench answer = {.head = head, .axes = 1};
        answer.head.type = 16, answer.head.flags = 0, answer.head.sequence = ++sequence, answer.head.echo = head.sequence;
        answer.head.length = sizeof answer - sizeof head - 4;
        for (int i = 0; i < 3; i++) answer.force[i] = -k * frame[i] - c * frame[7 + i];
        answer.crc = crc32((uint8_t *)&answer, sizeof answer - 4);
        sendto(rig, &answer, sizeof answer, 0, (struct sockaddr *)&docksim, length);
    }
}
