/* The configuration of the network between the SMs of a cluster. */
#ifndef TIMING_CLUSTER_CONFIG_H
#define TIMING_CLUSTER_CONFIG_H

#include "base/config/config.h"

struct cnet_cfg {
#define CONFIG_ROWS "timing/cluster/cluster.def"
#include "base/config/config_fields.h"
};
void cnet_configure(struct cnet_cfg *c, const struct simtx_config *config);
uint32_t cnet_request_cycles(const struct cnet_cfg *c);    /* of the path to the other SM; the reply has the rest */
uint32_t cnet_shortest(const struct cnet_cfg *c);          /* of the shortest path of any message */

#endif
