// Who calls, by which client, and how the change log names them.

/** Who calls. */
export interface Viewer {
  /** The id of the signed-in account; null for anonymous viewers, the operator and API keys. */
  account: string | null
  roles: readonly string[]
  /** Whether the request has a valid token or key: a denial is then 403, otherwise 401. */
  authenticated: boolean
  /** The id of the token or key. */
  token: string | null
  /** Whether the address of the account is proven; missing: it is not. */
  verified?: boolean
  /** When the account signed in, in milliseconds since 1970. A renewal of the session does not count. */
  signedInAt?: number
  /** Who this is in the change log; missing where account and token say it (`actorOf`). */
  by?: string
  /** The name that the client gives itself, if the request may write. */
  via?: string
  /** Missing without a token of an external issuer, and if the schema file names no claims. */
  claims?: ViewerClaims
  /** Set if somebody else acts as this viewer. */
  acting?: Acting
}

/** Who acts as a viewer, and what for. */
export interface Acting {
  /** As the change log names them: `account:1`. */
  by: string
  /** The id of their account; null for the operator and API keys. */
  account: string | null
  /** The id of their account, token or key: requests count for it. */
  client: string
  readOnly: boolean
  reason: string | null
}

/** The claims of a token of an external issuer: only those that the schema file names. */
export interface ViewerClaims {
  /** As they stand in the token, by the name or the path that the schema file uses. */
  readonly values: Readonly<Record<string, unknown>>
  /** The same text for equal values. */
  readonly key: string
}

export const anonymous: Viewer = { account: null, roles: [], authenticated: false, token: null }

/** The server itself: no rules apply. Recognized by identity, so that no request can forge it. */
export const system: Viewer = Object.freeze({ account: null, roles: [], authenticated: true, token: null })

const systemViewers = new WeakSet<Viewer>([system])

/** The server itself, on behalf of custom code, which the change log names. */
export function systemFor(by: string, { via, acting }: Pick<Viewer, 'via' | 'acting'>): Viewer {
  const viewer: Viewer = Object.freeze({ ...system, by, ...(via !== undefined && { via }), ...(acting && { acting }) })
  systemViewers.add(viewer)
  return viewer
}

export function isSystem(viewer: Viewer): boolean {
  return systemViewers.has(viewer)
}

/** An operator, by a token of `twain token --role …`: `by` is never set by a request. */
export function isOperator({ by, acting }: Viewer): boolean {
  return acting === undefined && by?.startsWith('operator:') === true
}

const noEvents = 'no-events'

/** The server itself, on behalf of a data migration. */
export function migrationViewer(name: string, events: boolean): Viewer {
  return systemFor(`migration:${name}`, events ? {} : { via: noEvents })
}

/** Whether webhooks and change handlers skip the change: a data migration made it without events. */
export function isWithoutEvents({ by, via }: { by: string | null; via: string | null }): boolean {
  return via === noEvents && by?.startsWith('migration:') === true
}

/** Who made a change: a kind, and an id where there is one (docs/reference/events.md). */
export function actorOf(viewer: Viewer): string {
  const { by, account, authenticated, token } = viewer
  if (by !== undefined) return by
  if (account !== null) return `account:${account}`
  if (isSystem(viewer)) return 'operator'
  return authenticated ? `key:${token}` : 'anonymous'
}

const maxClientNameLength = 120

/** Clients that send no name. */
export const unknownClient = '(unknown)'

/** The name that a client gives itself. */
export function clientOf(headers: Readonly<Record<string, string | undefined>>): string {
  const name = headers['x-client-name'] ?? headers['user-agent'] ?? unknownClient
  return name.length > maxClientNameLength ? name.slice(0, maxClientNameLength) : name
}
