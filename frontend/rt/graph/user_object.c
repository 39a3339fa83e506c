/* User objects: resources of the program with a count of references, some of which graphs hold. The program's function
 * ends an object with its last reference. */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>

struct CUuserObject_st {
    void *p;
    cudaHostFn_t end;
    unsigned references;
};

static bool known(cudaUserObject_t o)
{
    return ptrmap_get(&rt.user_objects, o) != NULL;
}

cudaError_t rt_user_object_create(cudaUserObject_t *out, void *p, cudaHostFn_t end, unsigned references, unsigned flags)
{
    if (!out || !end || !references || flags != cudaUserObjectNoDestructorSync)
        return cudaErrorInvalidValue;
    cudaUserObject_t o = calloc(1, sizeof *o);
    if (!o || !ptrmap_put(&rt.user_objects, o, o)) {
        free(o);
        return cudaErrorMemoryAllocation;
    }
    *o = (struct CUuserObject_st){p, end, references};
    *out = o;
    return cudaSuccess;
}

cudaError_t rt_user_object_retain(cudaUserObject_t o, unsigned n)
{
    if (!known(o) || !n)
        return cudaErrorInvalidValue;
    o->references += n;
    return cudaSuccess;
}

/* The function of the program runs without the lock. */
cudaError_t rt_user_object_release(cudaUserObject_t o, unsigned n)
{
    if (!known(o) || !n || n > o->references)
        return cudaErrorInvalidValue;
    o->references -= n;
    if (o->references)
        return cudaSuccess;
    ptrmap_remove(&rt.user_objects, o);
    rt_unlock();
    o->end(o->p);
    rt_lock();
    free(o);
    return cudaSuccess;
}

/* ---- references of graphs ---- */

static struct rt_object_reference *find(cudaGraph_t g, cudaUserObject_t o)
{
    for (size_t i = 0; i < g->nreferences; i++)
        if (g->references[i].object == o)
            return &g->references[i];
    return NULL;
}

static struct rt_object_reference *find_or_add(cudaGraph_t g, cudaUserObject_t o)
{
    struct rt_object_reference *r = find(g, o);
    if (r)
        return r;
    struct rt_object_reference *more = realloc(g->references, (g->nreferences + 1) * sizeof *more);
    if (!more)
        return NULL;
    g->references = more;
    more[g->nreferences] = (struct rt_object_reference){o, 0};
    return &more[g->nreferences++];
}

cudaError_t rt_graph_retain_object(cudaGraph_t g, cudaUserObject_t o, unsigned n, bool move)
{
    if (!rt_graph_ok(g) || !known(o) || !n || (move && n > o->references))
        return cudaErrorInvalidValue;
    struct rt_object_reference *r = find_or_add(g, o);
    if (!r)
        return cudaErrorMemoryAllocation;
    r->n += n;
    return move ? cudaSuccess : rt_user_object_retain(o, n);
}

cudaError_t rt_graph_release_object(cudaGraph_t g, cudaUserObject_t o, unsigned n)
{
    struct rt_object_reference *r = rt_graph_ok(g) && known(o) ? find(g, o) : NULL;
    if (!r || !n || n > r->n || n > o->references)
        return cudaErrorInvalidValue;
    r->n -= n;
    return rt_user_object_release(o, n);
}

cudaError_t rt_graph_copy_references(cudaGraph_t to, cudaGraph_t from)
{
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; !e && i < from->nreferences; i++)
        if (from->references[i].n)
            e = rt_graph_retain_object(to, from->references[i].object, from->references[i].n, false);
    return e;
}

void rt_graph_drop_references(cudaGraph_t g)
{
    for (size_t i = 0; i < g->nreferences; i++)
        if (g->references[i].n)
            rt_user_object_release(g->references[i].object, g->references[i].n);
    free(g->references);
}
