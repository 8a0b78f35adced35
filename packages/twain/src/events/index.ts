export { ChangeHandlers, type HandledChange } from './change-handlers.ts'
export { createEvents, type Events } from './events.ts'
export { type CloudEvent, cloudEvent, dataText } from './feed/cloud-event.ts'
export type { FeedFilter, FeedPage } from './feed/feed.ts'
export {
  allChangeKinds,
  type EventChannel,
  type Interest,
  type Interests,
  type ProjectedChange,
  type RenderedEvent,
} from './feed/interest.ts'
export { resourceByPath } from './feed/resource-by-path.ts'
export type { LiveSession } from './live/live-sessions.ts'
export type { LogFollower } from './live/log-follower.ts'
export { longPoll } from './live/long-poll.ts'
export { openStream, streamHeaders } from './live/open-stream.ts'
export type { EventReader } from './live/reader.ts'
export { defaultEventSettings, type EventSettings } from './settings.ts'
export { defaultWebhookSettings, type WebhookSettings } from './webhooks/settings.ts'
export type { WebhookAdmin, WebhookView, WebhookWriteOptions } from './webhooks/webhook-admin.ts'
export { expectAdmin, type WebhookOwners, Webhooks } from './webhooks/webhooks.ts'
