export { isTimeZone } from './cron/next-tick.ts'
export { CronMistake, parseCron } from './cron/parse-cron.ts'
export { DeleteWorker } from './delete-worker.ts'
export { parseDuration } from './duration.ts'
export { JobAdmin, type JobView } from './job-admin.ts'
export {
  defaultConcurrency,
  defaultRetries,
  defaultTimeLimit,
  type JobDefinition,
  type Schedule,
} from './job-definition.ts'
export { Jobs } from './jobs.ts'
export { QueueWorker, type RunningJob } from './queue-worker.ts'
export { type RetryIntervals, retryDelayMs } from './retry-delay.ts'
export { defaultQueueSettings, type QueueSettings } from './settings.ts'
export { WakeLoop } from './wake-loop.ts'
