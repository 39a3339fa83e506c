/* What the files of the manager share: the rules that act after a message, and predicates on the manager's state. */
#ifndef TM_SITM_MANAGER_IMPL_H
#define TM_SITM_MANAGER_IMPL_H

#include "tm/sitm/rules/manager.h"

/* manager.c */
void sitm_put(struct sitm_manager *m, const struct sitm_message *message);        /* into the queue */
bool sitm_group_used(const struct sitm_group *g);
bool sitm_drained(const struct sitm_manager *m);
uint32_t sitm_open_slot(const struct sitm_manager *m);          /* the version that accepts writers, or SITM_NO_SLOT */
uint32_t sitm_last_version(const struct sitm_manager *m);       /* the greatest number */
void sitm_copy(struct sitm_manager *m);                         /* R14 */

/* decisions.c */
void sitm_commit_request(struct sitm_manager *m, const struct sitm_message *request);
void sitm_aborted(struct sitm_manager *m, const struct sitm_message *message);
void sitm_released(struct sitm_manager *m, const struct sitm_message *ack);
void sitm_published(struct sitm_manager *m);                    /* all slices have published the open version */
void sitm_seal(struct sitm_manager *m);                         /* R13 */
void sitm_decide(struct sitm_manager *m);                       /* R10 */
void sitm_release_unneeded(struct sitm_manager *m);             /* R16 */

/* begins.c */
void sitm_add_begin(struct sitm_manager *m, const struct sitm_message *begin);
void sitm_accept_begins(struct sitm_manager *m);                /* R1, R17 */
void sitm_end_precedence(struct sitm_manager *m, const struct sitm_message *request);
void sitm_yield(struct sitm_manager *m, uint32_t warp);
void sitm_reset(struct sitm_manager *m);                        /* R18 */

#endif
