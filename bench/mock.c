/*
 * A streaming server whose speed is known exactly: the thing to measure when the question is how well we measure.
 *
 *   cc -O2 -o mock mock.c && ./mock --port 0 --ttft-us 100000 --gap-us 20000 --tokens 128 --truth truth.jsonl
 *
 * It answers POST /v1/chat/completions as an OpenAI-compatible server does (HTTP/1.1 keep-alive, one HTTP chunk per event): head and
 * role chunk at once, the first token `ttft` after the request was read, each further one `gap` after the one before was *due*, so that
 * no delay adds up. Finish chunk, usage and [DONE] follow the last token in the same write. With --flood it writes tokens as fast as
 * the socket takes them instead, --events-per-chunk of them in each HTTP chunk. With --late-head head and role chunk come with the first
 * token, as from vLLM: a client that takes the role chunk for a token still has a wait to tell.
 *
 * Truth: one JSON line a request, {requestId, receivedNs, tokenNs[]}, in CLOCK_MONOTONIC nanoseconds, which is what Node's
 * process.hrtime reads. A stamp is taken just before the write. On SIGTERM or SIGINT it writes the truth, prints one JSON line about
 * itself, how late its writes were above all, and ends: a bench can then say when it was the mock that was starved.
 *
 * One thread. Both delays are constants, so events that wait for the same delay come due in the order in which they were put: two
 * plain queues are the whole timer.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_EVENTS = 256, EVENT_MAX = 512, LATE_BUCKETS = 2000000, SENDS_PER_TURN = 16, SPIN_NS = 200000 };

typedef struct {
  char id[128];
  uint64_t received_ns;
  uint32_t asked, sent;
  uint32_t prompt_tokens;
  uint64_t *token_ns;
} Request;

typedef struct {
  int fd;
  uint32_t generation; /* so that a queued event for a connection that is gone, or has a newer request, is skipped */
  Request *request;    /* NULL: idle */
  char *in;
  size_t in_len, in_cap;
  char *out; /* what the socket did not take */
  size_t out_len;
  size_t block_off; /* flood: how far into the block the socket got */
} Conn;

typedef struct {
  uint64_t due;
  Conn *conn;
  uint32_t generation;
} Event;

typedef struct {
  Event *ring;
  size_t head, tail, mask;
} Queue;

static uint64_t ttft_ns = 100000000, gap_ns = 20000000;
static uint32_t default_tokens = 128, events_per_chunk = 1;
static bool flood, late_head;
static const char *truth_path;

static int epoll_fd;
static Queue first_tokens, next_tokens;
static Request **requests;
static size_t request_count, request_cap;
static uint32_t *late_us; /* histogram, 1 us wide */
static uint64_t late_max_ns, tokens_sent, blocked_writes, broken, busy_ns, started_ns;
static int open_conns, peak_conns;
static volatile sig_atomic_t stopping;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *must(void *p) {
  if (p == NULL) { perror("mock"); exit(1); }
  return p;
}

/* ---- what an event looks like ---- */

/* Token texts as they come: words, spaces, escapes, bytes beyond ASCII, and text that looks like the protocol itself. */
static const char *const TEXTS[] = {
  " the", " of", " and", ",", " a", " server", " that", ".", "\\n", " streams", " tokens", " in", "\\n\\n", " caf\xc3\xa9", " is", " \\\"",
  " to", "ing", " fast", "er", " when", " batch", "es", " grow", " \xe2\x80\x94", " each", " user", " sees", " \xf0\x9f\x8c\x8d", " 4", "0", " ms",
  " {\\\"content\\\":\\\"", " per", " step", ":", " so", "\\u00e9", " pace", " falls", " \\\\", " while", " through", "put", " rises", " data: [DONE]", " it", "'s",
  " \\\"finish_reason\\\":\\\"stop\\\"", " a", " trade", "-off", " to", " choose", " \xe4\xbd\xa0", "\xe5\xa5\xbd", " not", " one", " number", "!", " ", "\\t", " for", " all",
};
enum { TEXT_COUNT = sizeof TEXTS / sizeof TEXTS[0] };

static const char CHUNK_HEAD[] = "data: {\"id\":\"chatcmpl-%016" PRIx64 "\",\"object\":\"chat.completion.chunk\",\"created\":1764547200,\"model\":\"mock\",";
enum { ID_OFFSET = 22, ID_DIGITS = 16 }; /* where CHUNK_HEAD has the sixteen digits, counted from "data:" */

typedef struct {
  char bytes[EVENT_MAX];
  size_t len, id_at;
} Template;
static Template token_templates[TEXT_COUNT]; /* framed: size line, event, CRLF */
static char *block;                          /* flood: BLOCK_EVENTS events, framed */
static size_t block_len;

static size_t render_token(char *to, uint64_t id, const char *text) {
  size_t n = (size_t)sprintf(to, CHUNK_HEAD, id);
  return n + (size_t)sprintf(to + n, "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n", text);
}

static size_t frame(char *to, const char *body, size_t len) {
  size_t n = (size_t)sprintf(to, "%zx\r\n", len);
  memcpy(to + n, body, len);
  memcpy(to + n + len, "\r\n", 2);
  return n + len + 2;
}

static void render_templates(void) {
  char event[EVENT_MAX], *group = must(malloc(BLOCK_EVENTS * EVENT_MAX));
  for (int i = 0; i < TEXT_COUNT; i++) {
    size_t len = render_token(event, 0, TEXTS[i]);
    Template *t = &token_templates[i];
    t->len = frame(t->bytes, event, len);
    t->id_at = t->len - 2 - len + ID_OFFSET;
  }
  block = must(malloc(BLOCK_EVENTS * EVENT_MAX));
  for (int i = 0; i < BLOCK_EVENTS;) {
    size_t len = 0;
    for (uint32_t k = 0; k < events_per_chunk && i < BLOCK_EVENTS; k++, i++) len += render_token(group + len, 0, TEXTS[i % TEXT_COUNT]);
    block_len += frame(block + block_len, group, len);
  }
  free(group);
}

static size_t render_head(char *to, uint64_t id) {
  char event[EVENT_MAX];
  size_t len = (size_t)sprintf(event, CHUNK_HEAD, id);
  len += (size_t)sprintf(event + len, "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n");
  size_t n = (size_t)sprintf(to, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n");
  return n + frame(to + n, event, len);
}

static size_t render_tail(char *to, uint64_t id, const Request *r) {
  char event[EVENT_MAX];
  size_t len = (size_t)sprintf(event, CHUNK_HEAD, id);
  len += (size_t)sprintf(event + len, "\"choices\":[{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"length\",\"stop_reason\":null}]}\n\n");
  size_t n = frame(to, event, len);
  len = (size_t)sprintf(event, CHUNK_HEAD, id);
  len += (size_t)sprintf(event + len, "\"choices\":[],\"usage\":{\"prompt_tokens\":%u,\"total_tokens\":%u,\"completion_tokens\":%u}}\n\n", r->prompt_tokens, r->prompt_tokens + r->sent, r->sent);
  n += frame(to + n, event, len);
  n += frame(to + n, "data: [DONE]\n\n", 14);
  memcpy(to + n, "0\r\n\r\n", 5);
  return n + 5;
}

/* ---- the two queues ---- */

static void queue_init(Queue *q, size_t size) {
  q->ring = must(malloc(size * sizeof *q->ring));
  q->head = q->tail = 0;
  q->mask = size - 1;
}

static void push(Queue *q, uint64_t due, Conn *c) {
  if (q->tail - q->head > q->mask) { fprintf(stderr, "mock: more events wait than it has room for\n"); exit(1); }
  q->ring[q->tail++ & q->mask] = (Event){due, c, c->generation};
}

static Event *head_of(const Queue *q) { return q->head == q->tail ? NULL : &q->ring[q->head & q->mask]; }

/* The queue whose head is due first; NULL when nothing waits. */
static Queue *earliest(void) {
  const Event *a = head_of(&first_tokens), *b = head_of(&next_tokens);
  if (a == NULL || b == NULL) return a != NULL ? &first_tokens : b != NULL ? &next_tokens : NULL;
  return a->due <= b->due ? &first_tokens : &next_tokens;
}

/* ---- connections ---- */

static void watch(Conn *c, uint32_t events) {
  struct epoll_event e = {.events = events, .data.ptr = c};
  epoll_ctl(epoll_fd, EPOLL_CTL_MOD, c->fd, &e);
}

static void close_conn(Conn *c) {
  if (c->fd < 0) return;
  if (c->request != NULL) broken++;
  close(c->fd);
  c->fd = -1;
  c->generation++;
  c->request = NULL;
  open_conns--;
  free(c->in);
  free(c->out);
  c->in = c->out = NULL; /* the Conn itself stays: a queued event may still point to it */
}

static void write_out(Conn *c, const char *bytes, size_t len) {
  if (c->out_len == 0) {
    ssize_t n = send(c->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN) { close_conn(c); return; }
    if (n == (ssize_t)len) return;
    if (n > 0) { bytes += n; len -= (size_t)n; }
    watch(c, EPOLLIN | EPOLLOUT);
  }
  blocked_writes++;
  c->out = must(realloc(c->out, c->out_len + len));
  memcpy(c->out + c->out_len, bytes, len);
  c->out_len += len;
}

static void write_text(Conn *c, int status, const char *reason, const char *json) {
  char text[1024];
  int n = snprintf(text, sizeof text, "HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n%s", status, reason, strlen(json), json);
  write_out(c, text, (size_t)n);
}

static void read_requests(Conn *c);

static void finish(Conn *c) {
  c->request = NULL;
  c->generation++;
  if (c->in_len > 0) read_requests(c);
}

static void send_token(Conn *c, uint64_t due) {
  char bytes[6 * EVENT_MAX], digits[ID_DIGITS + 1];
  Request *r = c->request;
  const Template *t = &token_templates[r->sent % TEXT_COUNT];
  const uint64_t id = (uint64_t)(uintptr_t)r;
  size_t len = late_head && r->sent == 0 ? render_head(bytes, id) : 0;
  memcpy(bytes + len, t->bytes, t->len);
  sprintf(digits, "%016" PRIx64, id);
  memcpy(bytes + len + t->id_at, digits, ID_DIGITS);
  len += t->len;
  const uint64_t now = now_ns();
  const uint64_t late = now - due;
  r->token_ns[r->sent++] = now;
  tokens_sent++;
  late_us[late / 1000 < LATE_BUCKETS ? late / 1000 : LATE_BUCKETS - 1]++;
  if (late > late_max_ns) late_max_ns = late;
  const bool last = r->sent == r->asked;
  if (last) len += render_tail(bytes + len, id, r);
  write_out(c, bytes, len);
  if (c->fd < 0) return;
  if (last) finish(c);
  else push(&next_tokens, due + gap_ns, c);
}

/* One block a turn, so that every connection gets its share. */
static void send_flood(Conn *c) {
  Request *r = c->request;
  ssize_t n = send(c->fd, block + c->block_off, block_len - c->block_off, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0) {
    if (errno != EAGAIN) close_conn(c);
    return;
  }
  c->block_off += (size_t)n;
  if (c->block_off < block_len) return;
  c->block_off = 0;
  r->sent += BLOCK_EVENTS;
  tokens_sent += BLOCK_EVENTS;
  if (r->sent < r->asked) return;
  char tail[3 * EVENT_MAX];
  watch(c, EPOLLIN);
  write_out(c, tail, render_tail(tail, 0, r));
  if (c->fd >= 0) finish(c);
}

static unsigned long number_after(const char *body, const char *key) {
  const char *at = strstr(body, key);
  return at == NULL ? 0 : strtoul(at + strlen(key), NULL, 10);
}

static void begin(Conn *c, const char *head, const char *body, uint64_t received) {
  Request *r = must(calloc(1, sizeof *r));
  const char *id = strcasestr(head, "\r\nx-request-id:");
  if (id != NULL) {
    id += 15;
    while (*id == ' ') id++;
    for (size_t i = 0; i < sizeof r->id - 1 && id[i] > ' ' && id[i] != '"' && id[i] != '\\'; i++) r->id[i] = id[i];
  }
  unsigned long asked = number_after(body, "\"max_completion_tokens\":");
  if (asked == 0) asked = number_after(body, "\"max_tokens\":");
  r->asked = asked == 0 ? default_tokens : (uint32_t)asked;
  if (flood) r->asked = (r->asked + BLOCK_EVENTS - 1) / BLOCK_EVENTS * BLOCK_EVENTS;
  else r->token_ns = must(malloc(r->asked * sizeof *r->token_ns));
  r->received_ns = received;
  r->prompt_tokens = 1;
  for (const char *p = body; *p != 0; p++) r->prompt_tokens += *p == ' ';
  if (request_count == request_cap) {
    request_cap = request_cap == 0 ? 4096 : request_cap * 2;
    requests = must(realloc(requests, request_cap * sizeof *requests));
  }
  requests[request_count++] = r;
  c->request = r;
  c->generation++;
  char bytes[2 * EVENT_MAX];
  if (flood || !late_head) write_out(c, bytes, render_head(bytes, flood ? 0 : (uint64_t)(uintptr_t)r));
  if (c->fd < 0) return;
  if (flood) watch(c, EPOLLIN | EPOLLOUT);
  else push(&first_tokens, received + ttft_ns, c);
}

/* Answers the next whole request in the buffer, if the one before is done. */
static void read_requests(Conn *c) {
  if (c->request != NULL || c->in_len == 0) return;
  c->in[c->in_len] = 0;
  char *blank = strstr(c->in, "\r\n\r\n");
  if (blank == NULL) return;
  const char *length = strcasestr(c->in, "\r\ncontent-length:");
  const size_t body_len = length == NULL || length > blank ? 0 : strtoul(length + 17, NULL, 10);
  const size_t head_len = (size_t)(blank - c->in) + 4;
  if (c->in_len < head_len + body_len) return;
  const uint64_t received = now_ns();
  char *body = c->in + head_len, kept = body[body_len];
  body[body_len] = 0;
  blank[2] = 0;
  if (strncmp(c->in, "GET /v1/models", 14) == 0) write_text(c, 200, "OK", "{\"object\":\"list\",\"data\":[{\"id\":\"mock\",\"object\":\"model\"}]}");
  else if (strncmp(c->in, "POST /v1/chat/completions", 25) != 0) write_text(c, 404, "Not Found", "{\"error\":{\"message\":\"no such path\",\"code\":404}}");
  else if (strstr(body, "\"stream\":true") == NULL && strstr(body, "\"stream\": true") == NULL) write_text(c, 400, "Bad Request", "{\"error\":{\"message\":\"it only streams\",\"code\":400}}");
  else begin(c, c->in, body, received);
  if (c->fd < 0) return;
  body[body_len] = kept;
  c->in_len -= head_len + body_len;
  memmove(c->in, body + body_len, c->in_len);
  read_requests(c);
}

static void on_readable(Conn *c) {
  if (c->in_cap - c->in_len < 8192) {
    c->in_cap = c->in_cap == 0 ? 16384 : c->in_cap * 2;
    c->in = must(realloc(c->in, c->in_cap + 1));
  }
  ssize_t n = recv(c->fd, c->in + c->in_len, c->in_cap - c->in_len, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN)) { close_conn(c); return; }
  if (n > 0) { c->in_len += (size_t)n; read_requests(c); }
}

static void on_writable(Conn *c) {
  if (c->out_len > 0) {
    ssize_t n = send(c->fd, c->out, c->out_len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) { if (errno != EAGAIN) close_conn(c); return; }
    c->out_len -= (size_t)n;
    memmove(c->out, c->out + n, c->out_len);
    if (c->out_len == 0 && !(flood && c->request != NULL)) watch(c, EPOLLIN);
  } else if (flood && c->request != NULL) send_flood(c);
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    Conn *c = must(calloc(1, sizeof *c));
    c->fd = fd;
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e);
    if (++open_conns > peak_conns) peak_conns = open_conns;
  }
}

/* ---- the end: truth, and a word about itself ---- */

static double late_percentile_ms(double p) {
  const uint64_t rank = (uint64_t)(p * (double)(tokens_sent == 0 ? 0 : tokens_sent - 1));
  uint64_t seen = 0;
  for (size_t i = 0; i < LATE_BUCKETS; i++)
    if ((seen += late_us[i]) > rank) return (double)i / 1000;
  return 0;
}

static void write_truth(void) {
  FILE *f = must(fopen(truth_path, "w"));
  setvbuf(f, NULL, _IOFBF, 1 << 20);
  for (size_t i = 0; i < request_count; i++) {
    const Request *r = requests[i];
    fprintf(f, "{\"requestId\":\"%s\",\"receivedNs\":%" PRIu64 ",\"tokenNs\":[", r->id, r->received_ns);
    for (uint32_t k = 0; k < r->sent && r->token_ns != NULL; k++) fprintf(f, k == 0 ? "%" PRIu64 : ",%" PRIu64, r->token_ns[k]);
    fprintf(f, "]}\n");
  }
  fclose(f);
}

static void on_signal(int signal) { (void)signal; stopping = 1; }

static int listen_on(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 4096) != 0) { perror("mock: listen"); exit(1); }
  getsockname(fd, (struct sockaddr *)&address, &size);
  printf("listening http://127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

static int parse_arguments(int argc, char **argv) {
  int port = 0;
  for (int i = 1; i < argc; i++) {
    const char *flag = argv[i];
    if (strcmp(flag, "--flood") == 0) { flood = true; continue; }
    if (strcmp(flag, "--late-head") == 0) { late_head = true; continue; }
    const char *value = i + 1 < argc ? argv[++i] : "";
    if (strcmp(flag, "--port") == 0) port = atoi(value);
    else if (strcmp(flag, "--ttft-us") == 0) ttft_ns = strtoull(value, NULL, 10) * 1000;
    else if (strcmp(flag, "--gap-us") == 0) gap_ns = strtoull(value, NULL, 10) * 1000;
    else if (strcmp(flag, "--tokens") == 0) default_tokens = (uint32_t)atoi(value);
    else if (strcmp(flag, "--events-per-chunk") == 0) events_per_chunk = (uint32_t)atoi(value);
    else if (strcmp(flag, "--truth") == 0) truth_path = value;
    else { fprintf(stderr, "mock: unknown flag %s\n", flag); exit(2); }
  }
  return port;
}

int main(int argc, char **argv) {
  const int port = parse_arguments(argc, argv);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  late_us = must(calloc(LATE_BUCKETS, sizeof *late_us));
  queue_init(&first_tokens, 1 << 16);
  queue_init(&next_tokens, 1 << 16);
  render_templates();
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  const int listener = listen_on(port);
  struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &e);

  struct epoll_event ready[256];
  started_ns = now_ns();
  while (!stopping) {
    uint64_t turn = now_ns(), now = turn;
    int sends = 0;
    Queue *next;
    while ((next = earliest()) != NULL && head_of(next)->due <= now && sends < SENDS_PER_TURN) {
      const Event event = next->ring[next->head++ & next->mask];
      if (event.conn->generation == event.generation && event.conn->request != NULL) { send_token(event.conn, event.due); sends++; }
      now = now_ns();
    }
    busy_ns += now - turn;
    /* Sleep to a little before the next event and spin over the rest: a wake-up from sleep is late by tens of microseconds. */
    struct timespec wait = {1, 0};
    if (next != NULL) {
      const uint64_t due = head_of(next)->due;
      const uint64_t left = due > now + SPIN_NS ? due - now - SPIN_NS : 0;
      wait = (struct timespec){(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    }
    const int n = epoll_pwait2(epoll_fd, ready, 256, &wait, NULL);
    if (n <= 0) continue;
    turn = now_ns();
    for (int i = 0; i < n; i++) {
      Conn *c = ready[i].data.ptr;
      if (c == NULL) { accept_all(listener); continue; }
      if (c->fd >= 0 && (ready[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) on_readable(c);
      if (c->fd >= 0 && (ready[i].events & EPOLLOUT)) on_writable(c);
    }
    busy_ns += now_ns() - turn;
  }
  const uint64_t ended_ns = now_ns();
  if (truth_path != NULL) write_truth();
  printf("{\"requests\":%zu,\"tokens\":%" PRIu64 ",\"lateMs\":{\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f},\"blockedWrites\":%" PRIu64 ",\"brokenStreams\":%" PRIu64 ",\"busy\":%.3f,\"seconds\":%.3f,\"peakConnections\":%d}\n",
         request_count, tokens_sent, late_percentile_ms(0.5), late_percentile_ms(0.99), (double)late_max_ns / 1e6, blocked_writes, broken,
         (double)busy_ns / (double)(ended_ns - started_ns), (double)(ended_ns - started_ns) / 1e9, peak_conns);
  return 0;
}
