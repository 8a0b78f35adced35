export { representBytes } from './byte-range.ts'
export { clientKey } from './client-key.ts'
export { encodedTag, entityTags, itemTag, matchesEntityTag, pageTag } from './entity-tag.ts'
export { httpDate, parseHttpDate } from './http-date.ts'
export {
  extendFingerprint,
  type IdempotencyKey,
  idempotencyKeyOf,
  idempotencyKeyReused,
  readIdempotencyKey,
  requestInFlight,
  stepIdempotencyKey,
} from './idempotency-key.ts'
export { chooseType, decodeBody, isUtf8Charset, readContentType } from './media-types.ts'
export type { Socket, SocketAcceptor, SocketHandler } from './messages.ts'
export {
  type ApiHandler,
  type BodyStream,
  bodyText,
  type HttpReply,
  type HttpRequest,
  isStream,
  notModified,
  plainRequest,
  type RequestCaller,
  type RequestContext,
  redirectReply,
} from './messages.ts'
export { networkOf } from './network-of.ts'
export { prefersAsync } from './prefers-async.ts'
export { errorPages, type ProblemSource, problemDocument, problemReply, problemType } from './problem-document.ts'
export { isAdmin, requireAdmin } from './require-admin.ts'
export { ServerTiming } from './server-timing.ts'
export { TracedTiming } from './traced-timing.ts'
export {
  type Acting,
  actorOf,
  anonymous,
  clientOf,
  isOperator,
  isSystem,
  isWithoutEvents,
  migrationViewer,
  system,
  systemFor,
  unknownClient,
  type Viewer,
  type ViewerClaims,
} from './viewer.ts'
