/*
 * A window: all components run from one core cycle to another. They exchange messages in rounds. A component can run
 * until the earliest cycle at which a message might arrive that has not been sent: the cycle that its senders have
 * reached and the latency of their link. The kinds of components are the stages of the path of a request and its reply:
 * SMs, request crossbar, partitions, reply crossbar. If they run in this order, each advances in a round by the sum of
 * the latencies of all links (a conservative simulation: Chandy and Misra, IEEE Transactions on Software Engineering 5,
 * 1979). Credits return against this direction: a component that might lack some stops at the earliest cycle at which a
 * credit might return that has not been sent.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "timing/machine/machine_impl.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- components ---- */

static struct xbar *xbar_of(const struct machine *m, const struct machine_component *p)
{
    return m->xbar[p->kind == MACHINE_REQUEST_XBAR ? MACHINE_XBAR_REQUEST : MACHINE_XBAR_REPLY];
}

static uint64_t in_clock(const struct machine *m, enum clock_domain k, uint64_t core)
{
    return clock_convert(&m->cfg.clocks, CLK_CORE, k, core);
}

static uint64_t component_next(const struct machine *m, const struct machine_component *p)
{
    switch (p->kind) {
    case MACHINE_SM: return sm_next(m->sm[p->index]);
    case MACHINE_PARTITION: return partition_next(m->partition[p->index]);
    default: return clock_floor(&m->cfg.clocks, CLK_XBAR, CLK_CORE, xbar_next(xbar_of(m, p)));
    }
}

/* Might it lack credits before the limit? */
static bool lacks_credits(const struct machine *m, const struct machine_component *p)
{
    const struct machine_horizon *h = &m->horizon;
    uint64_t now = h->reached[p->kind];
    switch (p->kind) {
    case MACHINE_SM: return !sm_has_credits(m->sm[p->index], now);
    case MACHINE_PARTITION: return !partition_has_credits(m->partition[p->index], in_clock(m, CLK_L2, now));
    default: return !xbar_has_credits(xbar_of(m, p), in_clock(m, CLK_XBAR, now),
                                      in_clock(m, CLK_XBAR, h->limit[p->kind]));
    }
}

static uint64_t run_sm(struct machine *m, struct machine_thread_result *mine, uint32_t i)
{
    bool reports = false;
    sm_set_horizon(m->sm[i], &(struct sm_horizon){
        .credits = m->horizon.credits[MACHINE_SM], .after_end = m->cfg.step, .after_send = m->horizon.unanswered });
    uint64_t next = sm_run(m->sm[i], m->horizon.limit[MACHINE_SM], m->cfg.sim.no_skip, &reports);
    if (reports)
        m->pending[i] = mine->pending = true;
    return next;
}

static uint64_t run_partition(struct machine *m, uint32_t i)
{
    uint64_t limit = m->horizon.limit[MACHINE_PARTITION];
    partition_set_horizon(m->partition[i], in_clock(m, CLK_L2, m->horizon.credits[MACHINE_PARTITION]));
    return partition_run(m->partition[i], in_clock(m, CLK_L2, limit), in_clock(m, CLK_MEM, limit));
}

static uint64_t run_xbar(struct machine *m, const struct machine_component *p)
{
    const struct machine_horizon *h = &m->horizon;
    bool lacking = h->credits[p->kind] < h->limit[p->kind] && lacks_credits(m, p);
    xbar_run(xbar_of(m, p), in_clock(m, CLK_XBAR, lacking ? h->credits[p->kind] : h->limit[p->kind]));
    return component_next(m, p);
}

/* Returns its next event. */
static uint64_t run_component(struct machine *m, struct machine_thread_result *mine, const struct machine_component *p)
{
    switch (p->kind) {
    case MACHINE_SM: return run_sm(m, mine, p->index);
    case MACHINE_PARTITION: return run_partition(m, p->index);
    default: return run_xbar(m, p);
    }
}

/* ---- a phase on one host thread ---- */

static inline bool is_xbar(const struct machine_component *p)
{
    return p->kind == MACHINE_REQUEST_XBAR || p->kind == MACHINE_REPLY_XBAR;
}

/* Has it been sent a message or a credit since its last visit? */
static inline bool has_input(const struct machine *m, const struct machine_worklist *l, uint32_t item)
{
    const struct machine_component *p = &l->component[item];
    return is_xbar(p) ? !xbar_waits(xbar_of(m, p)) : __atomic_load_n(&l->doorbell[item], __ATOMIC_RELAXED);
}

/*
 * Returns the next event of a component. Without a message, the value of the last visit is still valid. A sender writes
 * the message and then sets the doorbell: a message that is not visible here sets the doorbell again, and it arrives
 * after this phase. A crossbar has doorbells of its own for its many senders.
 */
static uint64_t update_next(const struct machine *m, struct machine_worklist *l, uint32_t item)
{
    const struct machine_component *p = &l->component[item];
    if (!has_input(m, l, item))
        return l->next[item];
    if (!is_xbar(p))
        __atomic_exchange_n(&l->doorbell[item], 0, __ATOMIC_ACQ_REL);
    return l->next[item] = component_next(m, p);
}

/* Must the component be visited in this phase? */
static inline bool must_visit(const struct machine *m, const struct machine_worklist *l, uint32_t item)
{
    const struct machine_component *p = &l->component[item];
    if (l->next[item] < m->horizon.limit[p->kind] || l->lacking[item] || m->cfg.sim.no_skip)
        return true;
    return has_input(m, l, item);
}

static inline void visit(struct machine *m, struct machine_thread_result *mine, struct machine_worklist *l,
                         uint32_t item)
{
    const struct machine_component *p = &l->component[item];
    bool due = update_next(m, l, item) < m->horizon.limit[p->kind];
    mine->ran |= due;
    if (due || m->cfg.sim.no_skip)
        l->next[item] = run_component(m, mine, p);
    l->lacking[item] = lacks_credits(m, p);
    mine->lacking[p->kind] |= l->lacking[item];
    mine->next[p->kind] = clock_earlier(mine->next[p->kind], l->next[item]);
}

/* Most components have neither a message nor an event. */
static inline void visit_if_due(struct machine *m, struct machine_thread_result *mine, struct machine_worklist *l,
                                uint32_t item)
{
    uint64_t *next = &mine->next[l->component[item].kind];
    if (must_visit(m, l, item))
        visit(m, mine, l, item);
    else
        *next = clock_earlier(*next, l->next[item]);
}

static struct machine_thread_result no_result(uint64_t step)
{
    struct machine_thread_result r = { .step = step };
    memset(r.next, 0xff, sizeof r.next);
    return r;
}

/* An item of the thread pool. */
static void visit_item(void *ctx, uint64_t step, uint32_t thread, uint32_t list, uint32_t item)
{
    struct machine *m = ctx;
    struct machine_thread_result *mine = &m->result[thread];
    if (mine->step != step)
        *mine = no_result(step);
    visit_if_due(m, mine, &m->worklist[list], item);
}

/* One host thread visits the components of a phase. */
static struct machine_thread_result visit_phase(struct machine *m, uint32_t phase)
{
    struct machine_thread_result mine = no_result(0);
    for (uint32_t t = 0; t < m->threads; t++) {
        struct machine_worklist *l = &m->worklist[phase * m->threads + t];
        for (uint32_t i = 0; i < l->n; i++)
            visit_if_due(m, &mine, l, i);
    }
    return mine;
}

/* Are there too few components to visit for several host threads? */
static bool few_to_visit(const struct machine *m, uint32_t phase)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < m->threads; t++) {
        const struct machine_worklist *l = &m->worklist[phase * m->threads + t];
        for (uint32_t i = 0; i < l->n && n < 2; i++)
            n += must_visit(m, l, i);
    }
    return n < 2;
}

/* All host threads visit the components of a phase; what they found, together. */
static struct machine_thread_result step_pool(struct machine *m, uint32_t phase)
{
    struct machine_thread_result all = no_result(0);
    thread_pool_step(m->pool, phase);
    for (uint32_t i = 0; i < m->threads; i++) {
        const struct machine_thread_result *s = &m->result[i];
        if (s->step != thread_pool_steps(m->pool))
            continue;
        all.ran |= s->ran;
        all.pending |= s->pending;
        for (int k = 0; k < MACHINE_KINDS; k++) {
            all.lacking[k] |= s->lacking[k];
            all.next[k] = clock_earlier(all.next[k], s->next[k]);
        }
    }
    return all;
}

/* ---- rounds ---- */

static void start_block(void *ctx, uint32_t sm, const struct block_start *b)
{
    struct machine *m = ctx;
    sm_start(m->sm[sm], b);
    *m->sm_in[sm].doorbell = 1;
}

void machine_keep_fault(struct machine *m, uint32_t sm)
{
    uint64_t at = sm_fault_cycle(m->sm[sm]);
    if (at < m->fault_at || (at == m->fault_at && at != NEVER && sm < m->fault_sm)) {
        m->fault_at = at;
        m->fault_sm = sm;
        m->fault = sm_fault(m->sm[sm]);
        m->fault_grid = (uint32_t)(sm_fault_grid(m->sm[sm]) - m->grids);
    }
}

/* Processes ended blocks and faults of the SMs. */
static void process_pending(struct machine *m)
{
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        if (!m->pending[i])
            continue;
        uint32_t n;
        const struct block_end *e = sm_ended(m->sm[i], &n);
        if (n)
            dispatcher_ended(m->dispatcher, e, n);
        machine_keep_fault(m, i);
        m->pending[i] = false;
    }
}

/* Has none of these components been sent a message or a credit since its last visit? */
static bool has_no_input(const struct machine *m, enum machine_component_kind k)
{
    const struct machine_worklist *l = &m->worklist[k % m->phases * m->threads];
    for (uint32_t i = 0; i < m->threads; i++)
        for (uint32_t c = 0; c < l[i].n; c++)
            if (l[i].component[c].kind == k && has_input(m, &l[i], c))
                return false;
    return true;
}

/* If all messages have been received: the earliest cycle at which an SM might receive the next one. Each SM must stop
 * when a reply to its own messages might arrive. */
static uint64_t next_reply(const struct machine *m)
{
    const struct machine_horizon *h = &m->horizon;
    uint64_t at = h->next[MACHINE_REQUEST_XBAR];
    for (int k = MACHINE_PARTITION; k < MACHINE_KINDS; k++)
        at = clock_earlier(at == NEVER ? NEVER : at + h->link[k - 1], h->next[k]);
    return at == NEVER ? NEVER : at + h->link[MACHINE_REPLY_XBAR];
}

static bool all_received(const struct machine *m)
{
    return m->replies_only && has_no_input(m, MACHINE_REQUEST_XBAR) && has_no_input(m, MACHINE_PARTITION) &&
           has_no_input(m, MACHINE_REPLY_XBAR);
}

/* How far the components of kind k can run with what the others have sent. */
static void set_limit(struct machine *m, enum machine_component_kind k, uint64_t until)
{
    struct machine_horizon *h = &m->horizon;
    uint32_t from = k ? k - 1 : MACHINE_KINDS - 1, to = k + 1 < MACHINE_KINDS ? k + 1 : 0;
    uint64_t limit = clock_earlier(until, h->reached[from] + h->link[from]);
    if (k == MACHINE_SM) {
        bool answered = all_received(m) && next_reply(m) > limit;
        h->unanswered = answered ? h->link[0] + h->link[1] + h->link[2] + h->link[3] : NEVER;
        limit = answered ? clock_earlier(until, next_reply(m)) : limit;
        limit = clock_earlier(limit, dispatcher_next_start(m->dispatcher));
    }
    h->limit[k] = limit;
    h->credits[k] = h->reached[to] + h->link[k];
}

/* The cycle that the components of kind k have reached. */
static void set_reached(struct machine *m, enum machine_component_kind k, const struct machine_thread_result *r)
{
    struct machine_horizon *h = &m->horizon;
    uint64_t at = clock_earlier(h->limit[k], r->next[k]);
    if (r->lacking[k])
        at = clock_earlier(at, h->credits[k]);
    if (k == MACHINE_SM)
        at = clock_earlier(at, dispatcher_next_start(m->dispatcher));
    h->reached[k] = later(h->reached[k], at);
}

/* In a phase runs one kind, or, with several host threads, every second one. */
static void run_phase(struct machine *m, uint32_t phase, uint64_t until, struct machine_thread_result *round)
{
    for (uint32_t k = phase; k < MACHINE_KINDS; k += m->phases)
        set_limit(m, (enum machine_component_kind)k, until);
    bool alone = !m->pool || few_to_visit(m, phase);
    struct machine_thread_result r = alone ? visit_phase(m, phase) : step_pool(m, phase);
    if (r.pending)
        process_pending(m);
    for (uint32_t k = phase; k < MACHINE_KINDS; k += m->phases) {
        set_reached(m, (enum machine_component_kind)k, &r);
        round->next[k] = m->horizon.next[k] = r.next[k];
    }
    round->ran |= r.ran;
}

void machine_run_dispatcher(struct machine *m, uint64_t until)
{
    dispatcher_run(m->dispatcher, m->dispatched, until, start_block, m);
    m->dispatched = until;
}

static uint64_t earliest(const uint64_t at[MACHINE_KINDS])
{
    return clock_earlier(clock_earlier(at[0], at[1]), clock_earlier(at[2], at[3]));
}

/* All ends of blocks in cycles that the SMs have reached have been passed to the dispatcher. */
static void run_dispatcher(struct machine *m, uint64_t until)
{
    uint64_t known = clock_earlier(until, m->horizon.reached[MACHINE_SM] + m->cfg.step);
    if (known > m->dispatched)
        machine_run_dispatcher(m, known);
}

/* Nothing was sent in this round: no component has an event before the earliest one. */
static void advance_idle(struct machine *m, const struct machine_thread_result *round, uint64_t until)
{
    uint64_t at = clock_earlier(clock_earlier(until, earliest(round->next)), dispatcher_next_start(m->dispatcher));
    for (int k = 0; k < MACHINE_KINDS; k++)
        m->horizon.reached[k] = later(m->horizon.reached[k], at);
}

bool machine_window_run(struct machine *m, uint64_t until, uint64_t *next)
{
    struct machine_thread_result round;
    bool ran = false;
    for (int k = 0; k < MACHINE_KINDS; k++) {
        m->horizon.reached[k] = m->now;
        m->horizon.next[k] = m->now;
    }
    do {
        round = no_result(0);
        run_dispatcher(m, until);
        for (uint32_t p = 0; p < m->phases; p++)
            run_phase(m, p, until, &round);
        if (!round.ran)
            advance_idle(m, &round, until);
        ran |= round.ran;
    } while (earliest(m->horizon.reached) < until);
    m->now = until;
    *next = earliest(round.next);
    return ran;
}

/* ---- the end of a window ---- */

enum { SEARCH_PERIOD = 8 };          /* windows from one search for a long-running warp to the next */

/* The cycle, or an earlier one, at which the dispatcher might receive the message about the last end of a block. */
static uint64_t earliest_finish(struct machine *m)
{
    const struct grid *g = &m->grids[0];
    uint32_t least = sm_least_cycles(m->sm[m->busy_sm], m->width);
    if (dispatcher_next_start(m->dispatcher) != NEVER || g->next_block < g->launch.nblocks)
        least = num_most(least, g->code->of_func[g->launch.code->func->index]->inst[0].to_end);
    for (uint32_t i = 0; least < m->width && m->windows % SEARCH_PERIOD == 0 && i < m->cfg.sms; i++) {
        uint32_t here = sm_least_cycles(m->sm[i], m->width);
        m->busy_sm = here > least ? i : m->busy_sm;
        least = num_most(least, here);
    }
    return m->now + least + m->cfg.step;
}

uint64_t machine_window_end(struct machine *m, uint64_t stop)
{
    uint64_t end = m->now + m->width;
    if (m->width > m->cfg.step && m->fault_at == NEVER)
        end = clock_earlier(end, earliest_finish(m));
    return clock_earlier(end, stop);
}

/* ---- distribution over host threads ---- */

/* Approximate host time of a component; an SM takes 16. */
static uint32_t weight_of(const struct machine *m, enum machine_component_kind kind)
{
    enum { SM = 16, PER_PORT = 1, PARTITION = 8 };
    return kind == MACHINE_SM ? SM : kind == MACHINE_PARTITION ? PARTITION : PER_PORT * (m->cfg.sms + m->cfg.slices);
}

/* Every sender to the component sets its doorbell. All components run in the first window. */
static void attach_doorbells(struct machine *m, enum machine_component_kind kind, uint32_t index, uint8_t *doorbell)
{
    *doorbell = 1;
    if (kind == MACHINE_SM)
        m->sm_in[index].doorbell = m->sm_out[index].credit_doorbell = doorbell;
    for (uint32_t i = 0; kind == MACHINE_PARTITION && i < m->cfg.partition.slices; i++) {
        uint32_t slice = index * m->cfg.partition.slices + i;
        m->slice_in[slice].doorbell = m->slice_out[slice].credit_doorbell = doorbell;
    }
}

static uint32_t lists(const struct machine *m)
{
    return m->phases * m->threads;
}

void machine_ring_doorbells(struct machine *m)
{
    for (uint32_t i = 0; i < lists(m); i++)
        memset(m->worklist[i].doorbell, 1, m->worklist[i].n);
}

/* load: of the host threads so far; heavy components first. */
static void assign(struct machine *m, uint32_t *load, enum machine_component_kind kind, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t to = 0;
        for (uint32_t k = 1; k < m->threads; k++)
            to = load[k] < load[to] ? k : to;
        struct machine_worklist *s = &m->worklist[kind % m->phases * m->threads + to];
        attach_doorbells(m, kind, i, &s->doorbell[s->n]);
        s->component[s->n] = (struct machine_component){ .kind = (uint16_t)kind, .index = (uint16_t)i };
        s->next[s->n++] = 0;
        load[to] += weight_of(m, kind);
    }
}

/* Distributes the components of each phase over n host threads: each goes to the thread with the least load so far. */
static void distribute_components(struct machine *m, uint32_t n)
{
    static const char *const what = "the work of host threads";
    const struct machine_cfg *c = &m->cfg;
    uint32_t parts = num_most(c->sms + c->channels, MACHINE_XBARS);
    uint32_t *load = mem_zero(MACHINE_KINDS * n, sizeof *load, what);
    m->threads = n;
    m->phases = n > 1 ? 2 : MACHINE_KINDS;
    m->worklist = mem_zero(lists(m), sizeof *m->worklist, what);
    m->result = mem_aligned(HOST_CACHE_LINE, n * sizeof *m->result, what);
    memset(m->result, 0, n * sizeof *m->result);
    for (uint32_t i = 0; i < lists(m); i++)
        m->worklist[i] = (struct machine_worklist){
            .component = mem_zero(parts, sizeof *m->worklist[i].component, what),
            .next = mem_zero(parts, sizeof *m->worklist[i].next, what),
            .lacking = mem_zero(parts, 1, what),
            .doorbell = mem_aligned(HOST_CACHE_LINE, parts + 1, what),
        };
    assign(m, load, MACHINE_SM, c->sms);
    assign(m, load, MACHINE_PARTITION, c->channels);
    assign(m, load + n, MACHINE_REQUEST_XBAR, 1);
    assign(m, load + n, MACHINE_REPLY_XBAR, 1);
    free(load);
}

static void start_threads(struct machine *m)
{
    uint32_t *items = mem_zero(lists(m), sizeof *items, "the work of host threads");
    for (uint32_t i = 0; i < lists(m); i++)
        items[i] = m->worklist[i].n;
    m->pool = m->threads > 1 ? thread_pool_new(m->threads, m->phases, items, visit_item, m) : NULL;
    free(items);
}

static bool finds_unwritten(const struct launch *la)
{
    return la->watched && la->check[CHECK_UNINITIALISED] != CHECK_OFF;
}

static bool exclusive(const struct machine *m)
{
    for (uint32_t i = 0; i < m->ngrids; i++)
        if (m->grids[i].launch.code->host_functions || finds_unwritten(&m->grids[i].launch))
            return true;
    return false;
}

/*
 * Windows in which messages are exchanged are for one grid, whose blocks start on SMs where others have ended; not for
 * transactional memory, the ordering oracle and clusters, which have steps between windows. With address translation
 * the shared TLB serves requests between windows: no reply arrives earlier than tlb.l2.latency after its request. Host
 * functions (printf, malloc) and check.uninitialised use state that all SMs share: they make kernels run on one thread
 * with windows of one cycle, SM after SM.
 */
static void choose_width(struct machine *m)
{
    bool alone = exclusive(m) || (m->transactions && tm_global_step(m->tm));
    bool steps = m->tm || m->versions || m->oracle || m->clusters;
    m->longest = m->ngrids == 1 && !alone && !steps ? m->cfg.longest : m->cfg.step;
    if (m->tlb)
        m->longest = num_least(m->longest, m->cfg.lsu.tlb.l2.latency);
    m->width = alone ? 1 : m->longest;
    if (m->clusters)
        m->width = num_least(m->width, cnet_shortest(&m->cfg.sm.cluster));
    if (m->cfg.sim.sync_window && m->cfg.sim.sync_window < m->width)
        m->width = m->cfg.sim.sync_window;
}

void machine_start_pool(struct machine *m)
{
    uint32_t n = exclusive(m) ? 1 : num_least(m->cfg.sim.threads, m->cfg.sms + m->cfg.channels);
    for (int k = 0; k < MACHINE_KINDS; k++) {
        const struct xbar_cfg *x = &m->cfg.xbar[k < MACHINE_PARTITION ? MACHINE_XBAR_REQUEST : MACHINE_XBAR_REPLY];
        m->horizon.link[k] = clock_floor(&m->cfg.clocks, CLK_XBAR, CLK_CORE, k % 2 ? x->latency_out : x->latency_in);
    }
    m->dispatched = m->now;
    m->busy_sm = 0;
    m->replies_only = !m->tm && !m->versions && !m->cfg.lsu.l1.coherence && !m->cfg.sm.order->message;
    distribute_components(m, n);
    start_threads(m);
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].launch.host_threads = n;
    choose_width(m);
}

void machine_stop_pool(struct machine *m)
{
    thread_pool_free(m->pool);
    for (uint32_t i = 0; i < lists(m); i++) {
        free(m->worklist[i].component);
        free(m->worklist[i].next);
        free(m->worklist[i].lacking);
        free(m->worklist[i].doorbell);
    }
    free(m->worklist);
    free(m->result);
    m->pool = NULL;
}
