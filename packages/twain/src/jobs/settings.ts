// The settings `queue.…`.

export interface QueueSettings {
  /** How many jobs of custom code a node runs at once; 0: none. */
  concurrency: number
  /** How long a job stays with a node that no longer answers. */
  leaseSeconds: number
  /** How long finished jobs are kept, failed ones included. */
  retentionSeconds: number
}

export const defaultQueueSettings: QueueSettings = {
  concurrency: 10,
  leaseSeconds: 30,
  retentionSeconds: 7 * 24 * 3600,
}
