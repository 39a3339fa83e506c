// Red-black trees with links to parents, after the textbook (Cormen, Leiserson, Rivest and Stein, Introduction to
// Algorithms, chapter 13). Several trees share an array of nodes; a tree is named by the node above its root, its top,
// whose left child is the root. Node 0 is no node: it is black, and no thread writes it. So the parent of a missing
// child is kept in registers where the textbook writes it into a sentinel, which every deletion would write.
//
// rb_lock: fine-grained locks (held_locks.h). A thread locks the lowest part of its path, above which its change does
// not reach:
//   an insertion, from two black nodes on, one above the other: the lower one may become red, and no more;
//   a deletion, from a red node and its parent on: the red node absorbs a missing black one.
// So the uppermost node that it locks is black and stays so. Nodes beside the path change without their lock only if
// they are red and their parent is locked: whoever notes or locks a red node has its parent, too. Beside the path a
// deletion locks one node at each level: the sibling, or, if that is red, its child that would become the sibling.
#ifndef KERNELS_SI_RB_H
#define KERNELS_SI_RB_H

#include "../check.h"
#include "held_locks.h"

static const int RB_NONE = 0, RB_CLEARED = -1;

struct RbNode {
    int key, red, parent, side, child[2]; // side: of the parent, on which the node is
};

struct RbPlace {
    int parent, side;
};

static __host__ __device__ __forceinline__ bool rb_red(volatile RbNode *nodes, int node) {
    return node != RB_NONE && nodes[node].red;
}

static __host__ __device__ __forceinline__ int rb_at(volatile RbNode *nodes, RbPlace at) {
    return nodes[at.parent].child[at.side];
}

// Where the key is in a tree, or would be.
static __host__ __device__ __forceinline__ RbPlace rb_find(volatile RbNode *nodes, int top, int key) {
    RbPlace at = {top, 0};
    for (int node = rb_at(nodes, at); node != RB_NONE && nodes[node].key != key; node = rb_at(nodes, at)) {
        at = {node, key > nodes[node].key};
    }
    return at;
}

static __host__ __device__ __forceinline__ void rb_link(volatile RbNode *nodes, int parent, int side, int child) {
    nodes[parent].child[side] = child;
    if (child != RB_NONE) {
        nodes[child].parent = parent;
        nodes[child].side = side;
    }
}

// Moves `node` down to `side`; its child on the other side takes its place.
static __host__ __device__ __forceinline__ void rb_rotate(volatile RbNode *nodes, int node, int side) {
    int up = nodes[node].child[!side], parent = nodes[node].parent, at = nodes[node].side;
    rb_link(nodes, node, !side, nodes[up].child[side]);
    rb_link(nodes, up, side, node);
    rb_link(nodes, parent, at, up);
}

// The node has become red; its parent may be red, too.
static __host__ __device__ __forceinline__ void rb_fix_red(volatile RbNode *nodes, int top, int node) {
    int parent = nodes[node].parent;
    while (parent != top && nodes[parent].red) {
        int grand = nodes[parent].parent, side = nodes[parent].side, uncle = nodes[grand].child[!side];
        if (!rb_red(nodes, uncle)) {
            if (nodes[parent].child[!side] == node) {
                rb_rotate(nodes, parent, side);
                parent = node;
            }
            nodes[parent].red = 0;
            nodes[grand].red = 1;
            rb_rotate(nodes, grand, !side);
            return;
        }
        nodes[parent].red = 0;
        nodes[uncle].red = 0;
        nodes[grand].red = 1;
        node = grand;
        parent = nodes[node].parent;
    }
    if (parent == top) {
        nodes[node].red = 0;
    }
}

static __host__ __device__ __forceinline__ void rb_insert(volatile RbNode *nodes, int top, RbPlace at, int node,
                                                          int key) {
    nodes[node].key = key;
    nodes[node].red = 1;
    nodes[node].child[0] = RB_NONE;
    nodes[node].child[1] = RB_NONE;
    rb_link(nodes, at.parent, at.side, node);
    rb_fix_red(nodes, top, node);
}

// The sibling of a place, black: if it is red, it takes the parent's place first.
static __host__ __device__ __forceinline__ int rb_black_sibling(volatile RbNode *nodes, RbPlace at) {
    int sibling = nodes[at.parent].child[!at.side];
    if (!nodes[sibling].red) {
        return sibling;
    }
    nodes[sibling].red = 0;
    nodes[at.parent].red = 1;
    rb_rotate(nodes, at.parent, at.side);
    return nodes[at.parent].child[!at.side];
}

// The sibling has a red child: a rotation or two supply the missing black node.
static __host__ __device__ __forceinline__ void rb_supply_black(volatile RbNode *nodes, RbPlace at, int sibling) {
    int far = nodes[sibling].child[!at.side];
    if (!rb_red(nodes, far)) {
        int near = nodes[sibling].child[at.side];
        rb_rotate(nodes, sibling, !at.side);
        far = sibling;
        sibling = near;
    }
    nodes[sibling].red = nodes[at.parent].red;
    nodes[at.parent].red = 0;
    nodes[far].red = 0;
    rb_rotate(nodes, at.parent, at.side);
}

// Paths through `node`, which is at this place and may be none, lack a black node.
static __host__ __device__ __forceinline__ void rb_fix_black(volatile RbNode *nodes, int top, RbPlace at, int node) {
    while (at.parent != top && !rb_red(nodes, node)) {
        int sibling = rb_black_sibling(nodes, at);
        if (rb_red(nodes, nodes[sibling].child[0]) || rb_red(nodes, nodes[sibling].child[1])) {
            rb_supply_black(nodes, at, sibling);
            return;
        }
        nodes[sibling].red = 1;
        node = at.parent;
        at.parent = nodes[node].parent;
        at.side = nodes[node].side;
    }
    if (rb_red(nodes, node)) {
        nodes[node].red = 0;
    }
}

// The least node of the tree below the place's node.
static __host__ __device__ __forceinline__ RbPlace rb_least(volatile RbNode *nodes, RbPlace at) {
    for (int node = rb_at(nodes, at), left; (left = nodes[node].child[0]) != RB_NONE; node = left) {
        at = {node, 0};
    }
    return at;
}

// `next` takes the place, the children and the colour of the node at this place.
static __host__ __device__ __forceinline__ void rb_replace(volatile RbNode *nodes, RbPlace at, int next) {
    int node = rb_at(nodes, at);
    nodes[next].red = nodes[node].red;
    rb_link(nodes, next, 0, nodes[node].child[0]);
    rb_link(nodes, next, 1, nodes[node].child[1]);
    rb_link(nodes, at.parent, at.side, next);
}

static __host__ __device__ __forceinline__ void rb_clear(volatile RbNode *nodes, int node) {
    nodes[node].key = RB_CLEARED;
    nodes[node].red = 0;
    nodes[node].parent = RB_NONE;
    nodes[node].child[0] = RB_NONE;
    nodes[node].child[1] = RB_NONE;
}

// Takes out the node at this place, and clears it.
static __host__ __device__ __forceinline__ void rb_remove(volatile RbNode *nodes, int top, RbPlace at) {
    int node = rb_at(nodes, at);
    bool two = nodes[node].child[0] != RB_NONE && nodes[node].child[1] != RB_NONE;
    RbPlace from = two ? rb_least(nodes, {node, 1}) : at;
    int out = rb_at(nodes, from), below = nodes[out].child[nodes[out].child[0] == RB_NONE];
    bool black = !nodes[out].red;
    rb_link(nodes, from.parent, from.side, below);
    if (out != node) {
        rb_replace(nodes, at, out);
        from.parent = from.parent == node ? out : from.parent;
    }
    if (black) {
        rb_fix_black(nodes, top, from, below);
    }
    rb_clear(nodes, node);
}

// What a thread is about to do with a key. After a look-up it has noted, or locked, the node alone, or the one above
// the key's place.
enum RbPurpose { RB_LOOK_UP, RB_INSERT, RB_REMOVE };

// Removes those noted nodes that no change below `node`, the last, can concern.
static __device__ __forceinline__ void rb_remove_above(volatile RbNode *nodes, HeldLocks &held, RbPurpose purpose,
                                                       int node) {
    if (purpose == RB_LOOK_UP) {
        held.keep_last(1);
    } else if (held.count > 2) {
        bool red = nodes[node].red, over = nodes[held.nodes[held.count - 2]].red;
        if (purpose == RB_REMOVE ? red : !red && !over) {
            held.keep_last(2);
        }
    }
}

// Visits the path to the key, and keeps in mind what a change at its place may concern.
static __device__ __forceinline__ bool rb_visit(volatile RbNode *nodes, HeldLocks &held, RbPurpose purpose, int top,
                                                int key, RbPlace *at) {
    *at = {top, 0};
    if (!held.visit(top)) {
        return false;
    }
    for (int node = rb_at(nodes, *at); node != RB_NONE; node = rb_at(nodes, *at)) {
        if (!held.visit(node)) {
            return false;
        }
        rb_remove_above(nodes, held, purpose, node);
        if (nodes[node].key == key) {
            break;
        }
        *at = {node, key > nodes[node].key};
    }
    return true;
}

// Locks the path to the node that leaves its place: the successor, if `node` has two children.
static __device__ __forceinline__ bool rb_lock_successor(volatile RbNode *nodes, HeldLocks &held, int node) {
    if (nodes[node].child[0] == RB_NONE) {
        return true;
    }
    for (int next = nodes[node].child[1]; next != RB_NONE; next = nodes[next].child[0]) {
        if (!held.lock(next)) {
            return false;
        }
    }
    return true;
}

// The node to lock beside the node at `level` of the path.
static __device__ __forceinline__ int rb_beside(volatile RbNode *nodes, const HeldLocks &held, int level) {
    int parent = held.nodes[level - 1], side = nodes[held.nodes[level]].side;
    int sibling = nodes[parent].child[!side];
    return rb_red(nodes, sibling) ? (int)nodes[sibling].child[side] : sibling;
}

// Locks what changes beside the path if a black node leaves its end; nothing beside the first two.
static __device__ __forceinline__ bool rb_lock_beside(volatile RbNode *nodes, HeldLocks &held) {
    int path = nodes[held.nodes[held.count - 1]].red ? 0 : held.count;
    for (int level = 2; level < path; level++) {
        int beside = rb_beside(nodes, held, level);
        if (beside != RB_NONE && !held.lock(beside)) {
            return false;
        }
    }
    return true;
}

static __device__ __forceinline__ bool rb_lock(volatile RbNode *nodes, HeldLocks &held, RbPurpose purpose, int top,
                                               int key, RbPlace *at) {
    return rb_visit(nodes, held, purpose, top, key, at) && held.lock_noted() &&
           (purpose != RB_REMOVE ||
            (rb_lock_successor(nodes, held, rb_at(nodes, *at)) && rb_lock_beside(nodes, held)));
}

// Checks the tree below a link, whose keys are from `least` to `most`; calls `seen` with each node. Returns the number
// of black nodes on every path.
template <typename Seen>
static int rb_check_link(const std::vector<RbNode> &nodes, int parent, int side, int least, int most, Seen seen) {
    int node = nodes[parent].child[side];
    if (node == RB_NONE) {
        return 0;
    }
    expect_true("a link leads to a node", parent, node > 0 && node < (int)nodes.size());
    const RbNode &n = nodes[node];
    expect_equal("parent of a node", node, parent, n.parent);
    expect_equal("side of a node", node, side, n.side);
    expect_true("a key is at its place", node, n.key >= least && n.key <= most);
    expect_true("a red node has a black parent", node, !(n.red && nodes[parent].red));
    seen(node);
    int left = rb_check_link(nodes, node, 0, least, n.key - 1, seen);
    expect_equal("black nodes on the right", node, left, rb_check_link(nodes, node, 1, n.key + 1, most, seen));
    return left + !n.red;
}

// Checks a tree with keys from 0 to `keys` - 1. The root is black.
template <typename Seen>
static void rb_check(const std::vector<RbNode> &nodes, int top, int keys, Seen seen) {
    int root = nodes[top].child[0];
    expect_true("the root is black", root, root == RB_NONE || !nodes[root].red);
    expect_equal("link beside the root", top, RB_NONE, nodes[top].child[1]);
    rb_check_link(nodes, top, 0, 0, keys - 1, seen);
}

#endif
