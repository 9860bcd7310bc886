/* The fewest pushes of levels with four boxes on 8x8 squares, by A*: a peer to compare with.

   Written for this comparison from a description of the algorithm: push distances of a lone box by
   its cell and the player's side; the cheapest matching of four boxes and goals; a box that freezes
   off a goal loses; buckets of equal estimates; a hash table of the positions that are expanded, in
   which the least cell of the player's area stands for it. Cell (row, column) is bit
   8 * row + column, and one word holds the 8x8 squares.

   Standard input: the number of levels, then walls, goals, boxes and player of each, all as 64-bit
   words. Standard output: the seconds of the processor of each pass over the levels, then the
   pushes of each level, -1 where there is no solution. The argument is the number of passes. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;

enum { BOXES = 4, UNREACHABLE = 1 << 14, MOST = 4096 };

#ifndef FIRST_NODES /* tests have little room at first */
#define FIRST_NODES (1 << 16)
#define FIRST_SLOTS (1 << 9) /* a power of two */
#endif

typedef struct {
    u64 boxes, player; /* the cell after the push; once expanded the least of the area */
    int32_t next;      /* in the same bucket, newest first */
    int16_t pushes;
    int16_t is_expanded;
} Node;

static Node *nodes;
static int32_t num_nodes, room, *slots, num_slots, room_for_slots;
static int32_t bucket[MOST];

static u64 floor_cells, goal_cells, held_upright, held_across;
static u64 alive[4]; /* cells from which a push in this direction leads on to some goal */
static void fail(const char *why, size_t level) {
    fprintf(stderr, "push_astar: %s: level %zu\n", why, level);
    exit(1);
}

static void *resized(void *old, size_t bytes) {
    void *larger = realloc(old, bytes);
    if (!larger) {
        fprintf(stderr, "push_astar: memory is full\n");
        exit(1);
    }
    return larger;
}

static u64 area[64][4]; /* of the player on each side of a lone box */
static uint8_t side[64][4], num_sides[64];
static int16_t pushes_to[64][4][BOXES];

static inline u64 moved(u64 cells, int direction) {
    switch (direction) {
    case 0: return cells >> 8;
    case 1: return cells >> 1 & 0x7F7F7F7F7F7F7F7Full;
    case 2: return cells << 8;
    default: return cells << 1 & 0xFEFEFEFEFEFEFEFEull;
    }
}

static inline int number(u64 cell) { return __builtin_ctzll(cell); }

static inline u64 flood(u64 cells, u64 free) {
    for (;;) {
        u64 beside = cells | moved(cells, 1) | moved(cells, 3);
        u64 grown = (beside | moved(cells, 0) | moved(cells, 2)) & free;
        if (grown == cells) return cells;
        cells = grown;
    }
}

static void find_sides(void) {
    for (u64 rest = floor_cells; rest; rest &= rest - 1) {
        u64 box = rest & -rest, free = floor_cells ^ box;
        int cell = number(box), count = 0;
        for (int d = 0; d < 4; d++) {
            u64 beside = moved(box, d) & free;
            area[cell][d] = 0;
            side[cell][d] = (uint8_t)d;
            if (!beside) continue;
            for (int e = 0; e < d; e++)
                if (area[cell][e] & beside) {
                    area[cell][d] = area[cell][e];
                    side[cell][d] = side[cell][e];
                    break;
                }
            if (!area[cell][d]) {
                area[cell][d] = flood(beside, free);
                count++;
            }
        }
        num_sides[cell] = (uint8_t)count;
    }
}

static void find_pushes(u64 goal_cell, int goal) {
    static uint8_t waiting[512];
    int first = 0, count = 0;
    for (u64 rest = floor_cells; rest; rest &= rest - 1)
        for (int d = 0; d < 4; d++) pushes_to[number(rest)][d][goal] = UNREACHABLE;
    int at = number(goal_cell);
    for (int d = 0; d < 4; d++)
        if (area[at][d] && side[at][d] == d) {
            pushes_to[at][d][goal] = 0;
            waiting[count++] = (uint8_t)(at * 4 + d);
        }
    while (first < count) {
        int here = waiting[first] >> 2, place = waiting[first] & 3;
        first++;
        u64 box = 1ull << here;
        for (int d = 0; d < 4; d++) { /* the player pulls the box towards itself */
            if (!area[here][d] || side[here][d] != place) continue;
            u64 to = moved(box, d) & floor_cells;
            if (!to || !(moved(to, d) & floor_cells)) continue;
            int there = number(to), known = side[there][d];
            alive[d ^ 2] |= to; /* from there a push to where the box was leads on */
            if (pushes_to[there][known][goal] != UNREACHABLE) continue;
            pushes_to[there][known][goal] = pushes_to[here][place][goal] + 1;
            waiting[count++] = (uint8_t)(there * 4 + known);
        }
    }
}

/* Cells whose box can never go in a direction or back without a deadlock, however empty the board
   is. */
static u64 held(int direction) {
    u64 ahead = moved(floor_cells, direction ^ 2), behind = moved(floor_cells, direction);
    return ~(ahead & behind & (alive[direction] | alive[direction ^ 2]));
}

static int is_frozen(u64 boxes, u64 box) {
    for (u64 frozen = boxes;;) {
        u64 still = frozen & (held_upright | moved(frozen, 0) | moved(frozen, 2));
        still &= held_across | moved(frozen, 1) | moved(frozen, 3);
        if (!(still & box)) return 0;
        if (still == frozen) return (still & ~goal_cells) != 0;
        frozen = still;
    }
}

static inline const int16_t *row_of(int cell, u64 player) {
    int d = 0;
    if (num_sides[cell] == 1)
        while (!area[cell][d]) d++;
    else
        while (!(area[cell][d] & player)) d++;
    return pushes_to[cell][side[cell][d]];
}

static inline int least(int one, int other) { return one < other ? one : other; }

static inline int of_two(const int16_t *a, const int16_t *b, int i, int j) {
    return least(a[i] + b[j], a[j] + b[i]);
}

static inline int matching(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d) {
    int best = of_two(a, b, 0, 1) + of_two(c, d, 2, 3);
    best = least(best, of_two(a, b, 0, 2) + of_two(c, d, 1, 3));
    best = least(best, of_two(a, b, 0, 3) + of_two(c, d, 1, 2));
    best = least(best, of_two(a, b, 1, 2) + of_two(c, d, 0, 3));
    best = least(best, of_two(a, b, 1, 3) + of_two(c, d, 0, 2));
    return least(best, of_two(a, b, 2, 3) + of_two(c, d, 0, 1));
}

static inline int32_t *slot_of(u64 boxes, u64 player) {
    u64 mixed = (boxes ^ player * 0xD6E8FEB86659FD93ull) * 0x9E3779B97F4A7C15ull;
    int32_t slot = (int32_t)(mixed >> 32) & (num_slots - 1);
    while (slots[slot] >= 0 &&
           (nodes[slots[slot]].boxes != boxes || nodes[slots[slot]].player != player))
        slot = (slot + 1) & (num_slots - 1);
    return &slots[slot];
}

static void clear_slots(int32_t count) {
    num_slots = count;
    if (num_slots > room_for_slots) {
        room_for_slots = num_slots;
        slots = resized(slots, sizeof *slots * (size_t)num_slots);
    }
    memset(slots, -1, sizeof *slots * (size_t)num_slots);
}

static void widen(void) {
    clear_slots(2 * num_slots);
    for (int32_t node = 0; node < num_nodes; node++)
        if (nodes[node].is_expanded) *slot_of(nodes[node].boxes, nodes[node].player) = node;
}

/* The fewest pushes of one level; -1 if there is no solution, -2 if they may be too many. */
static int solve(u64 floor, u64 goals, u64 boxes, u64 player) {
    floor_cells = floor;
    goal_cells = goals;
    memset(alive, 0, sizeof alive);
    find_sides();
    int goal = 0;
    for (u64 rest = goals; rest; rest &= rest - 1) find_pushes(rest & -rest, goal++);
    held_upright = held(0);
    held_across = held(1);
    clear_slots(FIRST_SLOTS);
    int lowest = 0, highest = 0;
    bucket[0] = 0;
    nodes[0] = (Node){boxes, player, -1, 0, 0};
    num_nodes = 1;
    int num_expanded = 0;
    while (lowest <= highest) {
        int32_t at = bucket[lowest];
        if (at < 0) {
            lowest++;
            continue;
        }
        Node *node = &nodes[at];
        bucket[lowest] = node->next;
        if (node->boxes == goals) return node->pushes;
        u64 here = node->boxes, free = floor_cells & ~here, reached = flood(node->player, free);
        int32_t *slot = slot_of(here, reached & -reached);
        if (*slot >= 0) continue;
        *slot = at;
        node->is_expanded = 1;
        node->player = reached & -reached;
        if (2 * ++num_expanded > num_slots) widen();
        const int16_t *rows[BOXES];
        u64 each[BOXES];
        int count = 0;
        for (u64 rest = here; rest; rest &= rest - 1) {
            each[count] = rest & -rest;
            rows[count++] = row_of(number(rest), node->player);
        }
        int pushes = node->pushes + 1;
        for (int i = 0; i < BOXES; i++)
            for (int d = 0; d < 4; d++) {
                u64 to = moved(each[i], d) & free;
                if (!to || !(moved(each[i], d ^ 2) & reached)) continue;
                u64 after = here ^ each[i] ^ to;
                if (is_frozen(after, to)) continue;
                const int16_t *row = rows[i];
                rows[i] = row_of(number(to), each[i]);
                int left = matching(rows[0], rows[1], rows[2], rows[3]);
                rows[i] = row;
                if (left >= UNREACHABLE) continue;
                if (num_nodes == room) {
                    room *= 2;
                    nodes = resized(nodes, sizeof *nodes * (size_t)room);
                }
                int total = pushes + left;
                if (total >= MOST) return -2;
                while (highest < total) bucket[++highest] = -1;
                nodes[num_nodes] =
                    (Node){after, each[i], bucket[total], (int16_t)pushes, 0};
                bucket[total] = num_nodes++;
                if (total < lowest) lowest = total;
            }
    }
    return -1;
}

static u64 read_word(void) {
    u64 word;
    if (fread(&word, sizeof word, 1, stdin) != 1) {
        fprintf(stderr, "push_astar: the input ends within a level\n");
        exit(1);
    }
    return word;
}

static double clock_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 2 || atoi(argv[1]) < 1) {
        fprintf(stderr, "usage: push_astar PASSES < LEVELS\n");
        return 2;
    }
    size_t count = read_word();
    u64 *words = resized(NULL, 4 * count * sizeof *words);
    int *answers = resized(NULL, count * sizeof *answers);
    for (size_t i = 0; i < 4 * count; i++) words[i] = read_word();
    room = FIRST_NODES;
    nodes = resized(NULL, sizeof *nodes * (size_t)room);
    for (int pass = 0; pass < atoi(argv[1]); pass++) {
        double started_s = clock_s();
        for (size_t i = 0; i < count; i++) {
            const u64 *level = words + 4 * i;
            u64 floor = flood(level[3], ~level[0]);
            if (__builtin_popcountll(level[1] & floor) != BOXES ||
                __builtin_popcountll(level[2] & floor) != BOXES ||
                (level[1] ^ level[2]) & ~floor)
                fail("not four boxes and goals in reach, or others beyond it", i + 1);
            answers[i] = solve(floor, level[1] & floor, level[2] & floor, level[3]);
            if (answers[i] == -2) fail("too many pushes", i + 1);
        }
        printf("%.9f\n", clock_s() - started_s);
    }
    for (size_t i = 0; i < count; i++) printf("%d\n", answers[i]);
    return 0;
}
