/* How fast the core that it runs on is just now: prints millions of rounds a second of a loop that touches no memory, over 40 ms. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void) {
  const double start = seconds();
  double now = start;
  uint64_t rounds = 0, x = 88172645463325252u;
  while ((now = seconds()) - start < 0.04) {
    for (int i = 0; i < 1000; i++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    rounds += 1000;
  }
  printf("%.1f\n", x == 0 ? 0 : (double)rounds / (now - start) / 1e6);
  return 0;
}
