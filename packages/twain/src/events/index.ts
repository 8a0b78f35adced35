export type { LogPoint } from '#store'
export { ChangeHandlers, type HandledChange } from './change-handlers.ts'
export { runTraced } from './change-trace.ts'
export { createEvents, defaultEventSettings, type EventSettings, type Events } from './events.ts'
export { authorOf, type CloudEvent, cloudEvent, dataText } from './feed/cloud-event.ts'
export { openCursors } from './feed/cursor.ts'
export type { FeedFilter, FeedPage } from './feed/feed.ts'
export { resourceByPath } from './feed/feed.ts'
export {
  allChangeKinds,
  type EventChannel,
  type Interest,
  type Interests,
  type ProjectedChange,
  type RenderedEvent,
} from './feed/interest.ts'
export type { EventReader } from './live/event-reader.ts'
export type { LiveSession } from './live/live-sessions.ts'
export type { LogFollower } from './live/log-follower.ts'
export { longPoll } from './live/long-poll.ts'
export { openStream, openValueStream, streamHeaders } from './live/open-stream.ts'
export type { ValueReader, ValueSource, ValuesEnd } from './live/value-follower.ts'
export type { DeliveryMessage } from './webhooks/delivery-message.ts'
export { defaultWebhookSettings, type WebhookSettings } from './webhooks/settings.ts'
export type { WebhookOwners } from './webhooks/webhook-runner.ts'
export { Webhooks } from './webhooks/webhooks.ts'
